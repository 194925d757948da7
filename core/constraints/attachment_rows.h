#pragma once

#include "core/solver/rows/row_buffer.h"
#include "core/solver/rows/state_view.h"

namespace touchstone {

/// The rows of particles that are part of a rigid body: c = x_p − (x_B + R r) = 0 along the axes of the
/// world. One block {kAttachmentBlock, attachment, 0} of form Point with three rows (Free) for each particle
/// that is not held.
struct AttachmentRows {
  static constexpr const char* kKey = "attachment";

  const World& world;
  bool holdsForces = false;  ///< impulses act at the places of the start, at every state

  int count() const { return countOf(world.elastic->attachments); }
  void write(int attachment, const StateView& state, RowBuffer& to) const;
};

/// Adds the impulse of a body that does not move on a particle that is part of it, see JointTotals.
/// @param block  of an attachment   @param z  [rows of the block]
void addGroundImpulse(const World& world, const RowBlock& block, const double* z, Vec3& impulse,
                      Vec3& angularImpulse);

}  // namespace touchstone
