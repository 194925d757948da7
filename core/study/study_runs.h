#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/study/study.h"

namespace touchstone {

class Database;
class Statement;

/// One run of a study that is to be done, known by what determines it.
struct StudyTask {
  std::string hash;  ///< of scene, method, settings, step, seed, variation, time and version: see hashOf()
  const StudyPane* pane = nullptr;
  double dt = 0;
  int seed = 0;
};

/// All runs of a study, seed by seed.
std::vector<StudyTask> tasksOf(const Study& study, const Scene& scene);

/// The runs of a folder in one SQLite file, runs.db, on which several programs may work: each claims a run
/// before it computes it, and a claim ends with the program that made it, however that ends. Runs of other
/// scenes, settings or versions may lie in the same file; they have other hashes. Used by all threads of a
/// program. Tables:
///
///     meta(key, value)            format
///     workers(id, process)        one for each program that has worked
///     runs(hash, worker, done, pane, dt_s, seed, …)   worker: who computes it; done 1: what is there is its
///     result
class StudyRuns {
 public:
  /// Opens the file or makes it, and adds tasks that it does not have.   @throws DatabaseError
  StudyRuns(const std::string& path, std::vector<StudyTask> tasks);
  ~StudyRuns();
  StudyRuns(const StudyRuns&) = delete;
  StudyRuns& operator=(const StudyRuns&) = delete;

  const std::vector<StudyTask>& tasks() const { return m_tasks; }
  struct Done {
    std::size_t task;
    StudyRun run;
  };
  /// Keeps a run of this program, if there is one, and claims the next task that is neither done nor claimed
  /// by a program that lives. Both in one transaction.   @return its index
  std::optional<std::size_t> next(const std::optional<Done>& done);
  /// Takes the claim back of a task that was not finished.
  void giveBack(std::size_t task);

  struct Progress {
    std::size_t done = 0, ofOthers = 0;  ///< tasks; others: claimed by another program that lives
    std::string other;                   ///< one of those: "process 4711 (touchstone-cli)"
    std::size_t left = 0;                ///< results in the file that belong to no task
  };
  Progress progress();
  /// Results so far, in the order of the tasks, under the labels of their panes.
  std::vector<StudyRun> runs();

 private:
  void make(const std::string& path);
  void sign();
  void want();
  bool lives(long worker) const;
  std::string livingOthers();
  void keep(const Done& done);

  std::mutex m_mutex;
  std::vector<StudyTask> m_tasks;
  int m_signs = -1;  ///< file on which each worker holds a lock while it lives
  std::unique_ptr<Database> m_database;
  long m_worker = 0;
};

}  // namespace touchstone
