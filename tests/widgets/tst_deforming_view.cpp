#include <vtkCellArray.h>
#include <vtkCellData.h>
#include <vtkDataArray.h>
#include <vtkPointData.h>

#include <set>

#include "core/record/deformation.h"
#include "core/record/placed_surface.h"
#include "tests/support/deformables.h"
#include "tests/support/gui_main.h"
#include "tests/support/near.h"
#include "tests/support/scenes.h"
#include "widgets/palette.h"
#include "widgets/views/deforming_surface.h"
#include "widgets/views/scene_view.h"
#include "widgets/views/section.h"

using namespace touchstone;

Q_DECLARE_METATYPE(touchstone::Section)

/// How bodies that deform are drawn.
class DeformingViewTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void drawnSurfaceFollowsTheVertices();
  void normalsAreApartAtSharpEdgesOnly();
  void normalsTurnWithTheSurface();
  void valuesGoToEachDrawnVertex();
  void aDeformedBodyIsDrawnElsewhere();
  void colourIsThatOfTheChangeOfVolume_data();
  void colourIsThatOfTheChangeOfVolume();
  void sharedRangeSetsTheColour();
  void pressureColoursWhatIsTouched();
  void aDeformedBodyIsPickedWhereItIs();
  void wireframeAndGhostAreDrawn();
  void anOpenSurfaceIsLitOnBothSides();
  void aSectionLiesInTheScene();
  void aCutHasTheAreaOfTheCrossSection_data();
  void aCutHasTheAreaOfTheCrossSection();
  void aCutHasTheValuesOfItsTetrahedra();
  void aSectionShowsTheInside();
  void aSectionOpensRigidBodies();

 private:
  /// Bar of 0.6 m along x, seen from the front.
  std::shared_ptr<Scene> m_scene = [] {
    auto scene = test::scene({test::elasticBar("bar", {6, 2, 2}, 0.1, Vec3(0, 0, 0))});
    scene->size = 0.7;
    scene->view.eye = Vec3(0, 0, 3);
    scene->view.target = Vec3(0, 0, 0);
    return scene;
  }();
  RecordPtr stretched(double along, double across, const Vec3& shift = Vec3(0, 0, 0)) const {
    return test::recordOf(*m_scene, [&](const Vec3& X) {
      return Vec3(Vec3(along * X.x(), across * X.y(), across * X.z()) + shift);
    });
  }
  void open(SceneView& view) const {
    view.resize(400, 300);
    view.QWidget::show();
    if (!QTest::qWaitForWindowExposed(&view)) qFatal("no window");
  }
};

static void show(SceneView& view, const RecordPtr& record, const RecordPtr& reference = nullptr) {
  ViewFrame frame;
  frame.record = record;
  frame.reference = reference;
  view.show(frame);
}

static Vec3 pointOf(vtkPolyData* data, vtkIdType point) {
  return Eigen::Map<const Eigen::Vector3d>(data->GetPoint(point));
}

void DeformingViewTest::drawnSurfaceFollowsTheVertices() {
  const TriangleMesh& mesh = m_scene->bodies[0].shape->surfaces[0];
  DeformingSurface drawn(mesh);
  const std::vector<Vec3> moved = placedSurface(*m_scene, *stretched(2, 0.5, Vec3(1, 2, 3)), 0, 0);
  drawn.place(moved);
  QCOMPARE(drawn.surface()->GetNumberOfCells(), static_cast<vtkIdType>(mesh.triangles.size()));
  vtkNew<vtkIdList> corners;
  for (std::size_t triangle = 0; triangle < mesh.triangles.size(); ++triangle) {
    drawn.surface()->GetCellPoints(static_cast<vtkIdType>(triangle), corners);
    for (std::size_t corner = 0; corner < 3; ++corner)
      QVERIFY_NEAR((pointOf(drawn.surface(), corners->GetId(static_cast<vtkIdType>(corner))) -
                    moved[mesh.triangles[triangle][corner]])
                       .norm(),
                   0, 1e-6);  // points of VTK have single precision
  }
  double bounds[6];
  drawn.surface()->GetBounds(bounds);
  QVERIFY_NEAR(bounds[1] - bounds[0], 1.2, 1e-6);
  drawn.edges()->GetBounds(bounds);
  QVERIFY_NEAR(bounds[1] - bounds[0], 1.2, 1e-6);
}

