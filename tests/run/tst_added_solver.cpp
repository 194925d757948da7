#include <QtTest>

#include "core/run/pane_name.h"
#include "core/run/simulation.h"
#include "tests/support/near.h"
#include "tests/support/pendulum_swing.h"
#include "tests/support/richardson.inl"
#include "tests/support/scenes.h"

using namespace touchstone;

/// The methods with a choice of solvers take one that is a file and a line, for contacts and joints.
class AddedSolverTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { registerSolvers<HostBackend>(SolverList<test::Richardson>()); }
  void aKeyIsTakenOnce();
  void methodsWithAChoiceOfSolversOfferIt();
  void carriesABox_data();
  void carriesABox();
  void holdsAPendulum();
};

void AddedSolverTest::aKeyIsTakenOnce() {
  QVERIFY_EXCEPTION_THROWN(registerSolvers<HostBackend>(SolverList<test::Richardson>()), std::logic_error);
}

void AddedSolverTest::methodsWithAChoiceOfSolversOfferIt() {
  for (const MethodInfo& method : methodTable()) {
    const bool isOffered = std::count(method.solvers.begin(), method.solvers.end(), "richardson") == 1;
    QCOMPARE(isOffered, method.key == "lcp" || method.key == "peg");
  }
  QCOMPARE(paneNamed("lcp-richardson").solver, std::string("richardson"));
  QVERIFY(!refusal(*test::pendulum(1, 1e-7), paneNamed("nsn-richardson")).empty() ||
          paneNamed("nsn-richardson").solver.empty());
}

void AddedSolverTest::carriesABox_data() {
  QTest::addColumn<QString>("pane");
  for (const char* pane : {"lcp-richardson", "peg-richardson"}) QTest::newRow(pane) << QString(pane);
}

/// At rest on the ground, as its weight says; the record names it.
void AddedSolverTest::carriesABox() {
  QFETCH(QString, pane);
  const auto scene = test::scene({test::ground(), test::box("box", Vec3(1, 1, 1), 2, Vec3(0, 0.5, 0))}, 0.5);
  scene->dt = 0.01;
  PaneSettings settings = paneNamed(pane.toStdString());
  settings.parameters["max_iterations"] = 2000.0;
  Simulation simulation(scene, settings, scene->dt);
  RecordPtr record;
  for (int frame = 0; frame < 20; ++frame) record = simulation.step();
  QVERIFY2(record->status == StepStatus::Ok, record->statusText.c_str());
  QCOMPARE(record->deliveredBy, std::string("richardson"));
  QVERIFY_NEAR(record->quantities[Quantity::NormalForce], 2 * 9.81, 1e-5);
  QVERIFY_NEAR(record->bodies[1].position.y(), 0.5, 1e-8);
}

void AddedSolverTest::holdsAPendulum() {
  const auto scene = test::pendulum(0.5, 0.4);
  PaneSettings richardson = paneNamed("lcp-richardson"), newton = paneNamed("lcp");
  richardson.parameters["max_iterations"] = 5000.0;
  Simulation one(scene, richardson, scene->dt), other(scene, newton, scene->dt);
  for (int frame = 0; frame < 60; ++frame) {
    const RecordPtr record = one.step();
    QVERIFY2(record->status == StepStatus::Ok, record->statusText.c_str());
    QVERIFY_NEAR((record->bodies[0].position - other.step()->bodies[0].position).norm(), 0, 1e-5);
  }
}

QTEST_APPLESS_MAIN(AddedSolverTest)
#include "tst_added_solver.moc"
