#pragma once

#include "core/files/json_view.h"
#include "core/scene/scene.h"

namespace touchstone {

/// Reads "joints" of a scene file whose bodies are known, and with "assemble" moves bodies so that they fit.
/// @throws SceneError with field and remedy: unknown bodies, joints that do not fit, coordinates outside
/// their limits
void readJoints(const JsonView& root, Scene& scene);

}  // namespace touchstone
