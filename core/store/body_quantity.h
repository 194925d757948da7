#pragma once

#include <string>
#include <vector>

#include "core/record/step_record.h"
#include "core/scene/scene.h"

namespace touchstone {

/// A quantity of bodies that are named, for tables:
///
///     body_position:NAME [m]   body_velocity:NAME [m/s]   body_spin:NAME [rad/s]   of the centre of mass,
///     world frame pair_force:A:B [N]       on B from A, mean over the frame: Σ J / Δt over all contacts and
///     substeps between them
///
/// A and B are names, or groups: names with + between them, * at the end of one for all that begin so.
struct BodyQuantity {
  enum class Kind { Position, Velocity, Spin, PairForce };
  Kind kind = Kind::Position;
  std::string arguments;            ///< "box" or "A:B", as they head a column
  int body = -1;                    ///< all but PairForce
  std::vector<char> first, second;  ///< PairForce: [bodyCount] whether a body is of A, of B
};

/// @throws std::invalid_argument saying what would be right
BodyQuantity bodyQuantityOf(const std::string& text, const Scene& scene);
/// Its columns, each with a comma before: three components, of a force its magnitude too.
std::string columnsOf(const BodyQuantity& quantity);
/// Their cells; empty for a body that is not released yet. Records must have the contacts of all substeps.
std::string cellsOf(const BodyQuantity& quantity, const StepRecord& record);

}  // namespace touchstone
