#pragma once

#include <vector>

#include "core/geometry/clipped_solid.h"

namespace touchstone {

/// A SolidScratch on the host that owns its memory.
class SolidMemory {
 public:
  /// @param capacity  number of points and of polygons
  explicit SolidMemory(int capacity) : m_angles(capacity) {
    const auto lend = [capacity](auto& items, auto& list) {
      items.resize(capacity);
      list.items = items.data();
      list.capacity = capacity;
    };
    for (int k = 0; k < 2; ++k) {
      lend(m_points[k], m_scratch.polygons[k].points);
      lend(m_ends[k], m_scratch.polygons[k].ends);
    }
    lend(m_points[2], m_scratch.section);
    m_ends[2].resize(capacity);
    m_scratch.angles = m_angles.data();
    m_scratch.order = m_ends[2].data();
  }
  SolidMemory(const SolidMemory&) = delete;
  SolidMemory& operator=(const SolidMemory&) = delete;
  SolidScratch& scratch() { return m_scratch; }

 private:
  std::vector<Vec3> m_points[3];
  std::vector<int> m_ends[3];
  std::vector<double> m_angles;
  SolidScratch m_scratch;
};

}  // namespace touchstone
