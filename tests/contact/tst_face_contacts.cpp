#include <QtTest>
#include <random>

#include "core/contact/cpf/cpf.h"
#include "core/contact/cpf/dpf_ccd.h"
#include "core/contact/dpf/dpf.h"
#include "core/contact/lcp/lcp.h"
#include "core/contact/peg/peg.h"
#include "core/geometry/convex_hull.h"
#include "tests/contact/method_run.h"
#include "tests/support/near.h"

using namespace touchstone;
using test::MethodRun;

/// Flush and parallel features: a face supports a face along its normal, under every method.
class FaceContactsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void aBoxRestsOnAFlushOne_data();
  void aBoxRestsOnAFlushOne();
  void flushCubesThatMeetHeadOnPart_data();
  void flushCubesThatMeetHeadOnPart();
  void rodsOfAnyLengthMeetEdgeOnEdge_data();
  void rodsOfAnyLengthMeetEdgeOnEdge();
  void aTowerOfFlushCubesStands_data();
  void aTowerOfFlushCubesStands();
  void aSliderFeelsNoSeamOfFlushTiles_data();
  void aSliderFeelsNoSeamOfFlushTiles();
  void twoFlushBoxesMakeFourContacts_data();
  void twoFlushBoxesMakeFourContacts();
  void aBoxThatTipsIsTakenOverByItsOwnFace_data();
  void aBoxThatTipsIsTakenOverByItsOwnFace();
  void edgesActWhereTheirFacesAreSteep_data();
  void edgesActWhereTheirFacesAreSteep();
  void theFaceWithFewerCornersCountsThem();
};

static const MethodInfo& methodOf(const QString& key) {
  static const std::vector<MethodInfo> all = {dpf::Info::describe(), dpf_ccd::Info::describe(),
                                              cpf::Info::describe(), lcp::Info::describe(),
                                              peg::Info::describe()};
  for (const MethodInfo& info : all)
    if (key == info.key.c_str()) return info;
  std::abort();
}
static bool isPenalty(const QString& method) { return method != "lcp" && !method.startsWith("peg"); }

static double energyOf(const World& world) {
  double sum = 0;
  for (std::size_t body = 0; body < world.position.size(); ++body) {
    if (!isDynamic(world, static_cast<int>(body))) continue;
    const Body& own = world.scene->bodies[body];
    const Vec3 spin = world.orientation[body].conjugate() * world.angularVelocity[body];
    const Vec3 middle = world.position[body] - 0.5 * world.scene->dt * world.linearVelocity[body];
    sum += 0.5 * own.mass * world.linearVelocity[body].squaredNorm() + 0.5 * spin.dot(own.inertia * spin) -
           own.mass * world.scene->gravity.dot(middle);
  }
  return sum;
}

/// Rotates a scene, its gravity and its velocities as a whole.
static void turn(Scene& scene, const Quaternion& by) {
  for (Body& body : scene.bodies) {
    body.position = by * body.position;
    body.orientation = (by * body.orientation).normalized();
    body.linearVelocity = by * body.linearVelocity;
    body.angularVelocity = by * body.angularVelocity;
  }
  scene.gravity = by * scene.gravity;
}

static std::vector<Quaternion> turns() {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  std::vector<Quaternion> all = {Quaternion::Identity()};
  for (int k = 0; k < 3; ++k)
    all.push_back(Quaternion(normal(random), normal(random), normal(random), normal(random)).normalized());
  return all;
}

void FaceContactsTest::aBoxRestsOnAFlushOne_data() {
  QTest::addColumn<QString>("method");
  QTest::addColumn<double>("offset");  // of rims and of the gap, in edges
  for (const char* method : {"dpf", "dpf-ccd", "cpf"})
    for (double offset : {0.0, 1e-12, -1e-12, 1e-9, -1e-9, 1e-6, -1e-6, 1e-3})
      QTest::newRow(QByteArray(method) + ", " + QByteArray::number(offset)) << method << offset;
}

