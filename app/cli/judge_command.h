#pragma once

#include <string>
#include <vector>

#include "app/cli/command.h"

namespace touchstone::cli {

struct JudgeOptions {
  std::string scene;                      ///< path, or the name of a shipped scene
  std::vector<std::string> trajectories;  ///< [KEY=]FILE
  std::vector<std::string> ensembles;     ///< KEY=FOLDER of copies, in the place of trajectories
  std::vector<std::string> quantities;    ///< of ensembles, Q[@time|max|mean|median]; empty: mean_height
  std::vector<std::string> margins;       ///< of ensembles, Q=2% or Q=0.005
  std::vector<std::string> contacts;      ///< KEY=FILE
  std::vector<std::string> methods;       ///< of ours to run beside them
  std::string reference;                  ///< KEY; empty: the first
  std::vector<std::string> shifts;        ///< KEY=SECONDS, or first-contact
  std::string names;                      ///< file; empty: names are ours
  std::string missing = "error";
  std::string out;  ///< folder; empty: summary only
  bool force = false;
  double secondsPerFrame = 0;  ///< of the clock; 0: without end
  std::string commandLine;     ///< for the manifest
};

/// Measures trajectories of any engine with the Referee and compares them.
int judge(const JudgeOptions& options);

Declared declareJudge(CLI::App& command, const CommandLine& line);

}  // namespace touchstone::cli
