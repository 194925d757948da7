#pragma once

#include <optional>

#include "core/record/contact.h"
#include "core/scene/scene.h"

namespace touchstone {

/// Inertia of a body as engines with diagonal tensors want it:
///
///     I = R diag(moments) Rᵀ    with R the rotation `axes`
struct PrincipalAxes {
  Vec3 moments = Vec3::Zero();               ///< kg·m²
  Quaternion axes = Quaternion::Identity();  ///< turns principal axes into those of the shape
};
/// @param inertia  symmetric, axes of the shape [kg·m²]. One that is diagonal to rounding keeps its axes.
PrincipalAxes principalAxesOf(const Mat3& inertia);

/// A box in the frame of its body.
struct BoxPiece {
  Vec3 centre = Vec3::Zero(), half = Vec3::Zero();  ///< m; half of its sides, along its axes
  Quaternion axes = Quaternion::Identity();         ///< turns its axes into those of the shape
};
/// The box that a polytope is to 10⁻⁹ of its size, or none.
std::optional<BoxPiece> boxOf(const Polytope& piece);

/// Coulomb's coefficient of a pair of bodies while it slides: the geometric mean √(μ_A μ_B) of their dynamic
/// coefficients, which engines that have one coefficient take at rest too.
double pairFriction(const Scene& scene, int a, int b);
/// True if two bodies may touch: one is dynamic, they are of one replica, and the scene does not forbid it.
bool mayMeet(const Scene& scene, int a, int b);

/// The contact with its bodies ascending, as records have it: where they are not, A and B change places, and
/// normal and friction turn round.
Contact ascending(const Contact& contact);

}  // namespace touchstone
