#pragma once

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/run/comparison.h"
#include "core/run/history.h"

namespace touchstone {

/// A warning of the steps of a run; texts that differ only in numbers count as one.
struct RunWarning {
  std::string text;      ///< text of the first occurrence
  long frames = 0;       ///< number of frames with it, of which the start is none
  double since = 0;      ///< s, time of the first of them
  bool atStart = false;  ///< the state at the start has it
};

/// Frames of a run, both included; without limits all frames.
struct FrameRange {
  long from = 0, to = std::numeric_limits<long>::max();
};

/// Result of a run of one pane, or of a range of its frames.
struct PaneSummary {
  std::string method, solver;
  std::string label;  ///< set if it says more than method and solver: distinguishes panes of the same
  long frames = 0;
  long energy = 0, notConverged = 0, noSolution = 0;  ///< frames with that status
  double frozenFrom = -1;                             ///< s, diverged or stopped; −1: neither
  bool planar = false;                                ///< overlaps are areas
  double overlapMedian = 0, overlapMax = 0;           ///< m³, planar m²
  double penetrationMedian = 0, penetrationMax = 0;   ///< m
  double energyMade = 0;                              ///< J; of time to rest and jitter see verdictOf()
  double timeToRest = 0;                              ///< s; infinite: it does not rest
  double jitter = 0;                                  ///< m/s; NaN: it does not rest
  double jointErrorMax = 0;                           ///< m; NaN without joints
  double linearErrorMax = 0, angularErrorMax = 0;     ///< N·s, N·m·s, errors of momentum
  double traps = 0;                                   ///< sum over the frames; NaN where the method has none
  double residualMax = 0;                             ///< m/s; NaN for methods without a solver
  double timeMedian = 0, timeMax = 0;                 ///< ms per frame, without measurement
  double endKineticEnergy = 0;                        ///< J, mean over the last fifth
  std::vector<RunWarning> warnings;                   ///< in the order of first occurrence
  /// Solvers whose answers were used, as records name them, with their frames; in the order of first use.
  std::vector<std::pair<std::string, long>> delivered;
};

/// Summarises a course. Medians and means of a very long run use every second frame, every fourth, …; counts,
/// maxima and warnings use all frames.
/// @param mass  of the bodies that move, see movingMass()
PaneSummary summaryOf(const RunCourse& course, double mass, const FrameRange& range = {});
/// Mass of the bodies that move, Σ m [kg].
double movingMass(const Scene& scene);
/// The summaries of all panes of a comparison. @param labels  [panes]
std::vector<PaneSummary> summariesOf(const Comparison& comparison, const std::vector<std::string>& labels);

/// Status of a run, or of its frames up to one: a frame that is wrong is reported as long as the run is
/// shown.
struct RunStatus {
  bool isOk = true;         ///< every frame is ok
  bool isSerious = false;   ///< 1 % of the frames are not ok, or the result of one is wrong
  std::string text = "ok";  ///< "ok · 3 of 2400 frames not converged", "made energy in 3 of 240 frames"
  long frames = 0;          ///< that are not ok
  long firstFrame = -1;     ///< of the kind that the text names first
  double since = 0;         ///< s, time of that frame
  std::string reason;       ///< its sentence
  std::vector<RunWarning> warnings;  ///< with remedies
};
/// @param last  the last frame that counts
RunStatus runStatusOf(const RunCourse& course, long last = std::numeric_limits<long>::max());

/// One quantity of the verdict on a comparison.
struct VerdictRow {
  std::string key;                      ///< "penetration_max"
  std::string label;                    ///< "Deepest penetration"
  std::string unit;                     ///< "m"; empty for counts
  std::string help;                     ///< definition with formula
  Quantity quantity = Quantity::Count;  ///< whose course shows where the value comes from; Count: none
  /// Differences below it say nothing [unit].
  double floor = 0;
  bool smallerIsBetter = true;  ///< false: no value is better than another
  std::vector<double> values;   ///< [panes] NaN: the pane has none; infinite: the event never comes
};

/// Verdict on a comparison: a column for each pane, a row for each quantity.
struct VerdictTable {
  std::vector<std::string> panes;     ///< labels
  std::vector<unsigned char> frozen;  ///< [panes] 1: diverged or stopped, and therefore never the best
  std::vector<VerdictRow> rows;
};

/// The verdict on panes by their summaries, the same for the command line and the window. Rows without any
/// value are left out.
///
///     energy made     max(0, max E_drift) [J] over the frames, see Quantity::EnergyDrift
///     time to rest    the first time [s] after which E_kin stays below 10⁻⁶ of its largest value
///     jitter          √(2 Ē / M) [m/s] after it: root mean square speed of all material of the M kg that
///     move,
///                     with Ē the mean kinetic energy
VerdictTable verdictOf(const std::vector<PaneSummary>& panes);

/// [panes] 1 for the smallest value, and for each that differs from it by no more than 5 % or the floor. None
/// where no value differs by more, or where no value is better than another.
std::vector<unsigned char> bestOf(const VerdictTable& table, const VerdictRow& row);

/// Form of the values of other panes beside those of a reference pane.
enum class VerdictForm { Value, Difference, Ratio };
/// A value of the verdict with three digits ("0.00412", "3.8e-06", "12", "never"; "–" for none), its
/// difference from that of the reference pane ("+0.00408") or its ratio to it ("× 1050").
std::string verdictCell(const VerdictRow& row, std::size_t pane, VerdictForm form = VerdictForm::Value,
                        std::size_t reference = 0);

/// The verdict as a table for a terminal; the best values have an asterisk.
std::string verdictText(const VerdictTable& table);
/// The same table in Markdown; the best values are bold.
std::string verdictMarkdown(const VerdictTable& table);
/// The same table as a LaTeX tabular.
std::string verdictLatex(const VerdictTable& table);
/// Columns key, quantity, unit and one per pane, with all digits; never is inf.
std::string verdictCsv(const VerdictTable& table);

/// The verdict, the solvers that delivered and the warnings as a text for a terminal.
std::string summaryTable(const std::vector<PaneSummary>& panes);

}  // namespace touchstone
