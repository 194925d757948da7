#include "app/cli/conform_command.h"
#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <ostream>
#include <sstream>

#include "app/cli/checks.h"
#include "app/cli/conform_options.h"
#include "app/cli/interrupt.h"
#include "app/cli/kit_command.h"
#include "app/cli/pane_options.h"
#include "app/work/exit_codes.h"
#include "app/work/program_info.h"
#include "app/work/run_files.h"
#include "core/conform/card_texts.h"
#include "core/conform/kit.h"
#include "core/files/json_view.h"
#include "core/files/listed.h"
#include "core/files/written_file.h"
#include "core/parallel/parallel_for.h"
#include "core/run/pane_name.h"
#include "core/statistics/summary.h"
#include "core/store/provenance.h"
#include "core/store/recorder.h"

namespace touchstone::cli {

namespace {

namespace fs = std::filesystem;

constexpr char kText[] = "card.txt", kCsv[] = "card.csv", kJson[] = "card.json", kHtml[] = "card.html",
               kTex[] = "card.tex";

/// The files of one run: as of `run --out`, with a recording.
class RunWriter : public ConformObserver {
 public:
  RunWriter(const std::string& folder, Comparison& comparison, const std::string& command, double time)
      : m_notes{command, time},
        m_labels(paneLabels(comparison.scene(), comparison.settings().panes)),
        m_files(folder, ResultFolder::Earlier::Replace, {true, false, false, {}, {kRecording, kChangedScene}},
                m_labels),
        m_recorder((fs::path(folder) / kRecording).string(), comparison, command, Earlier::Replace) {
    m_files.begin(comparison, m_notes);
    writeChangedScene(folder, comparison.scene());
  }
  void stepped(const Comparison& comparison) override { m_files.add(comparison); }
  void finished(const Comparison& comparison) override {
    m_notes.end = kComplete;
    const std::vector<PaneSummary> summaries = summariesOf(comparison, m_labels);
    for (const PaneSummary& summary : summaries) m_notes.delivered.push_back(summary.delivered);
    m_recorder.finish();
    m_files.finish(comparison, "Scene " + comparison.scene().name + "\n" + summaryTable(summaries), m_notes);
  }

 private:
  static constexpr char kRecording[] = "recording.touchstone";
  static void writeChangedScene(const std::string& folder, const Scene& scene) {
    const std::string path = (fs::path(folder) / kChangedScene).string();
    const auto source = scene.sources.find(kChangedScene);
    if (scene.file != path || source == scene.sources.end()) return;
    writeWhole(path, [&](std::ostream& out) { out << *source->second.bytes; });
  }
  RunNotes m_notes;
  std::vector<std::string> m_labels;
  RunFiles m_files;
  Recorder m_recorder;
};

int list(const std::vector<std::string>& names) {
  std::cout << "The battery, version " << kBatteryVersion << "\n";
  for (const Phenomenon& phenomenon : phenomenaNamed(names)) {
    std::cout << phenomenon.number << "  " << phenomenon.name << ": " << phenomenon.title << "\n     "
              << phenomenon.question << "\n";
    for (const PhenomenonRun& run : phenomenon.runs)
      std::cout << "       " << sentenceOf(phenomenon, run) << "\n";
    for (const Measure& measure : phenomenon.measures) {
      std::cout << "       " << measure.title;
      if (measure.exact)
        std::cout << " = " << *measure.exact << (measure.unit.empty() ? "" : " " + measure.unit) << " ± "
                  << measure.tolerance.of(*measure.exact);
      std::cout << '\n';
    }
  }
  return kDone;
}

/// KEY=FOLDER
CardColumn foreignColumn(const std::string& text) {
  const std::size_t equals = text.find('=');
  const std::string key = text.substr(0, equals);
  const bool isKey = !key.empty() && std::all_of(key.begin(), key.end(), [](unsigned char c) {
    return std::isalnum(c) || c == '-' || c == '_' || c == '.';
  });
  if (equals == std::string::npos || !isKey)
    throw std::invalid_argument("--trajectory " + text +
                                ": is not of the form KEY=FOLDER; write for example "
                                "bullet=trajectories (letters, digits, - _ .)");
  const std::string folder = text.substr(equals + 1);
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored))
    throw std::invalid_argument("--trajectory " + text + ": there is no folder " + folder +
                                "; give the folder of SCENE.csv files");
  return {key, folder};
}

