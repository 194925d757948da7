#pragma once

#include <array>

#include "core/geometry/topology.h"
#include "core/scene/deformable/deformable.h"

namespace touchstone {

/// The cut of the rectangles of a sheet into triangles.
enum class ClothCut : unsigned char {
  Right,        ///< all along one diagonal
  Alternating,  ///< along one diagonal and the other in turn
  /// Every other row of vertices is moved by half a cell, and ends with half triangles at the border. The
  /// triangles are equilateral where the rows are √3/2 cells apart.
  Equilateral
};

/// A sheet in the plane y = 0 around the origin, seen counter-clockwise from +y; open, with its topology.
/// @param size  along x and z [m], > 0   @param cells  along x and z, >= 1
TriangleMesh clothGrid(const std::array<double, 2>& size, const std::array<int, 2>& cells, ClothCut cut);

/// Material of a sheet.
struct ClothStiffness {
  double areaDensity = 0;  ///< kg/m², > 0
  double edge = 0;         ///< k of each edge [N/m], > 0; HUGE_VAL: inextensible
  double bending = 0;      ///< plate stiffness D [N·m]; 0: no hinges
};

/// The particles, edges and hinges of a sheet at rest: a third of each triangle's mass at each corner, an
/// edge per edge of the mesh, and a hinge of stiffness D |e|² / (A₁ + A₂) per edge between two triangles.
/// Positions are those of the mesh.
Deformable clothOf(const TriangleMesh& sheet, const ClothStiffness& stiffness);

/// Length of the shortest edge [m].
double shortestEdge(const TriangleMesh& sheet);

/// 2/ω of edges and hinges at rest [s], by the bound (Cauchy–Schwarz)
///
///     ω² <= max_a (1 / m_a) Σ_{rows r at a} n_r k_r |∂c_r/∂x_a|²,   n = 2 of an edge, 4 of a hinge
///
/// @return 0 if an edge is inextensible: no step is stable; HUGE_VAL if there is neither edge nor hinge
double clothStepLimit(const Deformable& cloth);

}  // namespace touchstone
