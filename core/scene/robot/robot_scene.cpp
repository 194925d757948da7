#include <algorithm>
#include <filesystem>
#include <map>
#include <numeric>
#include <set>

#include "core/files/file_bytes.h"
#include "core/files/scene_error.h"
#include "core/files/text_forms.h"
#include "core/geometry/aabb.h"
#include "core/geometry/polytope_overlap.h"
#include "core/scene/robot/robot_tree.h"
#include "core/scene/scene_text.h"

namespace touchstone {

namespace {

using SceneJson = nlohmann::ordered_json;

/// Share of a body's mass and inertia that a body gets which only carries a joint. A larger value changes how
/// the robot moves; a smaller one makes the solvers' systems worse.
constexpr double kLightShare = 0.01;
/// Coordinates of a start at half a turn have no sign [rad].
constexpr double kHalfTurn = M_PI - 1e-6;
/// Of the size of the smaller body: overlap that counts as such at the start. A larger value lets parts start
/// with a push; a smaller one lists parts that touch.
constexpr double kOverlapOfSize = 1e-6;
/// How many times the median a link is suspected of having a mesh in millimetres.
constexpr double kSuspicious = 100;
/// The exact test of two pieces costs the product of their edges. Once all tests cost this, boxes count
/// instead: a larger value lets a file take minutes, a smaller one lists links that are only near.
constexpr std::size_t kMostEdgePairs = 300'000'000;
/// A larger value lets a file of links without places take minutes; a smaller one refuses large robots.
constexpr std::size_t kMostOverlaps = 20'000;
/// A larger value lists more names than anyone reads.
constexpr std::size_t kMostListed = 20;

SceneJson listOf(const Vec3& v) { return {v.x(), v.y(), v.z()}; }
SceneJson listOf(const Quaternion& q) { return {q.w(), q.x(), q.y(), q.z()}; }

/// Links that fixed joints make one body.
struct Group {
  int root = 0;    ///< link that gives name and frame
  int parent = 0;  ///< group; −1: the world
  std::vector<int> links;
  bool isStatic = false;
  bool isGone = false;   ///< has no mass and carries nothing
  bool isLight = false;  ///< has a share of the mass of what it carries
  double carries = 0;    ///< mass that such a share is taken of [kg]
  RobotInertia inertia;  ///< in the frame of the root
  RobotPose body;        ///< frame of the body (centre, principal axes) in that of the root
  Vec3 moments = Vec3(0, 0, 0);
  std::string name;
  int index = -1;  ///< in the scene; −1: none (the world)
};

class SceneWriter {
 public:
  SceneWriter(RobotTree& tree, const RobotOptions& options, RobotMeshes& meshes, RobotNotes& notes)
      : m_tree(tree), m_options(options), m_meshes(meshes), m_notes(notes) {}

  ImportedRobot write() {
    chooseBase();
    group();
    weigh();
    start();
    place();
    head();
    bodies();
    joints();
    noContact();
    finish();
    return result();
  }

 private:
  const RobotLink& link(int index) const { return m_tree.links[static_cast<std::size_t>(index)]; }
  RobotLink& link(int index) { return m_tree.links[static_cast<std::size_t>(index)]; }
  Group& groupOf(int link) {
    return m_groups[static_cast<std::size_t>(m_groupOf[static_cast<std::size_t>(link)])];
  }
  void note(const RobotLink& at, const std::string& text) { m_notes.add(at.file, at.place, text); }
  void note(const RobotJoint& at, const std::string& text) { m_notes.add(at.file, at.place, text); }
  [[noreturn]] void fail(const RobotLink& at, const std::string& problem, const std::string& remedy) const {
    throw SceneError(at.file, at.place, problem, remedy);
  }

  std::string unique(const std::string& wanted) {
    std::string name = wanted;
    for (int number = 2; !m_names.insert(name).second; ++number) name = wanted + " " + std::to_string(number);
    return name;
  }

  void chooseBase() {
    for (RobotLink& each : m_tree.links) {
      if (each.parent >= 0 || each.isScenery) continue;
      RobotJoint& joint = each.joint;
      using Kind = RobotJoint::Kind;
      if (m_options.base == RobotOptions::Base::Free && joint.kind == Kind::Fixed) joint.kind = Kind::Free;
      if (m_options.base == RobotOptions::Base::Fixed && joint.kind == Kind::Free) joint.kind = Kind::Fixed;
    }
  }

