#pragma once

#include <string>

#include "core/scene/scene.h"

namespace touchstone {

/// A scene as a model of MuJoCo (MJCF), y up. Every body is a free body of the world whose frame is that of
/// Body, with mass and inertia as given; static bodies have no joint.
///
/// - Boxes have half sizes, other pieces are meshes of their corners, planes have the axis `zaxis`.
/// - MuJoCo takes the larger friction of two geoms, this program the geometric mean: each pair of solids that
///   may meet is written as a `pair` with μ = √(μ_A μ_B), at least 1e-5 (that engine's least), and solids
///   collide in no other way.
/// - The key "start" holds poses and velocities; the angular velocity of a free body is along its own axes
///   there, Rᵀω.
/// - The stiffness of contacts (`solref`, `solimp`) is that engine's default: rigid scenes have none.
///
/// Numbers read back to the same doubles.
/// @throws SceneError for what the format or that engine has not, see requireExportable()
std::string mjcfText(const Scene& scene);

}  // namespace touchstone
