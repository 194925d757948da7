#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/geometry/mass_properties.h"
#include "core/robot/robot_meshes.h"
#include "core/robot/robot_xml.h"
#include "core/scene/scene.h"

namespace touchstone {

/// A frame in another one [m]: x_outer = position + orientation x_inner.
struct RobotPose {
  Vec3 position = Vec3(0, 0, 0);
  Quaternion orientation = Quaternion(1, 0, 0, 0);
  Vec3 operator*(const Vec3& point) const { return position + orientation * point; }
  RobotPose operator*(const RobotPose& inner) const {
    Quaternion rotation = product(orientation, inner.orientation);
    rotation.normalize();
    return {*this * inner.position, rotation};
  }
  RobotPose inverse() const {
    const Quaternion back = orientation.conjugate();
    return {-(back * position), back};
  }
};

/// The rotation by an angle [rad] about a unit vector.
Quaternion rotationAbout(const Vec3& unitAxis, double angle);

/// Mass, its centre in the link's frame, and inertia about the centre along the link's axes.
struct RobotInertia {
  double mass = 0;  ///< kg
  Vec3 centre = Vec3(0, 0, 0);
  Mat3 inertia = Mat3::Zero();  ///< kg·m²
};
/// Mass, centre and inertia of two bodies together.
RobotInertia together(const RobotInertia& a, const RobotInertia& b);
/// True if a body can have such principal moments: positive, none above the sum of the others.
bool isInertia(const Mat3& inertia);
/// Principal axes as a rotation that is nearest to none: inertia = R diag R^T. A diagonal inertia has none.
Quaternion principalAxes(const Mat3& inertia, Vec3& moments);

/// One collision solid of a link.
struct RobotShape {
  nlohmann::ordered_json piece;  ///< as in scene files, without a place
  RobotPose pose;                ///< of the piece in the link
  MassProperties solid;          ///< exact, of the round solid; density 1, in the frame of the piece
  double mass = -1;              ///< kg; < 0: by density
  double density = 1000;         ///< kg/m³
  bool collides = true;
  unsigned type = 1, affinity = 1;  ///< MJCF: two solids collide if type & affinity of the other, either way
  double friction = 0.5;
  std::optional<Vec3> plane;  ///< upward normal in the link; then all else but the friction is unused
};
/// Shapes with their exact solids; round ones are along z, as in URDF and MJCF. Lengths in m.
RobotShape boxShape(const Vec3& size);
RobotShape sphereShape(double radius);
RobotShape cylinderShape(double radius, double height);
RobotShape capsuleShape(double radius, double length);
RobotShape ellipsoidShape(const Vec3& radii);
RobotShape meshShape(const std::string& file, const Vec3& scale, const Polytope& hull);

/// The joint that holds a link on its parent.
struct RobotJoint {
  enum class Kind { Free, Fixed, Revolute, Prismatic, Ball } kind = Kind::Fixed;
  std::string name, file, place;                      ///< place in the file, for notes
  Vec3 anchor = Vec3(0, 0, 0), axis = Vec3(1, 0, 0);  ///< in the link's frame; the axis is a unit vector
  double reference = 0;                               ///< coordinate at which the link has its offset
  double start = 0;                                   ///< wanted coordinate at the start
  double lower = -HUGE_VAL, upper = HUGE_VAL;         ///< rad or m
  double stiffness = 0, damping = 0, target = 0, rate = 0;  ///< drive
  double mostForce = HUGE_VAL;                              ///< of the drive [N, N·m]
  double dryFriction = 0, armature = 0;                     ///< N·m or N; kg·m²
  std::string mimic;                                        ///< name of the joint that it follows
  double ratio = 1, shift = 0;
  bool moves() const { return kind == Kind::Revolute || kind == Kind::Prismatic; }
};

struct RobotLink {
  std::string name, file, place;
  int parent = -1;   ///< index of an earlier link; −1: the world
  RobotPose offset;  ///< in the parent's frame, with the joint at its reference
  RobotJoint joint;
  std::optional<RobotInertia> inertia;
  std::vector<RobotShape> shapes;
  bool isInserted = false;  ///< carries one of several joints of a body: its mass is a share of that
  bool isScenery = false;   ///< does not belong to the robot: a static body of its own
};

/// An additional joint that closes a loop.
struct RobotLoop {
  bool isWeld = false;
  std::string name, file, place;
  int linkA = -1, linkB = -1;
  Vec3 anchor = Vec3(0, 0, 0);  ///< in the frame of link A
};

/// A robot between its file and the scene: a tree of links, parents first, with z up.
struct RobotTree {
  std::string name, file, format;
  std::vector<RobotLink> links;
  std::vector<RobotLoop> loops;
  std::vector<std::array<int, 2>> noContact;  ///< links
  Vec3 gravity = Vec3(0, 0, -9.81);           ///< m/s²
  double dt = 1.0 / 120;                      ///< s
  double totalMass = 0;                       ///< kg; 0: as it comes
};

/// Writes the scene of a robot. @throws SceneError
ImportedRobot sceneOf(RobotTree tree, const RobotOptions& options, RobotMeshes& meshes, RobotNotes& notes);

/// The robots of both formats. @throws SceneError
RobotTree urdfTree(const XmlView& root, const RobotOptions& options, RobotMeshes& meshes, RobotNotes& notes);
RobotTree mjcfTree(const XmlView& root, tinyxml2::XMLDocument& document, const RobotOptions& options,
                   RobotMeshes& meshes, RobotNotes& notes);

/// A larger value lets a file take minutes to open; a smaller one refuses large robots.
constexpr std::size_t kMostLinks = 2000, kMostRobotShapes = 3000;

}  // namespace touchstone
