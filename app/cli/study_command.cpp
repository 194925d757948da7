#include <atomic>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "app/cli/commands.h"
#include "app/cli/interrupt.h"
#include "app/cli/result_folder.h"
#include "core/files/written_file.h"
#include "core/parallel/parallel_for.h"
#include "core/run/settings_json.h"
#include "core/store/provenance.h"
#include "core/study/study_runs.h"

namespace touchstone::cli {

namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;

std::shared_ptr<const Scene> sceneOf(const Study& study) {
  std::error_code ignored;
  const fs::path beside = fs::path(study.file).parent_path() / study.scene;
  return loadScene(fs::is_regular_file(beside, ignored) ? beside.string() : resolveScene(study.scene));
}

/// The folder of a study: runs.db, and runs.csv and tables.md made from it.
class StudyFolder {
 public:
  /// @throws std::invalid_argument if it has other files, or runs that must not be replaced
  StudyFolder(const std::string& folder, bool resume) : m_folder(folder) {
    std::error_code ignored;
    const bool holdsRuns = fs::exists(runs(), ignored);
    for (const char* file : {kTable, kTexts, kManifest})
      if (!holdsRuns && fs::exists(fs::symlink_status(path(file), ignored)))
        throw std::invalid_argument(path(file) +
                                    ": lies where runs.db is missing, so that it is not told what it is of, "
                                    "and stays; choose another --out");
    if (holdsRuns && !resume)
      throw std::invalid_argument(runs() + ": holds an earlier study; give --resume or another --out");
    createFolder(folder);
  }
  std::string runs() const { return path("runs.db"); }

  /// Writes the runs so far, one line per result.
  void writeTable(const std::vector<StudyRun>& runs) const {
    writeWhole(path(kTable), [&](std::ostream& out) {
      out << csvHeaderOfRuns() << '\n';
      for (const StudyRun& run : runs) out << csvLine(run) << '\n';
    });
  }
  void writeTexts(const std::string& tables, const std::string& manifest) const {
    writeWhole(path(kTexts), [&](std::ostream& out) { out << tables; });
    writeWhole(path(kManifest), [&](std::ostream& out) { out << manifest << '\n'; });
  }

 private:
  static constexpr char kTable[] = "runs.csv", kTexts[] = "tables.md", kManifest[] = "manifest.json";
  std::string path(const char* file) const { return (fs::path(m_folder) / file).string(); }
  std::string m_folder;
};

std::string manifestOf(const Study& study, const Scene& scene, const std::string& command) {
  nlohmann::ordered_json json;
  json["touchstone_study_manifest"] = 1;
  json.update(provenanceOfRun(scene, study.dt.front(), study.time, command));
  json["study"] = study.name;
  json["dt_s"] = study.dt;
  json["seeds"] = {{"first", study.seeds.front()}, {"count", study.seeds.size()}};
  json["variation"] = {{"position_m", study.variation.position},
                       {"angle_rad", study.variation.angle},
                       {"spin_rad_per_s", study.variation.spin}};
  json["crash_speed_m_per_s"] = study.crashSpeed;
  for (const StudyPane& pane : study.panes) {
    PaneSettings settings = pane.settings;
    resolve(scene, settings);
    settings.parameters = valuesInForce(scene, settings);
    json["panes"].push_back({{"label", pane.label}, {"settings", toJson(settings)}});
  }
  return json.dump(2);
}

/// Works on the tasks with several threads until all are done, here or by other programs, or until it is
/// stopped.
class StudyWork {
 public:
  StudyWork(const Study& study, std::shared_ptr<const Scene> scene, const StudyFolder& folder)
      : m_study(study),
        m_scene(std::move(scene)),
        m_folder(folder),
        m_runs(folder.runs(), tasksOf(study, *m_scene)) {}

  StudyRuns& runs() { return m_runs; }

