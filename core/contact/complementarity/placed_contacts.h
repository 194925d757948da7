#pragma once

#include <vector>

#include "core/contact/manifold/model_contact.h"
#include "core/geometry/polytope_overlap.h"
#include "core/world/pose.h"
#include "core/world/world.h"

namespace touchstone {

/// All pieces at a pose; empty for pieces of bodies that are not active.
std::vector<PlacedPolytope> placedPieces(const World& world, const Pose& pose);
/// Evaluates gap, normal, points and gradient of a contact again at a pose.
void reevaluate(const World& world, const Pose& pose, const std::vector<PlacedPolytope>& placed,
                ModelContact& contact);

}  // namespace touchstone