/// In every orientation, and for rims and gaps that are off by as much: depth m g / 4 k, and no gain of
/// energy.
void FaceContactsTest::aBoxRestsOnAFlushOne() {
  QFETCH(QString, method);
  QFETCH(double, offset);
  constexpr double kEdge = 0.2, kMass = 8, kStiffness = 1e5;
  for (const Quaternion& by : turns())
    for (double gap : {0.0, std::abs(offset), -std::abs(offset)}) {
      if (gap < -2e-7) continue;  // an initial overlap, which is undone slowly
      auto scene = test::scene(
          {test::block("base", Vec3(kEdge, kEdge, kEdge), Vec3(0, 0, 0)),
           test::box("box", Vec3(kEdge, kEdge, kEdge), kMass, kEdge * Vec3(offset, 1 + gap, -0.7 * offset))});
      scene->dt = 1e-3;
      scene->size = 1;
      turn(*scene, by);
      MethodRun run(scene, methodOf(method), {{"stiffness", kStiffness}});
      const double start = energyOf(run.world), depth = kMass * 9.81 / (4 * kStiffness);
      double mean = 0;
      for (int step = 0; step < 800; ++step) {
        run.step();
        // The mean force carries the weight, even if the box bounces.
        if (step >= 400) mean += std::max(0.0, kEdge - (by.conjugate() * run.world.position[1]).y()) / 400;
      }
      QVERIFY_NEAR(mean, depth, 0.1 * depth);
      QVERIFY(energyOf(run.world) <= start + 1e-3 * kMass * 9.81 * kEdge);
    }
}

void FaceContactsTest::flushCubesThatMeetHeadOnPart_data() {
  QTest::addColumn<QString>("method");
  for (const char* method : {"dpf", "dpf-ccd", "cpf", "lcp", "peg"}) QTest::newRow(method) << method;
}

void FaceContactsTest::flushCubesThatMeetHeadOnPart() {
  QFETCH(QString, method);
  for (const Quaternion& by : turns()) {
    Body left = test::box("left", Vec3(0.2, 0.2, 0.2), 1, Vec3(-0.15, 0, 0)),
         right = test::box("right", Vec3(0.2, 0.2, 0.2), 4, Vec3(0.15, 0, 0));
    left.linearVelocity = Vec3(1, 0, 0);
    auto scene = test::scene({left, right});
    scene->gravity = Vec3::Zero();
    scene->dt = 2e-4;
    scene->size = 1;
    turn(*scene, by);
    ParameterValues values;
    if (isPenalty(method)) values["stiffness"] = 1e5;
    MethodRun run(scene, methodOf(method), values);
    for (int step = 0; step < 1500; ++step) run.step();
    const Vec3 a = by.conjugate() * run.world.linearVelocity[0],
               b = by.conjugate() * run.world.linearVelocity[1];
    QVERIFY_NEAR(a.x() + 4 * b.x(), 1, 1e-9);
    QVERIFY2(b.x() > 0.19, qPrintable(QString::number(b.x())));  // plastic 0.2, elastic 0.4
    QVERIFY2(b.x() - a.x() < 1.01 && b.x() - a.x() > -1e-6, qPrintable(QString::number(b.x() - a.x())));
    QVERIFY_NEAR(run.world.angularVelocity[0].norm(), 0, 1e-6);
  }
}

void FaceContactsTest::rodsOfAnyLengthMeetEdgeOnEdge_data() { flushCubesThatMeetHeadOnPart_data(); }

void FaceContactsTest::rodsOfAnyLengthMeetEdgeOnEdge() {
  QFETCH(QString, method);
  constexpr double kWidth = 0.06;
  for (const double length : {0.1, 0.3, 0.6, 2.0})
    for (const Quaternion& by : turns()) {
      Body upper = test::box("upper", Vec3(length, kWidth, kWidth), 1,
                             Vec3(0, std::sqrt(2.0) * kWidth + 1e-3, 0)),
           lower = test::box("lower", Vec3(kWidth, kWidth, length), 1, Vec3::Zero());
      upper.orientation = Quaternion(Eigen::AngleAxisd(M_PI / 4, Vec3::UnitX()));
      lower.orientation = Quaternion(Eigen::AngleAxisd(M_PI / 4, Vec3::UnitZ()));
      upper.linearVelocity = Vec3(0, -1, 0);
      auto scene = test::scene({upper, lower});
      scene->gravity = Vec3::Zero();
      scene->dt = 2e-4;
      scene->size = 1;
      turn(*scene, by);
      ParameterValues values;
      if (isPenalty(method)) values["stiffness"] = 2e5;
      MethodRun run(scene, methodOf(method), values);
      for (int step = 0; step < 100; ++step) run.step();
      const Vec3 a = by.conjugate() * run.world.linearVelocity[0],
                 b = by.conjugate() * run.world.linearVelocity[1];
      QVERIFY_NEAR(a.y() + b.y(), -1, 1e-9);
      // Plastic −½ each, elastic 0 and −1.
      QVERIFY2(b.y() < -0.49 && b.y() > -1.01, qPrintable(QString("%1: %2").arg(length).arg(b.y())));
    }
}

