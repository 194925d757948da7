#include <QtTest>
#include <algorithm>
#include <fstream>

#include "core/files/scene_error.h"
#include "core/robot/robot_import.h"
#include "core/robot/scene_readers.h"
#include "core/run/simulation.h"
#include "core/scene/joint_rows.h"
#include "tests/robot/robot_scene.h"
#include "tests/scene/scene_folder.h"
#include "tests/support/near.h"

using namespace touchstone;
using namespace touchstone::test;

/// A URDF becomes a scene: the traps that real files hold, each with its right behaviour.
class UrdfImportTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void anArmBecomesBodiesAndJoints();
  void linksWithoutInertialWeighAsTheirSolids();
  void effortZeroIsUnlimited();
  void startsWithinLimits();
  void impossibleInertiaIsThatOfTheSolid();
  void inertiaIsTurnedToPrincipalAxes();
  void fixedLinksAreMerged();
  void fixedLinksCanBeKept();
  void axesAreNormalised();
  void orderAndUnknownTagsAreFree();
  void meshesAreFoundInTheirPackage();
  void packagesOutsideAreRefusedUnlessGiven();
  void millimetresAreSuspected();
  void overlappingLinksDoNotCollide();
  void mimicJointsFollow();
  void masslessLinksGetAShare();
  void fixedRotationsAreRollPitchYaw();
  void theBaseCanBeFree();
  void groundLiesBelow();
  void drivesHoldTheStart();
  void numbersDoNotDependOnTheLocale();
  void anArmSwings();
  void aRecordingNeedsNoRobotFile();

 private:
  std::shared_ptr<const Scene> load(const QByteArray& content) {
    return loadScene(m_folder.write("robot.urdf", "<robot name=\"test\">" + content + "</robot>"));
  }
  std::shared_ptr<const Scene> load(const QByteArray& content, const RobotOptions& options) {
    const std::string robot = m_folder.write("robot.urdf", "<robot name=\"test\">" + content + "</robot>");
    return loadScene(
        m_folder.write("robot.json", QByteArray::fromStdString(importRobot(robot, options).scene)));
  }
  test::SceneFolder m_folder;
};

namespace {

const char kLink[] =
    "<inertial><origin xyz='0 0 0.2'/><mass value='2'/><inertia ixx='0.03' ixy='0' ixz='0' iyy='0.03' "
    "iyz='0' "
    "izz='0.004'/></inertial><collision><origin xyz='0 0 0.2'/><geometry><box size='0.06 0.06 "
    "0.3'/></geometry>"
    "</collision>";

QByteArray link(const char* name, const QByteArray& content = kLink) {
  return QByteArray("<link name='") + name + "'>" + content + "</link>";
}
QByteArray jointOf(const char* name, const char* type, const char* parent, const char* child,
                   const QByteArray& more = {}) {
  return QByteArray("<joint name='") + name + "' type='" + type + "'><parent link='" + parent +
         "'/><child link='" + child + "'/>" + more + "</joint>";
}
const char kLimit[] = "<axis xyz='0 1 0'/><limit lower='-1' upper='2' effort='30' velocity='2'/>";

/// A base and two links, each 0.4 m above the one before.
QByteArray arm() {
  return link("base", "<collision><geometry><cylinder radius='0.1' length='0.1'/></geometry></collision>") +
         link("upper") + link("lower") +
         jointOf("shoulder", "revolute", "base", "upper", QByteArray("<origin xyz='0 0 0.1'/>") + kLimit) +
         jointOf("elbow", "revolute", "upper", "lower",
                 QByteArray("<origin xyz='0 0 0.4'/>") + kLimit + "<dynamics damping='0.5' friction='0.1'/>");
}

}  // namespace

