#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>

#include "core/files/scene_error.h"
#include "core/files/text_forms.h"
#include "core/math/count.h"
#include "core/robot/mjcf_attributes.h"
#include "core/robot/mjcf_model.h"

namespace touchstone {

namespace {

/// A child of a body, with the frames around it.
struct PlacedElement {
  MjcfElement* element;
  RobotPose frame;
  std::string childClass;
};

class MjcfReader {
 public:
  MjcfReader(const MjcfDocument& document, const RobotOptions& options, RobotMeshes& meshes,
             RobotNotes& notes)
      : m_document(document), m_options(options), m_meshes(meshes), m_notes(notes) {}

  RobotTree read() {
    MjcfElement* root = m_document.root();
    const XmlView view = m_document.view(root);
    m_model.tree.name = view.textOr("model", "");
    m_model.tree.file = view.file();
    m_model.tree.format = "MJCF";
    m_model.tree.totalMass = m_document.compiler().totalMass;
    sections(root);
    forEachChild(root, "option", [this](MjcfElement* section) { option(m_document.view(section)); });
    forEachChild(root, "asset", [this](MjcfElement* section) { assets(section); });
    bool hasWorld = false;
    forEachChild(root, "worldbody", [&](MjcfElement* section) {
      hasWorld = true;
      body(section, -1, {}, "main", true);
    });
    if (!hasWorld) view.fail("has no worldbody", "add one with the bodies of the model");
    forEachChild(root, "contact", [this](MjcfElement* section) { contact(m_document.view(section)); });
    finishModel(m_model, m_document, m_options, m_notes);
    ignored();
    notePassedOver(view, m_notes);
    if (m_frictions.size() > 1)
      m_notes.add(view, "the friction of a pair is the geometric mean of both, not the larger one");
    return std::move(m_model.tree);
  }

 private:
  RobotLink& link(int index) { return m_model.tree.links[index]; }

  void sections(MjcfElement* root) {
    const std::set<std::string> read = {"compiler", "option",   "asset",    "worldbody", "contact",
                                        "equality", "keyframe", "actuator", "default",   "include"};
    for (const XmlView& section : m_document.view(root).children()) {
      const std::string tag = section.tag();
      if (tag == "tendon") m_notes.add(section, "tendons are not supported: left out");
      if (tag == "extension" || tag == "deformable" || tag == "custom_plugin")
        section.fail("holds " + std::string(tag == "extension" ? "plugins" : "deformable bodies") +
                         ", which are not supported",
                     "remove the element");
      if (read.count(tag) == 0 && tag != "tendon") ++m_ignored[tag];
    }
  }

  void ignored() {
    if (m_ignored.empty()) return;
    std::string names;
    for (const auto& [tag, times] : m_ignored)
      names += (names.empty() ? "" : ", ") + tag + (times > 1 ? " (" + std::to_string(times) + ")" : "");
    m_notes.add(m_document.view(m_document.root()), "ignored elements: " + names);
  }

  void option(const XmlView& element) {
    m_model.tree.gravity = element.vectorOr("gravity", m_model.tree.gravity);
    if (element.has("timestep")) {
      m_model.tree.dt = element.positive("timestep");
      if (!(m_model.tree.dt >= 1e-6 && m_model.tree.dt <= 1))
        element.fail("timestep must be from 1e-6 to 1 s", "give seconds");
    }
    for (const XmlView& flag : element.children("flag")) flags(flag);
    for (const char* key : {"wind", "density", "viscosity"})
      if (element.has(key)) m_notes.add(element, std::string(key) + " is ignored: there is no air");
  }

  /// The switches that take parts of the mechanics away.
  void flags(const XmlView& flag) {
    const auto isOff = [&](const char* name) {
      const std::string state = flag.textOr(name, "enable");
      if (state != "enable" && state != "disable")
        flag.fail(std::string(name) + " '" + state.substr(0, 20) + "' is unknown", "write enable or disable");
      if (state == "disable") m_notes.add(flag, std::string(name) + " is switched off, as the file says");
      return state == "disable";
    };
    if (isOff("gravity")) m_model.tree.gravity = Vec3(0, 0, 0);
    const bool isFree = isOff("constraint");
    MjcfSwitches& off = m_model.off;
    off.contacts = isOff("contact") || isFree;
    off.limits = isOff("limit") || isFree;
    off.equalities = isOff("equality") || isFree;
    off.dryFriction = isOff("frictionloss") || isFree;
    const bool isStiff = isOff("passive");
    off.springs = isOff("spring") || isStiff;
    off.dampers = isOff("damper") || isStiff;
    off.actuators = isOff("actuation");
  }

