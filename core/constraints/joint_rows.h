#pragma once

#include <array>
#include <vector>

#include "core/constraints/drive_integration.h"
#include "core/constraints/joint_totals.h"
#include "core/solver/rows/row_buffer.h"
#include "core/solver/rows/state_view.h"

namespace touchstone {

/// Slots of the rows of joints: [joints][row of the block] JointConstraint::Slot. They do not change in a
/// step.
using JointSlots = std::vector<std::array<signed char, JointConstraint::SlotCount>>;

/// Gradients of the rows of joints at a state q(u).
enum class JointGradients {
  OfState,        ///< J and F at q(u)
  ForcesOfStart,  ///< J at q(u), F at q⁻: impulses at the points of the start keep Σ x × m v + I ω
  OfStart         ///< both at q⁻, and c at q(u): a chord of what the rows ask for
};

/// The rows of joints, with the impulse z = h λ, s = 1 + τ/h and e = h / (k h + d), see also
/// DriveIntegration:
///
///     rows                     constant                                   compliance   law
///     holds, mimics            (c/h − J u)/s                              E/(h² s)     Free
///     ropes, limits            likewise; s = 1 of limits                  likewise     Unilateral
///     limits that are equal    (θ − θ_min)/h − J u                        0            Free
///     drives                   (e/h) (k (θ − θ*) − d θ̇*) − e k J u        e/h²         Symmetric, h f_max
///     dry friction             0, with k = 0 and d = 1e6 N·s/m            e/h²         Symmetric, h f
///     given forces             0                                          0            Fixed, h f
///
/// One block {kJointBlock, joint, 0} of form General, in one unit, for each joint with a body that moves. Its
/// carriers are those of the joint and of the one that it follows. Row::length is s: angles count as metres.
/// A distance that has no direction has idleRow().
struct JointBlocks {
  static constexpr const char* kKey = "joint";

  const World& world;
  JointSlots* slots = nullptr;  ///< out, or null
  JointGradients gradients = JointGradients::OfState;
  DriveIntegration drives = DriveIntegration::Implicit;
  /// Each row is a unit, with a start of its own; a drive without a largest force is Free.
  bool hasUnitsOfRows = false;
  /// Only rows that isProjected(), J x + c = 0 or ≥ 0 [m, rad]; for states with h = 1 s.
  bool isProjection = false;

  int count() const { return countOf(world.scene->joints); }
  void write(int joint, const StateView& state, RowBuffer& to) const;
};

/// The largest |c(q⁺)| of a block of rows of joints that holds [m, rad]: of rows of law Free without
/// compliance, and of violated limits. @param rows  OfStart, whose constants are those of the velocities u
double gapOf(const RowsView& rows, const RowBlock& block, const CarrierVelocities& u, double h);

/// Writes the slots of the rows of joints among others. @param slots  [rows] out
void setSlots(const RowsView& rows, int blockCount, const JointSlots& ofJoints, std::vector<int>& slots);

/// Sums over the impulses of joints. Wrenches are those of the poses at `state`; impulses of bodies that do
/// not move count about the places of bodies where the step starts.
/// @param rows  with the blocks of joints as write() leaves them, among others   @param z  [rows]
/// @param without  replicas that do not count, or empty
JointTotals totalsOf(const RowsView& rows, int blockCount, const double* z, const StateView& state,
                     const ReplicaSet& without);

}  // namespace touchstone
