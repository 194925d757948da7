#include <QtTest>
#include <algorithm>

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

/// The common part of MJCF becomes a scene.
class MjcfImportTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void anglesAreDegreesUnlessItSaysRadian();
  void sizesAreHalfSizes();
  void capsulesGoFromPointToPoint();
  void defaultsNest();
  void severalJointsInsertBodies();
  void jointsActInOrder();
  void limitsMayBeImplied();
  void springsAreDrives();
  void armatureIsAddedToTheChild();
  void flagsSwitchMechanicsOff();
  void attributesThatAreNotReadAreNoted();
  void referencesShiftTheCoordinate();
  void actuatorsBecomeDrives();
  void aFreeJointLetsTheRootMove();
  void sceneryIsStatic();
  void pairsCanBeExcluded();
  void bitsChooseWhatCollides();
  void equalitiesCloseLoops();
  void keysAreStarts();
  void filesAreIncluded();
  void meshesLieInTheirFolder();
  void inertialComesBeforeSolids();
  void orientationsHaveFiveForms();
  void tendonsAreLeftOut();
  void aFigureFalls();

 private:
  std::shared_ptr<const Scene> load(const QByteArray& content) {
    return loadScene(m_folder.write("model.xml", "<mujoco model='test'>" + content + "</mujoco>"));
  }
  std::shared_ptr<const Scene> load(const QByteArray& content, const RobotOptions& options) {
    const std::string model = m_folder.write("model.xml", "<mujoco model='test'>" + content + "</mujoco>");
    return loadScene(
        m_folder.write("model.json", QByteArray::fromStdString(importRobot(model, options).scene)));
  }
  test::SceneFolder m_folder;
};

namespace {

Vec3 axisOf(const Scene& scene, const std::string& name) {
  const Joint& named = joint(scene, name);
  return product(scene.bodies[named.bodyB].orientation, named.frames.frameB) * Vec3(1, 0, 0);
}
/// A vector of the file in the world.
Vec3 rotated(const Vec3& v) { return {v.x(), v.z(), -v.y()}; }

QByteArray world(const QByteArray& content) { return "<worldbody>" + content + "</worldbody>"; }
QByteArray hinged(const QByteArray& joint, const QByteArray& geom = "<geom size='0.1'/>") {
  return world("<body name='b' pos='0 0 1'>" + joint + geom + "</body>");
}

}  // namespace

void MjcfImportTest::anglesAreDegreesUnlessItSaysRadian() {
  const QByteArray hinge = hinged("<joint name='j' axis='0 1 0' range='-30 60'/>");
  const auto degrees = load(hinge);
  QVERIFY_NEAR(degrees->joints[0].lower, -M_PI / 6, 1e-15);
  QVERIFY_NEAR(degrees->joints[0].upper, M_PI / 3, 1e-15);
  const auto radians =
      load("<compiler angle='radian'/>" + hinged("<joint name='j' axis='0 1 0' range='-0.3 0.6'/>"));
  QVERIFY(radians->joints[0].lower == -0.3 && radians->joints[0].upper == 0.6);
  const auto metres = load(hinged("<joint name='j' type='slide' axis='0 1 0' range='-0.3 0.6'/>"));
  QVERIFY(metres->joints[0].lower == -0.3 && metres->joints[0].kind == JointKind::Prismatic);
}

