#pragma once

#include "core/parallel/device/launch_graph.h"

namespace touchstone {

/// A sequence that is launched without waiting and has parts: the backend itself takes their times.
template <class Backend>
class TimedGraph : public LaunchGraph<Backend> {
 public:
  /// @param loops  loops(mark) launches them and calls mark(part) at the end of each part, a number or an
  /// enum
  template <class Loops>
  void run(const Backend& backend, const Loops& loops) {
    LaunchGraph<Backend>::run(backend, [&] {
      m_stamps.begin(backend);
      loops([&](auto part) { m_stamps.mark(backend, static_cast<int>(part)); });
    });
  }
  /// Adds what each part of the last run took to times[part] [ms]. After something behind it was waited for.
  template <class Times>
  void addTo(Times& times) const {
    m_stamps.addTo(times);
  }

 private:
  typename Backend::Stamps m_stamps;
};

}  // namespace touchstone
