#pragma once

#include <map>
#include <vector>

#include "core/geometry/mesh_tree.h"
#include "core/parallel/for_each.h"
#include "core/scene/scene.h"
#include "core/world/world_view.h"
#include "core/math/count.h"

namespace touchstone {

/// The point of a surface that is closest to a point of the world, and where it is.
struct PlacedSurfacePoint {
  ClosestPoint at;  ///< in the frame of the tree
  Vec3 point;       ///< world [m]
};
/// @param position, orientation  of its body
TS_HD inline PlacedSurfacePoint closestOn(const MeshTreeView& tree, const Vec3& position,
                                          const Quaternion& orientation, const Vec3& point) {
  if (tree.isPlaced) {
    const ClosestPoint at = tree.closest(point);
    return {at, at.point};
  }
  const ClosestPoint at = tree.closest(orientation.conjugate() * Vec3(point - position));
  return {at, worldPoint(position, orientation, at.point)};
}

namespace detail {

/// A surface that deforms, with what its tree is made of.
struct DeformedSurface {
  const Vec3* from = nullptr;  ///< its vertices in the world [m]
  int vertexCount = 0, triangleCount = 0, nodeCount = 0;
  const std::array<int, 3>* triangles = nullptr;
  const int* order = nullptr;
  const int *firstCorner = nullptr, *corners = nullptr;  ///< of each vertex: 3 · triangle + corner, ascending
  Vec3 *vertices = nullptr, *normals = nullptr, *vertexNormals = nullptr;
  MeshNode* nodes = nullptr;
};

struct CopyDeformed {  // one vertex per index
  DeformedSurface own;
  TS_HD void operator()(int vertex) const { own.vertices[vertex] = own.from[vertex]; }
};

struct NormalOfDeformed {  // one triangle per index
  DeformedSurface own;
  TS_HD void operator()(int triangle) const {
    const Vec3& a = own.vertices[own.triangles[triangle][0]];
    const Vec3 area =
        (own.vertices[own.triangles[triangle][1]] - a).cross(own.vertices[own.triangles[triangle][2]] - a);
    const double length = area.norm();
    own.normals[triangle] = length > 0 ? Vec3(area / length) : Vec3(0, 0, 0);
  }
};

struct VertexNormalOfDeformed {  // one vertex per index: the normals of its triangles by their angles there
  DeformedSurface own;
  TS_HD void operator()(int vertex) const {
    Vec3 sum(0, 0, 0);
    for (int k = own.firstCorner[vertex]; k < own.firstCorner[vertex + 1]; ++k) {
      const int triangle = own.corners[k] / 3, corner = own.corners[k] % 3;
      const auto& t = own.triangles[triangle];
      const Vec3 a = own.vertices[t[(corner + 1) % 3]] - own.vertices[vertex],
                 b = own.vertices[t[(corner + 2) % 3]] - own.vertices[vertex];
      sum += std::atan2(a.cross(b).norm(), a.dot(b)) * own.normals[triangle];
    }
    own.vertexNormals[vertex] = sum;
  }
};

struct BoxesOfDeformed {  // one surface per index; children stand behind their parents
  DeformedSurface own;
  TS_HD void operator()(int) const {
    for (int index = own.nodeCount - 1; index >= 0; --index) {
      MeshNode& node = own.nodes[index];
      Aabb box;
      if (node.left >= 0) {
        box = own.nodes[node.left].box;
        box.add(own.nodes[node.right].box);
      } else {
        for (int k = node.begin; k < node.end; ++k)
          for (int corner = 0; corner < 3; ++corner)
            box.add(own.vertices[own.triangles[own.order[k]][corner]]);
      }
      node.box = box;
    }
  }
};

}  // namespace detail

/// Trees over the surfaces of a scene in a backend's memory. Rigid bodies of one shape share their trees,
/// which never change; a surface that deforms has one of its own, which refit() places.
template <class Backend>
class SurfaceTreesOn {
 public:
  SurfaceTreesOn(const Backend& backend, const Scene& scene) {
    std::map<const TriangleMesh*, std::size_t> known;
    std::vector<std::size_t> meshOfSurface;
    int firstVertex = 0;
    for (const Body& body : scene.bodies)
      for (const TriangleMesh& mesh : body.shape->surfaces) {
        auto at = known.find(&mesh);
        if (at == known.end() || body.deformable) {
          at = known.insert_or_assign(&mesh, m_meshes.size()).first;
          m_meshes.emplace_back(backend, mesh, body.deformable != nullptr);
        }
        meshOfSurface.push_back(at->second);
        if (body.deformable) m_deformed.push_back({at->second, firstVertex});
        firstVertex += countOf(mesh.vertices);
      }
    std::vector<MeshTreeView> views;
    for (std::size_t mesh : meshOfSurface) views.push_back(m_meshes[mesh].view());
    backend.upload(views.data(), views.size(), m_views);
  }

