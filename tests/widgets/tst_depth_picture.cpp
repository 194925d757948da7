#include <array>
#include <cmath>
#include <set>

#include "core/math/count.h"
#include "core/run/simulation.h"
#include "tests/support/gui_main.h"
#include "tests/support/scenes.h"
#include "widgets/views/depth_colours.h"
#include "widgets/views/scene_view.h"

using namespace touchstone;

namespace {

using Lab = std::array<double, 3>;

/// CIE L*a*b* of an sRGB colour under D65 (IEC 61966-2-1).
Lab labOf(double red, double green, double blue) {
  const auto linear = [](double c) { return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); };
  const double r = linear(red), g = linear(green), b = linear(blue);
  const auto f = [](double t) { return t > 0.008856 ? std::cbrt(t) : 7.787 * t + 16.0 / 116; };
  const double x = f((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505),
               y = f(0.2126 * r + 0.7152 * g + 0.0722 * b),
               z = f((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089);
  return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}
Lab labOf(const QColor& colour) { return labOf(colour.redF(), colour.greenF(), colour.blueF()); }
/// CIE 1976.
double difference(const Lab& one, const Lab& other) {
  return std::hypot(one[0] - other[0], one[1] - other[1], one[2] - other[2]);
}

constexpr int kWidth = 400, kHeight = 300;

std::set<int> changedPixels(const QImage& one, const QImage& other, double least = 1) {
  std::set<int> changed;
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x)
      if (difference(labOf(one.pixelColor(x, y)), labOf(other.pixelColor(x, y))) > least)
        changed.insert(y * kWidth + x);
  return changed;
}

Lab meanOf(const QImage& image, const std::set<int>& pixels) {
  double red = 0, green = 0, blue = 0;
  const double count = static_cast<double>(pixels.size());
  for (int pixel : pixels) {
    const QColor colour = image.pixelColor(pixel % kWidth, pixel / kWidth);
    red += colour.redF() / count;
    green += colour.greenF() / count;
    blue += colour.blueF() / count;
  }
  return labOf(red, green, blue);
}

std::shared_ptr<StepRecord> recordOf(const Scene& scene) {
  auto record = std::make_shared<StepRecord>();
  for (const Body& body : scene.bodies)
    record->bodies.push_back({body.position, body.orientation, Vec3(0, 0, 0), Vec3(0, 0, 0), true});
  return record;
}

/// Surfaces alone.
ViewSettings bareSettings() {
  ViewSettings settings;
  settings.contacts = settings.forces = settings.overlaps = settings.grid = settings.scalarBar = false;
  return settings;
}

}  // namespace

/// Pictures of depths, overlaps and contacts say how deep, where, and whether in front.
class DepthPictureTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void rampGoesAwayFromGreyAndGetsDarker();
  void opacityOfAnOverlapGrowsWithEachDecade();
  void belowTheThresholdABodyHasItsOwnColourAndAboveItsColourGrowsWithDepth();
  void scaleOfTheSceneMovesTheThreshold();
  void oneContactPaintsItsPlaceOnACloth();
  void anOverlapWithoutContactIsShownSomewhere();
  void partsOfAnOverlapHaveTheirOwnDepths();
  void restingBoxKeepsItsFront();
  void overlapBehindASurfaceIsAnOutline();
  void pickedContactIsARing();
  void aContactBehindABodyIsFaint();

 private:
  void open(SceneView& view) const {
    view.resize(kWidth, kHeight);
    view.QWidget::show();
    if (!QTest::qWaitForWindowExposed(&view)) qFatal("no window");
  }
  static QImage picture(SceneView& view, const RecordPtr& record) {
    ViewFrame frame;
    frame.record = record;
    view.show(frame);
    return view.renderToImage(QSize(kWidth, kHeight));
  }
  /// Pixels in which the scene's body is seen.
  static std::set<int> pixelsOf(SceneView& view, const StepRecord& record, int body) {
    const auto without = std::make_shared<StepRecord>(record);
    without->bodies[body].active = false;
    return changedPixels(picture(view, std::make_shared<StepRecord>(record)), picture(view, without));
  }
  /// A cube of 1 m on the ground.
  std::shared_ptr<Scene> m_cube = [] {
    auto scene = test::scene({test::ground(), test::box("cube", Vec3(1, 1, 1), 1, Vec3(0, 0.5, 0))});
    scene->view.eye = Vec3(1.5, 1.5, 3);
    scene->view.target = Vec3(0, 0.5, 0);
    scene->length = 1;
    scene->size = 6;  // balls of some pixels
    return scene;
  }();
  static RecordPtr sunk(const Scene& scene, double depth) {
    auto record = recordOf(scene);
    record->bodies[1].position.y() -= depth;
    Overlap overlap;
    overlap.bodyA = 0;
    overlap.bodyB = 1;
    overlap.depth = depth;
    if (depth > 0) record->overlaps.push_back(overlap);
    return record;
  }
};

