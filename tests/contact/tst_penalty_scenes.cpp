#include <QtTest>

#include "core/run/simulation.h"
#include "tests/support/near.h"
#include "tests/support/scenes.h"

using namespace touchstone;

/// Small scenes with a known result: contacts, forces and depths of the penalty methods on meshes.
class PenaltyScenesTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void crossedPlanksRestOnFourEdgePairs_data();
  void crossedPlanksRestOnFourEdgePairs();
  void aBoxRestsAtTheDepthOfItsMethod_data();
  void aBoxRestsAtTheDepthOfItsMethod();
  void aThinPlateStopsAFastBoxUnderCpfOnly_data();
  void aThinPlateStopsAFastBoxUnderCpfOnly();
};

static Body fixedBox(const Vec3& size, const Vec3& position) {
  Body body = test::box("plate", size, 1, position);
  body.motion = Motion::Static;
  body.mass = 0;
  return body;
}

static Simulation simulation(std::shared_ptr<Scene> scene, const QString& method, double stiffness,
                             double dt) {
  PaneSettings settings;
  settings.method = method.section(' ', 0, 0).toStdString();
  settings.parameters["stiffness"] = stiffness;
  if (method.contains("end")) settings.parameters["evaluate"] = std::string("end");
  return Simulation(scene, settings, dt);
}

void PenaltyScenesTest::crossedPlanksRestOnFourEdgePairs_data() {
  QTest::addColumn<QString>("method");
  QTest::newRow("cpf") << "cpf";
  QTest::newRow("dpf at the end of the step") << "dpf end";
}

void PenaltyScenesTest::crossedPlanksRestOnFourEdgePairs() {
  QFETCH(QString, method);
  Body plank = test::box("plank", Vec3(0.6, 0.1, 0.1), 1, Vec3(0, 0.11, 0));
  plank.orientation = Quaternion(Eigen::AngleAxisd(0.17, Eigen::Vector3d::UnitY()));
  Simulation pane =
      simulation(test::scene({fixedBox(Vec3(0.1, 0.1, 2), Vec3::Zero()), plank}), method, 5e3, 4e-3);
  for (int frame = 0; frame < 600; ++frame) pane.step();
  const StepRecord& record = *pane.current();
  QCOMPARE(record.contacts.size(), std::size_t(4));
  for (const Contact& contact : record.contacts) QVERIFY(contact.kind == FeaturePairKind::EdgeEdge);
  QVERIFY_NEAR(record.quantities[Quantity::NormalForce], 9.81, 0.02);
}

void PenaltyScenesTest::aBoxRestsAtTheDepthOfItsMethod_data() {
  QTest::addColumn<QString>("method");
  QTest::addColumn<double>("theta");  // the force is that at x + θ h v*: Tang 2012, supplement C
  QTest::newRow("cpf") << "cpf" << 0.5;
  QTest::newRow("dpf at the end of the step") << "dpf end" << 1.0;
}

void PenaltyScenesTest::aBoxRestsAtTheDepthOfItsMethod() {
  QFETCH(QString, method);
  QFETCH(double, theta);
  const double k = 5e3, dt = 4e-3, sigma = 4 * k * dt * dt;
  Simulation pane =
      simulation(test::scene({test::ground(), test::box("box", Vec3(0.2, 0.1, 0.3), 1, Vec3(0, 0.055, 0))}),
                 method, k, dt);
  for (int frame = 0; frame < 1500; ++frame) pane.step();
  // Four corners carry m g with k each; the predicted path contains h g, so the rest depth is (1 − θσ) m g /
  // 4k.
  QVERIFY_NEAR(0.05 - pane.current()->bodies[1].position.y(), (1 - theta * sigma) * 9.81 / (4 * k), 1e-9);
  QVERIFY_NEAR(pane.current()->quantities[Quantity::NormalForce], 9.81, 1e-6);
}

void PenaltyScenesTest::aThinPlateStopsAFastBoxUnderCpfOnly_data() {
  QTest::addColumn<QString>("method");
  QTest::addColumn<bool>("stops");
  QTest::newRow("cpf") << "cpf" << true;
  QTest::newRow("dpf") << "dpf" << false;
}

void PenaltyScenesTest::aThinPlateStopsAFastBoxUnderCpfOnly() {
  QFETCH(QString, method);
  QFETCH(bool, stops);
  Body box = test::box("box", Vec3(0.1, 0.1, 0.1), 1, Vec3(-0.1, 0.2, 0.07));
  box.orientation = Quaternion(Eigen::AngleAxisd(0.4, Eigen::Vector3d(1, 0.2, 0.7).normalized()));
  box.linearVelocity = Vec3(3, -25, 2);
  // At 25 m/s a step of 1 ms is five plates thick: only memory of the crossed face brings the box back.
  Simulation pane =
      simulation(test::scene({fixedBox(Vec3(4, 0.005, 4), Vec3::Zero()), box}), method, 300, 1e-3);
  for (int frame = 0; frame < 150; ++frame) pane.step();
  QCOMPARE(pane.current()->bodies[1].position.y() > 0, stops);
}

QTEST_APPLESS_MAIN(PenaltyScenesTest)
#include "tst_penalty_scenes.moc"