void MjcfImportTest::sizesAreHalfSizes() {
  const auto scene =
      load(world("<body name='box'><freejoint/><geom type='box' size='0.1 0.2 0.3'/></body>"
                 "<body name='ball' pos='5 0 0'><freejoint/><geom size='0.2'/></body>"
                 "<body name='rod' pos='9 0 0'><freejoint/><geom type='cylinder' size='0.1 0.5'/></body>"
                 "<body name='pill' pos='0 9 0'><freejoint/><geom type='capsule' size='0.1 0.5'/></body>"
                 "<body name='egg' pos='0 5 0'><freejoint/><geom type='ellipsoid' size='0.1 0.2 0.3' "
                 "mass='2'/></body>"));
  QVERIFY_NEAR(body(*scene, "box").mass, 1000 * 0.2 * 0.4 * 0.6, 1e-11);
  QVERIFY_NEAR(body(*scene, "ball").mass, 1000 * 4.0 / 3 * M_PI * 0.008, 1e-11);
  QVERIFY_NEAR(body(*scene, "rod").mass, 1000 * M_PI * 0.01, 1e-11);
  QVERIFY_NEAR(body(*scene, "pill").mass, 1000 * M_PI * (0.01 + 4.0 / 3 * 0.001), 1e-11);
  QVERIFY_NEAR(body(*scene, "egg").mass, 2, 0);
  QVERIFY_NEAR((body(*scene, "egg").inertia.diagonal() - 0.4 * Vec3(0.13, 0.1, 0.05)).norm(), 0, 1e-15);
  // The file's z stays the z axis of the body's frame, which is turned as a whole: boxes are 0.6 m high.
  const Body& box = body(*scene, "box");
  double high = 0;
  for (const Vec3& corner : box.shape->pieces[0].vertices)
    high = std::max(high, (box.orientation * corner).y());
  QVERIFY_NEAR(high, 0.3, 1e-12);
  const Body& pill = body(*scene, "pill");
  high = 0;
  for (const Vec3& corner : pill.shape->pieces[0].vertices)
    high = std::max(high, (pill.orientation * corner).y());
  QVERIFY_NEAR(high, 0.6, 2e-3);  // the poles of the polyhedron
}

void MjcfImportTest::capsulesGoFromPointToPoint() {
  const auto scene = load(world(
      "<body name='b'><freejoint/><geom type='capsule' fromto='0 0 0  0.3 0 0.4' size='0.05'/></body>"));
  const Body& capsule = body(*scene, "b");
  const double tube = 1000 * M_PI * 0.0025 * 0.5, ball = 1000 * 4.0 / 3 * M_PI * 0.000125;
  QVERIFY_NEAR(capsule.mass, tube + ball, 1e-12);
  QVERIFY_NEAR((capsule.position - rotated(Vec3(0.15, 0, 0.2))).norm(), 0, 1e-12);
  const Mat3 R = capsule.orientation.toRotationMatrix();
  const Vec3 along = rotated(Vec3(0.6, 0, 0.8));
  QVERIFY_NEAR(along.dot(R * capsule.inertia * R.transpose() * along), (tube / 2 + 0.4 * ball) * 0.0025,
               1e-14);
  double furthest = 0;
  for (const Vec3& corner : capsule.shape->pieces[0].vertices)
    furthest = std::max(furthest, (capsule.orientation * corner).dot(along));
  QVERIFY_NEAR(furthest, 0.3, 1e-3);
}

void MjcfImportTest::defaultsNest() {
  const auto scene = load(
      "<default><joint damping='1' stiffness='7'/><geom density='500'/>"
      "<default class='leg'><joint damping='2'/><default class='knee'><joint axis='0 2 "
      "0'/></default></default></default>" +
      world("<body name='a'><joint name='j0' axis='1 0 0'/><geom size='0.1'/>"
            "<body name='b' pos='1 0 0' childclass='leg'><joint name='j1' axis='1 0 0'/><geom size='0.1'/>"
            "<body name='c' pos='1 0 0'><joint name='j2' class='knee'/><geom size='0.1' "
            "density='2000'/></body></body></body>"));
  QVERIFY(joint(*scene, "j0").drive.damping == 1 && joint(*scene, "j0").drive.stiffness == 7);
  QVERIFY(joint(*scene, "j1").drive.damping == 2 && joint(*scene, "j1").drive.stiffness == 7);
  QVERIFY(joint(*scene, "j2").drive.damping == 2);
  QVERIFY_NEAR((axisOf(*scene, "j2") - rotated(Vec3(0, 1, 0))).norm(), 0, 1e-12);
  QVERIFY_NEAR(body(*scene, "c").mass / body(*scene, "a").mass, 4, 1e-12);
  QVERIFY(isNoted(*scene, "joint[j2]", "normalised"));
}