  bool isMassless(const RobotLink& each) const {
    return !each.inertia && std::none_of(each.shapes.begin(), each.shapes.end(), [](const RobotShape& shape) {
      return !shape.plane && shape.mass != 0;
    });
  }

  void group() {
    for (std::size_t index = 0; index < m_tree.links.size(); ++index) {
      const RobotLink& own = m_tree.links[index];
      const bool isFixed = own.joint.kind == RobotJoint::Kind::Fixed;
      const bool isOfScenery = own.parent >= 0 && link(groupOf(own.parent).root).isScenery;
      const bool joins =
          isFixed && own.parent >= 0 && (!m_options.keepFixed || isMassless(own) || isOfScenery);
      if (joins) {
        Group& into = groupOf(own.parent);
        into.links.push_back(static_cast<int>(index));
        m_groupOf.push_back(m_groupOf[static_cast<std::size_t>(own.parent)]);
        m_inGroup.push_back(m_inGroup[static_cast<std::size_t>(own.parent)] * own.offset);
        continue;
      }
      Group group;
      group.root = static_cast<int>(index);
      group.parent = own.parent < 0 ? -1 : m_groupOf[static_cast<std::size_t>(own.parent)];
      group.links = {group.root};
      group.isStatic = own.parent < 0 && isFixed;
      m_groupOf.push_back(static_cast<int>(m_groups.size()));
      m_inGroup.push_back({});
      m_groups.push_back(group);
    }
    for (const Group& group : m_groups) {
      if (group.links.size() < 2) continue;
      std::string names;
      for (std::size_t k = 1; k < std::min(group.links.size(), kMostListed + 1); ++k)
        names += (k > 1 ? ", '" : "'") + link(group.links[k]).name + "'";
      if (group.links.size() > kMostListed + 1) names += ", …";
      note(link(group.root), "fixed joints are merged: the body also is " + names);
    }
  }

  /// Mass and inertia of one link in its frame.
  RobotInertia inertiaOf(const RobotLink& own) {
    RobotInertia solid;
    for (const RobotShape& shape : own.shapes) {
      if (shape.plane || !(shape.solid.volume > 0)) continue;
      const double mass = shape.mass >= 0 ? shape.mass : shape.density * shape.solid.volume;
      const Mat3 R = shape.pose.orientation.toRotationMatrix();
      solid = together(solid, {mass, shape.pose * shape.solid.centre,
                               mass / shape.solid.volume * (R * shape.solid.inertia * R.transpose())});
    }
    if (!own.inertia || !(own.inertia->mass > 0)) {
      if (own.inertia && solid.mass > 0)
        note(own, "mass 0 is replaced by that of the collision solids at " + fourDigits(m_options.density) +
                      " kg/m³");
      return solid;
    }
    RobotInertia given = *own.inertia;
    if (isInertia(given.inertia)) return given;
    if (solid.mass > 0) {
      given.inertia = solid.inertia * (given.mass / solid.mass);
      note(own,
           "the inertia is singular or breaks the triangle inequality: replaced by that of the collision "
           "solid with the given mass");
    } else {
      const double radius = std::cbrt(3 * given.mass / (4 * M_PI * m_options.density));
      given.inertia = 0.4 * given.mass * radius * radius * Mat3::Identity();
      note(own,
           "the inertia is singular or breaks the triangle inequality, and there is no collision solid: "
           "replaced by that of a ball of the given mass at " +
               fourDigits(m_options.density) + " kg/m³");
    }
    return given;
  }

  void weigh() {
    for (Group& group : m_groups) {
      if (group.isStatic) continue;
      for (int index : group.links) {
        RobotInertia own = inertiaOf(link(index));
        const RobotPose& pose = m_inGroup[static_cast<std::size_t>(index)];
        const Mat3 R = pose.orientation.toRotationMatrix();
        own.centre = pose * own.centre;
        own.inertia = R * own.inertia * R.transpose();
        group.inertia = together(group.inertia, own);
      }
    }
    scaleMasses();
    std::vector<std::vector<int>> children(m_groups.size());
    for (std::size_t g = m_groups.size(); g-- > 0;) {  // children first
      Group& own = m_groups[g];
      if (!own.isStatic && !(own.inertia.mass > 0)) lighten(own, children[g]);
      if (own.parent >= 0 && !own.isGone)
        children[static_cast<std::size_t>(own.parent)].push_back(static_cast<int>(g));
    }
    for (Group& group : m_groups) {
      if (group.isStatic || group.isGone) continue;
      if (group.inertia.mass < 1e-12) fail(link(group.root), "has less than 1e-12 kg", "give masses in kg");
      group.body.position = group.inertia.centre;
      group.body.orientation = principalAxes(group.inertia.inertia, group.moments);
    }
  }

