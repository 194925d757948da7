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

  int count() const { return countOf(world.elastic->attachments); }
  void write(int attachment, const StateView& state, RowBuffer& to) const;
};

}  // namespace touchstone
