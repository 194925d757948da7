#pragma once

#include <vector>

#include "core/parallel/copy.h"
#include "core/solver/rows/block_colours.inl"
#include "core/solver/rows/block_islands.inl"
#include "core/solver/rows/island_reduction.inl"

namespace touchstone {

/// The most blocks of an island that a group of threads takes by itself: more are better spread over all.
constexpr int kBlocksOfGroup = 128;
static_assert(kBlocksOfGroup <= kTermsPerSum * kTermsPerSum, "as IslandJoin asks");

namespace detail {

struct FlagOtherCarriers {  // one block per index
  CarrierIncidence now, before;
  int* flags;
  TS_HD void operator()(int index) const {
    const RowBlock &a = now.blocks[index], &b = before.blocks[index];
    bool isOther = a.firstCarrier != b.firstCarrier || a.carrierCount != b.carrierCount;
    for (int k = 0; k < a.carrierCount && !isOther; ++k)
      isOther = now.begin(index)[k] != before.begin(index)[k];
    flags[index] = isOther ? 1 : 0;
  }
};

struct ColourOfBlock {
  const int* colour;
  TS_HD int operator()(int block) const { return colour[block]; }
};

struct IslandOfBlock {  // one place of the order per index
  CarrierIncidence sides;
  const GroupedItem* order;
  const int* islandOfCarrier;
  int* out;
  TS_HD void operator()(int place) const { out[place] = islandOfCarrier[sides.anyOf(order[place].item)]; }
};

struct IslandOfCarrier {
  const int* island;
  TS_HD int operator()(int carrier) const { return island[carrier]; }
};

struct FlagLarge {        // one island per index: more blocks than a group of threads takes
  const int* firstPlace;  // [islandCount + 1]
  int* flags;
  TS_HD void operator()(int island) const {
    flags[island] = firstPlace[island + 1] - firstPlace[island] > kBlocksOfGroup ? 1 : 0;
  }
};

struct WritePlaceOfSides {  // one place of the order per index
  const RowBlock* blocks;
  const GroupedItem* order;
  int* placeOfSide;
  TS_HD void operator()(int place) const {
    const RowBlock& block = blocks[order[place].item];
    for (int k = 0; k < block.carrierCount; ++k) placeOfSide[block.firstCarrier + k] = place;
  }
};

}  // namespace detail

/// Which blocks of a table share carriers, on a backend: their islands, and colours in whose order sweeps of
/// projected Gauss–Seidel take them. Blocks of one colour share no carrier, so that all may be taken at once,
/// and the result is that of any order among them. What a block gets depends on its own island alone.
template <class Backend>
class RowStructure {
 public:
  /// Waits, if other carriers are coupled than the last time.
  /// @param blocks  [blockCount] in the order of their keys   @param carriers  [sideCount]
  void make(const Backend& backend, int carrierCount, const RowBlock* blocks, int blockCount,
            const int* carriers, int sideCount) {
    if (isMade(backend, carrierCount, blocks, blockCount, carriers, sideCount)) return;
    ++m_number;
    m_carrierCount = carrierCount;
    m_blockCount = blockCount;
    m_blocks.resize(blockCount);
    m_carriers.resize(sideCount);
    m_blockOfSide.resize(sideCount);
    m_placeOfSide.resize(sideCount);
    copyWithin(backend, blocks, blockCount, m_blocks.data());
    copyWithin(backend, carriers, sideCount, m_carriers.data());
    forEach(backend, blockCount, detail::WriteBlockOfSides{m_blocks.data(), m_blockOfSide.data()});
    m_sides.make(backend, sideCount, carrierCount, detail::CarrierOfSide{m_carriers.data()});
    const detail::CarrierIncidence sides = incidence(m_blockOfSide);
    m_colours.find(backend, sides, carrierCount, blockCount);
    m_islands.find(backend, sides, carrierCount, blockCount);
    m_order.make(backend, blockCount, m_colours.count(), detail::ColourOfBlock{m_colours.colours()});
    m_firstOfColour.resize(m_colours.count() + 1);
    backend.download(m_order.first(), m_firstOfColour.size(), m_firstOfColour.data());
    m_island.resize(blockCount);
    forEach(backend, blockCount, detail::IslandOfBlock{sides, order(), islandOfCarrier(), m_island.data()});
    forEach(backend, blockCount, detail::WritePlaceOfSides{m_blocks.data(), order(), m_placeOfSide.data()});
    m_tree.make(backend, blockCount, m_island.data(), islandCount());
    m_members.make(backend, carrierCount, islandCount(), detail::IslandOfCarrier{islandOfCarrier()});
    m_isLarge.resize(islandCount());
    forEach(backend, islandCount(), detail::FlagLarge{m_tree.firstPlaces().first, m_isLarge.data()});
    m_largeCount =
        reduced(backend, static_cast<const int*>(m_isLarge.data()), islandCount(), 0, Together{}, m_partials);
  }

