#pragma once

#include "core/parallel/list.h"
#include "core/parallel/reduce.h"
#include "core/solver/rows/carrier_incidence.inl"

namespace touchstone {

namespace detail {

constexpr int kRoundsOfLabels =
    4;  // rounds between two tests whether labels still change. More: rounds for nothing; fewer: more waits

/// The body of a pair that moves, or the first of two.
TS_HD inline int anyBodyOf(const IndexPair& moving) {
  return moving.first >= 0 ? moving.first : moving.second;
}

struct StartLabel {  // one body per index
  CarrierIncidence sides;
  int* label;  // out: a pair of the same island, or −1: the body is in none
  TS_HD void operator()(int body) const {
    label[body] = sides.count(body) > 0 ? sides.pairAt(sides.first[body]) : -1;
  }
};

struct LowerLabel {  // one body per index: the lowest of its neighbours'
  CarrierIncidence sides;
  const int* label;
  int* lower;
  TS_HD void operator()(int body) const {
    int lowest = label[body];
    for (int place = sides.first[body]; place < sides.first[body + 1]; ++place) {
      const int other = sides.otherAt(place);
      if (other >= 0 && label[other] < lowest) lowest = label[other];
    }
    lower[body] = lowest;
  }
};

struct JumpLabel {  // one body per index: what a body of that pair knows by now
  const IndexPair* moving;
  const int* lower;
  int *label, *changed;
  TS_HD void operator()(int body) const {
    changed[body] = 0;
    if (label[body] < 0) return;
    const int lowest = lower[anyBodyOf(moving[lower[body]])];
    changed[body] = lowest != label[body] ? 1 : 0;
    label[body] = lowest;
  }
};

struct FlagFirstPair {  // one pair per index: 1 if it is the first of its island
  const IndexPair* moving;
  const int* label;
  int* flags;
  TS_HD void operator()(int pair) const { flags[pair] = label[anyBodyOf(moving[pair])] == pair ? 1 : 0; }
};

struct NumberIsland {  // one body per index
  const int* label;
  const int* number;  // [pairCount] islands whose first pair comes before
  int* island;
  TS_HD void operator()(int body) const { island[body] = label[body] < 0 ? -1 : number[label[body]]; }
};

/// Rounds of both until no label changes, then the numbers of islands, by one group.
struct FindIslandsTogether {
  LowerLabel lower;
  JumpLabel jump;
  FlagFirstPair flag;
  NumberIsland number;
  int bodyCount, pairCount;
  int* partials;  // [sumsOf(bodyCount)]
  TS_NO_SPACE_CHECK
  template <class Group>
  TS_HD void operator()(const Group& group, int) const {
    for (bool isLeft = true; isLeft;) {
      for (int round = 0; round < kRoundsOfLabels; ++round) {
        group.forEach(bodyCount, lower);
        group.forEach(bodyCount, jump);
      }
      const int* const changed = jump.changed;
      isLeft = group.together(*reducedByGroup(group, changed, partials, bodyCount, Larger{}) > 0);
    }
    group.forEach(pairCount, flag);
    SumCountsTogether<NothingMore, NothingMore>{flag.flags, pairCount, {}, {}}(group, 0);
    group.forEach(bodyCount, number);
  }
};

}  // namespace detail

/// Islands: bodies that pairs connect through moving bodies, numbered in the order of their first pairs.
/// Every body takes the lowest pair that it or a neighbour knows of, and then what a body of that pair knows,
/// until nothing changes.
template <class Backend>
class PairIslands {
 public:
  /// Waits. @param sides  of `bodyCount` bodies in `pairCount` pairs
  void find(const Backend& backend, const detail::CarrierIncidence& sides, int bodyCount, int pairCount) {
    const std::size_t bodies = bodyCount;
    for (Array<int>* array : {&m_label, &m_lower, &m_changed, &m_island}) array->resize(bodies);
    m_number.resize(pairCount + 1);
    const detail::LowerLabel lower{sides, m_label.data(), m_lower.data()};
    const detail::JumpLabel jump{sides.moving, m_lower.data(), m_label.data(), m_changed.data()};
    const detail::FlagFirstPair flag{sides.moving, m_label.data(), m_number.data()};
    const detail::NumberIsland number{m_label.data(), m_number.data(), m_island.data()};
    forEach(backend, bodyCount, detail::StartLabel{sides, m_label.data()});
    const auto together = [&](const auto& device) {
      m_partials.resize(sumsOf(bodyCount));
      device.runGroups(
          1, bodyCount,
          detail::FindIslandsTogether{lower, jump, flag, number, bodyCount, pairCount, m_partials.data()});
      device.download(m_number.data() + pairCount, 1, &m_count);
    };
    if (bodyCount > 0 && runAsOneGroup(backend, bodyCount, pairCount, together)) return;
    do {
      for (int round = 0; round < detail::kRoundsOfLabels; ++round) {
        forEach(backend, bodyCount, lower);
        forEach(backend, bodyCount, jump);
      }
    } while (reduced(backend, static_cast<const int*>(m_changed.data()), bodyCount, 0, Larger{}, m_partials) >
             0);
    forEach(backend, pairCount, flag);
    m_count = offsetsOf(backend, pairCount, m_number.data());
    forEach(backend, bodyCount, number);
  }
  /// [bodyCount] −1: in no pair, or static
  const int* ofBodies() const { return m_island.data(); }
  int count() const { return m_count; }

 private:
  template <class T>
  using Array = typename Backend::template Array<T>;

  Array<int> m_label, m_lower, m_changed, m_island, m_number, m_partials;
  int m_count = 0;
};

}  // namespace touchstone
