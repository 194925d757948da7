#include "core/constraints/joint_islands.h"

namespace touchstone {

JointPairs jointPairs(const World& world) {
  const std::vector<Joint>& joints = world.scene->joints;
  const auto movingOf = [&world](int body) { return canMove(world, body) ? body : -1; };
  const auto anyOf = [&movingOf](const Joint& joint) {
    const int b = movingOf(joint.bodyB);
    return b >= 0 ? b : movingOf(joint.bodyA);
  };
  JointPairs pairs;
  const auto add = [&pairs](int a, int b, int joint) {
    pairs.moving.push_back({a, b});
    pairs.joint.push_back(joint);
  };
  for (std::size_t index = 0; index < joints.size(); ++index) {
    const Joint& joint = joints[index];
    if (anyOf(joint) < 0) continue;
    add(movingOf(joint.bodyA), movingOf(joint.bodyB), static_cast<int>(index));
    if (joint.mimic.joint < 0) continue;
    const int led = anyOf(joints[static_cast<std::size_t>(joint.mimic.joint)]);
    if (led >= 0) add(anyOf(joint), led, -1);
  }
  return pairs;
}

JointIslands jointIslands(const World& world) {
  const int bodyCount = world.bodyCount();
  const JointPairs pairs = jointPairs(world);
  const std::vector<std::vector<int>> found = islandsOfPairs(pairs.moving, bodyCount);
  JointIslands islands;
  islands.bodies = bodiesOfIslands(found, pairs.moving, bodyCount);
  islands.joints.resize(found.size());
  for (std::size_t island = 0; island < found.size(); ++island)
    for (const int pair : found[island])
      if (const int joint = pairs.joint[static_cast<std::size_t>(pair)]; joint >= 0)
        islands.joints[island].push_back(joint);
  return islands;
}

}  // namespace touchstone
