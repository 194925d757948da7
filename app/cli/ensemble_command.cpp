#include "app/cli/ensemble_command.h"
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "app/cli/checks.h"
#include "app/cli/interrupt.h"
#include "app/cli/pane_options.h"
#include "app/work/exit_codes.h"
#include "app/work/program_info.h"
#include "app/work/result_folder.h"
#include "core/files/file_bytes.h"
#include "core/files/scene_error.h"
#include "core/files/text_forms.h"
#include "core/files/written_file.h"
#include "core/robot/scene_readers.h"
#include "core/run/pane_name.h"
#include "core/run/settings_json.h"
#include "core/run/simulation.h"
#include "core/scene/frame_count.h"
#include "core/scene/variation.h"
#include "core/statistics/ensemble_tables.h"
#include "core/statistics/perturbed_copies.h"
#include "core/store/poses.h"
#include "core/store/provenance.h"
#include "core/trajectory/trajectory_file.h"

namespace touchstone::cli {

namespace {

namespace fs = std::filesystem;

constexpr char kEnsembleTable[] = "ensemble.csv", kCopies[] = "copies.csv", kVerdicts[] = "verdicts.csv",
               kEnsembleSummary[] = "summary.txt";

/// The plan of an ensemble, checked as far as possible before anything is computed or written.
struct EnsemblePlan {
  std::shared_ptr<const Scene> scene;
  std::vector<PaneSettings> panes;
  std::vector<std::string> labels;  ///< of the panes
  Ensemble ensemble;                ///< without its members
  struct Engine {
    std::string key, folder;
    std::vector<std::string> files;  ///< paths
  };
  std::vector<Engine> engines;
  double dt = 0, time = 0;  ///< s
};

/// The trajectory files of a folder, by name.
EnsemblePlan::Engine engineOf(const std::string& text, const std::vector<std::string>& labels) {
  const std::size_t equals = text.find('=');
  EnsemblePlan::Engine engine;
  engine.key = text.substr(0, equals);
  const auto fail = [&text](const std::string& problem, const std::string& remedy) {
    throw std::invalid_argument(text + ": " + problem + "; " + remedy);
  };
  if (equals == std::string::npos || !isTrajectoryKey(engine.key))
    fail("is not of the form KEY=FOLDER",
         "write for example bullet=DIR, the key of letters, digits, - _ and .");
  if (std::count(labels.begin(), labels.end(), engine.key)) fail("the key is used twice", "choose another");
  engine.folder = text.substr(equals + 1);
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(engine.folder, error)) {
    std::error_code ignored;
    if (entry.path().extension() != ".csv" || !entry.is_regular_file(ignored)) continue;
    std::ifstream file(entry.path());
    std::string head;
    std::getline(file, head);
    if (head.rfind("# touchstone_contacts", 0) != 0) engine.files.push_back(entry.path().string());
  }
  if (error) fail("the folder cannot be read (" + error.message() + ")", "check its name");
  std::sort(engine.files.begin(), engine.files.end());
  if (engine.files.size() < 2)
    fail("the folder holds fewer than two trajectory files (.csv)",
         "write one for each copy, for example copy-00.csv");
  return engine;
}

EnsemblePlan ensemblePlanOf(const EnsembleOptions& options) {
  EnsemblePlan plan;
  plan.scene = loadScene(resolveScene(options.scene));
  if (!options.methods.empty() || options.engines.empty())
    plan.panes = panesOf({options.methods, options.sets, options.backend}, *plan.scene);
  else if (!options.sets.empty())
    applySet(options.sets.front(), plan.panes);  // refuses it: there are engines only
  plan.labels = paneLabels(*plan.scene, plan.panes);
  std::vector<std::string> keys = plan.labels;
  for (const std::string& text : options.engines) {
    plan.engines.push_back(engineOf(text, keys));
    keys.push_back(plan.engines.back().key);
  }
  plan.ensemble.perturbation = {options.copies, options.perturb, static_cast<std::uint32_t>(options.seed)};
  plan.ensemble.alpha = options.alpha;
  for (const std::string& text : options.quantities) try {
      plan.ensemble.quantities.push_back(ensembleQuantityOf(text, *plan.scene));
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument(std::string("--quantity ") + error.what());
    }
  for (const std::string& text : options.margins) try {
      plan.ensemble.margins.push_back(ensembleMarginOf(text, plan.ensemble.quantities));
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument(std::string("--margin ") + error.what());
    }
  plan.dt = options.dt > 0 ? options.dt : plan.scene->dt;
  plan.time = options.time > 0 ? options.time : plan.scene->duration;
  frameCount(plan.time, plan.dt);  // refuses what is no run
  for (const EnsembleQuantity& quantity : plan.ensemble.quantities)
    if (!plan.panes.empty() && quantity.time > plan.time + 0.5 * plan.dt)
      throw std::invalid_argument("--quantity " + quantity.text + ": is after the end of the run at " +
                                  csvNumber(plan.time) + " s; give a larger --time");
  return plan;
}

std::string numbered(const std::string& stem, int copy, int copies, const std::string& ending) {
  std::string number = std::to_string(copy);
  const std::size_t digits = std::to_string(copies - 1).size();
  number.insert(0, digits - std::min(digits, number.size()), '0');
  return stem + "-" + number + ending;
}

/// Folder of a pane's trajectory files, within that of the ensemble.
std::string poseFolder(const std::string& label) { return "poses-" + plainName(label); }

std::vector<std::string> filesOf(const EnsemblePlan& plan, bool poses) {
  std::vector<std::string> files = {kEnsembleTable, kCopies, kVerdicts, kEnsembleSummary};
  const int copies = plan.ensemble.perturbation.copies;
  for (std::size_t pane = 0; poses && pane < plan.labels.size(); ++pane)
    for (int copy = 0; copy < copies; ++copy)
      files.push_back(poseFolder(plan.labels[pane]) + "/" + numbered("copy", copy, copies, ".csv"));
  return files;
}

/// Trajectory files of all copies under one method.
class CopyPoses {
 public:
  CopyPoses(const ResultFolder& folder, const EnsemblePlan& plan, std::size_t pane) : m_scene(*plan.scene) {
    const int copies = plan.ensemble.perturbation.copies;
    createFolder(folder.path(poseFolder(plan.labels[pane])));
    for (int copy = 0; copy < copies; ++copy) {
      m_files.push_back(std::make_unique<GrowingFile>(
          folder.path(poseFolder(plan.labels[pane]) + "/" + numbered("copy", copy, copies, ".csv"))));
      m_files.back()->add(poseHeader(m_scene, plan.labels[pane] + ", copy " + std::to_string(copy),
                                     plan.dt / plan.panes[pane].substeps));
    }
  }
  void add(int copy, const StepRecord& record) { m_files[copy]->add(poseLines(record, m_scene)); }
  void finish() {
    for (const auto& file : m_files) file->finish();
  }