/// A model like the hips and ankles of the humanoid: inserted bodies have 1 % of the mass, and the armature
/// or 1 % of the inertia.
void MjcfImportTest::severalJointsInsertBodies() {
  const auto scene =
      load(world("<body name='torso' pos='0 0 2'><freejoint/><geom size='0.2' mass='10'/>"
                 "<body name='thigh' pos='0 0 -0.5'><joint name='x' axis='1 0 0' armature='0.5'/>"
                 "<joint name='z' axis='0 0 1' pos='0 0 0.1'/><joint name='y' axis='0 1 0'/>"
                 "<geom size='0.1' mass='4'/></body></body>"));
  QCOMPARE(scene->bodies.size(), std::size_t(4));
  QCOMPARE(scene->joints.size(), std::size_t(3));
  const Body &first = body(*scene, "thigh:x"), &second = body(*scene, "thigh:z");
  QVERIFY_NEAR(first.mass, 0.04, 1e-15);
  QVERIFY_NEAR(second.mass, 0.04, 1e-15);
  QVERIFY_NEAR((first.inertia - 0.5 * Mat3::Identity()).norm(), 0, 1e-15);
  QVERIFY_NEAR((second.inertia - 0.01 * 0.4 * 4 * 0.01 * Mat3::Identity()).norm(), 0, 1e-17);
  QVERIFY(first.shape->surfaces.empty());
  QVERIFY(scene->bodies[joint(*scene, "y").bodyA].name == "thigh:z" &&
          scene->bodies[joint(*scene, "y").bodyB].name == "thigh");
  QVERIFY_NEAR((second.position - Vec3(0, 1.6, 0)).norm(), 0, 1e-12);
  QVERIFY(areKeptApart(*scene, "torso", "thigh"));
  QVERIFY(isNoted(*scene, "joint[x]", "a body was inserted with 1 %"));
}

/// Hinges of one body turn one after the other: x by 90° takes the axis y of the second to z.
void MjcfImportTest::jointsActInOrder() {
  const auto scene =
      load(world("<body name='b'><joint name='x' axis='1 0 0' range='90 100'/>"
                 "<joint name='y' axis='0 1 0' range='90 100'/><geom size='0.1' pos='1 0 0'/></body>"));
  QVERIFY_NEAR(coordinateOf(*scene, "x"), M_PI / 2, 1e-12);
  QVERIFY_NEAR((axisOf(*scene, "y") - rotated(Vec3(0, 0, 1))).norm(), 0, 1e-12);
  // (1, 0, 0) turned about y by 90° is (0, 0, −1), and that about x by 90° is (0, 1, 0).
  QVERIFY_NEAR((body(*scene, "b").position - rotated(Vec3(0, 1, 0))).norm(), 0, 1e-12);
}

void MjcfImportTest::limitsMayBeImplied() {
  const auto implied = load(hinged("<joint name='j' range='-10 20'/>"));
  QVERIFY(isNoted(*implied, "joint[j]", "implied by range"));
  QVERIFY(std::isinf(load(hinged("<joint name='j' range='-10 20' limited='false'/>"))->joints[0].lower));
  const auto old = load("<compiler autolimits='false'/>" + hinged("<joint name='j' range='-10 20'/>"));
  QVERIFY(std::isinf(old->joints[0].lower) && isNoted(*old, "joint[j]", "autolimits"));
  QVERIFY(!std::isinf(
      load("<compiler autolimits='false'/>" + hinged("<joint name='j' range='-10 20' limited='true'/>"))
          ->joints[0]
          .lower));
}

