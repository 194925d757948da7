#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/checks.h"
#include "app/cli/conform_command.h"
#include "app/cli/conform_options.h"
#include "app/cli/interrupt.h"
#include "app/work/exit_codes.h"
#include "app/work/figure_files.h"
#include "app/work/program_info.h"
#include "app/work/result_folder.h"
#include "core/conform/cost.h"
#include "core/files/listed.h"
#include "core/files/text_forms.h"
#include "core/files/written_file.h"
#include "core/parallel/parallel_for.h"
#include "core/run/pane_name.h"
#include "core/store/provenance.h"

namespace touchstone::cli {

namespace {

constexpr char kCostText[] = "cost.txt", kCostCsv[] = "cost.csv", kCostJson[] = "cost.json",
               kCostFigure[] = "cost";

std::vector<std::string> costFiles() {
  std::vector<std::string> files = {kCostText, kCostCsv, kCostJson};
  for (const char* extension : kFigureExtensions) files.push_back(std::string(kCostFigure) + extension);
  return files;
}

FigureCurve curveOf(const CostTable& table, const Phenomenon& phenomenon, const Measure& measure,
                    const std::string& column) {
  FigureCurve curve;
  curve.label = column;
  curve.method = paneNamed(column.substr(0, column.find_first_of(":,"))).method;
  for (const CostPoint& point : table.points) {
    if (point.phenomenon != phenomenon.name || point.measure != measure.id || point.column != column)
      continue;
    if (!(point.processor > 0)) continue;
    if (std::isnan(point.error)) {
      curve.crosses.push_back(point.processor);
    } else {
      curve.x.push_back(point.processor);
      curve.y.push_back(point.error > 0 ? point.error : NAN);  // none on a logarithmic axis
    }
  }
  return curve;
}

/// The effects of the step on a measure, each with the columns that have it.
std::string effectsOf(const CostTable& table, const Phenomenon& phenomenon, const Measure& measure) {
  std::vector<std::pair<std::string, std::string>> groups;  // effect, columns
  for (const StepEffect& effect : table.effects) {
    if (effect.phenomenon != phenomenon.name || effect.measure != measure.id) continue;
    const std::string text = effect.text.substr(0, effect.text.find(" ("));
    const auto found =
        std::find_if(groups.begin(), groups.end(), [&](const auto& group) { return group.first == text; });
    if (found == groups.end())
      groups.emplace_back(text, effect.column);
    else
      found->second += ", " + effect.column;
  }
  return phenomenon.name + " – " +
         listed(groups, "; ", [](const auto& group) { return group.first + ": " + group.second; });
}

Figure costFigure(const CostTable& table) {
  Figure figure;
  figure.id = kCostFigure;
  figure.title = "Error against cost, settings " + std::string(toString(table.settings));
  figure.columns = table.phenomena.size() > 1 ? 2 : 1;
  figure.caption =
      "Each curve has the steps of its column times " + listed(costFactors(), ", ", fourDigits) +
      ", from left to right. Processor times are those of the steps without measuring. A cross is a run "
      "without the number. The effect of the step on the error:";
  for (const Phenomenon& phenomenon : table.phenomena) {
    const Measure& measure = *shownMeasure(phenomenon);
    FigurePanel panel;
    panel.title = phenomenon.name + ": " + measure.title;
    panel.xLabel = "processor time [s]";
    panel.yLabel = "|error|" + (measure.unit.empty() ? "" : " [" + measure.unit + "]");
    panel.xLog = panel.yLog = true;
    std::map<std::string, int> variants;
    for (const std::string& column : table.columns) {
      panel.curves.push_back(curveOf(table, phenomenon, measure, column));
      panel.curves.back().variant = variants[panel.curves.back().method]++;
    }
    figure.panels.push_back(panel);
    figure.caption += (figure.panels.size() > 1 ? ". " : " ") + effectsOf(table, phenomenon, measure);
  }
  figure.caption += ".";
  return figure;
}

void writeCost(const ResultFolder& folder, const CostTable& table, const std::string& command) {
  nlohmann::ordered_json manifest;
  manifest["touchstone_cost_manifest"] = 1;
  manifest["provenance"] = provenance();
  manifest["command"] = command;
  manifest["battery_version"] = kBatteryVersion;
  manifest["settings"] = toString(table.settings);
  manifest["columns"] = table.columns;
  manifest["steps"] = costFactors();
  for (const Phenomenon& phenomenon : table.phenomena) manifest["phenomena"].push_back(phenomenon.name);
  folder.announce(manifest);
  std::vector<std::string> written = {kCostText, kCostCsv, kCostJson};
  const auto put = [&](const char* name, const std::string& text) {
    writeWhole(folder.path(name), [&](std::ostream& out) { out << text; });
  };
  put(kCostText, textOf(table));
  put(kCostCsv, csvOf(table));
  put(kCostJson, jsonOf(table));
  if (canDraw()) {
    writeFigure(costFigure(table), folder.path(kCostFigure));
    written = costFiles();
  } else {
    std::cout << "This program draws no figures, since it was built without Qt; " << kCostCsv
              << " has their numbers\n";
  }
  folder.finish(manifest, written);
}

}  // namespace

int conformCost(const ConformOptionsOfCli& options) {
  const std::vector<Phenomenon> phenomena =
      phenomenaNamed(options.names.empty() ? costPhenomena() : options.names);
  ConformOptions how;
  for (const CardColumn& column : columnsOf(options)) {
    if (!column.isForeign())
      how.columns.push_back(column);
    else
      std::cerr << column.label
                << " takes no part: its files are of one step, and no other step can be made of them\n";
  }
  how.settings = options.settings == "published" ? ConformSettings::Published : ConformSettings::Battery;
  how.jobs = options.jobs > 0 ? options.jobs : threadCount();
  how.progress = [](double share) {
    throwIfInterrupted();
    printProgress(share);
  };
  noteInterrupts();
  std::unique_ptr<ResultFolder> folder;
  if (!options.out.empty())
    folder = std::make_unique<ResultFolder>(
        options.out, options.force ? ResultFolder::Earlier::Replace : ResultFolder::Earlier::Keep,
        costFiles());
  const ThreadLimit limit(1);  // the processor time of steps is that of one thread
  const CostTable table = costOf(phenomena, how);
  if (table.phenomena.empty())
    throw std::invalid_argument(
        "conform --cost: no measure of these phenomena has an exact answer and one run; choose others");
  std::cout << textOf(table);
  if (folder) {
    writeCost(*folder, table, options.commandLine);
    std::cout << "Written to " << options.out << "\n";
  }
  return kDone;
}

bool isCostCall(int argc, char** argv) {
  return argc > 2 && std::string(argv[1]) == "conform" &&
         std::any_of(argv + 2, argv + argc, [](const char* word) { return std::string(word) == "--cost"; });
}

namespace {

void addCost(CLI::App& cost, ConformOptionsOfCli& options) {
  cost.add_option("phenomena", options.names,
                  "names or numbers of phenomena, or files; default: " + listed(costPhenomena(), ", "));
  cost.add_option("--methods", options.methods, "columns, as for conform")->delimiter(',');
  cost.add_option("--trajectory", options.trajectories,
                  "KEY=FOLDER: takes no part, since the step of a file cannot be changed; repeatable");
  cost.add_option("--settings", options.settings, "battery or published: the steps that are changed")
      ->check(CLI::IsMember({"battery", "published"}));
  cost.add_option("--jobs", options.jobs, "runs side by side")->check(CLI::Range(1, 1024));
  cost.add_option("--out", options.out, "folder for cost.txt, .csv, .json and the figure");
  cost.add_flag("--force", options.force, "replace earlier results in --out; never other files");
  cost.footer(
      "Each column runs with 4, 2, 1 and 1/2 times the length of its steps. Frames keep their length where "
      "its "
      "substeps can be changed so, else they are so many times as long.\n"
      "The text tells error and processor time of the primary measures, and the observed order; files tell "
      "all measures with an exact answer and one run.");
}

}  // namespace

int costCall(int argc, char** argv, const CommandLine& line) {
  CLI::App cost("Error against processor time of the card's numbers, at four lengths of each column's steps",
                "touchstone-cli conform --cost");
  ConformOptionsOfCli options;
  options.commandLine = line.called;
  addCost(cost, options);
  std::vector<std::string> words;  // as the parser takes them: last first
  for (int index = argc - 1; index > 1; --index)
    if (std::string(argv[index]) != "--cost") words.emplace_back(argv[index]);
  try {
    cost.parse(words);
  } catch (const CLI::ParseError& error) {
    return cost.exit(error) == 0 ? kDone : kBadInput;
  }
  refuseIdle(cost, {{"--force", {"--out"}}});
  return conformCost(options);
}

}  // namespace touchstone::cli
