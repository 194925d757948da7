#include "core/geometry/box_overlaps.h"

#include "core/geometry/box_tree.inl"
#include "core/parallel/host_backend.h"

namespace touchstone {

namespace {
struct OwnerIn : NoOwner {
  const int* groups;
  explicit OwnerIn(const int* groups) : groups(groups) {}
  bool isGrouped() const { return groups; }
  int group(int box) const { return groups ? groups[box] : 0; }
};
}  // namespace

std::vector<std::pair<int, int>> findBoxOverlaps(const std::vector<Aabb>& boxes,
                                                 const std::vector<int>& groups,
                                                 const std::function<bool(int, int)>& accept) {
  const HostBackend backend;
  const int count = static_cast<int>(boxes.size());
  const OwnerIn owner(groups.empty() ? nullptr : groups.data());
  BoxTree<HostBackend> tree;
  tree.build(backend, boxes.data(), count, owner);
  std::vector<IndexPair> found;
  tree.findOverlaps(
      backend, boxes.data(), count, [&accept](int a, int b) { return accept(a, b); }, found, owner);
  std::vector<std::pair<int, int>> pairs;
  pairs.reserve(found.size());
  for (const IndexPair& pair : found) pairs.emplace_back(pair.first, pair.second);
  return pairs;
}

}  // namespace touchstone
