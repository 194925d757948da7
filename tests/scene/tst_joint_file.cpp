#include <QtTest>
#include <fstream>

#include "core/files/scene_error.h"
#include "core/robot/scene_readers.h"
#include "core/scene/scene.h"
#include "tests/support/near.h"

using namespace touchstone;

class JointFileTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void readsAJoint();
  void armatureIsAddedAboutTheAxis();
  void targetsAreStraightLines();
  void assemblesBodiesThatDoNotFit();
  void badJointsAreRefused_data();
  void badJointsAreRefused();

 private:
  std::shared_ptr<const Scene> load(const QString& joints, const QString& more = {});
  QTemporaryDir m_folder;
};

static const char kHead[] =
    R"({"touchstone": 1, "name": "joints", "title": "t", "dt": 0.01, "methods": ["nsn"],
  "bodies": [
    {"name": "a", "position": [0, 0, 0], "mass": 1, "shape": {"type": "box", "size": [0.2, 0.2, 0.2]}},
    {"name": "b", "position": [1, 0, 0], "mass": 1, "shape": {"type": "box", "size": [0.2, 0.2, 0.2]}},
    {"name": "wall", "motion": "static", "shape": {"type": "box", "size": [0.2, 0.2, 0.2]}},
    {"name": "floor", "motion": "static", "shape": {"type": "plane", "normal": [0, 1, 0]}}],
  "joints": [)";

std::shared_ptr<const Scene> JointFileTest::load(const QString& joints, const QString& more) {
  const QString path = m_folder.filePath(QStringLiteral("joints.json"));
  std::ofstream(path.toStdString()) << kHead << joints.toStdString() << "]" << more.toStdString() << "}";
  return loadScene(path.toStdString());
}

void JointFileTest::readsAJoint() {
  const auto scene = load(QStringLiteral(
      R"({"name": "hinge", "type": "revolute", "body_a": "a", "body_b": "b", "position": [0.5, 0, 0], "axis": [0, 0, 2],
          "limits": [-1, 2], "drive": {"stiffness": 5, "damping": 1, "target": 0.5, "most_force": 3},
          "dry_friction": 0.1, "collide": true},
         {"name": "rail", "type": "prismatic", "body_b": "a", "position": [0, 0, 0], "axis": [1, 0, 0],
          "mimic": {"joint": "hinge", "ratio": 0.1}})"));
  QCOMPARE(scene->joints.size(), std::size_t(2));
  const Joint& hinge = scene->joints[0];
  QVERIFY(hinge.kind == JointKind::Revolute && hinge.bodyA == 0 && hinge.bodyB == 1 && hinge.collide);
  QVERIFY_NEAR((hinge.frames.anchorB - Vec3(-0.5, 0, 0)).norm(), 0, 1e-15);
  QVERIFY_NEAR((hinge.frames.frameA * Vec3(1, 0, 0) - Vec3(0, 0, 1)).norm(), 0, 1e-15);
  QVERIFY(hinge.lower == -1 && hinge.upper == 2 && hinge.drive.stiffness == 5 && hinge.drive.mostForce == 3);
  QVERIFY(scene->joints[1].bodyA == -1 && scene->joints[1].mimic.joint == 0);
}

void JointFileTest::armatureIsAddedAboutTheAxis() {
  const auto scene = load(QStringLiteral(
      R"({"name": "hinge", "type": "revolute", "body_b": "a", "position": [0, 0, 0], "axis": [0, 0, 2], "armature": 0.5})"));
  const double plain = 0.08 / 12;
  QVERIFY_NEAR((scene->bodies[0].inertia - Mat3(Vec3(plain, plain, plain + 0.5).asDiagonal())).norm(), 0,
               1e-15);
}

void JointFileTest::targetsAreStraightLines() {
  const auto scene = load(QStringLiteral(
      R"({"name": "hinge", "type": "revolute", "body_b": "a", "position": [0, 0, 0], "axis": [0, 0, 1],
          "drive": {"damping": 1, "targets": [[1, 2], [3, 6], [4, 6]]}})"));
  const JointDrive& drive = scene->joints[0].drive;
  const auto is = [&drive](double time, double target, double rate) {
    const JointDrive::Aim aim = drive.aimAt(time);
    return std::abs(aim.target - target) < 1e-14 && std::abs(aim.rate - rate) < 1e-14;
  };
  QVERIFY(is(0, 2, 0) && is(1.5, 3, 2) && is(3, 6, 2) && is(3.5, 6, 0) && is(9, 6, 0));
}

void JointFileTest::assemblesBodiesThatDoNotFit() {
  const auto scene = load(
      QStringLiteral(
          R"({"name": "ball", "type": "ball", "body_a": "a", "body_b": "b", "anchor_a": [0.3, 0, 0], "anchor_b": [-0.3, 0.1, 0]})"),
      QStringLiteral(R"(, "assemble": true)"));
  const Body &a = scene->bodies[0], &b = scene->bodies[1];
  const Vec3 apart =
      (b.position + b.orientation * Vec3(-0.3, 0.1, 0)) - (a.position + a.orientation * Vec3(0.3, 0, 0));
  QVERIFY_NEAR(apart.norm(), 0, 1e-8);
  QVERIFY_NEAR((a.position + b.position - Vec3(1, 0, 0)).norm(), 0, 1e-8);  // equal masses move alike
}