  void assets(MjcfElement* asset) {
    forEachChild(asset, "mesh", [this](MjcfElement* mesh) {
      m_document.applyDefaults(mesh, "main");
      const XmlView view = m_document.view(mesh);
      const std::string file = view.textOr("file", "");
      const std::string name =
          view.has("name") ? view.text("name") : std::filesystem::path(file).stem().string();
      if (name.empty()) view.fail("has neither name nor file", "add both");
      if (!m_meshAssets.emplace(name, view).second)
        view.fail("has a name that another mesh has", "rename one");
    });
  }

  /// The children of a body and of the frames in it.
  void gather(MjcfElement* parent, const RobotPose& frame, const std::string& childClass,
              std::vector<PlacedElement>& found) {
    for (auto* child = parent->FirstChildElement(); child; child = child->NextSiblingElement()) {
      const XmlView view = m_document.view(child);
      const std::string tag = view.tag();
      for (const char* refused : {"composite", "flexcomp", "plugin", "attach", "replicate"})
        if (tag == refused)
          view.fail("is a " + tag + ", which is not supported", "write its bodies out, or remove it");
      if (tag == "frame") {
        const std::string frameClass = view.textOr("childclass", childClass);
        m_document.requireClass(view, frameClass);
        gather(child, frame * m_document.poseOf(view), frameClass, found);
      } else if (tag == "geom" || tag == "joint" || tag == "freejoint" || tag == "body" ||
                 tag == "inertial") {
        found.push_back({child, frame, childClass});
      } else {
        ++m_ignored[tag];
      }
    }
  }

  static bool hasJoint(const MjcfElement* body) {
    for (auto* child = body->FirstChildElement(); child; child = child->NextSiblingElement()) {
      const std::string tag = child->Name();
      if (tag == "joint" || tag == "freejoint") return true;
      if ((tag == "body" || tag == "frame") && hasJoint(child)) return true;
    }
    return false;
  }

  void body(MjcfElement* element, int parent, const RobotPose& frame, const std::string& outerClass,
            bool isWorld) {
    const XmlView view = m_document.view(element);
    const std::string childClass = view.textOr("childclass", outerClass);
    m_document.requireClass(view, childClass);
    std::vector<PlacedElement> children;
    gather(element, {}, childClass, children);
    if (isWorld) {
      world(children);
      return;
    }
    std::string name = view.textOr("name", "");
    if (name.empty()) name = "body " + std::to_string(++m_unnamed);
    if (m_model.bodies.count(name) > 0) view.fail("has a name that another body has", "rename one");
    const int linkIndex = links(view, name, parent, frame * m_document.poseOf(view), children);
    m_model.bodies[name] = linkIndex;
    link(linkIndex).isScenery = parent < 0 && !hasJoint(element);
    std::optional<RobotInertia> given;
    for (const PlacedElement& child : children)
      if (std::string(child.element->Name()) == "inertial") given = inertial(child);
    using Inertia = MjcfCompiler::Inertia;
    const Inertia rule = m_document.compiler().inertia;
    if (rule == Inertia::Geoms) given.reset();
    for (const PlacedElement& child : children)
      if (std::string(child.element->Name()) == "geom")
        geom(child, linkIndex, !given && rule != Inertia::File);
    if (rule == Inertia::File && !given)
      for (RobotShape& shape : link(linkIndex).shapes) shape.mass = 0;
    link(linkIndex).inertia = given;
    for (const PlacedElement& child : children)
      if (std::string(child.element->Name()) == "body")
        body(child.element, linkIndex, child.frame, child.childClass, false);
  }

