#pragma once

#include <vector>

#include "core/solver/rows/row_buffer.h"

namespace touchstone {

/// The units of each island, ascending. @param rows  on the host
inline std::vector<std::vector<int>> unitsOfIslands(const RowsView& rows, int unitCount, int islandCount) {
  std::vector<std::vector<int>> units(islandCount);
  for (int unit = 0; unit < unitCount; ++unit)
    units[rows.blocks[rows.units[unit].block].island].push_back(unit);
  return units;
}

/// The rows of a step on the host with masses and velocities of their carriers. Blocks know their islands.
struct HostTable {
  RowBuffer rows;
  std::vector<Vec3> inverseMass;      ///< [carrierCount] see CarrierMetric
  std::vector<Mat3> inverseInertia;   ///< [carrierCount]
  std::vector<Vec3> linear, angular;  ///< [carrierCount] velocities, for instance without the rows' impulses
  int islandCount = 0;

  RowsView view() const { return rows.view(); }
  CarrierMetric metric() const { return {inverseMass.data(), inverseInertia.data()}; }
  CarrierVelocities velocities() { return {linear.data(), angular.data()}; }
  /// The units of each island, in the order of the blocks.
  std::vector<std::vector<int>> unitsByBlock() const {
    std::vector<std::vector<int>> units(islandCount);
    for (const RowBlock& block : rows.blocks)
      for (int unit = block.firstUnit; unit < block.firstUnit + block.unitCount; ++unit)
        units[block.island].push_back(unit);
    return units;
  }
  /// The units of each island, ascending.
  std::vector<std::vector<int>> unitsOfIslands() const {
    return touchstone::unitsOfIslands(view(), countOf(rows.units), islandCount);
  }
};

}  // namespace touchstone
