#pragma once

#include <string>

#include "core/motion/toss_runs.h"

namespace touchstone::cli {

/// Text of a scene file that begins as a toss did: the scene with the fitted start of its bodies. Mesh files
/// keep their paths, relative to the folder of the scene.
/// @param motion  file of the recording, for the note in the scene
std::string sceneOfToss(const Scene& scene, const ComparedToss& toss, const std::string& motion);

/// Poses of the recording, freed of shear, as a trajectory file from the start of the toss on. Times at which
/// a body has no pose are left out.
std::string trajectoryOfToss(const Scene& scene, const ComparedToss& toss);

}  // namespace touchstone::cli
