#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/constraints/joint_islands.h"
#include "core/scene/scene.h"

namespace touchstone {

/// Range of the automatic stiffness of a penalty method over the pairs of bodies of a scene [N/m]:
/// stiffnessOf(). @param step  length of one step [s]
AutomaticValue automaticStiffness(const Scene& scene, double step);
/// Range of the automatic damping, with the automatic stiffness [N·s/m]: dampingOf().
AutomaticValue automaticDamping(const Scene& scene, double step);

/// Substeps with which automatic springs stop the fastest body of a scene within what it meets. One spring
/// m / (12 h²) stops a mass m that closes at v in √12 v h: that is at most half of the thinner one's least
/// width,
///     n = ⌈√12 v H / w⌉
/// for a frame of H, over all pairs that may touch and whose bodies are on their way to each other at the
/// start. Gravity does not count. @return at least 1, at most kMostClosingSubsteps
int closingSubsteps(const Scene& scene, double frame);
/// Steps of some microseconds; bodies that need more are through anyway, as the Referee says.
constexpr int kMostClosingSubsteps = 1000;

/// Depth at which bodies rest under a penalty method.
struct RestDepth {
  std::string body;      ///< that rests deepest for its size
  double depth = 0;      ///< m g / (4 k) on four contacts, m what rests on it [m]
  double size = 0;       ///< edge of the cube with its radius, 2 R / √3 [m]
  double stiffness = 0;  ///< k that would make the depth 1 % of the size [N/m]
  int times = 1;         ///< with an automatic stiffness: so many times as many steps would
  bool isDeep() const { return depth > 0.01 * size; }
};
/// Mass that automatic springs below each body are made for: with joints 1 / n·W n along gravity n, at that
/// corner of its foot which yields most. [bodies, kg]
std::vector<double> standingMasses(const World& world, const JointMobilities& mobilities);
/// @param stiffness  k [N/m], or 0: automatic   @param step  length of one step [s]
/// @param standing  standingMasses(), or empty: those of the bodies alone
/// @return none without gravity or without dynamic bodies
std::optional<RestDepth> restDepthOf(const Scene& scene, double stiffness, double step,
                                     const std::vector<double>& standing = {});

}  // namespace touchstone
