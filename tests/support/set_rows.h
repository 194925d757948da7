#pragma once

#include "core/solver/rows/row_buffer.h"

namespace touchstone::test {

/// Adds a Member to the last unit of a table, whose first row is the Maximum.
/// @param normal  of the member   @param constant  of its ρ [m/s]
/// @return points of its group, of weight 0
inline PointTerm* addMember(RowBuffer& table, const Vec3& normal, double constant) {
  RowBlock& block = table.blocks.back();
  RowUnit& unit = table.units.back();
  table.rows.push_back({constant, 0, 0, 1, unit.rowCount, RowLaw::Member, 0});
  ++unit.rowCount;
  ++block.rowCount;
  Vec3 first, second;
  tangentBasis(normal, first, second);
  table.frames.push_back(normal);
  table.frames.push_back(first);
  table.points.resize(table.points.size() + block.carrierCount, PointTerm{0, Vec3(0, 0, 0)});
  return table.points.data() + table.points.size() - block.carrierCount;
}

/// Adds a contact to the last block of a table: a normal, and its tangents if there is friction.
/// @param law  Unilateral or Maximum   @param constant  of ρ [m/s]   @param friction  μ
/// @return points of its group, of weight 0
inline PointTerm* addContact(RowBuffer& table, RowLaw law, const Vec3& normal, double constant,
                             double friction, bool planar = false) {
  Vec3 first, second;
  contactTangents(normal, planar, first, second);
  const Row rows[] = {{constant, 0, 0, 1, 0, law, 0},
                      {0, 0, friction, 1, 1, RowLaw::Disk, 0},
                      {0, 0, friction, 1, 2, RowLaw::Disk, 0}};
  return table.addGroup(normal, first, rows, planar ? 2 : 3);
}

}  // namespace touchstone::test
