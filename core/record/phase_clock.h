#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <numeric>
#include <utility>

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
    (*m_times)[static_cast<int>(phase)] += passed();
  }

  /// Phases that took their own times and end now. What the host waited beyond them, for launches and copies,
  /// belongs to the step too: it counts as assembly. What began ahead is among them, so that they may exceed
  /// what the host waited.
  void add(const PhaseTimes& phases) {
    for (std::size_t phase = 0; phase < phases.size(); ++phase) (*m_times)[phase] += phases[phase];
    const double own = std::accumulate(phases.begin(), phases.end(), 0.0);
    (*m_times)[static_cast<int>(Phase::Assemble)] += std::max(0.0, passed() - own);
  }

 private:
  using Clock = std::chrono::steady_clock;

  /// ms since the last call.
  double passed() {
    const Clock::time_point last = std::exchange(m_last, Clock::now());
    return std::chrono::duration<double, std::milli>(m_last - last).count();
  }

  PhaseTimes* m_times = nullptr;
  std::function<void(Phase)> m_mark;
  Clock::time_point m_last;
};

}  // namespace touchstone