void UrdfImportTest::anArmBecomesBodiesAndJoints() {
  const auto scene = load(arm());
  QCOMPARE(scene->name, std::string("test"));
  QCOMPARE(scene->bodies.size(), std::size_t(3));
  QCOMPARE(scene->joints.size(), std::size_t(2));
  QVERIFY(body(*scene, "base").motion == Motion::Static);
  // z of the file is y of the world; y is −z.
  QVERIFY_NEAR((scene->gravity - Vec3(0, -9.81, 0)).norm(), 0, 1e-15);
  QVERIFY_NEAR((body(*scene, "upper").position - Vec3(0, 0.3, 0)).norm(), 0, 1e-12);
  QVERIFY_NEAR((body(*scene, "lower").position - Vec3(0, 0.7, 0)).norm(), 0, 1e-12);
  QVERIFY_NEAR(body(*scene, "upper").mass, 2, 0);
  const Joint& elbow = joint(*scene, "elbow");
  QVERIFY(elbow.kind == JointKind::Revolute && elbow.lower == -1 && elbow.upper == 2);
  QVERIFY(elbow.drive.damping == 0.5 && elbow.drive.mostForce == 30 && elbow.dryFriction == 0.1);
  const Quaternion rotation = product(body(*scene, "lower").orientation, elbow.frames.frameB);
  QVERIFY_NEAR((rotation * Vec3(1, 0, 0) - Vec3(0, 0, -1)).norm(), 0, 1e-12);
  QVERIFY_NEAR((body(*scene, "lower").orientation * elbow.frames.anchorB + body(*scene, "lower").position -
                Vec3(0, 0.5, 0))
                   .norm(),
               0, 1e-12);
  QVERIFY(isNoted(*scene, "robot/link[base]", "fixed to the world"));
  QVERIFY(isNoted(*scene, "robot/joint[shoulder]/limit", "velocity"));
}

/// Joints as in the Allegro hand.
void UrdfImportTest::linksWithoutInertialWeighAsTheirSolids() {
  const QByteArray ball =
      "<collision><origin xyz='0 0 0.1'/><geometry><sphere radius='0.1'/></geometry></collision>";
  RobotOptions options;
  options.density = 500;
  for (double density : {1000.0, 500.0}) {
    const QByteArray robot =
        link("palm") + link("finger", ball) + jointOf("joint_0", "revolute", "palm", "finger", kLimit);
    const auto scene = density == 1000 ? load(robot) : load(robot, options);
    const Body& finger = body(*scene, "finger");
    const double mass = density * 4.0 / 3 * M_PI * 1e-3;
    QVERIFY_NEAR(finger.mass, mass, 1e-12);
    QVERIFY_NEAR((finger.inertia - 0.4 * mass * 0.01 * Mat3::Identity()).norm(), 0, 1e-14);
    QVERIFY_NEAR((finger.position - Vec3(0, 0.1, 0)).norm(), 0, 1e-12);
    QVERIFY(isNoted(*scene, "robot/link[finger]", density == 1000 ? "1000 kg/m³" : "500 kg/m³"));
  }
}

void UrdfImportTest::effortZeroIsUnlimited() {
  const auto scene = load(
      link("palm") + link("finger") +
      jointOf(
          "j", "revolute", "palm", "finger",
          "<axis xyz='0 1 0'/><limit lower='-1' upper='1' effort='0' velocity='0'/><dynamics damping='3'/>"));
  QVERIFY(scene->joints[0].drive.damping == 3 && std::isinf(scene->joints[0].drive.mostForce));
  QVERIFY(isNoted(*scene, "robot/joint[j]/limit", "effort 0"));
  QVERIFY(isNoted(*scene, "robot/joint[j]/limit", "velocity 0"));
}

