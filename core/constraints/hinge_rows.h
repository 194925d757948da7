#pragma once

#include "core/solver/rows/row_buffer.h"
#include "core/solver/rows/state_view.h"

namespace touchstone {

/// The rows of hinges of cloth: c = θ − θ₀, wrapped into (−π, π], with c + λ/k = 0, compliance 1/(k h²). One
/// block {kHingeBlock, hinge, 0} of form General with one row (Free) for each hinge with a particle that is
/// not held.
struct HingeRows {
  static constexpr const char* kKey = "hinge";

  const World& world;

  int count() const { return countOf(world.elastic->hinges); }
  void write(int hinge, const StateView& state, RowBuffer& to) const;
};

}  // namespace touchstone