/// Refuses a column that no scene could run: an unknown method, solver or parameter, or a value out of range.
/// Otherwise its cells would all be n/a.
void requireColumn(const std::string& label) {
  const auto fail = [&label](const std::string& problem) {
    throw std::invalid_argument("--methods " + label + ": " + problem);
  };
  std::string words = label;
  std::replace(words.begin(), words.end(), ',', ':');
  std::istringstream parts(words);
  std::string part;
  std::getline(parts, part, ':');
  PaneSettings pane = paneNamed(part);
  const MethodInfo* method = findMethod(pane.method);
  if (!method) fail("'" + pane.method + "' is no method; touchstone-cli list names them");
  std::vector<std::string> known = {"solver", "substeps"};
  for (const ParameterSpec& spec : method->parameters) known.push_back(spec.key);
  while (std::getline(parts, part, ':')) {
    const std::string key = part.substr(0, part.find('='));
    if (key.size() == part.size()) fail("'" + part + "' is not of the form key=value");
    const ParameterValue value = valueOfWord(part.substr(key.size() + 1));
    if (!std::count(known.begin(), known.end(), currentKey(key))) {
      const std::string nearest = nearestName(key, known);
      fail("'" + key + "' is no parameter of " + method->key + "; " +
           (nearest.empty() ? "known are " + listed(known) : "did you mean '" + nearest + "'?"));
    }
    try {
      applyKey(key, value, pane);
    } catch (const std::invalid_argument& error) {
      fail(error.what());
    }
    const ParameterSpec* spec = findParameter(*method, key);
    const std::string problem = spec ? refusal(*spec, value) : std::string();
    if (!problem.empty()) fail(key + " " + problem + "; give such a value");
  }
  if (!pane.solver.empty() && !std::count(method->solvers.begin(), method->solvers.end(), pane.solver))
    fail("'" + pane.solver + "' is no solver of " + method->key + "; " +
         (method->solvers.empty() ? "it needs none" : "choose one of " + listed(method->solvers)));
}

}  // namespace

std::vector<CardColumn> columnsOf(const ConformOptionsOfCli& options) {
  std::vector<CardColumn> columns;
  const bool isOfFilesAlone = options.methods.empty() && !options.trajectories.empty();
  const auto words = isOfFilesAlone            ? std::vector<std::string>()
                     : options.methods.empty() ? defaultColumns()
                                               : paneWords(options.methods);
  for (const std::string& word : words) columns.push_back({word, ""});
  for (const std::string& text : options.trajectories) columns.push_back(foreignColumn(text));
  for (std::size_t column = 0; column < columns.size(); ++column) {
    for (std::size_t other = 0; other < column; ++other)
      if (columns[other].label == columns[column].label)
        throw std::invalid_argument("conform: two columns are named '" + columns[column].label +
                                    "'; remove one or rename its KEY");
    if (columns[column].isForeign()) continue;
    requireColumn(columns[column].label);
  }
  return columns;
}