void MjcfImportTest::springsAreDrives() {
  const auto scene =
      load(hinged("<joint name='j' stiffness='5' damping='0.2' springref='30' frictionloss='0.3'/>"));
  const Joint& hinge = scene->joints[0];
  QVERIFY(hinge.drive.stiffness == 5 && hinge.drive.damping == 0.2 && hinge.dryFriction == 0.3);
  QVERIFY_NEAR(hinge.drive.target, M_PI / 6, 1e-15);
  QVERIFY(isNoted(*scene, "joint[j]", "springref"));
  const auto ball = load(hinged("<joint name='j' type='ball' stiffness='4' damping='2'/>"));
  QVERIFY(ball->joints[0].kind == JointKind::Beam && ball->joints[0].angularCompliance == 0.25 &&
          ball->joints[0].dampingTime == 0.5);
}

void MjcfImportTest::armatureIsAddedToTheChild() {
  const auto scene = load(hinged("<joint name='j' axis='1 0 0' armature='2'/>"));
  const Body& link = body(*scene, "b");
  const double plain = 0.4 * link.mass * 0.01;
  const Mat3 R = link.orientation.toRotationMatrix();
  const Mat3 inertia = R * link.inertia * R.transpose();
  QVERIFY_NEAR((inertia - Mat3(Vec3(plain + 2, plain, plain).asDiagonal())).norm(), 0, 1e-12);
  QVERIFY(isNoted(*scene, "joint[j]", "child only"));
}

void MjcfImportTest::flagsSwitchMechanicsOff() {
  const auto with = [&](const QByteArray& flag) {
    return load(
        "<option><flag " + flag + "/></option>" +
        world("<geom name='shelf' type='box' size='1 1 .1'/><body name='b' pos='0 0 1'><joint name='j' "
              "axis='1 0 0' range='-30 60' stiffness='5' damping='2' frictionloss='3'/><geom "
              "size='0.1'/></body>") +
        "<actuator><position joint='j' kp='7'/></actuator>");
  };
  const auto plain = with("");
  QVERIFY(std::isfinite(plain->joints[0].lower) && plain->joints[0].drive.stiffness == 12);
  QVERIFY(plain->joints[0].drive.damping == 2 && plain->joints[0].dryFriction == 3);
  QVERIFY(!body(*plain, "b").shape->pieces.empty());
  QVERIFY(std::isinf(with("limit='disable'")->joints[0].lower));
  QCOMPARE(with("actuation='disable'")->joints[0].drive.stiffness, 5.0);
  const auto passive = with("passive='disable'");
  QVERIFY(passive->joints[0].drive.stiffness == 7 && passive->joints[0].drive.damping == 0);
  QCOMPARE(with("frictionloss='disable'")->joints[0].dryFriction, 0.0);
  QCOMPARE(with("gravity='disable'")->gravity.norm(), 0.0);
  const auto ghost = with("contact='disable'");
  QVERIFY(isNoted(*ghost, "flag", "contact is switched off"));
  QVERIFY_NEAR(body(*ghost, "b").mass, body(*plain, "b").mass, 1e-12);
  const auto falls = [](const std::shared_ptr<const Scene>& scene) {
    for (const Body& other : scene->bodies)
      if (other.motion == Motion::Static && !other.shape->pieces.empty()) return false;
    return true;
  };
  QVERIFY(falls(ghost) && !falls(plain));
}

/// Each attribute that is met and not read has a line that names it and its element.
void MjcfImportTest::attributesThatAreNotReadAreNoted() {
  const auto scene = load("<option integrator='RK4'/>" +
                          world("<body name='b' pos='0 0 1' gravcomp='1'><joint name='j' axis='1 0 0' "
                                "margin='0.1' group='3'/><geom "
                                "name='g' size='0.1' condim='4' rgba='1 0 0 1' solref='0.01 1'/></body>"));
  QVERIFY(isNoted(*scene, "option", "the attribute integrator is passed over"));
  QVERIFY(isNoted(*scene, "body[b]", "the attribute gravcomp is passed over"));
  QVERIFY(isNoted(*scene, "joint[j]", "the attribute margin is passed over"));
  QVERIFY(isNoted(*scene, "geom[g]", "the attribute condim is passed over"));
  QVERIFY(isNoted(*scene, "geom[g]", "the attribute solref is passed over"));
  for (const std::string& note : scene->notes)
    QVERIFY2(note.find("rgba") == std::string::npos && note.find("group") == std::string::npos, note.c_str());
}

