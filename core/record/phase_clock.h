#pragma once

#include <chrono>

#include "core/record/step_record.h"

namespace touchstone {

/// Adds the time since the last stamp to a phase.
class PhaseClock {
 public:
  explicit PhaseClock(PhaseTimes& times) : m_times(times), m_last(Clock::now()) {}
  void endOf(Phase phase) {
    const Clock::time_point now = Clock::now();
    m_times[static_cast<int>(phase)] += std::chrono::duration<double, std::milli>(now - m_last).count();
    m_last = now;
  }

 private:
  using Clock = std::chrono::steady_clock;
  PhaseTimes& m_times;
  Clock::time_point m_last;
};

}  // namespace touchstone
