#include <QtTest>
#include <algorithm>

#include "core/run/history.h"
#include "core/run/simulation.h"
#include "core/statistics/summary.h"
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
  void aGivenTorqueIsWork_data();
  void aGivenTorqueIsWork();
  void aTorqueThatChangesWithinAFrameIsWork();
  void aDriveDoesNotEndTheJudgement_data();
  void aDriveDoesNotEndTheJudgement();
  void theSpringOfADriveKeepsItsEnergy_data();
  void theSpringOfADriveKeepsItsEnergy();
  void aMotorWithARateWorks_data();
  void aMotorWithARateWorks();
  void aTargetThatMovesWorks_data();
  void aTargetThatMovesWorks();
  void aDriveAtItsLargestForceWorks();
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
  const PaneSummary summary = summaryOf(history.course(), 1);
  QCOMPARE(summary.energy, marked);
  QVERIFY(marked > 0);
  const QString table = QString::fromStdString(summaryTable({summary}));
  const QRegularExpression row(QStringLiteral("Frames with energy made +%1").arg(marked));
  QVERIFY2(table.contains(row), qPrintable(table));
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
  PaneSettings settings = pane("peg", {{"step", step.toStdString()},
                                       {"max_depenetration_speed", 0.1},
                                       {"push_out", std::string("published")}});
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

namespace {

constexpr double kInertia = 0.02;

/// A wheel on an axle along x, without gravity.
std::shared_ptr<Scene> wheel(const JointDrive& drive) {
  Body body = test::box("wheel", Vec3(0.1, 0.1, 0.1), 1, Vec3(0, 0, 0));
  body.inertia = Vec3(kInertia, 0.01, 0.01).asDiagonal();
  const auto made = withStep(test::scene({body}), 1.0 / 240);
  made->gravity = Vec3::Zero();
  Joint axle;
  axle.name = "axle";
  axle.kind = JointKind::Revolute;
  axle.bodyB = 0;
  axle.drive = drive;
  made->joints.push_back(axle);
  return made;
}

void addMethods() {
  QTest::addColumn<QString>("method");
  for (const char* method : {"dpf", "cpf", "lcp", "peg", "nsn"}) QTest::newRow(method) << method;
}

/// Runs a scene whose frames must all be ok. @return the last record
RecordPtr okRun(const std::shared_ptr<Scene>& scene, const QString& method, int frames, int substeps = 1) {
  PaneSettings settings = pane(method.toStdString());
  settings.substeps = substeps;
  Simulation simulation(scene, settings, scene->dt);
  for (int frame = 0; frame < frames; ++frame) {
    const RecordPtr record = simulation.step();
    if (record->status != StepStatus::Ok) qWarning("frame %d: %s", frame, record->statusText.c_str());
    if (record->status != StepStatus::Ok) return nullptr;
  }
  return simulation.current();
}

}  // namespace

void EnergyStatusTest::aGivenTorqueIsWork_data() { addMethods(); }

void EnergyStatusTest::aGivenTorqueIsWork() {
  QFETCH(QString, method);
  for (const double damping : {0.0, 0.001})
    for (const int substeps : {1, 4}) {
      JointDrive drive;
      drive.force = 0.1;
      drive.damping = damping;
      const RecordPtr last = okRun(wheel(drive), method, 240, substeps);
      QVERIFY(last);
      // ω = T t / I, and T θ = ½ I ω²; the damper takes what is missing.
      const double energy = last->quantities[Quantity::EnergyKinetic],
                   drift = last->quantities[Quantity::EnergyDrift];
      if (damping > 0) {
        QVERIFY(energy < 0.249 && drift < -1e-3);
        QVERIFY_NEAR(drift, -damping * 25.0 / 3, 0.1 * damping * 25.0 / 3);  // ∫ d ω² dt, ω = 5 t
      } else {
        QVERIFY_NEAR(energy, 0.5 * kInertia * 25, 1e-9);
        QVERIFY_NEAR(drift, 0, 1e-9);
      }
    }
}

void EnergyStatusTest::aTorqueThatChangesWithinAFrameIsWork() {
  JointDrive drive;
  drive.forces = {{0.001, 0.3}, {0.0525, -0.2}, {0.1, 0.05}};
  QVERIFY(okRun(wheel(drive), "lcp", 60, 4));
  drive.forces.clear();
  drive.random.most = 0.5;
  drive.random.hold = 0.003;
  QVERIFY(okRun(wheel(drive), "cpf", 240, 4));
}

void EnergyStatusTest::aDriveDoesNotEndTheJudgement_data() {
  QTest::addColumn<double>("stiffness");
  QTest::addColumn<double>("damping");
  QTest::newRow("spring") << 1.0 << 0.0;
  QTest::newRow("damper") << 0.0 << 0.1;
  QTest::newRow("both") << 1.0 << 0.1;
}

