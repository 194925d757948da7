#include <fcntl.h>
#include <unistd.h>

#include <QtTest>

#include "core/files/scene_error.h"
#include "core/robot/robot_import.h"
#include "core/robot/scene_readers.h"
#include "tests/scene/scene_folder.h"

using namespace touchstone;

/// Bad URDF and MJCF files are refused with file, element, problem and remedy.
class BadRobotFilesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void urdfIsRefused_data();
  void urdfIsRefused();
  void mjcfIsRefused_data();
  void mjcfIsRefused();
  void filesAreRefused_data();
  void filesAreRefused();
  void includeLoopsAreRefused();
  void nothingIsWrittenToTheConsole();

 private:
  void requireRefused(const std::string& path, const QString& field, const QString& says);
  test::SceneFolder m_folder;
};

namespace {

void columns() {
  QTest::addColumn<QByteArray>("content");
  QTest::addColumn<QString>("field");
  QTest::addColumn<QString>("says");
}
void row(const char* name, const QByteArray& content, const char* field, const char* says) {
  QTest::newRow(name) << content << QString::fromUtf8(field) << QString::fromUtf8(says);
}

const char kLinks[] = "<link name='a'/><link name='b'/>";
const char kEnds[] = "<parent link='a'/><child link='b'/>";
const char kLimit[] = "<limit lower='-1' upper='1' effort='1' velocity='1'/>";
QByteArray jointed(const QByteArray& joint) {
  return QByteArray(kLinks) + "<joint name='elbow' type='revolute'>" + joint + "</joint>";
}
QByteArray inertial(const QByteArray& content) {
  return "<link name='a'><inertial>" + content + "</inertial></link>";
}
QByteArray solid(const QByteArray& geometry) {
  return "<link name='a'><collision><geometry>" + geometry + "</geometry></collision></link>";
}
QByteArray body(const QByteArray& content) {
  return "<worldbody><body name='b'>" + content + "</body></worldbody>";
}
QByteArray hinge(const QByteArray& attributes) {
  return body("<joint name='j' " + attributes + "/><geom size='0.1'/>");
}
QByteArray geom(const QByteArray& attributes) {
  return body("<joint name='j'/><geom name='g' " + attributes + "/>");
}

}  // namespace

void BadRobotFilesTest::requireRefused(const std::string& path, const QString& field, const QString& says) {
  try {
    importRobot(path);
  } catch (const SceneError& error) {
    const QString text = QString::fromUtf8(error.what());
    const QString begin = QString::fromStdString(path) + (field.isEmpty() ? ": " : ":" + field + ": ");
    QVERIFY2(text.startsWith(begin), qPrintable(text));
    QVERIFY2(text.contains(says) && text.contains(QStringLiteral("; ")), qPrintable(text));
    QVERIFY_EXCEPTION_THROWN(loadScene(path), SceneError);
    return;
  }
  QFAIL("was accepted");
}

