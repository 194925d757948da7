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
    const auto measure = [&](double c, bool isAngle) {
      if (const double compliance = joint.complianceOf(isAngle); compliance > 0)
        measures.energy += 0.5 * c * c / compliance;
      else
        measures.error = std::max(measures.error, (isAngle ? length : 1) * std::abs(c));
    };
    eachJointError(joint, poseOf(world, joint.bodyA), poseOf(world, joint.bodyB), measure);
  }
  return measures;
}

void measureJoints(const World& world, std::vector<JointState>& joints) {
  joints.resize(world.scene->joints.size());
  for (std::size_t index = 0; index < joints.size(); ++index) {
    const Joint& joint = world.scene->joints[index];
    JointState& state = joints[index];
    state.error = state.angle = 0;
    eachJointError(joint, poseOf(world, joint.bodyA), poseOf(world, joint.bodyB),
                   [&state](double c, bool isAngle) {
                     double& largest = isAngle ? state.angle : state.error;
                     largest = std::max(largest, std::abs(c));
                   });
    if (joint.hasCoordinate()) state.coordinate = jointCoordinateNow(world, index);
  }
}

}  // namespace touchstone
