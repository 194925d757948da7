#include "core/contact/complementarity/islands.h"

#include <algorithm>
#include <numeric>

namespace touchstone {

Islands::Islands(const World& world)
    : m_world(world), m_parent(world.position.size()), m_number(world.position.size(), -1) {
  std::iota(m_parent.begin(), m_parent.end(), 0);
}

int Islands::root(int body) {
  while (m_parent[body] != body) body = m_parent[body] = m_parent[m_parent[body]];
  return body;
}

void Islands::connect(int bodyA, int bodyB) {
  if (!isDynamic(m_world, bodyA) || !isDynamic(m_world, bodyB)) return;
  const int a = root(bodyA), b = root(bodyB);
  m_parent[std::max(a, b)] = std::min(a, b);
}

int Islands::of(int bodyA, int bodyB) {
  int& number = m_number[root(isDynamic(m_world, bodyA) ? bodyA : bodyB)];
  if (number < 0) number = m_count++;
  return number;
}

}  // namespace touchstone
