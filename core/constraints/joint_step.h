#pragma once

#include "core/record/step_record.h"
#include "core/world/world.h"

namespace touchstone {

/// Joints of methods whose contacts are forces: after all other impulses of a step, the velocities become
///     u⁺ = u* + M⁻¹ J(q⁻)ᵀ p     with c(q⁺(u⁺)) + (E/h) p = 0
/// for the rows of all joints, by a few Newton iterations with the matrix h J(q⁺) M⁻¹ J(q⁻)ᵀ + E/h. The force
/// acts where the step starts and the joint holds where it ends, which keeps energy far better than a force
/// at the end. Limits and saturated drives by an active set. Where the iteration does not come nearer, the
/// first iterate is kept, that of rows linearised at the start, and a warning says so. A twist stays within
/// (−π, π]: limits and targets beyond are not known here.
/// @param world  on the host, with the velocities of the running step; those that hold the joints, out
/// @param record  gets the impulses that bodies which do not move give, and the warning
void holdJoints(World& world, StepRecord& record);

}  // namespace touchstone
