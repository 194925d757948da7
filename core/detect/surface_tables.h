#pragma once

#include "core/geometry/mesh_tree.h"
#include "core/math/vec.h"

namespace touchstone {

/// Constant tables that penalty methods need beside the world's.
struct PenaltyTables {
  const MeshTreeView* trees = nullptr;  ///< [surfaceCount]
  const Vec3* edgeFaceSums = nullptr;   ///< [edgeCount] sum of the normals beside the edge, body frame
};

}  // namespace touchstone
