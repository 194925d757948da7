#pragma once

#include "app/cli/map_command.h"
#include "app/cli/run_command.h"

namespace touchstone::cli {

/// Runs a scene from the starts of a recorded motion, and says how far each method is from it.
int runMotion(const RunOptions& options);
/// Finds the values with which a method comes closest to a recorded motion.
int mapMotion(const MapOptions& options);

}  // namespace touchstone::cli