 private:
  const Scene& m_scene;
  std::vector<std::unique_ptr<GrowingFile>> m_files;
};

/// @throws SceneError if a file of an engine has other times than the first
void requireSameTimes(const Trajectory& first, const Trajectory& other) {
  const std::string remedy = "write all copies with the same times";
  if (other.sampleCount() != first.sampleCount())
    throw SceneError(other.name, "",
                     "has " + std::to_string(other.sampleCount()) + " times, and " + first.name + " has " +
                         std::to_string(first.sampleCount()),
                     remedy);
  for (std::size_t sample = 0; sample < first.sampleCount(); ++sample) {
    // Of a time, for files that print few digits. Larger: other times count as equal; smaller: rounding does
    // not.
    constexpr double kRounding = 1e-6;
    if (!(std::abs(other.times[sample] - first.times[sample]) <= kRounding * (1 + first.times[sample])))
      throw SceneError(other.name, "",
                       "has the time " + csvNumber(other.times[sample]) + " s where " + first.name + " has " +
                           csvNumber(first.times[sample]) + " s",
                       remedy);
  }
}

EnsembleMember memberOf(const EnsemblePlan& plan, const EnsemblePlan::Engine& engine) {
  std::vector<Trajectory> copies;
  std::vector<std::string> warnings;
  for (const std::string& file : engine.files) {
    throwIfInterrupted();
    std::vector<std::string> warningsOfFile;
    copies.push_back(readTrajectory(plan.scene, file, {}, &warningsOfFile));
    copies.back().name = file;
    requireSameTimes(copies.front(), copies.back());
    for (const std::string& warning : warningsOfFile)
      if (!std::count(warnings.begin(), warnings.end(), warning)) warnings.push_back(warning);
  }
  EnsembleMember member = ensembleOf(copies, plan.ensemble.quantities, plan.ensemble.perturbation.size);
  member.label = engine.key;
  member.warnings = warnings;
  return member;
}

nlohmann::ordered_json manifestOfEnsemble(const EnsemblePlan& plan, const std::string& command) {
  nlohmann::ordered_json json;
  json["touchstone_ensemble"] = 1;
  json.update(provenanceOfRun(*plan.scene, plan.dt, plan.time, command));
  const Perturbation& start = plan.ensemble.perturbation;
  if (!plan.panes.empty()) {  // not known of files of engines
    json["copies"] = start.copies;
    json["perturb_m"] = start.size;
    json["seed"] = start.seed;
  }
  json["alpha"] = plan.ensemble.alpha;
  for (const EnsembleQuantity& quantity : plan.ensemble.quantities)
    json["quantities"].push_back(quantity.text);
  for (const EnsembleMargin& margin : plan.ensemble.margins)
    json["margins"][margin.key] =
        margin.isShare ? csvNumber(100 * margin.value) + "%" : csvNumber(margin.value);
  for (std::size_t pane = 0; pane < plan.panes.size(); ++pane)
    json["panes"].push_back({{"label", plan.labels[pane]},
                             {"settings", toJson(inForce(*plan.scene, plan.panes[pane]))},
                             {"values", toJson(resolvedValues(*plan.scene, plan.panes[pane], plan.dt))}});
  for (const EnsemblePlan::Engine& engine : plan.engines) {
    nlohmann::ordered_json files;
    for (const std::string& file : engine.files) {
      std::error_code ignored;
      if (fs::file_size(file, ignored) <= kMostFileBytes)
        files[fs::path(file).filename().string()] = hashOf(readFile(file, ""));
    }
    json["engines"][engine.key] = {{"folder", engine.folder}, {"hashes", files}};
  }
  return json;
}

/// A scene file for each copy. Files of others stay.
void writeScenes(const EnsemblePlan& plan, const EnsembleOptions& options) {
  const int copies = plan.ensemble.perturbation.copies;
  std::map<std::string, std::string> texts;  // by name; the copies share their meshes
  for (int copy = 0; copy < copies; ++copy) {
    const CopyFiles files = copyFiles(*plan.scene, plan.ensemble.perturbation, copy);
    texts[numbered(plan.scene->name, copy, copies, ".json")] = files.scene;
    if (copy == 0) texts.insert(files.meshes.begin(), files.meshes.end());
  }
  std::vector<std::string> names;
  for (const auto& [name, text] : texts) names.push_back(name);
  // Hidden, so that a loop over *.json finds scenes only.
  const ResultFolder folder(options.scenes,
                            options.force ? ResultFolder::Earlier::Replace : ResultFolder::Earlier::Keep,
                            names, ".scenes-manifest.json");
  const nlohmann::ordered_json manifest{{"touchstone_files", 1}, {"command", options.commandLine}};
  folder.announce(manifest);
  for (const auto& [name, text] : texts) {
    createFolder(fs::path(folder.path(name)).parent_path().string());
    writeWhole(folder.path(name), [&content = text](std::ostream& out) { out << content; });
  }
  folder.finish(manifest, names);
}

void writeEnsemble(const Ensemble& ensemble, const std::vector<EnsembleVerdict>& verdicts,
                   const std::string& summary, const ResultFolder& folder) {
  const auto write = [&folder](const char* name, const std::string& text) {
    writeWhole(folder.path(name), [&](std::ostream& out) { out << text; });
  };
  write(kEnsembleTable, ensembleCsv(ensemble));
  write(kCopies, copiesCsv(ensemble));
  write(kVerdicts, verdictsCsv(ensemble, verdicts));
  write(kEnsembleSummary, printable(summary));
}

}  // namespace

