#include "core/store/harvest.h"

#include <cstdio>
#include <filesystem>
#include <ostream>

#include "core/contact/complementarity/problem_detail.h"
#include "core/files/written_file.h"
#include "core/run/comparison.h"
#include "core/run/pane_name.h"
#include "core/store/step_problem.h"

namespace touchstone {

long harvest(const Recording& recording, const std::string& folder,
             const std::function<void(double)>& progress) {
  std::filesystem::create_directories(folder);
  Comparison comparison(recording.scene(), {});
  comparison.setAll(recording.start());
  auto command = recording.log().begin();
  long files = 0;
  const long last = recording.lastFrame();
  for (long frame = 0; frame <= last; ++frame) {
    if (frame > 0) comparison.step(false);
    for (int pane = 0; pane < comparison.paneCount() && frame > 0; ++pane) {
      StepDetail detail;
      if (!comparison.explain(pane, frame, detail) || problemDetail(detail).problems.empty()) continue;
      const std::string name = paneName(comparison.pane(pane).settings());
      char number[32];
      std::snprintf(number, sizeof number, "%06ld", frame);
      const std::string path = (std::filesystem::path(folder) / (std::to_string(comparison.paneId(pane)) +
                                                                 "-" + name + "-" + number + ".json"))
                                   .string();
      const std::string text = problemText(detail, *recording.scene(), name);
      writeNew(path, [&text](std::ostream& out) { out << text; });
      ++files;
    }
    for (; command != recording.log().end() && command->frame == frame; ++command)
      comparison.apply(command->command);
    if (progress) progress(static_cast<double>(frame + 1) / static_cast<double>(last + 1));
  }
  return files;
}

}  // namespace touchstone
