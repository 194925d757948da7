#include <algorithm>
#include <filesystem>
#include <set>

#include "core/files/file_bytes.h"
#include "core/files/scene_error.h"
#include "core/files/text_forms.h"
#include "core/geometry/aabb.h"
#include "core/geometry/polytope_overlap.h"
#include "core/math/count.h"
#include "core/math/quantile.h"
#include "core/robot/robot_layout.h"
#include "core/scene/scene_file.h"

namespace touchstone {

namespace {

using SceneJson = nlohmann::ordered_json;

/// Depth of an overlap at the start from which it counts, as a share of the size of the smaller body. A
/// larger value lets the solver push parts apart at the start; a smaller value lists parts that only touch.
constexpr double kOverlapOfSize = 1e-6;
/// Radius of a link, as a multiple of the median, from which its mesh may be in millimetres. A larger value
/// misses such meshes; a smaller value suspects robots with large and small links.
constexpr double kSuspicious = 100;
/// The exact test of two pieces costs the product of their numbers of edges. When all tests together have
/// cost this, the test of boxes decides alone: a larger value lets a file take minutes, a smaller value lists
/// links that are only near each other.
constexpr std::size_t kMostEdgePairs = 300'000'000;
/// A larger value lets a file of links without places take minutes; a smaller value refuses large robots.
constexpr std::size_t kMostOverlaps = 20'000;

SceneJson listOf(const Vec3& v) { return {v.x(), v.y(), v.z()}; }
SceneJson listOf(const Quaternion& q) { return {q.w(), q.x(), q.y(), q.z()}; }

/// A group as the scene holds it.
struct WrittenGroup {
  std::string name;
  int body = -1;  ///< index in the scene; −1: none
};

class SceneWriter {
 public:
  SceneWriter(const RobotTree& tree, const RobotLayout& layout, const RobotOptions& options,
              RobotMeshes& meshes, RobotNotes& notes)
      : m_tree(tree),
        m_layout(layout),
        m_options(options),
        m_meshes(meshes),
        m_notes(notes),
        m_written(layout.groups.size()) {}

  ImportedRobot write() {
    head();
    bodies();
    joints();
    noContact();
    finish();
    return result();
  }

 private:
  const RobotLink& link(int index) const { return m_tree.links[index]; }
  int groupOf(int link) const { return m_layout.groupOf[link]; }
  const RobotGroup& groupAt(int index) const { return m_layout.groups[index]; }
  int groupCount() const { return countOf(m_layout.groups); }
  /// The body of a group in the scene; −1: none, as for the world, which is group −1.
  int bodyOf(int group) const { return group < 0 ? -1 : m_written[group].body; }
  const std::string& nameOf(int group) const { return m_written[group].name; }
  void note(const RobotLink& link, const std::string& text) { m_notes.add(link.file, link.place, text); }

  std::string unique(const std::string& wanted) {
    std::string name = wanted;
    for (int number = 2; !m_names.insert(name).second; ++number) name = wanted + " " + std::to_string(number);
    return name;
  }

  /// Pose of the body of a group in the world at the start.
  RobotPose bodyPose(const RobotGroup& group) const { return m_layout.startPose(group.root) * group.body; }

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

  std::string materialOf(const RobotLink& root, const RobotGroup& group) {
    double least = HUGE_VAL, largest = -1;
    for (int index : group.links)
      for (const RobotShape& shape : link(index).shapes)
        if (shape.collides) {
          least = std::min(least, shape.friction);
          largest = std::max(largest, shape.friction);
        }
    if (largest < 0) return {};
    if (least != largest)
      note(root,
           "its solids have different coefficients of friction: all get the largest, " + fourDigits(largest));
    return material(largest);
  }

  std::string material(double friction) {
    const std::string name = "friction " + fourDigits(friction);
    if (m_materials.insert(name).second)
      m_scene["materials"].push_back({{"name", name}, {"friction", friction}});
    return name;
  }