void DepthPictureTest::rampGoesAwayFromGreyAndGetsDarker() {
  const Lab grey = labOf(bodyGrey(Motion::Dynamic));
  QVERIFY(difference(labOf(depthColour(0)), grey) < 0.5);
  double before = 0, lightness = grey[0];
  for (int k = 1; k <= 100; ++k) {
    const Lab colour = labOf(depthColour(0.01 * k));
    QVERIFY2(difference(colour, grey) > before, qPrintable(QString::number(k)));
    QVERIFY2(colour[0] < lightness, qPrintable(QString::number(k)));
    before = difference(colour, grey);
    lightness = colour[0];
  }
  QVERIFY(before > 60);
}

void DepthPictureTest::opacityOfAnOverlapGrowsWithEachDecade() {
  const DepthScale scale{1e-6, 1e-2};
  QCOMPARE(overlapOpacity(scale, 1e-6), 0.0);
  double before = 0;
  for (double depth : {2e-6, 2e-5, 2e-4, 2e-3}) {
    QVERIFY(overlapOpacity(scale, depth) > before);
    before = overlapOpacity(scale, depth);
    QCOMPARE(overlapOpacity(scale, 4 * depth), before);
  }
  QVERIFY(before < 1);
}

void DepthPictureTest::belowTheThresholdABodyHasItsOwnColourAndAboveItsColourGrowsWithDepth() {
  SceneView view(m_cube);
  open(view);
  view.setSettings(bareSettings());
  SharedRanges ranges;
  ranges.depth = 0.1;
  view.setRanges(ranges);
  const auto meanAt = [&](double depth) {
    const RecordPtr record = sunk(*m_cube, depth);
    const std::set<int> pixels = pixelsOf(view, *record, 1);
    return meanOf(picture(view, record), pixels);
  };
  const Lab own = meanAt(0);
  QVERIFY(difference(meanAt(0.9e-6), own) < 3);
  double before = 0;
  for (double depth : {1e-5, 1e-4, 1e-3, 1e-2, 1e-1}) {
    const double now = difference(meanAt(depth), own);
    QVERIFY2(now > before + 0.1, qPrintable(QStringLiteral("%1 at %2").arg(now).arg(depth)));
    before = now;
  }
  QVERIFY2(before > 5, qPrintable(QString::number(before)));
}

void DepthPictureTest::scaleOfTheSceneMovesTheThreshold() {
  auto large = std::make_shared<Scene>(*m_cube);
  large->length = 1e5;
  QCOMPARE(depthThreshold(*large), 0.1);
  SceneView view(large);
  open(view);
  view.setSettings(bareSettings());
  const QImage own = picture(view, sunk(*large, 0));
  auto record = recordOf(*large);
  record->overlaps = sunk(*large, 0.05)->overlaps;
  QCOMPARE(picture(view, record), own);
}

void DepthPictureTest::oneContactPaintsItsPlaceOnACloth() {
  const auto scene = test::shipped("cloth-and-tori");
  const auto bodyWith = [&scene](bool deforms) {
    for (std::size_t body = 0; body < scene->bodies.size(); ++body)
      if (scene->bodies[body].motion == Motion::Dynamic && !scene->bodies[body].deformable == !deforms)
        return static_cast<int>(body);
    return -1;
  };
  const int cloth = bodyWith(true), torus = cloth == 0 ? 1 : 0;
  QVERIFY(cloth >= 0);
  SceneView view(scene);
  open(view);
  view.setSettings(bareSettings());
  const auto record = recordOf(*scene);
  const QImage own = picture(view, record);
  const std::set<int> pixels = pixelsOf(view, *record, cloth);
  Overlap overlap;
  overlap.bodyA = std::min(cloth, torus);
  overlap.bodyB = std::max(cloth, torus);
  overlap.depth = 0.05;
  record->overlaps.push_back(overlap);
  Contact contact;
  contact.bodyA = overlap.bodyA;
  contact.bodyB = overlap.bodyB;
  contact.gap = -0.05;
  contact.pointA = contact.pointB = scene->bodies[cloth].position;
  record->contacts.push_back(contact);
  const std::size_t changed = changedPixels(picture(view, record), own).size();
  QVERIFY(changed > 0);
  QVERIFY2(changed < 0.1 * static_cast<double>(pixels.size()),
           qPrintable(QStringLiteral("%1 of %2").arg(changed).arg(pixels.size())));
}

