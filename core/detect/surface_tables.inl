#pragma once

#include <vector>

#include "core/detect/surface_tables.h"
#include "core/world/surface_trees.inl"
#include "core/world/world.h"

namespace touchstone {

/// Trees over the surfaces of a scene and sums of the normals at its edges, in a backend's memory.
/// Immutable after construction.
template <class Backend>
class PenaltyTablesOn {
 public:
  PenaltyTablesOn(const Backend& backend, const World& world) : m_trees(backend, *world.scene) {
    std::vector<Vec3> sums;
    for (const Body& body : world.scene->bodies)
      for (const TriangleMesh& mesh : body.shape->surfaces)
        for (const TriangleMesh::Edge& edge : mesh.edges)
          sums.push_back(edge.right < 0 ? mesh.normals[edge.left]
                                        : Vec3(mesh.normals[edge.left] + mesh.normals[edge.right]));
    backend.upload(sums.data(), sums.size(), m_edgeFaceSums);
  }

  /// See SurfaceTreesOn::refit().
  void refit(const Backend& backend, const Vec3* positions) { m_trees.refit(backend, positions); }
  PenaltyTables view() const { return {m_trees.views(), m_edgeFaceSums.data()}; }

 private:
  SurfaceTreesOn<Backend> m_trees;
  typename Backend::template Array<Vec3> m_edgeFaceSums;  ///< [edgeCount]
};

}  // namespace touchstone