  void bodies() {
    for (int groupIndex = 0; groupIndex < groupCount(); ++groupIndex) {
      const RobotGroup& group = groupAt(groupIndex);
      if (group.isGone) continue;
      const RobotLink& root = link(group.root);
      if (group.isStatic) planes(group);
      SceneJson pieces = SceneJson::array();
      for (int index : group.links)
        for (const RobotShape& shape : link(index).shapes) {
          if (shape.plane || !shape.collides) continue;
          const RobotPose pose = group.body.inverse() * m_layout.inGroup[index] * shape.pose;
          SceneJson piece = shape.piece;
          piece["position"] = listOf(pose.position);
          piece["orientation"] = listOf(pose.orientation);
          pieces.push_back(std::move(piece));
          if (++m_shapes > kMostRobotShapes)
            throw SceneError(root.file, "", "has more than 3000 collision solids", "simplify its links");
        }
      if (group.isStatic && pieces.empty()) continue;  // its joints hold to the world
      const RobotPose pose = bodyPose(group);
      WrittenGroup& written = m_written[groupIndex];
      written.name = unique(printable(root.name));
      SceneJson body;
      body["name"] = written.name;
      if (group.isStatic) body["motion"] = "static";
      body["position"] = listOf(pose.position);
      body["orientation"] = listOf(pose.orientation);
      if (const std::string name = materialOf(root, group); !name.empty()) body["material"] = name;
      if (!group.isStatic) {
        body["mass"] = group.inertia.mass;
        body["inertia"] = listOf(group.moments);
        body["centre_of_mass"] = {0.0, 0.0, 0.0};
      }
      body["shape"] = pieces.empty() ? SceneJson{{"type", "none"}}
                                     : SceneJson{{"type", "pieces"}, {"pieces", std::move(pieces)}};
      written.body = static_cast<int>(m_scene["bodies"].size());
      m_scene["bodies"].push_back(std::move(body));
    }
    if (m_scene["bodies"].empty())
      throw SceneError(m_tree.file, "", "has no body that moves or collides",
                       "give its links shapes and masses");
  }

  void planes(const RobotGroup& group) {
    for (int index : group.links)
      for (const RobotShape& shape : link(index).shapes) {
        if (!shape.plane || !shape.collides) continue;
        const RobotPose pose = m_layout.startPose(index);
        SceneJson body;
        body["name"] = unique(printable(link(index).name));
        body["motion"] = "static";
        body["position"] = listOf(Vec3(pose * shape.pose.position));
        body["material"] = material(shape.friction);
        body["shape"] = {{"type", "plane"}, {"normal", listOf(Vec3(pose.orientation * *shape.plane))}};
        m_scene["bodies"].push_back(std::move(body));
      }
  }

  /// Writes the place of a joint in the frame of the body of a group, or of the world.
  void setEnd(SceneJson& joint, const char* anchorKey, const char* frameKey, int group,
              const RobotPose& pose) const {
    const RobotPose local = bodyOf(group) >= 0 ? bodyPose(groupAt(group)).inverse() * pose : pose;
    joint[anchorKey] = listOf(local.position);
    if (frameKey) joint[frameKey] = listOf(local.orientation);
  }

  void joints() {
    for (int group = 0; group < groupCount(); ++group) {
      const int root = groupAt(group).root;
      const RobotJoint& robotJoint = link(root).joint;
      if (groupAt(group).isGone || groupAt(group).isStatic || robotJoint.kind == RobotJoint::Kind::Free)
        continue;
      const int parentLink = link(root).parent, parent = parentLink < 0 ? -1 : groupOf(parentLink);
      SceneJson joint = jointOf(robotJoint);
      if (bodyOf(parent) >= 0) joint["body_a"] = nameOf(parent);
      joint["body_b"] = nameOf(group);
      const RobotPose before = m_layout.startPose(parentLink) * link(root).offset,
                      after = m_layout.startPose(root);
      RobotPose frame{robotJoint.anchor, rotationFromXTo(robotJoint.axis)}, zero = frame;
      if (robotJoint.kind == RobotJoint::Kind::Prismatic)
        zero.position -= robotJoint.reference * robotJoint.axis;
      if (robotJoint.kind == RobotJoint::Kind::Revolute)
        zero.orientation = product(zero.orientation, rotationAbout(Vec3(1, 0, 0), -robotJoint.reference));
      const bool hasFrames = robotJoint.kind != RobotJoint::Kind::Ball || robotJoint.stiffness > 0;
      setEnd(joint, "anchor_a", hasFrames ? "frame_a" : nullptr, parent, before * zero);
      setEnd(joint, "anchor_b", hasFrames ? "frame_b" : nullptr, group, after * frame);
      m_jointed.insert({bodyOf(parent), bodyOf(group)});
      m_scene["joints"].push_back(std::move(joint));
    }
    for (const RobotLoop& loop : m_tree.loops) close(loop);
    if (m_scene["joints"].empty()) m_scene.erase("joints");
  }

