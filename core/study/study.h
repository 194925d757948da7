#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/run/simulation.h"
#include "core/study/expression.h"

namespace touchstone {

/// Parts of a run of a study, and the table of which its quantities are expressions (see the guide,
/// *Writing a study*).
enum class StudyKind {
  Frames,      ///< a simulation; a row for each frame
  Iterations,  ///< the last frame of a simulation, solved from zero; a row for each iteration of its solver
  Inner,       ///< the same; a row for each iteration of the linear solver within
  Formula,     ///< no simulation; a row for each value of x
  PairPath,    ///< one pair of features under both normals of CPF; a row for each step of a turning face
  Phenomenon   ///< a phenomenon of the conformance card; a row for each of its measures
};

/// A change of a run: "dt", "time", "substeps", "method", "solver", "scene" (another one), "parameters/KEY"
/// (of methods that have it), "constants/NAME" (of expressions) or "scene/PATH" (a place in the scene's file,
/// see SceneEdit), and the JSON text of its value. A text that begins with = is an expression of the axes'
/// values and the pane's constants.
struct StudyChange {
  std::string target, value;
};

/// One row of a study: a method and its parameters, with a label.
struct StudyPane {
  std::string label;
  PaneSettings settings;                    ///< its words, see completed()
  std::string scene;                        ///< empty: the study's
  std::map<std::string, double> constants;  ///< for expressions
  std::vector<StudyChange> changes;
  bool stopsOnFailure = true;  ///< a step without an answer ends the run; else it is counted only
};

/// A number or a name that a study varies.
struct StudyAxis {
  struct Point {
    Cell value;
    std::vector<StudyChange> changes;
  };
  std::string name, title, unit;
  std::vector<StudyChange> common;  ///< of every point, before its own
  std::vector<Point> points;
};

/// Measure of a run: an aggregate of its table, or a series of it.
struct StudyQuantity {
  std::string id, title, unit, expression;
  bool isSeries = false;
  std::string x = "time_s", xTitle = "t [s]";  ///< of a series
  std::string runs;     ///< condition on pane, axes, dt_s, seed: of which runs; empty: all
  bool isTime = false;  ///< measured with a clock: not reproducible
};

/// A number of a whole study: an aggregate of the table of its runs.
struct StudyNumber {
  std::string id, title, unit, expression;
};

/// A perturbed program, under which a claim must get another disposition: runs of some panes with changes of
/// method or scene, or panes that run each other's method.
struct StudyControl {
  std::string what;                  ///< what is perturbed, in words
  std::vector<StudyChange> changes;  ///< after those of axes and pane
  std::vector<std::string> panes;    ///< labels of the panes that it changes; empty: all
  std::string runs;                  ///< condition on pane, axes, dt_s, seed: of which runs; empty: all
  std::vector<std::pair<std::string, std::string>> swapped;  ///< labels of panes
};

/// A claim about the numbers of a study.
struct StudyAcceptance {
  std::string id, claim, condition;
  std::vector<std::pair<std::string, std::string>> variants;  ///< name and condition: for whom it holds else
  std::string because;                                        ///< why it does not hold, if it does not
  std::vector<StudyControl> controls;                         ///< one of them must turn the disposition
  std::string withoutControl;  ///< why none can be made: the claim is not judged; empty: else
};

/// A published value in a plot.
struct StudyPublished {
  std::string id, number;  ///< see PublishedValues
  bool ofX = false;        ///< a line at x, not at y
  double factor = 1;       ///< to the unit of the axis
  std::string label;
};

struct StudyPlot {
  enum class Kind {
    Curve,   ///< a quantity against an axis or another quantity, over the seeds
    Series,  ///< series of single runs
    Share,   ///< the mean of a quantity in bins of x
    Map,     ///< a quantity over two axes
    Polar    ///< a quantity over an angle in degrees
  };
  struct Line {
    std::string label, expression;  ///< of x
  };
  std::string id, title;
  Kind kind = Kind::Curve;
  std::string x, y, value;     ///< columns of the runs' table; value: of Map
  std::string xTitle, yTitle;  ///< empty: those of the axis or quantity
  bool xLog = false, yLog = false, points = false;
  std::string band = "quartiles";  ///< "quartiles", "extremes", "none"
  double bin = 0;                  ///< width of a bin of Share; 0: each x
  double floor = 0;                ///< values below it are drawn on it (logarithmic axes)
  std::string panels, curves;      ///< axis, or "pane": a panel or a curve for each of its values
  std::string where, failed;       ///< conditions on runs: that take part; that count as failed in a map
  std::vector<Line> lines;
  std::vector<StudyPublished> published;
};

/// A sweep of a scene and what is asked of it.
struct Study {
  std::string name, title, file, question, source, notes;
  std::string hash;  ///< of the file as it was read
  StudyKind kind = StudyKind::Frames;
  std::string scene;       ///< a path relative to the study, or the name of a shipped scene
  double time = 5;         ///< simulated time of each run [s]
  double crashSpeed = 50;  ///< m/s; a faster body ends the run as failed
  std::vector<double> dt;  ///< s; empty: the scene's
  std::vector<int> seeds;  ///< 0: the unchanged scene
  StartVariation variation;
  std::vector<StudyAxis> axes;
  std::vector<StudyPane> panes;
  std::vector<double> grid;                                  ///< x of Formula
  std::vector<std::pair<std::string, std::string>> columns;  ///< names and body quantities
  std::vector<std::pair<std::string, std::string>> derived;  ///< names and expressions of the other columns
  std::vector<StudyQuantity> quantities;
  std::vector<StudyNumber> numbers;
  std::vector<StudyAcceptance> acceptances;
  std::vector<StudyPlot> plots;
  bool isQuick = false;  ///< with the member `quick` of the file in force

