#pragma once

#include "core/solver/rows/row.h"
#include "core/world/body_pose.h"

namespace touchstone {

/// State at which kinds of constraints write their rows: the start q⁻ of a step, and velocities u with which
/// carriers move on. Rows are those of q(u) = q⁻ ⊕ h u (poseAfter()):
///
///     constant = c(q(u))/h − J(q(u)) u,   so that   constant + J ν = c(q(u))/h   for ν = u
///
/// (Macklin 2019, eq. 57). Carriers that do not move are in no block; c has them where they are at the end of
/// the step.
///
/// A kind of constraint is a struct with its key, the number of its constraints, and their writer:
///     static constexpr const char* kKey;
///     int count() const;
///     void write(int index, const StateView& state, RowBuffer& to) const;
/// The writer adds one block, or none where nothing moves. At each u of a step it adds the same blocks and
/// rows, and the impulse of a row keeps its meaning.
struct StateView {
  const World& world;          ///< q⁻ and the given velocities of the step, after predict()
  double h;                    ///< length of the step [s]
  const CarrierVelocities* u;  ///< null: 0, with the poses of q⁻ to the bit
  /// [bodies] poses of q(u) of bodies that move; null: they are found where they are asked for
  const BodyPose* poses = nullptr;

  /// Pose of a body of q(u); −1: the world's own frame.
  BodyPose poseOf(int body) const {
    if (!u || !canMove(world, body)) return touchstone::poseOf(world, body);
    if (poses) return poses[body];
    const BodyPose start = touchstone::poseOf(world, body);
    return poseAfter(start, (*world.constants)[body], u->linear[body], u->angular[body], h);
  }
  /// Position of a particle [m]; a held one moves with its given velocity.
  Vec3 positionOf(int particle) const {
    if (!isDynamic(world, particle)) return world.position[particle] + h * heldVelocityOf(particle);
    return u ? Vec3(world.position[particle] + h * u->linear[particle]) : world.position[particle];
  }
  /// Velocity of a particle that is held [m/s].
  const Vec3& heldVelocityOf(int particle) const { return world.nextLinearVelocity[particle]; }
};

}  // namespace touchstone