void DepthPictureTest::anOverlapWithoutContactIsShownSomewhere() {
  auto scene = test::scene({test::box("one", Vec3(1, 1, 1), 1, Vec3(0, 0, 0)),
                            test::box("two", Vec3(1, 1, 1), 1, Vec3(0.9, 0, 0))});
  scene->view.eye = Vec3(0, 1, 5);
  SceneView view(scene);
  open(view);
  view.setSettings(bareSettings());
  const auto record = recordOf(*scene);
  const QImage own = picture(view, record);
  Overlap overlap;
  overlap.bodyA = 0;
  overlap.bodyB = 1;
  overlap.depth = 0.1;
  record->overlaps.push_back(overlap);
  QVERIFY(!changedPixels(picture(view, record), own).empty());
}

/// Two tetrahedra, one a tenth as thick as the other: the thin one has a tenth of the depth.
void DepthPictureTest::partsOfAnOverlapHaveTheirOwnDepths() {
  const auto scene = test::scene({test::box("one", Vec3(1, 1, 1), 1, Vec3(0, 0, 0)),
                                  test::box("two", Vec3(1, 1, 1), 1, Vec3(0.9, 0, 0))});
  auto record = recordOf(*scene);
  Overlap overlap;
  overlap.bodyA = 0;
  overlap.bodyB = 1;
  overlap.depth = 0.1;
  for (double size : {0.1, 0.01}) {
    const int first = countOf(overlap.vertices);
    const Vec3 corner(0.45, size, 0);
    for (const Vec3& side : {Vec3(0, 0, 0), Vec3(size, 0, 0), Vec3(0, size, 0), Vec3(0, 0, size)})
      overlap.vertices.push_back(corner + side);
    for (const auto& [a, b, c] : {std::array<int, 3>{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}})
      overlap.triangles.push_back({first + a, first + b, first + c});
  }
  record->overlaps.push_back(overlap);
  const std::vector<BodyPlaces> places = depthPlaces(*scene, *record, 1e-6);
  QCOMPARE(places[0].places.size(), std::size_t(8));
  for (std::size_t triangle = 0; triangle < 8; ++triangle)
    QVERIFY(std::abs(places[0].places[triangle].depth / (triangle < 4 ? 0.1 : 0.01) - 1) < 1e-9);
}

/// At rest under CPF the box is a tenth of a per cent of its size in the ground.
void DepthPictureTest::restingBoxKeepsItsFront() {
  const auto scene = test::shipped("resting-box");
  PaneSettings settings;
  settings.method = "cpf";
  Simulation simulation(scene, settings, scene->dt);
  RecordPtr record;
  while (!record || record->time < 1.5) record = simulation.step();
  QVERIFY(!record->overlaps.empty() && !record->overlaps[0].triangles.empty());
  const int box = scene->bodies[0].motion == Motion::Dynamic ? 0 : 1;
  SceneView view(scene);
  open(view);
  view.setSettings(bareSettings());
  const std::set<int> front = pixelsOf(view, *record, box);
  QVERIFY(front.size() > 500);
  // Arrows and balls stand on the box in both pictures, or in the second alone.
  const auto lost = [&](bool hasArrows) {
    ViewSettings settings = bareSettings();
    settings.contacts = settings.forces = hasArrows;
    view.setSettings(settings);
    const QImage without = picture(view, record);
    settings.contacts = settings.forces = settings.overlaps = true;
    view.setSettings(settings);
    std::size_t count = 0;
    for (int pixel : changedPixels(picture(view, record), without, 3)) count += front.count(pixel);
    return static_cast<double>(count) / static_cast<double>(front.size());
  };
  QVERIFY2(lost(true) <= 0.05, qPrintable(QString::number(lost(true))));
  QVERIFY2(lost(false) <= 0.1, qPrintable(QString::number(lost(false))));
}

