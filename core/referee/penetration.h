#pragma once

#include <memory>
#include <vector>

#include "core/geometry/mesh_tree.h"
#include "core/record/step_record.h"
#include "core/world/world.h"

namespace touchstone {

/// Trees that findOverlaps() needs, by surface id; shared between bodies of the same shape. Empty if every
/// body is a plane or has convex pieces.
std::vector<std::shared_ptr<const MeshTree>> treesForOverlaps(const Scene& scene);

/// All pairs of bodies that overlap now, with depth, volume and the surface of the intersection, sorted by
/// body ids. Bodies that cannot collide (both static, not released) are left out.
///
/// | pair | depth | volume |
/// |---|---|---|
/// | convex pieces | largest separating-axis depth of two pieces | Σ of exact intersections of two pieces |
/// | body and plane | deepest vertex | exact part below the plane (Σ over pieces or closed surfaces) |
/// | with a mesh without pieces | max of d_A + d_B over vertices and samples in both, d ≥ 0 the distances to
/// the surfaces: a lower bound of the depth | samples |
///
/// Samples: the centres of 24³ cells of the box that both bodies' boxes share.
/// @param trees  of treesForOverlaps()
/// @param sampled  out: a volume comes from samples
std::vector<Overlap> findOverlaps(const World& world,
                                  const std::vector<std::shared_ptr<const MeshTree>>& trees, bool& sampled);

}  // namespace touchstone
