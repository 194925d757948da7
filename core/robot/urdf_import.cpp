#include <console_bridge/console.h>
#include <urdf_parser/urdf_parser.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "core/files/scene_error.h"
#include "core/files/text_forms.h"
#include "core/math/count.h"
#include "core/robot/robot_tree.h"

namespace touchstone {

namespace {

/// No angle of a robot is larger [rad]; such numbers are likely degrees.
constexpr double kLikelyDegrees = 6.5;
/// Coefficient of friction of all solids: a URDF names none.
constexpr double kUrdfFriction = 0.5;

/// Keeps urdfdom from writing to the console.
class Silence {
 public:
  Silence() { console_bridge::noOutputHandler(); }
  ~Silence() { console_bridge::restorePreviousOutputHandler(); }
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;
};

Vec3 vectorOf(const urdf::Vector3& v) { return {v.x, v.y, v.z}; }

RobotPose poseOfUrdf(const urdf::Pose& pose) {
  RobotPose robotPose;
  robotPose.position = vectorOf(pose.position);
  robotPose.orientation = Quaternion(pose.rotation.w, pose.rotation.x, pose.rotation.y, pose.rotation.z);
  robotPose.orientation.normalize();
  return robotPose;
}

/// Checks a URDF and writes what a scene needs of it as a URDF without anything else, with all numbers in
/// full and counted names (link l7, joint j3, mesh m0): urdfdom, whose messages name no element, reads that
/// without an error.
class UrdfChecker {
 public:
  UrdfChecker(const XmlView& root, RobotNotes& notes)
      : links(root.children("link")), joints(root.children("joint")), m_root(root), m_notes(notes) {}

  const std::vector<XmlView> links, joints;  ///< by their numbers
  std::vector<XmlView> meshes;

  std::string checkedText() {
    refuseXacro(m_root);
    ignoreUnknown();
    m_text = "<robot name=\"robot\">";
    if (links.empty()) m_root.fail("has no link", "add one");
    if (links.size() > kMostLinks) m_root.fail("has more than 2000 links", "simplify it");
    for (const XmlView& link : links) {
      if (!m_links.emplace(link.text("name"), m_links.size()).second)
        link.fail("has a name that another link has", "rename one");
      addLink(link);
    }
    for (const XmlView& joint : joints)
      if (!m_joints.emplace(joint.text("name"), m_joints.size()).second)
        joint.fail("has a name that another joint has", "rename one");
    for (const XmlView& joint : joints) addJoint(joint);
    checkTree();
    return m_text + "</robot>";
  }

 private:
  void refuseXacro(const XmlView& element) {
    const auto refuse = [&element](const std::string& what) {
      element.fail("line " + std::to_string(element.line()) + " holds " + what + " of xacro",
                   "run xacro on the file first");
    };
    if (element.tag().compare(0, 6, "xacro:") == 0) refuse("the element " + element.tag());
    for (auto* attribute = element.element().FirstAttribute(); attribute; attribute = attribute->Next()) {
      const std::string value = attribute->Value();
      if (value.find("${") != std::string::npos || value.find("$(") != std::string::npos)
        refuse("the expression '" + value.substr(0, 60) + "'");
    }
    for (const XmlView& child : element.children()) refuseXacro(child);
  }

  /// One note for all elements that a scene has no use for.
  void ignoreUnknown() {
    std::map<std::string, int> counts;
    const auto count = [&counts](const XmlView& element, const std::set<std::string>& known) {
      for (const XmlView& child : element.children())
        if (known.count(child.tag()) == 0) ++counts[child.tag()];
    };
    count(m_root, {"link", "joint"});
    for (const XmlView& link : m_root.children("link")) {
      count(link, {"inertial", "collision", "visual"});
      for (const XmlView& collision : link.children("collision")) count(collision, {"origin", "geometry"});
    }
    for (const XmlView& joint : m_root.children("joint"))
      count(joint, {"origin", "parent", "child", "axis", "limit", "dynamics", "mimic"});
    if (counts.empty()) return;
    std::string names;
    for (const auto& [tag, times] : counts)
      names += (names.empty() ? "" : ", ") + tag + (times > 1 ? " (" + std::to_string(times) + ")" : "");
    m_notes.add(m_root, "ignored elements: " + names);
  }

