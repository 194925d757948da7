#pragma once

#include "core/elasticity/tetrahedron.h"
#include "core/solver/rows/row_buffer.h"
#include "core/solver/rows/state_view.h"

namespace touchstone {

/// The rows of tetrahedra, E (∂U/∂s + λ) + β J u = 0 of each strain s, with z = h λ and t = 1 + β/h:
///
///     constant = (r/h − J u)/t,   C = E/(h² t),   r = E ∂U/∂s
///
/// Corotational: six strains in the eigenvectors of E, which are constant. r = s − s*, and C is diagonal
/// (elementRows()).
///
/// NeoHookean: three stretches, largest first, with C packed (stretchRows()); and three flips
/// (kTransient) with the constant −J u and C = 1/(V f h²), whose impulses are 0 at the solution.
///
/// Held particles are where they are at the end of the step; their part of β J u is in the constant. One
/// block {kTetrahedronBlock, tetrahedron, 0} of form General, in one unit, for each tetrahedron with a
/// particle that is not held.
struct TetrahedronRows {
  static constexpr const char* kKey = "tetrahedron";

  const World& world;
  ElasticRows form = ElasticRows::Six;  ///< Three: without flips

  int count() const { return countOf(world.elastic->tetrahedra); }
  void write(int tetrahedron, const StateView& state, RowBuffer& to) const;
};

}  // namespace touchstone
