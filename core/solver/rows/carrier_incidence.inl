#pragma once

#include "core/parallel/grouping.h"
#include "core/solver/rows/row.h"

namespace touchstone {

// A side is a carrier of a block: a place in the table's list of carriers. Places that no block uses hold −1.

namespace detail {

struct CarrierOfSide {
  const int* carriers;
  TS_HD int operator()(int side) const { return carriers[side]; }
};

/// The sides of each carrier, ascending, and their blocks.
struct CarrierIncidence {
  const RowBlock* blocks;
  const int* carriers;     // [sideCount]
  const int* blockOfSide;  // [sideCount]
  const GroupedItem* sides;
  const int* first;  // [carrierCount + 1]
  TS_HD int sideAt(int place) const { return sides[place].item; }
  TS_HD int blockAt(int place) const { return blockOfSide[sides[place].item]; }
  TS_HD int count(int carrier) const { return first[carrier + 1] - first[carrier]; }
  /// The first of a block's carriers.
  TS_HD int anyOf(int block) const { return carriers[blocks[block].firstCarrier]; }
  TS_HD const int* begin(int block) const { return carriers + blocks[block].firstCarrier; }
  TS_HD const int* end(int block) const { return begin(block) + blocks[block].carrierCount; }
};

struct WriteBlockOfSides {  // one block per index
  const RowBlock* blocks;
  int* blockOfSide;
  TS_HD void operator()(int index) const {
    const RowBlock& block = blocks[index];
    for (int k = 0; k < block.carrierCount; ++k) blockOfSide[block.firstCarrier + k] = index;
  }
};

}  // namespace detail

}  // namespace touchstone