  void attribute(const char* name, const Vec3& v) {
    m_text += std::string(" ") + name + "=\"" + csvNumber(v.x()) + " " + csvNumber(v.y()) + " " +
              csvNumber(v.z()) + "\"";
  }
  void attribute(const char* name, double value) {
    m_text += std::string(" ") + name + "=\"" + csvNumber(value) + "\"";
  }
  void attribute(const char* name, const std::string& value) {
    m_text += std::string(" ") + name + "=\"" + xmlText(value) + "\"";
  }

  void addOrigin(const XmlView& element) {
    const auto* found = element.child("origin");
    if (!found) return;
    const XmlView origin = element.at(*found);
    const Vec3 rpy = origin.vectorOr("rpy", Vec3::Zero());
    if (rpy.cwiseAbs().maxCoeff() > kLikelyDegrees)
      m_notes.add(origin, "rpy is beyond a full turn; it is read in radians, as URDF says");
    m_text += "<origin";
    attribute("xyz", origin.vectorOr("xyz", Vec3::Zero()));
    attribute("rpy", rpy);
    m_text += "/>";
  }

  void addLink(const XmlView& link) {
    m_text += "<link";
    attribute("name", "l" + std::to_string(m_links.size() - 1));
    m_text += ">";
    if (const auto* inertial = link.child("inertial")) addInertial(link.at(*inertial));
    const std::vector<XmlView> collisions = link.children("collision");
    m_collisions += collisions.size();
    if (m_collisions > kMostRobotShapes)
      link.fail("brings the robot above 3000 collision solids", "simplify it");
    for (const XmlView& collision : collisions) {
      m_text += "<collision>";
      addOrigin(collision);
      const auto* geometry = collision.child("geometry");
      if (!geometry) collision.fail("has no geometry", "add box, sphere, cylinder or mesh within geometry");
      addGeometry(collision.at(*geometry));
      m_text += "</collision>";
    }
    if (collisions.empty() && !link.children("visual").empty())
      m_notes.add(link, "has a visual but no collision: it neither collides nor is drawn");
    m_text += "</link>";
  }