  const MeshTreeView* views() const { return m_views.data(); }  ///< [surfaceCount] on the backend

  /// Places the surfaces that deform. @param positions  [vertexCount] of the world, on the backend [m]
  void refit(const Backend& backend, const Vec3* positions) {
    for (const Deformed& each : m_deformed) {
      const detail::DeformedSurface own = m_meshes[each.mesh].deformed(positions + each.firstVertex);
      forEach(backend, own.vertexCount, detail::CopyDeformed{own});
      forEach(backend, own.triangleCount, detail::NormalOfDeformed{own});
      forEach(backend, own.vertexCount, detail::VertexNormalOfDeformed{own});
      forEach(backend, 1, detail::BoxesOfDeformed{own});
    }
  }

 private:
  template <class T>
  using Array = typename Backend::template Array<T>;

  struct MeshArrays {
    MeshArrays(const Backend& backend, const TriangleMesh& mesh, bool deforms)
        : nodeCount(0),
          vertexCount(countOf(mesh.vertices)),
          triangleCount(countOf(mesh.triangles)),
          closed(mesh.closed),
          isPlaced(deforms) {
      const MeshTree tree(mesh);
      nodeCount = countOf(tree.nodes());
      backend.upload(tree.nodes().data(), tree.nodes().size(), nodes);
      backend.upload(tree.order().data(), tree.order().size(), order);
      backend.upload(mesh.vertices.data(), mesh.vertices.size(), vertices);
      backend.upload(mesh.triangles.data(), mesh.triangles.size(), triangles);
      backend.upload(mesh.normals.data(), mesh.normals.size(), normals);
      backend.upload(mesh.neighbours.data(), mesh.neighbours.size(), neighbours);
      backend.upload(tree.vertexNormals().data(), tree.vertexNormals().size(), vertexNormals);
      if (!deforms) return;
      std::vector<std::vector<int>> lists(mesh.vertices.size());
      for (std::size_t triangle = 0; triangle < mesh.triangles.size(); ++triangle)
        for (std::size_t corner = 0; corner < 3; ++corner)
          lists[mesh.triangles[triangle][corner]].push_back(
              static_cast<int>(3 * triangle + corner));
      IndexLists all;
      for (const std::vector<int>& list : lists) all.add(list);
      backend.upload(all.firsts.data(), all.firsts.size(), firstCorner);
      backend.upload(all.items.data(), all.items.size(), corners);
    }
    MeshTreeView view() const {
      MeshTreeView view;
      view.nodeCount = nodeCount;
      view.closed = closed;
      view.isPlaced = isPlaced;
      view.nodes = nodes.data();
      view.order = order.data();
      view.vertices = vertices.data();
      view.triangles = triangles.data();
      view.normals = normals.data();
      view.neighbours = neighbours.data();
      view.vertexNormals = vertexNormals.data();
      return view;
    }
    detail::DeformedSurface deformed(const Vec3* from) {
      return {from,
              vertexCount,
              triangleCount,
              nodeCount,
              triangles.data(),
              order.data(),
              firstCorner.data(),
              corners.data(),
              vertices.data(),
              normals.data(),
              vertexNormals.data(),
              nodes.data()};
    }

    int nodeCount, vertexCount, triangleCount;
    bool closed, isPlaced;
    Array<MeshNode> nodes;
    Array<int> order, firstCorner, corners;
    Array<Vec3> vertices, normals, vertexNormals;
    Array<std::array<int, 3>> triangles, neighbours;
  };
  struct Deformed {
    std::size_t mesh;
    int firstVertex;  ///< of the world
  };

  std::vector<MeshArrays> m_meshes;
  std::vector<Deformed> m_deformed;
  Array<MeshTreeView> m_views;
};

}  // namespace touchstone