  void scaleMasses() {
    if (!(m_tree.totalMass > 0)) return;
    double mass = 0;
    for (const Group& group : m_groups) mass += group.inertia.mass;
    if (!(mass > 0)) return;
    for (Group& group : m_groups) {
      group.inertia.mass *= m_tree.totalMass / mass;
      group.inertia.inertia *= m_tree.totalMass / mass;
    }
  }

  /// A body without mass gets a share of that which it carries, at its joint; without that it goes.
  void lighten(Group& own, const std::vector<int>& children) {
    RobotLink& root = link(own.root);
    double carried = 0;
    Mat3 inertia = Mat3::Zero();
    for (int each : children) {
      const Group& child = m_groups[static_cast<std::size_t>(each)];
      carried += child.isLight ? child.carries : child.inertia.mass;
      const RobotLink& carriedLink = link(child.root);
      const RobotPose pose = m_inGroup[static_cast<std::size_t>(carriedLink.parent)] * carriedLink.offset;
      const Mat3 R = pose.orientation.toRotationMatrix();
      inertia += R * child.inertia.inertia * R.transpose() * (child.isLight ? 1 : kLightShare);
    }
    if (!(carried > 0)) {
      if (root.parent < 0) fail(root, "has no mass and no collision solid", "give it an inertial or a shape");
      own.isGone = true;
      note(root, "has no mass, no collision solid and carries nothing: left out with its joint");
      return;
    }
    own.isLight = true;
    own.carries = carried;
    own.inertia.mass = kLightShare * carried;
    own.inertia.centre = root.joint.anchor;
    Vec3 moments;
    const Mat3 R = principalAxes(inertia, moments).toRotationMatrix();
    if (root.isInserted) {
      moments = moments.cwiseMax(root.joint.armature);
      root.joint.armature = 0;
    }
    own.inertia.inertia = R * moments.asDiagonal() * R.transpose();
    note(
        root,
        root.isInserted
            ? "one of several joints of a body: a body was inserted with 1 % of its mass, and of its inertia "
              "or the armature, whichever is more"
            : "has no mass and no collision solid: gets 1 % of the mass and inertia of what it carries");
  }

  /// Coordinates at the start: as wanted, within the limits, and as joints that follow others say.
  void start() {
    std::map<std::string, int> byName;
    for (std::size_t index = 0; index < m_tree.links.size(); ++index)
      if (m_tree.links[index].joint.moves()) byName[m_tree.links[index].joint.name] = static_cast<int>(index);
    m_start.assign(m_tree.links.size(), 0);
    std::vector<int> state(m_tree.links.size(), 0);  // 1: being found, 2: found
    for (std::size_t first = 0; first < m_tree.links.size(); ++first) {
      std::vector<int> chain;
      for (int at = static_cast<int>(first); state[static_cast<std::size_t>(at)] != 2;) {
        RobotJoint& joint = link(at).joint;
        if (state[static_cast<std::size_t>(at)] == 1)
          throw SceneError(joint.file, joint.place, "follows itself by way of other joints",
                           "remove one mimic of the loop");
        state[static_cast<std::size_t>(at)] = 1;
        chain.push_back(at);
        if (joint.mimic.empty() || !joint.moves()) break;
        const auto leader = byName.find(joint.mimic);
        if (leader == byName.end())
          throw SceneError(joint.file, joint.place,
                           "follows the joint '" + joint.mimic + "', which does not move",
                           "name a revolute, continuous or prismatic joint");
        at = leader->second;
      }
      for (; !chain.empty(); chain.pop_back()) {
        const int at = chain.back();
        state[static_cast<std::size_t>(at)] = 2;
        RobotJoint& joint = link(at).joint;
        if (!joint.moves()) continue;
        double& value = m_start[static_cast<std::size_t>(at)];
        if (joint.mimic.empty())
          value = startWithin(joint);
        else
          value = follow(joint, m_start[static_cast<std::size_t>(byName[joint.mimic])]);
        noteTurns(joint);
        if (joint.kind == RobotJoint::Kind::Revolute && std::abs(value) > kHalfTurn)
          throw SceneError(joint.file, joint.place,
                           "starts at " + fourDigits(value) + " rad, half a turn or more from its zero",
                           "turn its frame, so that its limits are around 0");
      }
    }
  }