  void go(int jobs) {
    std::vector<std::thread> workers;
    for (int job = 1; job < jobs; ++job) workers.emplace_back([this] { work(); });
    work();
    for (std::thread& worker : workers) worker.join();
    std::cerr << '\n';
    m_folder.writeTable(m_runs.runs());
    if (!m_failure.empty()) throw std::runtime_error(m_failure);
  }

 private:
  bool goesOn() {
    const std::lock_guard<std::mutex> lock(m_mutex);
    return m_failure.empty() && interruption().empty();
  }
  void work() {
    std::optional<StudyRuns::Done> done;
    try {
      while (goesOn()) {
        const std::optional<std::size_t> task = m_runs.next(done);
        if (done) tell();
        done.reset();
        if (!task && !waitForOthers()) return;
        if (task) done = runOf(*task);
      }
      if (done) m_runs.next(done);
    } catch (const std::exception& problem) {
      const std::lock_guard<std::mutex> lock(m_mutex);
      m_failure = problem.what();
    }
  }
  std::optional<StudyRuns::Done> runOf(std::size_t index) {
    const StudyTask& task = m_runs.tasks()[index];
    const auto run = runOne(m_study, m_scene, *task.pane, task.dt, task.seed, [this] { return goesOn(); });
    if (run) return StudyRuns::Done{index, *run};
    m_runs.giveBack(index);
    return std::nullopt;
  }
  /// Waits, because tasks of another program become free if that program ends. @return true if there are such
  /// tasks
  bool waitForOthers() {
    // A larger value starts freed tasks later; a smaller one queries the file more often.
    constexpr auto kPause = std::chrono::milliseconds(200);
    const StudyRuns::Progress progress = m_runs.progress();
    if (progress.ofOthers == 0) return false;
    std::cerr << "\r" << progress.ofOthers << " runs are computed by " << progress.other << " " << std::flush;
    std::this_thread::sleep_for(kPause);
    return true;
  }
  /// Prints progress and sometimes rewrites the table for readers. Each rewrite takes longer than the one
  /// before.
  void tell() {
    // The next table waits this many times as long as the last one took to write. A larger value keeps it
    // outdated longer; a smaller one slows the study down.
    constexpr int kShare = 20;
    const StudyRuns::Progress progress = m_runs.progress();
    const std::lock_guard<std::mutex> lock(m_mutex);
    std::cerr << "\r" << progress.done << " of " << m_runs.tasks().size() << " runs " << std::flush;
    const Clock::time_point now = Clock::now();
    if (now < m_nextTable) return;
    m_folder.writeTable(m_runs.runs());
    m_nextTable =
        Clock::now() + std::max<Clock::duration>(std::chrono::seconds(2), kShare * (Clock::now() - now));
  }

  const Study& m_study;
  std::shared_ptr<const Scene> m_scene;
  const StudyFolder& m_folder;
  StudyRuns m_runs;
  std::mutex m_mutex;
  std::string m_failure;
  Clock::time_point m_nextTable{};
};

}  // namespace

int study(const StudyOptions& options) {
  const Study study = loadStudy(options.study);
  const std::shared_ptr<const Scene> scene = sceneOf(study);
  checkSuggestions(*scene);
  for (const StudyPane& pane : study.panes) {
    const std::string problem = refusal(*scene, pane.settings);
    if (!problem.empty())
      throw std::invalid_argument(options.study + ":panes '" + pane.label + "': " + problem);
  }
  const std::string folder = options.out.empty() ? study.name + "-results" : options.out;
  const StudyFolder files(folder, options.resume);
  const ThreadLimit limit(1);  // concurrent runs use cores better than one run with all cores
  StudyWork work(study, scene, files);
  if (const std::size_t left = work.runs().progress().left; left > 0)
    std::cerr << folder << ": " << left << " runs of another scene, time, method or version are left out\n";
  work.go(options.jobs);
  throwIfInterrupted();
  const std::string tables = tablesOf(study, work.runs().runs(), scene->planar);
  files.writeTexts(tables, manifestOf(study, *scene, options.commandLine));
  std::cout << tables << "\nWritten to " << folder << "\n";
  return kDone;
}

}  // namespace touchstone::cli
