#include <QtTest>

#include "core/motion/motion_checks.h"
#include "core/motion/motion_file.h"
#include "core/robot/scene_readers.h"
#include "tests/support/near.h"
#include "tests/support/tosses.h"

using namespace touchstone;

/// Each trap of a recorded motion once, in tosses that are made up: the check that is meant for it names it.
class MotionChecksTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase();
  void aCleanRecordingIsGood();
  void eachTrapIsNamed_data();
  void eachTrapIsNamed();
  void whatCannotBeToldIsGoodAndSaysSo();

 private:
  MotionCheck checkOf(const RecordedMotion& motion, const Scene& scene, const QByteArray& key) const {
    for (const MotionCheck& check : motionChecks(motion, scene))
      if (check.key == key.toStdString()) return check;
    return {};
  }
  test::SceneFolder m_folder;
  std::shared_ptr<const Scene> m_scene;
  RecordedMotion m_motion;
};

void MotionChecksTest::initTestCase() {
  m_scene = loadScene(m_folder.write("scene.json", test::tossScene(0.3, "[0, 0, 0.008]")));
  m_motion = test::simulatedTosses(*m_scene, 12, 160);
}

void MotionChecksTest::aCleanRecordingIsGood() {
  for (const MotionCheck& check : motionChecks(m_motion, *m_scene))
    QVERIFY2(check.isGood, (check.key + ": " + check.finding + " " + check.remedy).c_str());
}

void MotionChecksTest::eachTrapIsNamed_data() {
  QTest::addColumn<QByteArray>("trap");
  QTest::addColumn<QByteArray>("key");
  QTest::addColumn<QByteArray>("finding");
  QTest::addColumn<QByteArray>("remedy");
  const auto row = [](const char* trap, const char* key, const char* finding, const char* remedy) {
    QTest::newRow(trap) << QByteArray(trap) << QByteArray(key) << QByteArray(finding) << QByteArray(remedy);
  };
  row("quaternions of norm 1.1", "norm", "1.0e-01", "normalised");
  row("lengths 3 % short", "free_fall", "g = 9.516", "gravity 9.516");
  row("another table height", "table", "rest 4 mm above", "table height");
  row("a tilted table", "table", "tilted by 2°", "level");
  row("millimetres", "table", "1000 of the shape's", "\"mm\"");
  row("z up", "up", "acceleration", "\"up\": \"z\"");
  row("real part last", "angular_velocity", "xyzw", "\"quaternion\": \"xyzw\"");
  row("real part last without spin", "depth", "deeper", "\"quaternion\": \"xyzw\"");
  row("spin in the body", "angular_velocity", "ω of the body", "\"omega\": \"body\"");
  row("backward velocities", "velocity", "(backward)", "backward differences");
  row("velocities in other units", "velocity", "differences", "no velocities of these positions");
  row("uneven times", "times", "percentile", "not equidistant");
  row("a sheared frame", "pull", "20 mrad", "sheared");
  row("a centre of mass off the middle", "centre_of_mass", "turn about (", "[0.0000, 0.0000, 0.0080]");
  row("noise", "noise", "in flight", "uncertain");
  row("gaps", "gaps", "24 frames", "stay gaps");
}

void MotionChecksTest::eachTrapIsNamed() {
  QFETCH(QByteArray, trap);
  QFETCH(QByteArray, key);
  QFETCH(QByteArray, finding);
  QFETCH(QByteArray, remedy);
  RecordedMotion motion = m_motion;
  auto scene = m_scene;
  MotionFormat format;
  std::mt19937_64 random(5);
  const auto noise = [&] { return 0.003 * (static_cast<double>(random() >> 11) * 0x1p-52 - 1); };
  const auto change = [&](const auto& how) { motion = test::changed(m_motion, how); };
  if (trap == "quaternions of norm 1.1")
    change([](MotionSample& s, std::size_t) { s.orientation.coeffs() *= 1.1; });
  if (trap == "lengths 3 % short")
    change([](MotionSample& s, std::size_t) {
      s.position *= 0.97;
      s.velocity *= 0.97;
    });
  if (trap == "another table height") change([](MotionSample& s, std::size_t) { s.position.y() += 0.004; });
  if (trap == "a tilted table") {
    const double angle = 2 * M_PI / 180;
    const Quaternion turn(std::cos(0.5 * angle), 0, 0, std::sin(0.5 * angle));
    change([&](MotionSample& s, std::size_t) {
      s.position = turn * s.position;
      s.orientation = turn * s.orientation;
      s.velocity = turn * s.velocity;
      s.angularVelocity = turn * s.angularVelocity;
    });
  }
  if (trap == "millimetres") format.unit = 0.001;
  if (trap == "z up") format.up = MotionFormat::Up::Z;
  if (trap == "real part last") format.quaternion = MotionFormat::QuaternionOrder::RealLast;
  if (trap == "real part last without spin") {
    format.quaternion = MotionFormat::QuaternionOrder::RealLast;
    motion.hasAngularVelocity = motion.hasVelocity = false;
  }
  if (trap == "spin in the body") format.omega = MotionFormat::SpinFrame::Body;
  if (trap == "backward velocities")
    for (Toss& toss : motion.tosses) {
      auto& samples = toss.tracks[0].samples;
      for (std::size_t frame = samples.size() - 1; frame > 0; --frame)
        samples[frame].velocity = (samples[frame].position - samples[frame - 1].position) / m_scene->dt;
    }
  if (trap == "velocities in other units") change([](MotionSample& s, std::size_t) { s.velocity *= 3; });
  if (trap == "uneven times")
    change([&](MotionSample& s, std::size_t frame) { s.time += frame % 2 ? 0.1 * m_scene->dt : 0; });
  if (trap == "a sheared frame")
    change([](MotionSample& s, std::size_t) { s.position.x() += 0.02 * (s.position.y() - 0.05); });
  if (trap == "a centre of mass off the middle")
    scene = loadScene(m_folder.write("even.json", test::tossScene(0.3)));
  if (trap == "noise")
    change([&](MotionSample& s, std::size_t) { s.position += Vec3(noise(), noise(), noise()); });
  if (trap == "gaps")
    change([](MotionSample& s, std::size_t frame) { s.isMissing = frame == 3 || frame == 90; });
  const MotionCheck check = checkOf(test::readBack(m_folder, motion, format, MotionFormat()), *scene, key);
  QVERIFY2(!check.isGood, check.finding.c_str());
  QVERIFY2(QByteArray::fromStdString(check.finding).contains(finding), check.finding.c_str());
  QVERIFY2(QByteArray::fromStdString(check.remedy).contains(remedy), check.remedy.c_str());
}

void MotionChecksTest::whatCannotBeToldIsGoodAndSaysSo() {
  RecordedMotion motion = m_motion;
  motion.tosses.resize(1);
  motion.tosses[0].tracks[0].samples.resize(3);
  motion.hasVelocity = motion.hasAngularVelocity = false;
  QVERIFY(checkOf(motion, *m_scene, "velocity").finding == "none given");
  for (const char* key : {"free_fall", "pull", "centre_of_mass"}) {
    const MotionCheck check = checkOf(motion, *m_scene, key);
    QVERIFY2(check.isGood && check.finding.find("tell") != std::string::npos, check.finding.c_str());
  }
}

QTEST_APPLESS_MAIN(MotionChecksTest)
#include "tst_motion_checks.moc"