  double startWithin(const RobotJoint& joint) {
    const double value = std::clamp(joint.start, joint.lower, joint.upper);
    if (value != joint.start)
      note(joint, "the pose of the file violates the limits: starts at " + fourDigits(value) +
                      (joint.kind == RobotJoint::Kind::Revolute ? " rad" : " m"));
    return value;
  }

  void noteTurns(const RobotJoint& joint) {
    const bool isBeyond = (std::isfinite(joint.lower) && joint.lower < -M_PI) ||
                          (std::isfinite(joint.upper) && joint.upper > M_PI);
    if (joint.kind == RobotJoint::Kind::Revolute && isBeyond)
      note(joint, "limits beyond half a turn: under the penalty methods an angle stays within ±180°");
  }

  double follow(RobotJoint& joint, double leader) {
    const double value = joint.ratio * leader + joint.shift;
    note(joint, "follows '" + joint.mimic + "': θ = " + fourDigits(joint.ratio) + " θ' + " +
                    fourDigits(joint.shift));
    if (value < joint.lower || value > joint.upper) {
      note(joint,
           "its own limits do not hold at the start and are left out: those of the joint that it follows "
           "remain");
      joint.lower = -HUGE_VAL;
      joint.upper = HUGE_VAL;
    }
    return value;
  }

  RobotPose parentPose(const RobotLink& own) const {
    return own.parent < 0 ? m_turned : m_world[static_cast<std::size_t>(own.parent)];
  }

  void place() {
    for (std::size_t index = 0; index < m_tree.links.size(); ++index) {
      const RobotLink& own = m_tree.links[index];
      const double moved = m_start[index] - own.joint.reference;
      RobotPose motion;
      if (own.joint.kind == RobotJoint::Kind::Revolute && moved != 0) {
        motion.orientation = turnAbout(own.joint.axis, moved);
        motion.position = own.joint.anchor - motion.orientation * own.joint.anchor;
      }
      if (own.joint.kind == RobotJoint::Kind::Prismatic) motion.position = moved * own.joint.axis;
      m_world.push_back(parentPose(own) * own.offset * motion);
      const RobotPose parent =
          own.parent < 0 ? m_turned : m_atReference[static_cast<std::size_t>(own.parent)];
      m_atReference.push_back(parent * own.offset);
      m_isMoved = m_isMoved || moved != 0;
    }
  }

  /// Of the body of a group in the world.
  RobotPose bodyPose(const Group& group) const {
    return m_world[static_cast<std::size_t>(group.root)] * group.body;
  }

  void head() {
    const std::string file = std::filesystem::path(m_tree.file).filename().string();
    const std::string name = m_tree.name.empty() ? std::filesystem::path(file).stem().string() : m_tree.name;
    m_scene["touchstone"] = 1;
    m_scene["name"] = plainName(name);
    m_scene["title"] = printable(name) + ", from " + file + " (" + m_tree.format + ")";
    m_scene["gravity"] = listOf(Vec3(m_tree.gravity.x(), m_tree.gravity.z(), -m_tree.gravity.y()));
    m_scene["dt"] = m_tree.dt;
    m_scene["methods"] = {"nsn"};
    m_scene["materials"] = SceneJson::array();
    m_scene["bodies"] = SceneJson::array();
    m_scene["joints"] = SceneJson::array();
  }

  std::string materialOf(const RobotLink& at, const Group& group) {
    double least = HUGE_VAL, most = -1;
    for (int index : group.links)
      for (const RobotShape& shape : link(index).shapes)
        if (shape.collides) {
          least = std::min(least, shape.friction);
          most = std::max(most, shape.friction);
        }
    if (most < 0) return {};
    if (least != most)
      note(at,
           "its solids have different coefficients of friction: all get the largest, " + fourDigits(most));
    return material(most);
  }

  std::string material(double friction) {
    const std::string name = "friction " + fourDigits(friction);
    if (m_materials.insert(name).second)
      m_scene["materials"].push_back({{"name", name}, {"friction", friction}});
    return name;
  }

