#pragma once

#include <string>

#include "core/scene/scene.h"

namespace touchstone::cli {

/// "position=0.05,angle_deg=180,spin=2": each at most once, those that are missing 0.
/// @throws std::invalid_argument saying what would be right
StartVariation variationOf(const std::string& text);
/// Of the shipped study of the scene, where there is one; else a thousandth of the size of the scene and one
/// degree, for a start that is another one and looks the same.
StartVariation usualVariation(const Scene& scene);

}  // namespace touchstone::cli
