#pragma once

#include <cstddef>
#include <deque>

#include "core/record/step_record.h"

namespace touchstone {

/// Recorded frames of one pane in bounded memory: when the budget is spent the oldest frames go.
class History {
 public:
  explicit History(std::size_t budgetBytes = std::size_t(256) << 20) : m_budget(budgetBytes) {}
  void append(RecordPtr record);
  void clear();
  /// Forgets all frames after `frame` (running on from a past frame).
  void truncateAfter(long frame);
  std::size_t budget() const { return m_budget; }  ///< bytes
  bool empty() const { return m_frames.empty(); }
  std::size_t size() const { return m_frames.size(); }
  long firstFrame() const { return m_frames.empty() ? 0 : m_frames.front()->frame; }
  long lastFrame() const { return m_frames.empty() ? -1 : m_frames.back()->frame; }
  /// The record of that frame, or null if it is not kept.
  RecordPtr at(long frame) const;
  const std::deque<RecordPtr>& frames() const { return m_frames; }
  std::size_t bytes() const { return m_bytes; }

 private:
  std::size_t m_budget, m_bytes = 0;
  std::deque<RecordPtr> m_frames;  ///< consecutive frame numbers
};

/// Memory that a record holds [bytes], for the budget.
std::size_t bytesOf(const StepRecord& record);

}  // namespace touchstone
