#include <QStandardPaths>
#include <QtTest>
#include <cmath>

#include "core/math/count.h"
#include "core/robot/scene_readers.h"
#include "core/trajectory/trajectory_file.h"
#include "tests/support/command_folder.h"
#include "tests/support/near.h"

using namespace touchstone;

/// Scenes that the program exports run in the adapters, and what these write is read back.
class AdaptersTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theCommandWritesBothForms();
  void theCommandRefusesWithFileAndRemedy();
  void theTemplateRunsAnExportedScene();
  void contactsHaveTheirColumns();
  void recordedTossesBecomeTrajectoryAndScene();

 private:
  static constexpr int kPatience = 120000;  // ms; a limit for a hanging program, not a waiting time
  /// Runs the command line. @return exit code; the texts are in m_output and m_errors
  int command(const QStringList& arguments) {
    const auto process = m_folder.started(arguments);
    const int code = test::endOf(*process, kPatience);
    m_output = process->readAllStandardOutput();
    m_errors = process->readAllStandardError();
    return code;
  }
  /// Runs a script that may import the adapters. @return exit code
  int python(const QStringList& arguments) {
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("PYTHONDONTWRITEBYTECODE", "1");
    environment.insert("PYTHONPATH", adapter(""));
    process.setProcessEnvironment(environment);
    process.setWorkingDirectory(m_folder.path());
    process.start("python3", arguments);
    const int code = test::endOf(process, kPatience);
    m_output = process.readAllStandardOutput();
    m_errors = process.readAllStandardError();
    return code;
  }
  static QString adapter(const char* name) {
    return QStringLiteral(TS_SOURCE_DIR "/datasets/adapters/") + name;
  }
  static QString scene(const char* name) {
    return QStringLiteral(TS_SOURCE_DIR "/datasets/battery/scenes/%1.json").arg(name);
  }
  static bool hasPython() { return !QStandardPaths::findExecutable("python3").isEmpty(); }
  QStringList lines(const QString& file) const {
    return QString::fromUtf8(m_folder.content(file)).split('\n', Qt::SkipEmptyParts);
  }
  std::vector<TrajectorySample> read(const std::shared_ptr<const Scene>& of, const char* file) {
    TrajectoryReader reader(of, m_folder.at(file).toStdString());
    std::vector<TrajectorySample> samples;
    for (TrajectorySample sample; reader.next(sample);) samples.push_back(sample);
    for (const std::string& warning : reader.warnings()) qWarning("%s", warning.c_str());
    m_warnings = countOf(reader.warnings());
    return samples;
  }

  test::CommandFolder m_folder;
  QByteArray m_output, m_errors;
  int m_warnings = 0;
};

void AdaptersTest::theCommandWritesBothForms() {
  QCOMPARE(command({"export", "isotropy", "--mjcf", "isotropy.xml", "--urdf", "isotropy"}), 0);
  QVERIFY(m_folder.content("isotropy.xml").contains("<mujoco model=\"isotropy\">"));
  QVERIFY(m_folder.content("isotropy/world.csv").startsWith("# touchstone_world: 1\n"));
  QVERIFY(m_folder.content("isotropy/puck-45.urdf").contains("<robot name=\"puck 45\">"));
  QVERIFY2(m_errors.isEmpty(), m_errors);
  QCOMPARE(command({"export", scene("cradle"), "--mjcf", "cradle.xml"}), 0);
  QVERIFY2(m_errors.contains("parameters.lcp.restitution 1 is left out"), m_errors);
  // Once more: files of this program may be replaced.
  QCOMPARE(command({"export", scene("cradle"), "--mjcf", "cradle.xml"}), 0);
}

void AdaptersTest::theCommandRefusesWithFileAndRemedy() {
  QCOMPARE(command({"export", "pour-2d", "--mjcf", "pour.xml", "--urdf", "pour"}), 2);
  QVERIFY2(
      m_errors.contains("pour-2d.json:bodies: are polygons") && m_errors.contains("; use a scene of solids"),
      m_errors);
  QVERIFY(!QFile::exists(m_folder.at("pour.xml")) && !QFile::exists(m_folder.at("pour")));
  m_folder.write("mine.xml", "<mujoco/>");
  QCOMPARE(command({"export", "isotropy", "--mjcf", "mine.xml"}), 2);
  QVERIFY2(m_errors.contains("mine.xml: exists and stays; choose another name"), m_errors);
  QCOMPARE(m_folder.content("mine.xml"), QByteArray("<mujoco/>"));
  QCOMPARE(command({"export", "isotropy", "--poses", "poses.csv"}), 2);
  QVERIFY2(m_errors.contains("isotropy: is a scene") && m_errors.contains("--record FILE"), m_errors);
  QCOMPARE(command({"export", "nowhere", "--mjcf", "x.xml"}), 2);
  QCOMPARE(command({"export", "isotropy"}), 2);
  QVERIFY2(m_errors.contains("--mjcf FILE"), m_errors);
}