  void bodies() {
    for (Group& group : m_groups) {
      if (group.isGone) continue;
      const RobotLink& root = link(group.root);
      if (group.isStatic) planes(group);
      SceneJson pieces = SceneJson::array();
      for (int index : group.links)
        for (const RobotShape& shape : link(index).shapes) {
          if (shape.plane || !shape.collides) continue;
          const RobotPose pose =
              group.body.inverse() * m_inGroup[static_cast<std::size_t>(index)] * shape.pose;
          SceneJson piece = shape.piece;
          piece["position"] = listOf(pose.position);
          piece["orientation"] = listOf(pose.orientation);
          pieces.push_back(std::move(piece));
          if (++m_shapes > kMostRobotShapes)
            throw SceneError(root.file, "", "has more than 3000 collision solids", "simplify its links");
        }
      if (group.isStatic && pieces.empty()) continue;  // its joints hold to the world
      const RobotPose pose = bodyPose(group);
      group.name = unique(printable(root.name));
      SceneJson body;
      body["name"] = group.name;
      if (group.isStatic) body["motion"] = "static";
      body["position"] = listOf(pose.position);
      body["orientation"] = listOf(pose.orientation);
      if (const std::string own = materialOf(root, group); !own.empty()) body["material"] = own;
      if (!group.isStatic) {
        body["mass"] = group.inertia.mass;
        body["inertia"] = listOf(group.moments);
        body["centre_of_mass"] = {0.0, 0.0, 0.0};
      }
      body["shape"] = pieces.empty() ? SceneJson{{"type", "none"}}
                                     : SceneJson{{"type", "pieces"}, {"pieces", std::move(pieces)}};
      add(std::move(body), group);
    }
    if (m_scene["bodies"].empty())
      throw SceneError(m_tree.file, "", "has no body that moves or collides",
                       "give its links shapes and masses");
  }

  void add(SceneJson body, Group& group) {
    group.index = static_cast<int>(m_scene["bodies"].size());
    m_scene["bodies"].push_back(std::move(body));
  }

  void planes(const Group& group) {
    for (int index : group.links)
      for (const RobotShape& shape : link(index).shapes) {
        if (!shape.plane || !shape.collides) continue;
        const RobotPose pose = m_world[static_cast<std::size_t>(index)];
        SceneJson body;
        body["name"] = unique(printable(link(index).name));
        body["motion"] = "static";
        body["position"] = listOf(Vec3(pose * shape.pose.position));
        body["material"] = material(shape.friction);
        body["shape"] = {{"type", "plane"}, {"normal", listOf(Vec3(pose.orientation * *shape.plane))}};
        m_scene["bodies"].push_back(std::move(body));
      }
  }

  /// Puts the place of a joint into the frame of a body, or of the world.
  void setEnd(SceneJson& joint, const char* anchorKey, const char* frameKey, const Group* group,
              const RobotPose& at) const {
    const RobotPose own = group && group->index >= 0 ? bodyPose(*group).inverse() * at : at;
    joint[anchorKey] = listOf(own.position);
    if (frameKey) joint[frameKey] = listOf(own.orientation);
  }

