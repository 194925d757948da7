#pragma once

#include <memory>

#include "core/scene/scene.h"

namespace touchstone {

/// Largest seed. It must fit into an int; a smaller value refuses valid seeds.
constexpr int kMostSeed = 1'000'000'000;

/// The scene with its dynamic bodies moved; equal for equal seeds on every machine. Seed 0 leaves it
/// unchanged.
std::shared_ptr<const Scene> varied(const Scene& scene, const StartVariation& variation, int seed);

}  // namespace touchstone
