#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "core/conform/effort.h"
#include "core/conform/verdict.h"
#include "core/run/comparison.h"

namespace touchstone {

/// Which parameters methods have: those that the scenes suggest, or the defaults of the methods with the
/// scene's frame as the step.
enum class ConformSettings { Battery, Published };

/// Result of one run of a phenomenon in one column.
struct ColumnRun {
  std::shared_ptr<const Trajectory> trajectory;  ///< null: it has not run
  std::string problem;                           ///< why
  bool hasFailed = false;                        ///< it crashed; else the problem is why it is left out
  ColumnModel model;
  RunEffort effort;
  long notOk = 0;  ///< frames whose status is not ok
};

/// A run of a phenomenon in all columns.
struct ConformRun {
  std::string phenomenon, run;
  double dt = 0, time = 0;         ///< s
  std::string sceneHash, folder;   ///< folder below the card; empty: not written
  std::string sceneSha256;         ///< of the same bytes, for other programs
  std::vector<ColumnRun> columns;  ///< [columns]
};

/// Name of a scene that a run changes, in the folder of the run; an observer writes it.
constexpr char kChangedScene[] = "scene.json";

/// Follows the panes of a run, to write them to files.
class ConformObserver {
 public:
  virtual ~ConformObserver() = default;
  virtual void stepped(const Comparison& comparison) = 0;
  virtual void finished(const Comparison& comparison) = 0;
};

struct ConformOptions {
  std::vector<CardColumn> columns;
  ConformSettings settings = ConformSettings::Battery;
  /// Length of the steps, as a multiple of those that settings and phenomena have. Frames keep their length
  /// if every column of a run can change its substeps so; else frames are so many times as long.
  double stepFactor = 1;
  int jobs = 1;                ///< runs side by side; the processor time of steps is that of one thread each
  double secondsPerFrame = 0;  ///< see Simulation; a run of a column that takes longer has failed. 0: no end
  double secondsPerColumn =
      0;  ///< of the clock, for all frames of a column; the rest then has failed. 0: no end
  /// Folder for scenes that runs change, one folder below it for each run; empty: they are in memory only.
  std::string folder;
  /// Makes the files of a run that begins, in its folder; may return null. Null: nothing is written.
  std::function<std::unique_ptr<ConformObserver>(const std::string& folder, Comparison& comparison,
                                                 double time)>
      observe;
  /// Receives what is odd in files of other engines, from several threads.
  std::function<void(const std::string& warning)> warn;
  /// Called after each run, and during runs; throws to stop.
  std::function<void(double share)> progress;
};

/// A cell of the card: a phenomenon in a column.
struct CardCell {
  Verdict verdict = Verdict::NotApplicable;  ///< the worst of its numbers
  std::string text;                          ///< the primary number, or why there is none
  std::string reason;                        ///< of n/a and failed
  long notOk = 0;                            ///< frames
};

/// True if a change turned a measure in the columns that had it ✓.
struct ControlResult {
  std::string phenomenon, measure, column;
  Verdict before = Verdict::Agrees, after = Verdict::Agrees;
  double value = 0;
  bool isTurned() const { return after != Verdict::Agrees; }
};

/// A curve of a phenomenon in a column: what its primary measure looks at, over time.
struct CardCurve {
  std::string phenomenon, measure, column;
  std::vector<std::pair<double, double>> points;
};

/// A run of the card, the same for all columns.
struct CardRun {
  std::string phenomenon, run, sceneHash, sceneSha256;
  double dt = 0, time = 0;                                ///< s
  std::map<std::string, std::set<std::string>> declared;  ///< words of headers by foreign column
};

/// The score card: no total score, no ranking.
struct Card {
  ConformSettings settings = ConformSettings::Battery;
  std::vector<Phenomenon> phenomena;
  std::vector<std::string> columns;
  std::set<std::string> foreign;  ///< those of columns that are files of other programs
  std::vector<CardRun> runs;
  std::vector<CardNumber> numbers;           ///< by phenomenon, measure, column
  std::vector<std::vector<CardCell>> cells;  ///< [phenomena][columns]
  std::vector<CardCurve> curves;
  std::vector<ControlResult> controls;
  std::vector<CardEffort> efforts;            ///< of what has run, by column
  std::map<std::string, std::string> models;  ///< of a column, "phenomenon/column": asked and got
};

/// Seconds of the clock that columns have used, over runs side by side.
class ColumnClocks {
 public:
  explicit ColumnClocks(const ConformOptions& options)
      : m_options(options), m_used(options.columns.size(), 0) {}
  void add(std::size_t column, double seconds);
  /// Seconds that its next frame may take, at least a little; 0: as many as it takes.
  double nextFrame(std::size_t column) const;
  /// The reason for which nothing more runs in the column, or empty.
  std::string problem(std::size_t column) const;

 private:
  const ConformOptions& m_options;
  mutable std::mutex m_mutex;
  std::vector<double> m_used;
};

/// Runs phenomena in columns and judges them. A column that is refused or fails does not stop the others.
/// @param controls  also run the controls
/// @throws SceneError for a scene that cannot be changed as a phenomenon asks
Card conform(const std::vector<Phenomenon>& phenomena, const ConformOptions& options, bool controls);

/// The cell of a phenomenon in a column. @param numbers  by measure
CardCell cellOf(const Phenomenon& phenomenon, const std::vector<CardNumber*>& numbers);

/// "battery", "published"
const char* toString(ConformSettings settings);

}  // namespace touchstone
