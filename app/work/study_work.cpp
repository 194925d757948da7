#include "app/work/study_work.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "app/work/figure_files.h"
#include "app/work/program_info.h"
#include "app/work/result_folder.h"
#include "core/files/file_bytes.h"
#include "core/files/scene_error.h"
#include "core/files/written_file.h"
#include "core/math/count.h"
#include "core/parallel/parallel_for.h"
#include "core/parallel/worker_threads.h"
#include "core/run/settings_json.h"
#include "core/store/manifest.h"
#include "core/store/provenance.h"

namespace touchstone {

namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;
using Json = nlohmann::ordered_json;

/// First line of a page, by which it is known as ours.
constexpr char kWrittenBy[] = "<!-- Written by Touchstone -->\n";
constexpr char kRuns[] = "runs.db", kTable[] = "runs.csv", kSeries[] = "series.csv", kTimes[] = "times.csv",
               kTexts[] = "tables.md", kVerdict[] = "verdict.json";

int numberIn(const char* variable, int standard) {
  const char* text = std::getenv(variable);
  if (!text || !*text) return standard;
  char* end = nullptr;
  const long number = std::strtol(text, &end, 10);
  return *end == '\0' && number >= 0 && number <= 1'000'000 ? static_cast<int>(number) : standard;
}

Json jsonOf(const StudyVerdict& verdict) {
  Json json{{"numbers", Json::object()}, {"accept", Json::array()}};
  for (const auto& [id, value] : verdict.numbers)
    json["numbers"][id] = std::isfinite(value) ? Json(value) : Json(nullptr);
  for (const JudgedAcceptance& judged : verdict.acceptances) {
    Json entry{{"id", judged.id}, {"disposition", toString(judged.disposition)}};
    if (!judged.variant.empty()) entry["variant"] = judged.variant;
    entry["claim"] = judged.claim;
    if (!judged.because.empty()) entry["because"] = judged.because;
    if (!judged.withoutControl.empty()) entry["without_control"] = judged.withoutControl;
    if (judged.hasControl) {
      entry["control"] = judged.control;
      entry["control_turned"] = judged.controlTurned;
    }
    json["accept"].push_back(entry);
  }
  return json;
}

}  // namespace

std::string Shard::name() const {
  return "shard-" + std::to_string(index + 1) + "-of-" + std::to_string(count);
}

Shard shardOf(const std::string& text) {
  const std::size_t slash = text.find('/');
  char *end = nullptr, *last = nullptr;
  const long index = std::strtol(text.c_str(), &end, 10);
  const long count = slash == std::string::npos ? 0 : std::strtol(text.c_str() + slash + 1, &last, 10);
  const bool isForm = slash != std::string::npos && slash > 0 && end == text.c_str() + slash &&
                      *last == '\0' && slash + 1 < text.size();
  if (!isForm || index < 1 || count < index || count > 1'000'000)
    throw std::invalid_argument("--shard " + text +
                                ": is no part; write for example 3/8, the third of eight");
  return {static_cast<int>(index - 1), static_cast<int>(count)};
}

Shard shardOfSlurm() {
  const int count = numberIn("SLURM_ARRAY_TASK_COUNT", 0), id = numberIn("SLURM_ARRAY_TASK_ID", -1);
  if (count < 1 || id < 0) return {};
  const int first = numberIn("SLURM_ARRAY_TASK_MIN", 0),
            step = std::max(1, numberIn("SLURM_ARRAY_TASK_STEP", 1));
  const int index = (id - first) / step, last = numberIn("SLURM_ARRAY_TASK_MAX", first + step * (count - 1));
  // Jobs of an array that are submitted again do not know how many there were at first.
  if (index < 0 || index >= count || (id - first) % step != 0 || last != first + step * (count - 1))
    throw std::invalid_argument(
        "the numbers of this Slurm array have gaps, so that they do not tell the parts of the study; give "
        "--shard $((SLURM_ARRAY_TASK_ID + 1))/N with the number N of all parts");
  return {index, count};
}

Rank rankOfLauncher() {
  const std::pair<const char*, const char*> variables[] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                                           {"PMI_RANK", "PMI_SIZE"},
                                                           {"SLURM_PROCID", "SLURM_NTASKS"}};
  for (const auto& [rank, size] : variables) {
    const int index = numberIn(rank, -1), count = numberIn(size, 0);
    if (index >= 0 && index < count) return {index, count, rank};
  }
  return {};
}

StudyPlaces shippedPlaces() { return {datasetsFolder(), resolveScene}; }

