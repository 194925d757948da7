#include "app/cli/map_command.h"
#include <CLI/CLI.hpp>

#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "app/cli/checks.h"
#include "app/cli/interrupt.h"
#include "app/cli/motion_command.h"
#include "app/cli/pane_options.h"
#include "app/work/exit_codes.h"
#include "app/work/figure_files.h"
#include "app/work/program_info.h"
#include "app/work/result_folder.h"
#include "core/files/written_file.h"
#include "core/robot/scene_readers.h"
#include "core/run/pane_name.h"
#include "core/run/settings_json.h"
#include "core/scene/variation.h"
#include "core/statistics/parameter_map.h"
#include "core/store/provenance.h"
#include "core/study/map_figure.h"

namespace touchstone::cli {

namespace {

constexpr char kTable[] = "map.csv";
constexpr const char* kFigures[] = {"overlap", "end-speed"};  // of figuresOf()

/// All files that a map may write.
std::vector<std::string> resultFiles() {
  std::vector<std::string> files = {kTable};
  for (const char* figure : kFigures)
    for (const char* extension : kFigureExtensions) files.push_back(std::string(figure) + extension);
  return files;
}

nlohmann::ordered_json manifestOf(const ParameterMap& map, const Scene& scene, double dt,
                                  const std::string& command) {
  nlohmann::ordered_json json;
  json["touchstone_map"] = 1;
  json.update(provenanceOfRun(scene, dt, map.time, command));
  if (variesFrameLength(map.axes)) json.erase("dt_s");  // the axis has them
  json["pane"] = toJson(inForce(scene, map.settings));
  json["in_force"] = toJson(resolvedValues(scene, map.settings, dt));
  for (const MapAxis& axis : map.axes) json["axes"].push_back({{"key", axis.key}, {"values", axis.values}});
  return json;
}

void printPictures(const ParameterMap& map) {
  // Letters per line, or lines. More do not fit on a terminal; fewer hide pictures that would fit.
  constexpr std::size_t kMost = 60;
  if (map.axes.front().values.size() > kMost || map.axes.back().values.size() > kMost) {
    std::cout << "Too large for a picture here; --out writes every world to map.csv\n";
    return;
  }
  std::cout << pictureOf(map, "Deepest overlap of the run", &MapCell::depthMax) << '\n'
            << pictureOf(map, "Fastest body at the end", &MapCell::endSpeed)
            << "\nx diverged; n: 1e-n to 1e-(n-1) m or m/s (0: 1 or more); .: less than 1e-9\n";
}

/// Writes table, figures and manifest.
void writeResults(const ParameterMap& map, const Scene& scene, double dt, const std::string& command,
                  const ResultFolder& folder) {
  std::vector<std::string> written = {kTable};
  const nlohmann::ordered_json manifest = manifestOf(map, scene, dt, command);
  folder.announce(manifest);
  writeWhole(folder.path(kTable), [&](std::ostream& out) { out << csvOf(map); });
  if (canDraw()) {
    for (const Figure& figure : figuresOf(map, scene, dt)) writeFigure(figure, folder.path(figure.id));
    written = resultFiles();
  } else {
    std::cout << "This program draws no figures, since it was built without Qt; " << kTable
              << " has their numbers\n";
  }
  folder.finish(manifest, written);
}

void printWarnings(const std::vector<std::string>& warnings) {
  // Most warnings that are printed, because each replica may warn with its own numbers. More fill the
  // terminal; fewer hide different warnings.
  constexpr std::size_t kMost = 3;
  for (std::size_t index = 0; index < std::min(kMost, warnings.size()); ++index)
    std::cout << "Warning: " << warnings[index] << '\n';
  if (warnings.size() > kMost) std::cout << "and " << warnings.size() - kMost << " more\n";
}

}  // namespace

int map(const MapOptions& options) {
  if (!options.motion.empty()) return mapMotion(options);
  const auto scene = loadScene(resolveScene(options.scene));
  const std::vector<PaneSettings> panes = panesOf({{options.method}, options.sets, options.backend}, *scene);
  const std::vector<MapAxis> axes = axesOf(options.vary, panes.front().method);
  const bool variesFrame = variesFrameLength(axes);
  if (variesFrame && options.dt > 0)
    throw std::invalid_argument("--dt: --vary dt gives the frame lengths; leave out one of both");
  noteInterrupts();
  std::unique_ptr<ResultFolder> folder;
  if (!options.out.empty())
    folder = std::make_unique<ResultFolder>(
        options.out, options.force ? ResultFolder::Earlier::Replace : ResultFolder::Earlier::Keep,
        resultFiles());
  const double dt = options.dt > 0 ? options.dt : scene->dt;
  const double time = options.time > 0 ? options.time : scene->duration;
  const ParameterMap map = parameterMap(*scene, panes.front(), axes, dt, time, [](double share) {
    throwIfInterrupted();
    printProgress(share);
  });
  const auto diverged = std::count_if(map.cells.begin(), map.cells.end(),
                                      [](const MapCell& cell) { return cell.divergedAt >= 0; });
  std::cout << options.method << " on " << scene->name << ", " << map.time << " s, " << map.cells.size()
            << (variesFrame ? " worlds, those of each dt at once, on the " : " worlds at once on the ")
            << (map.backend == BackendKind::Cuda ? "CUDA device" : "CPU") << "; " << diverged
            << " diverged\n\n";
  printPictures(map);
  printWarnings(map.warnings);
  if (!folder) return kDone;
  writeResults(map, *scene, dt, options.commandLine, *folder);
  std::cout << "Written to " << options.out << "\n";
  return kDone;
}

namespace {

/// Declares the options for recorded motion.
void addMotionToMap(CLI::App& command, MapOptions& options) {
  CLI::Option* fitted =
      command
          .add_option("--motion", options.motion,
                      "CSV with recorded motion: which values come closest to it? Half of the tosses are "
                      "kept aside")
          ->excludes(command.get_option("--time"));
  command.add_option("--tosses", options.tosses, "only so many of its tosses, drawn by --seed")
      ->check(CLI::Range(2, 1'000'000))
      ->needs(fitted);
  command.add_option("--seed", options.seed, "draws the tosses, and those kept aside")
      ->check(CLI::Range(0, touchstone::kMostSeed))
      ->needs(fitted);
  command.add_option("--score", options.score, "of the centre: end, or mean from the first contact on")
      ->check(CLI::IsMember({"end", "mean"}))
      ->needs(fitted);
}

}  // namespace

Declared declareMap(CLI::App& command, const CommandLine& line) {
  const auto options = std::make_shared<MapOptions>();
  options->commandLine = line.called;
  command.add_option("scene", options->scene, "scene file, or the name of a shipped scene")->required();
  command.add_option("--method", options->method, "method, or method-solver: cpf, lcp-pgs")->required();
  command
      .add_option(
          "--vary", options->vary,
          "a number of the method, scene.friction, or dt, the frame length [s]: stiffness=1e3..1e6/16 or "
          "damping=0,10,100; once or twice")
      ->required();
  command.add_option("--backend", options->backend, "cpu or cuda")->check(CLI::IsMember({"cpu", "cuda"}));
  command.add_option("--dt", options->dt, "frame length [s]")->check(frameLength());
  command.add_option("--time", options->time, "time to simulate [s]")->check(positiveNumber());
  command.add_option("--set", options->sets, "method.key=value for all worlds; repeatable");
  command.add_option("--out", options->out, "folder for map.csv, its figures and manifest.json");
  command.add_flag("--force", options->force, "replace an earlier map in --out; never other files");
  addMotionToMap(command, *options);
  return [&command, options] {
    refuseIdle(command, {{"--force", {"--out"}}});
    return map(*options);
  };
}

}  // namespace touchstone::cli
