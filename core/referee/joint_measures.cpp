#include "core/referee/joint_measures.h"

#include <algorithm>
#include <cmath>

#include "core/scene/joint_rows.h"
#include "core/scene/scale.h"
#include "core/world/body_pose.h"
#include "core/world/joint_coordinates.h"

namespace touchstone {

JointMeasures measureJoints(const World& world) {
  JointMeasures measures;
  const double length = lengthOf(*world.scene);
  for (const Joint& joint : world.scene->joints) {
    if (!world.active[static_cast<std::size_t>(joint.bodyB)]) continue;
    const JointRows rows = jointRows(joint.kind, joint.frames, joint.length, poseOf(world, joint.bodyA),
                                     poseOf(world, joint.bodyB));
    for (int row = 0; row < rows.count; ++row) {
      const bool isAngle = row >= rows.firstAngle;
      const double c = joint.kind == JointKind::Rope ? std::min(0.0, rows.error[row]) : rows.error[row],
                   compliance = isAngle ? joint.angularCompliance : joint.compliance;
      if (compliance > 0)
        measures.energy += 0.5 * c * c / compliance;
      else
        measures.error = std::max(measures.error, (isAngle ? length : 1) * std::abs(c));
    }
  }
  return measures;
}

void measureJoints(const World& world, std::vector<JointState>& joints) {
  joints.resize(world.scene->joints.size());
  for (std::size_t index = 0; index < joints.size(); ++index) {
    const Joint& joint = world.scene->joints[index];
    JointState& state = joints[index];
    const JointRows rows = jointRows(joint.kind, joint.frames, joint.length, poseOf(world, joint.bodyA),
                                     poseOf(world, joint.bodyB));
    state.error = state.angle = 0;
    for (int row = 0; row < rows.count; ++row) {
      double& largest = row >= rows.firstAngle ? state.angle : state.error;
      const double c = joint.kind == JointKind::Rope ? std::min(0.0, rows.error[row]) : rows.error[row];
      largest = std::max(largest, std::abs(c));
    }
    if (joint.hasCoordinate()) state.coordinate = jointCoordinateNow(world, index);
  }
}

}  // namespace touchstone
