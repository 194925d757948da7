#pragma once

#include <memory>
#include <string>

#include "core/scene/scene.h"

namespace touchstone::cli {

/// Of two boxes at the start for each box that the upper one carries, itself included [m]: near to what
/// penalty forces come to.
constexpr double kTowerOverlap = 6e-5;

/// Boxes of 0.1 m and 1 kg with friction in towers of ten, all in contact at once.
/// @param overlap  see kTowerOverlap
std::shared_ptr<Scene> towers(int bodies, double overlap = kTowerOverlap);

/// The same boxes straight on each other in towers of ten: faces upon whole faces.
std::shared_ptr<Scene> alignedTowers(int bodies);

/// The same boxes, each turned by chance, above a bin that is as wide as they fill to its height.
std::shared_ptr<Scene> droppedIntoBin(int bodies);

/// The same boxes as bricks in one wall of twenty courses, each on two of the course below: one island.
std::shared_ptr<Scene> wall(int bodies);

}  // namespace touchstone::cli
