#include "core/robot/robot_layout.h"

#include <algorithm>
#include <map>

#include "core/files/scene_error.h"
#include "core/files/text_forms.h"
#include "core/math/count.h"

namespace touchstone {

namespace {

/// Share of the mass and inertia of what a body carries, for a body that has none of its own. A larger value
/// changes how the robot moves; a smaller value gives the solvers systems of worse condition.
constexpr double kLightShare = 0.01;
/// Largest size of an angle at the start [rad]: the angle of half a turn has no sign. A larger value lets
/// rounding choose the sign; a smaller value refuses angles that have one.
constexpr double kHalfTurn = M_PI - 1e-6;

class LayoutMaker {
 public:
  LayoutMaker(RobotTree& tree, const RobotOptions& options, RobotNotes& notes)
      : m_tree(tree), m_options(options), m_notes(notes) {}

  RobotLayout make() {
    chooseBase();
    group();
    weigh();
    start();
    place();
    return std::move(m_layout);
  }

 private:
  const RobotLink& link(int index) const { return m_tree.links[index]; }
  RobotLink& link(int index) { return m_tree.links[index]; }
  RobotGroup& groupOf(int link) { return m_layout.groups[m_layout.groupOf[link]]; }
  void note(const RobotLink& link, const std::string& text) { m_notes.add(link.file, link.place, text); }
  void note(const RobotJoint& joint, const std::string& text) { m_notes.add(joint.file, joint.place, text); }
  [[noreturn]] void fail(const RobotLink& link, const std::string& problem, const std::string& remedy) const {
    throw SceneError(link.file, link.place, problem, remedy);
  }

  void chooseBase() {
    for (RobotLink& link : m_tree.links) {
      if (link.parent >= 0 || link.isScenery) continue;
      RobotJoint& joint = link.joint;
      using Kind = RobotJoint::Kind;
      if (m_options.base == RobotOptions::Base::Free && joint.kind == Kind::Fixed) joint.kind = Kind::Free;
      if (m_options.base == RobotOptions::Base::Fixed && joint.kind == Kind::Free) joint.kind = Kind::Fixed;
    }
  }

  bool isMassless(const RobotLink& link) const {
    return !link.inertia && std::none_of(link.shapes.begin(), link.shapes.end(), [](const RobotShape& shape) {
      return !shape.plane && shape.mass != 0;
    });
  }

  void group() {
    for (std::size_t index = 0; index < m_tree.links.size(); ++index) {
      const RobotLink& robotLink = m_tree.links[index];
      const bool isFixed = robotLink.joint.kind == RobotJoint::Kind::Fixed;
      const bool isOfScenery = robotLink.parent >= 0 && link(groupOf(robotLink.parent).root).isScenery;
      const bool joins =
          isFixed && robotLink.parent >= 0 && (!m_options.keepFixed || isMassless(robotLink) || isOfScenery);
      if (joins) {
        RobotGroup& into = groupOf(robotLink.parent);
        into.links.push_back(static_cast<int>(index));
        m_layout.groupOf.push_back(m_layout.groupOf[robotLink.parent]);
        m_layout.inGroup.push_back(m_layout.inGroup[robotLink.parent] * robotLink.offset);
        continue;
      }
      RobotGroup group;
      group.root = static_cast<int>(index);
      group.parent = robotLink.parent < 0 ? -1 : m_layout.groupOf[robotLink.parent];
      group.links = {group.root};
      group.isStatic = robotLink.parent < 0 && isFixed;
      m_layout.groupOf.push_back(countOf(m_layout.groups));
      m_layout.inGroup.push_back({});
      m_layout.groups.push_back(group);
    }
    for (const RobotGroup& group : m_layout.groups) {
      if (group.links.size() < 2) continue;
      std::string names;
      for (std::size_t k = 1; k < std::min(group.links.size(), kMostNamesInNote + 1); ++k)
        names += (k > 1 ? ", '" : "'") + link(group.links[k]).name + "'";
      if (group.links.size() > kMostNamesInNote + 1) names += ", …";
      note(link(group.root), "fixed joints are merged: the body also is " + names);
    }
  }

