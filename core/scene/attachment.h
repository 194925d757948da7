#pragma once

#include <functional>

#include "core/files/json_view.h"
#include "core/scene/scene.h"

namespace touchstone {

/// Reads the field `attach` of all bodies that deform, once all bodies are where they start. @throws
/// SceneError
void readAttachments(const JsonView& root, Scene& scene);

/// Ties the attached particles of a body to other bodies of the scene, at the places where they are now.
/// @param place  the body for each body that they are part of
void reattach(Scene& scene, std::size_t body, const std::function<int(int)>& place);

/// The same bodies, at the places where the particles are now: after bodies were moved.
void reattachAll(Scene& scene);

}  // namespace touchstone
