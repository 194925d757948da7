#include <QtTest>
#include <cmath>

#include "core/robot/scene_readers.h"
#include "core/run/simulation.h"
#include "tests/scene/scene_folder.h"
#include "tests/support/near.h"

using namespace touchstone;

/// A body whose centre of mass is given moves about that point and not about the middle of its shape.
class CentreOfMassTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void aFreeBodySpinsAboutIt();
  void aHungRodSwingsWithTheAnalyticPeriod();
  void aBoxTipsWhereItsCentreLeavesTheEdge_data();
  void aBoxTipsWhereItsCentreLeavesTheEdge();

 private:
  test::SceneFolder m_folder;
};

void CentreOfMassTest::aFreeBodySpinsAboutIt() {
  const auto scene = m_folder.load(
      R"({"name": "b", "mass": 2, "centre_of_mass": [0.2, 0.1, 0], "velocity": [1, 2, 0],
          "angular_velocity": [0, 0, 3], "shape": {"type": "box", "size": [1, 1, 1]}})",
      R"("gravity": [0, 0, 0], )");
  Simulation simulation(scene, PaneSettings(), 0.01);
  for (int frame = 0; frame < 100; ++frame) simulation.step();
  const BodyState& end = simulation.current()->bodies[0];
  // By hand: the centre of mass, which starts at (0.2, 0.1, 0), goes straight on; the middle of the box turns
  // about it by 3 rad. The principal axis e₃ keeps its direction.
  const Vec3 centre = Vec3(0.2, 0.1, 0) + Vec3(1, 2, 0);
  const Vec3 arm(-(0.2 * std::cos(3) - 0.1 * std::sin(3)), -(0.2 * std::sin(3) + 0.1 * std::cos(3)), 0);
  QVERIFY_NEAR((end.position - centre).norm(), 0, 1e-12);
  QVERIFY_NEAR((end.position - end.orientation * scene->bodies[0].centre - (centre + arm)).norm(), 0, 1e-9);
}

void CentreOfMassTest::aHungRodSwingsWithTheAnalyticPeriod() {
  // A rod of 1 m and 2 kg, hung at its upper end; its centre of mass 0.2 m below its middle, so l = 0.7 m.
  // About that point I = m (1 + 0.01)/12 + m 0.2², and T = 2π √((I + m l²)/(m g l)) (1 + φ²/16).
  constexpr double kAngle = 0.02, kMass = 2, kArm = 0.7, kGravity = 9.81;
  const auto scene = m_folder.write("rod.json", test::SceneFolder::withBodies(
                                                    R"({"name": "rod", "mass": 2,
          "centre_of_mass": [0, -0.2, 0], "position": [0.009999333346667, -0.499900006666578, 0],
          "orientation": {"axis": [0, 0, 1], "angle_deg": 1.1459155902616465},
          "shape": {"type": "box", "size": [0.1, 1, 0.1]}}], "joints": [
         {"name": "hinge", "type": "revolute", "body_b": "rod", "position": [0, 0, 0], "axis": [0, 0, 1]})"));
  const double inertia = kMass * (1.01 / 12 + 0.04);
  const double period = 2 * M_PI * std::sqrt((inertia + kMass * kArm * kArm) / (kMass * kGravity * kArm)) *
                        (1 + kAngle * kAngle / 16);
  PaneSettings pane;
  pane.method = "lcp";
  Simulation simulation(loadScene(scene), pane, 0.0005);
  std::vector<double> crossings;  // times at which it hangs straight [s], by linear interpolation
  double before = kAngle;
  while (crossings.size() < 5 && simulation.current()->time < 10) {
    simulation.step();
    const Vec3 at = simulation.current()->bodies[0].position;
    const double angle = std::atan2(at.x(), -at.y()), time = simulation.current()->time;
    if (angle * before < 0) crossings.push_back(time - 0.0005 * angle / (angle - before));
    before = angle;
  }
  QCOMPARE(crossings.size(), std::size_t(5));
  // A symplectic step of h changes the period by (ω h)²/24 ≈ 1e-7.
  QVERIFY_NEAR(0.5 * (crossings[4] - crossings[0]), period, 1e-4 * period);
}

void CentreOfMassTest::aBoxTipsWhereItsCentreLeavesTheEdge_data() {
  QTest::addColumn<QByteArray>("centre");
  QTest::addColumn<bool>("tips");
  // On a plate that ends below the box at x = 0.1 m; the middle of the box is at x = 0.
  QTest::newRow("above the plate") << QByteArray("[0.08, 0, 0]") << false;
  QTest::newRow("beyond its end") << QByteArray("[0.12, 0, 0]") << true;
}

void CentreOfMassTest::aBoxTipsWhereItsCentreLeavesTheEdge() {
  QFETCH(QByteArray, centre);
  QFETCH(bool, tips);
  const auto scene = m_folder.load(
      R"({"name": "plate", "motion": "static", "position": [-0.4, -0.5, 0], "material": "m",
          "shape": {"type": "box", "size": [1, 1, 2]}},
         {"name": "b", "mass": 2, "material": "m", "position": [0, 0.25, 0], "centre_of_mass": )" +
          centre + R"(, "shape": {"type": "box", "size": [0.5, 0.5, 0.5]}})",
      R"("materials": [{"name": "m", "friction": 0.8}], )");
  PaneSettings pane;
  pane.method = "lcp";
  Simulation simulation(scene, pane, 0.01);
  for (int frame = 0; frame < 100; ++frame) simulation.step();
  const BodyState& end = simulation.current()->bodies[1];
  const double turn = 2 * std::acos(std::min(1.0, std::abs(end.orientation.w())));
  QVERIFY2(tips ? turn > 0.2 : turn < 1e-6, qPrintable(QString::number(turn)));
}

QTEST_APPLESS_MAIN(CentreOfMassTest)
#include "tst_centre_of_mass.moc"
