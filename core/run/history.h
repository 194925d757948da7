#pragma once

#include <cstddef>
#include <deque>
#include <set>

#include "core/record/step_record.h"

namespace touchstone {

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
  /// What is kept, by ascending frame, not necessarily consecutive.
  const std::deque<RecordPtr>& frames() const { return m_frames; }
  std::size_t bytes() const { return m_bytes; }
  /// Of old frames; 1: all are kept.
  long spacing() const { return m_spacing; }

 private:
  void thin();
  std::size_t m_budget, m_bytes = 0;
  long m_spacing = 1;
  std::deque<RecordPtr> m_frames;
  std::set<long> m_pinned;
};

/// Memory that a record holds [bytes], for the budget.
std::size_t bytesOf(const StepRecord& record);

}  // namespace touchstone
