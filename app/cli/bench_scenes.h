#pragma once

#include <memory>
#include <string>

#include "core/scene/scene.h"

namespace touchstone::cli {

constexpr double kTowerOverlap = 5e-4;  ///< m, between boxes at the start: what penalty forces come to

/// Boxes of 0.1 m and 1 kg with friction in towers of ten, all in contact at once.
/// @param overlap  of neighbours at the start [m]
std::shared_ptr<Scene> towers(int bodies, double overlap = kTowerOverlap);

/// The same boxes as bricks in one wall of twenty courses, each on two of the course below: one island.
std::shared_ptr<Scene> wall(int bodies, double overlap);

}  // namespace touchstone::cli
