#pragma once

#include "app/cli/command.h"

namespace touchstone::cli {

/// Prints methods, solvers, scenes and backends.
int list();

Declared declareList(CLI::App& command, const CommandLine& line);

}  // namespace touchstone::cli
