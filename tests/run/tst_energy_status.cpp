#include <QtTest>
#include <algorithm>

#include "core/run/history.h"
#include "core/run/simulation.h"
#include "core/study/summary.h"
#include "tests/support/near.h"
#include "tests/support/scenes.h"

using namespace touchstone;

/// Reports of a run about energy without a source, and about bodies that overlap at the start.
class EnergyStatusTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void aFrameThatGainsEnergyIsMarked();
  void theSummaryCountsSuchFrames();
  void honestMotionIsNotMarked_data();
  void honestMotionIsNotMarked();
  void whatASpringShowsAtAnInstantIsNoGain();
  void whatIsPulledGainsNothingOutOfNothing();
  void anOverlapAtTheStartIsSaid_data();
  void anOverlapAtTheStartIsSaid();
  void anOverlapIsUndoneNoFasterThanTheRuleSays_data();
  void anOverlapIsUndoneNoFasterThanTheRuleSays();
  void anOverlapAtAReleaseIsSaidOnce();
  void bodiesThatTouchAreNoOverlap();
};

namespace {

PaneSettings pane(const std::string& method, const ParameterValues& values = {}) {
  PaneSettings settings;
  settings.method = method;
  settings.parameters = values;
  return settings;
}

std::shared_ptr<Scene> withStep(std::shared_ptr<Scene> scene, double dt) {
  scene->dt = dt;
  return scene;
}

/// A box of 1 kg that falls by 5 cm.
std::shared_ptr<Scene> drop() {
  return withStep(test::scene({test::ground(), test::box("box", Vec3(0.1, 0.1, 0.1), 1, Vec3(0, 0.1, 0))}),
                  2e-3);
}

/// A box that starts 4 cm inside a table.
std::shared_ptr<Scene> deepStart() {
  Body table = test::box("table", Vec3(1, 0.4, 1), 0, Vec3(0, -0.2, 0));
  table.motion = Motion::Static;
  return withStep(test::scene({table, test::box("box", Vec3(0.1, 0.1, 0.1), 1, Vec3(0, 0.01, 0))}), 0.01);
}

/// h² 4 k / m = 16: the first contact throws the box away much faster than it arrived.
History tooStiff() {
  const auto scene = drop();
  Simulation simulation(scene, pane("dpf", {{"stiffness", 1e6}}), scene->dt);
  History history;
  history.append(simulation.current());
  for (int frame = 0; frame < 100; ++frame) history.append(simulation.step());
  return history;
}

std::string noteOf(const StepRecord& record) {
  for (const std::string& warning : record.warnings)
    if (warning.find("inside each other") != std::string::npos) return warning;
  return {};
}

}  // namespace

void EnergyStatusTest::aFrameThatGainsEnergyIsMarked() {
  const History history = tooStiff();
  const auto first =
      std::find_if(history.frames().begin(), history.frames().end(),
                   [](const RecordPtr& record) { return record->status == StepStatus::Energy; });
  QVERIFY(first != history.frames().end() && first != history.frames().begin());
  const StepRecord& record = **first;
  const double rise =
      record.quantities[Quantity::EnergyDrift] - (*(first - 1))->quantities[Quantity::EnergyDrift];
  QVERIFY(rise > record.quantities[Quantity::EnergyKinetic] / 2);
  char said[64];
  std::snprintf(said, sizeof said, "the energy rose by %.3g J in this frame", rise);
  QVERIFY2(record.statusText.find(said) == 0, record.statusText.c_str());
  QVERIFY(!record.contacts.empty());
  // It falls before and flies afterwards; both conserve the energy.
  QVERIFY(history.frames()[1]->status == StepStatus::Ok);
  QVERIFY(history.frames().back()->status == StepStatus::Ok);
  QVERIFY(history.frames().back()->bodies[1].position.y() > 0.2);  // above its start: the pane is not frozen
}

void EnergyStatusTest::theSummaryCountsSuchFrames() {
  const History history = tooStiff();
  long marked = 0;
  for (const RecordPtr& record : history.frames()) marked += record->status == StepStatus::Energy;
  RunSummary sums;
  for (const RecordPtr& record : history.frames()) sums.add(*record);
  const PaneSummary summary = sums.result();
  QCOMPARE(summary.energy, marked);
  QVERIFY(marked > 0);
  const QStringList lines = QString::fromStdString(summaryTable({summary})).split('\n');
  const int end = lines[0].indexOf("energy") + 6;
  const QString number = QString::number(marked);
  QCOMPARE(lines[2].mid(end - number.size(), number.size()), number);
}

void EnergyStatusTest::honestMotionIsNotMarked_data() {
  QTest::addColumn<QString>("method");
  for (const char* method : {"dpf-ccd", "cpf", "lcp", "peg"}) QTest::newRow(method) << method;
}

/// Impacts and the separation of an overlap. Not with DPF, which really gains some per cent.
void EnergyStatusTest::honestMotionIsNotMarked() {
  QFETCH(QString, method);
  for (const auto& scene : {drop(), deepStart(), test::tumblingBox()}) {
    PaneSettings settings = pane(method.toStdString());
    settings.substeps = method.contains("pf") ? 10 : 1;
    Simulation simulation(scene, settings, scene->dt);
    for (int frame = 0; frame < 300; ++frame) {
      const RecordPtr record = simulation.step();
      QVERIFY2(record->status == StepStatus::Ok,
               qPrintable(QStringLiteral("frame %1: %2").arg(frame).arg(record->statusText.c_str())));
    }
  }
}

