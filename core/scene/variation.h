#pragma once

#include <memory>

#include "core/scene/scene.h"

namespace touchstone {

constexpr int kMostSeed = 1'000'000'000;

/// The scene with its dynamic bodies moved; the same for the same seed on every machine. Seed 0: unchanged.
std::shared_ptr<const Scene> varied(const Scene& scene, const StartVariation& variation, int seed);

}  // namespace touchstone
