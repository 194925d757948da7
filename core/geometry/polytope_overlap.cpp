#include "core/geometry/polytope_overlap.h"

#include <algorithm>

#include "core/geometry/solid_memory.h"
#include "core/math/count.h"

namespace touchstone {

PlacedPolytope placed(const Polytope& polytope, const Vec3& position, const Quaternion& orientation) {
  PlacedPolytope result;
  result.polytope = &polytope;
  for (const Vec3& vertex : polytope.vertices) result.vertices.push_back(position + orientation * vertex);
  for (const Polytope::Face& face : polytope.faces) {
    result.normals.push_back(orientation * face.normal);
    result.offsets.push_back(face.offset + result.normals.back().dot(position));
  }
  return result;
}

PlacedPolytope::operator PolytopeView() const {
  PolytopeView view;
  if (!polytope) return view;
  view.vertexCount = countOf(vertices);
  view.faceCount = countOf(normals);
  view.edgeCount = countOf(polytope->edges);
  view.thickness = polytope->thickness;
  view.vertices = vertices.data();
  view.normals = normals.data();
  view.offsets = offsets.data();
  view.edges = polytope->edges.data();
  view.vertexEdges = viewOf(polytope->vertexEdges);
  view.vertexFaces = viewOf(polytope->vertexFaces);
  view.faceVertices = viewOf(polytope->faceVertices);
  return view;
}

double separation(const PolytopeView& a, const PolytopeView& b, Vec3* normal, SeparatingFeature* feature) {
  thread_local std::vector<int> scratch;
  scratch.resize(std::max(scratch.size(), static_cast<std::size_t>(separationScratch(a, b))));
  return separation(a, b, scratch.data(), normal, feature);
}

Intersection shownSolid(const PolygonList& solid, double size, double thickness) {
  Intersection part;
  part.volume = size;
  if (solid.ends.count < (thickness > 0 ? 1 : 4)) return part;
  const Vec3* points = solid.points.items;
  const int count = solid.points.count;
  if (thickness > 0) {
    // The prism is 1% thicker than the bodies, so that their surfaces do not hide it.
    for (double side : {-0.505, 0.505})
      for (int k = 0; k < count; ++k) part.vertices.push_back(points[k] + Vec3(0, 0, side * thickness));
    part.triangles = prismTriangles(count);
    return part;
  }
  part.vertices.assign(points, points + count);
  part.triangles.reserve(std::max(0, count - 2 * solid.ends.count));
  for (int polygon = 0; polygon < solid.ends.count; ++polygon) {
    const int first = solid.first(polygon);
    for (int k = first + 1; k + 1 < solid.ends[polygon]; ++k) part.triangles.push_back({first, k, k + 1});
  }
  return part;
}

}  // namespace touchstone