void BadRobotFilesTest::urdfIsRefused_data() {
  columns();
  row("no link", "", "robot", "add one");
  row("link without name", "<link/>", "robot/link", "add name");
  row("empty name", "<link name=' '/>", "robot/link[ ]", "give it a value");
  row("name twice", "<link name='a'/><link name='a'/>", "robot/link[a]", "rename");
  row("joint without name", QByteArray(kLinks) + "<joint type='fixed'/>", "robot/joint", "add name");
  row("joint name twice",
      QByteArray(kLinks) +
          "<link name='c'/><joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint>"
          "<joint name='j' type='fixed'><parent link='b'/><child link='c'/></joint>",
      "robot/joint[j]", "rename");
  row("joint without type", QByteArray(kLinks) + "<joint name='j'>" + kEnds + "</joint>", "robot/joint[j]",
      "add type");
  row("unknown type", QByteArray(kLinks) + "<joint name='j' type='hinge'>" + kEnds + "</joint>",
      "robot/joint[j]", "use revolute");
  row("floating joint", QByteArray(kLinks) + "<joint name='j' type='floating'>" + kEnds + "</joint>",
      "robot/joint[j]", "free base");
  row("planar joint", QByteArray(kLinks) + "<joint name='j' type='planar'>" + kEnds + "</joint>",
      "robot/joint[j]", "prismatic");
  row("no parent", jointed("<child link='b'/>"), "robot/joint[elbow]", "add parent");
  row("no child", jointed("<parent link='a'/>"), "robot/joint[elbow]", "add child");
  row("parent without link", jointed("<parent/><child link='b'/>"), "robot/joint[elbow]/parent", "add link");
  row("missing link", jointed("<parent link='a'/><child link='c'/>"), "robot/joint[elbow]/child",
      "correct the name");
  row("own parent", jointed("<parent link='a'/><child link='a'/>"), "robot/joint[elbow]", "name two links");
  row("two parents",
      QByteArray(kLinks) +
          "<link name='c'/><joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint>"
          "<joint name='k' type='fixed'><parent link='c'/><child link='b'/></joint>",
      "robot/joint[k]", "a URDF is a tree");
  row("no root",
      QByteArray(kLinks) +
          "<joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint>"
          "<joint name='k' type='fixed'><parent link='b'/><child link='a'/></joint>",
      "robot", "remove a joint of the loop");
  row("loop beside the root",
      QByteArray(kLinks) +
          "<link name='c'/><joint name='j' type='fixed'><parent link='b'/><child link='c'/></joint>"
          "<joint name='k' type='fixed'><parent link='c'/><child link='b'/></joint>",
      "robot/link[b]", "remove a joint of the loop");
  row("several roots", kLinks, "robot", "join all links");
  row("no limit", jointed(kEnds), "robot/joint[elbow]", "add limit");
  row("limits swapped", jointed(QByteArray(kEnds) + "<limit lower='1' upper='-1' effort='1' velocity='1'/>"),
      "robot/joint[elbow]/limit", "swap them");
  row("limit no number",
      jointed(QByteArray(kEnds) + "<limit lower='low' upper='1' effort='1' velocity='1'/>"),
      "robot/joint[elbow]/limit", "with a point");
  row("decimal comma", jointed(QByteArray(kEnds) + "<limit lower='-1,5' upper='1' effort='1' velocity='1'/>"),
      "robot/joint[elbow]/limit", "with a point");
  row("negative effort",
      jointed(QByteArray(kEnds) + "<limit lower='-1' upper='1' effort='-1' velocity='1'/>"),
      "robot/joint[elbow]/limit", "give 0 or");
  row("not a number", jointed(QByteArray(kEnds) + "<limit lower='nan' upper='1' effort='1' velocity='1'/>"),
      "robot/joint[elbow]/limit", "not finite");
  row("infinite", jointed(QByteArray(kEnds) + "<limit lower='0' upper='inf' effort='1' velocity='1'/>"),
      "robot/joint[elbow]/limit", "not finite");
  row("huge", jointed(QByteArray(kEnds) + "<origin xyz='1e30 0 0'/>" + kLimit), "robot/joint[elbow]/origin",
      "SI units");
  row("beyond double", jointed(QByteArray(kEnds) + "<origin xyz='1e999 0 0'/>" + kLimit),
      "robot/joint[elbow]/origin", "decimal numbers");
  row("two coordinates", jointed(QByteArray(kEnds) + "<origin xyz='1 0'/>" + kLimit),
      "robot/joint[elbow]/origin", "give 3");
  row("axis without length", jointed(QByteArray(kEnds) + "<axis xyz='0 0 0'/>" + kLimit),
      "robot/joint[elbow]/axis", "give the direction");
  row("negative damping", jointed(QByteArray(kEnds) + kLimit + "<dynamics damping='-1'/>"),
      "robot/joint[elbow]/dynamics", "give 0 or");
  row("mimic of nothing", jointed(QByteArray(kEnds) + kLimit + "<mimic joint='x'/>"),
      "robot/joint[elbow]/mimic[x]", "correct the name");
  row("mimic of itself", jointed(QByteArray(kEnds) + kLimit + "<mimic joint='elbow'/>"),
      "robot/joint[elbow]/mimic[elbow]", "that leads");
  row("mimic without joint", jointed(QByteArray(kEnds) + kLimit + "<mimic/>"), "robot/joint[elbow]/mimic",
      "add joint");
  const auto follower = [](const char* name, const char* child, const char* leader) {
    return QByteArray("<link name='") + child + "'>" +
           "<inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' "
           "izz='1'/></inertial></link><joint name='" +
           name + "' type='continuous'><parent link='a'/><child link='" + child + "'/><mimic joint='" +
           leader + "'/></joint>";
  };
  row("mimics in a loop", "<link name='a'/>" + follower("j", "b", "k") + follower("k", "c", "j"),
      "robot/joint[j]", "remove one mimic");
  row("no mass", inertial("<inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/>"),
      "robot/link[a]/inertial", "add mass");
  row("negative mass", inertial("<mass value='-1'/>"), "robot/link[a]/inertial/mass", "in kg");
  row("mass not a number", inertial("<mass value='NaN'/>"), "robot/link[a]/inertial/mass", "not finite");
  row("missing moment", inertial("<mass value='1'/><inertia ixx='1' iyy='1'/>"),
      "robot/link[a]/inertial/inertia", "all six");
  row("no geometry", "<link name='a'><collision/></link>", "robot/link[a]/collision", "add box");
  row("empty geometry", solid(""), "robot/link[a]/collision/geometry", "add box");
  row("two shapes", solid("<box size='1 1 1'/><sphere radius='1'/>"), "robot/link[a]/collision/geometry",
      "its own collision");
  row("unknown shape", solid("<cone radius='1'/>"), "robot/link[a]/collision/geometry/cone", "use box");
  row("flat box", solid("<box size='1 0 1'/>"), "robot/link[a]/collision/geometry/box", "edge lengths");
  row("negative radius", solid("<sphere radius='-1'/>"), "robot/link[a]/collision/geometry/sphere",
      "above 0");
  row("cylinder without length", solid("<cylinder radius='1'/>"), "robot/link[a]/collision/geometry/cylinder",
      "add length");
  row("mesh without file", solid("<mesh/>"), "robot/link[a]/collision/geometry/mesh", "add filename");
  row("mesh that is not there", solid("<mesh filename='no.obj'/>"), "robot/link[a]/collision/geometry/mesh",
      "no.obj");
  row("mesh of unknown kind", solid("<mesh filename='robot.urdf'/>"), "robot/link[a]/collision/geometry/mesh",
      "format");
  row("mesh outside", solid("<mesh filename='../../x.obj'/>"), "robot/link[a]/collision/geometry/mesh",
      "put the file into that folder");
  row("mesh at an absolute path", solid("<mesh filename='/x.obj'/>"), "robot/link[a]/collision/geometry/mesh",
      "relative to the robot");
  row("mesh by an absolute address", solid("<mesh filename='file:///x.obj'/>"),
      "robot/link[a]/collision/geometry/mesh", "package://NAME/PATH");
  row("mesh from the network", solid("<mesh filename='http://x/y.obj'/>"),
      "robot/link[a]/collision/geometry/mesh", "folder of the robot");
  row("unknown package", solid("<mesh filename='package://p/x.obj'/>"),
      "robot/link[a]/collision/geometry/mesh", "--package p=FOLDER");
  row("package goes up", solid("<mesh filename='package://p/../x.obj'/>"),
      "robot/link[a]/collision/geometry/mesh", "remove the ..");
  row("package is up", solid("<mesh filename='package://../x.obj'/>"),
      "robot/link[a]/collision/geometry/mesh", "whose folder is not known");
  row("package without path", solid("<mesh filename='package://p'/>"),
      "robot/link[a]/collision/geometry/mesh", "package://NAME/PATH");
  row("mesh without size", solid("<mesh filename='x.obj' scale='0 1 1'/>"),
      "robot/link[a]/collision/geometry/mesh", "factors");
  row("xacro expression", "<link name='${name}'/>", "robot/link[${name}]", "run xacro");
  row("xacro element", "<xacro:macro name='m'/>", "robot/xacro:macro[m]", "line 1");
  row("nothing to see", "<link name='a'/>", "", "shapes and masses");
}

