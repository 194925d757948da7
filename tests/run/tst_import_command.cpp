#include <QProcess>
#include <QtTest>

#include "core/robot/scene_readers.h"
#include "core/scene/scene.h"
#include "tests/scene/scene_folder.h"
#include "tests/support/command_folder.h"

using namespace touchstone;

/// touchstone-cli import writes scenes that can be passed on.
class ImportCommandTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void writesASceneOnce();
  void copiesMeshesBesideTheScene();
  void runsARobotAsItIs();

 private:
  using Result = test::CommandFolder::Result;
  test::CommandFolder m_folder;
};

static const QByteArray kArm =
    "<robot name='arm'><link name='base'/><link name='part'><collision><geometry><box size='0.1 0.1 "
    "0.4'/></geometry>"
    "</collision></link><joint name='j' type='continuous'><origin xyz='0 0 1'/><axis xyz='0 1 0'/><parent "
    "link='base'/>"
    "<child link='part'/></joint></robot>";

void ImportCommandTest::writesASceneOnce() {
  m_folder.write("arm.urdf", kArm);
  const Result first = m_folder.run({"import", "arm.urdf", "--density", "500", "--ground"});
  QVERIFY2(first.code == 0, first.error);
  QVERIFY2(first.out.contains("robot/link[part]: no inertial") && first.out.contains("Written to arm.json"),
           first.out);
  const auto scene = loadScene(m_folder.at("arm.json").toStdString());
  QCOMPARE(scene->bodies.size(), std::size_t(2));
  QVERIFY(std::abs(scene->bodies[0].mass - 2) < 1e-12);
  const Result second = m_folder.run({"import", "arm.urdf"});
  QVERIFY2(second.code == 2 && second.error.contains("--force"), second.error);
  QCOMPARE(m_folder.run({"import", "arm.urdf", "--force"}).code, 0);
  QCOMPARE(loadScene(m_folder.at("arm.json").toStdString())->bodies.size(), std::size_t(1));
  m_folder.write("mine.json", "{}");
  QCOMPARE(m_folder.run({"import", "arm.urdf", "--force", "--out", "mine.json"}).code, 2);
  QCOMPARE(m_folder.content("mine.json"), QByteArray("{}"));
  QCOMPARE(m_folder.run({"import", "mine.json", "--out", "x.json"}).code, 2);
  QCOMPARE(m_folder.run({"import", "arm.urdf", "--package", "x", "--out", "x.json"}).code, 2);
}

void ImportCommandTest::copiesMeshesBesideTheScene() {
  QDir(m_folder.path()).mkpath("hand/urdf");
  QDir(m_folder.path()).mkpath("hand/meshes");
  QDir(m_folder.path()).mkpath("out");
  m_folder.write("hand/meshes/cube.obj", test::cubeObj());
  m_folder.write("hand/urdf/hand.urdf",
                 QByteArray(kArm).replace("<box size='0.1 0.1 0.4'/>",
                                          "<mesh filename='package://hand/meshes/cube.obj'/>"));
  const Result result = m_folder.run({"import", "hand/urdf/hand.urdf", "--out", "out/hand.json"});
  QVERIFY2(result.code == 0, result.error);
  QCOMPARE(m_folder.content("out/hand-meshes/meshes/cube.obj"), test::cubeObj());
  QVERIFY(!m_folder.content("out/hand.json").contains(m_folder.path().toUtf8()));
  QVERIFY(QDir(m_folder.at("hand")).removeRecursively());
  QCOMPARE(loadScene(m_folder.at("out/hand.json").toStdString())->bodies.size(), std::size_t(1));
}

void ImportCommandTest::runsARobotAsItIs() {
  m_folder.write("arm.urdf", kArm);
  const Result result = m_folder.run({"run", "arm.urdf", "--time", "0.1", "--record", "arm.touchstone"});
  QVERIFY2(result.code == 0, result.error);
  QVERIFY2(result.out.contains("arm.urdf: robot/link[part]: no inertial"), result.out);
  QFile::remove(m_folder.at("arm.urdf"));
  const Result again = m_folder.run({"replay", "arm.touchstone"});
  QVERIFY2(again.code == 0, again.error + again.out);
}

QTEST_GUILESS_MAIN(ImportCommandTest)
#include "tst_import_command.moc"
