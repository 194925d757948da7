#pragma once

#include <string>
#include <vector>

#include "app/cli/command.h"

namespace touchstone::cli {

enum class BenchFormat { Text, Json, Markdown };

struct BenchOptions {
  std::string filter;  ///< only the group of this name, or benchGroups() with it in the name; a,b: either
  std::vector<std::string> backends = {"cpu", "cuda"};  ///< of the rows that measure backends
  bool backendsGiven = false;                           ///< a backend that cannot be used is an error
  BenchFormat format = BenchFormat::Text;
  std::string commandLine;  ///< for the page
  /// The whole choice is measured so often; 0: three times where figures are kept or compared, else once.
  int rounds = 0;
  int mostSteps = 0;          ///< of each run of the groups piles and scale; 0: as many as they have
  std::string compared;       ///< file of an earlier `bench --json`; empty: none
  double threshold = 5;       ///< of a difference that counts [%]
  bool otherMachine = false;  ///< compare with a file of another machine all the same
};

/// @throws std::invalid_argument for a filter that matches nothing
int bench(const BenchOptions& options);

Declared declareBench(CLI::App& command, const CommandLine& line);

}  // namespace touchstone::cli
