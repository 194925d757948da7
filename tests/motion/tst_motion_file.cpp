#include <QtTest>

#include "core/files/scene_error.h"
#include "core/motion/motion_file.h"
#include "core/robot/scene_readers.h"
#include "tests/support/near.h"
#include "tests/support/tosses.h"

using namespace touchstone;

/// Files with recorded motion: every form gives the same motion, every fault is named by line and column.
class MotionFileTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase();
  void everyFormGivesTheSameMotion_data();
  void everyFormGivesTheSameMotion();
  void aMotionCanBeReadInAnotherForm();
  void columnsMayHaveOtherNamesAndTimesMayComeFromTheRate();
  void theFormIsReadBesideTheFile();
  void aLineWithoutAPoseIsAGap();
  void bodiesAndTossesAreKeptApart();
  void faultsAreNamedByLineAndColumn_data();
  void faultsAreNamedByLineAndColumn();
  void faultsOfTheFormAreNamedByField_data();
  void faultsOfTheFormAreNamedByField();

 private:
  RecordedMotion read(const std::string& text, const MotionFormat& format = {}) {
    return readMotion(m_folder.write("a.csv", text.c_str()), format);
  }
  test::SceneFolder m_folder;
  RecordedMotion m_motion;
};

namespace {

constexpr char kHeader[] = "time_s,x_m,y_m,z_m,qw,qx,qy,qz\n";

double difference(const RecordedMotion& a, const RecordedMotion& b) {
  double most = a.tosses.size() == b.tosses.size() ? 0 : 1e9;
  for (std::size_t toss = 0; toss < a.tosses.size() && most < 1e9; ++toss) {
    const auto &one = a.tosses[toss].tracks[0].samples, &other = b.tosses[toss].tracks[0].samples;
    if (one.size() != other.size()) return 1e9;
    for (std::size_t at = 0; at < one.size(); ++at) {
      most = std::max(most, (one[at].position - other[at].position).norm());
      most = std::max(most, std::min((one[at].orientation.coeffs() - other[at].orientation.coeffs()).norm(),
                                     (one[at].orientation.coeffs() + other[at].orientation.coeffs()).norm()));
      most = std::max(most, (one[at].velocity - other[at].velocity).norm());
      most = std::max(most, (one[at].angularVelocity - other[at].angularVelocity).norm());
    }
  }
  return most;
}

}  // namespace

void MotionFileTest::initTestCase() {
  m_motion = test::simulatedTosses(*loadScene(m_folder.write("s.json", test::tossScene(0.2, "[0, 0, 0.01]"))),
                                   2, 30);
}

void MotionFileTest::everyFormGivesTheSameMotion_data() {
  QTest::addColumn<QByteArray>("json");
  QTest::newRow("as it is") << QByteArray("{}");
  QTest::newRow("millimetres") << QByteArray(R"({"unit": "mm"})");
  QTest::newRow("half widths") << QByteArray(R"({"unit": 0.05})");
  QTest::newRow("z up") << QByteArray(R"({"up": "z"})");
  QTest::newRow("real part last") << QByteArray(R"({"quaternion": "xyzw"})");
  QTest::newRow("spin in the body") << QByteArray(R"({"omega": "body"})");
  QTest::newRow("all at once") << QByteArray(
      R"({"unit": "in", "up": "z", "quaternion": "xyzw", "omega": "body"})");
}

void MotionFileTest::everyFormGivesTheSameMotion() {
  QFETCH(QByteArray, json);
  const MotionFormat format = motionFormatOf(json.toStdString(), "motion.json");
  const RecordedMotion motion = test::readBack(m_folder, m_motion, format, format);
  QVERIFY(motion.hasVelocity && motion.hasAngularVelocity);
  QVERIFY_NEAR(difference(motion, m_motion), 0, 1e-12);  // rounding of products of two rotations
}

void MotionFileTest::aMotionCanBeReadInAnotherForm() {
  MotionFormat format;
  format.unit = 0.001;
  format.up = MotionFormat::Up::Z;
  format.quaternion = MotionFormat::QuaternionOrder::RealLast;
  format.omega = MotionFormat::SpinFrame::Body;
  const RecordedMotion wrong = test::readBack(m_folder, m_motion, format, MotionFormat());
  QVERIFY(difference(wrong, m_motion) > 1);
  QVERIFY_NEAR(difference(readAs(wrong, format), m_motion), 0, 1e-10);
}

