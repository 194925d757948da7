#include <QtTest>

#include "core/contact/dpf/dpf.h"
#include "tests/contact/method_run.h"
#include "tests/support/near.h"

using namespace touchstone;
using namespace touchstone::test;

namespace {

constexpr double kThickness = 0.01;  // m
constexpr double kStiffness = 1e4;   // N/m

/// Static square sheet of two triangles in the plane y = 0, normals up.
Body sheet(double halfWidth) {
  Body body;
  body.name = "sheet";
  body.motion = Motion::Static;
  auto shape = std::make_shared<Shape>();
  shape->kind = Shape::Kind::Mesh;
  TriangleMesh mesh;
  const double w = halfWidth;
  mesh.vertices = {Vec3(-w, 0, -w), Vec3(-w, 0, w), Vec3(w, 0, w), Vec3(w, 0, -w)};
  mesh.triangles = {{0, 1, 2}, {0, 2, 3}};
  if (!buildTopology(mesh).empty()) std::abort();
  shape->surfaces.push_back(mesh);
  shape->radius = std::sqrt(2) * halfWidth;
  body.shape = shape;
  return body;
}

MethodRun run(const Body& body, double halfWidth = 2, const ParameterValues& more = {}) {
  auto made = scene({sheet(halfWidth), body});
  made->dt = 1e-3;
  ParameterValues values = more;
  values["stiffness"] = kStiffness;
  values["thickness"] = kThickness;
  return MethodRun(made, dpf::Info::describe(), values, "none");
}

/// The whole depth pushes at once, even for a body that starts inside the shell.
ParameterValues atOnce() { return {{"max_depenetration_speed", 0.0}}; }

}  // namespace

class PenaltyOpenMeshesTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void aVertexFeelsTheShellOnBothSides_data();
  void aVertexFeelsTheShellOnBothSides();
  void edgesFeelTheShell_data();
  void edgesFeelTheShell();
  void aBoxRestsWhereTheShellCarriesItsWeight();
  void whatPassesTheMiddleIsPushedOutOnTheFarSide();
};

void PenaltyOpenMeshesTest::aVertexFeelsTheShellOnBothSides_data() {
  QTest::addColumn<double>("distance");  // distance of the four nearest corners from the sheet, along +y
  QTest::addColumn<double>("force");     // force on each, along +y
  QTest::newRow("beyond the shell") << 0.011 << 0.0;
  QTest::newRow("at its border") << 0.01 << 0.0;
  QTest::newRow("within, above") << 0.004 << 60.0;
  QTest::newRow("within, below") << -0.004 << -60.0;
  QTest::newRow("in the middle there is no direction") << 0.0 << 0.0;
}

void PenaltyOpenMeshesTest::aVertexFeelsTheShellOnBothSides() {
  QFETCH(double, distance);
  QFETCH(double, force);
  // Above, the bottom corners are nearest; below, the top corners.
  const double centre = distance >= 0 ? 0.5 + distance : distance - 0.5;
  MethodRun test = run(box("box", Vec3(1, 1, 1), 1, Vec3(0, centre, 0)), 2, atOnce());
  const Vec3 before = test.world.linearVelocity[1];
  test.step();
  const Vec3 gravity = test.world.scene->dt * test.world.scene->gravity;
  const Vec3 impulse = test.world.linearVelocity[1] - before - gravity;  // mass 1 kg
  QVERIFY_NEAR(impulse.y(), 1e-3 * 4 * force, 1e-12);
  QVERIFY_NEAR(std::hypot(impulse.x(), impulse.z()), 0, 1e-15);
  QCOMPARE(test.record.contacts.size(), std::size_t(force == 0 ? 0 : 4));
}

void PenaltyOpenMeshesTest::edgesFeelTheShell_data() {
  QTest::addColumn<double>("distance");
  QTest::addColumn<double>("force");
  QTest::newRow("beyond") << 0.0101 << 0.0;
  QTest::newRow("within") << 0.0025 << 75.0;
}

/// A box at the side of the sheet, rotated about x so that one long edge points at the border of the sheet
/// and crosses it at a right angle. Its corners are far away, its edge is not.
void PenaltyOpenMeshesTest::edgesFeelTheShell() {
  QFETCH(double, distance);
  QFETCH(double, force);
  Body bar = box("bar", Vec3(1, 1, 1), 1, Vec3::Zero());
  bar.orientation = Quaternion(Eigen::AngleAxisd(M_PI / 4, Vec3::UnitY()));  // an upright edge at −x
  bar.position = Vec3(0.25 + distance + std::sqrt(0.5), 0.1, 0);
  MethodRun test = run(bar, 0.25, atOnce());
  test.step();
  const Vec3 gravity = test.world.scene->dt * test.world.scene->gravity;
  const Vec3 impulse = test.world.linearVelocity[1] - gravity;
  QVERIFY_NEAR(impulse.x(), 1e-3 * force, 1e-12);
  QVERIFY_NEAR(std::hypot(impulse.y(), impulse.z()), 0, 1e-12);
}

void PenaltyOpenMeshesTest::aBoxRestsWhereTheShellCarriesItsWeight() {
  const double mass = 4, sink = mass * 9.81 / (4 * kStiffness);  // k δ = m g / 4 at each corner
  MethodRun test = run(box("box", Vec3(1, 1, 1), mass, Vec3(0, 0.5 + kThickness - sink, 0)));
  const double height = test.world.position[1].y();
  for (int step = 0; step < 200; ++step) test.step();
  QVERIFY_NEAR(test.world.position[1].y(), height, 1e-12);
  QVERIFY_NEAR(test.normalImpulse(), 1e-3 * mass * 9.81, 1e-11);
}

void PenaltyOpenMeshesTest::whatPassesTheMiddleIsPushedOutOnTheFarSide() {
  Body fast = box("box", Vec3(1, 1, 1), 1, Vec3(0, 0.5 + 0.004, 0));
  fast.linearVelocity = Vec3(0, -10, 0);  // 10 mm a step
  MethodRun test = run(fast);
  test.step();
  const double caught = test.world.linearVelocity[1].y();
  test.step();
  QVERIFY(caught > -10);
  QVERIFY(test.world.linearVelocity[1].y() < caught - 0.1);  // gravity alone gives 0.01 m/s
}

QTEST_APPLESS_MAIN(PenaltyOpenMeshesTest)
#include "tst_penalty_open_meshes.moc"
