#pragma once

#include <array>
#include <limits>
#include <vector>

#include "core/geometry/aabb.h"
#include "core/geometry/closest_points.h"
#include "core/geometry/topology.h"

namespace touchstone {

/// The point of a surface that is closest to a query point.
struct ClosestPoint {
  int triangle = -1;
  Vec3 weights = Vec3(0, 0, 0);  ///< barycentric, of the triangle's corners
  Vec3 point = Vec3(0, 0, 0);    ///< m, frame of the mesh
  double squaredDistance = 0;    ///< m²
  bool inside = false;           ///< the query point is strictly inside (closed meshes only)
};

struct MeshNode {
  Aabb box;
  int left = -1, right = -1;  ///< children; −1 in leaves
  int begin = 0, end = 0;     ///< range of a leaf's triangles in `order`
};

/// A MeshTree as pointers, on the host or on a device.
struct MeshTreeView {
  int nodeCount = 0;
  bool closed = false;
  /// True for a surface that deforms: its frame is the world, and it is where the last refit() has placed it.
  bool isPlaced = false;
  const MeshNode* nodes = nullptr;
  const int* order = nullptr;
  const Vec3* vertices = nullptr;
  const std::array<int, 3>* triangles = nullptr;
  const Vec3* normals = nullptr;  ///< [triangleCount] unit, outward
  const std::array<int, 3>* neighbours = nullptr;
  const Vec3* vertexNormals = nullptr;  ///< [vertexCount] angle-weighted, not normalised

  /// Returns the closest point; of several equally close ones that of the lowest triangle id.
  TS_HD ClosestPoint closest(const Vec3& point) const;

 private:
  TS_HD static double squaredDistance(const Aabb& box, const Vec3& point) {
    return (box.low - point).cwiseMax(point - box.high).cwiseMax(0).squaredNorm();
  }
  TS_HD void tryLeaf(const MeshNode& node, const Vec3& point, ClosestPoint& best) const;
  TS_HD Vec3 pseudoNormal(const ClosestPoint& closest) const;
};

/// Tree of boxes over the triangles of a rigid mesh, in its own frame; built once per surface. The
/// angle-weighted normal of the closest feature decides whether a point is inside (Bærentzen and Aanæs 2005):
/// exact for closed manifolds that do not intersect themselves.
class MeshTree {
 public:
  explicit MeshTree(const TriangleMesh& mesh);  ///< the mesh must outlive the tree

  ClosestPoint closest(const Vec3& point) const { return view().closest(point); }
  const TriangleMesh& mesh() const { return m_mesh; }
  MeshTreeView view() const;
  const std::vector<MeshNode>& nodes() const { return m_nodes; }
  const std::vector<int>& order() const { return m_order; }
  const std::vector<Vec3>& vertexNormals() const { return m_vertexNormals; }

 private:
  int build(const std::vector<Vec3>& centres, int begin, int end);

  const TriangleMesh& m_mesh;
  std::vector<int> m_order;
  std::vector<MeshNode> m_nodes;
  std::vector<Vec3> m_vertexNormals;
};

TS_HD inline void MeshTreeView::tryLeaf(const MeshNode& node, const Vec3& point, ClosestPoint& best) const {
  for (int k = node.begin; k < node.end; ++k) {
    const int triangle = order[k];
    const Vec3 &a = vertices[triangles[triangle][0]], &b = vertices[triangles[triangle][1]],
               &c = vertices[triangles[triangle][2]];
    const Vec3 weights = closestOnTriangle(point, a, b, c);
    const Vec3 foot = weights[0] * a + weights[1] * b + weights[2] * c;
    const double squared = (point - foot).squaredNorm();
    if (squared > best.squaredDistance || (squared == best.squaredDistance && triangle >= best.triangle))
      continue;
    best.triangle = triangle;
    best.weights = weights;
    best.point = foot;
    best.squaredDistance = squared;
  }
}

TS_HD inline Vec3 MeshTreeView::pseudoNormal(const ClosestPoint& closest) const {
  int zeros = 0, zeroCorner = -1, oneCorner = -1;
  for (int corner = 0; corner < 3; ++corner) {
    if (closest.weights[corner] == 0) {
      ++zeros;
      zeroCorner = corner;
    } else {
      oneCorner = corner;
    }
  }
  if (zeros == 2) return vertexNormals[triangles[closest.triangle][oneCorner]];
  Vec3 normal = normals[closest.triangle];
  if (zeros == 1) {
    const int neighbour = neighbours[closest.triangle][zeroCorner];
    if (neighbour >= 0) normal += normals[neighbour];
  }
  return normal;
}

TS_HD inline ClosestPoint MeshTreeView::closest(const Vec3& point) const {
  ClosestPoint best;
  best.squaredDistance = 1e300;
  if (nodeCount == 0) return best;
  int stack[64];  // the tree halves its triangles: 2³² triangles give 32 levels, each with at most two
                  // entries
  int top = 0;
  stack[top++] = 0;
  while (top > 0) {
    const MeshNode& node = nodes[stack[--top]];
    if (squaredDistance(node.box, point) > best.squaredDistance) continue;
    if (node.left < 0) {
      tryLeaf(node, point, best);
      continue;
    }
    const bool leftFirst =
        squaredDistance(nodes[node.left].box, point) <= squaredDistance(nodes[node.right].box, point);
    stack[top++] = leftFirst ? node.right : node.left;
    stack[top++] = leftFirst ? node.left : node.right;
  }
  if (closed && best.triangle >= 0) best.inside = (point - best.point).dot(pseudoNormal(best)) < 0;
  return best;
}

}  // namespace touchstone