/// A bar has flat sides: normals are along the axes, and each corner of it is drawn three times.
void DeformingViewTest::normalsAreApartAtSharpEdgesOnly() {
  const TriangleMesh& mesh = m_scene->bodies[0].shape->surfaces[0];
  const DeformingSurface drawn(mesh);
  const int corners = 8, ofEdges = 4 * (5 + 1 + 1);
  QCOMPARE(drawn.surface()->GetNumberOfPoints(),
           static_cast<vtkIdType>(mesh.vertices.size()) + 2 * corners + ofEdges);
  QCOMPARE(drawn.edges()->GetNumberOfCells(), vtkIdType(4 * (6 + 2 + 2)));
  vtkDataArray* normals = drawn.surface()->GetPointData()->GetNormals();
  for (vtkIdType point = 0; point < normals->GetNumberOfTuples(); ++point) {
    const Vec3 normal = Eigen::Map<const Eigen::Vector3d>(normals->GetTuple3(point));
    QVERIFY_NEAR(normal.cwiseAbs().maxCoeff(), 1, 1e-6);
    QVERIFY(normal.dot(pointOf(drawn.surface(), point)) > 0);
  }
}

void DeformingViewTest::normalsTurnWithTheSurface() {
  DeformingSurface drawn(m_scene->bodies[0].shape->surfaces[0]);
  const double slope = 0.5;  // sheared: y grows with x
  const RecordPtr record =
      test::recordOf(*m_scene, [slope](const Vec3& X) { return Vec3(X.x(), X.y() + slope * X.x(), X.z()); });
  drawn.place(placedSurface(*m_scene, *record, 0, 0));
  const Vec3 top = Vec3(-slope, 1, 0).normalized();
  vtkDataArray* normals = drawn.surface()->GetPointData()->GetNormals();
  int found = 0;
  for (vtkIdType point = 0; point < normals->GetNumberOfTuples(); ++point)
    found += (Vec3(Eigen::Map<const Eigen::Vector3d>(normals->GetTuple3(point))) - top).norm() < 1e-6;
  QCOMPARE(found, 7 * 3);
}

void DeformingViewTest::valuesGoToEachDrawnVertex() {
  const TriangleMesh& mesh = m_scene->bodies[0].shape->surfaces[0];
  DeformingSurface drawn(mesh);
  std::vector<double> values;
  for (const Vec3& vertex : mesh.vertices) values.push_back(vertex.x() + 10 * vertex.y());
  drawn.setValues(values);
  vtkDataArray* scalars = drawn.surface()->GetPointData()->GetScalars();
  QVERIFY(scalars);
  for (vtkIdType point = 0; point < drawn.surface()->GetNumberOfPoints(); ++point) {
    const Vec3 place = pointOf(drawn.surface(), point);
    QVERIFY_NEAR(scalars->GetTuple1(point), place.x() + 10 * place.y(), 1e-6);
  }
}

void DeformingViewTest::aDeformedBodyIsDrawnElsewhere() {
  SceneView view(m_scene);
  open(view);
  show(view, stretched(1, 1));
  const QImage rest = view.renderToImage(QSize(200, 150));
  show(view, nullptr);
  QCOMPARE(view.renderToImage(QSize(200, 150)), rest);
  show(view, stretched(1.5, 0.8));
  QVERIFY(view.renderToImage(QSize(200, 150)) != rest);
  show(view, stretched(1, 1));
  QCOMPARE(view.renderToImage(QSize(200, 150)), rest);
}

static QColor middleOf(SceneView& view) {
  return view.renderToImage(QSize(200, 150)).pixelColor(103, 78);  // beside the edges of triangles
}

void DeformingViewTest::colourIsThatOfTheChangeOfVolume_data() {
  QTest::addColumn<double>("along");
  QTest::addColumn<int>("redMinusBlue");
  QTest::newRow("pulled") << 1.2 << 1;
  QTest::newRow("compressed") << 0.8 << -1;
  QTest::newRow("at rest") << 1.0 << 0;
}

