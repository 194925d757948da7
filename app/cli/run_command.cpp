#include <filesystem>
#include <fstream>
#include <iostream>
#include <limits>
#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/output_files.h"
#include "app/cli/pane_options.h"
#include "core/parallel/parallel_for.h"
#include "core/run/backend_table.h"
#include "core/run/comparison.h"
#include "core/run/csv.h"
#include "core/run/manifest.h"
#include "core/run/pane_name.h"
#include "core/run/recorder.h"
#include "core/run/stop_condition.h"
#include "core/run/summary.h"
#include "core/scene/frame_count.h"
#include "core/scene/scene_error.h"

namespace touchstone::cli {

namespace fs = std::filesystem;

namespace {

std::vector<PaneSettings> panesOf(const RunOptions& options, const Scene& scene) {
  std::vector<PaneSettings> panes;
  if (options.methods.empty()) panes = suggestedPanes(scene);
  for (const std::string& name : options.methods) panes.push_back(paneFor(name, scene));
  if (panes.empty()) throw std::invalid_argument(scene.file + ": suggests no method; give --methods");
  for (PaneSettings& pane : panes) {
    if (options.substeps > 0) pane.substeps = options.substeps;
    pane.backend = backendOf(options.backend);
  }
  for (const std::string& text : options.sets) applySet(text, panes);
  for (const PaneSettings& pane : panes) {
    const std::string problem = refusal(scene, pane);
    if (!problem.empty()) throw std::invalid_argument(problem);
  }
  return panes;
}

void writeResults(const RunOptions& options, const Comparison& comparison, const std::string& table) {
  std::vector<const History*> panes;
  for (int pane = 0; pane < comparison.paneCount(); ++pane) panes.push_back(&comparison.history(pane));
  const fs::path folder(options.out);
  writeFile(folder / "quantities.csv", [&](std::ostream& out) { writeQuantities(out, panes); });
  writeFile(folder / "convergence.csv", [&](std::ostream& out) { writeConvergence(out, panes); });
  if (options.contacts)
    writeFile(folder / "contacts.csv",
              [&](std::ostream& out) { writeContacts(out, panes, comparison.scene()); });
  writeFile(folder / "summary.txt", [&](std::ostream& out) { out << table; });
  writeFile(folder / "manifest.json", [&](std::ostream& out) {
    out << manifestText(comparison, options.time, options.commandLine) << '\n';
  });
}

/// The condition that begins with the newest frame, said in one line; empty: none.
std::string stopReason(const Comparison& comparison, const std::vector<StopCondition>& conditions) {
  for (int pane = 0; pane < comparison.paneCount(); ++pane) {
    const RecordPtr record = comparison.pane(pane).current();
    const RecordPtr before = comparison.history(pane).at(record->frame - 1);
    for (const StopCondition& condition : conditions)
      if (begins(condition, before.get(), *record))
        return record->method + ": " + toString(condition) + " at " + csvNumber(record->time) + " s (frame " +
               std::to_string(record->frame) + ")";
  }
  return {};
}

}  // namespace

int run(const RunOptions& given) {
  RunOptions options = given;
  std::vector<PaneSettings> panes;
  std::shared_ptr<const Scene> scene;
  if (!options.from.empty()) {
    const Manifest manifest = readManifest(options.from);
    scene = loadScene(resolveScene(options.scene.empty() ? manifest.scene : options.scene));
    checkHashes(manifest, *scene, options.from);
    panes = manifest.panes;
    if (options.dt == 0) options.dt = manifest.dt;
    if (options.time == 0) options.time = manifest.time;
  } else {
    if (options.scene.empty())
      throw std::invalid_argument("run: no scene; give a scene file or the name of a shipped scene");
    scene = loadScene(resolveScene(options.scene));
    panes = panesOf(options, *scene);
  }
  if (options.time == 0) options.time = scene->duration;
  if (!options.out.empty()) prepareResults(options.out, options.force);

  const ThreadLimit limit(options.threads > 0 ? options.threads : threadCount());
  // Tables hold every frame, however long the run.
  Comparison comparison(scene, panes, std::numeric_limits<std::size_t>::max());
  if (options.dt > 0) comparison.setDt(options.dt);
  std::vector<StopCondition> conditions;
  for (const std::string& text : options.stopOn) conditions.push_back(stopConditionOf(text));
  const long frames = frameCount(options.time, comparison.dt());
  std::unique_ptr<Recorder> recorder;
  if (!options.record.empty()) {
    recorder = std::make_unique<Recorder>(options.record, comparison, options.commandLine,
                                          options.force ? Earlier::Replace : Earlier::Keep);
  }
  std::string stopped;
  for (long frame = 0; frame < frames; ++frame) {
    comparison.step(false);
    if (recorder && !recorder->problem().empty()) throw std::runtime_error(recorder->problem());
    if (stopped = stopReason(comparison, conditions); !stopped.empty()) break;
    printProgress(static_cast<double>(frame + 1) / static_cast<double>(frames));
  }

  if (recorder) recorder->finish();

  std::vector<PaneSummary> summaries;
  bool failed = false;
  for (int pane = 0; pane < comparison.paneCount(); ++pane) {
    summaries.push_back(summarise(comparison.history(pane)));
    failed = failed || summaries.back().standsFrom >= 0;
  }
  const std::string table = "Scene " + scene->name + ", dt " + csvNumber(comparison.dt()) + " s, " +
                            csvNumber(options.time) + " s\n" + summaryTable(summaries);
  std::cout << table;
  for (int pane = 0; pane < comparison.paneCount(); ++pane)
    if (summaries[pane].standsFrom >= 0)
      std::cerr << summaries[pane].method << ": " << toString(comparison.pane(pane).current()->status)
                << " at " << summaries[pane].standsFrom
                << " s: " << comparison.pane(pane).current()->statusText << '\n';
  if (!stopped.empty()) std::cout << "Stopped on " << stopped << "\n";
  if (recorder) std::cout << "Recorded to " << options.record << "\n";
  if (!options.out.empty()) {
    writeResults(options, comparison, table);
    std::cout << "Written to " << options.out << "\n";
  }
  return failed ? kSimulationFailed : kDone;
}

}  // namespace touchstone::cli
