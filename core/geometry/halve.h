#pragma once

#include <algorithm>
#include <vector>

#include "core/geometry/aabb.h"

namespace touchstone {

/// Reorders items [begin, end) along the longest side of the box of their centres: items with the lower
/// centres come before `middle`. Ties are ordered by item number.
/// @param centres  of all items
inline void halve(const std::vector<Vec3>& centres, std::vector<int>& items, int begin, int middle, int end) {
  Aabb bounds;
  for (int k = begin; k < end; ++k) bounds.add(centres[items[k]]);
  int axis = 0;
  (bounds.high - bounds.low).maxCoeff(&axis);
  std::nth_element(items.begin() + begin, items.begin() + middle, items.begin() + end, [&](int a, int b) {
    const double ca = centres[a][axis], cb = centres[b][axis];
    return ca != cb ? ca < cb : a < b;
  });
}

}  // namespace touchstone