void DeformingViewTest::colourIsThatOfTheChangeOfVolume() {
  QFETCH(double, along);
  QFETCH(int, redMinusBlue);
  SceneView view(m_scene);
  open(view);
  ViewSettings settings;
  settings.deformation = DeformationColour::Volume;
  view.setSettings(settings);
  show(view, stretched(along, 1));
  const QColor colour = middleOf(view);
  const int difference = colour.red() - colour.blue();
  if (redMinusBlue == 0) {
    QVERIFY2(std::abs(difference) < 6, qPrintable(colour.name()));
  } else {
    QVERIFY2(redMinusBlue * difference > 60, qPrintable(colour.name()));
  }
}

void DeformingViewTest::sharedRangeSetsTheColour() {
  SceneView view(m_scene);
  open(view);
  ViewSettings settings;
  settings.deformation = DeformationColour::Strain;
  view.setSettings(settings);
  const RecordPtr record = stretched(1.1, 1);
  SharedRanges ranges;
  ranges.strain = 0.1;
  view.setRanges(ranges);
  show(view, record);
  const QColor full = middleOf(view);  // red
  ranges.strain = 1;
  view.setRanges(ranges);
  show(view, record);
  const QColor small = middleOf(view);  // nearly grey
  QVERIFY2(full.green() + 80 < small.green(), qPrintable(full.name() + ' ' + small.name()));
}

/// The vertex in the middle of the front of the bar is pressed.
void DeformingViewTest::pressureColoursWhatIsTouched() {
  SceneView view(m_scene);
  open(view);
  ViewSettings settings;
  settings.deformation = DeformationColour::Pressure;
  settings.contacts = settings.forces = false;
  view.setSettings(settings);
  StepRecord record = *stretched(1, 1);
  const std::vector<Vec3> places = placedSurface(*m_scene, record, 0, 0);
  Contact contact;
  contact.kind = FeaturePairKind::VertexPlane;
  contact.bodyA = contact.bodyB = 0;
  contact.featureA = contact.featureB =
      static_cast<int>(std::min_element(places.begin(), places.end(),
                                        [](const Vec3& a, const Vec3& b) {
                                          return (a - Vec3(0, 0, 0.1)).norm() < (b - Vec3(0, 0, 0.1)).norm();
                                        }) -
                       places.begin());
  contact.normalImpulse = 1;
  show(view, std::make_shared<StepRecord>(record));
  const QColor free = middleOf(view);
  record.contacts = {contact};
  show(view, std::make_shared<StepRecord>(record));
  const QColor pressed = middleOf(view);
  QVERIFY2(free.green() > pressed.green() + 60 && pressed.red() > pressed.blue() + 60,
           qPrintable(free.name() + ' ' + pressed.name()));
  SharedRanges ranges;
  ranges.pressure = 1e9;
  view.setRanges(ranges);
  show(view, std::make_shared<StepRecord>(record));
  QVERIFY(middleOf(view).green() > pressed.green() + 60);  // the scale is that of all panes
}

void DeformingViewTest::aDeformedBodyIsPickedWhereItIs() {
  SceneView view(m_scene);
  open(view);
  const QPoint middle(200, 150);
  show(view, stretched(1, 1));
  QCOMPARE(view.bodyAt(middle), 0);
  show(view, stretched(1, 1, Vec3(0, 0.5, 0)));
  QCOMPARE(view.bodyAt(middle), -1);
  show(view, stretched(1, 3));
  Vec3 point;
  QCOMPARE(view.bodyAt(middle, &point), 0);
  QVERIFY_NEAR(point.z(), 0.3, 1e-3);
}

void DeformingViewTest::wireframeAndGhostAreDrawn() {
  SceneView view(m_scene);
  open(view);
  show(view, stretched(1.2, 1), stretched(1.2, 1));
  const QImage solid = view.renderToImage(QSize(200, 150));
  ViewSettings settings;
  settings.ghost = true;
  view.setSettings(settings);
  QCOMPARE(view.renderToImage(QSize(200, 140)).isNull(), false);
  show(view, stretched(1.2, 1), stretched(0.8, 1.4));
  QVERIFY(view.renderToImage(QSize(200, 150)) != solid);
  settings.ghost = false;
  settings.wireframe = true;
  view.setSettings(settings);
  show(view, stretched(1.2, 1));
  QVERIFY(view.renderToImage(QSize(200, 150)) != solid);
}