  int blockCount() const { return m_blockCount; }
  int carrierCount() const { return m_carrierCount; }
  int islandCount() const { return m_islands.count(); }
  /// Number of the structure; each has another one.
  int number() const { return m_number; }
  /// [blockCount] blocks by colour, ascending within.
  const GroupedItem* order() const { return m_order.items(); }
  /// [colours + 1] into order().
  const std::vector<int>& firstOfColour() const { return m_firstOfColour; }
  /// [blockCount] of each place of order().
  const int* island() const { return m_island.data(); }
  /// [carrierCount] −1: in no block
  const int* islandOfCarrier() const { return m_islands.ofCarriers(); }
  /// The carriers of each island.
  const Grouping<Backend>& carriersOfIslands() const { return m_members; }
  /// [islandCount] 1: more than kBlocksOfGroup blocks
  const int* isLarge() const { return m_isLarge.data(); }
  /// Number of large islands.
  int largeCount() const { return m_largeCount; }
  /// Reduction of the places of order().
  const IslandReduction<Backend>& tree() const { return m_tree; }
  /// The sides of each carrier, in the order of the blocks' keys, with places of order() in the place of
  /// blocks.
  detail::CarrierIncidence sides() const { return incidence(m_placeOfSide); }

 private:
  template <class T>
  using Array = typename Backend::template Array<T>;

  bool isMade(const Backend& backend, int carrierCount, const RowBlock* blocks, int blockCount,
              const int* carriers, int sideCount) {
    if (m_number == 0 || carrierCount != m_carrierCount || blockCount != m_blockCount ||
        sideCount != countOf(m_carriers))
      return false;
    m_flags.resize(blockCount);
    detail::CarrierIncidence now{};
    now.blocks = blocks;
    now.carriers = carriers;
    forEach(backend, blockCount, detail::FlagOtherCarriers{now, incidence(m_blockOfSide), m_flags.data()});
    return reduced(backend, static_cast<const int*>(m_flags.data()), blockCount, 0, Larger{}, m_partials) ==
           0;
  }

  detail::CarrierIncidence incidence(const Array<int>& blockOfSide) const {
    return {m_blocks.data(), m_carriers.data(), blockOfSide.data(), m_sides.items(), m_sides.first()};
  }

  int m_number = 0, m_carrierCount = 0, m_blockCount = 0;
  Array<RowBlock> m_blocks;
  Array<int> m_carriers, m_blockOfSide, m_placeOfSide;
  Array<int> m_flags, m_island, m_isLarge, m_partials;
  int m_largeCount = 0;
  Grouping<Backend> m_sides, m_order, m_members;
  BlockColours<Backend> m_colours;
  BlockIslands<Backend> m_islands;
  std::vector<int> m_firstOfColour;
  IslandReduction<Backend> m_tree;
};

}  // namespace touchstone