std::vector<std::string> shippedStudies() {
  std::vector<std::string> files;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(fs::path(datasetsFolder()) / "studies", ignored))
    if (entry.path().extension() == ".json") files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

std::string resolveStudy(const std::string& nameOrPath) {
  std::error_code ignored;
  if (fs::exists(nameOrPath, ignored) || nameOrPath.find('/') != std::string::npos ||
      fs::path(nameOrPath).extension() == ".json")
    return nameOrPath;
  std::string known;
  for (const std::string& file : shippedStudies()) {
    const std::string name = fs::path(file).stem().string();
    if (name == nameOrPath) return file;
    known += (known.empty() ? "" : ", ") + name;
  }
  throw std::invalid_argument(nameOrPath + ": is no study; give a file, or one of " + known);
}

StudyWork::StudyWork(Study study, const std::string& folder, bool mayGoOn, const Shard& shard,
                     const Rank& rank)
    : m_folder(folder), m_isPart(!shard.isWhole()), m_writes(rank.index == 0) {
  m_results.study = std::move(study);
  std::vector<StudyTask> tasks = tasksOf(m_results.study, shippedPlaces());
  for (int task = 0; task < countOf(tasks); ++task)
    if (task % shard.count == shard.index) m_results.tasks.push_back(std::move(tasks[task]));
  m_published = std::make_unique<PublishedValues>((fs::path(datasetsFolder()) / "published.json").string());
  requirePublished(m_results.study, *m_published);
  noteScenes(tasks);
  std::error_code ignored;
  const bool holdsRuns = fs::exists(path(kRuns), ignored);
  std::vector<std::string> files = resultFiles();
  files.push_back(kManifest);
  for (const std::string& file : files)
    if (!holdsRuns && fs::exists(fs::symlink_status(path(file), ignored)))
      throw std::invalid_argument(path(file) +
                                  ": lies where runs.db is missing, so that it is not told what it is of, "
                                  "and stays; choose another --out");
  if (holdsRuns && !mayGoOn)
    throw std::invalid_argument(path(kRuns) + ": holds an earlier study; give --resume or another --out");
  if (holdsRuns) requireOurs();
  createFolder(folder);
  m_runs = std::make_unique<StudyRuns>(path(kRuns), m_results.tasks);
}

/// Names of all files that may be written, except the manifest.
std::vector<std::string> StudyWork::resultFiles() const {
  std::vector<std::string> files = {kTable, kSeries, kTimes, kTexts, kVerdict};
  for (const StudyPlot& plot : m_results.study.plots)
    for (const char* extension : kFigureExtensions) files.push_back(plot.id + extension);
  return files;
}

/// @throws std::invalid_argument if a file would be replaced that a study did not write
void StudyWork::requireOurs() const {
  const auto check = [this] {
    const FileLedger ledger(m_folder);
    ledger.requireUnchanged();
    for (const std::string& file : resultFiles()) ledger.requireOurs(file);
  };
  try {
    check();
  } catch (const std::invalid_argument&) {
    check();  // another program may have begun its first table between the manifest and the file
  }
}

std::string StudyWork::path(const std::string& file) const { return (fs::path(m_folder) / file).string(); }

void StudyWork::go(int jobs, const std::function<bool()>& goesOn,
                   const std::function<void(const Progress&)>& tell) {
  m_goesOn = goesOn;
  m_tell = tell;
  m_start = Clock::now();
  m_doneHere = 0;
  workOnThreads(jobs, [this] { work(); });
  if (m_failure) std::rethrow_exception(m_failure);
  Progress last;
  last.done = m_runs->progress().done;
  last.count = m_results.tasks.size();
  if (m_tell) m_tell(last);
}

bool StudyWork::goesOn() {
  const std::lock_guard<std::mutex> lock(m_mutex);
  return !m_failure && (!m_goesOn || m_goesOn());
}

void StudyWork::work() {
  std::optional<StudyRuns::Done> done;
  try {
    while (goesOn()) {
      const std::optional<std::size_t> task = m_runs->next(done);
      if (done) noteProgress({});
      done.reset();
      if (!task && !waitForOthers()) return;
      if (task) done = runOf(*task);
    }
    if (done) {
      m_runs->store(*done);
      noteProgress({});
    }
  } catch (...) {
    const std::lock_guard<std::mutex> lock(m_mutex);
    m_failure = std::current_exception();
  }
}

