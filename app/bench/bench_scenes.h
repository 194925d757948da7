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
/// These towers with the overlap with which they are soon in equilibrium under a pane: penalty forces need
/// depth. @param pane  as paneWithStep() reads it
std::shared_ptr<Scene> towersFor(const std::string& pane, int bodies);
/// True if the pane has penalty forces.
bool isPenalty(const std::string& pane);

/// The same boxes in straight towers of ten: whole faces on whole faces.
std::shared_ptr<Scene> alignedTowers(int bodies);

/// The same boxes, each with a random orientation, above a bin that is as wide as the height to which they
/// fill it.
std::shared_ptr<Scene> droppedIntoBin(int bodies);

/// Cubes of 0.2 m and 8 kg with friction in layers over a bin that is 0.2 m wider than a layer, in steps of
/// 1/120 s. Gaps of 0.05 m are between neighbours, layers and the ground. Each layer is shifted by up to
/// 0.1 m along x and z, so that cubes lie on several others and couple; each cube is shifted by up to 0.01 m
/// and turned by up to 0.1 rad, so that none overlap at the start. All are random with seed 1.
/// @param across, deep  cubes of a layer along x and z
std::shared_ptr<Scene> layersIntoBin(int bodies, int across, int deep);

/// The same boxes as bricks in one wall of twenty courses, each on two bricks of the course below: one
/// island.
std::shared_ptr<Scene> wall(int bodies);

}  // namespace touchstone::cli
