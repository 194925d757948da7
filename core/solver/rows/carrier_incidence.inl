#pragma once

#include "core/geometry/hit_list.inl"
#include "core/parallel/grouping.h"

namespace touchstone {

// Bodies of pairs that touch come as those that move: IndexPair(first, second), −1 in the place of a static
// one. A side of a pair is 2 · pair, + 1 for its second body.

namespace detail {

struct BodyOfSide {
  const IndexPair* moving;
  TS_HD int operator()(int side) const {
    const IndexPair& pair = moving[side / 2];
    return side % 2 == 0 ? pair.first : pair.second;
  }
};

/// The sides of the pairs of each body, ascending.
struct CarrierIncidence {
  const IndexPair* moving;
  const GroupedItem* sides;
  const int* first;  // [bodyCount + 1]
  TS_HD int sideAt(int place) const { return sides[place].item; }
  TS_HD int pairAt(int place) const { return sides[place].item / 2; }
  TS_HD int otherAt(int place) const { return BodyOfSide{moving}(sides[place].item ^ 1); }
  TS_HD int count(int body) const { return first[body + 1] - first[body]; }
};

}  // namespace detail

}  // namespace touchstone