  void addInertial(const XmlView& inertial) {
    const auto* mass = inertial.child("mass");
    if (!mass) inertial.fail("has no mass", "add mass value=\"…\" in kg, or remove inertial");
    const double value = inertial.at(*mass).number("value");
    if (!(value >= 0)) inertial.at(*mass).fail("value is negative", "give a mass in kg");
    m_text += "<inertial>";
    addOrigin(inertial);
    m_text += "<mass";
    attribute("value", value);
    m_text += "/><inertia";
    const auto* found = inertial.child("inertia");
    if (!found) m_notes.add(inertial, "has no inertia: it is treated as one that no body has");
    for (const char* key : {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"}) {
      if (found && !inertial.at(*found).has(key) && key[1] == key[2])
        inertial.at(*found).fail(std::string("has no ") + key, "give all six moments in kg·m²");
      attribute(key, found ? inertial.at(*found).numberOr(key, 0) : 0);
    }
    m_text += "/></inertial>";
  }

  void addGeometry(const XmlView& geometry) {
    const std::vector<XmlView> shapes = geometry.children();
    if (shapes.empty()) geometry.fail("is empty", "add box, sphere, cylinder or mesh");
    if (shapes.size() > 1) geometry.fail("has several shapes", "give each its own collision");
    const XmlView& shape = shapes[0];
    m_text += "<geometry><" + shape.tag();
    if (shape.tag() == "box") {
      const Vec3 size = shape.vector("size");
      if (!(size.minCoeff() > 0)) shape.fail("size must be positive", "give full edge lengths in m");
      attribute("size", size);
    } else if (shape.tag() == "sphere") {
      attribute("radius", shape.positive("radius"));
    } else if (shape.tag() == "cylinder") {
      attribute("radius", shape.positive("radius"));
      attribute("length", shape.positive("length"));
    } else if (shape.tag() == "mesh") {
      shape.text("filename");
      attribute("filename", "m" + std::to_string(meshes.size()));
      Vec3 scale(1, 1, 1);
      if (shape.has("scale")) scale = shape.vector("scale");
      if (!(scale.cwiseAbs().minCoeff() > 0))
        shape.fail("scale flattens the mesh", "give three factors other than 0");
      attribute("scale", scale);
      meshes.push_back(shape);
    } else {
      shape.fail("is no shape of URDF", "use box, sphere, cylinder or mesh");
    }
    m_text += "/></geometry>";
  }

  void addJoint(const XmlView& joint) {
    const std::string type = joint.text("type");
    if (type == "floating" || type == "planar")
      joint.fail("has the type " + type + ", which is not supported",
                 type == "floating" ? "remove the joint and its parent, and import with a free base"
                                    : "use two prismatic joints and a revolute one");
    if (type != "revolute" && type != "continuous" && type != "prismatic" && type != "fixed")
      joint.fail("has the unknown type '" + type.substr(0, 60) + "'",
                 "use revolute, continuous, prismatic or fixed");
    m_text += "<joint";
    attribute("name", "j" + std::to_string(m_joints.at(joint.text("name"))));
    attribute("type", type);
    m_text += ">";
    addOrigin(joint);
    std::size_t ends[2] = {0, 0};
    for (const char* end : {"parent", "child"}) {
      const auto* found = joint.child(end);
      if (!found) joint.fail(std::string("has no ") + end, std::string("add ") + end + " link=\"…\"");
      const std::string link = joint.at(*found).text("link");
      const auto known = m_links.find(link);
      if (known == m_links.end())
        joint.at(*found).fail("names the link '" + link.substr(0, 60) + "', which is not in the file",
                              "add the link or correct the name");
      m_text += std::string("<") + end;
      attribute("link", "l" + std::to_string(known->second));
      m_text += "/>";
      ends[end[0] == 'c'] = known->second;
    }
    const std::string child = joint.at(*joint.child("child")).text("link");
    if (ends[0] == ends[1])
      joint.fail("joins the link '" + child.substr(0, 60) + "' with itself", "name two links");
    if (!m_parents.emplace(ends[1], ends[0]).second)
      joint.fail("gives the link '" + child.substr(0, 60) + "' a second parent",
                 "a URDF is a tree: remove one of the joints");
    if (type != "fixed") addMotion(joint, type);
    m_text += "</joint>";
  }

  void addMotion(const XmlView& joint, const std::string& type) {
    Vec3 axis(1, 0, 0);
    if (const auto* found = joint.child("axis")) {
      const XmlView element = joint.at(*found);
      axis = element.vector("xyz");
      if (!(axis.norm() > 1e-9)) element.fail("has no length", "give the direction in which the joint moves");
      if (std::abs(axis.norm() - 1) > 1e-6) m_notes.add(element, "is not of unit length: normalised");
      axis /= axis.norm();
    } else {
      m_notes.add(joint, "has no axis: (1, 0, 0)");
    }
    m_text += "<axis";
    attribute("xyz", axis);
    m_text += "/>";
    addLimit(joint, type);
    if (const auto* found = joint.child("dynamics")) {
      m_text += "<dynamics";
      for (const char* key : {"damping", "friction"}) attribute(key, joint.at(*found).nonNegativeOr(key, 0));
      m_text += "/>";
    }
    if (const auto* found = joint.child("mimic")) {
      const XmlView mimic = joint.at(*found);
      const std::string name = mimic.text("joint");
      const auto leader = m_joints.find(name);
      if (leader == m_joints.end())
        mimic.fail("names the joint '" + name.substr(0, 60) + "', which is not in the file",
                   "correct the name");
      if (name == joint.text("name")) mimic.fail("names the joint itself", "name the joint that leads");
      if (joints[leader->second].textOr("type", "") == "fixed")
        mimic.fail("follows the fixed joint '" + name.substr(0, 60) + "'", "name a joint that moves");
      m_text += "<mimic";
      attribute("joint", "j" + std::to_string(leader->second));
      attribute("multiplier", mimic.numberOr("multiplier", 1));
      attribute("offset", mimic.numberOr("offset", 0));
      m_text += "/>";
    }
  }

  void addLimit(const XmlView& joint, const std::string& type) {
    const auto* found = joint.child("limit");
    if (!found) {
      if (type != "continuous")
        joint.fail("has no limit, which " + type + " joints need",
                   "add limit lower, upper, effort and velocity");
      return;
    }
    const XmlView limit = joint.at(*found);
    double lower = limit.numberOr("lower", 0), upper = limit.numberOr("upper", 0);
    if (type == "continuous" && (limit.has("lower") || limit.has("upper")))
      m_notes.add(limit, "lower and upper of a continuous joint are ignored");
    if (type != "continuous" && lower > upper) limit.fail("has lower above upper", "swap them");
    if (type == "revolute" && std::max(std::abs(lower), std::abs(upper)) > kLikelyDegrees)
      m_notes.add(limit, "lower or upper is beyond a full turn; they are read in radians, as URDF says");
    if (type != "continuous" && lower == upper)
      m_notes.add(limit, "lower equals upper: the joint is held there");
    const double effort = limit.nonNegativeOr("effort", 0), velocity = limit.nonNegativeOr("velocity", 0);
    if (effort == 0) m_notes.add(limit, "effort 0 means unknown: it is unlimited");
    m_notes.add(limit, velocity == 0 ? "velocity 0 means unknown: it is unlimited"
                                     : "velocity is not limited: no method has such a limit");
    m_text += "<limit";
    attribute("lower", lower);
    attribute("upper", upper);
    attribute("effort", effort);
    attribute("velocity", velocity);
    m_text += "/>";
  }

  /// One root, and every link below it.
  void checkTree() {
    std::vector<std::string> roots;
    for (std::size_t link = 0; link < links.size(); ++link)
      if (m_parents.count(link) == 0) roots.push_back(links[link].text("name"));
    if (roots.empty()) m_root.fail("has no root: its joints form a loop", "remove a joint of the loop");
    if (roots.size() > 1)
      m_root.fail("has several roots: '" + roots[0].substr(0, 60) + "' and '" + roots[1].substr(0, 60) + "'",
                  "join all links to one root, for example by fixed joints");
    std::vector<int> seenFrom(links.size(), -1);
    for (std::size_t link = 0; link < links.size(); ++link) {
      std::size_t ancestor = link;
      for (; seenFrom[ancestor] < 0 && m_parents.count(ancestor) > 0; ancestor = m_parents.at(ancestor))
        seenFrom[ancestor] = static_cast<int>(link);
      if (seenFrom[ancestor] == static_cast<int>(link) && m_parents.count(ancestor) > 0)
        links[ancestor].fail("is part of a loop of joints that no root holds", "remove a joint of the loop");
    }
  }

  XmlView m_root;
  RobotNotes& m_notes;
  std::string m_text;
  std::map<std::string, std::size_t> m_links, m_joints;  ///< number by name
  std::map<std::size_t, std::size_t> m_parents;          ///< parent by child
  std::size_t m_collisions = 0;
};

/// Makes the tree of links from what urdfdom read.
class UrdfTreeBuilder {
 public:
  UrdfTreeBuilder(const XmlView& root, const UrdfChecker& checked, const RobotOptions& options,
                  RobotMeshes& meshes, RobotNotes& notes)
      : m_root(root), m_checked(checked), m_options(options), m_meshes(meshes), m_notes(notes) {}

