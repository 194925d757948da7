#include <iostream>

#include "app/cli/commands.h"
#include "app/cli/interrupt.h"
#include "core/parallel/parallel_for.h"
#include "core/store/replay.h"

namespace touchstone::cli {

int replay(const std::string& file, int threads) {
  const ThreadLimit limit(threads > 0 ? threads : threadCount());
  const Recording recording(file);
  const ReplayResult result = touchstone::replay(recording, [](double share) {
    throwIfInterrupted();
    printProgress(share);
  });
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

}  // namespace touchstone::cli