/// A joint like the thumb of the Allegro hand, whose least angle is 0.263.
void UrdfImportTest::startsWithinLimits() {
  const auto scene =
      load(link("palm") + link("thumb") +
           jointOf("j", "revolute", "palm", "thumb",
                   "<axis xyz='0 1 0'/><limit lower='0.263' upper='1.396' effort='10' velocity='7'/>"));
  QVERIFY_NEAR(coordinateOf(*scene, "j"), 0.263, 1e-12);
  QVERIFY_NEAR(scene->joints[0].lower, 0.263, 0);
  // The centre, 0.2 m up, turned by 0.263 about the y axis of the file.
  QVERIFY_NEAR((body(*scene, "thumb").position - 0.2 * Vec3(std::sin(0.263), std::cos(0.263), 0)).norm(), 0,
               1e-12);
  QVERIFY(isNoted(*scene, "robot/joint[j]", "violates the limits"));
  const auto slide =
      load(link("palm") + link("thumb") +
           jointOf("j", "prismatic", "palm", "thumb",
                   "<axis xyz='1 0 0'/><limit lower='-0.5' upper='-0.1' effort='10' velocity='7'/>"));
  QVERIFY_NEAR(coordinateOf(*slide, "j"), -0.1, 1e-12);
  QVERIFY_NEAR((body(*slide, "thumb").position - Vec3(-0.1, 0.2, 0)).norm(), 0, 1e-12);
}

/// Joints like the fingers of Fetch: (0.002, 0, 0).
void UrdfImportTest::impossibleInertiaIsThatOfTheSolid() {
  const QByteArray inertial =
      "<inertial><origin xyz='0 0 0.01'/><mass value='0.0798'/><inertia ixx='0.002' ixy='0' ixz='0' iyy='0' "
      "iyz='0' "
      "izz='0'/></inertial>";
  const QByteArray box = "<collision><geometry><box size='0.02 0.03 0.06'/></geometry></collision>";
  const auto scene = load(link("palm") + link("finger", inertial + box) +
                          jointOf("j", "prismatic", "palm", "finger", kLimit));
  const Body& finger = body(*scene, "finger");
  QVERIFY_NEAR(finger.mass, 0.0798, 0);
  const Vec3 expected =
      0.0798 / 12 * Vec3(0.03 * 0.03 + 0.06 * 0.06, 0.02 * 0.02 + 0.06 * 0.06, 0.02 * 0.02 + 0.03 * 0.03);
  QVERIFY_NEAR((finger.inertia.diagonal() - expected).norm(), 0, 1e-15);
  QVERIFY_NEAR((finger.position - Vec3(0, 0.01, 0)).norm(), 0, 1e-12);  // the centre is that of the file
  QVERIFY(isNoted(*scene, "robot/link[finger]", "triangle inequality"));
  const auto bare =
      load(link("palm") + link("finger", inertial) + jointOf("j", "prismatic", "palm", "finger", kLimit));
  QVERIFY(body(*bare, "finger").inertia(0, 0) > 0 && body(*bare, "finger").inertia.isDiagonal());
  QVERIFY(isNoted(*bare, "robot/link[finger]", "ball"));
}