  void world(const std::vector<PlacedElement>& children) {
    for (const PlacedElement& child : children) {
      const std::string tag = child.element->Name();
      const XmlView view = m_document.view(child.element);
      if (tag == "joint" || tag == "freejoint" || tag == "inertial")
        view.fail("belongs to the world, which does not move", "put it into a body");
      if (tag == "body") body(child.element, -1, child.frame, child.childClass, false);
      if (tag != "geom") continue;
      const int linkIndex =
          newLink(view, view.textOr("name", "geom " + std::to_string(++m_unnamedGeoms)), -1, {});
      link(linkIndex).isScenery = true;
      geom(child, linkIndex, false);
      RobotLink& scenery = link(linkIndex);
      if (scenery.shapes.empty()) {
        m_model.tree.links.pop_back();
      } else if (!scenery.shapes[0].plane) {  // so that equal shapes are one for the reader
        scenery.offset = scenery.shapes[0].pose;
        scenery.shapes[0].pose = {};
      }
    }
  }

  int newLink(const XmlView& element, const std::string& name, int parent, const RobotPose& offset) {
    if (m_model.tree.links.size() >= kMostLinks)
      element.fail("brings the model above 2000 bodies and joints", "simplify it");
    RobotLink link;
    link.name = name;
    link.file = element.file();
    link.place = element.place();
    link.parent = parent;
    link.offset = offset;
    link.joint.file = link.file;
    link.joint.place = link.place;
    link.joint.name = name + " base";
    m_model.tree.links.push_back(std::move(link));
    return countOf(m_model.tree.links) - 1;
  }

  /// A link for a body, and one before it for each joint but the last.
  int links(const XmlView& bodyView, const std::string& name, int parent, const RobotPose& pose,
            const std::vector<PlacedElement>& children) {
    std::vector<PlacedElement> joints;
    for (const PlacedElement& child : children) {
      const std::string tag = child.element->Name();
      if (tag == "joint" || tag == "freejoint") joints.push_back(child);
    }
    if (joints.empty()) return newLink(bodyView, name, parent, pose);
    int linkIndex = parent;
    for (std::size_t index = 0; index < joints.size(); ++index) {
      const bool isLast = index + 1 == joints.size();
      MjcfElement* element = joints[index].element;
      if (std::string(element->Name()) == "joint")
        m_document.applyDefaults(element, joints[index].childClass);
      const XmlView view = m_document.view(element);
      const std::string jointName =
          view.textOr("name", name + " joint" + (joints.size() > 1 ? " " + std::to_string(index + 1) : ""));
      linkIndex = newLink(isLast ? bodyView : view, isLast ? name : name + ":" + jointName, linkIndex,
                          index == 0 ? pose : RobotPose());
      link(linkIndex).isInserted = !isLast;
      joint(view, jointName, joints[index].frame, linkIndex, joints.size());
    }
    return linkIndex;
  }

