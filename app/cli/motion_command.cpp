#include "app/cli/motion_command.h"

#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "app/cli/interrupt.h"
#include "app/cli/map_command.h"
#include "app/cli/pane_options.h"
#include "app/cli/run_command.h"
#include "app/cli/toss_files.h"
#include "app/work/exit_codes.h"
#include "app/work/program_info.h"
#include "app/work/result_folder.h"
#include "core/files/file_bytes.h"
#include "core/files/json_view.h"
#include "core/files/scene_error.h"
#include "core/files/text_forms.h"
#include "core/files/written_file.h"
#include "core/motion/motion_checks.h"
#include "core/motion/motion_file.h"
#include "core/motion/toss_fit.h"
#include "core/parallel/parallel_for.h"
#include "core/robot/scene_readers.h"
#include "core/run/pane_name.h"
#include "core/run/settings_json.h"
#include "core/store/provenance.h"

namespace touchstone::cli {

namespace {

constexpr char kMotionTable[] = "motion.csv", kFitTable[] = "map.csv", kTossSummary[] = "summary.txt";

/// A motion with the scene that it is compared with.
struct RecordedTosses {
  std::shared_ptr<const Scene> scene;
  RecordedMotion motion;
  std::vector<ComparedToss> tosses;
  std::string head;  ///< checks of the motion, and tosses that are left out
};

std::vector<ComparedToss> tossesNamed(const std::vector<ComparedToss>& tosses,
                                      const std::vector<std::string>& names, const std::string& file) {
  std::vector<std::string> known;
  for (const ComparedToss& toss : tosses) known.push_back(toss.name);
  std::vector<ComparedToss> chosen;
  for (const std::string& name : names) {
    const auto found = std::find(known.begin(), known.end(), name);
    if (found == known.end()) {
      const std::string nearest = nearestName(name, known);
      throw std::invalid_argument("--toss " + name + ": " + file + " has no such toss that can be compared" +
                                  (nearest.empty() ? "" : "; did you mean " + nearest + "?"));
    }
    chosen.push_back(tosses[found - known.begin()]);
  }
  return chosen;
}

RecordedTosses recordedTosses(const std::string& sceneName, const std::string& file,
                              const std::vector<std::string>& names, int count, int seed) {
  if (sceneName.empty())
    throw std::invalid_argument("run: no scene; give a scene file or the name of a shipped scene");
  RecordedTosses recording;
  recording.scene = loadScene(resolveScene(sceneName));
  recording.motion = readMotion(file);
  const ComparedTosses compared = comparedTosses(recording.motion, *recording.scene);
  recording.head = "Motion " + file + ", " + std::to_string(recording.motion.tosses.size()) + " tosses\n" +
                   checkText(motionChecks(recording.motion, *recording.scene));
  constexpr std::size_t kMostLeft = 5;  // Lines. More fill the terminal; fewer hide different reasons.
  for (std::size_t line = 0; line < std::min(kMostLeft, compared.left.size()); ++line)
    recording.head += compared.left[line] + "\n";
  if (compared.left.size() > kMostLeft)
    recording.head += "and " + std::to_string(compared.left.size() - kMostLeft) + " more are left out\n";
  recording.tosses = names.empty() ? compared.tosses : tossesNamed(compared.tosses, names, file);
  if (count > 0) recording.tosses = drawn(recording.tosses, count, seed);
  if (recording.tosses.empty()) {
    std::cout << recording.head;
    throw std::invalid_argument(file + ": has no toss that can be compared with " + recording.scene->name +
                                "; the lines above say why");
  }
  return recording;
}

std::unique_ptr<ResultFolder> folderOf(const std::string& out, bool force,
                                       const std::vector<std::string>& files) {
  if (out.empty()) return nullptr;
  return std::make_unique<ResultFolder>(
      out, force ? ResultFolder::Earlier::Replace : ResultFolder::Earlier::Keep, files);
}

void writeInto(const ResultFolder& folder, const std::string& file, const std::string& text) {
  writeWhole(folder.path(file), [&](std::ostream& out) { out << text; });
}

/// "toss-7.json"
std::string tossFile(const ComparedToss& toss, const char* ending) {
  return (toss.name.empty() ? "toss" : "toss-" + plainName(toss.name)) + ending;
}

nlohmann::ordered_json motionJson(const RecordedTosses& recording, int seed) {
  nlohmann::ordered_json json{{"file", recording.motion.file},
                              {"hash", hashOf(readFile(recording.motion.file, "put it back"))},
                              {"seed", seed}};
  for (const ComparedToss& toss : recording.tosses) json["tosses"].push_back(toss.name);
  return json;
}

double longestToss(const std::vector<ComparedToss>& tosses) {
  double time = 0;
  for (const ComparedToss& toss : tosses) time = std::max(time, toss.end - toss.start);
  return time;
}

}  // namespace

int runMotion(const RunOptions& options) {
  const RecordedTosses recording =
      recordedTosses(options.scene, options.motion, options.toss, options.tosses, options.seed);
  const Scene& scene = *recording.scene;
  const std::vector<PaneSettings> panes =
      panesOf({options.methods, options.sets, options.backend, options.substeps}, scene);
  const ThreadLimit limit(options.threads > 0 ? options.threads : threadCount());
  std::vector<std::string> files = {kMotionTable, kTossSummary};
  if (!options.toss.empty())  // of those that are named, to open them in the workbench
    for (const ComparedToss& toss : recording.tosses)
      files.insert(files.end(), {tossFile(toss, ".json"), tossFile(toss, ".csv")});
  noteInterrupts();
  const auto folder = folderOf(options.out, options.force, files);
  const double dt = options.dt > 0 ? options.dt : scene.dt;
  const std::vector<std::string> labels = paneLabels(scene, panes);
  std::vector<PaneErrors> results;
  for (std::size_t pane = 0; pane < panes.size(); ++pane)
    results.push_back(
        {labels[pane], tossErrors(scene, panes[pane], dt, recording.tosses, 1, {}, [&](double share) {
           throwIfInterrupted();
           printProgress((static_cast<double>(pane) + share) / static_cast<double>(panes.size()));
         })});
  std::vector<std::string> names;
  for (const ComparedToss& toss : recording.tosses) names.push_back(toss.name);
  const std::string table = recording.head + "\nScene " + scene.name + ", frames of " + csvNumber(dt) +
                            " s, " + std::to_string(names.size()) + " tosses\n" + tossTable(results);
  std::cout << table;
  int code = kDone;
  for (const PaneErrors& pane : results)
    for (std::size_t toss = 0; toss < names.size(); ++toss) {
      if (pane.errors[toss].failedAt < 0) continue;
      code = kSimulationFailed;
      std::cerr << "run: toss " << names[toss] << " under " << pane.pane << " failed at "
                << csvNumber(pane.errors[toss].failedAt) << " s; use a smaller step or more substeps\n";
    }
  if (!folder) return code;
  nlohmann::ordered_json json;
  json["touchstone_motion"] = 1;
  json.update(provenanceOfRun(scene, dt, longestToss(recording.tosses), options.commandLine));
  json["motion"] = motionJson(recording, options.seed);
  for (const PaneSettings& pane : panes) json["panes"].push_back(toJson(inForce(scene, pane)));
  folder->announce(json);
  writeInto(*folder, kMotionTable, tossCsv(names, results));
  writeInto(*folder, kTossSummary, printable(table));
  if (!options.toss.empty())
    for (const ComparedToss& toss : recording.tosses) {
      writeInto(*folder, tossFile(toss, ".json"), sceneOfToss(scene, toss, recording.motion.file));
      writeInto(*folder, tossFile(toss, ".csv"), trajectoryOfToss(scene, toss));
    }
  folder->finish(json, files);
  std::cout << "Written to " << options.out << "\n";
  return code;
}

int mapMotion(const MapOptions& options) {
  const RecordedTosses recording =
      recordedTosses(options.scene, options.motion, {}, options.tosses, options.seed);
  const Scene& scene = *recording.scene;
  const std::vector<PaneSettings> panes = panesOf({{options.method}, options.sets, options.backend}, scene);
  const std::vector<MapAxis> axes = axesOf(options.vary, panes.front().method);
  requireOneFrameLength(axes);  // before there is a folder
  noteInterrupts();
  const auto folder = folderOf(options.out, options.force, {kFitTable, kTossSummary});
  const double dt = options.dt > 0 ? options.dt : scene.dt;
  const TossMeasure& measure = tossMeasures()[options.score == "mean" ? 0 : 1];
  const TossFit fit =
      tossFit(scene, panes.front(), axes, dt, recording.tosses, measure, options.seed, [](double share) {
        throwIfInterrupted();
        printProgress(share);
      });
  const std::string table = recording.head + "\n" + options.method + " on " + scene.name + ", " +
                            std::to_string(fit.score.size()) + " worlds for each of " +
                            std::to_string(recording.tosses.size()) + " tosses\n" + fitTable(fit);
  std::cout << table;
  if (!folder) return kDone;
  nlohmann::ordered_json json;
  json["touchstone_map"] = 1;
  json.update(provenanceOfRun(scene, dt, longestToss(recording.tosses), options.commandLine));
  json["motion"] = motionJson(recording, options.seed);
  json["pane"] = toJson(inForce(scene, panes.front()));
  for (const MapAxis& axis : axes) json["axes"].push_back({{"key", axis.key}, {"values", axis.values}});
  folder->announce(json);
  writeInto(*folder, kFitTable, csvOf(fit));
  writeInto(*folder, kTossSummary, printable(table));
  folder->finish(json, {kFitTable, kTossSummary});
  std::cout << "Written to " << options.out << "\n";
  return kDone;
}

}  // namespace touchstone::cli
