#pragma once

#include "core/parallel/list.h"
#include "core/parallel/reduce.h"
#include "core/solver/rows/carrier_incidence.inl"

namespace touchstone {

namespace detail {

constexpr int kRoundsOfLabels =
    4;  // rounds between two tests whether labels still change. More: rounds for nothing; fewer: more waits

struct StartLabel {  // one carrier per index
  CarrierIncidence sides;
  int* label;  // out: a block of the same island, or −1: the carrier is in none
  TS_HD void operator()(int carrier) const {
    label[carrier] = sides.count(carrier) > 0 ? sides.blockAt(sides.first[carrier]) : -1;
  }
};

struct LowerLabel {  // one carrier per index: the lowest of its neighbours'
  CarrierIncidence sides;
  const int* label;
  int* lower;
  TS_HD void operator()(int carrier) const {
    int lowest = label[carrier];
    for (int place = sides.first[carrier]; place < sides.first[carrier + 1]; ++place) {
      const int block = sides.blockAt(place);
      for (const int* other = sides.begin(block); other != sides.end(block); ++other)
        if (label[*other] < lowest) lowest = label[*other];
    }
    lower[carrier] = lowest;
  }
};

struct JumpLabel {  // one carrier per index: what a carrier of that block knows by now
  CarrierIncidence sides;
  const int* lower;
  int *label, *changed;
  TS_HD void operator()(int carrier) const {
    changed[carrier] = 0;
    if (label[carrier] < 0) return;
    const int lowest = lower[sides.anyOf(lower[carrier])];
    changed[carrier] = lowest != label[carrier] ? 1 : 0;
    label[carrier] = lowest;
  }
};

struct FlagFirstBlock {  // one block per index: 1 if it is the first of its island
  CarrierIncidence sides;
  const int* label;
  int* flags;
  TS_HD void operator()(int block) const { flags[block] = label[sides.anyOf(block)] == block ? 1 : 0; }
};

struct NumberIsland {  // one carrier per index
  const int* label;
  const int* number;  // [blockCount] islands whose first block comes before
  int* island;
  TS_HD void operator()(int carrier) const {
    island[carrier] = label[carrier] < 0 ? -1 : number[label[carrier]];
  }
};

/// Rounds of both until no label changes, then the numbers of islands, by one group.
struct FindIslandsTogether {
  LowerLabel lower;
  JumpLabel jump;
  FlagFirstBlock flag;
  NumberIsland number;
  int carrierCount, blockCount;
  int* partials;  // [sumsOf(carrierCount)]
  TS_NO_SPACE_CHECK
  template <class Group>
  TS_HD void operator()(const Group& group, int) const {
    for (bool isLeft = true; isLeft;) {
      for (int round = 0; round < kRoundsOfLabels; ++round) {
        group.forEach(carrierCount, lower);
        group.forEach(carrierCount, jump);
      }
      const int* const changed = jump.changed;
      isLeft = group.together(*reducedByGroup(group, changed, partials, carrierCount, Larger{}) > 0);
    }
    group.forEach(blockCount, flag);
    SumCountsTogether<NothingMore, NothingMore>{flag.flags, blockCount, {}, {}}(group, 0);
    group.forEach(carrierCount, number);
  }
};

}  // namespace detail

/// Islands: carriers that blocks connect, numbered in the order of their first blocks. Every carrier takes
/// the lowest block that it or a neighbour knows of, and then what a carrier of that block knows, until
/// nothing changes.
template <class Backend>
class BlockIslands {
 public:
  /// Waits. @param sides  of `carrierCount` carriers in `blockCount` blocks
  void find(const Backend& backend, const detail::CarrierIncidence& sides, int carrierCount, int blockCount) {
    for (Array<int>* array : {&m_label, &m_lower, &m_changed, &m_island}) array->resize(carrierCount);
    m_number.resize(blockCount + 1);
    const detail::LowerLabel lower{sides, m_label.data(), m_lower.data()};
    const detail::JumpLabel jump{sides, m_lower.data(), m_label.data(), m_changed.data()};
    const detail::FlagFirstBlock flag{sides, m_label.data(), m_number.data()};
    const detail::NumberIsland number{m_label.data(), m_number.data(), m_island.data()};
    forEach(backend, carrierCount, detail::StartLabel{sides, m_label.data()});
    const auto together = [&](const auto& device) {
      m_partials.resize(sumsOf(carrierCount));
      device.runGroups(1, carrierCount,
                       detail::FindIslandsTogether{lower, jump, flag, number, carrierCount, blockCount,
                                                   m_partials.data()});
      device.download(m_number.data() + blockCount, 1, &m_count);
    };
    if (carrierCount > 0 && runAsOneGroup(backend, carrierCount, blockCount, together)) return;
    do {
      for (int round = 0; round < detail::kRoundsOfLabels; ++round) {
        forEach(backend, carrierCount, lower);
        forEach(backend, carrierCount, jump);
      }
    } while (reduced(backend, static_cast<const int*>(m_changed.data()), carrierCount, 0, Larger{},
                     m_partials) > 0);
    forEach(backend, blockCount, flag);
    m_count = offsetsOf(backend, blockCount, m_number.data());
    forEach(backend, carrierCount, number);
  }
  /// [carrierCount] −1: in no block
  const int* ofCarriers() const { return m_island.data(); }
  int count() const { return m_count; }

 private:
  template <class T>
  using Array = typename Backend::template Array<T>;

  Array<int> m_label, m_lower, m_changed, m_island, m_number, m_partials;
  int m_count = 0;
};

}  // namespace touchstone