void MjcfImportTest::referencesShiftTheCoordinate() {
  const auto scene =
      load(hinged("<joint name='j' axis='1 0 0' ref='45' range='0 90'/>", "<geom size='0.1' pos='0 1 0'/>"));
  QVERIFY_NEAR(coordinateOf(*scene, "j"), M_PI / 4, 1e-12);
  QVERIFY_NEAR((body(*scene, "b").position - rotated(Vec3(0, 1, 1))).norm(), 0, 1e-12);  // not moved
  const auto slide = load(hinged("<joint name='j' type='slide' axis='1 0 0' ref='0.5' range='1 2'/>"));
  QVERIFY_NEAR(coordinateOf(*slide, "j"), 1, 1e-12);
  QVERIFY_NEAR((body(*slide, "b").position - rotated(Vec3(0.5, 0, 1))).norm(), 0, 1e-12);
}

void MjcfImportTest::actuatorsBecomeDrives() {
  const QByteArray two = world(
      "<body name='a'><joint name='j'/><geom size='0.1'/></body><body name='b' pos='1 0 0'><joint name='k' "
      "damping='1'/><geom size='0.1'/></body>");
  const auto scene = load(
      two +
      "<actuator><motor joint='j' gear='40' ctrlrange='-1 1'/><position joint='k' kp='50' kv='3' gear='2' "
      "forcerange='-5 5'/></actuator>");
  QVERIFY(!joint(*scene, "j").drive.isOn());
  QVERIFY(isNoted(*scene, "actuator/motor[j]", "gear × control, at most 40"));
  const JointDrive& drive = joint(*scene, "k").drive;
  QVERIFY(drive.stiffness == 200 && drive.damping == 13 && drive.target == 0 && drive.mostForce == 10);
  const auto servo = load(
      two + "<actuator><general joint='j' biastype='affine' gainprm='80' biasprm='0 -80 -4'/></actuator>");
  QVERIFY(joint(*servo, "j").drive.stiffness == 80 && joint(*servo, "j").drive.damping == 4);
  RobotOptions options;
  options.keyframe = "up";
  const auto posed = load(two +
                              "<actuator><position joint='j' kp='50' ctrlrange='-1 "
                              "1'/></actuator><keyframe><key name='up' qpos='0.5 0' ctrl='3'/></keyframe>",
                          options);
  QVERIFY(joint(*posed, "j").drive.target == 1);
  QVERIFY_NEAR(coordinateOf(*posed, "j"), 0.5, 1e-12);
}

void MjcfImportTest::aFreeJointLetsTheRootMove() {
  const QByteArray arm =
      "<geom size='0.1'/><body name='arm' pos='1 0 0'><joint name='j'/><geom size='0.1'/></body></body>";
  const auto moving = load(world("<body name='base'><freejoint/>" + arm));
  QVERIFY(body(*moving, "base").motion == Motion::Dynamic);
  QCOMPARE(moving->joints.size(), std::size_t(1));
  const auto still = load(world("<body name='base'>" + arm));
  QVERIFY(body(*still, "base").motion == Motion::Static);
  RobotOptions options;
  options.base = RobotOptions::Base::Fixed;
  QVERIFY(body(*load(world("<body name='base'><freejoint/>" + arm), options), "base").motion ==
          Motion::Static);
}