void JointFileTest::badJointsAreRefused_data() {
  QTest::addColumn<QString>("joint");
  QTest::addColumn<QString>("field");
  QTest::addColumn<QString>("says");
  const auto row = [](const char* name, const char* joint, const char* field, const char* says) {
    QTest::newRow(name) << QString::fromUtf8(joint) << QString::fromUtf8(field) << QString::fromUtf8(says);
  };
  row("unknown type", R"({"name": "j", "type": "hinge", "body_b": "a", "position": [0,0,0]})", "type",
      "revolute");
  row("unknown body", R"({"name": "j", "type": "ball", "body_b": "c", "position": [0,0,0]})", "body_b",
      "not in bodies");
  row("one body twice", R"({"name": "j", "type": "ball", "body_a": "a", "body_b": "a", "position": [0,0,0]})",
      "body_b", "body_a as well");
  row("nothing moves",
      R"({"name": "j", "type": "ball", "body_a": "wall", "body_b": "floor", "position": [0,0,0]})",
      "joints[0]", "never move");
  row("no place", R"({"name": "j", "type": "ball", "body_b": "a"})", "joints[0]", "where it is");
  row("two places",
      R"({"name": "j", "type": "ball", "body_b": "a", "position": [0,0,0], "anchor_a": [0,0,0]})",
      "joints[0]", "both");
  row("no axis", R"({"name": "j", "type": "revolute", "body_b": "a", "position": [0,0,0]})", "joints[0]",
      "axis");
  row("axis without length",
      R"({"name": "j", "type": "revolute", "body_b": "a", "position": [0,0,0], "axis": [0,0,0]})", "axis",
      "no length");
  row("does not fit",
      R"({"name": "j", "type": "ball", "body_b": "a", "anchor_a": [1,0,0], "anchor_b": [0,0,0]})",
      "joints[0]", "off by");
  row("outside its limits",
      R"({"name": "j", "type": "revolute", "body_b": "a", "position": [0,0,0], "axis": [1,0,0], "limits": [0.2, 1]})",
      "limits", "at the start");
  row("limits the wrong way",
      R"({"name": "j", "type": "revolute", "body_b": "a", "position": [0,0,0], "axis": [1,0,0], "limits": [1, 0.2]})",
      "limits", "ascending");
  row("limits of a ball",
      R"({"name": "j", "type": "ball", "body_b": "a", "position": [0,0,0], "limits": [0, 1]})", "limits",
      "coordinate");
  row("drive of a ball",
      R"({"name": "j", "type": "ball", "body_b": "a", "position": [0,0,0], "drive": {"damping": 1}})",
      "drive", "coordinate");
  row("empty drive",
      R"({"name": "j", "type": "revolute", "body_b": "a", "position": [0,0,0], "axis": [1,0,0], "drive": {}})",
      "drive", "neither");
  row("damping of a rigid joint",
      R"({"name": "j", "type": "ball", "body_b": "a", "position": [0,0,0], "damping_time": 1})",
      "damping_time", "rigid");
  row("bending of a fixed joint",
      R"({"name": "j", "type": "fixed", "body_b": "a", "position": [0,0,0], "angular_compliance": 1})",
      "angular_compliance", "beam");
  row("length of a ball", R"({"name": "j", "type": "ball", "body_b": "a", "position": [0,0,0], "length": 1})",
      "length", "distance");
  row("armature of a rail",
      R"({"name": "j", "type": "prismatic", "body_b": "a", "position": [0,0,0], "axis": [1,0,0], "armature": 1})",
      "armature", "revolute");
  row("armature of a wall",
      R"({"name": "j", "type": "revolute", "body_a": "a", "body_b": "wall", "position": [0,0,0], "axis": [1,0,0], "armature": 1})",
      "armature", "never moves");
  row("rope without length", R"({"name": "j", "type": "rope", "body_b": "a", "anchor_a": [0,0,0]})", "length",
      "missing");
  row("mimic of nothing",
      R"({"name": "j", "type": "revolute", "body_b": "a", "position": [0,0,0], "axis": [1,0,0], "mimic": {"joint": "k"}})",
      "joint", "not in joints");
  row("targets out of order",
      R"({"name": "j", "type": "revolute", "body_b": "a", "position": [0,0,0], "axis": [1,0,0],
          "drive": {"damping": 1, "targets": [[0, 1], [0, 2]]}})",
      "targets[1]", "later");
  row("target and targets",
      R"({"name": "j", "type": "revolute", "body_b": "a", "position": [0,0,0], "axis": [1,0,0],
          "drive": {"damping": 1, "target": 1, "targets": [[0, 1]]}})",
      "targets", "one of them");
  row("unknown field", R"({"name": "j", "type": "ball", "body_b": "a", "position": [0,0,0], "stiff": 1})",
      "stiff", "");
  row("name twice",
      R"({"name": "j", "type": "ball", "body_b": "a", "position": [0,0,0]}, {"name": "j", "type": "ball", "body_b": "b", "position": [1,0,0]})",
      "name", "twice");
}

void JointFileTest::badJointsAreRefused() {
  QFETCH(QString, joint);
  QFETCH(QString, field);
  QFETCH(QString, says);
  try {
    load(joint);
  } catch (const SceneError& error) {
    const QString text = QString::fromUtf8(error.what());
    QVERIFY2(text.contains(field) && text.contains(says) && text.contains(QStringLiteral("joints.json")),
             qPrintable(text));
    return;
  }
  QFAIL("was accepted");
}

QTEST_APPLESS_MAIN(JointFileTest)
#include "tst_joint_file.moc"
