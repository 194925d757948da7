#pragma once

#include <string>
#include <vector>

#include "app/cli/command.h"

namespace touchstone::cli {

struct RunOptions {
  std::string scene;                 ///< path, or the name of a shipped scene
  std::vector<std::string> methods;  ///< `method` or `method-solver`; empty: those of the scene
  std::string backend = "cpu";
  double dt = 0;                    ///< s; 0: the scene's
  double time = 0;                  ///< s; 0: the scene's duration
  int substeps = 0;                 ///< 0: as suggested
  int threads = 0;                  ///< 0: all
  std::vector<std::string> sets;    ///< method.key=value
  std::string out;                  ///< folder; empty: table only
  std::string from;                 ///< manifest to repeat
  std::vector<std::string> stopOn;  ///< conditions that end the run
  std::string record;               ///< file of the recording; empty: none
  bool force = false;
  bool contacts = false;                ///< also write contacts.csv
  bool allContacts = false;             ///< contacts of every substep
  bool poses = false;                   ///< also write poses of bodies
  bool extents = false;                 ///< also write the outermost points of what moves
  std::vector<std::string> quantities;  ///< quantities of named bodies: further columns of quantities.csv
  int seed = 0;                         ///< seed of the start; 0: the unchanged scene
  std::string variation;                ///< variation of the start; empty: the usual one of the scene
  std::string motion;                   ///< recorded motion to compare with; empty: none
  std::vector<std::string> toss;        ///< tosses of it by name; empty: all, or `tosses` of them
  int tosses = 0;                       ///< how many, drawn by the seed; 0: all
  double secondsPerFrame = 0;           ///< of the clock; 0: without end
  std::string commandLine;              ///< for the manifest
};

/// Runs a scene under several methods. Prints a table of them; writes files with `out`.
int run(const RunOptions& options);

Declared declareRun(CLI::App& command, const CommandLine& line);

}  // namespace touchstone::cli