/// Undamped springs keep bouncing. If the box lands just below the top of its path, its springs show more
/// energy than it moved with before, and the next frames remove it again.
void EnergyStatusTest::whatASpringShowsAtAnInstantIsNoGain() {
  const auto scene = deepStart();
  PaneSettings settings = pane("dpf");
  settings.substeps = 10;
  Simulation simulation(scene, settings, scene->dt);
  int landings = 0;
  for (int frame = 0; frame < 300; ++frame) {
    const double before = simulation.current()->quantities[Quantity::EnergyElastic];
    const RecordPtr record = simulation.step();
    if (before > 0 || !(record->quantities[Quantity::EnergyElastic] > 0)) continue;
    ++landings;
    QVERIFY2(record->status == StepStatus::Ok,
             qPrintable(QStringLiteral("frame %1: %2").arg(frame).arg(record->statusText.c_str())));
  }
  QVERIFY(landings > 10);
}

void EnergyStatusTest::whatIsPulledGainsNothingOutOfNothing() {
  const auto scene = drop();
  for (const char* method : {"cpf", "lcp"}) {
    Simulation simulation(scene, pane(method), scene->dt);
    for (int frame = 0; frame < 200; ++frame) simulation.step();
    const double low = simulation.current()->quantities[Quantity::EnergyPotential];
    simulation.pull(Spring{1, Vec3::Zero(), Vec3(0, 1, 0), 200, 10});
    for (int frame = 0; frame < 200; ++frame) QVERIFY(simulation.step()->status == StepStatus::Ok);
    QVERIFY(simulation.current()->quantities[Quantity::EnergyPotential] > low + 5);
  }
}

void EnergyStatusTest::anOverlapAtTheStartIsSaid_data() {
  honestMotionIsNotMarked_data();
  QTest::newRow("dpf") << "dpf";
}

void EnergyStatusTest::anOverlapAtTheStartIsSaid() {
  QFETCH(QString, method);
  auto scene = deepStart();
  Simulation one(scene, pane(method.toStdString()), scene->dt);
  const std::string note = noteOf(*one.current());
  QVERIFY2(note.find("'table' and 'box' begin 0.04 m inside each other; ") == 0, note.c_str());
  QVERIFY(noteOf(*one.step()).empty());  // the start has passed
  // The deepest of several.
  scene->bodies.push_back(test::box("second", Vec3(0.1, 0.1, 0.1), 1, Vec3(0.3, 0.045, 0)));
  Simulation two(scene, pane(method.toStdString()), scene->dt);
  const std::string both = noteOf(*two.current());
  QVERIFY2(both.find("'table' and 'box' begin 0.04 m inside each other, pairs that overlap less: 1; ") == 0,
           both.c_str());
}

void EnergyStatusTest::anOverlapIsUndoneNoFasterThanTheRuleSays_data() {
  QTest::addColumn<QString>("step");
  QTest::addColumn<QString>("solver");
  for (const char* step : {"plain", "relinearise", "exact"})
    for (const char* solver : {"lemke", "newton-fb", "newton-fb-pcr"})
      QTest::addRow("%s %s", step, solver) << step << solver;
}

// For any number of linearisations per step: each of them could request the same speed again.
void EnergyStatusTest::anOverlapIsUndoneNoFasterThanTheRuleSays() {
  QFETCH(QString, step);
  QFETCH(QString, solver);
  const auto scene = deepStart();
  PaneSettings settings = pane("peg", {{"step", step.toStdString()}, {"correction_cap", 0.1}});
  settings.solver = solver.toStdString();
  if (solver == "newton-fb-pcr") {
    settings.solver = "newton-fb";
    settings.parameters["linear_solver"] = std::string("pcr");
  }
  Simulation simulation(scene, settings, scene->dt);
  for (int frame = 0; frame < 10; ++frame) {
    const RecordPtr record = simulation.step();
    QVERIFY(record->status == StepStatus::Ok);
    const double speed = record->bodies[1].linearVelocity.y();
    QVERIFY2(std::abs(speed - 0.1) < 1e-6, qPrintable(QString::number(speed)));
  }
}

void EnergyStatusTest::anOverlapAtAReleaseIsSaidOnce() {
  const auto scene = drop();
  scene->bodies.push_back(test::box("later", Vec3(0.1, 0.1, 0.1), 1, Vec3(1, 0.04, 0)));
  scene->bodies.back().releaseTime = 3 * scene->dt;
  Simulation simulation(scene, pane("lcp"), scene->dt);
  QVERIFY(noteOf(*simulation.current()).empty());
  std::vector<std::string> notes;
  bool wasActive = false;
  for (int frame = 0; frame < 60; ++frame) {
    const RecordPtr record = simulation.step();
    const std::string note = noteOf(*record);
    QCOMPARE(!note.empty(), record->bodies[2].active && !wasActive);
    wasActive = record->bodies[2].active;
    if (!note.empty()) notes.push_back(note);
  }
  QCOMPARE(notes.size(), std::size_t(1));
  QVERIFY2(notes[0].find("'later'") != std::string::npos && notes[0].find("0.01 m") != std::string::npos,
           notes[0].c_str());
}

void EnergyStatusTest::bodiesThatTouchAreNoOverlap() {
  auto scene = test::scene({test::ground(), test::box("box", Vec3(0.1, 0.1, 0.1), 1, Vec3(0, 0.05, 0))});
  QVERIFY(noteOf(*Simulation(scene, pane("lcp"), 0.01).current()).empty());
}

QTEST_APPLESS_MAIN(EnergyStatusTest)
#include "tst_energy_status.moc"