void MotionFileTest::columnsMayHaveOtherNamesAndTimesMayComeFromTheRate() {
  const MotionFormat format =
      motionFormatOf(R"({"columns": {"x_m": "pos x", "qz": "c"}, "rate_hz": 240})", "motion.json");
  const RecordedMotion motion =
      read("# of a camera\n\"pos x\",y_m,z_m,c,qw,qx,qy\n1,2,3,0,1,0,0\r\n2,2,3,0,1,0,0\n\n", format);
  const auto& samples = motion.tosses[0].tracks[0].samples;
  QCOMPARE(samples.size(), std::size_t(2));
  QVERIFY_NEAR(samples[1].time, 1.0 / 240, 1e-17);
  QVERIFY(samples[1].position == Vec3(2, 2, 3) && samples[1].orientation.w() == 1);
  QVERIFY(!motion.hasVelocity && !samples[0].velocity.allFinite());
}

void MotionFileTest::theFormIsReadBesideTheFile() {
  const std::string file =
      m_folder.write("b/tosses.csv", (kHeader + std::string("0,1,2,3,1,0,0,0\n")).c_str());
  m_folder.write("b/motion.json", R"({"unit": "cm"})");
  QVERIFY_NEAR((readMotion(file).tosses[0].tracks[0].samples[0].position - Vec3(0.01, 0.02, 0.03)).norm(), 0,
               1e-16);
}

void MotionFileTest::aLineWithoutAPoseIsAGap() {
  const RecordedMotion motion =
      read(kHeader + std::string("0,1,2,3,1,0,0,0\n0.1,,,,,,,\n0.2,1,2,4,2,0,0,0\n"));
  const auto& samples = motion.tosses[0].tracks[0].samples;
  QCOMPARE(motion.gaps, 1L);
  QVERIFY(!samples[0].isMissing && samples[1].isMissing && samples[1].time == 0.1 && !samples[2].isMissing);
  QCOMPARE(motion.normError, 1.0);
  QVERIFY_NEAR(samples[2].orientation.norm(), 1, 1e-16);
}

void MotionFileTest::bodiesAndTossesAreKeptApart() {
  const std::string text = "toss,body," + std::string(kHeader) +
                           "1,a,0,1,0,0,1,0,0,0\n1,b,0,2,0,0,1,0,0,0\n1,a,1,3,0,0,1,0,0,0\n2,a,0,4,0,0,1,0,0,"
                           "0\n1,b,1,5,0,0,1,0,0,0\n";
  const RecordedMotion motion = read(text);
  QCOMPARE(motion.tosses.size(), std::size_t(2));
  QCOMPARE(motion.tosses[0].tracks.size(), std::size_t(2));
  QCOMPARE(motion.tosses[0].tracks[1].body, std::string("b"));
  QCOMPARE(motion.tosses[0].tracks[1].samples[1].position.x(), 5.0);
  QCOMPARE(motion.tosses[1].name, std::string("2"));
}

