#include "tests/support/deformables.h"

#include <algorithm>
#include <cstdlib>
#include <map>

namespace touchstone::test {

namespace {

using Triangle = std::array<int, 3>;

/// The faces of tetrahedra that no second one has, counter-clockwise seen from outside.
std::vector<Triangle> boundaryOf(const std::vector<std::array<int, 4>>& tetrahedra) {
  std::map<Triangle, Triangle> faces;
  for (const auto& t : tetrahedra)
    for (const Triangle& face : {Triangle{t[0], t[2], t[1]}, Triangle{t[0], t[1], t[3]},
                                 Triangle{t[0], t[3], t[2]}, Triangle{t[1], t[2], t[3]}}) {
      Triangle key = face;
      std::sort(key.begin(), key.end());
      if (faces.erase(key) == 0) faces[key] = face;
    }
  std::vector<Triangle> boundary;
  for (const auto& [key, face] : faces) boundary.push_back(face);
  return boundary;
}

std::shared_ptr<const Shape> shapeOf(Deformable& deformable) {
  auto shape = std::make_shared<Shape>();
  shape->kind = Shape::Kind::Mesh;
  TriangleMesh& mesh = shape->surfaces.emplace_back();
  std::map<int, int> vertexOf;  // of a particle
  for (const Triangle& face : boundaryOf(deformable.tetrahedra)) {
    Triangle triangle;
    for (std::size_t corner = 0; corner < 3; ++corner) {
      const auto [place, isNew] = vertexOf.emplace(face[corner], static_cast<int>(mesh.vertices.size()));
      if (isNew) {
        mesh.vertices.push_back(deformable.rest[face[corner]]);
        EmbeddedVertex& vertex = deformable.surface.emplace_back();
        vertex.particles[0] = face[corner];
        vertex.weights[0] = 1;
        shape->radius = std::max(shape->radius, mesh.vertices.back().norm());
      }
      triangle[corner] = place->second;
    }
    mesh.triangles.push_back(triangle);
  }
  if (!buildTopology(mesh).empty() || !mesh.closed) std::abort();
  return shape;
}

}  // namespace

Body elasticBar(const char* name, const std::array<int, 3>& cells, double edge, const Vec3& position) {
  auto deformable = std::make_shared<Deformable>();
  const auto particle = [&cells](int i, int j, int k) {
    return (k * (cells[1] + 1) + j) * (cells[0] + 1) + i;
  };
  for (int k = 0; k <= cells[2]; ++k)
    for (int j = 0; j <= cells[1]; ++j)
      for (int i = 0; i <= cells[0]; ++i)
        deformable->rest.push_back(edge * Vec3(i - 0.5 * cells[0], j - 0.5 * cells[1], k - 0.5 * cells[2]));
  for (int k = 0; k < cells[2]; ++k)
    for (int j = 0; j < cells[1]; ++j)
      for (int i = 0; i < cells[0]; ++i) {
        const bool odd = (i + j + k) % 2 != 0;
        const auto corner = [&](int number) {  // bits x, y, z; mirrored along x in odd cubes
          const int x = (number & 1) != 0 ? 1 : 0;
          return particle(i + (odd ? 1 - x : x), j + ((number >> 1) & 1), k + ((number >> 2) & 1));
        };
        for (const std::array<int, 4>& five :
             {std::array<int, 4>{0, 1, 2, 4}, std::array<int, 4>{3, 2, 1, 7}, std::array<int, 4>{5, 4, 7, 1},
              std::array<int, 4>{6, 7, 4, 2}, std::array<int, 4>{1, 2, 4, 7}}) {
          std::array<int, 4> tetrahedron;
          for (std::size_t c = 0; c < 4; ++c) tetrahedron[c] = corner(five[c]);
          deformable->tetrahedra.push_back(tetrahedron);
        }
      }
  deformable->mass.assign(deformable->rest.size(), 0);
  for (auto& t : deformable->tetrahedra) {
    const Vec3* X = deformable->rest.data();
    double volume = (X[t[1]] - X[t[0]]).cross(X[t[2]] - X[t[0]]).dot(X[t[3]] - X[t[0]]) / 6;
    if (volume < 0) {
      std::swap(t[2], t[3]);
      volume = -volume;
    }
    for (int corner : t) deformable->mass[corner] += 1000 * volume / 4;
  }
  Body body;
  body.name = name;
  body.shape = shapeOf(*deformable);
  body.volume = cells[0] * cells[1] * cells[2] * edge * edge * edge;
  body.mass = 1000 * body.volume;
  body.position = position;
  body.deformable = deformable;
  return body;
}

}  // namespace touchstone::test
