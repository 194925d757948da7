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

/// The runs of a folder in one SQLite file, runs.db, on which several programs may work. Each program claims
/// a run before it computes it; a claim ends when the program ends, for any reason. The file may also contain
/// runs of other scenes, settings or versions; these have other hashes. Thread-safe. Tables:
///
///     meta(key, value)            format
///     workers(id, process)        one for each program that has worked
///     runs(hash, worker, done, result)   worker: who computes it; done 1: result is its JSON
class StudyRuns {
 public:
  /// Opens or creates the file, and adds missing tasks.   @throws DatabaseError
  StudyRuns(const std::string& path, std::vector<StudyTask> tasks);
  ~StudyRuns();
  StudyRuns(const StudyRuns&) = delete;
  StudyRuns& operator=(const StudyRuns&) = delete;

  const std::vector<StudyTask>& tasks() const { return m_tasks; }
  struct Done {
    std::size_t task;
    StudyRun run;
  };
  /// Stores a finished run, if given, and claims the next task that is neither done nor claimed by a running
  /// program, in one transaction.   @return index of the task
  std::optional<std::size_t> next(const std::optional<Done>& done);
  /// Stores a finished run, without another claim.
  void store(const Done& done);
  /// Releases the claim of an unfinished task.
  void giveBack(std::size_t task);

  struct Progress {
    std::size_t done = 0, ofOthers = 0;  ///< number of tasks; ofOthers: claimed by other running programs
    std::string other;                   ///< one of these programs: "process 4711 (touchstone-cli)"
    std::size_t left = 0;                ///< results in the file that belong to no task
  };
  Progress progress();
  /// Results so far: [tasks], none where a run is not done.
  std::vector<std::optional<StudyRun>> runs();
  /// Takes over results of the same runs from another file of runs, which is only read.
  /// @return how many were new   @throws DatabaseError
  std::size_t takeOver(const std::string& file);

 private:
  void make(const std::string& path);
  void sign();
  void want();
  bool lives(long worker) const;
  std::string livingOthers();
  void keep(const Done& done);

  std::mutex m_mutex;
  std::vector<StudyTask> m_tasks;
  int m_signs = -1;  ///< file on which each worker holds a lock while it runs
  std::unique_ptr<Database> m_database;
  long m_worker = 0;
  long m_firstOpen = 0;  ///< all tasks before it are done
};

}  // namespace touchstone
