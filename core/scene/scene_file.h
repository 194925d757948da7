#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/scene/scene.h"

namespace touchstone {

/// Reads and checks the text of a scene file (JSON).
/// @param path  file in messages and in Scene::file; meshes are found relative to it
/// @param meshFolders  canonical folders that may hold meshes, beside the scene's own and the datasets
/// @throws SceneError
std::shared_ptr<const Scene> readScene(const std::string& path, const SourceFile& source,
                                       const std::vector<std::string>& meshFolders = {});

}  // namespace touchstone