/// The inertia holds about the inertial's origin, along axes turned by its rpy.
void UrdfImportTest::inertiaIsTurnedToPrincipalAxes() {
  const auto scene = load(
      link("base") +
      link("part",
           "<inertial><origin xyz='0.1 0 0' rpy='0 0 0.3'/><mass value='1'/><inertia ixx='0.02' ixy='0' "
           "ixz='0' "
           "iyy='0.03' iyz='0' izz='0.04'/></inertial><collision><origin xyz='0.5 0 0'/><geometry><box "
           "size='0.1 "
           "0.1 0.1'/></geometry></collision>") +
      link("skew",
           "<inertial><mass value='1'/><inertia ixx='0.025' ixy='-0.005' ixz='0' iyy='0.025' iyz='0' "
           "izz='0.04'/></inertial>") +
      jointOf("a", "revolute", "base", "part", kLimit) + jointOf("b", "revolute", "base", "skew", kLimit));
  const Body& part = body(*scene, "part");
  QVERIFY_NEAR((part.inertia.diagonal() - Vec3(0.02, 0.03, 0.04)).norm(), 0, 1e-15);
  QVERIFY_NEAR((part.inertia - Mat3(part.inertia.diagonal().asDiagonal())).norm(), 0, 1e-15);
  QVERIFY_NEAR((part.position - Vec3(0.1, 0, 0)).norm(), 0, 1e-12);
  // x of the principal axes is at 0.3 rad about z of the file, which is y of the world.
  QVERIFY_NEAR((part.orientation * Vec3(1, 0, 0) - Vec3(std::cos(0.3), 0, -std::sin(0.3))).norm(), 0, 1e-12);
  // The solid stays where the file has it.
  Vec3 middle = Vec3::Zero();
  for (const Vec3& vertex : part.shape->pieces[0].vertices)
    middle += (part.position + part.orientation * vertex) / 8;
  QVERIFY_NEAR((middle - Vec3(0.5, 0, 0)).norm(), 0, 1e-12);
  // [0.025, −0.005; −0.005, 0.025] has the moments 0.02 along (1, 1) and 0.03 along (−1, 1).
  const Body& skew = body(*scene, "skew");
  Vec3 moments = skew.inertia.diagonal();
  std::sort(moments.data(), moments.data() + 3);
  QVERIFY_NEAR((moments - Vec3(0.02, 0.03, 0.04)).norm(), 0, 1e-15);
  const Mat3 R = skew.orientation.toRotationMatrix();
  const Mat3 world = R * skew.inertia * R.transpose();
  QVERIFY_NEAR(Vec3(1, 0, -1).dot(world * Vec3(1, 0, -1)) / 2, 0.02, 1e-14);
}

void UrdfImportTest::fixedLinksAreMerged() {
  const auto scene = load(link("base") + link("arm") + link("tool") + link("camera", "") +
                          jointOf("j", "revolute", "base", "arm", kLimit) +
                          jointOf("t", "fixed", "arm", "tool", "<origin xyz='1 0 0'/>") +
                          jointOf("c", "fixed", "tool", "camera", "<axis xyz='0 0 0'/>"));
  QCOMPARE(scene->bodies.size(), std::size_t(2));
  const Body& arm = body(*scene, "arm");
  QVERIFY_NEAR(arm.mass, 4, 1e-15);
  QVERIFY_NEAR((arm.position - Vec3(0.5, 0.2, 0)).norm(), 0, 1e-12);
  // Both bodies' moments about their middle: 2 m (½)² is added across the line between them.
  Vec3 moments = arm.inertia.diagonal();
  std::sort(moments.data(), moments.data() + 3);
  QVERIFY_NEAR((moments - Vec3(0.06, 1.008, 1.06)).norm(), 0, 1e-12);
  QCOMPARE(arm.shape->pieces.size(), std::size_t(2));
  QVERIFY(isNoted(*scene, "robot/link[arm]", "'tool', 'camera'"));
}

void UrdfImportTest::fixedLinksCanBeKept() {
  RobotOptions options;
  options.keepFixed = true;
  const auto scene =
      load(link("base") + link("arm") + link("tool") + link("camera", "") +
               jointOf("j", "revolute", "base", "arm", kLimit) +
               jointOf("t", "fixed", "arm", "tool", "<origin xyz='1 0 0' rpy='0.1 0.2 0.3'/>") +
               jointOf("c", "fixed", "tool", "camera"),
           options);
  QCOMPARE(scene->bodies.size(), std::size_t(3));  // the camera has no mass and stays a part
  QVERIFY(joint(*scene, "t").kind == JointKind::Fixed);
}

