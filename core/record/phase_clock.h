#pragma once

#include <chrono>
#include <functional>

#include "core/record/step_record.h"

namespace touchstone {

/// Adds the time since the last stamp to a phase.
class PhaseClock {
 public:
  /// @param finish  waits for what was launched, so that a phase holds its own work; null on the host
  explicit PhaseClock(PhaseTimes& times, std::function<void()> finish = nullptr)
      : m_times(times), m_finish(std::move(finish)), m_last(Clock::now()) {}
  void endOf(Phase phase) {
    if (m_finish) m_finish();
    const Clock::time_point now = Clock::now();
    m_times[static_cast<int>(phase)] += std::chrono::duration<double, std::milli>(now - m_last).count();
    m_last = now;
  }

 private:
  using Clock = std::chrono::steady_clock;
  PhaseTimes& m_times;
  std::function<void()> m_finish;
  Clock::time_point m_last;
};

}  // namespace touchstone
