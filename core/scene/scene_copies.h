#pragma once

#include "core/files/json_view.h"
#include "core/scene/scene.h"

namespace touchstone {

/// Largest number of bodies of a scene. A larger value accepts scenes that need too much memory and time; a
/// smaller one refuses usable ones.
constexpr std::size_t kMaxBodies = 10'000;

/// Rows of copies of all bodies that move, with their joints, along x and z; bodies that never move are
/// shared. @throws SceneError
void readCopies(const JsonView& root, Scene& scene);

}  // namespace touchstone