  /// Mass and inertia of one link, in the frame of the link.
  RobotInertia inertiaOf(const RobotLink& link) {
    RobotInertia solid;
    for (const RobotShape& shape : link.shapes) {
      if (shape.plane || !(shape.solid.volume > 0)) continue;
      const double mass = shape.mass >= 0 ? shape.mass : shape.density * shape.solid.volume;
      const Mat3 R = shape.pose.orientation.toRotationMatrix();
      solid = together(solid, {mass, shape.pose * shape.solid.centre,
                               mass / shape.solid.volume * (R * shape.solid.inertia * R.transpose())});
    }
    if (!link.inertia || !(link.inertia->mass > 0)) {
      if (link.inertia && solid.mass > 0)
        note(link, "mass 0 is replaced by that of the collision solids at " + fourDigits(m_options.density) +
                       " kg/m³");
      return solid;
    }
    RobotInertia given = *link.inertia;
    if (isInertia(given.inertia)) return given;
    if (solid.mass > 0) {
      given.inertia = solid.inertia * (given.mass / solid.mass);
      note(link,
           "the inertia is singular or breaks the triangle inequality: replaced by that of the collision "
           "solid with the given mass");
    } else {
      const double radius = std::cbrt(3 * given.mass / (4 * M_PI * m_options.density));
      given.inertia = 0.4 * given.mass * radius * radius * Mat3::Identity();
      note(link,
           "the inertia is singular or breaks the triangle inequality, and there is no collision solid: "
           "replaced by that of a ball of the given mass at " +
               fourDigits(m_options.density) + " kg/m³");
    }
    return given;
  }

  void weigh() {
    for (RobotGroup& group : m_layout.groups) {
      if (group.isStatic) continue;
      for (int index : group.links) {
        RobotInertia linkInertia = inertiaOf(link(index));
        const RobotPose& pose = m_layout.inGroup[index];
        const Mat3 R = pose.orientation.toRotationMatrix();
        linkInertia.centre = pose * linkInertia.centre;
        linkInertia.inertia = R * linkInertia.inertia * R.transpose();
        group.inertia = together(group.inertia, linkInertia);
      }
    }
    scaleMasses();
    std::vector<std::vector<int>> children(m_layout.groups.size());
    for (std::size_t g = m_layout.groups.size(); g-- > 0;) {  // children first
      RobotGroup& group = m_layout.groups[g];
      if (!group.isStatic && !(group.inertia.mass > 0)) lighten(group, children[g]);
      if (group.parent >= 0 && !group.isGone) children[group.parent].push_back(static_cast<int>(g));
    }
    for (RobotGroup& group : m_layout.groups) {
      if (group.isStatic || group.isGone) continue;
      if (group.inertia.mass < 1e-12) fail(link(group.root), "has less than 1e-12 kg", "give masses in kg");
      group.body.position = group.inertia.centre;
      group.body.orientation = principalAxes(group.inertia.inertia, group.moments);
    }
  }

  void scaleMasses() {
    if (!(m_tree.totalMass > 0)) return;
    double mass = 0;
    for (const RobotGroup& group : m_layout.groups) mass += group.inertia.mass;
    if (!(mass > 0)) return;
    for (RobotGroup& group : m_layout.groups) {
      group.inertia.mass *= m_tree.totalMass / mass;
      group.inertia.inertia *= m_tree.totalMass / mass;
    }
  }

