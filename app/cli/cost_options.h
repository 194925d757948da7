#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <vector>

#include "app/cli/checks.h"
#include "app/cli/commands.h"
#include "core/conform/cost.h"
#include "core/files/listed.h"

namespace touchstone::cli {

/// The command line of `conform --cost` is one of its own.
inline bool isCostCall(int argc, char** argv) {
  return argc > 2 && std::string(argv[1]) == "conform" &&
         std::any_of(argv + 2, argv + argc, [](const char* word) { return std::string(word) == "--cost"; });
}

/// Its options.
inline void addCost(CLI::App& cost, ConformOptionsOfCli& options) {
  cost.add_option("phenomena", options.names,
                  "names or numbers of phenomena, or files; default: " + listed(costPhenomena(), ", "));
  cost.add_option("--methods", options.methods, "columns, as for conform")->delimiter(',');
  cost.add_option("--trajectory", options.trajectories,
                  "KEY=FOLDER: takes no part, since the step of a file cannot be changed; repeatable");
  cost.add_option("--settings", options.settings, "battery or published: the steps that are changed")
      ->check(CLI::IsMember({"battery", "published"}));
  cost.add_option("--jobs", options.jobs, "runs side by side")->check(CLI::Range(1, 1024));
  cost.add_option("--out", options.out, "folder for cost.txt, .csv, .json and the figure");
  cost.add_flag("--force", options.force, "replace earlier results in --out; never other files");
  cost.footer(
      "Each column runs with 4, 2, 1 and 1/2 times the length of its steps. Frames keep their length where "
      "its "
      "substeps can be changed so, else they are so many times as long.\n"
      "The text tells error and processor time of the primary measures, and the observed order; files tell "
      "all measures with an exact answer and one run.");
}

/// @throws CLI::ParseError, std::invalid_argument
inline void parseCost(CLI::App& cost, int argc, char** argv) {
  std::vector<std::string> words;  // as the parser takes them: last first
  for (int index = argc - 1; index > 1; --index)
    if (std::string(argv[index]) != "--cost") words.emplace_back(argv[index]);
  cost.parse(words);
  refuseIdle(cost, {{"--force", {"--out"}}});
}

}  // namespace touchstone::cli
