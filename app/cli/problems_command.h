#pragma once

#include <string>
#include <vector>

#include "app/cli/command.h"

namespace touchstone::cli {

/// Writes the problems of every step of a recording into a folder, in which no file is replaced.
int harvest(const std::string& file, const std::string& folder);
/// Performance profiles of solvers (empty: all) over all problems of these files.
/// @param table   CSV file with time and residual of each solver on each problem, or empty
/// @param figure  SVG file with the profiles, or empty
/// @param force   replace files of an earlier call
int profile(const std::vector<std::string>& files, const std::vector<std::string>& solvers,
            const std::string& table, const std::string& figure, bool force = false);

Declared declareHarvest(CLI::App& command, const CommandLine& line);
Declared declareProfile(CLI::App& command, const CommandLine& line);

}  // namespace touchstone::cli
