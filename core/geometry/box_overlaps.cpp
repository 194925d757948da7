#include "core/geometry/box_overlaps.h"

#include "core/geometry/box_tree.inl"
#include "core/parallel/host_backend.h"

namespace touchstone {

std::vector<std::pair<int, int>> findBoxOverlaps(const std::vector<Aabb>& boxes,
                                                 const std::function<bool(int, int)>& accept) {
  const HostBackend backend;
  const int count = static_cast<int>(boxes.size());
  BoxTree<HostBackend> tree;
  tree.build(backend, boxes.data(), count);
  List<HostBackend, IndexPair> found;
  tree.findOverlaps(
      backend, boxes.data(), count, [&accept](int a, int b) { return accept(a, b); }, found);
  std::vector<std::pair<int, int>> pairs;
  for (const IndexPair& pair : found.download(backend)) pairs.emplace_back(pair.first, pair.second);
  return pairs;
}

}  // namespace touchstone
