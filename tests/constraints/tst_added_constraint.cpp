#include <QtTest>

#include "core/run/pane_name.h"
#include "core/run/simulation.h"
#include "tests/support/near.h"
#include "tests/support/pin.h"
#include "tests/support/scenes.h"

using namespace touchstone;

/// Every method holds a kind of constraint that is a file and a line, under every solver.
class AddedConstraintTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { registerConstraints(ConstraintList<test::Pin>()); }
  void aKeyIsTakenOnce();
  void everyPaneHoldsIt_data();
  void everyPaneHoldsIt();
  void itStartsFromTheLastStep();
};

namespace {

/// A box hangs at its pinned centre, and another one lies on it.
std::shared_ptr<Scene> pinnedBox() {
  const auto scene = test::scene({test::box("pinned box", Vec3(0.5, 0.2, 0.5), 3, Vec3(0, 1, 0)),
                                  test::box("load", Vec3(0.2, 0.1, 0.2), 2, Vec3(0, 1.15, 0))});
  scene->dt = 0.01;
  return scene;
}

}  // namespace

void AddedConstraintTest::aKeyIsTakenOnce() {
  QVERIFY_EXCEPTION_THROWN(registerConstraints(ConstraintList<test::Pin>()), std::logic_error);
}

void AddedConstraintTest::everyPaneHoldsIt_data() {
  QTest::addColumn<QString>("pane");
  for (const char* pane :
       {"dpf", "dpf-ccd", "cpf", "lcp", "lcp-pgs", "lcp-lemke", "lcp-newton-fb-pcr", "peg", "peg-pgs", "nsn"})
    QTest::newRow(pane) << QString(pane);
}

/// It stays, carries what lies on it, and the Referee knows where the momentum goes.
void AddedConstraintTest::everyPaneHoldsIt() {
  QFETCH(QString, pane);
  PaneSettings settings = paneWithStep(pane.toStdString());
  if (pane.startsWith("dpf") || pane == "cpf") settings.substeps = 20;
  Simulation simulation(pinnedBox(), settings, 0.01);
  RecordPtr record;
  for (int frame = 0; frame < 50; ++frame) {
    record = simulation.step();
    QVERIFY2(record->status == StepStatus::Ok, record->statusText.c_str());
    QVERIFY_NEAR((record->bodies[0].position - Vec3(0, 1, 0)).norm(), 0, 1e-7);
    QVERIFY_NEAR(record->quantities[Quantity::MomentumLinearError], 0, 1e-9);
  }
  QVERIFY_NEAR(record->bodies[1].position.y(), 1.15, 2e-3);
  const bool isSpring = pane.startsWith("dpf") || pane == "cpf";  // what lies on it still swings
  QVERIFY_NEAR(record->groundImpulse.y(), 5 * 9.81 * 0.01, isSpring ? 0.1 : 2e-3);
}

/// A solver that may take one iteration knows the answer of the steps before.
void AddedConstraintTest::itStartsFromTheLastStep() {
  PaneSettings settings = paneNamed("lcp-pgs");
  settings.parameters["max_iterations"] = 2.0;
  Simulation simulation(pinnedBox(), settings, 0.01);
  RecordPtr record;
  for (int frame = 0; frame < 60; ++frame) record = simulation.step();
  QVERIFY_NEAR(record->groundImpulse.y(), 5 * 9.81 * 0.01, 1e-4);
}

QTEST_APPLESS_MAIN(AddedConstraintTest)
#include "tst_added_constraint.moc"
