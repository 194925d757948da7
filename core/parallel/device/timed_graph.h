#pragma once

#include "core/parallel/device/launch_graph.h"

namespace touchstone {

/// A launch graph in parts. The backend measures the time of each part without waiting.
template <class Backend>
class TimedGraph : public LaunchGraph<Backend> {
 public:
  /// @param loops  loops(mark) launches the loops and calls mark(part), with a number or an enum, at the end
  /// of each part
  template <class Loops>
  void run(const Backend& backend, const Loops& loops) {
    LaunchGraph<Backend>::run(backend, [&] {
      m_stamps.begin(backend);
      loops([&](auto part) { m_stamps.mark(backend, static_cast<int>(part)); });
    });
  }
  /// Adds the time of each part of the last run to times[part] [ms]. Call it after waiting for a later
  /// launch.
  template <class Times>
  void addTo(Times& times) const {
    m_stamps.addTo(times);
  }

 private:
  typename Backend::Stamps m_stamps;
};

}  // namespace touchstone