/// A sheet, seen from the side of its normals and from the other.
void DeformingViewTest::anOpenSurfaceIsLitOnBothSides() {
  Body sheet;
  sheet.name = "sheet";
  auto cloth = std::make_shared<Deformable>();
  auto shape = std::make_shared<Shape>();
  shape->kind = Shape::Kind::Mesh;
  TriangleMesh& mesh = shape->surfaces.emplace_back();
  mesh.vertices = {Vec3(-1, -1, 0), Vec3(1, -1, 0), Vec3(1, 1, 0), Vec3(-1, 1, 0)};
  mesh.triangles = {{0, 1, 2}, {0, 2, 3}};
  QCOMPARE(buildTopology(mesh), std::string());
  shape->radius = 1.5;
  cloth->rest = mesh.vertices;
  cloth->mass.assign(4, 1);
  for (int particle = 0; particle < 4; ++particle) {
    cloth->surface.emplace_back().particles[0] = particle;
    cloth->surface.back().weights[0] = 1;
  }
  sheet.shape = shape;
  sheet.deformable = cloth;
  const auto scene = test::scene({sheet});
  scene->size = 3;
  scene->view.target = Vec3(0, 0, 0);
  QColor seen[2];
  for (int side = 0; side < 2; ++side) {
    scene->view.eye = Vec3(0, 0, side == 0 ? 6 : -6);
    SceneView view(scene);
    open(view);
    show(view, test::recordOf(*scene, [](const Vec3& X) { return X; }));
    seen[side] = middleOf(view);
  }
  QVERIFY2(std::abs(seen[0].lightness() - seen[1].lightness()) < 4,
           qPrintable(seen[0].name() + ' ' + seen[1].name()));
  QVERIFY(seen[0].lightness() > 100);
}

/// The bar is 0.6 m × 0.2 m × 0.2 m about the origin and seen from z > 0.
void DeformingViewTest::aSectionLiesInTheScene() {
  const SectionPlane middle = sectionPlane(*m_scene, Section::Z, 0);
  QVERIFY(middle.origin.norm() < 1e-12);
  QVERIFY(middle.normal == Vec3(0, 0, -1));
  QVERIFY_NEAR(sectionPlane(*m_scene, Section::Z, 0.5).origin.z(), 0.05, 1e-12);
  QVERIFY_NEAR(sectionPlane(*m_scene, Section::X, -1).origin.x(), -0.3, 1e-12);
  auto behind = std::make_shared<Scene>(*m_scene);
  behind->view.eye = Vec3(0, 0, -3);
  QVERIFY(sectionPlane(*behind, Section::Z, 0).normal == Vec3(0, 0, 1));
}

static double areaOf(vtkPolyData* data) {
  double area = 0;
  vtkNew<vtkIdList> corners;
  for (vtkIdType cell = 0; cell < data->GetNumberOfCells(); ++cell) {
    data->GetCellPoints(cell, corners);
    for (vtkIdType corner = 2; corner < corners->GetNumberOfIds(); ++corner) {
      const Vec3 a = pointOf(data, corners->GetId(0));
      area += 0.5 * (pointOf(data, corners->GetId(corner - 1)) - a)
                        .cross(pointOf(data, corners->GetId(corner)) - a)
                        .norm();
    }
  }
  return area;
}

void DeformingViewTest::aCutHasTheAreaOfTheCrossSection_data() {
  QTest::addColumn<Section>("section");
  QTest::addColumn<double>("offset");
  QTest::addColumn<double>("area");  // of the bar, stretched to 0.72 m × 0.1 m × 0.1 m
  QTest::newRow("x") << Section::X << 0.07 << 0.01;
  QTest::newRow("x, in the corners of elements") << Section::X << 0.0 << 0.01;
  QTest::newRow("y") << Section::Y << 0.11 << 0.072;
  QTest::newRow("z") << Section::Z << -0.2 << 0.072;
  QTest::newRow("z, in the corners of elements") << Section::Z << 0.0 << 0.072;
  QTest::newRow("beside the bar") << Section::Y << 0.9 << 0.0;
}

