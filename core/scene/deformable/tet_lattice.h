#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/geometry/topology.h"
#include "core/scene/deformable/deformable.h"

namespace touchstone {

/// Particles and the tetrahedra between them.
struct LatticeMesh {
  std::vector<Vec3> particles;                 ///< m
  std::vector<std::array<int, 4>> tetrahedra;  ///< of particles, det [X₁ − X₀, X₂ − X₀, X₃ − X₀] > 0
};

/// Cells along three axes, some of them filled with five tetrahedra each. Cells alternate with the parity of
/// i + j + k between the two ways to cut one, so that the faces of neighbours match.
struct CellLattice {
  LatticeMesh mesh;
  Vec3 origin = Vec3::Zero();       ///< lowest corner [m]
  Vec3 cell = Vec3::Ones();         ///< edges of a cell [m]
  std::array<int, 3> cells{};       ///< counts along x, y, z
  std::vector<int> firstOf;         ///< [cells, x fastest] first of the five tetrahedra; −1: not filled
  std::vector<int> particleAtNode;  ///< [nodes, x fastest] −1: of no filled cell
};

/// Most tetrahedra, and particles, of a scene. A larger value accepts scenes that need too much memory and
/// time; a smaller one refuses usable ones.
constexpr std::size_t kMostTetrahedra = 2'000'000;

/// A box around the origin, all cells filled. @param size  > 0 [m]   @param cells  >= 1 along each axis
CellLattice boxLattice(const Vec3& size, const std::array<int, 3>& cells);

/// Number of cubes of edge `cell` along each axis that cover the box of the vertices, grown by cell / 2.
std::array<double, 3> cubesAround(const TriangleMesh& surface, double cell);

/// Cubes of edge `cell` around the middle of a closed surface's box, grown by cell / 2; those are filled that
/// the solid meets, inside or across their boundary.
/// @param surface  closed, with its topology   @param cell  > 0 [m]
CellLattice latticeAround(const TriangleMesh& surface, double cell);

/// Weights w with Σ w = 1 and point = Σ w corner. Not finite where the tetrahedron is flat.
/// @param corners  [4] m
std::array<double, 4> barycentricWeights(const Vec3 corners[4], const Vec3& point);

/// Ties points to the tetrahedra of a lattice that hold them. A point outside is tied to the nearest one with
/// negative weights. @param embedded  out, [points]
/// @return −1, or the index of the first point that is so far outside that a weight is below −0.5
int embed(const CellLattice& lattice, const std::vector<Vec3>& points, std::vector<EmbeddedVertex>& embedded);

/// Ties each vertex v of a surface to the particle v.
std::vector<EmbeddedVertex> tiedOneToOne(std::size_t vertices);

/// V = det [X₁ − X₀, X₂ − X₀, X₃ − X₀] / 6 [m³]; negative where the corners are in the other order.
double tetrahedronVolume(const LatticeMesh& mesh, std::size_t tetrahedron);
/// Longest edge [m].
double longestEdge(const LatticeMesh& mesh, std::size_t tetrahedron);
/// 6 √2 V / l³ with the root mean square l of the edges: 1 if regular, 0 if flat.
double tetrahedronQuality(const LatticeMesh& mesh, std::size_t tetrahedron);
double latticeVolume(const LatticeMesh& mesh);  ///< Σ V [m³]

/// A quarter of each tetrahedron's mass at each of its corners. @param density  kg/m³
/// @return [particles] kg
std::vector<double> lumpedMasses(const LatticeMesh& mesh, double density);

/// A face of one tetrahedron only: counter-clockwise seen from outside.
struct BoundaryFace {
  std::array<int, 3> particles;
  int tetrahedron;
};
/// Faces of the mesh's boundary in the order of their tetrahedra.
/// @param crowded  out: a tetrahedron with a face of three or more, or on one side of two; −1: none
std::vector<BoundaryFace> boundaryFaces(const LatticeMesh& mesh, int& crowded);

/// Gives particles new numbers: first those on the boundary, in the order in which the faces name them, then
/// the others in their old order. A particle on the boundary and its vertex of the surface then have one
/// number.
/// @param faces  of the boundary, whose numbers change with the mesh
void numberBoundaryFirst(LatticeMesh& mesh, std::vector<BoundaryFace>& faces);

/// The boundary as a surface, whose vertex v is the particle v. Without topology.
/// @param faces  after numberBoundaryFirst()
TriangleMesh surfaceOf(const LatticeMesh& mesh, const std::vector<BoundaryFace>& faces);

}  // namespace touchstone
