#pragma once

#include "core/geometry/mesh_tree.h"
#include "core/record/step_record.h"
#include "core/world/world.h"

namespace touchstone {

/// All pairs of bodies that overlap now, with depth, volume and the surface of the intersection, sorted by
/// body ids. Convex pieces: separating-axis depth and exact intersection. Plane: deepest vertex, exact part
/// below. Meshes without pieces: deepest vertex of one inside the other; volume sampled on a grid, which
/// `sampled` reports.
/// @param trees  by surface id
std::vector<Overlap> findOverlaps(const World& world,
                                  const std::vector<std::shared_ptr<const MeshTree>>& trees, bool& sampled);

}  // namespace touchstone
