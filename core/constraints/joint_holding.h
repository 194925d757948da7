#pragma once

#include <memory>

#include "core/constraints/drive_integration.h"
#include "core/constraints/joint_totals.h"
#include "core/solver/rows/rows_detail.h"

namespace touchstone {

/// Joints of methods whose contacts are forces: after all other impulses of a step, the velocities become
///     u⁺ = u* + M⁻¹ J(q⁻)ᵀ p     with c(q⁺(u⁺)) + (E/h) p = 0
/// for the rows of all joints, and of particles that are parts of bodies, by a few iterations of Newton's
/// method on JointBlocks that are written again at each u⁺, along the forces of the start. The force acts
/// where the step starts and the joint holds where it ends, which keeps energy far better than a force at the
/// end. The first iterate is that of rows linearised at the start. An island whose joints do not hold counts
/// as missed: projectJoints() follows.
/// @param world  on the host, with the velocities of the running step; those that hold the joints, out
/// @param detail  out, or null: the rows with their answer
JointTotals holdJoints(World& world, DriveIntegration drives, std::shared_ptr<RowsDetail>* detail = nullptr);

}  // namespace touchstone
