#pragma once

#include <string>
#include <vector>

#include "app/cli/command.h"

namespace touchstone::cli {

struct CheckOptions {
  std::string scene;                 ///< path, or the name of a shipped scene
  std::vector<std::string> methods;  ///< as of RunOptions
  std::string backend = "cpu";
  double dt = 0;                  ///< s; 0: the scene's
  int substeps = 0;               ///< 0: as suggested
  std::vector<std::string> sets;  ///< method.key=value
};

/// Prints bodies, materials, methods, overlaps and contacts of the start, panes and every value in force of a
/// run.
int check(const CheckOptions& options);

Declared declareCheck(CLI::App& command, const CommandLine& line);

}  // namespace touchstone::cli
