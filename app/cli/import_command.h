#pragma once

#include <string>
#include <vector>

#include "app/cli/command.h"
#include "core/robot/robot_import.h"

namespace touchstone::cli {

struct ImportOptions {
  std::string file;                   ///< URDF or MJCF file
  std::string out;                    ///< scene file; empty: NAME.json in the current folder
  std::vector<std::string> packages;  ///< NAME=FOLDER
  RobotOptions robot;                 ///< all but packages and base
  bool fixedBase = false, freeBase = false;
  bool force = false;
};

/// Makes a scene file of a robot, with copies of its meshes where they lie elsewhere.
int importRobotFile(const ImportOptions& options);

Declared declareImport(CLI::App& command, const CommandLine& line);

}  // namespace touchstone::cli