  void joints() {
    for (const Group& group : m_groups) {
      const RobotJoint& own = link(group.root).joint;
      if (group.isGone || group.isStatic || own.kind == RobotJoint::Kind::Free) continue;
      const int parentLink = link(group.root).parent;
      const Group* parent = parentLink < 0 ? nullptr : &groupOf(parentLink);
      SceneJson joint = jointOf(own);
      if (parent && parent->index >= 0) joint["body_a"] = parent->name;
      joint["body_b"] = group.name;
      RobotPose before = parentPose(link(group.root)) * link(group.root).offset,
                after = m_world[static_cast<std::size_t>(group.root)];
      RobotPose frame{own.anchor, turnToAxis(own.axis)}, zero = frame;
      if (own.kind == RobotJoint::Kind::Prismatic) zero.position -= own.reference * own.axis;
      if (own.kind == RobotJoint::Kind::Revolute)
        zero.orientation = product(zero.orientation, turnAbout(Vec3(1, 0, 0), -own.reference));
      const bool hasFrames = own.kind != RobotJoint::Kind::Ball || own.stiffness > 0;
      setEnd(joint, "anchor_a", hasFrames ? "frame_a" : nullptr, parent, before * zero);
      setEnd(joint, "anchor_b", hasFrames ? "frame_b" : nullptr, &group, after * frame);
      m_jointed.insert({parent ? parent->index : -1, group.index});
      m_scene["joints"].push_back(std::move(joint));
    }
    for (const RobotLoop& loop : m_tree.loops) {
      const Group *a = loop.linkA < 0 ? nullptr : &groupOf(loop.linkA),
                  *b = loop.linkB < 0 ? nullptr : &groupOf(loop.linkB);
      if (b && b->isStatic) std::swap(a, b);
      if (!b || b->isStatic || b->isGone || (a && a->isGone) || a == b) {
        m_notes.add(loop.file, loop.place, "joins bodies that do not move or are one: left out");
        continue;
      }
      SceneJson joint;
      joint["name"] = uniqueJoint(loop.name);
      joint["type"] = loop.isWeld ? "fixed" : "ball";
      if (a && a->index >= 0) joint["body_a"] = a->name;
      joint["body_b"] = b->name;
      // Both bodies hold the place where the loop was closed at the reference, wherever they start.
      const RobotPose at{
          (loop.linkA < 0 ? m_turned : m_atReference[static_cast<std::size_t>(loop.linkA)]) * loop.anchor,
          {1, 0, 0, 0}};
      const auto now = [&](const Group* group) {
        if (!group) return at;
        const std::size_t root = static_cast<std::size_t>(group->root);
        return m_world[root] * m_atReference[root].inverse() * at;
      };
      setEnd(joint, "anchor_a", loop.isWeld ? "frame_a" : nullptr, a, now(a));
      setEnd(joint, "anchor_b", loop.isWeld ? "frame_b" : nullptr, b, now(b));
      m_scene["joints"].push_back(std::move(joint));
      if (m_isMoved) m_scene["assemble"] = true;
    }
    if (m_scene["joints"].empty()) m_scene.erase("joints");
  }

  std::string uniqueJoint(const std::string& wanted) {
    std::string name = printable(wanted);
    for (int number = 2; !m_jointNames.insert(name).second; ++number)
      name = wanted + " " + std::to_string(number);
    return name;
  }

  SceneJson jointOf(const RobotJoint& own) {
    using Kind = RobotJoint::Kind;
    SceneJson joint;
    joint["name"] = uniqueJoint(own.name);
    const bool isSprung = own.kind == Kind::Ball && own.stiffness > 0;
    joint["type"] = own.kind == Kind::Revolute    ? "revolute"
                    : own.kind == Kind::Prismatic ? "prismatic"
                    : isSprung                    ? "beam"
                    : own.kind == Kind::Ball      ? "ball"
                                                  : "fixed";
    if (isSprung) {
      joint["angular_compliance"] = 1 / own.stiffness;
      if (own.damping > 0) joint["damping_time"] = own.damping / own.stiffness;
    }
    if (!own.moves()) return joint;
    if (std::isfinite(own.lower) || std::isfinite(own.upper)) {
      constexpr double kUnlimited = 1e9;
      joint["limits"] = {std::max(own.lower, -kUnlimited), std::min(own.upper, kUnlimited)};
    }
    addDrive(own, joint);
    if (own.dryFriction > 0) joint["dry_friction"] = own.dryFriction;
    if (own.armature > 0 && own.kind == Kind::Revolute) joint["armature"] = own.armature;
    if (!own.mimic.empty())
      joint["mimic"] = {{"joint", printable(own.mimic)}, {"ratio", own.ratio}, {"offset", own.shift}};
    return joint;
  }

  void addDrive(const RobotJoint& own, SceneJson& joint) {
    const double held = own.mimic.empty() ? m_options.stiffness : 0;
    const double stiffness = own.stiffness + held,
                 damping = own.damping + (own.mimic.empty() ? m_options.damping : 0);
    if (!(stiffness > 0) && !(damping > 0)) return;
    SceneJson drive;
    if (stiffness > 0) {
      drive["stiffness"] = stiffness;
      const double start = std::clamp(own.start, own.lower, own.upper);
      drive["target"] = (own.stiffness * own.target + held * start) / stiffness;
    }
    if (damping > 0) drive["damping"] = damping;
    if (own.rate != 0) drive["rate"] = own.rate;
    if (std::isfinite(own.mostForce)) drive["most_force"] = own.mostForce;
    joint["drive"] = std::move(drive);
  }

