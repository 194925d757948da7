#include "core/robot/export/urdf_writer.h"

#include <cmath>
#include <map>
#include <set>

#include "core/files/scene_error.h"
#include "core/files/text_forms.h"
#include "core/robot/export/exported_scene.h"

namespace touchstone {

namespace {

/// Surface of a convex piece, corners counted from 1.
std::string objOf(const Polytope& piece) {
  std::string text = "# touchstone_mesh: 1\n";
  for (const Vec3& vertex : piece.vertices) text += "v " + spaced(vertex) + "\n";
  for (const auto& triangle : triangulated(piece).triangles) {
    text += "f";
    for (const int corner : triangle) text += " " + std::to_string(corner + 1);
    text += "\n";
  }
  return text;
}

/// Roll, pitch and yaw [rad] of a rotation that takes y to a unit vector: R = R_z(yaw) R_y(pitch) R_x(roll).
/// Yaw tilts y towards −x, roll towards z.
Vec3 rollPitchYaw(const Vec3& up) {
  const double across = std::hypot(up.x(), up.y());
  return {std::atan2(up.z(), across), 0, across > 0 ? std::atan2(-up.x(), up.y()) : 0};
}

/// Writes one folder.
class UrdfWriter {
 public:
  explicit UrdfWriter(const Scene& scene) : m_scene(scene) { requireExportable(scene); }

  std::vector<ExportedFile> files() {
    std::string rows;
    for (const Body& body : m_scene.bodies) rows += add(body);
    m_files.push_back({"world.csv", head() + rows});
    if (!m_scene.noContact.empty()) m_files.push_back({"no_contact.csv", excludedPairs()});
    return std::move(m_files);
  }

 private:
  std::string head() const {
    return "# touchstone_world: 1\n# scene: " + m_scene.name + "\n# gravity: " + spaced(m_scene.gravity) +
           "\n# step: " + csvNumber(m_scene.dt) + "\n# duration: " + csvNumber(m_scene.duration) +
           "\n# up: y\n"
           "body,file,motion,mass,friction,root_friction,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz,"
           "release_time\n";
  }

  std::string excludedPairs() const {
    std::string text = "# touchstone_no_contact: 1\nbody_a,body_b\n";
    for (const auto& [a, b] : m_scene.noContact)
      text += csvText(m_scene.bodies[a].name) + "," + csvText(m_scene.bodies[b].name) + "\n";
    return text;
  }

  /// @return the row of a body in world.csv
  std::string add(const Body& body) {
    const std::string stem = freeName(plainName(body.name));
    const bool isStatic = body.motion == Motion::Static;
    std::string solids;
    int number = 0;
    for (const ExportedSolid& solid : exportedSolids(body))
      solids += collisionOf(body, solid, stem, number++);
    const Mat3& I = body.inertia;
    m_files.push_back(
        {stem + ".urdf",
         "<!-- Written by Touchstone. -->\n<robot name=\"" + xmlText(body.name) + "\">\n  <link name=\"" +
             xmlText(body.name) +
             "\">\n    <inertial>\n      <origin xyz=\"0 0 0\" rpy=\"0 0 0\"/>\n      <mass value=\"" +
             csvNumber(body.mass) + "\"/>\n      <inertia ixx=\"" + csvNumber(I(0, 0)) + "\" ixy=\"" +
             csvNumber(I(0, 1)) + "\" ixz=\"" + csvNumber(I(0, 2)) + "\" iyy=\"" + csvNumber(I(1, 1)) +
             "\" iyz=\"" + csvNumber(I(1, 2)) + "\" izz=\"" + csvNumber(I(2, 2)) + "\"/>\n    </inertial>\n" +
             solids + "  </link>\n</robot>\n"});
    const double friction = m_scene.materials[body.material].dynamicFriction;
    const Quaternion& q = body.orientation;
    return csvText(body.name) + "," + stem + ".urdf," + (isStatic ? "static" : "dynamic") + "," +
           csvNumber(body.mass) + "," + csvNumber(friction) + "," + csvNumber(std::sqrt(friction)) +
           csvVector(body.position) + "," + csvNumber(q.w()) + csvVector(q.vec()) +
           csvVector(body.linearVelocity) + csvVector(body.angularVelocity) + "," +
           csvNumber(body.releaseTime) + "\n";
  }

