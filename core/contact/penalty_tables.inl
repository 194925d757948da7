#pragma once

#include <map>
#include <vector>

#include "core/contact/penalty_contact.h"
#include "core/world/world.h"

namespace touchstone {

/// Trees over the surfaces of a scene and the sums of normals beside its edges, in a backend's memory. Bodies
/// of one shape share its trees. Immutable after construction.
template <class Backend>
class PenaltyTablesOn {
 public:
  PenaltyTablesOn(const Backend& backend, const World& world) {
    std::map<const TriangleMesh*, std::size_t> known;
    std::vector<Vec3> sums;
    std::vector<std::size_t> meshOfSurface;
    for (const Body& body : world.scene->bodies)
      for (const TriangleMesh& mesh : body.shape->surfaces) {
        const auto [at, isNew] = known.emplace(&mesh, m_meshes.size());
        if (isNew) m_meshes.emplace_back(backend, mesh);
        meshOfSurface.push_back(at->second);
        for (const TriangleMesh::Edge& edge : mesh.edges)
          sums.push_back(edge.right < 0 ? mesh.normals[edge.left]
                                        : Vec3(mesh.normals[edge.left] + mesh.normals[edge.right]));
      }
    std::vector<MeshTreeView> views;
    for (std::size_t mesh : meshOfSurface) views.push_back(m_meshes[mesh].view());
    backend.upload(views.data(), views.size(), m_views);
    backend.upload(sums.data(), sums.size(), m_edgeFaceSums);
  }

  PenaltyTables view() const { return {m_views.data(), m_edgeFaceSums.data()}; }

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
  Array<MeshTreeView> m_views;  ///< [surfaceCount]
  Array<Vec3> m_edgeFaceSums;   ///< [edgeCount]
};

}  // namespace touchstone
