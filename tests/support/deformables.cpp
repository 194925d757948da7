#include "tests/support/deformables.h"

#include <algorithm>
#include <cstdlib>

#include "core/scene/deformable/tet_lattice.h"

namespace touchstone::test {

Body elasticBar(const char* name, const std::array<int, 3>& cells, double edge, const Vec3& position) {
  constexpr double kDensity = 1000;  // kg/m³
  LatticeMesh mesh = boxLattice(edge * Vec3(cells[0], cells[1], cells[2]), cells).mesh;
  int crowded = -1;
  std::vector<BoundaryFace> faces = boundaryFaces(mesh, crowded);
  numberBoundaryFirst(mesh, faces);
  auto shape = std::make_shared<Shape>();
  shape->kind = Shape::Kind::Mesh;
  shape->surfaces.push_back(surfaceOf(mesh, faces));
  TriangleMesh& surface = shape->surfaces.front();
  if (!buildTopology(surface).empty() || !surface.closed) std::abort();
  for (const Vec3& vertex : surface.vertices) shape->radius = std::max(shape->radius, vertex.norm());
  auto deformable = std::make_shared<Deformable>();
  deformable->mass = lumpedMasses(mesh, kDensity);
  deformable->surface = tiedOneToOne(surface.vertices.size());
  deformable->rest = std::move(mesh.particles);
  deformable->tetrahedra = std::move(mesh.tetrahedra);
  Body body;
  body.name = name;
  body.shape = shape;
  body.volume = cells[0] * cells[1] * cells[2] * edge * edge * edge;
  body.mass = kDensity * body.volume;
  body.position = position;
  body.deformable = deformable;
  return body;
}

}  // namespace touchstone::test