void MjcfImportTest::sceneryIsStatic() {
  const auto scene = load(
      "<option timestep='0.005' gravity='0 0 -1.6'/>" +
      world("<geom name='floor' type='plane' size='9 9 1' zaxis='0 0 2'/><geom name='ramp' type='box' "
            "size='1 1 0.1' "
            "pos='3 0 0' friction='0.7'/><body name='table' pos='0 4 0'><geom type='box' size='1 1 1'/><body "
            "name='top' pos='0 0 2'><geom size='0.5'/></body></body><body name='b' pos='0 0 "
            "3'><freejoint/><geom "
            "size='0.1'/></body>"));
  QCOMPARE(scene->bodies.size(), std::size_t(4));
  QVERIFY(scene->dt == 0.005);
  QVERIFY_NEAR((scene->gravity - Vec3(0, -1.6, 0)).norm(), 0, 1e-15);
  const Body& floor = body(*scene, "floor");
  QVERIFY(floor.motion == Motion::Static && floor.shape->kind == Shape::Kind::Plane);
  QVERIFY_NEAR((floor.orientation * floor.shape->planeNormal - Vec3(0, 1, 0)).norm(), 0, 1e-12);
  QVERIFY_NEAR(scene->materials[body(*scene, "ramp").material].staticFriction, 0.7, 0);
  QVERIFY_NEAR(scene->materials[body(*scene, "b").material].staticFriction, 1, 0);
  QCOMPARE(body(*scene, "table").shape->pieces.size(), std::size_t(2));
  QVERIFY(scene->noContact.empty());
}

void MjcfImportTest::pairsCanBeExcluded() {
  const auto scene = load(world("<body name='a'><freejoint/><geom size='0.1'/></body><body name='b' pos='1 0 "
                                "0'><freejoint/><geom size='0.1'/></body>") +
                          "<contact><exclude body1='a' body2='b'/></contact>");
  QVERIFY(areKeptApart(*scene, "a", "b"));
}

void MjcfImportTest::bitsChooseWhatCollides() {
  const auto scene = load(world(
      "<body name='a'><freejoint/><geom size='0.1' contype='2' conaffinity='0'/></body>"
      "<body name='b' pos='1 0 0'><freejoint/><geom size='0.1' contype='0' conaffinity='1'/></body>"
      "<body name='c' pos='2 0 0'><freejoint/><geom size='0.1' contype='1' conaffinity='2'/><geom type='box' "
      "size='0.1 0.1 0.1' contype='0' conaffinity='0'/></body>"));
  QVERIFY(areKeptApart(*scene, "a", "b") && !areKeptApart(*scene, "a", "c") &&
          !areKeptApart(*scene, "b", "c"));
  QCOMPARE(body(*scene, "c").shape->pieces.size(), std::size_t(1));
  QVERIFY_NEAR(body(*scene, "c").mass - body(*scene, "a").mass, 8,
               1e-11);  // what does not collide has a mass
}

void MjcfImportTest::equalitiesCloseLoops() {
  const QByteArray three = world(
      "<body name='a'><joint name='j'/><geom size='0.1'/></body><body name='b' pos='1 0 0'><joint "
      "name='k'/><geom size='0.1'/></body><body name='c' pos='2 0 0'><freejoint/><geom size='0.1'/></body>");
  const auto scene = load(three +
                          "<equality><connect name='e' body1='a' body2='b' anchor='0.5 0 0'/><weld body1='b' "
                          "body2='c'/><joint joint1='k' joint2='j' polycoef='0 -2 0 0 0'/></equality>");
  const Joint& closing = joint(*scene, "e");
  QVERIFY(closing.kind == JointKind::Ball);
  QVERIFY_NEAR(
      (body(*scene, "a").position + body(*scene, "a").orientation * closing.frames.anchorA - Vec3(0.5, 0, 0))
          .norm(),
      0, 1e-12);
  QVERIFY(scene->joints.back().kind == JointKind::Fixed);
  const Joint& follower = joint(*scene, "k");
  QVERIFY(follower.mimic.joint >= 0 && follower.mimic.ratio == -2 && follower.mimic.offset == 0);
  QVERIFY_NEAR(coordinateOf(*scene, "k"), 0, 1e-12);
}

