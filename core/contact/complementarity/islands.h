#pragma once

#include <vector>

#include "core/world/world.h"

namespace touchstone {

/// Bodies that pairs connect through dynamic bodies; static ones separate. First connect() all pairs, then
/// ask.
class Islands {
 public:
  explicit Islands(const World& world);
  void connect(int bodyA, int bodyB);
  /// The island of a pair with at least one dynamic body, numbered in the order in which they are asked for.
  int of(int bodyA, int bodyB);
  int count() const { return m_count; }

 private:
  int root(int body);
  const World& m_world;
  std::vector<int> m_parent;  ///< [bodyCount] a lower body of the same island, or itself
  std::vector<int> m_number;  ///< [bodyCount] of roots; −1: not asked for
  int m_count = 0;
};

}  // namespace touchstone