  void joint(const XmlView& element, const std::string& name, const RobotPose& frame, int linkIndex,
             std::size_t count) {
    using Kind = RobotJoint::Kind;
    RobotJoint& joint = link(linkIndex).joint;
    joint.name = name;
    joint.file = element.file();
    joint.place = element.place();
    if (!m_model.joints.emplace(name, linkIndex).second)
      element.fail("has a name that another joint has", "rename one");
    const std::string type = element.tag() == "freejoint" ? "free" : element.textOr("type", "hinge");
    if (type != "free" && type != "ball" && type != "hinge" && type != "slide")
      element.fail("has the unknown type '" + type.substr(0, 60) + "'", "use free, ball, hinge or slide");
    joint.kind = type == "free"    ? Kind::Free
                 : type == "ball"  ? Kind::Ball
                 : type == "hinge" ? Kind::Revolute
                                   : Kind::Prismatic;
    m_model.keyPlaces.push_back({linkIndex, m_model.coordinateCount});
    m_model.coordinateCount += type == "free" ? 7 : type == "ball" ? 4 : 1;
    if (type == "free") {
      if (link(linkIndex).parent >= 0 || count > 1)
        element.fail("is a free joint that is not the only joint of a body of the world",
                     "move the body into worldbody");
      return;
    }
    joint.anchor = frame * element.vectorOr("pos", Vec3(0, 0, 0));
    joint.damping = element.has("damping") ? element.numbers("damping", 1, 3)[0] : 0;
    joint.stiffness = element.has("stiffness") ? element.numbers("stiffness", 1, 3)[0] : 0;
    joint.armature = element.nonNegativeOr("armature", 0);
    joint.dryFriction = element.nonNegativeOr("frictionloss", 0);
    if (!(joint.damping >= 0) || !(joint.stiffness >= 0))
      element.fail("has a negative stiffness or damping", "give 0 or values above it");
    if (m_model.off.springs) joint.stiffness = 0;
    if (m_model.off.dampers) joint.damping = 0;
    if (m_model.off.dryFriction) joint.dryFriction = 0;
    if (type == "ball") {
      ball(element, joint);
      return;
    }
    const Vec3 axis = element.vectorOr("axis", Vec3(0, 0, 1));
    if (!(axis.norm() > 1e-9))
      element.fail("axis has no length", "give the direction in which the joint moves");
    if (std::abs(axis.norm() - 1) > 1e-6) m_notes.add(element, "axis is not of unit length: normalised");
    joint.axis = frame.orientation * axis.normalized();
    const double unit = type == "hinge" ? m_document.compiler().angle : 1;
    joint.reference = joint.start = unit * element.numberOr("ref", 0);
    joint.target = unit * element.numberOr("springref", 0);
    limits(element, joint, unit);
    if (joint.stiffness > 0 || joint.damping > 0)
      m_notes.add(element, "stiffness and damping are a drive with target springref");
    if (joint.armature > 0 && type == "slide") {
      m_notes.add(element, "armature of a slide is left out: masses have no direction");
      joint.armature = 0;
    }
    if (joint.armature > 0) m_notes.add(element, "armature is added to the inertia of the child only");
    if (element.has("springdamper")) m_notes.add(element, "springdamper is ignored");
  }

  void ball(const XmlView& element, RobotJoint& joint) {
    if (element.has("range")) m_notes.add(element, "the range of a ball joint is ignored");
    if (joint.damping > 0 && !(joint.stiffness > 0))
      m_notes.add(element, "damping of a ball joint without stiffness is ignored");
    if (joint.armature > 0) m_notes.add(element, "armature of a ball joint is ignored");
    if (joint.dryFriction > 0) m_notes.add(element, "frictionloss of a ball joint is ignored");
  }

  void limits(const XmlView& element, RobotJoint& joint, double unit) {
    const std::string limited = element.textOr("limited", "auto");
    if (limited != "auto" && limited != "true" && limited != "false")
      element.fail("limited '" + limited.substr(0, 60) + "' is unknown", "write auto, true or false");
    if (limited == "true" && !element.has("range"))
      element.fail("is limited but has no range", "add range=\"least most\"");
    if (!element.has("range") || limited == "false") return;
    const std::vector<double> range = element.numbers("range", 2, 2);
    if (range[0] > range[1]) element.fail("range has the least above the most", "swap them");
    if (limited == "auto" && !m_document.compiler().limitsFollowRange) {
      m_notes.add(element, "range without limited, and autolimits is false: not limited");
      return;
    }
    if (limited == "auto" && range[0] == 0 && range[1] == 0) return;
    if (m_model.off.limits) return;
    if (limited == "auto") m_notes.add(element, "limited is implied by range");
    joint.lower = unit * range[0];
    joint.upper = unit * range[1];
  }

  RobotInertia inertial(const PlacedElement& child) const {
    const XmlView view = m_document.view(child.element);
    const RobotPose pose = child.frame * m_document.poseOf(view);
    RobotInertia result;
    result.mass = view.number("mass");
    if (!(result.mass >= 0)) view.fail("mass is negative", "give a mass in kg");
    result.centre = pose.position;
    Mat3 inertia = Mat3::Zero();
    if (view.has("fullinertia")) {
      const std::vector<double> v = view.numbers("fullinertia", 6, 6);
      inertia << v[0], v[3], v[4], v[3], v[1], v[5], v[4], v[5], v[2];
    } else if (view.has("diaginertia")) {
      inertia = view.vector("diaginertia").asDiagonal();
    } else {
      view.fail("has neither diaginertia nor fullinertia", "add one, in kg·m²");
    }
    const Mat3 R = pose.orientation.toRotationMatrix();
    result.inertia = R.isIdentity(0) ? inertia : Mat3(R * inertia * R.transpose());
    return result;
  }