void DepthPictureTest::overlapBehindASurfaceIsAnOutline() {
  auto scene = test::scene({test::box("one", Vec3(1, 1, 1), 1, Vec3(0, 0, 0)),
                            test::box("two", Vec3(1, 1, 1), 1, Vec3(0.6, 0, 0))});
  scene->view.eye = Vec3(0.3, 0.5, 4);
  scene->view.target = Vec3(0.3, 0, 0);
  const auto record = recordOf(*scene);
  Overlap overlap;
  overlap.bodyA = 0;
  overlap.bodyB = 1;
  overlap.depth = 0.4;
  const auto shape = test::boxShape(Vec3(0.4, 0.8, 0.8));
  for (const Vec3& vertex : shape->surfaces[0].vertices) overlap.vertices.push_back(vertex + Vec3(0.3, 0, 0));
  for (const auto& triangle : shape->surfaces[0].triangles)
    overlap.triangles.push_back({triangle[0], triangle[1], triangle[2]});
  record->overlaps.push_back(overlap);
  SceneView view(scene);
  open(view);
  ViewSettings settings = bareSettings();
  settings.bodyColour = BodyColour::Plain;
  view.setSettings(settings);
  const QImage without = picture(view, record);
  settings.overlaps = true;
  view.setSettings(settings);
  const QImage with = picture(view, record);
  const QPointF middle = view.placeOf(Vec3(0.3, 0.1, 0.4));  // off the diagonal of its front
  const auto pixelOf = [](const QPointF& place) { return QPoint(int(place.x()), int(place.y())); };
  QVERIFY(difference(labOf(with.pixelColor(pixelOf(middle))), labOf(without.pixelColor(pixelOf(middle)))) <
          1);
  const std::size_t changed = changedPixels(with, without).size();
  QVERIFY(changed > 100);
  const double inside = std::abs(view.placeOf(Vec3(0.1, 0, 0.4)).x() - view.placeOf(Vec3(0.5, 0, 0.4)).x()) *
                        std::abs(view.placeOf(Vec3(0, 0.4, 0.4)).y() - view.placeOf(Vec3(0, -0.4, 0.4)).y());
  QVERIFY2(static_cast<double>(changed) < 0.5 * inside,
           qPrintable(QStringLiteral("%1 of %2").arg(changed).arg(inside)));
  // Where no body hides it, the volume itself is seen.
  record->bodies[0].active = record->bodies[1].active = false;
  QVERIFY(changedPixels(picture(view, record), without).size() > 0.5 * inside);
}

void DepthPictureTest::pickedContactIsARing() {
  SceneView view(m_cube);
  open(view);
  const auto record = recordOf(*m_cube);
  Contact contact;
  contact.bodyA = 0;
  contact.bodyB = 1;
  contact.normal = Vec3(0, 1, 0);
  contact.pointA = contact.pointB = Vec3(0.5, 0, 0.5);
  record->contacts.push_back(contact);
  ViewFrame frame;
  frame.record = record;
  const QSize size(400, 300);
  view.resize(size);
  view.show(frame);
  const QImage before = view.renderToImage(size);
  frame.picked = 0;
  frame.highlight = {{Vec3(0.5, 0, 0.5)}, {Vec3(-9, 0, -9), Vec3(9, 0, -9), Vec3(9, 0, 9), Vec3(-9, 0, 9)}};
  view.show(frame);
  const QImage after = view.renderToImage(size);
  const QPointF place = view.placeOf(contact.pointB);
  int changed = 0;
  double farthest = 0;
  for (int y = 0; y < size.height(); ++y)
    for (int x = 0; x < size.width(); ++x) {
      if (before.pixel(x, y) == after.pixel(x, y)) continue;
      ++changed;
      farthest = std::max(farthest, std::abs(x + 0.5 - place.x()));
    }
  QVERIFY(changed > 60);
  QVERIFY2(changed <= 0.02 * size.width() * size.height(), qPrintable(QString::number(changed)));
  QVERIFY2(farthest > 6 && farthest < 10, qPrintable(QString::number(farthest)));
  frame.picked = -1;  // a pane without this contact
  view.show(frame);
  QVERIFY(view.renderToImage(size) != before);
}

void DepthPictureTest::aContactBehindABodyIsFaint() {
  auto scene = std::make_shared<Scene>(*m_cube);
  scene->view.eye = Vec3(0, 0.5, 5);
  SceneView view(scene);
  open(view);
  ViewSettings settings = bareSettings();
  settings.contacts = true;
  view.setSettings(settings);
  const auto record = recordOf(*scene);
  const QImage without = picture(view, record);
  const auto changeAt = [&](double z) {
    Contact contact;
    contact.bodyA = 0;
    contact.bodyB = 1;
    contact.trap = true;
    contact.pointA = contact.pointB = Vec3(0.2, 0.4, z);
    record->contacts = {contact};
    const QImage with = picture(view, record);
    double largest = 0;
    for (int y = 0; y < kHeight; ++y)
      for (int x = 0; x < kWidth; ++x)
        largest =
            std::max(largest, difference(labOf(with.pixelColor(x, y)), labOf(without.pixelColor(x, y))));
    return largest;
  };
  const double before = changeAt(0.55), behind = changeAt(-0.55);
  QVERIFY2(behind > 5, qPrintable(QString::number(behind)));
  QVERIFY2(behind < 0.6 * before, qPrintable(QStringLiteral("%1 of %2").arg(behind).arg(before)));
}

TS_GUI_TEST_MAIN(DepthPictureTest)
#include "tst_depth_picture.moc"
