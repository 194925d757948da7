#include <atomic>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <mutex>
#include <thread>

#include "app/cli/commands.h"
#include "app/cli/result_folder.h"
#include "core/parallel/parallel_for.h"
#include "core/run/study.h"
#include "core/run/written_file.h"

namespace touchstone::cli {

namespace fs = std::filesystem;

namespace {

struct Task {
  const StudyPane* pane;
  double dt;
  int seed;
};

std::vector<Task> tasksOf(const Study& study, const std::vector<StudyRun>& done) {
  std::vector<Task> tasks;
  for (int seed : study.seeds)
    for (double dt : study.dt)
      for (const StudyPane& pane : study.panes) {
        bool known = false;
        for (const StudyRun& run : done)
          known = known || (run.pane == pane.label && run.dt == dt && run.seed == seed);
        if (!known) tasks.push_back({&pane, dt, seed});
      }
  return tasks;
}

std::vector<StudyRun> earlierRuns(const fs::path& file, bool resume) {
  if (!fs::exists(file)) return {};
  if (!resume)
    throw std::invalid_argument(file.string() + ": holds an earlier study; give --resume or another --out");
  std::ifstream in(file);
  return readRuns(in);
}

/// Lines as they come, so that a killed study resumes after its last whole run.
class RunFile {
 public:
  RunFile(const fs::path& path, const std::vector<StudyRun>& done) : m_path(path) {
    writeWhole(path.string(), [&](std::ostream& out) {
      out << csvHeaderOfRuns() << '\n';
      for (const StudyRun& run : done) out << csvLine(run) << '\n';
    });
    m_out.open(path, std::ios::app);
  }
  void add(const StudyRun& run) {
    m_out << csvLine(run) << '\n' << std::flush;
    if (!m_out) cannotWrite(m_path.string());
  }

 private:
  fs::path m_path;
  std::ofstream m_out;
};

std::shared_ptr<const Scene> sceneOf(const Study& study) {
  const fs::path beside = fs::path(study.file).parent_path() / study.scene;
  return loadScene(fs::is_regular_file(beside) ? beside.string() : resolveScene(study.scene));
}

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
  const fs::path folder = options.out.empty() ? fs::path(study.name + "-results") : fs::path(options.out);
  createFolder(folder.string());

  std::vector<StudyRun> runs = earlierRuns(folder / "runs.csv", options.resume);
  const std::vector<Task> tasks = tasksOf(study, runs);
  const std::size_t total = runs.size() + tasks.size();
  RunFile file(folder / "runs.csv", runs);
  const ThreadLimit limit(1);  // runs side by side use the cores better than one run with all of them
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::string failure;
  const auto work = [&] {
    for (std::size_t index = next++; index < tasks.size(); index = next++) {
      const Task& task = tasks[index];
      try {
        const StudyRun run = runOne(study, scene, *task.pane, task.dt, task.seed);
        const std::lock_guard<std::mutex> lock(mutex);
        file.add(run);
        runs.push_back(run);
        std::cerr << "\r" << runs.size() << " of " << total << " runs " << std::flush;
      } catch (const std::exception& problem) {
        const std::lock_guard<std::mutex> lock(mutex);
        failure = problem.what();
        next = tasks.size();
      }
    }
  };
  std::vector<std::thread> workers;
  for (int job = 1; job < options.jobs; ++job) workers.emplace_back(work);
  work();
  for (std::thread& worker : workers) worker.join();
  std::cerr << '\n';
  if (!failure.empty()) throw std::runtime_error(failure);

  const std::string tables = tablesOf(study, runs, scene->planar);
  writeWhole((folder / "tables.md").string(), [&](std::ostream& out) { out << tables; });
  std::cout << tables << "\nWritten to " << folder.string() << "\n";
  return kDone;
}

}  // namespace touchstone::cli
