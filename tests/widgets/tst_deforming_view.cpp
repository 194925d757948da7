#include <vtkCellArray.h>
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

using namespace touchstone;

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

TS_GUI_TEST_MAIN(DeformingViewTest)
#include "tst_deforming_view.moc"