  RobotTree build(const urdf::ModelInterface& model) {
    m_tree.name = m_root.textOr("name", "");
    m_tree.file = m_root.file();
    m_tree.format = "URDF";
    // Parents first, without recursion: chains may be long.
    std::vector<std::pair<urdf::LinkConstSharedPtr, int>> open = {{model.getRoot(), -1}};
    while (!open.empty()) {
      const auto [link, parent] = open.back();
      open.pop_back();
      const int linkIndex = countOf(m_tree.links);
      m_tree.links.push_back(linkOf(*link, parent));
      for (auto child = link->child_links.rbegin(); child != link->child_links.rend(); ++child)
        open.push_back({*child, linkIndex});
    }
    if (m_hasShapes) m_notes.add(m_root, "names no friction: " + fourDigits(kUrdfFriction) + " everywhere");
    return std::move(m_tree);
  }

 private:
  static std::size_t numberOf(const std::string& counted) { return std::stoul(counted.substr(1)); }

  RobotLink linkOf(const urdf::Link& link, int parent) {
    const XmlView& place = m_checked.links.at(numberOf(link.name));
    RobotLink robotLink;
    robotLink.name = place.text("name");
    robotLink.file = place.file();
    robotLink.place = place.place();
    robotLink.parent = parent;
    if (link.parent_joint) {
      robotLink.offset = poseOfUrdf(link.parent_joint->parent_to_joint_origin_transform);
      robotLink.joint = jointOf(*link.parent_joint);
    } else {
      robotLink.joint.file = robotLink.file;
      robotLink.joint.place = robotLink.place;
      robotLink.joint.name = robotLink.name + " base";
      if (m_options.base != RobotOptions::Base::Free) m_notes.add(place, "is the root: fixed to the world");
    }
    for (const urdf::CollisionSharedPtr& collision : link.collision_array) {
      m_hasShapes = true;
      robotLink.shapes.push_back(shapeOf(*collision->geometry));
      robotLink.shapes.back().pose = poseOfUrdf(collision->origin) * robotLink.shapes.back().pose;
      robotLink.shapes.back().density = m_options.density;
      robotLink.shapes.back().friction = kUrdfFriction;
    }
    if (link.inertial) {
      robotLink.inertia = inertiaOfUrdf(*link.inertial);
    } else if (!robotLink.shapes.empty()) {
      m_notes.add(place, "no inertial: mass and inertia are those of the collision solids at " +
                             fourDigits(m_options.density) + " kg/m³");
    }
    return robotLink;
  }