void MjcfImportTest::keysAreStarts() {
  const QByteArray content =
      world(
          "<body name='a' pos='0 0 1'><freejoint/><geom size='0.1'/><body name='b' pos='1 0 0'><joint "
          "name='j' axis='0 1 0'/><geom size='0.1'/></body></body>") +
      "<keyframe><key name='crouch' qpos='0 0 3  1 0 0 0  0.5'/></keyframe>";
  const auto plain = load(content);
  QVERIFY(isNoted(*plain, "mujoco", "'crouch'"));
  QVERIFY_NEAR(body(*plain, "a").position.y(), 1, 1e-12);
  RobotOptions options;
  options.keyframe = "crouch";
  const auto posed = load(content, options);
  QVERIFY_NEAR(body(*posed, "a").position.y(), 3, 1e-12);
  QVERIFY_NEAR(coordinateOf(*posed, "j"), 0.5, 1e-12);
}

void MjcfImportTest::filesAreIncluded() {
  m_folder.write(
      "parts/b.xml",
      "<mujocoinclude><body name='b' pos='1 0 0'><joint name='j'/><geom size='0.1'/></body></mujocoinclude>");
  m_folder.write("parts/d.xml", "<mujoco><default><geom density='500'/></default></mujoco>");
  const auto scene =
      load("<include file='parts/d.xml'/>" +
           world("<body name='a'><freejoint/><geom size='0.1'/><include file='parts/b.xml'/></body>"));
  QVERIFY_NEAR(body(*scene, "b").mass, 500 * 4.0 / 3 * M_PI * 0.001, 1e-12);
  QCOMPARE(scene->joints.size(), std::size_t(1));
}

void MjcfImportTest::meshesLieInTheirFolder() {
  m_folder.write("meshes/cube.obj", test::cubeObj());
  const auto scene =
      load("<compiler meshdir='meshes'/><asset><mesh file='cube.obj' scale='0.1 0.1 0.2'/></asset>" +
           world("<body name='b'><freejoint/><geom type='mesh' mesh='cube' pos='1 0 0'/></body>"));
  QVERIFY_NEAR(body(*scene, "b").mass, 2, 1e-6);
  QVERIFY_NEAR((body(*scene, "b").position - rotated(Vec3(1.05, 0.05, 0.1))).norm(), 0, 1e-7);
  QVERIFY(scene->sources.count("meshes/cube.obj") == 1);
}

void MjcfImportTest::inertialComesBeforeSolids() {
  const QByteArray text = world(
      "<body name='b'><freejoint/><inertial pos='0 0 0.5' mass='3' fullinertia='0.3 0.4 0.5 0 0 0'/><geom "
      "size='0.1'/></body>");
  const auto scene = load(text);
  QVERIFY_NEAR(body(*scene, "b").mass, 3, 0);
  QVERIFY_NEAR((body(*scene, "b").inertia.diagonal() - Vec3(0.3, 0.4, 0.5)).norm(), 0, 1e-15);
  QVERIFY_NEAR((body(*scene, "b").position - Vec3(0, 0.5, 0)).norm(), 0, 1e-12);
  QVERIFY_NEAR(body(*load("<compiler inertiafromgeom='true'/>" + text), "b").mass,
               1000 * 4.0 / 3 * M_PI * 0.001, 1e-11);
  const auto total = load("<compiler settotalmass='7'/>" + text);
  QVERIFY_NEAR(body(*total, "b").mass, 7, 1e-12);
}

