#pragma once

#include <string>

#include "core/scene/scene.h"

namespace touchstone::cli {

/// Parses "position=0.05,angle_deg=180,spin=2": each key at most once; missing keys are 0.
/// @throws std::invalid_argument with the remedy
StartVariation variationOf(const std::string& text);
/// The variation of the scene's shipped study, if there is one; else a thousandth of the size of the scene
/// and one degree, which changes the start without a visible difference.
StartVariation usualVariation(const Scene& scene);

}  // namespace touchstone::cli