void AdaptersTest::theTemplateRunsAnExportedScene() {
  if (!hasPython()) QSKIP("there is no python3");
  QCOMPARE(command({"export", scene("isotropy"), "--urdf", "template"}), 0);
  QVERIFY2(python({adapter("template.py"), "template", "engine.csv", "--time", "0.1"}) == 0, m_errors);
  QVERIFY2(m_output.contains("step 0.002") && m_output.contains("-9.81"), m_output);
  const QStringList written = lines("engine.csv");
  QCOMPARE(written[0], QStringLiteral("# touchstone_trajectory: 1"));
  QVERIFY(written.contains("time,body,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz"));
  const auto own = loadScene(scene("isotropy").toStdString());
  const std::vector<TrajectorySample> samples = read(own, "engine.csv");
  QCOMPARE(m_warnings, 0);
  QCOMPARE(samples.size(), std::size_t(51));
  QCOMPARE(samples.back().time, 0.1);
  for (std::size_t index = 0; index < own->bodies.size(); ++index) {
    const Body& body = own->bodies[index];
    if (body.motion == Motion::Static) continue;
    QVERIFY(samples[0].states[index].position == body.position);
    QVERIFY(samples[0].states[index].linearVelocity == body.linearVelocity);
    // Its engine only falls: y = y₀ − g h² n (n + 1)/2.
    const double fallen = 9.81 * 0.002 * 0.002 * 50 * 51 / 2;
    QVERIFY_NEAR(samples.back().states[index].position.y(), body.position.y() - fallen, 1e-14);
  }
}

void AdaptersTest::contactsHaveTheirColumns() {
  if (!hasPython()) QSKIP("there is no python3");
  m_folder.write("contacts.py",
                 "from trajectory import Writer\n"
                 "out = Writer('own.csv', 'mine', up='z')\n"
                 "for t in (0, 0.5):\n"
                 "    out.row(t, 'puck', (0, 0, 0.05), (1, 0, 0, 0), (0, 0, 0), (0, 0, 0))\n"
                 "out.contact(0.5, 'ground', 'puck', (1, 2, 0), (0, 0, 1), 4.905, (0.1, 0.2, 0), up='z')\n");
  QVERIFY2(python({"contacts.py"}) == 0, m_errors);
  QVERIFY(lines("own-contacts.csv").contains("time,body_a,body_b,px,py,pz,nx,ny,nz,jn,jx,jy,jz"));
  m_folder.write(
      "puck.json",
      R"({"touchstone": 1, "name": "puck", "title": "Puck", "dt": 0.5, "methods": ["cpf"], "bodies": [
                 {"name": "ground", "motion": "static", "shape": {"type": "plane"}},
                 {"name": "puck", "position": [0, 0.05, 0], "shape": {"type": "box", "size": [0.1, 0.1, 0.1]}}]})");
  TrajectoryOptions options;
  options.contacts = m_folder.at("own-contacts.csv").toStdString();
  TrajectoryReader reader(loadScene(m_folder.at("puck.json").toStdString()),
                          m_folder.at("own.csv").toStdString(), options);
  TrajectorySample sample;
  QVERIFY(reader.next(sample) && sample.contacts.empty() && reader.next(sample));
  QCOMPARE(sample.contacts.size(), std::size_t(1));
  QVERIFY(sample.contacts[0].normal == Vec3(0, 1, 0));
  QVERIFY_NEAR(sample.contacts[0].normalImpulse, 4.905, 0);
  QVERIFY(sample.contacts[0].frictionImpulse == Vec3(0.1, 0, -0.2));
}

void AdaptersTest::recordedTossesBecomeTrajectoryAndScene() {
  if (!hasPython()) QSKIP("there is no python3");
  // Free flight of a spinning cube with z up, in half widths: x, q about z, v, ω.
  QByteArray rows;
  const double half = 0.0524, g = 9.81, spin = 3;
  for (int frame = 0; frame < 20; ++frame) {
    const double t = frame / 148.0, a = 0.5 * spin * t;
    for (double number : {1 + t, 2.0, 10 - 0.5 * g * t * t / half, std::cos(a), 0.0, 0.0, std::sin(a), 1.0,
                          0.0, -g * t / half, 0.0, 0.0, spin})
      rows += QByteArray::number(number, 'g', 17) + ',';
    rows += "0,0,0,0,0,0\n";
  }
  m_folder.write("3.csv", rows);
  QVERIFY2(python({adapter("contactnets.py"), "3.csv", "toss-3"}) == 0, m_errors);
  const auto own = loadScene(m_folder.at("toss-3.json").toStdString());
  const std::vector<TrajectorySample> samples = read(own, "toss-3.csv");
  QCOMPARE(m_warnings, 0);  // among others: the start is that of the scene, velocities fit the poses
  QCOMPARE(samples.size(), std::size_t(20));
  const Body& cube = own->bodies[1];
  const BodyState& first = samples[0].states[1];
  QVERIFY_NEAR((first.position - Vec3(half, 10 * half, -2 * half)).norm(), 0, 1e-15);
  QVERIFY_NEAR((cube.position - first.position).norm(), 0, 1e-15);
  QVERIFY_NEAR((cube.angularVelocity - Vec3(0, spin, 0)).norm(), 0, 1e-15);
  QVERIFY_NEAR((first.angularVelocity - cube.angularVelocity).norm(), 0, 1e-15);
  QVERIFY_NEAR(cube.mass, 0.37, 0);
}

QTEST_GUILESS_MAIN(AdaptersTest)
#include "tst_adapters.moc"
