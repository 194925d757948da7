#pragma once

#include <chrono>
#include <functional>

#include "core/record/step_record.h"

namespace touchstone {

/// Adds the time since the last stamp to a phase.
class PhaseClock {
 public:
  explicit PhaseClock(PhaseTimes& times) : m_times(&times), m_last(Clock::now()) {}
  /// Of a device, which keeps its own time. @param mark  notes the end of a phase in the order of its work
  explicit PhaseClock(std::function<void(Phase)> mark) : m_mark(std::move(mark)) {}

  void endOf(Phase phase) {
    if (m_mark) {
      m_mark(phase);
      return;
    }
    const Clock::time_point now = Clock::now();
    (*m_times)[static_cast<int>(phase)] += std::chrono::duration<double, std::milli>(now - m_last).count();
    m_last = now;
  }

 private:
  using Clock = std::chrono::steady_clock;
  PhaseTimes* m_times = nullptr;
  std::function<void(Phase)> m_mark;
  Clock::time_point m_last;
};

}  // namespace touchstone