void FaceContactsTest::aTowerOfFlushCubesStands_data() { flushCubesThatMeetHeadOnPart_data(); }

void FaceContactsTest::aTowerOfFlushCubesStands() {
  QFETCH(QString, method);
  auto scene = test::scene({test::ground()}, 0.5);
  for (int level = 0; level < 5; ++level)
    scene->bodies.push_back(
        test::box("cube", Vec3(0.2, 0.2, 0.2), 8, Vec3(0, 0.1 + 0.2 * level + 0.002 * (level + 1), 0)));
  scene->dt = 1e-3;
  scene->size = 1;
  ParameterValues values;
  if (isPenalty(method)) values = {{"stiffness", 1e5}, {"damping", 200.0}};
  MethodRun run(scene, methodOf(method), values);
  constexpr int kSettles = 1500, kSteps = 2500;
  double height = 0;  // mean height
  for (int step = 0; step < kSteps; ++step) {
    run.step();
    if (step >= kSettles) height += run.world.position[5].y() / (kSteps - kSettles);
  }
  // Σ n m g / 4 k over the five levels below the top one's centre.
  const double sunk = isPenalty(method) ? 15 * 8 * 9.81 / 4e5 : 0;
  QVERIFY_NEAR(height, 0.9 - sunk, 1e-3);
  QVERIFY_NEAR(run.world.position[5].x(), 0, 1e-6);
  QVERIFY_NEAR(run.world.position[5].z(), 0, 1e-6);
}

void FaceContactsTest::aSliderFeelsNoSeamOfFlushTiles_data() {
  QTest::addColumn<QString>("method");
  QTest::addColumn<bool>("areOneBody");
  for (const char* method : {"dpf", "dpf-ccd", "cpf", "lcp", "peg plain", "peg relinearise", "peg exact"})
    for (bool areOneBody : {false, true})
      QTest::newRow(QByteArray(method) + (areOneBody ? ", pieces" : ", bodies")) << method << areOneBody;
}

void FaceContactsTest::aSliderFeelsNoSeamOfFlushTiles() {
  QFETCH(QString, method);
  QFETCH(bool, areOneBody);
  constexpr double kStiffness = 2e4;  // keeps its rocking within the limit of stability
  ParameterValues values;
  if (isPenalty(method)) values = {{"stiffness", kStiffness}, {"damping", 10.0}};
  if (method.startsWith("peg")) values["step"] = method.mid(4).toStdString();
  for (const Quaternion& by : turns()) {
    Body slider = test::box("slider", Vec3(0.2, 0.1, 0.15), 1, Vec3(-0.6, 0.05, 0.03));
    slider.linearVelocity = Vec3(1, 0, 0);
    auto scene = test::scene({});
    std::vector<std::pair<Vec3, Vec3>> tiles;
    for (int x = 0; x < 5; ++x)
      for (int z = 0; z < 2; ++z)
        tiles.push_back({Vec3(0.3, 0.1, 0.3), Vec3(-0.6 + 0.3 * x, -0.05, -0.15 + 0.3 * z)});
    if (areOneBody) {
      scene->bodies.push_back(test::container("floor", tiles));
    } else {
      for (const auto& [size, centre] : tiles) scene->bodies.push_back(test::block("tile", size, centre));
    }
    scene->bodies.push_back(slider);
    scene->dt = 2e-3;
    scene->size = 2;
    turn(*scene, by);
    MethodRun run(scene, methodOf(method.section(' ', 0, 0)), values);
    const std::size_t own = scene->bodies.size() - 1;
    for (int step = 0; step < 500; ++step) run.step();
    const Vec3 at = by.conjugate() * run.world.position[own],
               v = by.conjugate() * run.world.linearVelocity[own];
    const double sunk = isPenalty(method) ? 9.81 / (4 * kStiffness) : 0;
    QVERIFY_NEAR(v.x(), 1, isPenalty(method) ? 2e-3 : 1e-8);
    QVERIFY_NEAR(at.x(), 0.4, isPenalty(method) ? 2e-3 : 1e-8);
    QVERIFY_NEAR(at.y(), 0.05 - sunk, isPenalty(method) ? 2 * sunk : 1e-8);  // it still oscillates
    QVERIFY_NEAR(v.z(), 0, isPenalty(method) ? 5e-3 : 1e-8);
    QVERIFY_NEAR(run.world.angularVelocity[own].norm(), 0, isPenalty(method) ? 0.4 : 1e-7);
  }
}

