#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "core/run/simulation.h"
#include "core/statistics/ensemble_quantity.h"
#include "core/statistics/event_comparison.h"
#include "core/statistics/perturbed_copies.h"
#include "core/statistics/rank_comparison.h"
#include "core/trajectory/trajectory.h"

namespace touchstone {

/// Event that may happen to a copy; it is counted and never averaged.
enum class SampleEvent {
  Thrown,       ///< a body is further from all places of the start than the size of the scene, not below
  FellThrough,  ///< a body is behind a static plane, or below all places of the start by that much
  NoSolution,   ///< a step had none
  Diverged,
  Count
};
constexpr int kCopyEventCount = static_cast<int>(SampleEvent::Count);
/// "thrown", "fell through", "no solution", "diverged"
const char* toString(SampleEvent event);

/// When each of them first happened to a copy.
struct SampleEvents {
  std::array<double, kCopyEventCount> since;  ///< s; −1: it did not
  SampleEvents() { since.fill(-1); }
  bool has(SampleEvent event) const { return since[static_cast<int>(event)] >= 0; }
  void note(SampleEvent event, double time) {
    double& first = since[static_cast<int>(event)];
    if (first < 0) first = time;
  }
};

/// Finds bodies that were thrown or fell through, from their places alone.
class EscapeFinder {
 public:
  explicit EscapeFinder(const Scene& scene);
  /// @param bodies  [bodyCount] of the scene
  void note(const std::vector<BodyState>& bodies, double time, SampleEvents& events) const;

 private:
  struct Plane {
    Vec3 point, normal;
  };
  std::vector<int> m_moving;
  std::vector<Plane> m_planes;
  std::vector<char> m_startsInFront;  ///< [moving · planes]
  Vec3 m_low, m_high;                 ///< box around all bounded bodies at the start [m]
  Vec3 m_down;                        ///< unit; 0 without gravity
  double m_size;                      ///< m
};

/// √(1/n Σ |x_a − x_b|²) over the n dynamic bodies that are active in both states [m]; not a number without
/// such a body.
double separationOf(const Scene& scene, const std::vector<BodyState>& a, const std::vector<BodyState>& b);

/// Time at which the copies of an ensemble part: until then their motion can be compared one to one,
/// afterwards only as a distribution.
struct Horizon {
  double growth = std::numeric_limits<double>::quiet_NaN();  ///< λ [1/s]; not a number: there is no growth
  double time = std::numeric_limits<double>::quiet_NaN();    ///< T [s]; not a number: not reached
};
/// λ: least squares of ln d over the frames with 10 ε ≤ d until d first exceeds 10⁻³ m, at least 4. T: first
/// time with d ≥ 10⁻² m.
/// @param separation  d [samples] m   @param size  ε [m]
Horizon horizonOf(const std::vector<double>& times, const std::vector<double>& separation, double size);

/// The copies of a scene under one method, or of one engine.
struct EnsembleMember {
  std::string label;          ///< of the pane, or the key of an engine
  std::size_t files = 0;      ///< trajectory files of an engine; 0: copies of ours
  std::vector<double> times;  ///< [samples] s, the start included
  /// [quantities][copies][samples]; not a number from where a copy has diverged.
  std::vector<std::vector<std::vector<double>>> values;
  std::vector<double> separation;    ///< [samples] d: median over the copies of the distance to copy 0 [m]
  std::vector<SampleEvents> events;  ///< [copies]
  Horizon horizon;
  std::vector<std::string> warnings;  ///< of the steps, each once

  std::size_t copyCount() const { return events.size(); }
  /// [copies] one number per copy. @param quantity  index into Ensemble::quantities
  std::vector<double> numbers(const EnsembleQuantity& info, std::size_t quantity) const;
  EventCount count(SampleEvent event) const;
};

/// Median and the range of 90 % of the copies.
struct Band {
  double low, median, high;
};
/// At a sample, over the copies that have a value.
Band bandAt(const EnsembleMember& member, std::size_t quantity, std::size_t sample);

struct Ensemble {
  std::vector<EnsembleQuantity> quantities;
  Perturbation perturbation;
  double alpha = 0.05;
  std::vector<EnsembleMargin> margins;
  std::vector<EnsembleMember> members;
};

/// Two members in one quantity.
struct EnsembleVerdict {
  std::size_t quantity = 0, a = 0, b = 0;  ///< indices
  RankComparison ranks;
  SpreadComparison spread;
  AdjustedP pHolm;        ///< of the ranks, by Holm's correction over the quantities of this pair
  double spreadHolm = 1;  ///< p of the spread, by a correction of its own
  double margin = std::numeric_limits<double>::quiet_NaN();  ///< δ
  RankVerdict verdict;
  std::string problem;  ///< why there is no verdict: too few copies with a number; or empty
};
/// All pairs of members in all quantities. A margin in per cent is of the median of the second of the pair.
std::vector<EnsembleVerdict> verdictsOf(const Ensemble& ensemble);

struct EventVerdict {
  SampleEvent event = SampleEvent::Thrown;
  std::size_t a = 0, b = 0;  ///< indices of members
  double p = 1;              ///< Fisher
};
/// All pairs of members, for the events that happened to a copy of either.
std::vector<EventVerdict> eventVerdictsOf(const Ensemble& ensemble);

/// Callbacks while an ensemble is computed. A function that throws ends it.
struct EnsembleProgress {
  std::function<void(double share)> share;
  /// The state of each copy after each frame, and at the start; bodies are those of the scene.
  std::function<void(int copy, const StepRecord& record)> copy;
};

/// Runs all copies under one method as one scene. Each copy moves as it would alone; one that diverges stops
/// while the others go on.
/// @param dt  frame length [s]   @param time  to simulate [s]
/// @param secondsPerFrame  see Simulation
/// @throws std::invalid_argument if settings or perturbation are refused
/// @throws std::runtime_error if the machine cannot run that many copies
EnsembleMember runEnsemble(std::shared_ptr<const Scene> scene, const PaneSettings& settings,
                           const std::vector<EnsembleQuantity>& quantities, const Perturbation& perturbation,
                           double dt, double time, const EnsembleProgress& progress = {},
                           double secondsPerFrame = 0);

/// The copies of an engine, one trajectory each, with the times of the longest; the first is of the scene as
/// it is. A copy has no number after its end. Of events only those that poses tell are counted.
/// @param size  ε [m]   @throws std::invalid_argument for times that differ, or a quantity that needs
/// contacts
EnsembleMember ensembleOf(const std::vector<Trajectory>& copies,
                          const std::vector<EnsembleQuantity>& quantities, double size);

/// Why the last values of members cannot be compared, with the remedy: they end at other times. Empty if they
/// can.
std::string problemOfEnds(const Ensemble& ensemble);

}  // namespace touchstone