  void exclude(int a, int b) {
    if (a < 0 || b < 0 || a == b) return;
    const std::pair<int, int> pair = std::minmax(a, b);
    if (m_jointed.count({a, b}) || m_jointed.count({b, a}) || !m_excluded.insert(pair).second) return;
  }

  /// Pairs of bodies that must not collide: those of the file, those with inserted bodies between them, and
  /// those whose kinds of solids do not meet.
  void noContact() {
    for (const auto& [a, b] : m_tree.noContact) exclude(groupOf(a).index, groupOf(b).index);
    for (const Group& group : m_groups) {
      int above = group.parent;
      while (above >= 0 && m_groups[static_cast<std::size_t>(above)].isLight)
        above = m_groups[static_cast<std::size_t>(above)].parent;
      if (above >= 0 && !group.isLight && !link(m_groups[static_cast<std::size_t>(above)].root).isScenery)
        exclude(group.index, m_groups[static_cast<std::size_t>(above)].index);
    }
    struct Kinds {
      int index;
      unsigned type, affinity;
    };
    std::vector<Kinds> kinds;
    for (const Group& group : m_groups) {
      Kinds own{group.index, 0, 0};
      for (int index : group.links)
        for (const RobotShape& shape : link(index).shapes)
          if (shape.collides && !shape.plane) {
            own.type |= shape.type;
            own.affinity |= shape.affinity;
          }
      if (own.index >= 0 && (own.type || own.affinity)) kinds.push_back(own);
    }
    for (const Kinds& a : kinds)
      for (const Kinds& b : kinds)
        if (a.index < b.index && !(a.type & b.affinity) && !(b.type & a.affinity)) exclude(a.index, b.index);
  }

  /// What needs the bodies as the reader makes them: overlaps at the start, the ground, and suspicious sizes.
  void finish() {
    const std::shared_ptr<const Scene> scene = read();
    listOverlaps(*scene);
    checkSizes(*scene);
    if (m_options.ground) {
      double lowest = HUGE_VAL;
      for (const Body& body : scene->bodies)
        for (const TriangleMesh& surface : body.shape->surfaces)
          for (const Vec3& vertex : surface.vertices)
            lowest = std::min(lowest, (body.position + body.orientation * vertex).y());
      if (!std::isfinite(lowest)) lowest = 0;
      m_scene["bodies"].push_back({{"name", unique("ground")},
                                   {"motion", "static"},
                                   {"position", {0.0, lowest, 0.0}},
                                   {"material", material(0.5)},
                                   {"shape", {{"type", "plane"}}}});
      m_notes.add(m_tree.file, "", "a ground plane was added at the lowest point of the start");
    }
    if (!m_excluded.empty()) {
      SceneJson pairs = SceneJson::array();
      for (const auto& [a, b] : m_excluded)
        pairs.push_back({m_scene["bodies"][static_cast<std::size_t>(a)]["name"],
                         m_scene["bodies"][static_cast<std::size_t>(b)]["name"]});
      m_scene["no_contact"] = std::move(pairs);
    }
    if (m_scene["materials"].empty()) m_scene.erase("materials");
  }

  std::shared_ptr<const Scene> read() const {
    SourceFile source;
    source.bytes = std::make_shared<const std::string>(m_scene.dump());
    return readScene(m_tree.file, source, m_meshes.folders());
  }

  void listOverlaps(const Scene& scene) {
    std::vector<const Group*> own;
    std::vector<Aabb> boxes;
    std::vector<std::vector<PlacedPolytope>> pieces;
    for (const Group& group : m_groups) {
      if (group.index < 0 || link(group.root).isScenery) continue;
      const Body& body = scene.bodies[static_cast<std::size_t>(group.index)];
      own.push_back(&group);
      boxes.emplace_back();
      pieces.emplace_back();
      for (const Polytope& piece : body.shape->pieces) {
        pieces.back().push_back(placed(piece, body.position, body.orientation));
        for (const Vec3& vertex : pieces.back().back().vertices) boxes.back().add(vertex);
      }
    }
    std::vector<std::string> found;
    for (std::size_t a = 0; a < own.size(); ++a)
      for (std::size_t b = a + 1; b < own.size(); ++b) {
        if (pieces[a].empty() || pieces[b].empty() || (own[a]->isStatic && own[b]->isStatic)) continue;
        const std::pair<int, int> pair = std::minmax(own[a]->index, own[b]->index);
        if (m_excluded.count(pair) || m_jointed.count(pair) || m_jointed.count({pair.second, pair.first}))
          continue;
        const double size = kOverlapOfSize * std::min(boxSize(boxes[a]), boxSize(boxes[b]));
        if (!overlap(boxes[a], boxes[b]) || !piecesMeet(pieces[a], pieces[b], size)) continue;
        m_excluded.insert(pair);
        if (found.size() == kMostOverlaps)
          throw SceneError(m_tree.file, "", "has more than 20000 pairs of links that overlap at the start",
                           "place its links");
        found.push_back("'" + own[a]->name + "' and '" + own[b]->name + "'");
      }
    if (found.empty()) return;
    std::string names;
    for (std::size_t k = 0; k < std::min(found.size(), kMostListed); ++k) names += (k ? ", " : "") + found[k];
    if (found.size() > kMostListed)
      names += " and " + std::to_string(found.size() - kMostListed) + " more pairs";
    m_notes.add(m_tree.file, "", "overlap at the start and do not collide with each other: " + names);
  }

