#pragma once

#include <string>

#include "app/cli/command.h"

namespace touchstone::cli {

/// Repeats a recording. If it differs, the exit code is 1, and the first differing frame and array are
/// printed.
int replay(const std::string& file, int threads);

Declared declareReplay(CLI::App& command, const CommandLine& line);

}  // namespace touchstone::cli
