#include "core/referee/joint_measures.h"

#include <algorithm>
#include <cmath>

#include "core/scene/joint_rows.h"
#include "core/scene/scale.h"
#include "core/world/body_pose.h"

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

}  // namespace touchstone
