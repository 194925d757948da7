#pragma once

#include <string>
#include <vector>

#include "app/cli/command.h"

namespace touchstone::cli {

/// Solves the problems of a file with these solvers (empty: all). Exit code 1 if one fails.
/// @param out  also write the problem as text, of several islands FILE-1, FILE-2, …; or empty
int solve(const std::string& file, const std::vector<std::string>& solvers, const std::string& out = {});

Declared declareSolve(CLI::App& command, const CommandLine& line);

}  // namespace touchstone::cli