  static double boxSize(const Aabb& box) { return (box.high - box.low).norm(); }
  bool piecesMeet(const std::vector<PlacedPolytope>& a, const std::vector<PlacedPolytope>& b, double depth) {
    for (const PlacedPolytope& own : a)
      for (const PlacedPolytope& other : b) {
        Aabb ownBox, otherBox;
        for (const Vec3& vertex : own.vertices) ownBox.add(vertex);
        for (const Vec3& vertex : other.vertices) otherBox.add(vertex);
        if (!overlap(ownBox, otherBox)) continue;
        m_edgePairs += own.polytope->edges.size() * other.polytope->edges.size();
        if (m_edgePairs > kMostEdgePairs) return true;
        if (separation(own, other) < -depth) return true;
      }
    return false;
  }

  void checkSizes(const Scene& scene) {
    std::vector<double> sizes;
    for (const Group& group : m_groups)
      if (group.index >= 0 && !link(group.root).isScenery)
        if (const double radius = scene.bodies[static_cast<std::size_t>(group.index)].shape->radius;
            radius > 0)
          sizes.push_back(radius);
    if (sizes.size() < 2) return;
    std::sort(sizes.begin(), sizes.end());
    const double median = sizes[(sizes.size() - 1) / 2];
    for (const Group& group : m_groups) {
      if (group.index < 0 || link(group.root).isScenery) continue;
      const double times = scene.bodies[static_cast<std::size_t>(group.index)].shape->radius / median;
      if (times > kSuspicious)
        note(link(group.root),
             "is " + fourDigits(times) +
                 " times as large as the median link: is its mesh in millimetres? scale=\"0.001 "
                 "0.001 0.001\" makes metres of them");
    }
  }

  ImportedRobot result() {
    ImportedRobot robot;
    robot.notes = m_notes.lines();
    if (!robot.notes.empty()) m_scene["notes"] = robot.notes;
    robot.scene = m_scene.dump(1) + "\n";
    robot.meshes = m_meshes.files();
    robot.meshFolders = m_meshes.folders();
    return robot;
  }

  RobotTree& m_tree;
  const RobotOptions& m_options;
  RobotMeshes& m_meshes;
  RobotNotes& m_notes;
  /// z up becomes y up, x stays.
  const RobotPose m_turned{Vec3(0, 0, 0), Quaternion(std::sqrt(0.5), -std::sqrt(0.5), 0, 0)};
  std::vector<Group> m_groups;
  std::vector<int> m_groupOf;            ///< [link]
  std::vector<RobotPose> m_inGroup;      ///< [link] in the frame of its group's root
  std::vector<double> m_start;           ///< [link] coordinate
  std::vector<RobotPose> m_world;        ///< [link] at the start
  std::vector<RobotPose> m_atReference;  ///< [link] with all joints at their references
  bool m_isMoved = false;                ///< the start is not the reference
  SceneJson m_scene;
  std::set<std::string> m_names, m_jointNames, m_materials;
  std::set<std::pair<int, int>> m_jointed, m_excluded;  ///< bodies of the scene
  std::size_t m_shapes = 0, m_edgePairs = 0;
};

}  // namespace

ImportedRobot sceneOf(RobotTree tree, const RobotOptions& options, RobotMeshes& meshes, RobotNotes& notes) {
  return SceneWriter(tree, options, meshes, notes).write();
}

}  // namespace touchstone
