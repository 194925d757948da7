#pragma once

#include <functional>
#include <vector>

#include "core/geometry/aabb.h"

namespace touchstone {

/// All pairs a, b of the boxes that overlap and pass `accept(a, b)`, sorted. On the host, for callers that
/// keep nothing between steps; see BoxTree.
std::vector<std::pair<int, int>> findBoxOverlaps(const std::vector<Aabb>& boxes,
                                                 const std::function<bool(int, int)>& accept);

}  // namespace touchstone