std::optional<StudyRuns::Done> StudyWork::runOf(std::size_t index) {
  std::optional<StudyRun> run;
  try {
    run = runOne(
        m_results.study, m_results.tasks[index], [this] { return goesOn(); }, m_secondsPerFrame);
  } catch (const ExpressionError& error) {
    m_runs->giveBack(index);
    throw std::invalid_argument(m_results.study.file + ":quantities: " + error.what());
  } catch (...) {
    m_runs->giveBack(index);
    throw;
  }
  if (run) return StudyRuns::Done{index, *run};
  m_runs->giveBack(index);
  return std::nullopt;
}

/// Waits, because tasks of another program become free if that program ends. @return true if there are such
/// tasks
bool StudyWork::waitForOthers() {
  // A larger value starts freed tasks later; a smaller one queries the file more often.
  constexpr auto kPause = std::chrono::milliseconds(200);
  const StudyRuns::Progress progress = m_runs->progress();
  if (progress.ofOthers == 0) return false;
  noteProgress(std::to_string(progress.ofOthers) + " runs are computed by " + progress.other);
  std::this_thread::sleep_for(kPause);
  return true;
}

/// Tells progress and sometimes rewrites the table for readers. Each rewrite takes longer than the one
/// before.
void StudyWork::noteProgress(const std::string& waitingFor) {
  // The next table waits this many times as long as the last one took to write. A larger value keeps it
  // outdated longer; a smaller one slows the study down.
  constexpr int kShare = 20;
  // Time between two counts of what is done, which takes longer the more runs there are. A larger value shows
  // progress late; a smaller one slows studies of short runs down.
  constexpr auto kBetweenCounts = std::chrono::milliseconds(200);
  const std::lock_guard<std::mutex> lock(m_mutex);
  if (waitingFor.empty()) ++m_doneHere;
  const Clock::time_point now = Clock::now();
  if (now < m_nextCount) return;
  m_nextCount = now + kBetweenCounts;
  Progress progress;
  progress.done = m_runs->progress().done;
  progress.count = m_results.tasks.size();
  progress.waitingFor = waitingFor;
  if (m_doneHere > 0)
    progress.secondsLeft = std::chrono::duration<double>(now - m_start).count() /
                           static_cast<double>(m_doneHere) *
                           static_cast<double>(progress.count - progress.done);
  if (m_tell) m_tell(progress);
  if (!m_writes || now < m_nextTable) return;
  writeTables(results());
  m_nextTable =
      Clock::now() + std::max<Clock::duration>(std::chrono::seconds(2), kShare * (Clock::now() - now));
}

void StudyWork::takeOverOtherParts() {
  const fs::path parent = fs::path(m_folder).parent_path();
  const std::string name = fs::path(m_folder).filename().string(), count = name.substr(name.rfind('-'));
  std::error_code ignored;
  std::vector<std::string> folders = {parent.string()};
  for (const auto& entry : fs::directory_iterator(parent, ignored)) {
    const std::string other = entry.path().filename().string();
    if (other.rfind("shard-", 0) == 0 && other.substr(other.rfind('-')) != count)
      folders.push_back(entry.path().string());
  }
  for (const std::string& folder : folders)
    if (fs::is_regular_file(fs::path(folder) / kRuns, ignored)) takeOver(folder);
}

std::size_t StudyWork::takeOver(const std::string& folder) {
  return m_runs->takeOver((fs::path(folder) / kRuns).string());
}

StudyResults StudyWork::results() {
  StudyResults results = m_results;
  results.runs = m_runs->runs();
  const std::size_t count = results.study.quantities.size();
  for (const std::optional<StudyRun>& run : results.runs) {
    if (!run) continue;
    const auto isUneven = [](const StudyRun::Series& series) { return series.x.size() != series.y.size(); };
    if (run->values.size() != count || run->series.size() != count ||
        std::any_of(run->series.begin(), run->series.end(), isUneven))
      throw std::invalid_argument(path(kRuns) +
                                  ": a result has other quantities than the study; remove the file");
  }
  return results;
}

std::vector<std::string> StudyWork::figureFiles() const {
  std::vector<std::string> files;
  for (const StudyPlot& plot : m_results.study.plots) files.push_back(path(plot.id));
  return files;
}