void MjcfImportTest::orientationsHaveFiveForms() {
  // All turn x to y.
  for (const char* form :
       {"quat='1 0 0 1'", "axisangle='0 0 2 90'", "euler='0 0 90'", "xyaxes='0 1 0 -1 0 0'"}) {
    const auto scene = load(
        world(QByteArray("<body name='b' ") + form + "><freejoint/><geom size='0.1' pos='1 0 0'/></body>"));
    QVERIFY_NEAR((body(*scene, "b").position - rotated(Vec3(0, 1, 0))).norm(), 0, 1e-12);
  }
  const auto scene =
      load(world("<body name='b' zaxis='1 0 0'><freejoint/><geom size='0.1' pos='0 0 1'/></body>"));
  QVERIFY_NEAR((body(*scene, "b").position - Vec3(1, 0, 0)).norm(), 0, 1e-12);
  // Intrinsic x then y against fixed axes.
  const auto inner =
      load(world("<body name='b' euler='90 90 0'><freejoint/><geom size='0.1' pos='1 0 0'/></body>"));
  QVERIFY_NEAR((body(*inner, "b").position - rotated(Vec3(0, 1, 0))).norm(), 0, 1e-12);
  const auto outer =
      load("<compiler eulerseq='XYZ'/>" +
           world("<body name='b' euler='90 90 0'><freejoint/><geom size='0.1' pos='1 0 0'/></body>"));
  QVERIFY_NEAR((body(*outer, "b").position - rotated(Vec3(0, 0, -1))).norm(), 0, 1e-12);
}

void MjcfImportTest::tendonsAreLeftOut() {
  const auto scene =
      load(hinged("<joint name='j'/>") +
           "<tendon><fixed name='t'><joint joint='j' coef='1'/></fixed></tendon><actuator><motor "
           "tendon='t'/></actuator><sensor/><visual/>");
  QVERIFY(isNoted(*scene, "mujoco/tendon", "left out"));
  QVERIFY(isNoted(*scene, "actuator/motor", "left out"));
  QVERIFY(isNoted(*scene, "mujoco", "ignored elements: sensor, visual"));
}

/// Torso, two legs of two hinges at the hip and one at the knee: it falls onto the floor and holds together.
void MjcfImportTest::aFigureFalls() {
  QByteArray legs;
  for (const char* side : {"left", "right"}) {
    const QByteArray name(side), y = name == "left" ? "0.1" : "-0.1";
    legs += "<body name='" + name + " thigh' pos='0 " + y + " -0.25'><joint name='" + name +
            " x' axis='1 0 0' range='-25 5' "
            "armature='0.01' damping='5'/><joint name='" +
            name +
            " y' axis='0 1 0' range='-110 20' armature='0.01' damping='5'/>"
            "<geom type='capsule' fromto='0 0 0 0 0 -0.34' size='0.06'/><body name='" +
            name + " shin' pos='0 0 -0.4'><joint name='" + name +
            " knee' axis='0 -1 0' range='-160 -2' armature='0.006'/><geom type='capsule' fromto='0 0 0 0 0 "
            "-0.3' size='0.049'/>"
            "</body></body>";
  }
  const auto scene = load(
      "<default><joint damping='1'/></default>" +
      world("<geom name='floor' type='plane' size='5 5 1'/><body name='torso' pos='0 0 1.05'><freejoint/>"
            "<geom type='capsule' fromto='0 -0.07 0 0 0.07 0' size='0.07'/><geom type='capsule' fromto='0 0 "
            "0 0 0 "
            "-0.2' size='0.06'/>" +
            legs + "</body>"));
  QCOMPARE(scene->bodies.size(), std::size_t(8));  // the floor, five parts and two inserted bodies
  QVERIFY_NEAR(coordinateOf(*scene, "left knee"), -2 * M_PI / 180, 1e-12);
  PaneSettings pane;
  pane.method = "nsn";
  Simulation simulation(scene, pane, scene->dt);
  for (int frame = 0; frame < 12; ++frame) QVERIFY(!isFrozen(simulation.step()->status));
  const auto& bodies = simulation.current()->bodies;
  for (const Joint& joint : scene->joints) {
    const BodyState &a = bodies[joint.bodyA], &b = bodies[joint.bodyB];
    QVERIFY_NEAR((a.position + a.orientation * joint.frames.anchorA - b.position -
                  b.orientation * joint.frames.anchorB)
                     .norm(),
                 0, 1e-3);
  }
  QVERIFY(bodies[1].position.y() < body(*scene, "torso").position.y() - 0.01);
}

QTEST_APPLESS_MAIN(MjcfImportTest)
#include "tst_mjcf_import.moc"