/// The box of tooStiff(), beside an arm with a drive.
void EnergyStatusTest::aDriveDoesNotEndTheJudgement() {
  QFETCH(double, stiffness);
  QFETCH(double, damping);
  const auto scene = drop();
  scene->bodies.push_back(test::box("arm", Vec3(0.1, 0.1, 0.1), 1, Vec3(5, 1, 0)));
  Joint axle;
  axle.name = "axle";
  axle.kind = JointKind::Revolute;
  axle.bodyB = 2;
  axle.frames.anchorA = Vec3(5, 1, 0);
  axle.drive.stiffness = stiffness;
  axle.drive.damping = damping;
  scene->joints.push_back(axle);
  Simulation simulation(scene, pane("dpf", {{"stiffness", 1e6}}), scene->dt);
  int marked = 0;
  for (int frame = 0; frame < 100; ++frame) marked += simulation.step()->status == StepStatus::Energy;
  QVERIFY(marked > 0);
}

void EnergyStatusTest::theSpringOfADriveKeepsItsEnergy_data() { addMethods(); }

void EnergyStatusTest::theSpringOfADriveKeepsItsEnergy() {
  QFETCH(QString, method);
  JointDrive drive;
  drive.stiffness = 2;
  drive.target = 0.5;
  const auto scene = wheel(drive);
  const RecordPtr start = Simulation(scene, pane(method.toStdString()), scene->dt).current();
  QVERIFY_NEAR(start->quantities[Quantity::EnergyElastic], 0.5 * 2 * 0.25, 1e-15);
  QVERIFY_NEAR(start->quantities[Quantity::EnergyDrift], 0, 1e-15);
  const RecordPtr last = okRun(scene, method, 240);
  QVERIFY(last);
  // An implicit spring loses energy; none comes in.
  const double drift = last->quantities[Quantity::EnergyDrift];
  QVERIFY(drift < 0.01 && drift > -0.25);
}

void EnergyStatusTest::aMotorWithARateWorks_data() { addMethods(); }

void EnergyStatusTest::aMotorWithARateWorks() {
  QFETCH(QString, method);
  JointDrive drive;
  drive.damping = 0.5;
  drive.rate = 5;
  const RecordPtr last = okRun(wheel(drive), method, 240);
  QVERIFY(last);
  // A damper that brings a wheel from rest to its rate dissipates as much as it gives: d ∫ (r − ω)² dt.
  QVERIFY_NEAR(last->quantities[Quantity::EnergyKinetic], 0.25, 1e-4);
  QVERIFY_NEAR(last->quantities[Quantity::EnergyDrift], -0.25, 0.03);
}

void EnergyStatusTest::aTargetThatMovesWorks_data() { addMethods(); }

/// A lift that carries 2 kg up by 1 m in a second.
void EnergyStatusTest::aTargetThatMovesWorks() {
  QFETCH(QString, method);
  const auto scene = withStep(test::weakLift(), 1.0 / 240);
  scene->joints[0].drive.mostForce = HUGE_VAL;
  scene->joints[0].drive.stiffness = 1e4;
  scene->joints[0].drive.damping = 200;
  scene->joints[0].drive.targets = {{0, 0}, {1, 1}};
  const RecordPtr last = okRun(scene, method, 240);
  QVERIFY(last);
  const double gained =
      last->quantities[Quantity::EnergyKinetic] + last->quantities[Quantity::EnergyPotential];
  QVERIFY_NEAR(gained, 2 * 9.81 + 1, 0.1);  // m g h + ½ m v²
  // What is missing is what the damper takes while the lift takes off: ½ m v² = 1 J.
  const double drift = last->quantities[Quantity::EnergyDrift];
  QVERIFY2(drift < 0.1 && drift > -2, qPrintable(QString::number(drift)));
}

void EnergyStatusTest::aDriveAtItsLargestForceWorks() {
  const auto scene = withStep(test::weakLift(), 1.0 / 240);
  scene->gravity = Vec3::Zero();
  scene->joints[0].drive.damping = 0;
  const RecordPtr last = okRun(scene, "lcp", 100);
  QVERIFY(last);
  // 8 N from the start on: ½ m v² is its work, and the spring has given it.
  const double drift = last->quantities[Quantity::EnergyDrift];
  QVERIFY_NEAR(drift, 0, 0.02 * last->quantities[Quantity::EnergyKinetic]);
}

QTEST_APPLESS_MAIN(EnergyStatusTest)
#include "tst_energy_status.moc"
