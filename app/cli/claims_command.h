#pragma once

#include <string>

#include "app/cli/command.h"

namespace touchstone::cli {

struct ClaimsOptions {
  std::string from;    ///< folder with a folder for each study; empty: the shipped results
  std::string write;   ///< file for the results; empty: none
  bool force = false;  ///< replace earlier results in `write`
};

/// Prints published claims and what became of each. Exit code 1 if one is not judged, a study or scene has
/// changed since, or a negative control did not turn.
int claims(const ClaimsOptions& options);

Declared declareClaims(CLI::App& command, const CommandLine& line);

}  // namespace touchstone::cli