int ensemble(const EnsembleOptions& options) {
  EnsemblePlan plan = ensemblePlanOf(options);
  if (options.poses && options.out.empty()) throw std::invalid_argument("--poses: writes files; give --out");
  noteInterrupts();
  std::unique_ptr<ResultFolder> folder;
  if (!options.out.empty())
    folder = std::make_unique<ResultFolder>(
        options.out, options.force ? ResultFolder::Earlier::Replace : ResultFolder::Earlier::Keep,
        filesOf(plan, options.poses));
  if (!options.scenes.empty()) writeScenes(plan, options);
  for (std::size_t pane = 0; pane < plan.panes.size(); ++pane) {
    std::unique_ptr<CopyPoses> poses;
    if (options.poses) poses = std::make_unique<CopyPoses>(*folder, plan, pane);
    EnsembleProgress progress;
    progress.share = [&](double share) {
      throwIfInterrupted();
      printProgress((static_cast<double>(pane) + share) / static_cast<double>(plan.panes.size()));
    };
    if (poses) progress.copy = [&](int copy, const StepRecord& record) { poses->add(copy, record); };
    try {
      plan.ensemble.members.push_back(runEnsemble(plan.scene, plan.panes[pane], plan.ensemble.quantities,
                                                  plan.ensemble.perturbation, plan.dt, plan.time, progress,
                                                  options.secondsPerFrame));
    } catch (const std::runtime_error& error) {
      if (std::string(error.what()).rfind(kEndedByClock, 0) != 0) throw;
      std::cerr << "ensemble: " << plan.labels[pane] << ": " << error.what() << '\n';
      return kSimulationFailed;
    }
    plan.ensemble.members.back().label = plan.labels[pane];
    if (poses) poses->finish();
  }
  endOnInterrupts();  // files are read
  for (const EnsemblePlan::Engine& engine : plan.engines)
    plan.ensemble.members.push_back(memberOf(plan, engine));
  noteInterrupts();
  if (const std::string problem = problemOfEnds(plan.ensemble); !problem.empty())
    throw std::invalid_argument("--quantity " + problem);
  const std::vector<EnsembleVerdict> verdicts = verdictsOf(plan.ensemble);
  const std::string summary = ensembleSummary(plan.ensemble, verdicts, plan.scene->name, plan.time);
  std::cout << summary;
  if (!options.scenes.empty()) std::cout << "Scenes of the copies written to " << options.scenes << "\n";
  if (!folder) return kDone;
  const nlohmann::ordered_json manifest = manifestOfEnsemble(plan, options.commandLine);
  folder->announce(manifest);
  writeEnsemble(plan.ensemble, verdicts, summary, *folder);
  folder->finish(manifest, filesOf(plan, options.poses));
  std::cout << "Written to " << options.out << "\n";
  return kDone;
}

