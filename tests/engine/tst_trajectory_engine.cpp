#include <QFile>
#include <QTemporaryDir>
#include <QtTest>
#include <cmath>

#include "core/engine/engine.h"
#include "core/engine/trajectory_engine.h"
#include "core/files/scene_error.h"
#include "core/robot/scene_readers.h"
#include "core/run/comparison.h"
#include "core/run/pane_name.h"
#include "core/run/pane_settings.h"
#include "core/store/recorder.h"
#include "core/store/recording.h"
#include "tests/support/near.h"
#include "tests/support/scenes.h"

using namespace touchstone;

/// A pane that plays a trajectory file.
class TrajectoryEngineTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase();
  void itIsRefusedWithoutAFile();
  void hasTheStatesOfTheFile_data();
  void hasTheStatesOfTheFile();
  void whatContactsWouldTellIsNotKnown();
  void endsWithTheFile();
  void aPaneThatComesLaterHasEveryFrame();
  void aFileThatCannotBeReadStopsThePane();
  void aPaneThatComesLaterIsAtItsTime();
  void forkingGivesItsStateToAMethod();
  void aRecordingOpensWhereTheFileIsGone();
  void panesAreNamedAfterTheirFiles();

 private:
  PaneSettings pane(const QString& file, int substeps = 1) const;
  QString write(const char* name, double lastTime) const;
  static double xAt(double time) { return 2 * time; }

  QTemporaryDir m_folder;
  std::shared_ptr<const Scene> m_scene;
};

/// A box that moves along x with 2 m/s, and turns about y with 0.5 rad/s, from 0 to lastTime, each 0.02 s.
QString TrajectoryEngineTest::write(const char* name, double lastTime) const {
  const QString path = m_folder.filePath(QLatin1String(name));
  QFile file(path);
  if (!file.open(QIODevice::WriteOnly)) return {};
  QByteArray text =
      "# touchstone_trajectory: 1\n# engine: by hand\n# length: m\n# up: y\n# frame: com\n"
      "# omega: world\ntime,body,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz\n";
  const int last = static_cast<int>(std::lround(lastTime / 0.02));
  for (int sample = 0; sample <= last; ++sample) {
    const double time = 0.02 * sample, half = 0.25 * time;
    for (const double value : {time}) text += QByteArray::number(value, 'g', 17) + ",box,";
    const double values[] = {xAt(time), 1, 0, std::cos(half), 0, std::sin(half), 0, 2, 0, 0, 0, 0.5, 0};
    for (int column = 0; column < 13; ++column)
      text += QByteArray::number(values[column], 'g', 17) + (column < 12 ? "," : "\n");
  }
  file.write(text);
  return path;
}

PaneSettings TrajectoryEngineTest::pane(const QString& file, int substeps) const {
  PaneSettings settings;
  settings.method = kTrajectoryKey;
  settings.substeps = substeps;
  settings.parameters[kTrajectoryFile] = file.toStdString();
  return settings;
}

void TrajectoryEngineTest::initTestCase() {
  addTrajectoryEngine();
  const QString path = m_folder.filePath("sliding.json");
  QFile file(path);
  QVERIFY(file.open(QIODevice::WriteOnly));
  file.write(R"({"touchstone": 1, "name": "sliding", "title": "A box moves", "dt": 0.02, "duration": 1,
    "methods": ["cpf"],
    "bodies": [{"name": "box", "shape": {"type": "box", "size": [0.2, 0.2, 0.2]}, "mass": 2,
                "position": [0, 1, 0], "velocity": [2, 0, 0], "angular_velocity": [0, 0.5, 0]}]})");
  file.close();
  m_scene = loadScene(path.toStdString());
}

void TrajectoryEngineTest::itIsRefusedWithoutAFile() {
  PaneSettings none;
  none.method = kTrajectoryKey;
  QVERIFY(refusal(*m_scene, none).find("no file is given") != std::string::npos);
  QVERIFY(refusal(*m_scene, pane("somewhere.csv")).empty());
}

void TrajectoryEngineTest::hasTheStatesOfTheFile_data() {
  QTest::addColumn<double>("dt");
  QTest::addColumn<int>("substeps");
  QTest::newRow("at its samples") << 0.02 << 1;
  QTest::newRow("between them") << 0.005 << 1;
  QTest::newRow("in substeps") << 0.02 << 3;
}
void TrajectoryEngineTest::hasTheStatesOfTheFile() {
  QFETCH(double, dt);
  QFETCH(int, substeps);
  Simulation simulation(m_scene, pane(write("file.csv", 0.5), substeps), dt);
  while (simulation.current()->time < 0.45) {
    const RecordPtr record = simulation.step();
    QVERIFY2(record->status == StepStatus::Ok, record->statusText.c_str());
    const BodyState& state = record->bodies[0];
    QVERIFY_NEAR(state.position.x(), xAt(record->time), 1e-13);
    QVERIFY_NEAR(state.position.y(), 1, 1e-15);
    QVERIFY_NEAR(2 * std::acos(state.orientation.w()), 0.5 * record->time, 1e-9);
    QVERIFY_NEAR(state.linearVelocity.x(), 2, 1e-15);
    QVERIFY_NEAR(state.angularVelocity.y(), 0.5, 1e-15);
  }
}

void TrajectoryEngineTest::whatContactsWouldTellIsNotKnown() {
  Simulation simulation(m_scene, pane(write("file.csv", 0.5)), 0.02);
  for (const RecordPtr& record : {simulation.current(), simulation.step()}) {
    QVERIFY(std::isnan(record->quantities[Quantity::NormalForce]));
    QVERIFY(std::isnan(record->quantities[Quantity::MomentumLinearError]));
    QVERIFY_NEAR(record->quantities[Quantity::EnergyKinetic], 0.5 * 2 * 4 + 0.5 * (2 * 0.04 / 6) * 0.25,
                 1e-12);
  }
}