  std::vector<double> sizes(const XmlView& element, std::size_t count) const {
    std::vector<double> size = element.numbers("size", count, 3);
    for (std::size_t k = 0; k < count; ++k)
      if (!(size[k] > 0)) element.fail("size must be positive", "give half sizes in m");
    return size;
  }

  /// @param weighs  whether the mass of the body is that of its solids
  void geom(const PlacedElement& child, int linkIndex, bool weighs) {
    if (++m_geoms > kMostRobotShapes)
      m_document.view(child.element).fail("brings the model above 3000 geoms", "simplify it");
    m_document.applyDefaults(child.element, child.childClass);
    const XmlView view = m_document.view(child.element);
    unsigned kinds = bits(view, "contype"), affinity = bits(view, "conaffinity");
    if (m_model.off.contacts) kinds = affinity = 0;
    const bool collides = kinds != 0 || affinity != 0;
    const std::string type = view.textOr("type", "sphere");
    if (type == "hfield" || type == "sdf") {
      m_notes.add(view, "geoms of the type " + type + " are not supported: left out");
      return;
    }
    if (type != "mesh" && view.has("mesh"))
      view.fail("fits a " + type.substr(0, 60) + " to a mesh, which is not supported",
                "give its size, or type=\"mesh\"");
    if (!collides && !weighs) return;  // only seen
    RobotShape shape = shapeOf(view, type, linkIndex);
    shape.pose = child.frame * shape.pose;
    shape.type = kinds;
    shape.affinity = affinity;
    shape.collides = collides;
    if (!collides && !m_model.off.contacts)
      m_notes.add(view, "contype and conaffinity are 0: it has a mass, but does not collide");
    shape.friction = view.has("friction") ? view.numbers("friction", 1, 3)[0] : 1;
    if (!(shape.friction >= 0)) view.fail("friction is negative", "give 0 or values above it");
    m_frictions.insert(shape.friction);
    shape.density = view.has("density") ? view.nonNegativeOr("density", 0) : m_options.density;
    shape.mass = view.has("mass") ? view.nonNegativeOr("mass", 0) : -1;
    if (shape.mass < 0 && shape.density == 0) shape.mass = 0;
    if (weighs && !view.has("mass") && !view.has("density") && type != "plane")
      m_notes.add(view, "no mass: that of the solid at " + fourDigits(m_options.density) + " kg/m³");
    link(linkIndex).shapes.push_back(std::move(shape));
  }

  static unsigned bits(const XmlView& element, const char* key) {
    const double value = element.numberOr(key, 1);
    if (!(value >= 0) || value != std::floor(value))
      element.fail(std::string(key) + " is no set of bits", "give a whole number from 0");
    return static_cast<unsigned>(value);
  }

