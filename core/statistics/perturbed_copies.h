#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/scene/scene.h"

namespace touchstone {

/// Most copies of an ensemble. A larger value lets an ensemble exhaust the memory; a smaller one refuses
/// ensembles that the machine can compute.
constexpr int kMostCopies = 4096;

/// Difference of the copies of an ensemble at their start.
struct Perturbation {
  int copies = 32;
  double size = 1e-9;  ///< ε [m]
  std::uint32_t seed = 1;
};

/// Displacement of a copy's dynamic body [m]: ε times a standard normal number per axis, a function of
/// (seed, copy, body, axis) alone, so that every method and every engine gets the same copies. 0 for copy 0;
/// along z 0 in planar scenes.
Vec3 offsetOf(const Perturbation& perturbation, int copy, int body, bool planar);

/// All copies of the scene as one. @throws std::invalid_argument for a number of copies, a size or a scene
/// that cannot be
std::shared_ptr<const Scene> perturbedCopies(const Scene& scene, const Perturbation& perturbation);

/// The scene file of one copy, for other engines, with the files that it names.
struct CopyFiles {
  std::string scene;                                        ///< text
  std::vector<std::pair<std::string, std::string>> meshes;  ///< path relative to the scene file, bytes
};
/// @throws SceneError for a scene with `copies`, whose bodies have no place of their own in its file
CopyFiles copyFiles(const Scene& scene, const Perturbation& perturbation, int copy);

}  // namespace touchstone
