#pragma once

#include <algorithm>
#include <initializer_list>
#include <vector>

#include "core/world/world.h"

namespace touchstone {

/// Carriers of a block: those of a list that move, ascending, each once.
class MovingCarriers {
 public:
  MovingCarriers() = default;
  MovingCarriers(const World& world, std::initializer_list<int> carriers) {
    for (const int carrier : carriers) add(world, carrier);
  }
  template <int count>
  MovingCarriers(const World& world, const int (&carriers)[count]) {
    for (const int carrier : carriers) add(world, carrier);
  }

  /// @param carrier  −1, the world's own frame, does not move
  void add(const World& world, int carrier) {
    if (!canMove(world, carrier)) return;
    const auto place = std::lower_bound(m_list.begin(), m_list.end(), carrier);
    if (place == m_list.end() || *place != carrier) m_list.insert(place, carrier);
  }

  const std::vector<int>& list() const { return m_list; }
  bool isEmpty() const { return m_list.empty(); }
  /// Place of a carrier in the block; −1: it does not move.
  int placeOf(int carrier) const {
    const auto place = std::lower_bound(m_list.begin(), m_list.end(), carrier);
    return place != m_list.end() && *place == carrier ? static_cast<int>(place - m_list.begin()) : -1;
  }

 private:
  std::vector<int> m_list;
};

}  // namespace touchstone
