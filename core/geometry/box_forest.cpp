#include "core/geometry/box_forest.h"

#include <algorithm>
#include <numeric>

#include "core/geometry/halve.h"
#include "core/math/count.h"

namespace touchstone {

namespace {

/// Lays out the items [begin, end) as the leaves of a tree.
void layOut(const std::vector<Vec3>& centres, std::vector<int>& items, int begin, int end, int height,
            int* leaves) {
  if (begin == end) return;
  if (height == 0) {
    *leaves = items[begin];
    return;
  }
  const int middle = (begin + end + 1) / 2;
  halve(centres, items, begin, middle, end);
  layOut(centres, items, begin, middle, height - 1, leaves);
  layOut(centres, items, middle, end, height - 1, leaves + (1 << (height - 1)));
}

}  // namespace

TreeLayout layOutTree(const std::vector<Vec3>& centres, const std::vector<int>& items) {
  TreeLayout tree;
  if (items.empty()) return tree;
  tree.height = 0;
  while ((std::size_t{1} << tree.height) < items.size()) ++tree.height;
  tree.item.assign(std::size_t{1} << tree.height, -1);
  std::vector<int> order = items;
  layOut(centres, order, 0, countOf(order), tree.height, tree.item.data());
  return tree;
}

ForestLayout layOutForest(const std::vector<PlantedTree>& trees) {
  ForestLayout forest;
  for (const PlantedTree& tree : trees) forest.treeHeight.push_back(tree.layout->height);
  std::vector<int> byHeight(trees.size());  // the highest first: then each begins at a multiple of its size
  std::iota(byHeight.begin(), byHeight.end(), 0);
  std::stable_sort(byHeight.begin(), byHeight.end(),
                   [&](int a, int b) { return forest.treeHeight[a] > forest.treeHeight[b]; });
  forest.height = trees.empty() ? 0 : std::max(0, forest.treeHeight[byHeight.front()]);
  forest.firstLeaf.assign(trees.size(), 0);
  for (int owner : byHeight) {
    forest.firstLeaf[owner] = countOf(forest.leafItem);
    for (int item : trees[owner].layout->item)
      forest.leafItem.push_back(item < 0 ? -1 : trees[owner].firstItem + item);
  }
  while (forest.leafItem.size() % (std::size_t{1} << forest.height) != 0) forest.leafItem.push_back(-1);
  return forest;
}

}  // namespace touchstone
