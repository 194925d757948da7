#include <QtTest>

#include "core/robot/scene_readers.h"
#include "tests/support/command_folder.h"
#include "tests/support/tosses.h"

using namespace touchstone;

/// `run --motion` and `map --motion`, as a user starts them.
class MotionCommandTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase();
  void runPrintsTheChecksAndTheErrors();
  void tossesAreChosenByNameOrDrawn();
  void aNamedTossBecomesASceneAndATrajectory();
  void mapFindsTheFriction();
  void badInputIsRefusedWithItsPlace_data();
  void badInputIsRefusedWithItsPlace();

 private:
  struct Answer {
    int code;
    QByteArray out, error;
  };
  Answer answerTo(const QStringList& arguments) const {
    const auto process = m_folder.started(arguments);
    const int code = test::endOf(*process, 60000);
    return {code, process->readAllStandardOutput(), process->readAllStandardError()};
  }
  test::CommandFolder m_folder;
};

void MotionCommandTest::initTestCase() {
  m_folder.write("scene.json", test::tossScene(0.25));
  const auto scene = loadScene(m_folder.at("scene.json").toStdString());
  m_folder.write("tosses.csv", test::csvOf(test::simulatedTosses(*scene, 5, 100)).c_str());
}

void MotionCommandTest::runPrintsTheChecksAndTheErrors() {
  const Answer answer = answerTo(
      {"run", "scene.json", "--motion", "tosses.csv", "--methods", "lcp,lcp-pgs", "--out", "result"});
  QVERIFY2(answer.code == 0, answer.error);
  for (const char* text : {"ok    Free fall", "centre, mean [widths]", "lcp − lcp-pgs", "5 tosses"})
    QVERIFY2(answer.out.contains(text), answer.out);
  QCOMPARE(m_folder.content("result/motion.csv").count('\n'), 11);
  QVERIFY(m_folder.content("result/manifest.json").contains("\"touchstone_motion\": 1"));
  QVERIFY(m_folder.content("result/summary.txt").contains("centre, mean"));
  const QStringList again = {"run", "scene.json", "--motion", "tosses.csv", "--toss", "1", "--out", "result"};
  QCOMPARE(answerTo(again).code, 2);
  QCOMPARE(answerTo(QStringList(again) << "--force").code, 0);
  QCOMPARE(m_folder.content("result/motion.csv").count('\n'), 2);
}

void MotionCommandTest::tossesAreChosenByNameOrDrawn() {
  QVERIFY(
      answerTo({"run", "scene.json", "--motion", "tosses.csv", "--toss", "4,1"}).out.contains("2 tosses"));
  QVERIFY(
      answerTo({"run", "scene.json", "--motion", "tosses.csv", "--tosses", "3"}).out.contains("3 tosses"));
}

void MotionCommandTest::aNamedTossBecomesASceneAndATrajectory() {
  const QStringList run = {"run", "scene.json", "--motion", "tosses.csv", "--toss", "2", "--out", "named"};
  QCOMPARE(answerTo(run).code, 0);
  const auto original = loadScene(m_folder.at("scene.json").toStdString()),
             own = loadScene(m_folder.at("named/toss-2.json").toStdString());
  QVERIFY((own->bodies[1].position - original->bodies[1].position).norm() > 0.01);
  QVERIFY(own->bodies[1].shape->surfaces[0].vertices == original->bodies[1].shape->surfaces[0].vertices);
  QVERIFY(own->bodies[1].linearVelocity.norm() > 0.1 && own->gravity == original->gravity);
  QVERIFY(m_folder.content("named/toss-2.csv").startsWith("# touchstone_trajectory: 1\n"));
  QCOMPARE(m_folder.content("named/toss-2.csv").count('\n'), 6 + 101);
  // The recorded motion starts where the scene does: no warning about it.
  const Answer judged = answerTo({"judge", "named/toss-2.json", "named/toss-2.csv"});
  QVERIFY2(judged.code == 0, judged.error);
  QVERIFY2(!judged.out.contains("arning"), judged.out);
  QCOMPARE(answerTo(QStringList(run) << "--force").code, 0);
}

void MotionCommandTest::mapFindsTheFriction() {
  const Answer answer =
      answerTo({"map", "scene.json", "--method", "lcp", "--vary", "scene.friction=0.2,0.25,0.3", "--motion",
                "tosses.csv", "--score", "mean", "--out", "map"});
  QVERIFY2(answer.code == 0, answer.error);
  QVERIFY2(answer.out.contains("Best: scene.friction = 0.25"), answer.out);
  QCOMPARE(m_folder.content("map/map.csv").count('\n'), 4);
}

void MotionCommandTest::badInputIsRefusedWithItsPlace_data() {
  QTest::addColumn<QStringList>("options");
  QTest::addColumn<QByteArray>("text");
  m_folder.write("broken.csv", "time_s,x_m,y_m,z_m,qw,qx,qy,qz\n0,1,2,x,1,0,0,0\n");
  const QStringList run = {"run", "scene.json", "--motion"};
  QTest::newRow("no file") << (run + QStringList{"none.csv"}) << QByteArray("none.csv");
  QTest::newRow("broken") << (run + QStringList{"broken.csv"}) << QByteArray("broken.csv:2:7: ");
  QTest::newRow("no such toss") << (run + QStringList{"tosses.csv", "--toss", "9"}) << QByteArray("--toss 9");
  QTest::newRow("with a time") << (run + QStringList{"tosses.csv", "--time", "1"}) << QByteArray("--time");
  QTest::newRow("tosses of nothing") << QStringList{"run", "scene.json", "--tosses", "3"}
                                     << QByteArray("--motion");
  QTest::newRow("score") << QStringList{"map",      "scene.json", "--method",
                                        "lcp",      "--vary",     "scene.friction=0,1",
                                        "--motion", "tosses.csv", "--score",
                                        "largest"}
                         << QByteArray("--score");
}

void MotionCommandTest::badInputIsRefusedWithItsPlace() {
  QFETCH(QStringList, options);
  QFETCH(QByteArray, text);
  const Answer answer = answerTo(options);
  QCOMPARE(answer.code, 2);
  QVERIFY2(answer.error.contains(text), answer.error);
}

QTEST_GUILESS_MAIN(MotionCommandTest)
#include "tst_motion_command.moc"
