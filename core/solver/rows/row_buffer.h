#pragma once

#include <algorithm>
#include <vector>

#include "core/math/count.h"
#include "core/solver/rows/row.h"

namespace touchstone {

/// Rows that the host writes, block by block: what a table takes over, or a table of the host by itself.
struct RowBuffer {
  std::vector<RowBlock> blocks;
  std::vector<int> carriers;
  std::vector<Row> rows;
  std::vector<RowTerm> terms;
  std::vector<PointTerm> points;
  std::vector<Vec3> frames;
  std::vector<RowUnit> units;
  std::vector<double> packed;

  void clear() {
    blocks.clear();
    carriers.clear();
    rows.clear();
    terms.clear();
    points.clear();
    frames.clear();
    units.clear();
    packed.clear();
  }
  RowsView view() const {
    return {blocks.data(), carriers.data(), rows.data(),  terms.data(),
            points.data(), frames.data(),   units.data(), packed.data()};
  }
  RowArrays arrays() {
    return {blocks.data(), carriers.data(), rows.data(),  terms.data(),
            points.data(), frames.data(),   units.data(), packed.data()};
  }

  /// Adds a block without rows. @param on  its carriers, ascending, those that move
  RowBlock& addBlock(const BlockKey& key, RowForm form, const std::vector<int>& on) {
    RowBlock block{};
    block.key = key;
    block.island = -1;
    block.firstCarrier = countOf(carriers);
    block.carrierCount = countOf(on);
    block.firstRow = countOf(rows);
    block.firstUnit = countOf(units);
    block.firstTerm = form == RowForm::General ? countOf(terms) : countOf(points);
    block.firstFrame = countOf(frames);
    block.firstForce = -1;
    block.firstPacked = -1;
    block.form = form;
    carriers.insert(carriers.end(), on.begin(), on.end());
    blocks.push_back(block);
    return blocks.back();
  }
  /// The last block, of form General, is one of particles: none of its entries has an angular part.
  void setLinear() { blocks.back().isLinear = true; }
  /// Adds a row to the last block, of form General, as a unit of its own. @return its terms [carrierCount], 0
  RowTerm* addRow(const Row& row) {
    addUnit(1, 0);
    return appendRow(row);
  }
  /// Adds a row to the last unit of the last block, of form General. @return as addRow()
  RowTerm* addRowToUnit(const Row& row) {
    ++units.back().rowCount;
    ++blocks.back().rowCount;
    return appendRow(row);
  }
  /// Impulses of the last block act along its gradients, or at its points, as they are now.
  void holdForces() {
    RowBlock& block = blocks.back();
    if (block.form == RowForm::General)
      block.firstForce = twice(terms, block.rowCount * block.carrierCount);
    else
      block.firstForce = twice(points, block.unitCount * block.carrierCount);
  }
  /// Gives the first `count` rows of the last block, which are one unit, a compliance that is not diagonal.
  /// @return its lower triangle [count (count + 1) / 2] by packedIndex(), 0
  double* addPacked(int count) {
    RowBlock& block = blocks.back();
    block.firstPacked = countOf(packed);
    block.packedCount = static_cast<unsigned char>(count);
    packed.resize(packed.size() + count * (count + 1) / 2, 0.0);
    return packed.data() + block.firstPacked;
  }
  /// Adds a group of `count` rows to the last block, of form Point, as a unit.
  /// @return its points [carrierCount], of weight 0
  PointTerm* addGroup(const Vec3& first, const Vec3& second, const Row* groupRows, int count) {
    addUnit(count, count);
    units.back().firstGroup = (countOf(frames) - blocks.back().firstFrame) / 2;
    rows.insert(rows.end(), groupRows, groupRows + count);
    frames.push_back(first);
    frames.push_back(second);
    points.resize(points.size() + blocks.back().carrierCount, PointTerm{0, Vec3(0, 0, 0)});
    return points.data() + points.size() - blocks.back().carrierCount;
  }

 private:
  /// Adds the last items once more. @return the first of the copies
  template <class T>
  static int twice(std::vector<T>& items, int count) {
    const int first = countOf(items);
    items.resize(first + count);
    std::copy(items.begin() + (first - count), items.begin() + first, items.begin() + first);
    return first;
  }
  RowTerm* appendRow(const Row& row) {
    rows.push_back(row);
    terms.resize(terms.size() + blocks.back().carrierCount, RowTerm{Vec3(0, 0, 0), Vec3(0, 0, 0)});
    return terms.data() + terms.size() - blocks.back().carrierCount;
  }
  void addUnit(int count, int groupRows) {
    RowBlock& block = blocks.back();
    units.push_back(
        {countOf(blocks) - 1, countOf(rows), 0, static_cast<short>(count), static_cast<short>(groupRows)});
    block.rowCount += count;
    ++block.unitCount;
  }
};

}  // namespace touchstone
