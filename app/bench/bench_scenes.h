#pragma once

#include <memory>
#include <string>

#include "core/scene/scene.h"

namespace touchstone::cli {

/// Overlap of two boxes at the start per box that the upper one carries, including itself [m]; close to the
/// equilibrium of penalty forces. With another value towers first bounce or settle, and a benchmark measures
/// that.
constexpr double kTowerOverlap = 6e-5;

/// Boxes of 0.1 m and 1 kg with friction in towers of ten, all in contact with each other.
/// @param overlap  see kTowerOverlap
std::shared_ptr<Scene> towers(int bodies, double overlap = kTowerOverlap);

/// The same boxes in straight towers of ten: whole faces on whole faces.
std::shared_ptr<Scene> alignedTowers(int bodies);

/// The same boxes, each with a random orientation, above a bin that is as wide as the height to which they
/// fill it.
std::shared_ptr<Scene> droppedIntoBin(int bodies);

/// The same boxes as bricks in one wall of twenty courses, each on two bricks of the course below: one
/// island.
std::shared_ptr<Scene> wall(int bodies);

}  // namespace touchstone::cli
