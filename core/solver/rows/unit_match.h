#pragma once

#include "core/solver/rows/row.h"

namespace touchstone {

/// Place of a contact on the first carrier of its block.
struct UnitPlace {
  Vec3 arm;     ///< from its centre of mass [m]
  Vec3 normal;  ///< 0: the unit is no contact, and has no place
};

/// Place of a unit of a table, by its first group.
TS_HD inline UnitPlace placeOf(const RowsView& table, const RowUnit& unit) {
  const RowBlock& block = table.blocks[unit.block];
  if (block.form == RowForm::General) return {Vec3(0, 0, 0), Vec3(0, 0, 0)};
  return {table.pointOf(block, unit.firstGroup)->arm, table.frameOf(block, unit.firstGroup)[0]};
}

/// Matching of the units of a block with those of the last step that they start from: units with the same
/// key, and for units without one the nearest contact that nothing else starts from. First all keys are
/// matched, then the rest.
class UnitMatch {
 public:
  static constexpr double kLeastCosine = 0.8;  ///< between two normals
  static constexpr double kReach = 0.1;        ///< between two arms, of the length scale of the scene

  /// @param keys, places  [count] of the last step, in one order   @param length  lengthOf() the scene [m]
  TS_HD UnitMatch(const RowKey* keys, const UnitPlace* places, int count, double length)
      : m_keys(keys), m_places(places), m_count(count), m_reach(kReach * length) {}

  /// @return −1: there is none
  TS_HD int withKey(const RowKey& key) {
    for (int index = 0; index < m_count; ++index) {
      if (!(m_keys[index] == key)) continue;
      if (index < kMost) m_isMatched |= 1ull << index;
      return index;
    }
    return -1;
  }
  /// True if units of the last step are left that none starts from.
  TS_HD bool areLeft() const {
    const int count = m_count < kMost ? m_count : kMost;
    return count > 0 && m_isMatched != (~0ull >> (kMost - count));
  }
  /// @return −1: none is within kReach with a normal within kLeastCosine
  TS_HD int nearest(const UnitPlace& place) {
    int best = -1;
    double least = m_reach * m_reach;
    for (int index = 0; index < m_count && index < kMost; ++index) {
      if ((m_isMatched >> index & 1) || !(m_places[index].normal.dot(place.normal) > kLeastCosine)) continue;
      const double square = (m_places[index].arm - place.arm).squaredNorm();
      if (!(square < least)) continue;
      best = index;
      least = square;
    }
    if (best >= 0) m_isMatched |= 1ull << best;
    return best;
  }

 private:
  static constexpr int kMost = 64;  // units of a block beyond start by their keys alone
  const RowKey* m_keys;
  const UnitPlace* m_places;
  int m_count;
  double m_reach;
  unsigned long long m_isMatched = 0;
};

}  // namespace touchstone
