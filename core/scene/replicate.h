#pragma once

#include <functional>

#include "core/scene/scene.h"

namespace touchstone {

/// What a replica has of its own.
struct ReplicaVariation {
  /// Numbers by method key, over those of the pane; but for those that are forAllReplicas.
  std::map<std::string, ParameterValues> parameters;
  /// Changes the initial state of a body of the replica, or null. Shape, material and motion stay.
  std::function<void(Body& body)> change;
  /// Changes the friction of a material of the replica, or null. Masses stay.
  std::function<void(Material& material)> changeMaterial;
};

/// Many worlds in one: `replicas` of the scene that never meet, for sweeps and maps in one launch. Body b of
/// replica c is body c · n + b, with the n bodies of the scene. A Simulation runs it as any other scene; each
/// replica moves as it would alone, and a replica that diverges stands while the others go on.
/// @param variation  of each replica, or null
/// @throws std::invalid_argument if replicas < 1, or the scene is itself replicated
std::shared_ptr<const Scene> replicated(
    const Scene& scene, int replicas,
    const std::function<ReplicaVariation(int replica)>& variation = nullptr);

}  // namespace touchstone
