#include <filesystem>
#include <iostream>
#include <stdexcept>

#include "app/cli/commands.h"
#include "app/cli/interrupt.h"
#include "app/cli/result_folder.h"
#include "app/cli/run_files.h"
#include "core/files/scene_error.h"
#include "core/store/poses.h"
#include "core/store/recording.h"
#ifdef TS_HAVE_VTK
#include "app/exports/paraview_export.h"
#endif

namespace touchstone::cli {

int exportPoses(const std::string& file, const std::string& poses) {
  const Recording recording(file);
  const std::vector<RecordedPane> panes = recording.panes();
  if (panes.empty()) throw SceneError(file, "", "holds no pane at its end", "record it again with a pane");
  const std::string stem = std::filesystem::path(poses).replace_extension().string();
  for (const RecordedPane& pane : panes) {
    const std::string path = panes.size() == 1 ? poses : poseFile(stem, pane.label, panes.size());
    requireReplaceable(path);
    writeWhole(path, [&](std::ostream& out) {
      bool begun = false;
      for (const RecordedRow& row : recording.rows()) {
        if (row.pane != pane.id) continue;
        throwIfInterrupted();
        const RecordPtr record = recording.record(row.frame, row.pane);
        if (!begun) out << poseHeader(*recording.scene(), pane.label, record->dt);
        begun = true;
        out << poseLines(*record, *recording.scene());
      }
    });
    std::cout << "Written to " << path << "\n";
  }
  return kDone;
}

#ifdef TS_HAVE_VTK
int exportParaview(const std::string& file, const std::string& folder) {
  const Recording recording(file);
  const bool done = exportForParaview(recording, folder, [](double share) {
    printProgress(share);
    return interruption().empty();
  });
  if (!done) throwIfInterrupted();
  std::cout << "Written to " << folder << ": open the .pvd files in ParaView\n";
  return kDone;
}
#else
int exportParaview(const std::string&, const std::string&) {
  throw std::runtime_error(
      "export --paraview: this program was built without VTK; configure with TS_WORKBENCH=ON");
}
#endif

}  // namespace touchstone::cli