  /// Gives a body without mass a share of the mass and inertia of the bodies that it carries, with the centre
  /// at its joint. A body that carries nothing is left out.
  void lighten(RobotGroup& group, const std::vector<int>& children) {
    RobotLink& root = link(group.root);
    double carried = 0;
    Mat3 inertia = Mat3::Zero();
    for (int childIndex : children) {
      const RobotGroup& child = m_layout.groups[childIndex];
      carried += child.isLight ? child.carries : child.inertia.mass;
      const RobotLink& carriedLink = link(child.root);
      const RobotPose pose = m_layout.inGroup[carriedLink.parent] * carriedLink.offset;
      const Mat3 R = pose.orientation.toRotationMatrix();
      inertia += R * child.inertia.inertia * R.transpose() * (child.isLight ? 1 : kLightShare);
    }
    if (!(carried > 0)) {
      if (root.parent < 0) fail(root, "has no mass and no collision solid", "give it an inertial or a shape");
      group.isGone = true;
      note(root, "has no mass, no collision solid and carries nothing: left out with its joint");
      return;
    }
    group.isLight = true;
    group.carries = carried;
    group.inertia.mass = kLightShare * carried;
    group.inertia.centre = root.joint.anchor;
    Vec3 moments;
    const Mat3 R = principalAxes(inertia, moments).toRotationMatrix();
    if (root.isInserted) {
      moments = moments.cwiseMax(root.joint.armature);
      root.joint.armature = 0;
    }
    group.inertia.inertia = R * moments.asDiagonal() * R.transpose();
    note(
        root,
        root.isInserted
            ? "one of several joints of a body: a body was inserted with 1 % of its mass, and of its inertia "
              "or the armature, whichever is more"
            : "has no mass and no collision solid: gets 1 % of the mass and inertia of what it carries");
  }

  /// Sets the coordinates at the start. A joint that follows another one gets its coordinate from that one;
  /// any other joint gets the wanted coordinate, clamped to its limits.
  void start() {
    std::map<std::string, int> byName;
    for (std::size_t index = 0; index < m_tree.links.size(); ++index)
      if (m_tree.links[index].joint.moves()) byName[m_tree.links[index].joint.name] = static_cast<int>(index);
    m_start.assign(m_tree.links.size(), 0);
    std::vector<int> state(m_tree.links.size(), 0);  // 1: being found, 2: found
    for (std::size_t first = 0; first < m_tree.links.size(); ++first) {
      std::vector<int> chain;
      for (int linkIndex = static_cast<int>(first); state[linkIndex] != 2;) {
        RobotJoint& joint = link(linkIndex).joint;
        if (state[linkIndex] == 1)
          throw SceneError(joint.file, joint.place, "follows itself by way of other joints",
                           "remove one mimic of the loop");
        state[linkIndex] = 1;
        chain.push_back(linkIndex);
        if (joint.mimic.empty() || !joint.moves()) break;
        const auto leader = byName.find(joint.mimic);
        if (leader == byName.end())
          throw SceneError(joint.file, joint.place,
                           "follows the joint '" + joint.mimic + "', which does not move",
                           "name a revolute, continuous or prismatic joint");
        linkIndex = leader->second;
      }
      for (; !chain.empty(); chain.pop_back()) {
        const int linkIndex = chain.back();
        state[linkIndex] = 2;
        RobotJoint& joint = link(linkIndex).joint;
        if (!joint.moves()) continue;
        double& value = m_start[linkIndex];
        if (joint.mimic.empty())
          value = startWithin(joint);
        else
          value = follow(joint, m_start[byName[joint.mimic]]);
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

  void place() {
    for (std::size_t index = 0; index < m_tree.links.size(); ++index) {
      const RobotLink& link = m_tree.links[index];
      const double moved = m_start[index] - link.joint.reference;
      RobotPose motion;
      if (link.joint.kind == RobotJoint::Kind::Revolute && moved != 0) {
        motion.orientation = rotationAbout(link.joint.axis, moved);
        motion.position = link.joint.anchor - motion.orientation * link.joint.anchor;
      }
      if (link.joint.kind == RobotJoint::Kind::Prismatic) motion.position = moved * link.joint.axis;
      m_layout.startPoses.push_back(m_layout.startPose(link.parent) * link.offset * motion);
      m_layout.referencePoses.push_back(m_layout.referencePose(link.parent) * link.offset);
      m_layout.isMoved = m_layout.isMoved || moved != 0;
    }
  }

  RobotTree& m_tree;
  const RobotOptions& m_options;
  RobotNotes& m_notes;
  RobotLayout m_layout;
  std::vector<double> m_start;  ///< [link] coordinate
};

}  // namespace

RobotLayout layOut(RobotTree& tree, const RobotOptions& options, RobotNotes& notes) {
  return LayoutMaker(tree, options, notes).make();
}

}  // namespace touchstone
