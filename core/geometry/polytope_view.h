#pragma once

#include "core/geometry/aabb.h"
#include "core/geometry/topology.h"

namespace touchstone {

/// IndexLists as pointers.
struct IndexListsView {
  const int* firsts = nullptr;  ///< [itemCount + 1]
  const int* items = nullptr;
  TS_HD IndexRange operator[](int item) const { return {items + firsts[item], items + firsts[item + 1]}; }
};
inline IndexListsView viewOf(const IndexLists& lists) { return {lists.firsts.data(), lists.items.data()}; }

/// A convex polytope at a pose, as pointers on the host or on a device, for loop bodies.
struct PolytopeView {
  int vertexCount = 0, faceCount = 0, edgeCount = 0;
  double thickness = 0;             ///< of a polygon [m]; 0: a solid
  const Vec3* vertices = nullptr;   ///< [vertexCount] m, world frame
  const Vec3* normals = nullptr;    ///< [faceCount] outward, world frame
  const double* offsets = nullptr;  ///< [faceCount] normal · x = offset [m]
  const Polytope::Edge* edges = nullptr;
  IndexListsView vertexEdges, vertexFaces, faceVertices;
  TS_HD bool planar() const { return thickness > 0; }
  TS_HD Vec3 along(int edge) const { return vertices[edges[edge].head] - vertices[edges[edge].tail]; }
};

TS_HD inline Aabb boxOf(const PolytopeView& p) {
  Aabb box;
  for (int vertex = 0; vertex < p.vertexCount; ++vertex) box.add(p.vertices[vertex]);
  return box;
}

}  // namespace touchstone