void UrdfImportTest::axesAreNormalised() {
  const auto scene = load(link("base") + link("a") + link("b") +
                          jointOf("j", "continuous", "base", "a", "<axis xyz='0 0 3'/>") +
                          jointOf("k", "continuous", "base", "b"));
  const Joint &j = joint(*scene, "j"), &k = joint(*scene, "k");
  QVERIFY_NEAR(
      (product(scene->bodies[j.bodyB].orientation, j.frames.frameB) * Vec3(1, 0, 0) - Vec3(0, 1, 0)).norm(),
      0, 1e-12);
  QVERIFY_NEAR(
      (product(scene->bodies[k.bodyB].orientation, k.frames.frameB) * Vec3(1, 0, 0) - Vec3(1, 0, 0)).norm(),
      0, 1e-12);
  QVERIFY(std::isinf(j.lower) && std::isinf(j.upper));
  QVERIFY(isNoted(*scene, "robot/joint[j]/axis", "normalised"));
  QVERIFY(isNoted(*scene, "robot/joint[k]", "no axis"));
}

void UrdfImportTest::orderAndUnknownTagsAreFree() {
  const auto scene =
      load(QByteArray("<gazebo/><joint name='j' type='continuous'><limit effort='5' velocity='1'/><axis "
                      "xyz='0 0 1'/><child link='wheel'/><safety_controller k_velocity='1'/><parent "
                      "link='base'/></joint><transmission name='t'/><!-- ${xacro} --><link name='wheel'>"
                      "<origin xyz='9 9 9'/>") +
           kLink + "</link>" + link("base"));
  QVERIFY_NEAR((body(*scene, "wheel").position - Vec3(0, 0.2, 0)).norm(), 0, 1e-12);
  QCOMPARE(
      std::count_if(scene->notes.begin(), scene->notes.end(),
                    [](const std::string& note) {
                      return note.find("ignored elements: gazebo, origin, safety_controller, transmission") !=
                             std::string::npos;
                    }),
      std::ptrdiff_t(1));
}

void UrdfImportTest::meshesAreFoundInTheirPackage() {
  m_folder.write("hand/meshes/part.obj", test::cubeObj());
  m_folder.write("hand/package.xml", "<package/>");
  const QByteArray mesh =
      "<collision><geometry><mesh filename='package://hand/meshes/part.obj' scale='0.1 0.2 "
      "0.3'/></geometry></collision>";
  const std::string robot = m_folder.write("hand/urdf/hand.urdf",
                                           "<robot name='hand'>" + link("base") + link("part", mesh) +
                                               jointOf("j", "revolute", "base", "part", kLimit) + "</robot>");
  const auto scene = loadScene(robot);
  const Body& part = body(*scene, "part");
  QVERIFY_NEAR(part.mass, 6, 1e-6);  // single precision of the mesh
  QVERIFY_NEAR((part.position - Vec3(0.05, 0.15, -0.1)).norm(), 0, 1e-7);
  QVERIFY(scene->sources.count("../meshes/part.obj") == 1);
  QVERIFY(isNoted(*scene, "robot/link[part]/collision/geometry/mesh", "convex hull"));
}

void UrdfImportTest::packagesOutsideAreRefusedUnlessGiven() {
  m_folder.write("elsewhere/part.obj", test::cubeObj());
  const QByteArray robot =
      "<robot name='r'>" +
      link("base",
           "<collision><geometry><mesh filename='package://other/part.obj'/></geometry></collision>") +
      "</robot>";
  const std::string path = m_folder.write("inside/robot.urdf", robot);
  try {
    importRobot(path);
    QFAIL("was accepted");
  } catch (const SceneError& error) {
    QVERIFY(QByteArray(error.what()).contains("--package other=FOLDER"));
  }
  RobotOptions options;
  options.packages["other"] = m_folder.path("elsewhere");
  const ImportedRobot imported = importRobot(path, options);
  QCOMPARE(imported.meshes.size(), std::size_t(1));
  QCOMPARE(imported.meshes[0], std::string("../elsewhere/part.obj"));
}

