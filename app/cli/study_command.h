#pragma once

#include <string>
#include <vector>

#include "app/cli/command.h"

namespace touchstone::cli {

struct StudyOptions {
  std::vector<std::string> studies;  ///< study files, or names of shipped ones; of merge: a study and folders
  std::string out;                   ///< folder; empty: NAME-results
  std::string shard;                 ///< "3/8": only the third of eight parts of the runs; empty: all
  int jobs = 1;                      ///< concurrent runs
  bool resume = false, quick = false, all = false, list = false;
  bool isQuiet = false;        ///< without the tables
  double secondsPerFrame = 0;  ///< of the clock; 0: without end
  std::string commandLine;     ///< for the manifest
};

/// Runs studies. Exit code 1 if runs are missing.
int study(const StudyOptions& options);
/// Makes one study of parts that were computed elsewhere. Exit code 1 if runs are missing, which it names.
int mergeStudy(const StudyOptions& options);

Declared declareStudy(CLI::App& command, const CommandLine& line);

}  // namespace touchstone::cli