void BadRobotFilesTest::urdfIsRefused() {
  QFETCH(QByteArray, content);
  QFETCH(QString, field);
  QFETCH(QString, says);
  requireRefused(m_folder.write("robot.urdf", "<robot name='r'>" + content + "</robot>"), field, says);
}

void BadRobotFilesTest::mjcfIsRefused_data() {
  columns();
  row("no world", "", "mujoco", "add one");
  row("joint of the world", "<worldbody><joint/></worldbody>", "mujoco/worldbody/joint", "into a body");
  row("global coordinates", "<compiler coordinate='global'/>", "mujoco/compiler", "local coordinates");
  row("unknown angle", "<compiler angle='turn'/>", "mujoco/compiler", "degree or radian");
  row("unknown sequence", "<compiler eulerseq='abc'/>", "mujoco/compiler", "three letters");
  row("unknown class", hinge("class='x'"), "mujoco/worldbody/body[b]/joint[j]", "add the default");
  row("unknown child class", "<worldbody><body name='b' childclass='x'/></worldbody>",
      "mujoco/worldbody/body[b]", "add the default");
  row("class twice", "<default><default class='x'/><default class='x'/></default><worldbody/>",
      "mujoco/default/default", "rename");
  row("unknown joint", hinge("type='screw'"), "mujoco/worldbody/body[b]/joint[j]", "use free");
  row("axis without length", hinge("axis='0 0 0'"), "mujoco/worldbody/body[b]/joint[j]", "direction");
  row("range swapped", hinge("range='2 1'"), "mujoco/worldbody/body[b]/joint[j]", "swap");
  row("range of one", hinge("range='2'"), "mujoco/worldbody/body[b]/joint[j]", "give 2");
  row("limited without range", hinge("limited='true'"), "mujoco/worldbody/body[b]/joint[j]", "add range");
  row("negative damping", hinge("damping='-1'"), "mujoco/worldbody/body[b]/joint[j]", "give 0");
  row("negative armature", hinge("armature='-1'"), "mujoco/worldbody/body[b]/joint[j]", "give 0");
  row("start beyond half a turn", hinge("range='190 200'"), "mujoco/worldbody/body[b]/joint[j]",
      "turn its frame");
  row("free joint within",
      body("<geom size='1'/><body name='c'><freejoint name='f'/><geom size='1'/></body>"),
      "mujoco/worldbody/body[b]/body[c]/freejoint[f]", "into worldbody");
  row("name twice", "<worldbody><body name='b'/><body name='b'/></worldbody>", "mujoco/worldbody/body[b]",
      "rename");
  row("joint name twice", body("<joint name='j'/><joint name='j'/><geom size='1'/>"),
      "mujoco/worldbody/body[b]/joint[j]", "rename");
  row("body without mass", body("<joint name='j'/>"), "mujoco/worldbody/body[b]", "give it an inertial");
  row("no size", geom("type='box'"), "mujoco/worldbody/body[b]/geom[g]", "add size");
  row("too few sizes", geom("type='box' size='1 1'"), "mujoco/worldbody/body[b]/geom[g]", "give 3");
  row("negative size", geom("size='-1'"), "mujoco/worldbody/body[b]/geom[g]", "half sizes");
  row("unknown geom", geom("type='cone' size='1'"), "mujoco/worldbody/body[b]/geom[g]", "use plane");
  row("plane that moves", geom("type='plane' size='1 1 1'"), "mujoco/worldbody/body[b]/geom[g]", "use a box");
  row("fromto without length", geom("type='capsule' fromto='1 1 1 1 1 1' size='0.1'"),
      "mujoco/worldbody/body[b]/geom[g]", "two points");
  row("quaternion without length", geom("size='1' quat='0 0 0 0'"), "mujoco/worldbody/body[b]/geom[g]",
      "unit quaternion");
  row("negative mass", geom("size='1' mass='-1'"), "mujoco/worldbody/body[b]/geom[g]", "give 0");
  row("half a bit", geom("size='1' contype='0.5'"), "mujoco/worldbody/body[b]/geom[g]", "whole number");
  row("unknown mesh", geom("type='mesh' mesh='x'"), "mujoco/worldbody/body[b]/geom[g]", "add it to asset");
  row("mesh outside", "<asset><mesh name='m' file='../x.obj'/></asset>" + geom("type='mesh' mesh='m'"),
      "mujoco/asset/mesh[m]", "into that folder");
  row("mesh folder outside",
      "<compiler meshdir='/'/><asset><mesh name='m' file='x.obj'/></asset>" + geom("type='mesh' mesh='m'"),
      "mujoco/asset/mesh[m]", "relative to");
  row("fitted shape", geom("type='box' mesh='x'"), "mujoco/worldbody/body[b]/geom[g]", "give its size");
  row("inertial without moments", body("<joint name='j'/><inertial mass='1'/>"),
      "mujoco/worldbody/body[b]/inertial", "add one");
  row("negative inertial", body("<joint name='j'/><inertial mass='-1' diaginertia='1 1 1'/>"),
      "mujoco/worldbody/body[b]/inertial", "in kg");
  row("composite", body("<composite type='rope'/>"), "mujoco/worldbody/body[b]/composite",
      "write its bodies out");
  row("flexcomp", body("<flexcomp name='f'/>"), "mujoco/worldbody/body[b]/flexcomp[f]",
      "write its bodies out");
  row("plugin", body("<plugin/>"), "mujoco/worldbody/body[b]/plugin", "remove it");
  row("extension", "<extension/><worldbody/>", "mujoco/extension", "remove the element");
  row("deformable", "<deformable/><worldbody/>", "mujoco/deformable", "remove the element");
  row("equality of tendons", hinge("") + "<equality><tendon name='e'/></equality>",
      "mujoco/equality/tendon[e]", "use connect");
  row("equality of nothing", hinge("") + "<equality><joint joint1='j' joint2='x'/></equality>",
      "mujoco/equality/joint", "correct the name");
  row("curved coupling", hinge("") + "<equality><joint joint1='j' joint2='j' polycoef='0 1 1'/></equality>",
      "mujoco/equality/joint", "two joints");
  row("excluded nothing", hinge("") + "<contact><exclude body1='b' body2='x'/></contact>",
      "mujoco/contact/exclude", "correct the name");
  row("motor of nothing", hinge("") + "<actuator><motor name='m' joint='x'/></actuator>",
      "mujoco/actuator/motor[m]", "correct the name");
  row("zero step", "<option timestep='0'/>" + hinge(""), "mujoco/option", "above 0");
  row("include outside", "<include file='../x.xml'/>", "mujoco/include", "into that folder");
  row("include of nothing", "<include/>", "mujoco/include", "add file");
  row("frame of unknown class", body("<frame childclass='x'/>"), "mujoco/worldbody/body[b]/frame",
      "add the default");
}