void UrdfImportTest::millimetresAreSuspected() {
  m_folder.write("cube.obj", test::cubeObj());
  const auto mesh = [](const char* scale) {
    return QByteArray("<collision><geometry><mesh filename='cube.obj' scale='") + scale +
           "'/></geometry></collision>";
  };
  const auto scene =
      load(link("a", mesh("0.1 0.1 0.1")) + link("b", mesh("0.1 0.1 0.1")) + link("c", mesh("100 100 100")) +
           jointOf("j", "revolute", "a", "b", kLimit) + jointOf("k", "revolute", "b", "c", kLimit));
  QVERIFY(isNoted(*scene, "robot/link[c]", "millimetres"));
  QVERIFY(!isNoted(*scene, "robot/link[b]", "millimetres"));
}

void UrdfImportTest::overlappingLinksDoNotCollide() {
  const QByteArray box = "<collision><geometry><box size='0.2 0.2 0.2'/></geometry></collision>";
  const auto originAt = [](const char* x) { return QByteArray("<origin xyz='") + x + " 0 0'/>" + kLimit; };
  const auto scene = load(link("a", box) + link("b", box) + link("c", box) + link("d", box) +
                          jointOf("ab", "revolute", "a", "b", originAt("0.1")) +
                          jointOf("bc", "revolute", "b", "c", originAt("0.05")) +
                          jointOf("cd", "revolute", "c", "d", originAt("0.3")));
  QVERIFY(areKeptApart(*scene, "a", "c"));   // 0.15 m apart, two joints between them
  QVERIFY(!areKeptApart(*scene, "a", "d"));  // apart at the start
  QVERIFY(isNoted(*scene, "robot.urdf", "'a' and 'c'"));
  QVERIFY(!joint(*scene, "ab").collide);
}

void UrdfImportTest::mimicJointsFollow() {
  const QByteArray limit = "<axis xyz='1 0 0'/><limit lower='0.02' upper='0.5' effort='1' velocity='1'/>";
  const auto scene =
      load(link("palm") + link("left") + link("right") + jointOf("l", "prismatic", "palm", "left", limit) +
           jointOf("r", "prismatic", "palm", "right",
                   "<axis xyz='1 0 0'/><limit lower='-1' upper='1' effort='1' velocity='1'/>"
                   "<mimic joint='l' multiplier='-2' offset='0.1'/>"));
  const Joint& right = joint(*scene, "r");
  QVERIFY(scene->joints[right.mimic.joint].name == "l" && right.mimic.ratio == -2 &&
          right.mimic.offset == 0.1);
  QVERIFY_NEAR(coordinateOf(*scene, "l"), 0.02, 1e-12);
  QVERIFY_NEAR(coordinateOf(*scene, "r"), 0.06, 1e-12);
  QVERIFY(isNoted(*scene, "robot/joint[r]", "follows 'l'"));
}

void UrdfImportTest::masslessLinksGetAShare() {
  const auto scene = load(link("base") + link("frame", "") + link("arm") + link("leaf", "") +
                          jointOf("a", "revolute", "base", "frame", kLimit) +
                          jointOf("b", "revolute", "frame", "arm", kLimit) +
                          jointOf("c", "revolute", "arm", "leaf", kLimit));
  QCOMPARE(scene->bodies.size(), std::size_t(3));
  QCOMPARE(scene->joints.size(), std::size_t(2));
  QVERIFY_NEAR(body(*scene, "frame").mass, 0.02, 1e-15);
  QVERIFY_NEAR(body(*scene, "frame").inertia(0, 0), 0.0003, 1e-15);
  QVERIFY(body(*scene, "frame").shape->surfaces.empty());
  QVERIFY(isNoted(*scene, "robot/link[leaf]", "left out"));
  QVERIFY(areKeptApart(*scene, "base", "arm"));
}