void FaceContactsTest::twoFlushBoxesMakeFourContacts_data() { flushCubesThatMeetHeadOnPart_data(); }

void FaceContactsTest::twoFlushBoxesMakeFourContacts() {
  QFETCH(QString, method);
  auto scene = test::scene({test::block("base", Vec3(0.2, 0.2, 0.2), Vec3(0, -0.1, 0)),
                            test::box("box", Vec3(0.2, 0.2, 0.2), 1, Vec3(0, 0.1, 0))});
  scene->size = 1;
  MethodRun run(scene, methodOf(method));
  for (int step = 0; step < 5; ++step) run.step();
  QCOMPARE(run.record.contacts.size(), std::size_t(4));
  double sum = 0;
  for (const Contact& contact : run.record.contacts) {
    QVERIFY_NEAR((contact.normal - Vec3(0, 1, 0)).norm(), 0, 1e-9);
    sum += contact.normalImpulse;
  }
  QVERIFY(sum > 0);
}

void FaceContactsTest::aBoxThatTipsIsTakenOverByItsOwnFace_data() {
  QTest::addColumn<double>("degrees");
  QTest::addColumn<double>("share");
  QTest::addColumn<bool>("takesOver");
  QTest::newRow("nearly as deep") << 20.0 << 0.9 << false;
  QTest::newRow("less deep") << 20.0 << 0.7 << true;
  QTest::newRow("40 degrees") << 40.0 << 0.15 << true;
  QTest::newRow("55 degrees") << 55.0 << 0.15 << true;
}

/// A tilted box stands with an edge on a block, and its top carries. Then the box has moved over the rim of
/// the block, which is d deep in the bottom of the box, while its lowest edge is D below the top of the
/// block. The bottom takes over within 60° where d < 0.8 D.
void FaceContactsTest::aBoxThatTipsIsTakenOverByItsOwnFace() {
  QFETCH(double, degrees);
  QFETCH(double, share);
  QFETCH(bool, takesOver);
  constexpr double kDeep = 0.01;
  const double angle = degrees * M_PI / 180;
  const Vec3 along(std::cos(angle), -std::sin(angle), 0), up(std::sin(angle), std::cos(angle), 0);
  const Vec3 toLowest = 0.3 * along - 0.05 * up;  // edge of the box, from its centre
  Body box = test::box("box", Vec3(0.6, 0.1, 0.4), 1, Vec3(-0.5, -0.001, 0) - toLowest);
  box.orientation = Quaternion(Eigen::AngleAxisd(-angle, Vec3::UnitZ()));
  auto scene = test::scene({test::block("base", Vec3(2, 1, 1), Vec3(-1, -0.5, 0)), box});
  scene->dt = 1e-3;
  scene->size = 1;
  scene->gravity = Vec3::Zero();
  MethodRun run(scene, methodOf("cpf"),
                {{"stiffness", 1e3}, {"max_depenetration_speed", 0.0}, {"rebound", std::string("all")}});
  run.step();
  QVERIFY(!run.record.contacts.empty());
  for (const Contact& contact : run.record.contacts)
    QVERIFY_NEAR((contact.normal - Vec3(0, 1, 0)).norm(), 0, 1e-6);
  // D = d cos α + r sin α, r from the foot of the rim to the lowest edge
  const double reach = kDeep * (1 / share - std::cos(angle)) / std::sin(angle);
  run.world.position[1] = -kDeep * up + reach * along - toLowest;
  run.world.orientation[1] = box.orientation;
  run.world.linearVelocity[1] = run.world.angularVelocity[1] = Vec3::Zero();
  run.step();
  QVERIFY(!run.record.contacts.empty());
  for (const Contact& contact : run.record.contacts)
    QVERIFY_NEAR((contact.normal - (takesOver ? up : Vec3(0, 1, 0))).norm(), 0, 1e-3);
}