void MotionFileTest::faultsAreNamedByLineAndColumn_data() {
  QTest::addColumn<QByteArray>("text");
  QTest::addColumn<QByteArray>("place");
  QTest::addColumn<QByteArray>("problem");
  const auto row = [](const char* name, const QByteArray& text, const char* place, const char* problem) {
    QTest::newRow(name) << text << QByteArray(place) << QByteArray(problem);
  };
  const QByteArray head = kHeader;
  row("empty", "", "", "no header");
  row("no lines", head, "1:1", "no lines below");
  row("a column is missing", "time_s,x_m,y_m,z_m,qw,qx,qy\n", "1:1", "no column 'qz'");
  row("a column is unknown", "time_s,x_m,y_m,z_m,qw,qx,qy,qz,vs\n", "1:32", "'vs' is no column");
  row("a column is there twice", "time_s,x_m,y_m,z_m,qw,qx,qy,qz,qw\n", "1:32", "twice");
  row("half a velocity", "time_s,x_m,y_m,z_m,qw,qx,qy,qz,vx\n", "1:1", "no column 'vy'");
  row("no number", head + "0,1,2,3,1,0,0,0\n0.1,1,2,x3,1,0,0,0\n", "3:9", "'x3' is not a finite number");
  row("not finite", head + "0,1,nan,3,1,0,0,0\n", "2:5", "not a finite number");
  row("half a pose", head + "0,1,2,,1,0,0,0\n", "2:7", "'' is not a finite number");
  row("too few cells", head + "0,1,2,3,1,0,0\n", "2:13", "7 cells and the header 8");
  row("time goes back", head + "0.2,1,2,3,1,0,0,0\n0.1,1,2,3,1,0,0,0\n", "3:1", "not later");
  row("time stands", head + "0.2,1,2,3,1,0,0,0\n0.2,1,2,3,1,0,0,0\n", "3:1", "not later");
  row("quaternion of zeros", head + "0,1,2,3,0,0,0,0\n", "2:9", "no length");
  row("open quote", head + "0,1,\"2,3,1,0,0,0\n", "2:1", "quote");
  row("velocity in a gap", "time_s,x_m,y_m,z_m,qw,qx,qy,qz,vx,vy,vz\n0,,,,,,,,1,2,3\n", "2:3",
      "without a pose");
  row("toss without a name", "toss," + head + ",0,1,2,3,1,0,0,0\n", "2:1", "no toss");
  row("group without a name", "group," + head + ",0,1,2,3,1,0,0,0\n", "2:1", "no group");
  row("a toss of two groups", "group," + head + "a,0,1,2,3,1,0,0,0\nb,1,1,2,3,1,0,0,0\n", "3:1",
      "not the group of the lines before");
}

void MotionFileTest::faultsAreNamedByLineAndColumn() {
  QFETCH(QByteArray, text);
  QFETCH(QByteArray, place);
  QFETCH(QByteArray, problem);
  try {
    read(text.toStdString());
  } catch (const SceneError& error) {
    const QByteArray what = error.what();
    const QByteArray file = QByteArray::fromStdString(m_folder.path("a.csv"));
    QVERIFY2(what.startsWith(file + ":" + (place.isEmpty() ? place : place + ":") + " "), what);
    QVERIFY2(what.contains(problem), what);
    QVERIFY2(what.contains("; ") && !what.endsWith("; "), what);
    return;
  }
  QFAIL("was accepted");
}

void MotionFileTest::faultsOfTheFormAreNamedByField_data() {
  QTest::addColumn<QByteArray>("json");
  QTest::addColumn<QByteArray>("field");
  QTest::newRow("no object") << QByteArray("[]") << QByteArray("");
  QTest::newRow("unknown field") << QByteArray(R"({"units": "mm"})") << QByteArray("units");
  QTest::newRow("unknown unit") << QByteArray(R"({"unit": "km"})") << QByteArray("unit");
  QTest::newRow("negative unit") << QByteArray(R"({"unit": -1})") << QByteArray("unit");
  QTest::newRow("up") << QByteArray(R"({"up": "x"})") << QByteArray("up");
  QTest::newRow("order") << QByteArray(R"({"quaternion": "zyxw"})") << QByteArray("quaternion");
  QTest::newRow("omega") << QByteArray(R"({"omega": "table"})") << QByteArray("omega");
  QTest::newRow("rate") << QByteArray(R"({"rate_hz": 0})") << QByteArray("rate_hz");
  QTest::newRow("column") << QByteArray(R"({"columns": {"x": "pos"}})") << QByteArray("columns.x");
  QTest::newRow("column twice") << QByteArray(R"({"columns": {"x_m": "p", "y_m": "p"}})")
                                << QByteArray("columns.y_m");
}

void MotionFileTest::faultsOfTheFormAreNamedByField() {
  QFETCH(QByteArray, json);
  QFETCH(QByteArray, field);
  try {
    motionFormatOf(json.toStdString(), "motion.json");
  } catch (const SceneError& error) {
    const QByteArray what = error.what();
    QVERIFY2(what.startsWith("motion.json:" + (field.isEmpty() ? field : field + ":")), what);
    return;
  }
  QFAIL("was accepted");
}

QTEST_APPLESS_MAIN(MotionFileTest)
#include "tst_motion_file.moc"
