#pragma once

#include <functional>

#include "core/scene/scene.h"

namespace touchstone {

/// What a copy of a scene has of its own.
struct CopyVariation {
  /// Numbers by method key, over those of the pane; but for those that are forAllCopies.
  std::map<std::string, ParameterValues> parameters;
  /// Changes the initial state of a body of the copy, or null. Shape, material and motion stay.
  std::function<void(Body& body)> change;
  /// Changes the friction of a material of the copy, or null. Masses stay.
  std::function<void(Material& material)> changeMaterial;
};

/// Many worlds in one: `copies` of the scene that never meet, for sweeps and maps in one launch. Body b of
/// copy c is body c · n + b, with the n bodies of the scene. A Simulation runs it as any other scene; each
/// copy moves as it would alone, and a copy that diverges stands while the others go on.
/// @param variation  of each copy, or null
/// @throws std::invalid_argument if copies < 1, or the scene is itself replicated
std::shared_ptr<const Scene> replicated(const Scene& scene, int copies,
                                        const std::function<CopyVariation(int copy)>& variation = nullptr);

}  // namespace touchstone
