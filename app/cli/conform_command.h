#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/cli/command.h"

namespace touchstone::cli {

struct ConformOptionsOfCli {
  std::vector<std::string> names;         ///< of phenomena, or files; empty: all shipped
  std::vector<std::string> methods;       ///< columns; empty: defaultColumns()
  std::vector<std::string> trajectories;  ///< KEY=FOLDER
  std::string settings = "battery";       ///< or "published"
  std::string expect;                     ///< card.csv of an earlier run; empty: none
  std::string kit;                        ///< folder for all runs for other engines; empty: none
  std::string check;                      ///< folder of trajectories to look through; empty: none
  std::string verify;                     ///< card.json to check; empty: none
  std::string out;                        ///< folder; empty: table only
  int jobs = 0;                           ///< runs side by side; 0: as many as threads
  bool controls = false, list = false, force = false;
  bool quiet = false;                                ///< print nothing (the workbench)
  std::function<void(double share)> progress;        ///< null: printProgress()
  double secondsPerFrame = 0, secondsPerColumn = 0;  ///< of the clock; 0: without end
  std::string commandLine;                           ///< for the manifests
};

/// Runs the conformance card. Exit code 0 whatever the verdicts; 1 if `expect` or a control asks for another
/// one.
int conform(const ConformOptionsOfCli& options);
/// Runs phenomena with steps of several lengths: error against processor time, and the step's effect.
int conformCost(const ConformOptionsOfCli& options);

/// True for `conform --cost`, whose options are not those of conform.
bool isCostCall(int argc, char** argv);
/// Parses the words of `conform --cost`, and runs it. @return the exit code
int costCall(int argc, char** argv, const CommandLine& line);

Declared declareConform(CLI::App& command, const CommandLine& line);

}  // namespace touchstone::cli