  /// Mass and inertia of a link, which a URDF gives about an origin of their own, rotated by its rpy.
  static RobotInertia inertiaOfUrdf(const urdf::Inertial& inertial) {
    const RobotPose pose = poseOfUrdf(inertial.origin);
    Mat3 tensor;
    tensor << inertial.ixx, inertial.ixy, inertial.ixz, inertial.ixy, inertial.iyy, inertial.iyz,
        inertial.ixz, inertial.iyz, inertial.izz;
    const Mat3 R = pose.orientation.toRotationMatrix();
    RobotInertia result;
    result.mass = inertial.mass;
    result.centre = pose.position;
    // Exactly as written where nothing turns, so that no rounding makes a diagonal inertia a full one.
    result.inertia = R.isIdentity(0) ? tensor : Mat3(R * tensor * R.transpose());
    return result;
  }

  RobotShape shapeOf(const urdf::Geometry& geometry) {
    switch (geometry.type) {
      case urdf::Geometry::BOX:
        return boxShape(vectorOf(static_cast<const urdf::Box&>(geometry).dim));
      case urdf::Geometry::SPHERE:
        return sphereShape(static_cast<const urdf::Sphere&>(geometry).radius);
      case urdf::Geometry::CYLINDER: {
        const auto& cylinder = static_cast<const urdf::Cylinder&>(geometry);
        return cylinderShape(cylinder.radius, cylinder.length);
      }
      default:
        break;
    }
    const auto& mesh = static_cast<const urdf::Mesh&>(geometry);
    const XmlView& element = m_checked.meshes.at(numberOf(mesh.filename));
    const std::string file = m_meshes.fileOf(element, element.text("filename"));
    const Vec3 scale = vectorOf(mesh.scale);
    m_notes.add(element, "the mesh collides as its convex hull");
    return meshShape(m_meshes.nameInScene(file), scale, m_meshes.hull(element, file, scale));
  }

  RobotJoint jointOf(const urdf::Joint& joint) {
    const XmlView& place = m_checked.joints.at(numberOf(joint.name));
    RobotJoint robotJoint;
    robotJoint.name = place.text("name");
    robotJoint.file = place.file();
    robotJoint.place = place.place();
    if (joint.type == urdf::Joint::FIXED) return robotJoint;
    robotJoint.kind =
        joint.type == urdf::Joint::PRISMATIC ? RobotJoint::Kind::Prismatic : RobotJoint::Kind::Revolute;
    robotJoint.axis = vectorOf(joint.axis).normalized();
    if (joint.limits) {
      if (joint.type != urdf::Joint::CONTINUOUS) {
        robotJoint.lower = joint.limits->lower;
        robotJoint.upper = joint.limits->upper;
      }
      if (joint.limits->effort > 0) robotJoint.mostForce = joint.limits->effort;
    }
    if (joint.dynamics) {
      robotJoint.damping = joint.dynamics->damping;
      robotJoint.dryFriction = joint.dynamics->friction;
    }
    if (joint.mimic) {
      robotJoint.mimic = m_checked.joints.at(numberOf(joint.mimic->joint_name)).text("name");
      robotJoint.ratio = joint.mimic->multiplier;
      robotJoint.shift = joint.mimic->offset;
    }
    return robotJoint;
  }

  XmlView m_root;
  const UrdfChecker& m_checked;
  const RobotOptions& m_options;
  RobotMeshes& m_meshes;
  RobotNotes& m_notes;
  RobotTree m_tree;
  bool m_hasShapes = false;
};

}  // namespace

RobotTree urdfTree(const XmlView& root, const RobotOptions& options, RobotMeshes& meshes, RobotNotes& notes) {
  UrdfChecker checker(root, notes);
  const std::string text = checker.checkedText();
  urdf::ModelInterfaceSharedPtr model;
  {
    const Silence silence;
    model = urdf::parseURDF(text);
  }
  if (!model || !model->getRoot())
    root.fail("cannot be understood as a URDF", "check it with check_urdf of urdfdom");
  return UrdfTreeBuilder(root, checker, options, meshes, notes).build(*model);
}

}  // namespace touchstone