void StudyWork::writeTables(const StudyResults& results) const {
  const FileLedger ledger(m_folder);
  if (!ledger.isWriting())
    ledger.announce({{"touchstone_study_manifest", 1}, {"study", results.study.name}, {"end", kUnfinished}},
                    resultFiles());
  const auto writeText = [this](const char* file, const std::string& text) {
    writeWhole(path(file), [&](std::ostream& out) { out << text; });
  };
  writeText(kTable, csvOfRuns(results));
  writeText(kTimes, csvOfTimes(results));
  const auto isSeries = [](const StudyQuantity& quantity) { return quantity.isSeries; };
  if (std::any_of(results.study.quantities.begin(), results.study.quantities.end(), isSeries))
    writeText(kSeries, csvOfSeries(results));
}

std::optional<StudyVerdict> StudyWork::write(const StudyResults& results, const std::string& command) const {
  writeTables(results);
  const auto writeText = [this](const char* file, const std::string& text) {
    writeWhole(path(file), [&](std::ostream& out) { out << text << '\n'; });
  };
  writeText(kTexts, kWrittenBy + printable(tablesOf(results)));
  const auto record = [&] { FileLedger(m_folder).record(manifest(results, command), resultFiles()); };
  if (m_isPart) {
    record();
    return std::nullopt;
  }
  if (results.doneCount() < results.tasks.size()) {
    // What an earlier, whole study of this folder said is not what this one says.
    std::error_code ignored;
    fs::remove(path(kVerdict), ignored);
    for (const std::string& figure : figureFiles())
      for (const char* extension : kFigureExtensions) fs::remove(figure + extension, ignored);
    record();
    return std::nullopt;
  }
  const StudyVerdict verdict = verdictOf(results);
  Json json{
      {"touchstone_study_verdict", 1},
      {"study", results.study.name},
      {"study_hash", results.study.hash},
      {"quick", results.study.isQuick},
      {"program", programVersion()},
      {"command", "touchstone-cli study " + results.study.name + (results.study.isQuick ? " --quick" : "")}};
  if (!m_scenes.empty()) json["scene"] = m_scenes;
  json.update(jsonOf(verdict));
  writeText(kVerdict, json.dump(2));
  if (canDraw() && !results.study.plots.empty())
    for (const Figure& figure : figuresOf(results, verdict, m_published.get()))
      writeFigure(figure, path(figure.id));
  record();
  return verdict;
}

/// "a.json HASH, b.json HASH": the files of all scenes, before anything runs.
void StudyWork::noteScenes(const std::vector<StudyTask>& tasks) {
  std::set<std::string> known;
  for (const StudyTask& task : tasks)
    if (task.scene && known.insert(task.scene->file).second)
      m_scenes += (m_scenes.empty() ? "" : ", ") + fs::path(task.scene->file).filename().string() + " " +
                  hashOf(readFile(task.scene->file, "put the scene back"));
}

Json StudyWork::manifest(const StudyResults& results, const std::string& command) const {
  const Study& study = results.study;
  Json json;
  json["touchstone_study_manifest"] = 1;
  const auto withScene = std::find_if(results.tasks.begin(), results.tasks.end(),
                                      [](const StudyTask& task) { return task.scene != nullptr; });
  if (withScene != results.tasks.end()) {
    json.update(provenanceOfRun(*withScene->scene, withScene->dt, withScene->time, command));
  } else {
    json.update(provenance());
    json["command"] = command;
  }
  json["study"] = study.name;
  json["study_hash"] = study.hash;
  json["quick"] = study.isQuick;
  json["kind"] = toString(study.kind);
  json["runs"] = results.tasks.size();
  json["dt_s"] = study.dt;
  json["sweep"] = Json::array();
  for (const StudyAxis& axis : study.axes) {
    Json values = Json::array();
    for (const StudyAxis::Point& point : axis.points)
      std::visit([&values](const auto& value) { values.push_back(value); }, point.value);
    json["sweep"].push_back({{"axis", axis.name}, {"values", values}});
  }
  json["seeds"] = {{"first", study.seeds.front()}, {"count", study.seeds.size()}};
  json["variation"] = {{"position_m", study.variation.position},
                       {"angle_rad", study.variation.angle},
                       {"spin_rad_per_s", study.variation.spin}};
  json["crash_speed_m_per_s"] = study.crashSpeed;
  std::vector<char> seen(study.panes.size(), 0);
  for (const StudyTask& task : results.tasks) {
    if (seen[task.pane]++) continue;
    Json entry{{"label", study.panes[task.pane].label}};
    if (task.scene) {
      entry["settings"] = toJson(inForce(*task.scene, task.settings));
      for (const auto& [file, source] : task.scene->sources) entry["files"][file] = source.hash;
    }
    json["panes"].push_back(entry);
  }
  return json;
}

}  // namespace touchstone
