#pragma once

#include <string>
#include <vector>

#include "app/cli/command.h"

namespace touchstone::cli {

struct EnsembleOptions {
  std::string scene;                 ///< path, or the name of a shipped scene
  std::vector<std::string> methods;  ///< `method` or `method-solver`; empty: those of the scene
  std::vector<std::string> engines;  ///< KEY=FOLDER of trajectories of copies; then no methods are usual
  std::string backend = "cpu";
  double dt = 0;                        ///< s; 0: the scene's
  double time = 0;                      ///< s; 0: the scene's duration
  int copies = 32;                      ///< the unperturbed one among them
  double perturb = 1e-9;                ///< m
  int seed = 1;                         ///< of the perturbation
  std::vector<std::string> quantities;  ///< Q[@time|max|mean|median]
  std::vector<std::string> margins;     ///< Q=2% or Q=0.005
  double alpha = 0.05;
  std::vector<std::string> sets;  ///< method.key=value
  std::string out;                ///< folder; empty: summary only
  std::string scenes;             ///< folder for a scene file of each copy; empty: none
  bool poses = false;             ///< also write poses of all copies
  bool force = false;
  double secondsPerFrame = 0;  ///< of the clock; 0: without end
  std::string commandLine;     ///< for the manifest
};

/// Runs many copies of a scene that differ by nearly nothing, and compares methods by them.
int ensemble(const EnsembleOptions& options);

Declared declareEnsemble(CLI::App& command, const CommandLine& line);

}  // namespace touchstone::cli
