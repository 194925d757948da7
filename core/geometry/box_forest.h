#pragma once

#include <vector>

#include "core/geometry/aabb.h"
#include "core/math/count.h"

namespace touchstone {

/// A ForestLayout as pointers, on the host or on a device.
struct ForestLayoutView {
  int leafCount = 0, height = 0;
  const int* leafItem = nullptr;
  const int *firstLeaf = nullptr, *treeHeight = nullptr;
};

/// Places of the boxes of items (triangles, edges) in a BoxForest. Each owner (a surface) has a binary tree,
/// whose leaves are its items. Items that are close to each other share a branch. The layout is computed
/// once, so that trees of rigid bodies are never rebuilt. The leaves of all trees form one row; those of a
/// tree of height h start at a multiple of 2ʰ, and node k of level l has the children 2k and 2k + 1 of level
/// l − 1.
struct ForestLayout {
  int height = 0;               ///< height of the highest tree
  std::vector<int> leafItem;    ///< [a multiple of 2^height] item of each leaf, −1: none
  std::vector<int> firstLeaf;   ///< [ownerCount]
  std::vector<int> treeHeight;  ///< [ownerCount] −1: no items

  ForestLayoutView view() const {
    return {countOf(leafItem), height, leafItem.data(), firstLeaf.data(), treeHeight.data()};
  }
};

/// The leaves of one tree.
struct TreeLayout {
  int height = -1;        ///< −1: no items
  std::vector<int> item;  ///< [2^height] of each leaf, −1: none
};
/// @param centres  of all items of an owner [m]   @param items  the items that the tree holds
TreeLayout layOutTree(const std::vector<Vec3>& centres, const std::vector<int>& items);

/// A tree of a forest. Owners of one shape share their layout.
struct PlantedTree {
  const TreeLayout* layout;
  int firstItem;  ///< number of the owner's first item in the forest
};
/// @param trees  [ownerCount]
ForestLayout layOutForest(const std::vector<PlantedTree>& trees);

/// The boxes of a BoxForest as pointers: leaves, then the levels above them.
struct BoxForestView {
  ForestLayoutView layout;
  const Aabb* nodes = nullptr;

  /// Index in `nodes` where a level begins: Σ_{k < level} leafCount / 2ᵏ.
  TS_HD int firstOf(int level) const { return 2 * (layout.leafCount - (layout.leafCount >> level)); }

  /// The box that holds all items of an owner; empty without items.
  TS_HD Aabb boxOf(int owner) const {
    const int top = layout.treeHeight[owner];
    return top < 0 ? Aabb() : nodes[firstOf(top) + (layout.firstLeaf[owner] >> top)];
  }

  /// Calls visit(item) for the items of an owner whose boxes overlap `box`.
  template <class Visit>
  TS_HD void forEachOverlap(int owner, const Aabb& box, const Visit& visit) const {
    const int top = layout.treeHeight[owner];
    if (top < 0) return;
    int level = top, node = layout.firstLeaf[owner] >> top;
    while (true) {
      if (overlap(box, nodes[firstOf(level) + node])) {
        if (level > 0) {
          --level;
          node *= 2;
          continue;
        }
        visit(layout.leafItem[node]);  // leaves without items have empty boxes
      }
      for (; level < top && node % 2 == 1; ++level) node /= 2;  // both children of the parent are done
      if (level == top) return;
      ++node;
    }
  }
};

}  // namespace touchstone
