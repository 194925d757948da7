#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>

#include "core/files/scene_error.h"
#include "core/files/text_forms.h"
#include "core/math/count.h"
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
    forEachChild(root, "option", [this](MjcfElement* each) { option(m_document.view(each)); });
    forEachChild(root, "asset", [this](MjcfElement* each) { assets(each); });
    bool hasWorld = false;
    forEachChild(root, "worldbody", [&](MjcfElement* each) {
      hasWorld = true;
      body(each, -1, {}, "main", true);
    });
    if (!hasWorld) view.fail("has no worldbody", "add one with the bodies of the model");
    forEachChild(root, "contact", [this](MjcfElement* each) { contact(m_document.view(each)); });
    finishModel(m_model, m_document, m_options, m_notes);
    ignored();
    if (m_frictions.size() > 1)
      m_notes.add(view, "the friction of a pair is the geometric mean of both, not the larger one");
    return std::move(m_model.tree);
  }

 private:
  RobotLink& link(int index) { return m_model.tree.links[index]; }

  void sections(MjcfElement* root) {
    const std::set<std::string> read = {"compiler", "option",   "asset",    "worldbody", "contact",
                                        "equality", "keyframe", "actuator", "default",   "include"};
    for (const XmlView& each : m_document.view(root).children()) {
      const std::string tag = each.tag();
      if (tag == "tendon") m_notes.add(each, "tendons are not supported: left out");
      if (tag == "extension" || tag == "deformable" || tag == "custom_plugin")
        each.fail("holds " + std::string(tag == "extension" ? "plugins" : "deformable bodies") +
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

  void option(const XmlView& at) {
    m_model.tree.gravity = at.vectorOr("gravity", m_model.tree.gravity);
    if (at.has("timestep")) {
      m_model.tree.dt = at.positive("timestep");
      if (!(m_model.tree.dt >= 1e-6 && m_model.tree.dt <= 1))
        at.fail("timestep must be from 1e-6 to 1 s", "give seconds");
    }
    for (const XmlView& flag : at.children("flag"))
      if (flag.textOr("gravity", "enable") == "disable") m_model.tree.gravity = Vec3(0, 0, 0);
    for (const char* key : {"wind", "density", "viscosity"})
      if (at.has(key)) m_notes.add(at, std::string(key) + " is ignored: there is no air");
  }

  void assets(MjcfElement* asset) {
    forEachChild(asset, "mesh", [this](MjcfElement* each) {
      m_document.applyDefaults(each, "main");
      const XmlView at = m_document.view(each);
      const std::string file = at.textOr("file", "");
      const std::string name = at.has("name") ? at.text("name") : std::filesystem::path(file).stem().string();
      if (name.empty()) at.fail("has neither name nor file", "add both");
      if (!m_meshAssets.emplace(name, at).second) at.fail("has a name that another mesh has", "rename one");
    });
  }

  /// The children of a body and of the frames in it.
  void gather(MjcfElement* parent, const RobotPose& frame, const std::string& childClass,
              std::vector<PlacedElement>& found) {
    for (auto* each = parent->FirstChildElement(); each; each = each->NextSiblingElement()) {
      const XmlView at = m_document.view(each);
      const std::string tag = at.tag();
      for (const char* refused : {"composite", "flexcomp", "plugin", "attach", "replicate"})
        if (tag == refused)
          at.fail("is a " + tag + ", which is not supported", "write its bodies out, or remove it");
      if (tag == "frame") {
        const std::string own = at.textOr("childclass", childClass);
        m_document.requireClass(at, own);
        gather(each, frame * m_document.poseOf(at), own, found);
      } else if (tag == "geom" || tag == "joint" || tag == "freejoint" || tag == "body" ||
                 tag == "inertial") {
        found.push_back({each, frame, childClass});
      } else {
        ++m_ignored[tag];
      }
    }
  }

  static bool hasJoint(const MjcfElement* body) {
    for (auto* each = body->FirstChildElement(); each; each = each->NextSiblingElement()) {
      const std::string tag = each->Name();
      if (tag == "joint" || tag == "freejoint") return true;
      if ((tag == "body" || tag == "frame") && hasJoint(each)) return true;
    }
    return false;
  }

  void body(MjcfElement* element, int parent, const RobotPose& frame, const std::string& outerClass,
            bool isWorld) {
    const XmlView at = m_document.view(element);
    const std::string childClass = at.textOr("childclass", outerClass);
    m_document.requireClass(at, childClass);
    std::vector<PlacedElement> children;
    gather(element, {}, childClass, children);
    if (isWorld) {
      world(children);
      return;
    }
    std::string name = at.textOr("name", "");
    if (name.empty()) name = "body " + std::to_string(++m_unnamed);
    if (m_model.bodies.count(name) > 0) at.fail("has a name that another body has", "rename one");
    const int own = links(at, name, parent, frame * m_document.poseOf(at), children);
    m_model.bodies[name] = own;
    link(own).isScenery = parent < 0 && !hasJoint(element);
    std::optional<RobotInertia> given;
    for (const PlacedElement& child : children)
      if (std::string(child.element->Name()) == "inertial") given = inertial(child);
    using Inertia = MjcfCompiler::Inertia;
    const Inertia rule = m_document.compiler().inertia;
    if (rule == Inertia::Geoms) given.reset();
    for (const PlacedElement& child : children)
      if (std::string(child.element->Name()) == "geom") geom(child, own, !given && rule != Inertia::File);
    if (rule == Inertia::File && !given)
      for (RobotShape& shape : link(own).shapes) shape.mass = 0;
    link(own).inertia = given;
    for (const PlacedElement& child : children)
      if (std::string(child.element->Name()) == "body")
        body(child.element, own, child.frame, child.childClass, false);
  }

  void world(const std::vector<PlacedElement>& children) {
    for (const PlacedElement& child : children) {
      const std::string tag = child.element->Name();
      const XmlView at = m_document.view(child.element);
      if (tag == "joint" || tag == "freejoint" || tag == "inertial")
        at.fail("belongs to the world, which does not move", "put it into a body");
      if (tag == "body") body(child.element, -1, child.frame, child.childClass, false);
      if (tag != "geom") continue;
      const int own = newLink(at, at.textOr("name", "geom " + std::to_string(++m_unnamedGeoms)), -1, {});
      link(own).isScenery = true;
      geom(child, own, false);
      RobotLink& scenery = link(own);
      if (scenery.shapes.empty()) {
        m_model.tree.links.pop_back();
      } else if (!scenery.shapes[0].plane) {  // so that equal shapes are one for the reader
        scenery.offset = scenery.shapes[0].pose;
        scenery.shapes[0].pose = {};
      }
    }
  }

  int newLink(const XmlView& at, const std::string& name, int parent, const RobotPose& offset) {
    if (m_model.tree.links.size() >= kMostLinks)
      at.fail("brings the model above 2000 bodies and joints", "simplify it");
    RobotLink own;
    own.name = name;
    own.file = at.file();
    own.place = at.place();
    own.parent = parent;
    own.offset = offset;
    own.joint.file = own.file;
    own.joint.place = own.place;
    own.joint.name = name + " base";
    m_model.tree.links.push_back(std::move(own));
    return countOf(m_model.tree.links) - 1;
  }

  /// A link for a body, and one before it for each joint but the last.
  int links(const XmlView& at, const std::string& name, int parent, const RobotPose& pose,
            const std::vector<PlacedElement>& children) {
    std::vector<PlacedElement> joints;
    for (const PlacedElement& child : children) {
      const std::string tag = child.element->Name();
      if (tag == "joint" || tag == "freejoint") joints.push_back(child);
    }
    if (joints.empty()) return newLink(at, name, parent, pose);
    int own = parent;
    for (std::size_t index = 0; index < joints.size(); ++index) {
      const bool isLast = index + 1 == joints.size();
      MjcfElement* element = joints[index].element;
      if (std::string(element->Name()) == "joint")
        m_document.applyDefaults(element, joints[index].childClass);
      const XmlView view = m_document.view(element);
      const std::string jointName =
          view.textOr("name", name + " joint" + (joints.size() > 1 ? " " + std::to_string(index + 1) : ""));
      own = newLink(isLast ? at : view, isLast ? name : name + ":" + jointName, own,
                    index == 0 ? pose : RobotPose());
      link(own).isInserted = !isLast;
      joint(view, jointName, joints[index].frame, own, joints.size());
    }
    return own;
  }

  void joint(const XmlView& at, const std::string& name, const RobotPose& frame, int own, std::size_t count) {
    using Kind = RobotJoint::Kind;
    RobotJoint& joint = link(own).joint;
    joint.name = name;
    joint.file = at.file();
    joint.place = at.place();
    if (!m_model.joints.emplace(name, own).second) at.fail("has a name that another joint has", "rename one");
    const std::string type = at.tag() == "freejoint" ? "free" : at.textOr("type", "hinge");
    if (type != "free" && type != "ball" && type != "hinge" && type != "slide")
      at.fail("has the unknown type '" + type.substr(0, 60) + "'", "use free, ball, hinge or slide");
    joint.kind = type == "free"    ? Kind::Free
                 : type == "ball"  ? Kind::Ball
                 : type == "hinge" ? Kind::Revolute
                                   : Kind::Prismatic;
    m_model.keyPlaces.push_back({own, m_model.coordinateCount});
    m_model.coordinateCount += type == "free" ? 7 : type == "ball" ? 4 : 1;
    if (type == "free") {
      if (link(own).parent >= 0 || count > 1)
        at.fail("is a free joint that is not the only joint of a body of the world",
                "move the body into worldbody");
      return;
    }
    joint.anchor = frame * at.vectorOr("pos", Vec3(0, 0, 0));
    joint.damping = at.has("damping") ? at.numbers("damping", 1, 3)[0] : 0;
    joint.stiffness = at.has("stiffness") ? at.numbers("stiffness", 1, 3)[0] : 0;
    joint.armature = at.nonNegativeOr("armature", 0);
    joint.dryFriction = at.nonNegativeOr("frictionloss", 0);
    if (!(joint.damping >= 0) || !(joint.stiffness >= 0))
      at.fail("has a negative stiffness or damping", "give 0 or values above it");
    if (type == "ball") {
      ball(at, joint);
      return;
    }
    const Vec3 axis = at.vectorOr("axis", Vec3(0, 0, 1));
    if (!(axis.norm() > 1e-9)) at.fail("axis has no length", "give the direction in which the joint moves");
    if (std::abs(axis.norm() - 1) > 1e-6) m_notes.add(at, "axis is not of unit length: normalised");
    joint.axis = frame.orientation * axis.normalized();
    const double unit = type == "hinge" ? m_document.compiler().angle : 1;
    joint.reference = joint.start = unit * at.numberOr("ref", 0);
    joint.target = unit * at.numberOr("springref", 0);
    limits(at, joint, unit);
    if (joint.stiffness > 0 || joint.damping > 0)
      m_notes.add(at, "stiffness and damping are a drive with target springref");
    if (joint.armature > 0 && type == "slide") {
      m_notes.add(at, "armature of a slide is left out: masses have no direction");
      joint.armature = 0;
    }
    if (joint.armature > 0) m_notes.add(at, "armature is added to the inertia of the child only");
    if (at.has("springdamper")) m_notes.add(at, "springdamper is ignored");
  }

  void ball(const XmlView& at, RobotJoint& joint) {
    if (at.has("range")) m_notes.add(at, "the range of a ball joint is ignored");
    if (joint.damping > 0 && !(joint.stiffness > 0))
      m_notes.add(at, "damping of a ball joint without stiffness is ignored");
    if (joint.armature > 0) m_notes.add(at, "armature of a ball joint is ignored");
    if (joint.dryFriction > 0) m_notes.add(at, "frictionloss of a ball joint is ignored");
  }

  void limits(const XmlView& at, RobotJoint& joint, double unit) {
    const std::string limited = at.textOr("limited", "auto");
    if (limited != "auto" && limited != "true" && limited != "false")
      at.fail("limited '" + limited.substr(0, 60) + "' is unknown", "write auto, true or false");
    if (limited == "true" && !at.has("range"))
      at.fail("is limited but has no range", "add range=\"least most\"");
    if (!at.has("range") || limited == "false") return;
    const std::vector<double> range = at.numbers("range", 2, 2);
    if (range[0] > range[1]) at.fail("range has the least above the most", "swap them");
    if (limited == "auto" && !m_document.compiler().limitsFollowRange) {
      m_notes.add(at, "range without limited, and autolimits is false: not limited");
      return;
    }
    if (limited == "auto" && range[0] == 0 && range[1] == 0) return;
    if (limited == "auto") m_notes.add(at, "limited is implied by range");
    joint.lower = unit * range[0];
    joint.upper = unit * range[1];
  }

  RobotInertia inertial(const PlacedElement& child) const {
    const XmlView at = m_document.view(child.element);
    const RobotPose pose = child.frame * m_document.poseOf(at);
    RobotInertia own;
    own.mass = at.number("mass");
    if (!(own.mass >= 0)) at.fail("mass is negative", "give a mass in kg");
    own.centre = pose.position;
    Mat3 inertia = Mat3::Zero();
    if (at.has("fullinertia")) {
      const std::vector<double> v = at.numbers("fullinertia", 6, 6);
      inertia << v[0], v[3], v[4], v[3], v[1], v[5], v[4], v[5], v[2];
    } else if (at.has("diaginertia")) {
      inertia = at.vector("diaginertia").asDiagonal();
    } else {
      at.fail("has neither diaginertia nor fullinertia", "add one, in kg·m²");
    }
    const Mat3 R = pose.orientation.toRotationMatrix();
    own.inertia = R.isIdentity(0) ? inertia : Mat3(R * inertia * R.transpose());
    return own;
  }

  std::vector<double> sizes(const XmlView& at, std::size_t count) const {
    std::vector<double> size = at.numbers("size", count, 3);
    for (std::size_t k = 0; k < count; ++k)
      if (!(size[k] > 0)) at.fail("size must be positive", "give half sizes in m");
    return size;
  }

  /// @param weighs  whether the mass of the body is that of its solids
  void geom(const PlacedElement& child, int own, bool weighs) {
    if (++m_geoms > kMostRobotShapes)
      m_document.view(child.element).fail("brings the model above 3000 geoms", "simplify it");
    m_document.applyDefaults(child.element, child.childClass);
    const XmlView at = m_document.view(child.element);
    const unsigned kinds = bits(at, "contype"), affinity = bits(at, "conaffinity");
    const bool collides = kinds != 0 || affinity != 0;
    const std::string type = at.textOr("type", "sphere");
    if (type == "hfield" || type == "sdf") {
      m_notes.add(at, "geoms of the type " + type + " are not supported: left out");
      return;
    }
    if (type != "mesh" && at.has("mesh"))
      at.fail("fits a " + type.substr(0, 60) + " to a mesh, which is not supported",
              "give its size, or type=\"mesh\"");
    if (!collides && !weighs) return;  // only seen
    RobotShape shape = shapeOf(at, type, own);
    shape.pose = child.frame * shape.pose;
    shape.type = kinds;
    shape.affinity = affinity;
    shape.collides = collides;
    if (!collides) m_notes.add(at, "contype and conaffinity are 0: it has a mass, but does not collide");
    shape.friction = at.has("friction") ? at.numbers("friction", 1, 3)[0] : 1;
    if (!(shape.friction >= 0)) at.fail("friction is negative", "give 0 or values above it");
    m_frictions.insert(shape.friction);
    shape.density = at.has("density") ? at.nonNegativeOr("density", 0) : m_options.density;
    shape.mass = at.has("mass") ? at.nonNegativeOr("mass", 0) : -1;
    if (shape.mass < 0 && shape.density == 0) shape.mass = 0;
    if (weighs && !at.has("mass") && !at.has("density") && type != "plane")
      m_notes.add(at, "no mass: that of the solid at " + fourDigits(m_options.density) + " kg/m³");
    link(own).shapes.push_back(std::move(shape));
  }

  static unsigned bits(const XmlView& at, const char* key) {
    const double value = at.numberOr(key, 1);
    if (!(value >= 0) || value != std::floor(value))
      at.fail(std::string(key) + " is no set of bits", "give a whole number from 0");
    return static_cast<unsigned>(value);
  }

  RobotShape shapeOf(const XmlView& at, const std::string& type, int own) {
    RobotPose pose = m_document.poseOf(at);
    if (type == "plane") {
      if (!isStatic(own)) at.fail("is a plane in a body that moves", "use a box");
      RobotShape plane;
      plane.plane = pose.orientation * Vec3(0, 0, 1);
      plane.pose.position = pose.position;
      return plane;
    }
    if (type == "mesh") {
      RobotShape mesh = meshOf(at);
      mesh.pose = pose * mesh.pose;
      return mesh;
    }
    if (type != "sphere" && type != "capsule" && type != "cylinder" && type != "box" && type != "ellipsoid")
      at.fail("has the unknown type '" + type.substr(0, 60) + "'",
              "use plane, sphere, capsule, cylinder, box, ellipsoid or mesh");
    if (type == "sphere") {
      RobotShape sphere = sphereShape(sizes(at, 1)[0]);
      sphere.pose = pose;
      return sphere;
    }
    double half = 0;  // along z
    std::vector<double> size;
    if (at.has("fromto")) {
      const std::vector<double> ends = at.numbers("fromto", 6, 6);
      const Vec3 from(ends[0], ends[1], ends[2]), to(ends[3], ends[4], ends[5]);
      half = 0.5 * (to - from).norm();
      if (!(half > 0)) at.fail("fromto has no length", "give two points");
      pose.position = 0.5 * (from + to);
      pose.orientation = product(rotationFromXTo(Vec3((to - from) / (2 * half))),
                                 Quaternion(std::sqrt(0.5), 0, std::sqrt(0.5), 0));
      size = sizes(at, 1);
      size = {size[0], size[0], half};
    } else if (type == "capsule" || type == "cylinder") {
      size = sizes(at, 2);
      half = size[1];
    } else {
      size = sizes(at, 3);
    }
    RobotShape shape = type == "capsule"    ? capsuleShape(size[0], 2 * half)
                       : type == "cylinder" ? cylinderShape(size[0], 2 * half)
                       : type == "box"      ? boxShape(2 * Vec3(size[0], size[1], size[2]))
                                            : ellipsoidShape(Vec3(size[0], size[1], size[2]));
    shape.pose = pose * shape.pose;
    return shape;
  }

  bool isStatic(int own) const {
    for (int at = own; at >= 0; at = m_model.tree.links[at].parent)
      if (m_model.tree.links[at].joint.kind != RobotJoint::Kind::Fixed) return false;
    return true;
  }

  RobotShape meshOf(const XmlView& at) {
    const std::string name = at.text("mesh");
    const auto asset = m_meshAssets.find(name);
    if (asset == m_meshAssets.end())
      at.fail("names the mesh '" + name.substr(0, 60) + "', which is not among the assets",
              "add it to asset");
    const XmlView& of = asset->second;
    std::string file = of.text("file");
    if (m_document.compiler().stripsPath) file = std::filesystem::path(file).filename().string();
    const Vec3 scale = of.vectorOr("scale", Vec3(1, 1, 1));
    if (!(scale.cwiseAbs().minCoeff() > 0))
      of.fail("scale flattens the mesh", "give three factors other than 0");
    for (const char* key : {"refpos", "refquat"})
      if (of.has(key))
        of.fail(std::string("has ") + key + ", which is not supported", "move the geoms that use it");
    const std::string path = m_meshes.fileIn(of, m_document.compiler().meshFolder, file);
    m_notes.add(at, "the mesh collides as its convex hull");
    return meshShape(m_meshes.nameInScene(path), scale, m_meshes.hull(of, path, scale));
  }

  void contact(const XmlView& at) {
    for (const XmlView& each : at.children()) {
      if (each.tag() != "exclude") {
        m_notes.add(each, "contact " + each.tag() + " is ignored: all solids collide by their own rules");
        continue;
      }
      const int a = m_model.linkOfBody(each, "body1"), b = m_model.linkOfBody(each, "body2");
      if (a < 0 || b < 0) {
        m_notes.add(each, "excludes the world: ignored");
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