namespace {

nlohmann::ordered_json manifestOf(const Card& card, const std::string& command) {
  nlohmann::ordered_json json;
  json["touchstone_card_manifest"] = 1;
  json["provenance"] = provenance();
  json["command"] = command;
  json["battery_version"] = kBatteryVersion;
  json["settings"] = toString(card.settings);
  json["columns"] = card.columns;
  json["efforts"] = effortsOf(card);
  for (const Phenomenon& phenomenon : card.phenomena) json["phenomena"].push_back(phenomenon.name);
  return json;
}

void write(const ResultFolder& folder, const Card& card, const std::string& command) {
  const auto put = [&](const char* name, const std::string& text) {
    writeWhole(folder.path(name), [&](std::ostream& out) { out << text; });
  };
  const nlohmann::ordered_json manifest = manifestOf(card, command);
  folder.announce(manifest);
  put(kText, textOf(card));
  put(kCsv, csvOf(card));
  put(kJson, jsonOf(card));
  put(kHtml, htmlOf(card, command));
  put(kTex, texOf(card));
  folder.finish(manifest, {kText, kCsv, kJson, kHtml, kTex});
}

/// Says once for a column which of its files are not there.
void warnOfMissing(const CardColumn& column, const std::vector<Phenomenon>& phenomena) {
  std::vector<std::string> missing;
  std::size_t count = 0;
  for (const Phenomenon& phenomenon : phenomena)
    for (const PhenomenonRun& run : phenomenon.runs) {
      ++count;
      if (trajectoryIn(column.folder, phenomenon, run).empty())
        missing.push_back(trajectoryNames(phenomenon, run).front());
    }
  if (missing.empty()) return;
  std::cerr << "Warning: " << column.label << ": " << missing.size() << " of " << count
            << " trajectories are not there: " << listed(missing) << "; `touchstone-cli conform --check "
            << column.folder << "` says what else is missing\n";
}

/// Columns, settings, jobs and progress that the options ask for.
ConformOptions cardOptionsOf(const ConformOptionsOfCli& options, ConformSettings settings) {
  ConformOptions how;
  how.columns = columnsOf(options);
  how.settings = settings;
  how.jobs = options.jobs > 0 ? options.jobs : threadCount();
  how.progress = [&options](double share) {
    throwIfInterrupted();
    options.progress ? options.progress(share) : printProgress(share);
  };
  return how;
}

}  // namespace

Card cardOfMethods(const ConformOptionsOfCli& options, const std::vector<Phenomenon>& phenomena,
                   ConformSettings settings) {
  const ConformOptions how = cardOptionsOf(options, settings);
  noteInterrupts();
  const ThreadLimit limit(1);  // as below
  return touchstone::conform(phenomena, how, false);
}

int conform(const ConformOptionsOfCli& options) {
  if (options.list) return list(options.names);
  if (!options.kit.empty()) return writeKit(options);
  if (!options.check.empty()) return checkFolder(options);
  if (!options.verify.empty()) return verifyCard(options);
  const std::vector<Phenomenon> phenomena = phenomenaNamed(options.names);
  const auto earlier = options.expect.empty() ? std::vector<EarlierNumber>() : readCard(options.expect);
  ConformOptions how = cardOptionsOf(
      options, options.settings == "published" ? ConformSettings::Published : ConformSettings::Battery);
  for (const CardColumn& column : how.columns)
    if (column.isForeign()) warnOfMissing(column, phenomena);
  how.secondsPerFrame = options.secondsPerFrame;
  how.secondsPerColumn = options.secondsPerColumn;
  how.folder = options.out;
  std::mutex mutex;
  how.warn = [&mutex](const std::string& warning) {
    const std::lock_guard<std::mutex> lock(mutex);
    std::cerr << "Warning: " << warning << '\n';
  };
  if (!options.quiet) noteInterrupts();  // the workbench ends by a signal as it always does
  std::unique_ptr<ResultFolder> folder;
  if (!options.out.empty()) {
    folder = std::make_unique<ResultFolder>(
        options.out, options.force ? ResultFolder::Earlier::Replace : ResultFolder::Earlier::Keep,
        std::vector<std::string>{kText, kCsv, kJson, kHtml, kTex});
    how.observe = [&options](const std::string& name, Comparison& comparison, double time) {
      return std::make_unique<RunWriter>((fs::path(options.out) / name).string(), comparison,
                                         options.commandLine, time);
    };
  }
  const ThreadLimit limit(1);  // runs side by side use cores better than one run with all cores
  const Card card = touchstone::conform(phenomena, how, options.controls);
  if (!options.quiet) std::cout << textOf(card);
  if (folder) {
    write(*folder, card, options.commandLine);
    if (!options.quiet) std::cout << "Written to " << options.out << "\n";
  }
  int code = kDone;
  if (!options.expect.empty()) {
    const CardComparison comparison = comparedWith(earlier, card);
    for (const std::string& change : comparison.changes)
      std::cerr << options.expect << ": " << change << '\n';
    for (const std::string& column : comparison.skipped)
      std::cerr << options.expect << ": " << column << '\n';
    if (comparison.compared == 0 && comparison.skipped.empty())
      std::cerr << options.expect
                << ": holds no number of these phenomena and columns; nothing is compared\n";
    if (comparison.isAsExpected())
      std::cout << "As expected by " << options.expect << ": " << comparison.compared
                << " numbers compared\n";
    else
      code = kSimulationFailed;
  }
  if (std::any_of(card.controls.begin(), card.controls.end(),
                  [](const ControlResult& control) { return !control.isTurned(); })) {
    std::cerr << "conform: a control does not turn its verdict\n";
    code = kSimulationFailed;
  }
  if (options.controls && card.controls.empty()) {
    std::cerr << "conform: no number that agrees has a control here; nothing is checked by --controls\n";
    code = kSimulationFailed;
  }
  return code;
}

