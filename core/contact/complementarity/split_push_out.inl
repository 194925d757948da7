#pragma once

#include "core/contact/complementarity/push_out_sums.h"
#include "core/parallel/copy.h"
#include "core/solver/sweep/push_out.inl"

namespace touchstone {

/// Displacements that undo overlaps apart from the velocities of a step: found after its solve, applied after
/// its integration, told to its record.
template <class Backend>
class SplitPushOut {
 public:
  /// Finds them, and adds to a record what they do. @param world  of the running step, with its answer
  /// @param taken  [replicaCount] on the backend, 0: replicas that are left out; null: none
  /// @param gravity  m/s²
  void find(RowSolver<Backend>& solver, const WorldView& world, const int* taken, const Vec3& gravity,
            const Backend& backend, StepRecord& record) {
    m_isFound = m_pushOut.find(solver, taken);
    if (!m_isFound) return;
    const int bodies = world.bodyCount;
    detail::addPushOut(
        {fetched(backend, world.bodies, bodies),
         fetched(backend, static_cast<const Vec3*>(world.position), bodies),
         fetched(backend, static_cast<const Quaternion*>(world.orientation), bodies),
         fetched(backend, static_cast<const Vec3*>(world.nextLinearVelocity), bodies),
         fetched(backend, static_cast<const Vec3*>(world.nextAngularVelocity), bodies),
         fetched(backend, world.inverseMass, bodies), fetched(backend, m_pushOut.linear(), bodies),
         fetched(backend, m_pushOut.angular(), bodies)},
        gravity, world.dt, record);
  }
  /// Moves the bodies by them, once.
  void apply(const Backend& backend, const WorldView& world) {
    if (m_isFound)
      forEach(backend, world.bodyCount, detail::MoveApart{world, m_pushOut.linear(), m_pushOut.angular()});
    m_isFound = false;
  }
  void forget() { m_isFound = false; }

 private:
  PushOut<Backend> m_pushOut;
  bool m_isFound = false;  ///< in the running step
};

}  // namespace touchstone