/// The pane goes on, without bodies and without values.
void TrajectoryEngineTest::endsWithTheFile() {
  Simulation simulation(m_scene, pane(write("file.csv", 0.1)), 0.02);
  for (int frame = 0; frame < 5; ++frame) QVERIFY(simulation.step()->bodies[0].active);
  QVERIFY_NEAR(simulation.current()->bodies[0].position.x(), xAt(0.1), 1e-13);
  for (int frame = 0; frame < 3; ++frame) {
    const RecordPtr record = simulation.step();
    QVERIFY(record->status == StepStatus::Ok);
    QVERIFY(record->statusText.find("no data") == 0);
    QVERIFY(!record->bodies[0].active);
    for (const double value : record->quantities.values) QVERIFY(std::isnan(value) || value >= 0);
    QVERIFY(std::isnan(record->quantities[Quantity::EnergyKinetic]));
    QVERIFY(std::isnan(record->quantities[Quantity::PenetrationMax]));
  }
}

void TrajectoryEngineTest::aPaneThatComesLaterHasEveryFrame() {
  PaneSettings cpf;
  cpf.method = "cpf";
  Comparison comparison(m_scene, {cpf});
  for (int frame = 0; frame < 10; ++frame) comparison.step(false);
  comparison.addPane(pane(write("file.csv", 0.1)));
  QCOMPARE(comparison.history(1).frames().size(), std::size_t(11));
  for (const RecordPtr& record : comparison.history(1).frames()) {
    QCOMPARE(record->time, comparison.history(0).at(record->frame)->time);
    QCOMPARE(record->bodies[0].active, record->time < 0.11);
    if (record->bodies[0].active) QVERIFY_NEAR(record->bodies[0].position.x(), xAt(record->time), 1e-12);
  }
  comparison.step(false);
  QCOMPARE(comparison.pane(1).current()->frame, 11L);
}

void TrajectoryEngineTest::aFileThatCannotBeReadStopsThePane() {
  const QString missing = m_folder.filePath("missing.csv");
  Simulation simulation(m_scene, pane(missing), 0.02);
  const RecordPtr record = simulation.step();
  QVERIFY(record->status == StepStatus::Stopped);
  QVERIFY(record->statusText.find("missing.csv") != std::string::npos);
  std::vector<std::string> warnings;
  QVERIFY_EXCEPTION_THROWN(trajectoryForPane(m_scene, missing.toStdString(), warnings), SceneError);
}

void TrajectoryEngineTest::aPaneThatComesLaterIsAtItsTime() {
  PaneSettings cpf;
  cpf.method = "cpf";
  Comparison comparison(m_scene, {cpf});
  for (int frame = 0; frame < 10; ++frame) comparison.step(false);
  comparison.addPane(pane(write("file.csv", 0.5)));
  QVERIFY_NEAR(comparison.pane(1).current()->bodies[0].position.y(), 1, 1e-15);  // that of cpf has fallen
  QVERIFY(comparison.pane(0).current()->bodies[0].position.y() < 0.9);
  QVERIFY_NEAR(comparison.pane(1).current()->bodies[0].position.x(), xAt(0.2), 1e-13);
}

void TrajectoryEngineTest::forkingGivesItsStateToAMethod() {
  PaneSettings cpf;
  cpf.method = "cpf";
  Comparison comparison(m_scene, {pane(write("file.csv", 0.5)), cpf});
  for (int frame = 0; frame < 20; ++frame) comparison.step(false);
  QVERIFY(comparison.fork(0, 15));
  const BodyState &given = comparison.pane(0).current()->bodies[0],
                  &taken = comparison.pane(1).current()->bodies[0];
  QVERIFY(given.position == taken.position);
  QVERIFY(given.linearVelocity == taken.linearVelocity);
  QVERIFY_NEAR(given.position.x(), xAt(0.3), 1e-13);
  comparison.step(false);
  QVERIFY_NEAR(comparison.pane(0).current()->bodies[0].position.x(), xAt(0.32), 1e-13);
  QVERIFY(comparison.pane(1).current()->bodies[0].position.y() < 1);  // it falls from there
}

void TrajectoryEngineTest::aRecordingOpensWhereTheFileIsGone() {
  const QString csv = write("gone.csv", 0.5);
  const std::string file = m_folder.filePath("gone.touchstone").toStdString();
  {
    Comparison comparison(m_scene, {pane(csv)});
    Recorder recorder(file, comparison, "test");
    for (int frame = 0; frame < 10; ++frame) comparison.step(false);
    recorder.finish();
  }
  QVERIFY(QFile::remove(csv));
  const auto comparison = Recording::resume(std::make_shared<Recording>(file));
  QCOMPARE(comparison->history(0).lastFrame(), 10L);
  QVERIFY_NEAR(comparison->history(0).at(7)->bodies[0].position.x(), xAt(0.14), 1e-13);
  const RecordPtr next = comparison->step(false)[0];
  QVERIFY(next->status == StepStatus::Stopped);
  QVERIFY(next->statusText.find("gone.csv") != std::string::npos);
  QVERIFY_NEAR(next->bodies[0].position.x(), xAt(0.2), 1e-13);
}

void TrajectoryEngineTest::panesAreNamedAfterTheirFiles() {
  const std::vector<std::string> labels = paneLabels(*m_scene, {pane("a/one.csv"), pane("b/two.csv")});
  QCOMPARE(labels[0], std::string("trajectory:file=one"));
  QCOMPARE(labels[1], std::string("trajectory:file=two"));
}

QTEST_APPLESS_MAIN(TrajectoryEngineTest)
#include "tst_trajectory_engine.moc"
