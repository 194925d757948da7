#include <QtTest>

#include "core/run/pane_name.h"
#include "core/run/simulation.h"
#include "tests/support/scenes.h"

using namespace touchstone;

class PaneNameTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void aNameIsReadAsItIsWritten_data();
  void aNameIsReadAsItIsWritten();
  void defaultsHaveNoName();
  void unknownPartsAreLeftToTheRefusal();
  void solversWithoutLinearSystemsNameNoLinearSolver();
  void recordsNameTheLinearSolver();
};

void PaneNameTest::aNameIsReadAsItIsWritten_data() {
  QTest::addColumn<QString>("method");
  QTest::addColumn<QString>("solver");
  QTest::addColumn<QString>("linear");
  QTest::newRow("peg") << "peg"
                       << ""
                       << "";
  QTest::newRow("dpf-ccd") << "dpf-ccd"
                           << ""
                           << "";
  QTest::newRow("lcp-pgs") << "lcp"
                           << "pgs"
                           << "";
  QTest::newRow("lcp-newton-fb") << "lcp"
                                 << "newton-fb"
                                 << "";
  QTest::newRow("lcp-newton-fb-pcr") << "lcp"
                                     << "newton-fb"
                                     << "pcr";
  QTest::newRow("peg-newton-fb-gauss-seidel") << "peg"
                                              << "newton-fb"
                                              << "gauss-seidel";
}

void PaneNameTest::aNameIsReadAsItIsWritten() {
  QFETCH(QString, method);
  QFETCH(QString, solver);
  QFETCH(QString, linear);
  const std::string name = QTest::currentDataTag();
  const PaneSettings settings = paneNamed(name);
  QCOMPARE(settings.method, method.toStdString());
  QCOMPARE(settings.solver, solver.toStdString());
  QCOMPARE(settings.parameters.size(), std::size_t(linear.isEmpty() ? 0 : 1));
  if (!linear.isEmpty())
    QCOMPARE(std::get<std::string>(settings.parameters.at("linear_solver")), linear.toStdString());
  QCOMPARE(paneName(settings), name);
}

void PaneNameTest::defaultsHaveNoName() {
  QCOMPARE(paneName(paneNamed("lcp-newton-fb-direct")), std::string("lcp-newton-fb"));
}

void PaneNameTest::unknownPartsAreLeftToTheRefusal() {
  QCOMPARE(paneNamed("lcp-newton-fb-fast").solver, std::string("newton-fb-fast"));
  QCOMPARE(paneNamed("lcp-pcr").solver, std::string("pcr"));
  QCOMPARE(paneNamed("pcr").method, std::string("pcr"));
}

void PaneNameTest::solversWithoutLinearSystemsNameNoLinearSolver() {
  const ParameterValues values{{"linear_solver", std::string("pcr")}};
  QCOMPARE(solverName("pgs", values), std::string("pgs"));
  QCOMPARE(solverName("", values), std::string());
  QCOMPARE(solverName("auto", values), std::string("auto-pcr"));
}

/// Rows of two panes that differ only in it must be distinguishable.
void PaneNameTest::recordsNameTheLinearSolver() {
  const auto scene = test::tumblingBox();
  scene->materials[0].staticFriction = scene->materials[0].dynamicFriction = 0;
  for (const char* solver : {"newton-fb", "newton-fb-pcr"}) {
    Simulation simulation(scene, paneNamed(std::string("lcp-") + solver), scene->dt);
    QCOMPARE(simulation.step()->solver, std::string(solver));
  }
}

QTEST_APPLESS_MAIN(PaneNameTest)
#include "tst_pane_name.moc"