  /// Writes the joint of a loop.
  void close(const RobotLoop& loop) {
    int a = loop.linkA < 0 ? -1 : groupOf(loop.linkA), b = loop.linkB < 0 ? -1 : groupOf(loop.linkB);
    if (b >= 0 && groupAt(b).isStatic) std::swap(a, b);
    if (b < 0 || groupAt(b).isStatic || groupAt(b).isGone || (a >= 0 && groupAt(a).isGone) || a == b) {
      m_notes.add(loop.file, loop.place, "joins bodies that do not move or are one: left out");
      return;
    }
    SceneJson joint;
    joint["name"] = uniqueJoint(loop.name);
    joint["type"] = loop.isWeld ? "fixed" : "ball";
    if (bodyOf(a) >= 0) joint["body_a"] = nameOf(a);
    joint["body_b"] = nameOf(b);
    // Both bodies hold the place where the loop was closed at the reference, wherever they start.
    const RobotPose closure{m_layout.referencePose(loop.linkA) * loop.anchor, {1, 0, 0, 0}};
    const auto now = [&](int group) {
      if (group < 0) return closure;
      const int root = groupAt(group).root;
      return m_layout.startPose(root) * m_layout.referencePose(root).inverse() * closure;
    };
    setEnd(joint, "anchor_a", loop.isWeld ? "frame_a" : nullptr, a, now(a));
    setEnd(joint, "anchor_b", loop.isWeld ? "frame_b" : nullptr, b, now(b));
    m_scene["joints"].push_back(std::move(joint));
    if (m_layout.isMoved) m_scene["assemble"] = true;
  }

  std::string uniqueJoint(const std::string& wanted) {
    std::string name = printable(wanted);
    for (int number = 2; !m_jointNames.insert(name).second; ++number)
      name = wanted + " " + std::to_string(number);
    return name;
  }

  SceneJson jointOf(const RobotJoint& robotJoint) {
    using Kind = RobotJoint::Kind;
    SceneJson joint;
    joint["name"] = uniqueJoint(robotJoint.name);
    const bool isSprung = robotJoint.kind == Kind::Ball && robotJoint.stiffness > 0;
    joint["type"] = robotJoint.kind == Kind::Revolute    ? "revolute"
                    : robotJoint.kind == Kind::Prismatic ? "prismatic"
                    : isSprung                           ? "beam"
                    : robotJoint.kind == Kind::Ball      ? "ball"
                                                         : "fixed";
    if (isSprung) {
      joint["angular_compliance"] = 1 / robotJoint.stiffness;
      if (robotJoint.damping > 0) joint["damping_time"] = robotJoint.damping / robotJoint.stiffness;
    }
    if (!robotJoint.moves()) return joint;
    if (std::isfinite(robotJoint.lower) || std::isfinite(robotJoint.upper)) {
      constexpr double kUnlimited = 1e9;
      joint["limits"] = {std::max(robotJoint.lower, -kUnlimited), std::min(robotJoint.upper, kUnlimited)};
    }
    addDrive(robotJoint, joint);
    if (robotJoint.dryFriction > 0) joint["dry_friction"] = robotJoint.dryFriction;
    if (robotJoint.armature > 0 && robotJoint.kind == Kind::Revolute) joint["armature"] = robotJoint.armature;
    if (!robotJoint.mimic.empty())
      joint["mimic"] = {
          {"joint", printable(robotJoint.mimic)}, {"ratio", robotJoint.ratio}, {"offset", robotJoint.shift}};
    return joint;
  }