namespace {

/// Refuses options that would be ignored.   @throws std::invalid_argument
void refuseIdleOfEnsemble(const CLI::App& command) {
  refuseIdle(command, {{"--force", {"--out", "--scenes"}}});
  // Trajectories of other engines have their own steps and starts.
  if (command.count("--engine") > 0)
    refuseIdle(command, {{"--backend", {"--methods"}},
                         {kSecondsPerFrame, {"--methods"}},
                         {"--dt", {"--methods"}},
                         {"--time", {"--methods"}},
                         {"--poses", {"--methods"}},
                         {"--copies", {"--methods", "--scenes"}},
                         {"--seed", {"--methods", "--scenes"}}});
}

}  // namespace

Declared declareEnsemble(CLI::App& command, const CommandLine& line) {
  const auto options = std::make_shared<EnsembleOptions>();
  options->commandLine = line.called;
  command.add_option("scene", options->scene, "scene file, or the name of a shipped scene")->required();
  command.add_option("--methods", options->methods, "methods, for example cpf,lcp")->delimiter(',');
  command
      .add_option("--quantity", options->quantities,
                  "mean_height, body_height:NAME or a measured quantity, at the end, or @TIME, @max, "
                  "@mean, @median; repeatable")
      ->required()
      ->allow_extra_args(false);
  command
      .add_option("--engine", options->engines,
                  "KEY=FOLDER: trajectory files of the copies by another engine, in order of their names; "
                  "repeatable")
      ->allow_extra_args(false);
  command
      .add_option("--margin", options->margins,
                  "difference of a quantity that counts as none: Q=2% or Q=0.005; repeatable")
      ->allow_extra_args(false);
  command.add_option("--copies", options->copies, "copies, the first as the scene is")
      ->check(CLI::Range(1, touchstone::kMostCopies));
  command.add_option("--perturb", options->perturb, "size of the difference of their starts [m]")
      ->check(numberFrom(0));
  command.add_option("--seed", options->seed, "of these differences")
      ->check(CLI::Range(0, touchstone::kMostSeed));
  command.add_option("--alpha", options->alpha, "chance of a false difference")
      ->check(numberFrom(1e-6, 0.499));
  command.add_option("--backend", options->backend, "cpu or cuda")->check(CLI::IsMember({"cpu", "cuda"}));
  command.add_option("--dt", options->dt, "frame length [s]")->check(frameLength());
  command.add_option("--time", options->time, "time to simulate [s]")->check(positiveNumber());
  addSecondsPerFrame(command, options->secondsPerFrame);
  command.add_option("--set", options->sets, "method.key=value; repeatable");
  command.add_option("--out", options->out,
                     "folder for ensemble.csv, copies.csv, verdicts.csv, summary.txt and manifest.json");
  command.add_flag("--poses", options->poses, "also write a trajectory file of each copy");
  command.add_option("--scenes", options->scenes, "folder for a scene file of each copy, for other engines");
  command.add_flag("--force", options->force, "replace an earlier ensemble in --out; never other files");
  return [&command, options] {
    refuseIdleOfEnsemble(command);
    return ensemble(*options);
  };
}

}  // namespace touchstone::cli