void BadRobotFilesTest::mjcfIsRefused() {
  QFETCH(QByteArray, content);
  QFETCH(QString, field);
  QFETCH(QString, says);
  requireRefused(m_folder.write("model.xml", "<mujoco model='m'>" + content + "</mujoco>"), field, says);
}

void BadRobotFilesTest::filesAreRefused_data() {
  columns();
  row("other root", "<sdf/>", "sdf", "export a URDF");
  row("root of no format", "<html/>", "html",
      "must be robot (URDF) or mujoco (MJCF); give a URDF or MJCF file");
  row("not closed", "<robot><link", "line 1", "close its elements");
  row("two quotes", "<robot name=\"a\"b\"/>", "line 1", "close its elements");
  row("only a bracket", "<", "line 1", "close its elements");
  row("document type", "<!DOCTYPE robot><robot/>", "", "remove <!DOCTYPE");
  row("entities", "<!DOCTYPE r [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;&a;&a;'>]><robot name='&b;'/>", "",
      "remove <!DOCTYPE");
  row("zero character", QByteArray("<robot\0/>", 9), "", "UTF-8");
  row("other encoding", "<robot name='\xff\xfe'/>", "", "UTF-8");
  QByteArray deep = "<mujoco><worldbody>";
  for (int level = 0; level < 20'000; ++level) deep += "<body>";
  row("deep", deep, "line 1", "remove levels");
  QByteArray attributes;
  for (int number = 0; number < 100'000; ++number) attributes += " a" + QByteArray::number(number) + "='='";
  row("many attributes", "<robot name='r'" + attributes + "><link name='a'/></robot>", "", "child elements");
  row("many attributes of a model", "<mujoco><worldbody><body" + attributes + "/></worldbody></mujoco>", "",
      "child elements");
  row("large", "<robot>" + QByteArray(17 << 20, ' ') + "</robot>", "", "files of their own");
  QByteArray many = "<robot>";
  for (int link = 0; link < 2001; ++link) many += "<link name='" + QByteArray::number(link) + "'/>";
  row("many links", many + "</robot>", "robot", "simplify");
  QByteArray classes = "<mujoco><default>";
  for (int number = 0; number < 3000; ++number)
    classes += "<default class='" + QByteArray::number(number) + "'/>";
  row("many classes", classes + "</default></mujoco>", "mujoco/default/default", "use fewer");
}

void BadRobotFilesTest::filesAreRefused() {
  QFETCH(QByteArray, content);
  QFETCH(QString, field);
  QFETCH(QString, says);
  requireRefused(m_folder.write("file.xml", content), field, says);
}

void BadRobotFilesTest::includeLoopsAreRefused() {
  m_folder.write("b.xml", "<mujocoinclude><include file='a.xml'/></mujocoinclude>");
  const std::string loop = m_folder.write("a.xml", "<mujoco><include file='b.xml'/></mujoco>");
  try {
    importRobot(loop);
    QFAIL("was accepted");
  } catch (const SceneError& error) {
    QVERIFY2(QByteArray(error.what()).contains("b.xml:mujoco/include: includes 'a.xml' a second time"),
             error.what());
  }
  m_folder.write("c.xml", "<robot/>");
  const std::string other = m_folder.write("d.xml", "<mujoco><include file='c.xml'/></mujoco>");
  QVERIFY_EXCEPTION_THROWN(importRobot(other), SceneError);
}

void BadRobotFilesTest::nothingIsWrittenToTheConsole() {
  const QString log = QString::fromStdString(m_folder.path("log"));
  fflush(nullptr);
  const int out = dup(1), error = dup(2),
            file = ::open(log.toLocal8Bit().constData(), O_CREAT | O_RDWR, 0600);
  dup2(file, 1);
  dup2(file, 2);
  const std::string path = m_folder.write("quiet.urdf",
                                          "<robot name='r'><link name='a'/><link name='b'><inertial><mass "
                                          "value='0'/></inertial><collision><geometry>"
                                          "<box size='1 1 1'/></geometry></collision></link><joint name='j' "
                                          "type='continuous'><parent link='a'/><child "
                                          "link='b'/></joint></robot>");
  std::string problem;
  try {
    importRobot(path);
  } catch (const std::exception& failed) {
    problem = failed.what();
  }
  fflush(nullptr);
  dup2(out, 1);
  dup2(error, 2);
  for (int descriptor : {out, error, file}) ::close(descriptor);
  QCOMPARE(problem, std::string());
  QFile written(log);
  QVERIFY(written.open(QIODevice::ReadOnly));
  QCOMPARE(written.readAll(), QByteArray());
}

QTEST_APPLESS_MAIN(BadRobotFilesTest)
#include "tst_bad_robot_files.moc"
