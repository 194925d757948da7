#include "app/cli/study_command.h"
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <memory>

#include "app/cli/checks.h"
#include "app/cli/interrupt.h"
#include "app/work/exit_codes.h"
#include "app/work/figure_files.h"
#include "app/work/program_info.h"
#include "app/work/result_folder.h"
#include "app/work/study_report.h"
#include "app/work/study_work.h"
#include "core/files/scene_error.h"
#include "core/files/written_file.h"
#include "core/parallel/parallel_for.h"

namespace touchstone::cli {

namespace fs = std::filesystem;

namespace {

std::string spanText(double seconds) {
  if (seconds < 0) return {};
  const long whole = std::lround(seconds);
  if (whole >= 3600) return ", about " + std::to_string((whole + 1800) / 3600) + " h left";
  if (whole >= 60) return ", about " + std::to_string((whole + 30) / 60) + " min left";
  return ", about " + std::to_string(whole) + " s left";
}

void tell(const std::string& name, const StudyWork::Progress& progress) {
  const std::string text =
      name + ": " + std::to_string(progress.done) + " of " + std::to_string(progress.count) + " runs" +
      (progress.waitingFor.empty() ? spanText(progress.secondsLeft) : ", " + progress.waitingFor);
  std::fprintf(stderr, "\r%s          ", printable(text).c_str());  // std::cerr prints no carriage return
}

/// The part that this program computes: the given one, or that of a job of a Slurm array.
Shard chosenShard(const StudyOptions& options) {
  return options.shard.empty() ? shardOfSlurm() : shardOf(options.shard);
}

std::string folderOf(const StudyOptions& options, const Study& study) {
  if (options.out.empty()) return study.name + "-results";
  return options.all || options.studies.size() > 1 ? (fs::path(options.out) / study.name).string()
                                                   : options.out;
}

std::vector<std::string> filesOf(const StudyOptions& options) {
  if (options.all) return shippedStudies();
  std::vector<std::string> files;
  for (const std::string& name : options.studies) files.push_back(resolveStudy(name));
  if (files.empty())
    throw std::invalid_argument("study: name a study, or say --all or --list; the guide, Writing a study");
  return files;
}

void listStudies() {
  for (const std::string& file : shippedStudies()) {
    const Study study = loadStudy(file), quick = loadStudy(file, true);
    std::cout << study.name << "  " << study.title << "\n    ";
    if (!study.question.empty()) std::cout << study.question << "\n    ";
    if (!study.source.empty()) std::cout << study.source << "; ";
    std::cout << tasksOf(study, shippedPlaces()).size() << " runs, quick "
              << tasksOf(quick, shippedPlaces()).size() << "; figures";
    for (const StudyPlot& plot : study.plots) std::cout << ' ' << plot.id;
    std::cout << '\n';
  }
}

/// Says what is missing. @return true if nothing is
bool isWhole(const StudyResults& results) {
  // Missing runs that are named. More fill the terminal; fewer hide what they have in common.
  constexpr std::size_t kNamed = 10;
  const std::size_t missing = results.tasks.size() - results.doneCount();
  if (missing == 0) return true;
  std::cerr << results.study.name << ": " << missing << " of " << results.tasks.size()
            << " runs are missing\n";
  std::size_t named = 0;
  for (std::size_t task = 0; task < results.tasks.size() && named < kNamed; ++task) {
    if (results.runs[task]) continue;
    ++named;
    const StudyTask& missingTask = results.tasks[task];
    std::cerr << "  number " << task << ": " << results.study.panes[missingTask.pane].label;
    for (std::size_t axis = 0; axis < missingTask.point.size(); ++axis) {
      std::cerr << ", " << results.study.axes[axis].name << ' ';
      std::visit([](const auto& value) { std::cerr << value; }, missingTask.point[axis]);
    }
    std::cerr << ", step " << missingTask.dt << " s, seed " << missingTask.seed << '\n';
  }
  if (missing > named) std::cerr << "  and " << missing - named << " more\n";
  std::cerr << "Run the same command again: only missing runs are computed\n";
  return false;
}

/// Tables, verdict and figures of a study, as far as its runs are done.
/// @param report  receives them, or null   @return true if no run is missing
bool finish(StudyWork& work, const StudyOptions& options, std::vector<ReportedStudy>* report = nullptr) {
  const StudyResults results = work.results();
  const std::optional<StudyVerdict> verdict = work.write(results, options.commandLine);
  if (report)
    report->push_back(
        {results, verdict,
         "touchstone-cli study " + results.study.name + (results.study.isQuick ? " --quick" : "")});
  if (!options.isQuiet && options.studies.size() == 1 && !options.all) std::cout << tablesOf(results);
  std::cout << '\n' << results.study.name << ": " << results.study.title << '\n';
  if (verdict) std::cout << sentencesOf(*verdict);
  if (!verdict) return isWhole(results);
  if (!results.study.plots.empty()) {
    if (canDraw())
      for (const std::string& file : work.figureFiles()) std::cout << file << ".png, .svg, .pdf\n";
    else
      std::cout
          << "This program draws no figures, since it was built without Qt; runs.csv has their numbers\n";
  }
  std::cout << "Written to " << work.folder() << "\n";
  return true;
}

constexpr char kReport[] = "report.md", kReportManifest[] = ".report-manifest.json";

std::string reportFolder(const StudyOptions& options) { return options.out.empty() ? "." : options.out; }

/// @throws std::invalid_argument if there is a report that must stay
void requireReportWritable(const StudyOptions& options) {
  const std::string folder = reportFolder(options);
  if (options.resume)
    FileLedger(folder, kReportManifest).requireOurs(kReport);
  else
    requireFree((fs::path(folder) / kReport).string());
}

void writeReport(const std::vector<ReportedStudy>& report, const StudyOptions& options) {
  const PublishedValues published((fs::path(datasetsFolder()) / "published.json").string());
  const ResultFolder folder(reportFolder(options), ResultFolder::Earlier::Replace, {kReport},
                            kReportManifest);
  writeWhole(folder.path(kReport),
             [&](std::ostream& out) { out << printable(studyReport(report, published)); });
  folder.finish({{"touchstone_files", 1}}, {kReport});
  std::cout << "Report: " << folder.path(kReport) << '\n';
}

/// Says of a process that is not the first of a launcher what it does, since it prints nothing else.
void tellRank(const Rank& rank, const std::string& name) {
  std::cerr << name << ": process " << rank.index + 1 << " of " << rank.count << " of a launcher ("
            << rank.variable
            << "): it computes runs and leaves tables and figures to the first. Without a launcher, unset "
            << rank.variable << '\n';
}

}  // namespace

int study(const StudyOptions& options) {
  if (options.list) {
    listStudies();
    return kDone;
  }
  const Shard shard = chosenShard(options);
  const Rank rank = shard.isWhole() ? rankOfLauncher() : Rank();
  const bool isFirst = rank.index == 0;
  const ThreadLimit limit(1);  // concurrent runs use cores better than one run with all cores
  if (isFirst && options.all && shard.isWhole()) requireReportWritable(options);
  bool isComplete = true;
  std::vector<ReportedStudy> report;
  for (const std::string& file : filesOf(options)) {
    endOnInterrupts();
    Study study = loadStudy(file, options.quick);
    const std::string name = study.name;
    if (!isFirst) tellRank(rank, name);
    std::string folder = folderOf(options, study);
    if (!shard.isWhole()) folder = (fs::path(folder) / shard.name()).string();
    // Parts, and processes that a launcher has started, always go on with what is there: a run is known by
    // all that determines it, so that nothing foreign can be mixed in.
    StudyWork work(std::move(study), folder, options.resume || rank.count > 1 || !shard.isWhole(), shard,
                   rank);
    if (const std::size_t foreignRuns = work.othersRuns(); foreignRuns > 0 && isFirst)
      std::cerr << folder << ": " << foreignRuns
                << " runs of another scene, time, method or version are left out\n";
    if (!shard.isWhole()) work.takeOverOtherParts();
    noteInterrupts();
    work.setSecondsPerFrame(options.secondsPerFrame);
    work.go(
        options.jobs, [] { return interruption().empty(); },
        [&](const StudyWork::Progress& progress) {
          if (isFirst) tell(name, progress);
        });
    if (isFirst) std::cerr << '\n';
    takeTimeToWrite();
    if (isFirst && !interruption().empty()) work.write(work.results(), options.commandLine);
    throwIfInterrupted();
    if (isFirst) isComplete = finish(work, options, &report) && isComplete;
  }
  if (isFirst && options.all && shard.isWhole()) writeReport(report, options);
  return isComplete ? kDone : kSimulationFailed;
}

int mergeStudy(const StudyOptions& options) {
  if (options.studies.empty()) throw std::invalid_argument("study merge: name the study");
  Study study = loadStudy(resolveStudy(options.studies.front()), options.quick);
  const std::string folder = options.out.empty() ? study.name + "-results" : options.out;
  std::vector<std::string> parts(options.studies.begin() + 1, options.studies.end());
  std::error_code ignored;
  if (parts.empty())
    for (const auto& entry : fs::directory_iterator(folder, ignored))
      if (fs::is_regular_file(entry.path() / "runs.db", ignored)) parts.push_back(entry.path().string());
  std::sort(parts.begin(), parts.end());
  if (parts.empty())
    throw std::invalid_argument(folder + ": has no parts; name their folders after the study");
  StudyWork work(std::move(study), folder, true);
  for (const std::string& part : parts) std::cerr << part << ": " << work.takeOver(part) << " runs\n";
  StudyOptions quiet = options;
  quiet.studies.resize(1);
  return finish(work, quiet) ? kDone : kSimulationFailed;
}

namespace {

/// Refuses options that would be ignored.   @throws std::invalid_argument
void refuseIdleOfStudy(const CLI::App& command) {
  const std::vector<const char*> list = {"--list"};
  refuseIdle(command, {{"study", {}, {"--all", "--list"}},
                       {"--all", {}, list},
                       {"--quick", {}, list},
                       {"--out", {}, list},
                       {"--jobs", {}, list},
                       {kSecondsPerFrame, {}, list},
                       {"--resume", {}, list},
                       {"--shard", {}, list}});
  // Options of a study do not reach its subcommand, which has its own.
  if (!command.got_subcommand("merge")) return;
  for (const char* option :
       {"study", "--all", "--quick", "--list", "--out", "--jobs", kSecondsPerFrame, "--resume", "--shard"})
    if (command.get_option(option)->count() > 0)
      throw std::invalid_argument(std::string("study: ") + option +
                                  " has no effect before merge; write the options of merge behind it");
}

}  // namespace

Declared declareStudy(CLI::App& command, const CommandLine& line) {
  const auto options = std::make_shared<StudyOptions>();
  options->commandLine = line.called;
  command.add_option("study", options->studies, "study files, or names of shipped ones (--list)");
  command.add_flag("--all", options->all, "all shipped studies, and a report of them");
  command.add_flag("--quick", options->quick, "the small form that each study has");
  command.add_flag("--list", options->list, "list the shipped studies and their figures");
  command.add_option(
      "--out", options->out,
      "folder for runs.db, runs.csv, series.csv, times.csv, tables.md, verdict.json and the figures "
      "(NAME-results)");
  command.add_option("--jobs", options->jobs, "runs side by side")->check(CLI::Range(1, 1024));
  addSecondsPerFrame(command, options->secondsPerFrame);
  command.add_flag("--resume", options->resume,
                   "go on with the study that --out holds; several programs may do so at once");
  command.add_option(
      "--shard", options->shard,
      "I/N: only the I-th of N parts of the runs, into --out/shard-I-of-N; in a Slurm array its own");
  CLI::App* merge = command.add_subcommand(
      "merge", "Make one study of the parts that --out holds; names runs that are missing");
  merge->add_option("study", options->studies, "the study, and folders of parts elsewhere")->required();
  merge->add_option("--out", options->out, "folder with the parts, and for the result");
  merge->add_flag("--quick", options->quick, "of the small form");
  command.footer(
      "Under mpirun or srun all processes share the runs of --out. The guide has the pages Writing a study, "
      "Studies on many machines and Published figures.");
  return [&command, options] {
    refuseIdleOfStudy(command);
    return command.got_subcommand("merge") ? mergeStudy(*options) : study(*options);
  };
}

}  // namespace touchstone::cli
