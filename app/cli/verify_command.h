#pragma once

#include <string>
#include <vector>

#include "app/cli/command.h"

namespace touchstone::cli {

/// @param scenes  paths or names; empty: all shipped
int verify(const std::string& backend, const std::vector<std::string>& scenes = {});

Declared declareVerify(CLI::App& command, const CommandLine& line);

}  // namespace touchstone::cli
