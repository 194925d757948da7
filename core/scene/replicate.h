#pragma once

#include <functional>

#include "core/scene/scene.h"

namespace touchstone {

/// Differences of a replica from the others.
struct ReplicaVariation {
  /// Numbers by method key, which replace those of the pane; except parameters that are forAllReplicas.
  std::map<std::string, ParameterValues> parameters;
  /// Changes the initial state of a body of the replica; or null. Shape, material and motion must not change.
  std::function<void(Body& body)> change;
  /// Changes the friction of a material of the replica; or null. Masses must not change.
  std::function<void(Material& material)> changeMaterial;
};

/// Joins `replicas` replicas of the scene, which never meet, into one scene, for sweeps and maps in one
/// launch. Body b of replica c is body c · n + b, with the n bodies of the scene. A Simulation runs it like
/// any other scene. Each replica moves as it would alone; a replica that diverges is frozen while the others
/// continue.
/// @param variation  variation of each replica, or null
/// @throws std::invalid_argument if replicas < 1, or the scene is itself replicated
std::shared_ptr<const Scene> replicated(
    const Scene& scene, int replicas,
    const std::function<ReplicaVariation(int replica)>& variation = nullptr);

}  // namespace touchstone
