#pragma once

#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/study/published_values.h"
#include "core/study/study_results.h"
#include "core/study/study_runs.h"

namespace touchstone {

/// A part of the runs of a study: those whose number leaves `index` when divided by `count`.
struct Shard {
  int index = 0, count = 1;
  bool isWhole() const { return count == 1; }
  std::string name() const;  ///< "shard-3-of-8", counted from 1
};
/// Reads "3/8".   @throws std::invalid_argument
Shard shardOf(const std::string& text);
/// The shard of a job of a Slurm array (SLURM_ARRAY_TASK_ID, _MIN, _MAX, _STEP, _COUNT); the whole elsewhere.
/// @throws std::invalid_argument for an array with gaps
Shard shardOfSlurm();

/// One of several processes that a launcher has started together (mpirun, srun).
struct Rank {
  int index = 0, count = 1;
  std::string variable;  ///< of the environment, that says so
};
/// From OMPI_COMM_WORLD_RANK and _SIZE, PMI_RANK and PMI_SIZE, or SLURM_PROCID and SLURM_NTASKS.
Rank rankOfLauncher();

/// Folders in which studies find scenes and phenomena: the shipped datasets.
StudyPlaces shippedPlaces();
/// Path of a study, given as a path or as the name of a shipped one.
/// @throws std::invalid_argument that names those that there are
std::string resolveStudy(const std::string& nameOrPath);
/// Paths of all shipped studies, by name.
std::vector<std::string> shippedStudies();

/// Computes the runs of a study in a folder that holds them in runs.db, with several threads and beside other
/// programs, and writes its tables and figures.
class StudyWork {
 public:
  /// @param mayGoOn  the folder may hold an earlier study, with which the work goes on
  /// @param rank  of several, only the first writes tables
  /// @throws std::invalid_argument if it has other files, or runs and mayGoOn is false; SceneError;
  /// DatabaseError
  StudyWork(Study study, const std::string& folder, bool mayGoOn, const Shard& shard = {},
            const Rank& rank = {});

  const Study& study() const { return m_results.study; }
  const std::vector<StudyTask>& tasks() const { return m_results.tasks; }
  const std::string& folder() const { return m_folder; }
  /// Published values, for figures.
  const PublishedValues& published() const { return *m_published; }

  struct Progress {
    std::size_t done = 0, count = 0;
    double secondsLeft = -1;  ///< −1: not known yet
    std::string waitingFor;   ///< another program that computes the last runs; empty: none
  };
  /// Seconds of the clock that a frame may take; 0, the default: as many as it takes. A run
  /// that the clock ends has failed.
  void setSecondsPerFrame(double seconds) { m_secondsPerFrame = seconds; }
  /// Works until all runs are done, here or by other programs, or until goesOn() is false.
  /// @param tell  called by any of the threads, one at a time, after each run
  /// @throws the exception of a run
  void go(int jobs, const std::function<bool()>& goesOn, const std::function<void(const Progress&)>& tell);

  /// Takes over, into a part, the runs computed beside it when the study was divided otherwise or not at all.
  void takeOverOtherParts();
  /// Takes over what other folders hold of this study. @return how many runs were new
  std::size_t takeOver(const std::string& folder);
  /// Runs of the folder that belong to no task: of another scene, method or version.
  std::size_t othersRuns() { return m_runs->progress().left; }

  /// Results with the runs that are done so far.
  StudyResults results();
  /// Writes the tables of these results; if all runs are done, the verdict and figures too.
  /// @return the verdict, if all are done
  std::optional<StudyVerdict> write(const StudyResults& results, const std::string& command) const;
  /// Names of the figures that write() draws, without an extension.
  std::vector<std::string> figureFiles() const;

 private:
  std::string path(const std::string& file) const;
  void work();
  std::optional<StudyRuns::Done> runOf(std::size_t index);
  bool waitForOthers();
  void noteProgress(const std::string& waitingFor);
  bool goesOn();
  void noteScenes(const std::vector<StudyTask>& tasks);
  std::vector<std::string> resultFiles() const;
  void requireOurs() const;
  void writeTables(const StudyResults& results) const;
  nlohmann::ordered_json manifest(const StudyResults& results, const std::string& command) const;

  std::string m_folder;
  bool m_isPart, m_writes;
  StudyResults m_results;  ///< without runs
  std::unique_ptr<PublishedValues> m_published;
  std::string m_scenes;  ///< files of all scenes with their hashes
  std::unique_ptr<StudyRuns> m_runs;
  std::mutex m_mutex;
  std::function<bool()> m_goesOn;
  std::function<void(const Progress&)> m_tell;
  std::exception_ptr m_failure;
  std::chrono::steady_clock::time_point m_start{}, m_nextTable{}, m_nextCount{};
  std::size_t m_doneHere = 0;
  double m_secondsPerFrame = 0;
};

}  // namespace touchstone
