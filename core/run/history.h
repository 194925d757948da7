#pragma once

#include <cstddef>
#include <deque>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "core/record/step_record.h"

namespace touchstone {

/// Numbers of a frame, or of a few consecutive frames, that stay when their records are dropped.
struct CourseSample {
  long first = 0, last = 0;  ///< frames
  double time = 0;           ///< s, of the first frame
  // Values of the first frame.
  double overlap = 0;        ///< m³, planar m²
  double depth = 0;          ///< m, deepest penetration
  double milliseconds = 0;   ///< per frame, without measurement
  double kineticEnergy = 0;  ///< J
  // Largest values of the frames; NaN where no frame has one.
  double overlapMax = 0, depthMax = 0, millisecondsMax = 0, kineticEnergyMax = 0;
  double energyDriftMax = 0;   ///< J, see Quantity::EnergyDrift
  double jointErrorMax = 0;    ///< m
  double linearErrorMax = 0;   ///< N·s, error of the linear momentum
  double angularErrorMax = 0;  ///< N·m·s, error of the angular momentum
  double residualMax = 0;      ///< m/s
  double traps = 0;            ///< sum over the frames; NaN where no frame has it
};

/// Consecutive frames with the same text or status.
struct FrameStretch {
  long first = 0, last = 0;  ///< frames
  double since = 0;          ///< s, time of the first frame
};
/// Frames with one status.
struct StatusStretch : FrameStretch {
  StepStatus status = StepStatus::Ok;
  /// A result that is wrong: made energy, no solution, a joint that is torn or a contact without a force, or
  /// a pane that is frozen. An iteration that ended early is none.
  bool isSerious = false;
  std::string text;  ///< StepRecord::statusText of the first frame of its kind; empty in later stretches
};
/// A text of the records of a run, with its frames.
struct CourseText {
  std::string text;  ///< of the first frame
  std::vector<FrameStretch> stretches;
  /// Number of its frames in a range; frame 0 does not count.
  long framesIn(long first, long last) const;
};

/// Course of a run of one pane, in bounded memory: what summaries, verdicts and the status of a run need, for
/// every frame. A very long run keeps its numbers for every second frame, every fourth, …, with the largest
/// values of those between; statuses and texts keep their frames.
class RunCourse {
 public:
  void add(const StepRecord& record);
  void truncateAfter(long frame);
  const std::vector<CourseSample>& samples() const { return m_samples; }
  const std::vector<StatusStretch>& statuses() const { return m_statuses; }
  /// Warnings in the order of first occurrence; texts that differ only in numbers are one.
  const std::vector<CourseText>& warnings() const { return m_warnings; }
  /// Solvers whose answers were used, as records name them, in the order of first use.
  const std::vector<CourseText>& delivered() const { return m_delivered; }
  const std::string& method() const { return m_method; }  ///< of the newest frame
  const std::string& solver() const { return m_solver; }  ///< of the newest frame
  bool planar() const { return m_planar; }                ///< overlaps are areas

 private:
  void addStatus(const StepRecord& record);

  std::string m_method, m_solver;
  bool m_planar = false;
  long m_spacing = 1;
  std::vector<CourseSample> m_samples;
  std::vector<StatusStretch> m_statuses;
  std::vector<CourseText> m_warnings, m_delivered;
};

/// Recorded frames of one pane in bounded memory. While the budget lasts every frame is kept; then the newest
/// half of it stays whole and older frames are kept at a spacing that widens with the length of the run.
/// Frames between can be rebuilt (Comparison::rebuilt).
class History {
 public:
  static constexpr std::size_t kUsualBudget = std::size_t(128) << 20;  ///< bytes
  /// A budget for who needs no past: the two newest frames are kept.
  static constexpr std::size_t kNewestOnly = 0;
  explicit History(std::size_t budgetBytes = kUsualBudget) : m_budget(budgetBytes) {}
  /// @param pinned  no step led to this frame, so that it cannot be rebuilt: always kept
  void append(RecordPtr record, bool pinned = false);
  void clear();
  /// Forgets all frames after `frame` (running on from a past frame).
  void truncateAfter(long frame);
  /// A smaller one [bytes] thins at once; a larger one brings nothing back.
  void setBudget(std::size_t bytes);
  bool empty() const { return m_frames.empty(); }
  std::size_t size() const { return m_frames.size(); }
  long firstFrame() const { return m_frames.empty() ? 0 : m_frames.front()->frame; }
  long lastFrame() const { return m_frames.empty() ? -1 : m_frames.back()->frame; }
  /// The record of that frame, or null if it is not kept.
  RecordPtr at(long frame) const;
  /// The kept records, by ascending frame, not necessarily consecutive.
  const std::deque<RecordPtr>& frames() const { return m_frames; }
  /// Course of all frames, of those that are not kept too.
  const RunCourse& course() const { return m_course; }
  std::size_t bytes() const { return m_bytes; }
  /// Spacing of old frames; 1: all are kept.
  long spacing() const { return m_spacing; }

 private:
  void thin();
  std::size_t m_budget, m_bytes = 0;
  long m_spacing = 1;
  std::deque<RecordPtr> m_frames;
  std::set<long> m_pinned;
  RunCourse m_course;
};

/// Memory that a record holds [bytes], for the budget.
std::size_t bytesOf(const StepRecord& record);

}  // namespace touchstone
