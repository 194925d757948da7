#pragma once

#include <functional>
#include <vector>

#include "core/geometry/aabb.h"

namespace touchstone {

/// All pairs a, b of the boxes that overlap, are of the same group and pass `accept(a, b)`, sorted. On the
/// host, for callers that keep nothing between steps; see BoxTree.
/// @param groups  [boxes.size()], or empty: all in one
std::vector<std::pair<int, int>> findBoxOverlaps(const std::vector<Aabb>& boxes, const std::vector<int>& groups,
                                                 const std::function<bool(int, int)>& accept);

}  // namespace touchstone
