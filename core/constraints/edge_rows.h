#pragma once

#include "core/solver/rows/row_buffer.h"
#include "core/solver/rows/state_view.h"

namespace touchstone {

/// The rows of edges of cloth: c = |x_j − x_i| − L with c + λ/k = 0, compliance 1/(k h²). One block
/// {kEdgeBlock, edge, 0} of form General for each edge with an end that is not held.
struct EdgeRows {
  static constexpr const char* kKey = "edge";

  const World& world;
  /// Edges push nothing apart: 0 ≤ −c + λ/k ⊥ λ ≥ 0 with −J (Unilateral), else Free.
  bool isTensionOnly = false;

  int count() const { return countOf(world.elastic->edges); }
  void write(int edge, const StateView& state, RowBuffer& to) const;
};

}  // namespace touchstone
