#include "app/cli/replay_command.h"
#include <CLI/CLI.hpp>

#include <iostream>
#include <memory>

#include "app/cli/interrupt.h"
#include "app/work/exit_codes.h"
#include "app/work/program_info.h"
#include "core/parallel/parallel_for.h"
#include "core/store/provenance.h"
#include "core/store/replay.h"

namespace touchstone::cli {

namespace {

/// Said in the place of a difference where another version made the recording, or empty.
std::string otherVersion(const Recording& recording, long frame) {
  const std::string madeBy = recording.madeBy();
  if (madeBy == programVersion()) return {};
  return recording.path() + ": was made by " +
         (madeBy.empty() ? std::string("an earlier version of Touchstone") : "Touchstone " + madeBy) +
         ", this is " + programVersion() + ". The states repeated bit for bit before frame " +
         std::to_string(frame) +
         "; another version may step otherwise from there on. Replay it with the version that made it\n";
}

}  // namespace

int replay(const std::string& file, int threads) {
  const ThreadLimit limit(threads > 0 ? threads : threadCount());
  const Recording recording(file);
  noteInterrupts();
  const ReplayResult result = touchstone::replay(recording, [](double share) {
    throwIfInterrupted();
    printProgress(share);
  });
  const std::string other =
      otherVersion(recording, result.first ? result.first->frame : recording.lastFrame() + 1);
  if (result.first && !other.empty()) {
    std::cout << other;
    return kSimulationFailed;
  }
  if (!result.missing.empty()) {
    std::cout << file << ": " << result.missing << "\nThe " << result.frames
              << " states before it repeated bit for bit.\n";
    return kSimulationFailed;
  }
  if (!result.first) {
    std::cout << file << ": " << result.frames
              << " recorded states and their quantities repeated bit for bit, frames "
              << recording.firstFrame() << " to " << recording.lastFrame() << "\n";
    return kDone;
  }
  std::cout
      << file << ": frame " << result.first->frame << ", pane " << result.first->pane << ", "
      << result.first->array << " differs by up to " << result.first->largest
      << "\nThe states before it repeated bit for bit. Builds with other compilers or options may round "
         "otherwise.\n";
  return kSimulationFailed;
}

namespace {

struct ReplayOptions {
  std::string recording;
  int threads = 0;  ///< 0: all
};

}  // namespace

Declared declareReplay(CLI::App& command, const CommandLine&) {
  const auto options = std::make_shared<ReplayOptions>();
  command.add_option("recording", options->recording, "file that `run --record` or the workbench wrote")
      ->required();
  command.add_option("--threads", options->threads, "host threads; results do not depend on it")
      ->check(CLI::Range(1, 4096));
  return [options] { return replay(options->recording, options->threads); };
}

}  // namespace touchstone::cli
