#pragma once

#include <string>
#include <vector>

#include "app/cli/command.h"

namespace touchstone::cli {

struct MapOptions {
  std::string scene;   ///< path, or the name of a shipped scene
  std::string method;  ///< `method` or `method-solver`
  std::string backend = "cpu";
  double dt = 0;                  ///< s; 0: the scene's
  double time = 0;                ///< s; 0: the scene's duration
  std::vector<std::string> vary;  ///< one or two of key=first..last/count or key=a,b,c
  std::vector<std::string> sets;  ///< method.key=value, for all replicas
  std::string out;                ///< folder; empty: picture only
  std::string motion;             ///< recorded motion to come close to; empty: none
  int tosses = 0;                 ///< of it, drawn by the seed; 0: all
  int seed = 1;
  std::string score = "end";  ///< error of the centre: at the end, or mean from the first contact on
  bool force = false;
  std::string commandLine;  ///< for the manifest
};

/// Runs one scene with many parameter values, all replicas in one run.
int map(const MapOptions& options);

Declared declareMap(CLI::App& command, const CommandLine& line);

}  // namespace touchstone::cli
