#pragma once

#include <optional>
#include <string>

#include "core/scene/scene.h"

namespace touchstone {

/// What an automatic stiffness of a penalty method is over the pairs of bodies of a scene [N/m]:
/// stiffnessOf().
/// @param step  length of one step [s]
AutomaticValue automaticStiffness(const Scene& scene, double step);
/// Likewise of an automatic damping, with the automatic stiffness [N·s/m]: dampingOf().
AutomaticValue automaticDamping(const Scene& scene, double step);

/// What there is to know about how deep bodies rest under a penalty method.
struct RestDepth {
  std::string body;      ///< that rests deepest for its size
  double depth = 0;      ///< m g / (4 k) on four contacts, m what rests on it [m]
  double size = 0;       ///< edge of the cube with its radius, 2 R / √3 [m]
  double stiffness = 0;  ///< k that would make the depth 1 % of the size [N/m]
  int times = 1;         ///< with an automatic stiffness: so many times as many steps would
  bool isDeep() const { return depth > 0.01 * size; }
};
/// @param stiffness  k [N/m], or 0: automatic   @param step  length of one step [s]
/// @return none without gravity or without dynamic bodies
std::optional<RestDepth> restDepthOf(const Scene& scene, double stiffness, double step);

}  // namespace touchstone