namespace {

/// Refuses options that would be ignored.   @throws std::invalid_argument
void refuseIdleOfConform(const CLI::App& command) {
  using Names = std::vector<const char*>;
  const Names noColumns = {"--list", "--kit", "--check"}, noCard = {"--list", "--kit", "--check", "--verify"};
  refuseIdle(command, {{"--methods", {}, noColumns},
                       {"--trajectory", {}, noCard},
                       {"--settings", {}, noCard},
                       {"--expect", {}, noCard},
                       {"--controls", {}, noCard},
                       {"--jobs", {}, noColumns},
                       {kSecondsPerFrame, {}, noColumns},
                       {"--seconds-per-column", {}, noColumns},
                       {"--out", {}, noCard},
                       {"--kit", {}, {"--list", "--check", "--verify"}},
                       {"--check", {}, {"--list", "--verify"}},
                       {"--verify", {}, {"--list", "phenomena"}},
                       {"--force", {"--out", "--kit"}}});
}

}  // namespace

Declared declareConform(CLI::App& command, const CommandLine& line) {
  const auto options = std::make_shared<ConformOptionsOfCli>();
  options->commandLine = line.called;
  command.add_option("phenomena", options->names, "names or numbers of phenomena, or files; default: all");
  command
      .add_option("--methods", options->methods,
                  "columns METHOD[-SOLVER][:key=value,…], for example cpf,lcp-lemke:friction_facets=4")
      ->delimiter(',');
  command.add_option(
      "--trajectory", options->trajectories,
      "KEY=FOLDER: a column from files FOLDER/SCENE[.RUN].csv of another engine, alone without "
      "--methods; repeatable");
  command
      .add_option("--settings", options->settings,
                  "battery: parameters of the scenes; published: defaults of the methods, the frame as step")
      ->check(CLI::IsMember({"battery", "published"}));
  command.add_option("--expect", options->expect,
                     "card.csv of an earlier run: exit code 1 if a verdict or a number has changed");
  command.add_flag("--controls", options->controls,
                   "also run the deliberate errors: exit code 1 if one is not noticed");
  command.add_option("--kit", options->kit,
                     "folder for all runs for an engine of your own, with a script to begin with");
  command.add_option("--check", options->check,
                     "folder of trajectories: say what is missing of the runs of a kit; exit code 1 if "
                     "something is");
  command.add_option("--verify", options->verify,
                     "card.json of elsewhere: recompute what follows from its numbers and show it beside "
                     "ours, shipped or of --methods; exit code 1 if something contradicts");
  command.add_option("--jobs", options->jobs, "runs side by side")->check(CLI::Range(1, 1024));
  addSecondsPerFrame(command, options->secondsPerFrame);
  command
      .add_option("--seconds-per-column", options->secondsPerColumn,
                  "what a column would take longer for on the clock [s], over all its frames, is !, with the "
                  "reason; 0, the default: none")
      ->check(numberFrom(0));
  command.add_option("--out", options->out, "folder for card.txt, .csv, .json, .html, .tex and all runs");
  command.add_flag("--force", options->force, "replace an earlier card in --out; never other files");
  command.add_flag("--list", options->list, "list phenomena and their answers");
  command.add_flag("--cost",
                   "a command of its own, see conform --cost --help: error against cost at four steps");
  return [&command, options] {
    refuseIdleOfConform(command);
    return conform(*options);
  };
}

}  // namespace touchstone::cli