  const StudyQuantity* quantity(const std::string& id) const;
};

/// Reads a study file (JSON, "touchstone_study": 1).
/// @param quick  the members of its `quick` replace those of the file
/// @throws SceneError with file, field and remedy
Study loadStudy(const std::string& path, bool quick = false);

/// One run of a study, with all that determines it.
struct StudyTask {
  std::string hash;  ///< of everything that affects the result, the program's version included
  std::size_t pane = 0;
  std::vector<Cell> point;  ///< [axes]
  double dt = 0, time = 0;  ///< s
  /// The acceptance and the control whose perturbed run it is; −1: a run of the study.
  int acceptance = -1, control = -1;
  double statedDt = 0;                      ///< s; dt without the control's change
  std::map<std::string, double> constants;  ///< of the pane, with numbers of axes and the control's changes
  int seed = 0;
  PaneSettings settings;
  std::shared_ptr<const Scene> scene;  ///< with the changes of the point, not those of the seed; may be null
  std::string phenomenon;              ///< file of one, of StudyKind::Phenomenon
};

/// Places where a study finds what it names.
struct StudyPlaces {
  std::string datasets;                                         ///< folder
  std::function<std::string(const std::string& scene)> scenes;  ///< path of a shipped scene by its name
};

/// True for "drive:JOINT", the target of a drive, which stands among the parameters of every method.
inline bool isOfDrive(const std::string& parameter) { return parameter.rfind(kDriveKey, 0) == 0; }

/// True if a condition on pane, axes, dt_s and seed holds of a run; an empty one always does.
/// @param budget  see ExpressionTable   @throws ExpressionError
bool isOf(const Study& study, const std::string& condition, const StudyTask& task,
          const std::shared_ptr<ExpressionBudget>& budget = nullptr);

/// All runs of a study, grouped by seed; after them those of its controls.
/// @throws SceneError, or std::invalid_argument for settings that a scene refuses
std::vector<StudyTask> tasksOf(const Study& study, const StudyPlaces& places);

/// Result of one run. A failed run counts up to its failure.
struct StudyRun {
  long frames = 0;
  double failedAt = -1;        ///< s: no answer, or a body above the crash speed; −1: survived
  std::string reason;          ///< of the failure
  long unsolved = 0;           ///< solves of the method's own problem without an answer, before any retry
  double solves = 0;           ///< problems per frame
  long bisected = 0;           ///< frames with a bisected step
  double milliseconds = 0;     ///< median step time, not reproducible
  std::vector<double> values;  ///< [quantities]; NaN for a series
  struct Series {
    std::vector<double> x, y;
  };
  std::vector<Series> series;  ///< [quantities]; empty for a value
};

/// @param goesOn  called after each frame; false aborts the run
/// @param secondsPerFrame  see Simulation; a run whose frame takes longer has failed. 0: no end
/// @return null if the run was aborted
/// @throws ExpressionError, std::invalid_argument
std::optional<StudyRun> runOne(const Study& study, const StudyTask& task,
                               const std::function<bool()>& goesOn = nullptr, double secondsPerFrame = 0);

/// "frames", "iterations", …
const char* toString(StudyKind kind);

}  // namespace touchstone
