#pragma once

#include "core/geometry/mesh_tree.h"
#include "core/math/vec.h"

namespace touchstone {

/// Constant tables that penalty methods need in addition to those of the world.
struct PenaltyTables {
  const MeshTreeView* trees = nullptr;  ///< [surfaceCount]
  const Vec3* edgeFaceSums = nullptr;   ///< [edgeCount] sum of the normals of the edge's triangles, body
                                        ///< frame
};

}  // namespace touchstone