  std::string collisionOf(const Body& body, const ExportedSolid& solid, const std::string& stem, int number) {
    Vec3 origin(0, 0, 0), rpy(0, 0, 0);
    std::string shape;
    switch (solid.kind) {
      case ExportedSolid::Kind::Plane: {
        const double thickness = m_scene.size, width = kPlaneSizes * m_scene.size;
        origin = -0.5 * thickness * solid.normal;
        rpy = rollPitchYaw(solid.normal);
        shape = "<box size=\"" + spaced(Vec3(width, thickness, width)) + "\"/>";
        break;
      }
      case ExportedSolid::Kind::Box:
        origin = solid.centre;
        shape = "<box size=\"" + spaced(Vec3(2 * solid.halfSize)) + "\"/>";
        break;
      case ExportedSolid::Kind::Round:
        return collisionOf(solid.round);
      case ExportedSolid::Kind::Mesh:
        shape = "<mesh filename=\"" + meshOf(*body.shape, *solid.piece, stem, number) + "\"/>";
        break;
    }
    return collisionOf(origin, rpy, shape);
  }

  /// The format knows no capsules: one is a cylinder and two spheres.
  static std::string collisionOf(const RoundPiece& round) {
    const std::string radius = " radius=\"" + csvNumber(round.radius) + "\"";
    const auto sphere = [&radius](const Vec3& centre) {
      return collisionOf(centre, Vec3(0, 0, 0), "<sphere" + radius + "/>");
    };
    if (round.kind == RoundPiece::Kind::Sphere) return sphere(round.centre);
    const double across = std::hypot(round.axis.x(), round.axis.y());
    const Vec3 rpy(0, std::atan2(across, round.axis.z()),
                   across > 0 ? std::atan2(round.axis.y(), round.axis.x()) : 0);
    const std::string side = collisionOf(
        round.centre, rpy, "<cylinder" + radius + " length=\"" + csvNumber(round.length) + "\"/>");
    if (round.kind == RoundPiece::Kind::Cylinder) return side;
    const Vec3 half = 0.5 * round.length * round.axis;
    return side + sphere(round.centre - half) + sphere(round.centre + half);
  }

  static std::string collisionOf(const Vec3& origin, const Vec3& rpy, const std::string& shape) {
    const std::string inside = "      <origin xyz=\"" + spaced(origin) + "\" rpy=\"" + spaced(rpy) +
                               "\"/>\n      <geometry>" + shape + "</geometry>\n";
    return "    <collision>\n" + inside + "    </collision>\n    <visual>\n" + inside + "    </visual>\n";
  }

  /// Bodies with one shape share its files.
  const std::string& meshOf(const Shape& shape, const Polytope& piece, const std::string& stem, int number) {
    std::string& name = m_meshes[{&shape, number}];
    if (name.empty()) {
      name = stem + "-" + std::to_string(number) + ".obj";
      m_files.push_back({name, objOf(piece)});
    }
    return name;
  }

  std::string freeName(const std::string& wanted) {
    std::string name = wanted;
    for (int number = 2; !m_names.insert(name).second; ++number) name = wanted + "_" + std::to_string(number);
    return name;
  }

  const Scene& m_scene;
  std::vector<ExportedFile> m_files;
  std::set<std::string> m_names;
  std::map<std::pair<const Shape*, int>, std::string> m_meshes;
};

}  // namespace

std::vector<ExportedFile> urdfFiles(const Scene& scene) { return UrdfWriter(scene).files(); }

}  // namespace touchstone
