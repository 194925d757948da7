#pragma once

#include <string>
#include <vector>

#include "core/record/step_record.h"
#include "core/scene/scene.h"

namespace touchstone {

/// A quantity of named bodies, for tables:
///
///     body_position:NAME [m]   body_velocity:NAME [m/s]   body_spin:NAME [rad/s]
///                              of the centre of mass, world frame
///     pair_force:A:B [N]       on B from A, mean over the frame: Σ J / Δt over all contacts and substeps
///
/// A and B are names or groups. A group is a list of names joined by +; a name that ends with * means all
/// names with that beginning.
struct BodyQuantity {
  enum class Kind { Position, Velocity, Spin, PairForce };
  Kind kind = Kind::Position;
  std::string arguments;            ///< "box" or "A:B", as in the column title
  int body = -1;                    ///< all but PairForce
  std::vector<char> first, second;  ///< PairForce: [bodyCount] whether a body is of A, of B
};

/// The bodies of a group, ascending; none for an empty text. @param text  what the user gave, for messages
/// @throws std::invalid_argument if a name is no body of the scene
std::vector<int> bodiesNamed(const std::string& group, const std::string& text, const Scene& scene);

/// @throws std::invalid_argument with the fault and the remedy
BodyQuantity bodyQuantityOf(const std::string& text, const Scene& scene);
/// Its unit: "m", "m/s", "rad/s" or "N".
std::string unitOf(const BodyQuantity& quantity);
/// Titles of its columns, each preceded by a comma: three components, and for a force its magnitude.
std::string columnsOf(const BodyQuantity& quantity);
/// Its value; NaN for a body that is not released yet. Records must have the contacts of all substeps.
Vec3 valueOf(const BodyQuantity& quantity, const StepRecord& record);
/// Cells of its columns; empty for a body that is not released yet. Records must have the contacts of all
/// substeps.
std::string cellsOf(const BodyQuantity& quantity, const StepRecord& record);

}  // namespace touchstone