  RobotShape shapeOf(const XmlView& element, const std::string& type, int linkIndex) {
    RobotPose pose = m_document.poseOf(element);
    if (type == "plane") {
      if (!isStatic(linkIndex)) element.fail("is a plane in a body that moves", "use a box");
      RobotShape plane;
      plane.plane = pose.orientation * Vec3(0, 0, 1);
      plane.pose.position = pose.position;
      return plane;
    }
    if (type == "mesh") {
      RobotShape mesh = meshOf(element);
      mesh.pose = pose * mesh.pose;
      return mesh;
    }
    if (type != "sphere" && type != "capsule" && type != "cylinder" && type != "box" && type != "ellipsoid")
      element.fail("has the unknown type '" + type.substr(0, 60) + "'",
                   "use plane, sphere, capsule, cylinder, box, ellipsoid or mesh");
    if (type == "sphere") {
      RobotShape sphere = sphereShape(sizes(element, 1)[0]);
      sphere.pose = pose;
      return sphere;
    }
    double half = 0;  // along z
    std::vector<double> size;
    if (element.has("fromto")) {
      const std::vector<double> ends = element.numbers("fromto", 6, 6);
      const Vec3 start(ends[0], ends[1], ends[2]), end(ends[3], ends[4], ends[5]);
      half = 0.5 * (end - start).norm();
      if (!(half > 0)) element.fail("fromto has no length", "give two points");
      pose.position = 0.5 * (start + end);
      pose.orientation = product(rotationFromXTo(Vec3((end - start) / (2 * half))),
                                 Quaternion(std::sqrt(0.5), 0, std::sqrt(0.5), 0));
      size = sizes(element, 1);
      size = {size[0], size[0], half};
    } else if (type == "capsule" || type == "cylinder") {
      size = sizes(element, 2);
      half = size[1];
    } else {
      size = sizes(element, 3);
    }
    RobotShape shape = type == "capsule"    ? capsuleShape(size[0], 2 * half)
                       : type == "cylinder" ? cylinderShape(size[0], 2 * half)
                       : type == "box"      ? boxShape(2 * Vec3(size[0], size[1], size[2]))
                                            : ellipsoidShape(Vec3(size[0], size[1], size[2]));
    shape.pose = pose * shape.pose;
    return shape;
  }

  bool isStatic(int linkIndex) const {
    for (int ancestor = linkIndex; ancestor >= 0; ancestor = m_model.tree.links[ancestor].parent)
      if (m_model.tree.links[ancestor].joint.kind != RobotJoint::Kind::Fixed) return false;
    return true;
  }

  RobotShape meshOf(const XmlView& element) {
    const std::string name = element.text("mesh");
    const auto asset = m_meshAssets.find(name);
    if (asset == m_meshAssets.end())
      element.fail("names the mesh '" + name.substr(0, 60) + "', which is not among the assets",
                   "add it to asset");
    const XmlView& mesh = asset->second;
    std::string file = mesh.text("file");
    if (m_document.compiler().stripsPath) file = std::filesystem::path(file).filename().string();
    const Vec3 scale = mesh.vectorOr("scale", Vec3(1, 1, 1));
    if (!(scale.cwiseAbs().minCoeff() > 0))
      mesh.fail("scale flattens the mesh", "give three factors other than 0");
    for (const char* key : {"refpos", "refquat"})
      if (mesh.has(key))
        mesh.fail(std::string("has ") + key + ", which is not supported", "move the geoms that use it");
    const std::string path = m_meshes.fileIn(mesh, m_document.compiler().meshFolder, file);
    m_notes.add(element, "the mesh collides as its convex hull");
    return meshShape(m_meshes.nameInScene(path), scale, m_meshes.hull(mesh, path, scale));
  }

  void contact(const XmlView& element) {
    for (const XmlView& child : element.children()) {
      if (child.tag() != "exclude") {
        m_notes.add(child, "contact " + child.tag() + " is ignored: all solids collide by their own rules");
        continue;
      }
      const int a = m_model.linkOfBody(child, "body1"), b = m_model.linkOfBody(child, "body2");
      if (a < 0 || b < 0) {
        m_notes.add(child, "excludes the world: ignored");
      } else {
        m_model.tree.noContact.push_back({a, b});
      }
    }
  }

  const MjcfDocument& m_document;
  const RobotOptions& m_options;
  RobotMeshes& m_meshes;
  RobotNotes& m_notes;
  MjcfModel m_model;
  std::map<std::string, XmlView> m_meshAssets;
  std::set<double> m_frictions;
  std::map<std::string, int> m_ignored;  ///< count by tag
  std::size_t m_geoms = 0;
  int m_unnamed = 0, m_unnamedGeoms = 0;
};

}  // namespace

RobotTree mjcfTree(const XmlView& root, tinyxml2::XMLDocument& document, const RobotOptions& options,
                   RobotMeshes& meshes, RobotNotes& notes) {
  const MjcfDocument expanded(root, document, meshes, notes);
  return MjcfReader(expanded, options, meshes, notes).read();
}

}  // namespace touchstone
