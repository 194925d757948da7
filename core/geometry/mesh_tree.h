#pragma once

#include <array>
#include <vector>

#include "core/geometry/aabb.h"
#include "core/geometry/topology.h"

namespace touchstone {

/// The point of a surface that is closest to a query point.
struct SurfacePoint {
  int triangle = -1;
  Vec3 weights = Vec3::Zero();  ///< barycentric, of the triangle's corners
  Vec3 point = Vec3::Zero();    ///< m, frame of the mesh
  double squaredDistance = 0;   ///< m²
  bool inside = false;          ///< the query is strictly inside (closed meshes only)
};

/// Tree of boxes over the triangles of a rigid mesh, in its own frame; built once per surface.
/// Inside is decided at the closest point by the angle-weighted normal of its feature (Bærentzen and Aanæs
/// 2005): exact for closed manifolds that do not intersect themselves.
class MeshTree {
 public:
  explicit MeshTree(const TriangleMesh& mesh);  ///< the mesh must outlive the tree

  /// Closest point; of several equally close the lowest triangle id.
  SurfacePoint closest(const Vec3& point) const;
  const TriangleMesh& mesh() const { return m_mesh; }

 private:
  int build(int begin, int end);
  void visit(int node, const Vec3& point, SurfacePoint& best) const;
  Vec3 pseudoNormal(const SurfacePoint& at) const;

  struct Node {
    Aabb box;
    int left = -1, right = -1;  ///< children; −1 in leaves
    int begin = 0, end = 0;     ///< triangles of a leaf in m_order
  };
  const TriangleMesh& m_mesh;
  std::vector<int> m_order;
  std::vector<Node> m_nodes;
  std::vector<Vec3> m_vertexNormals;  ///< [vertexCount] angle-weighted, not normalised
};

}  // namespace touchstone
