#pragma once

#include <map>
#include <vector>

#include "core/geometry/mesh_tree.h"
#include "core/scene/scene.h"

namespace touchstone {

/// Trees over the surfaces of a scene in a backend's memory. Bodies of one shape share their trees. Immutable
/// after construction.
template <class Backend>
class SurfaceTreesOn {
 public:
  SurfaceTreesOn(const Backend& backend, const Scene& scene) {
    std::map<const TriangleMesh*, std::size_t> known;
    std::vector<std::size_t> meshOfSurface;
    for (const Body& body : scene.bodies)
      for (const TriangleMesh& mesh : body.shape->surfaces) {
        const auto [at, isNew] = known.emplace(&mesh, m_meshes.size());
        if (isNew) m_meshes.emplace_back(backend, mesh);
        meshOfSurface.push_back(at->second);
      }
    std::vector<MeshTreeView> views;
    for (std::size_t mesh : meshOfSurface) views.push_back(m_meshes[mesh].view());
    backend.upload(views.data(), views.size(), m_views);
  }

  const MeshTreeView* views() const { return m_views.data(); }  ///< [surfaceCount] on the backend
  std::size_t treeCount() const { return m_meshes.size(); }

 private:
  template <class T>
  using Array = typename Backend::template Array<T>;

  struct MeshArrays {
    MeshArrays(const Backend& backend, const TriangleMesh& mesh) : nodeCount(0), closed(mesh.closed) {
      const MeshTree tree(mesh);
      nodeCount = static_cast<int>(tree.nodes().size());
      backend.upload(tree.nodes().data(), tree.nodes().size(), nodes);
      backend.upload(tree.order().data(), tree.order().size(), order);
      backend.upload(mesh.vertices.data(), mesh.vertices.size(), vertices);
      backend.upload(mesh.triangles.data(), mesh.triangles.size(), triangles);
      backend.upload(mesh.normals.data(), mesh.normals.size(), normals);
      backend.upload(mesh.neighbours.data(), mesh.neighbours.size(), neighbours);
      backend.upload(tree.vertexNormals().data(), tree.vertexNormals().size(), vertexNormals);
    }
    MeshTreeView view() const {
      MeshTreeView view;
      view.nodeCount = nodeCount;
      view.closed = closed;
      view.nodes = nodes.data();
      view.order = order.data();
      view.vertices = vertices.data();
      view.triangles = triangles.data();
      view.normals = normals.data();
      view.neighbours = neighbours.data();
      view.vertexNormals = vertexNormals.data();
      return view;
    }

    int nodeCount;
    bool closed;
    Array<MeshNode> nodes;
    Array<int> order;
    Array<Vec3> vertices, normals, vertexNormals;
    Array<std::array<int, 3>> triangles, neighbours;
  };

  std::vector<MeshArrays> m_meshes;
  Array<MeshTreeView> m_views;
};

}  // namespace touchstone
