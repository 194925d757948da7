#pragma once

#include "core/geometry/topology.h"

namespace touchstone {

/// Mass properties of a homogeneous solid with density 1 kg/m³.
struct MassProperties {
  double volume = 0;            ///< m³; negative if the surface is turned inside out
  Vec3 centre = Vec3::Zero();   ///< m
  Mat3 inertia = Mat3::Zero();  ///< m⁵, about the centre
};

/// Exact integrals over the interior of a closed mesh, as a sum of signed tetrahedra (divergence theorem).
/// Coordinates are taken from the first vertex, so that a body far from the origin loses no digits.
MassProperties massProperties(const TriangleMesh& mesh);

/// The same solid with another point as its centre [m], and its inertia about that point: with d from its
/// own centre to the point
///
///     I' = I + V (‖d‖² 1 − d dᵀ)
MassProperties about(const MassProperties& solid, const Vec3& point);

/// Mass properties of two solids together; overlapping parts count twice.
MassProperties combined(const MassProperties& a, const MassProperties& b);

}  // namespace touchstone