void DeformingViewTest::aCutHasTheAreaOfTheCrossSection() {
  QFETCH(Section, section);
  QFETCH(double, offset);
  QFETCH(double, area);
  const RecordPtr record = stretched(1.2, 0.5);
  const auto cut = cutTetrahedra(*m_scene->bodies[0].deformable, placedParticles(*m_scene, *record, 0),
                                 sectionPlane(*m_scene, section, offset), {});
  QVERIFY_NEAR(areaOf(cut), area, 1e-7);  // points of VTK have single precision
  QVERIFY(!cut->GetCellData()->GetScalars());
}

void DeformingViewTest::aCutHasTheValuesOfItsTetrahedra() {
  const Deformable& bar = *m_scene->bodies[0].deformable;
  const std::vector<Vec3> particles = placedParticles(*m_scene, StepRecord(), 0);
  std::vector<double> left;  // 1 for tetrahedra left of the middle
  for (const auto& tetrahedron : bar.tetrahedra) {
    double x = 0;
    for (int corner : tetrahedron) x += particles[corner].x();
    left.push_back(x < 0);
  }
  const auto cut = cutTetrahedra(bar, particles, sectionPlane(*m_scene, Section::Y, 0.1), left);
  vtkDataArray* values = cut->GetCellData()->GetScalars();
  QVERIFY(values && values->GetNumberOfTuples() == cut->GetNumberOfCells());
  vtkNew<vtkIdList> corners;
  for (vtkIdType cell = 0; cell < cut->GetNumberOfCells(); ++cell) {
    cut->GetCellPoints(cell, corners);
    double x = 0;
    for (vtkIdType corner = 0; corner < corners->GetNumberOfIds(); ++corner)
      x += pointOf(cut, corners->GetId(corner)).x();
    QCOMPARE(values->GetTuple1(cell), x < 0 ? 1.0 : 0.0);
  }
}

void DeformingViewTest::aSectionShowsTheInside() {
  SceneView view(m_scene);
  open(view);
  ViewSettings settings;
  settings.deformation = DeformationColour::Volume;
  view.setSettings(settings);
  show(view, stretched(1.2, 1));
  const QImage whole = view.renderToImage(QSize(200, 150));
  const QPoint middle(203, 153);
  Vec3 point;
  QCOMPARE(view.bodyAt(middle, &point), 0);
  QVERIFY_NEAR(point.z(), 0.1, 1e-3);
  settings.section = Section::Z;
  view.setSettings(settings);
  QVERIFY(view.renderToImage(QSize(200, 150)) != whole);
  QCOMPARE(view.bodyAt(middle, &point), 0);
  QVERIFY_NEAR(point.z(), 0, 1e-3);
  const QColor inside = middleOf(view);
  QVERIFY2(inside.red() - inside.blue() > 60, qPrintable(inside.name()));
  settings.sectionOffset = -0.5;
  view.setSettings(settings);
  QCOMPARE(view.bodyAt(middle, &point), 0);
  QVERIFY_NEAR(point.z(), -0.05, 1e-3);
  settings.section = Section::Off;
  view.setSettings(settings);
  QCOMPARE(view.renderToImage(QSize(200, 150)), whole);
}

/// A box of 0.4 m: the ray meets the inner side of its far face.
void DeformingViewTest::aSectionOpensRigidBodies() {
  const auto scene = test::scene({test::box("box", Vec3(0.4, 0.4, 0.4), 1, Vec3(0, 0, 0))});
  scene->size = 0.7;
  scene->view.eye = Vec3(0, 0, 3);
  scene->view.target = Vec3(0, 0, 0);
  SceneView view(scene);
  open(view);
  show(view, nullptr);
  const QPoint middle(205, 153);
  Vec3 point;
  QCOMPARE(view.bodyAt(middle, &point), 0);
  QVERIFY_NEAR(point.z(), 0.2, 1e-3);
  const QImage whole = view.renderToImage(QSize(200, 150));
  ViewSettings settings;
  settings.section = Section::Z;
  view.setSettings(settings);
  QVERIFY(view.renderToImage(QSize(200, 150)) != whole);
  QCOMPARE(view.bodyAt(middle, &point), 0);
  QVERIFY_NEAR(point.z(), -0.2, 1e-3);
}

TS_GUI_TEST_MAIN(DeformingViewTest)
#include "tst_deforming_view.moc"