  void addDrive(const RobotJoint& robotJoint, SceneJson& joint) {
    const double held = robotJoint.mimic.empty() ? m_options.stiffness : 0;
    const double stiffness = robotJoint.stiffness + held,
                 damping = robotJoint.damping + (robotJoint.mimic.empty() ? m_options.damping : 0);
    if (!(stiffness > 0) && !(damping > 0)) return;
    SceneJson drive;
    if (stiffness > 0) {
      drive["stiffness"] = stiffness;
      const double start = std::clamp(robotJoint.start, robotJoint.lower, robotJoint.upper);
      drive["target"] = (robotJoint.stiffness * robotJoint.target + held * start) / stiffness;
    }
    if (damping > 0) drive["damping"] = damping;
    if (robotJoint.rate != 0) drive["rate"] = robotJoint.rate;
    if (std::isfinite(robotJoint.mostForce)) drive["most_force"] = robotJoint.mostForce;
    joint["drive"] = std::move(drive);
  }

  bool areJointed(int a, int b) const { return m_jointed.count({a, b}) > 0 || m_jointed.count({b, a}) > 0; }

  void exclude(int a, int b) {
    if (a < 0 || b < 0 || a == b || areJointed(a, b)) return;
    m_excluded.insert(std::minmax(a, b));
  }

  /// Excludes the pairs of bodies that must not collide: the pairs of the file, the pairs with only light
  /// bodies between them in the tree, and the pairs whose solids' types and affinities exclude each other.
  void noContact() {
    for (const auto& [a, b] : m_tree.noContact) exclude(bodyOf(groupOf(a)), bodyOf(groupOf(b)));
    for (int group = 0; group < groupCount(); ++group) {
      int above = groupAt(group).parent;
      while (above >= 0 && groupAt(above).isLight) above = groupAt(above).parent;
      if (above >= 0 && !groupAt(group).isLight && !link(groupAt(above).root).isScenery)
        exclude(bodyOf(group), bodyOf(above));
    }
    struct Kinds {
      int body;
      unsigned type, affinity;
    };
    std::vector<Kinds> kinds;
    for (int group = 0; group < groupCount(); ++group) {
      Kinds groupKinds{bodyOf(group), 0, 0};
      for (int index : groupAt(group).links)
        for (const RobotShape& shape : link(index).shapes)
          if (shape.collides && !shape.plane) {
            groupKinds.type |= shape.type;
            groupKinds.affinity |= shape.affinity;
          }
      if (groupKinds.body >= 0 && (groupKinds.type || groupKinds.affinity)) kinds.push_back(groupKinds);
    }
    for (const Kinds& a : kinds)
      for (const Kinds& b : kinds)
        if (a.body < b.body && !(a.type & b.affinity) && !(b.type & a.affinity)) exclude(a.body, b.body);
  }

  /// Reads the scene as it is so far and adds what depends on the bodies that the reader makes: overlaps at
  /// the start, notes on suspicious sizes, and the ground.
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
        pairs.push_back({m_scene["bodies"][a]["name"], m_scene["bodies"][b]["name"]});
      m_scene["no_contact"] = std::move(pairs);
    }
    if (m_scene["materials"].empty()) m_scene.erase("materials");
  }

  std::shared_ptr<const Scene> read() const {
    SourceFile source;
    source.bytes = std::make_shared<const std::string>(m_scene.dump());
    return readScene(m_tree.file, source, m_meshes.folders());
  }

  /// True for the group of a body of the scene that belongs to the robot.
  bool isOfRobot(int group) const { return bodyOf(group) >= 0 && !link(groupAt(group).root).isScenery; }

