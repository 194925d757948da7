#pragma once

#include <string>

#include "app/cli/command.h"

namespace touchstone::cli {

struct ExportOptions {
  std::string input;                        ///< recording, or a scene: path or name of a shipped one
  std::string paraview, poses, mjcf, urdf;  ///< where to write; empty: not
  bool force = false;                       ///< replace what an earlier export wrote
};

/// Writes a recording as .pvd and .vtp files.
int exportParaview(const std::string& file, const std::string& folder, bool force = false);
/// Writes the poses of a recording, one file per pane.
int exportPoses(const std::string& file, const std::string& poses, bool force = false);
/// Writes what is wanted of a recording, and its scene, or that of a file, for other engines: what they do
/// not get is reported on stderr.
int exportFiles(const ExportOptions& options);

Declared declareExport(CLI::App& command, const CommandLine& line);

}  // namespace touchstone::cli
