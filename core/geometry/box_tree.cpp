#include "core/geometry/box_tree.h"

#include <cstdint>

#include "core/parallel/host_backend.h"
#include "core/parallel/sort.h"

namespace touchstone {

namespace {

// Bits x of 0…1023 spread to every third position.
std::uint32_t spread(std::uint32_t x) {
  x = (x | (x << 16)) & 0x030000FFu;
  x = (x | (x << 8)) & 0x0300F00Fu;
  x = (x | (x << 4)) & 0x030C30C3u;
  return (x | (x << 2)) & 0x09249249u;
}

std::uint32_t mortonCode(const Vec3& point, const Aabb& bounds) {
  std::uint32_t code = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const double extent = bounds.high[axis] - bounds.low[axis];
    const double share = extent > 0 ? (point[axis] - bounds.low[axis]) / extent : 0;
    const double cell = std::min(1023.0, std::max(0.0, 1024 * share));  // NaN falls to 0
    code |= spread(static_cast<std::uint32_t>(cell)) << axis;
  }
  return code;
}

}  // namespace

void BoxTree::build(const std::vector<Aabb>& boxes) {
  const int count = static_cast<int>(boxes.size());
  m_order.clear();
  m_leafCount = 1;
  if (count == 0) return;
  while (m_leafCount < count) m_leafCount *= 2;

  // Empty boxes (features of bodies that take no part) must not stretch the curve over all space.
  Aabb bounds;
  for (const Aabb& box : boxes)
    if (box.low.x() <= box.high.x()) bounds.add(0.5 * (box.low + box.high));
  std::vector<std::pair<std::uint32_t, int>> codes(count);
  parallelFor(count, [&](int box) {
    codes[box] = {mortonCode(0.5 * (boxes[box].low + boxes[box].high), bounds), box};
  });
  stableSort(HostBackend(), codes.begin(), codes.end(),
             [](const auto& a, const auto& b) { return a.first < b.first; });

  m_order.resize(count);
  m_nodes.assign(2 * static_cast<std::size_t>(m_leafCount), Aabb());
  for (int leaf = 0; leaf < count; ++leaf) {
    m_order[leaf] = codes[leaf].second;
    m_nodes[m_leafCount + leaf] = boxes[m_order[leaf]];
  }
  for (int node = m_leafCount - 1; node >= 1; --node) {
    m_nodes[node] = m_nodes[2 * node];
    m_nodes[node].add(m_nodes[2 * node + 1]);
  }
}

}  // namespace touchstone