  void listOverlaps(const Scene& scene) {
    std::vector<int> robotGroups;  // groups
    std::vector<Aabb> boxes;
    std::vector<std::vector<PlacedPolytope>> pieces;
    for (int group = 0; group < groupCount(); ++group) {
      if (!isOfRobot(group)) continue;
      const Body& body = scene.bodies[bodyOf(group)];
      robotGroups.push_back(group);
      boxes.emplace_back();
      pieces.emplace_back();
      for (const Polytope& piece : body.shape->pieces) {
        pieces.back().push_back(placed(piece, body.position, body.orientation));
        for (const Vec3& vertex : pieces.back().back().vertices) boxes.back().add(vertex);
      }
    }
    std::vector<std::string> found;
    for (std::size_t a = 0; a < robotGroups.size(); ++a)
      for (std::size_t b = a + 1; b < robotGroups.size(); ++b) {
        if (pieces[a].empty() || pieces[b].empty() ||
            (groupAt(robotGroups[a]).isStatic && groupAt(robotGroups[b]).isStatic))
          continue;
        const std::pair<int, int> pair = std::minmax(bodyOf(robotGroups[a]), bodyOf(robotGroups[b]));
        if (m_excluded.count(pair) > 0 || areJointed(pair.first, pair.second)) continue;
        const double size = kOverlapOfSize * std::min(boxSize(boxes[a]), boxSize(boxes[b]));
        if (!overlap(boxes[a], boxes[b]) || !piecesMeet(pieces[a], pieces[b], size)) continue;
        m_excluded.insert(pair);
        if (found.size() == kMostOverlaps)
          throw SceneError(m_tree.file, "", "has more than 20000 pairs of links that overlap at the start",
                           "place its links");
        found.push_back("'" + nameOf(robotGroups[a]) + "' and '" + nameOf(robotGroups[b]) + "'");
      }
    if (found.empty()) return;
    std::string names;
    for (std::size_t k = 0; k < std::min(found.size(), kMostNamesInNote); ++k)
      names += (k ? ", " : "") + found[k];
    if (found.size() > kMostNamesInNote)
      names += " and " + std::to_string(found.size() - kMostNamesInNote) + " more pairs";
    m_notes.add(m_tree.file, "", "overlap at the start and do not collide with each other: " + names);
  }

  static double boxSize(const Aabb& box) { return (box.high - box.low).norm(); }
  bool piecesMeet(const std::vector<PlacedPolytope>& a, const std::vector<PlacedPolytope>& b, double depth) {
    for (const PlacedPolytope& pieceA : a)
      for (const PlacedPolytope& pieceB : b) {
        Aabb boxA, boxB;
        for (const Vec3& vertex : pieceA.vertices) boxA.add(vertex);
        for (const Vec3& vertex : pieceB.vertices) boxB.add(vertex);
        if (!overlap(boxA, boxB)) continue;
        m_edgePairs += pieceA.polytope->edges.size() * pieceB.polytope->edges.size();
        if (m_edgePairs > kMostEdgePairs) return true;
        if (separation(pieceA, pieceB) < -depth) return true;
      }
    return false;
  }

  void checkSizes(const Scene& scene) {
    const auto radiusOf = [&](int group) { return scene.bodies[bodyOf(group)].shape->radius; };
    std::vector<double> sizes;
    for (int group = 0; group < groupCount(); ++group)
      if (isOfRobot(group) && radiusOf(group) > 0) sizes.push_back(radiusOf(group));
    if (sizes.size() < 2) return;
    const double usual = median(sizes);
    for (int group = 0; group < groupCount(); ++group) {
      if (!isOfRobot(group)) continue;
      const double times = radiusOf(group) / usual;
      if (times > kSuspicious)
        note(link(groupAt(group).root),
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

  const RobotTree& m_tree;
  const RobotLayout& m_layout;
  const RobotOptions& m_options;
  RobotMeshes& m_meshes;
  RobotNotes& m_notes;
  SceneJson m_scene;
  std::vector<WrittenGroup> m_written;  ///< [group]
  std::set<std::string> m_names, m_jointNames, m_materials;
  std::set<std::pair<int, int>> m_jointed, m_excluded;  ///< bodies of the scene
  std::size_t m_shapes = 0, m_edgePairs = 0;
};

}  // namespace

ImportedRobot sceneOf(RobotTree tree, const RobotOptions& options, RobotMeshes& meshes, RobotNotes& notes) {
  const RobotLayout layout = layOut(tree, options, notes);
  return SceneWriter(tree, layout, options, meshes, notes).write();
}

}  // namespace touchstone
