#pragma once

#include "core/constraints/joint_rows.h"

namespace touchstone::nsn {

/// Geometric stiffness of a body by the rows of a joint that act at its anchor,
///     K_B = −[λ]×[r_B]×,   K_A = +[λ]×[r_A]×
/// with the force λ on B and the arms r of the anchor (Macklin 2019, eqs. 71 and 72); rows of angles have
/// none. 0 where a body has no rows [N·m].
/// @param k  of the block's carriers   @param terms, z  of the block, by rows
Mat3 geometricStiffness(const JointSlots& slots, const RowBlock& block, const int* carriers, int k,
                        const RowTerm* terms, const double* z, const StateView& state);

}  // namespace touchstone::nsn
