#include "app/cli/export_command.h"
#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <iostream>
#include <memory>
#include <stdexcept>

#include "app/cli/interrupt.h"
#include "app/work/exit_codes.h"
#include "app/work/program_info.h"
#include "app/work/result_folder.h"
#include "app/work/run_files.h"
#include "core/files/scene_error.h"
#include "core/files/written_file.h"
#include "core/robot/export/exported_scene.h"
#include "core/robot/export/mjcf_writer.h"
#include "core/robot/export/urdf_writer.h"
#include "core/robot/scene_readers.h"
#include "core/store/poses.h"
#include "core/store/recording.h"
#ifdef TS_HAVE_VTK
#include "app/work/paraview_export.h"
#endif

namespace touchstone::cli {

namespace {

/// Refuses a recording in which a pane lacks a frame that the recording holds of all its panes.
void requireAllFrames(const Recording& recording, const RecordedPane& pane) {
  const std::vector<int> ids = recording.start().ids;
  long next = -1;  // no frame is due before the first one of a pane that a command made
  if (std::count(ids.begin(), ids.end(), pane.id)) next = 0;
  const WholeFrom& whole = recording.wholeFrom();
  const auto paneFrame = whole.panes.find(pane.id);
  const long firstWhole = paneFrame == whole.panes.end() ? whole.all : std::min(whole.all, paneFrame->second);
  const auto require = [&](long until) {
    const long frame = std::max(next, firstWhole);
    if (next < 0 || frame >= until) return;
    throw SceneError(recording.path(), "frames",
                     "has no frame " + std::to_string(frame) + " of pane '" + pane.label + "'",
                     "record it again");
  };
  for (const RecordedRow& row : recording.rows()) {
    if (row.pane != pane.id) continue;
    require(row.frame);
    next = row.frame + 1;
  }
  require(recording.lastFrame() + 1);
  if (next <= 0)
    throw SceneError(recording.path(), "frames", "has no frame of pane '" + pane.label + "'",
                     "record it again");
}

std::function<bool(const std::string& file)> exportedBefore(bool force) {
  return [force](const std::string& file) { return force && isExported(file); };
}

}  // namespace

int exportPoses(const std::string& file, const std::string& poses, bool force) {
  const Recording recording(file);
  noteInterrupts();
  const std::vector<RecordedPane> panes = recording.panes();
  if (panes.empty()) throw SceneError(file, "", "holds no pane at its end", "record it again with a pane");
  const std::string stem = std::filesystem::path(poses).replace_extension().string();
  for (const RecordedPane& pane : panes) {
    const std::string path = panes.size() == 1 ? poses : poseFile(stem, pane.label, panes.size());
    requireAllFrames(recording, pane);
    const auto write = [&](std::ostream& out) {
      bool begun = false;
      for (const RecordedRow& row : recording.rows()) {
        if (row.pane != pane.id) continue;
        throwIfInterrupted();
        const RecordPtr record = recording.record(row.frame, row.pane);
        if (!begun) out << poseHeader(*recording.scene(), pane.label, record->dt);
        begun = true;
        out << poseLines(*record, *recording.scene());
      }
    };
    writeNew(path, write, exportedBefore(force));
    std::cout << "Written to " << path << "\n";
  }
  return kDone;
}

#ifdef TS_HAVE_VTK
int exportParaview(const std::string& file, const std::string& folder, bool force) {
  const Recording recording(file);
  noteInterrupts();
  for (const RecordedPane& pane : recording.panes()) requireAllFrames(recording, pane);
  const auto goesOn = [](double share) {
    printProgress(share);
    return interruption().empty();
  };
  const bool done = exportForParaview(recording, folder, goesOn,
                                      force ? ResultFolder::Earlier::Replace : ResultFolder::Earlier::Keep);
  if (!done) throwIfInterrupted();
  std::cout << "Written to " << folder << ": open the .pvd files in ParaView\n";
  return kDone;
}
#else
int exportParaview(const std::string&, const std::string&, bool) {
  throw std::runtime_error(
      "export --paraview: this program was built without VTK; configure with TS_WORKBENCH=ON");
}
#endif

namespace {

bool namesScene(const std::string& nameOrPath) {
  try {
    loadScene(resolveScene(nameOrPath));
    return true;
  } catch (const SceneError&) {
    return false;
  }
}

std::shared_ptr<const Scene> sceneOf(const std::string& input) {
  return isRecording(input) ? Recording(input).scene() : loadScene(resolveScene(input));
}

void writeExported(const std::string& path, const std::string& text, bool force) {
  writeNew(
      path, [&](std::ostream& out) { out << text; }, exportedBefore(force));
}

int exportForEngines(const ExportOptions& options) {
  const std::shared_ptr<const Scene> scene = sceneOf(options.input);
  // All texts come before the first file: a scene that is refused leaves nothing.
  const std::string mjcf = options.mjcf.empty() ? "" : mjcfText(*scene);
  const std::vector<ExportedFile> urdf =
      options.urdf.empty() ? std::vector<ExportedFile>() : urdfFiles(*scene);
  if (!mjcf.empty()) {
    writeExported(options.mjcf, mjcf, options.force);
    std::cout << "Written to " << options.mjcf << "\n";
  }
  if (!urdf.empty()) {
    createFolder(options.urdf);
    for (const ExportedFile& file : urdf)
      writeExported((std::filesystem::path(options.urdf) / file.name).string(), file.text, options.force);
    std::cout << "Written to " << options.urdf << ": world.csv names the URDF of each body\n";
  }
  for (const std::string& warning : exportWarnings(*scene))
    std::cerr << "touchstone-cli: warning: " << options.input << ": " << warning << "\n";
  return kDone;
}

}  // namespace

int exportFiles(const ExportOptions& options) {
  const bool ofRecording = !options.paraview.empty() || !options.poses.empty();
  if (!ofRecording && options.mjcf.empty() && options.urdf.empty())
    throw std::invalid_argument(
        "export: nothing to write; give --paraview DIR or --poses FILE (of a recording), --mjcf FILE or "
        "--urdf DIR (of a scene)");
  if (ofRecording && !isRecording(options.input) && namesScene(options.input))
    throw std::invalid_argument(options.input +
                                ": is a scene, and --paraview and --poses write a recording; make one with "
                                "`touchstone-cli run SCENE --record FILE`");
  int code = kDone;
  if (!options.poses.empty()) code = exportPoses(options.input, options.poses, options.force);
  if (code == kDone && !options.paraview.empty())
    code = exportParaview(options.input, options.paraview, options.force);
  if (code == kDone && (!options.mjcf.empty() || !options.urdf.empty())) code = exportForEngines(options);
  return code;
}

Declared declareExport(CLI::App& command, const CommandLine&) {
  const auto options = std::make_shared<ExportOptions>();
  command
      .add_option(
          "input", options->input,
          "recording (of `run --record` or the workbench), or a scene: file, or name of a shipped one")
      ->required();
  command.add_option("--paraview", options->paraview, "folder for .pvd and .vtp files of a recording");
  command.add_option("--poses", options->poses,
                     "file for the poses of a pane of a recording; of several panes FILE-PANE.csv each");
  command.add_option("--mjcf", options->mjcf, "file for the scene as a model of MuJoCo");
  command.add_option("--urdf", options->urdf,
                     "folder for the scene as a URDF per body and world.csv: poses, velocities, friction");
  command.add_flag("--force", options->force, "replace an earlier export; never other files");
  return [options] { return exportFiles(*options); };
}

}  // namespace touchstone::cli