void FaceContactsTest::edgesActWhereTheirFacesAreSteep_data() {
  QTest::addColumn<double>("degrees");
  QTest::addColumn<bool>("areEdges");
  QTest::newRow("23 degrees") << 23.0 << false;
  QTest::newRow("28 degrees") << 28.0 << true;
}

/// Two rods meet at right angles, edge on edge. The normals of the faces next to the edges are as many
/// degrees off the common normal: up to arccos 0.9 = 25.8° a face acts for the edges.
void FaceContactsTest::edgesActWhereTheirFacesAreSteep() {
  QFETCH(double, degrees);
  QFETCH(bool, areEdges);
  const double angle = degrees * M_PI / 180;
  const double height = 0.1 * (std::cos(angle) + std::sin(angle)) - 1e-3;
  Body below = test::block("below", Vec3(0.1, 0.1, 1), Vec3(0, 0, 0));
  below.orientation = Quaternion(Eigen::AngleAxisd(angle, Vec3::UnitZ()));
  Body above = test::box("above", Vec3(1, 0.1, 0.1), 1, Vec3(0, height, 0));
  above.orientation = Quaternion(Eigen::AngleAxisd(angle, Vec3::UnitX()));
  auto scene = test::scene({below, above});
  scene->dt = 1e-3;
  scene->size = 1;
  scene->gravity = Vec3::Zero();
  for (const char* method : {"dpf", "cpf"}) {
    MethodRun run(scene, methodOf(method), {{"stiffness", 1e3}, {"max_depenetration_speed", 0.0}});
    run.step();
    QVERIFY(!run.record.contacts.empty());
    for (const Contact& contact : run.record.contacts)
      QVERIFY_NEAR(contact.normal.y(), areEdges ? 1 : std::cos(angle), 1e-3);
  }
}

/// A triangle on a rectangle and a rectangle on a triangle: the springs of three corners, 3 k.
void FaceContactsTest::theFaceWithFewerCornersCountsThem() {
  constexpr double kStiffness = 1e3;
  Polytope prism;
  std::vector<Vec3> points;
  for (const double y : {-0.05, 0.05})
    for (const double angle : {0.1, 2.3, 4.2})
      points.emplace_back(0.1 * std::cos(angle), y, 0.1 * std::sin(angle));
  QVERIFY(convexHull(points, prism).empty());
  auto shape = std::make_shared<Shape>();
  shape->pieces.push_back(prism);
  shape->surfaces.push_back(triangulated(prism));
  shape->radius = 0.12;
  for (const bool isPrismBelow : {false, true}) {
    Body below = test::block("below", Vec3(1, 0.1, 1), Vec3(0, 0, 0)),
         above = test::box("above", Vec3(1, 0.1, 1), 1, Vec3(0, 0.1 - 1e-4, 0));
    (isPrismBelow ? below : above).shape = shape;
    auto scene = test::scene({below, above});
    scene->dt = 1e-3;
    scene->size = 1;
    scene->gravity = Vec3::Zero();
    for (const char* method : {"dpf", "cpf"}) {
      MethodRun run(scene, methodOf(method), {{"stiffness", kStiffness}, {"max_depenetration_speed", 0.0}});
      run.step();
      double sum = 0;
      for (const Contact& contact : run.record.contacts) sum += contact.stiffness;
      QVERIFY_NEAR(sum, 3 * kStiffness, 1e-9 * kStiffness);
    }
  }
}

QTEST_APPLESS_MAIN(FaceContactsTest)
#include "tst_face_contacts.moc"
