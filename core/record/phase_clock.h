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
  /// For a device, which measures time itself. @param mark  marks the end of a phase in the order of its work
  explicit PhaseClock(std::function<void(Phase)> mark) : m_mark(std::move(mark)) {}

  void endOf(Phase phase) {
    if (m_mark) {
      m_mark(phase);
      return;
    }
    (*m_times)[static_cast<int>(phase)] += passed();
  }

  /// Adds the times of phases that were measured elsewhere and end now. Further time that the host waited,
  /// for launches and copies, belongs to the step too and counts as assembly. Work that began before the step
  /// is included, so that the sum may exceed the host's waiting time.
  void add(const PhaseTimes& phases) {
    for (std::size_t phase = 0; phase < phases.size(); ++phase) (*m_times)[phase] += phases[phase];
    const double phaseSum = std::accumulate(phases.begin(), phases.end(), 0.0);
    (*m_times)[static_cast<int>(Phase::Assemble)] += std::max(0.0, passed() - phaseSum);
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