/// rpy = R_z(yaw) R_y(pitch) R_x(roll).
void UrdfImportTest::fixedRotationsAreRollPitchYaw() {
  const auto scene = load(link("base") + link("arm") +
                          jointOf("j", "continuous", "base", "arm",
                                  "<origin xyz='1 2 3' rpy='0.3 -0.4 0.5'/><axis xyz='1 0 0'/>"));
  Mat3 R;
  R = Eigen::AngleAxisd(0.5, Eigen::Vector3d::UnitZ()) * Eigen::AngleAxisd(-0.4, Eigen::Vector3d::UnitY()) *
      Eigen::AngleAxisd(0.3, Eigen::Vector3d::UnitX());
  const Vec3 file = Vec3(1, 2, 3) + R * Vec3(0, 0, 0.2);
  QVERIFY_NEAR((body(*scene, "arm").position - Vec3(file.x(), file.z(), -file.y())).norm(), 0, 1e-12);
}

void UrdfImportTest::theBaseCanBeFree() {
  RobotOptions options;
  options.base = RobotOptions::Base::Free;
  const QByteArray robot = link("base") + link("arm") + jointOf("j", "revolute", "base", "arm", kLimit);
  const auto scene = load(robot, options);
  QVERIFY(body(*scene, "base").motion == Motion::Dynamic);
  QCOMPARE(scene->joints.size(), std::size_t(1));
}

void UrdfImportTest::groundLiesBelow() {
  RobotOptions options;
  options.ground = true;
  const auto scene = load(arm(), options);
  const Body& ground = body(*scene, "ground");
  QVERIFY(ground.shape->kind == Shape::Kind::Plane);
  QVERIFY_NEAR(ground.position.y(), -0.05, 1e-12);
}

void UrdfImportTest::drivesHoldTheStart() {
  RobotOptions options;
  options.stiffness = 100;
  options.damping = 5;
  const auto scene =
      load(link("palm") + link("thumb") +
               jointOf("j", "revolute", "palm", "thumb",
                       "<axis xyz='0 1 0'/><limit lower='0.263' upper='1.396' effort='10' velocity='7'/>"),
           options);
  const JointDrive& drive = scene->joints[0].drive;
  QVERIFY(drive.stiffness == 100 && drive.damping == 5 && drive.target == 0.263 && drive.mostForce == 10);
}

void UrdfImportTest::numbersDoNotDependOnTheLocale() {
  const std::string before = setlocale(LC_ALL, nullptr);
  for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE"})
    if (setlocale(LC_ALL, name)) break;
  const auto scene = load(arm());
  setlocale(LC_ALL, before.c_str());
  QVERIFY_NEAR(body(*scene, "upper").position.y(), 0.3, 1e-12);
}

/// Under gravity the arm, started at its limit, falls and its joints hold.
void UrdfImportTest::anArmSwings() {
  QByteArray bent = arm();
  bent.replace("lower='-1'", "lower='0.5'");
  const auto scene = load(bent);
  QVERIFY_NEAR(coordinateOf(*scene, "elbow"), 0.5, 1e-12);
  PaneSettings pane;
  pane.method = "nsn";
  Simulation simulation(scene, pane, scene->dt);
  for (int frame = 0; frame < 10; ++frame) QVERIFY(!isFrozen(simulation.step()->status));
  const Joint& elbow = joint(*scene, "elbow");
  const auto& bodies = simulation.current()->bodies;
  const BodyState &a = bodies[elbow.bodyA], &b = bodies[elbow.bodyB];
  QVERIFY((b.position - body(*scene, "lower").position).norm() > 0.01);  // it falls
  QVERIFY_NEAR(
      (a.position + a.orientation * elbow.frames.anchorA - b.position - b.orientation * elbow.frames.anchorB)
          .norm(),
      0, 1e-4);
}

void UrdfImportTest::aRecordingNeedsNoRobotFile() {
  const auto scene = load(arm());
  const std::string text = *scene->sources.at("robot.urdf").bytes;
  QVERIFY(text.front() == '{');
  const auto again = loadScene(m_folder.write("other/robot.urdf", QByteArray::fromStdString(text)));
  QCOMPARE(again->bodies.size(), scene->bodies.size());
  QCOMPARE(again->notes, scene->notes);
}

QTEST_APPLESS_MAIN(UrdfImportTest)
#include "tst_urdf_import.moc"
