#pragma once

#include <map>
#include <vector>

#include "core/geometry/mesh_tree.h"
#include "core/math/count.h"
#include "core/parallel/for_each.h"
#include "core/scene/scene.h"
#include "core/world/world_view.h"

namespace touchstone {

/// The point of a surface that is closest to a point of the world, and where it is.
struct PlacedSurfacePoint {
  ClosestPoint closest;  ///< in the frame of the tree
  Vec3 point;            ///< world [m]
};
/// @param position, orientation  of its body
TS_HD inline PlacedSurfacePoint closestOn(const MeshTreeView& tree, const Vec3& position,
                                          const Quaternion& orientation, const Vec3& point) {
  if (tree.isPlaced) {
    const ClosestPoint closest = tree.closest(point);
    return {closest, closest.point};
  }
  const ClosestPoint closest = tree.closest(orientation.conjugate() * Vec3(point - position));
  return {closest, worldPoint(position, orientation, closest.point)};
}

namespace detail {

/// A surface that deforms, with what its tree is made of.
struct DeformedSurface {
  const Vec3* positions = nullptr;  ///< its vertices in the world [m]
  int vertexCount = 0, triangleCount = 0, nodeCount = 0;
  const std::array<int, 3>* triangles = nullptr;
  const int* order = nullptr;
  const int *firstCorner = nullptr, *corners = nullptr;  ///< of each vertex: 3 · triangle + corner, ascending
  Vec3 *vertices = nullptr, *normals = nullptr, *vertexNormals = nullptr;
  MeshNode* nodes = nullptr;
};

struct CopyDeformed {  // one vertex per index
  DeformedSurface surface;
  TS_HD void operator()(int vertex) const { surface.vertices[vertex] = surface.positions[vertex]; }
};

struct NormalOfDeformed {  // one triangle per index
  DeformedSurface surface;
  TS_HD void operator()(int triangle) const {
    const Vec3& a = surface.vertices[surface.triangles[triangle][0]];
    const Vec3 area = (surface.vertices[surface.triangles[triangle][1]] - a)
                          .cross(surface.vertices[surface.triangles[triangle][2]] - a);
    const double length = area.norm();
    surface.normals[triangle] = length > 0 ? Vec3(area / length) : Vec3(0, 0, 0);
  }
};

struct VertexNormalOfDeformed {  // one vertex per index: the normals of its triangles by their angles there
  DeformedSurface surface;
  TS_HD void operator()(int vertex) const {
    Vec3 sum(0, 0, 0);
    for (int k = surface.firstCorner[vertex]; k < surface.firstCorner[vertex + 1]; ++k) {
      const int triangle = surface.corners[k] / 3, corner = surface.corners[k] % 3;
      const auto& t = surface.triangles[triangle];
      const Vec3 a = surface.vertices[t[(corner + 1) % 3]] - surface.vertices[vertex],
                 b = surface.vertices[t[(corner + 2) % 3]] - surface.vertices[vertex];
      sum += std::atan2(a.cross(b).norm(), a.dot(b)) * surface.normals[triangle];
    }
    surface.vertexNormals[vertex] = sum;
  }
};

struct BoxesOfDeformed {  // one surface per index; children stand behind their parents
  DeformedSurface surface;
  TS_HD void operator()(int) const {
    for (int index = surface.nodeCount - 1; index >= 0; --index) {
      MeshNode& node = surface.nodes[index];
      Aabb box;
      if (node.left >= 0) {
        box = surface.nodes[node.left].box;
        box.add(surface.nodes[node.right].box);
      } else {
        for (int k = node.begin; k < node.end; ++k)
          for (int corner = 0; corner < 3; ++corner)
            box.add(surface.vertices[surface.triangles[surface.order[k]][corner]]);
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
        auto entry = known.find(&mesh);
        if (entry == known.end() || body.deformable) {
          entry = known.insert_or_assign(&mesh, m_meshes.size()).first;
          m_meshes.emplace_back(backend, mesh, body.deformable != nullptr);
        }
        meshOfSurface.push_back(entry->second);
        if (body.deformable) m_deformed.push_back({entry->second, firstVertex});
        firstVertex += countOf(mesh.vertices);
      }
    std::vector<MeshTreeView> views;
    for (std::size_t mesh : meshOfSurface) views.push_back(m_meshes[mesh].view());
    backend.upload(views.data(), views.size(), m_views);
  }

  const MeshTreeView* views() const { return m_views.data(); }  ///< [surfaceCount] on the backend

  /// Places the surfaces that deform. @param positions  [vertexCount] of the world, on the backend [m]
  void refit(const Backend& backend, const Vec3* positions) {
    for (const Deformed& deformed : m_deformed) {
      const detail::DeformedSurface surface =
          m_meshes[deformed.mesh].deformed(positions + deformed.firstVertex);
      forEach(backend, surface.vertexCount, detail::CopyDeformed{surface});
      forEach(backend, surface.triangleCount, detail::NormalOfDeformed{surface});
      forEach(backend, surface.vertexCount, detail::VertexNormalOfDeformed{surface});
      forEach(backend, 1, detail::BoxesOfDeformed{surface});
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
          lists[mesh.triangles[triangle][corner]].push_back(static_cast<int>(3 * triangle + corner));
      IndexLists cornersOfVertex;
      for (const std::vector<int>& list : lists) cornersOfVertex.add(list);
      backend.upload(cornersOfVertex.firsts.data(), cornersOfVertex.firsts.size(), firstCorner);
      backend.upload(cornersOfVertex.items.data(), cornersOfVertex.items.size(), corners);
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
    detail::DeformedSurface deformed(const Vec3* positions) {
      return {positions,        vertexCount,    triangleCount,        nodeCount,
              triangles.data(), order.data(),   firstCorner.data(),   corners.data(),
              vertices.data(),  normals.data(), vertexNormals.data(), nodes.data()};
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
