#pragma once

#include "core/parallel/for_each.h"
#include "core/solver/rows/constraint_kind.h"
#include "core/solver/rows/law.h"
#include "core/solver/rows/row_buffer.h"

namespace touchstone {

namespace detail {

struct CopyBlocks {  // one block of a buffer per index
  RowsView from;
  RowCounts first;
  RowArrays to;
  TS_HD void operator()(int index) const {
    RowBlock block = from.blocks[index];
    for (int k = 0; k < block.carrierCount; ++k)
      to.carriers[first.carriers + block.firstCarrier + k] = from.carriers[block.firstCarrier + k];
    for (int unit = block.firstUnit; unit < block.firstUnit + block.unitCount; ++unit) {
      RowUnit copy = from.units[unit];
      copy.block += first.blocks;
      copy.firstRow += first.rows;
      to.units[first.units + unit] = copy;
    }
    const int gradients = block.form == RowForm::General ? first.terms : first.points;
    block.firstCarrier += first.carriers;
    block.firstRow += first.rows;
    block.firstUnit += first.units;
    block.firstTerm += gradients;
    block.firstFrame += first.frames;
    if (block.firstForce >= 0) block.firstForce += gradients;
    block.firstPacked += first.packed;
    to.blocks[first.blocks + index] = block;
  }
};

/// One place of blocks per index, if it is one of a buffer: its units start from the impulses of the last
/// step that have the same keys, as far as their laws allow.
struct StartUploaded {
  RowWriting writing;
  BlockKey first, last;  // of the buffer
  /// @param impulse  of a unit in form Point in the world, else of its first row
  TS_HD void start(const RowBlock& block, const RowUnit& unit, const Vec3& impulse) const {
    const int row = unit.firstRow;
    if (block.form == RowForm::General) {
      writing.z[row] = projected(writing.to.rows[row], impulse[0]);
      return;
    }
    const Vec3* const frame = writing.to.frames + block.firstFrame + 2 * unit.firstGroup;
    for (int axis = 0; axis < unit.groupRows; ++axis)
      writing.z[row + axis] = projected(writing.to.rows[row + axis], directionOf(frame, axis).dot(impulse));
  }
  TS_HD void operator()(int index) const {
    const RowBlock& block = writing.to.blocks[index];
    if (block.key < first || last < block.key || !writing.running[block.island]) return;
    const UnitsBefore& before = writing.before[index];
    for (int number = block.firstUnit; number < block.firstUnit + block.unitCount; ++number)
      for (int place = before.first; place < before.first + before.count; ++place)
        if (writing.keysBefore[place] == writing.keys[number]) {
          start(block, writing.to.units[number], writing.impulsesBefore[place]);
          break;
        }
  }
};

template <class T>
struct CopyItems {
  const T* from;
  T* to;
  TS_HD void operator()(int index) const { to[index] = from[index]; }
};

}  // namespace detail

/// Blocks that the host has written.
template <class Backend>
class UploadedRows : public ConstraintKind<Backend> {
 public:
  /// @param keys  [units] of single rows, or of points, that start from the impulses of the last step; or
  /// none
  void set(const Backend& backend, const RowBuffer& rows, const std::vector<RowKey>& keys = {}) {
    m_hasKeys = !keys.empty();
    if (m_hasKeys) {
      m_firstKey = rows.blocks.front().key;
      m_lastKey = rows.blocks.back().key;
    }
    backend.upload(keys.data(), keys.size(), m_keys);
    m_counts = {countOf(rows.blocks), countOf(rows.carriers), countOf(rows.rows),   countOf(rows.units),
                countOf(rows.terms),  countOf(rows.points),   countOf(rows.frames), countOf(rows.packed)};
    backend.upload(rows.blocks.data(), rows.blocks.size(), m_blocks);
    backend.upload(rows.carriers.data(), rows.carriers.size(), m_carriers);
    backend.upload(rows.rows.data(), rows.rows.size(), m_rows);
    backend.upload(rows.terms.data(), rows.terms.size(), m_terms);
    backend.upload(rows.points.data(), rows.points.size(), m_points);
    backend.upload(rows.frames.data(), rows.frames.size(), m_frames);
    backend.upload(rows.units.data(), rows.units.size(), m_units);
    backend.upload(rows.packed.data(), rows.packed.size(), m_packed);
  }
  void clear() { m_counts = {}; }
  /// Number of its first row in the table.
  int firstRow() const { return m_first.rows; }

  RowCounts counts() const override { return m_counts; }
  void writeStructure(const Backend& backend, const RowCounts& first, const RowArrays& to) const override {
    m_first = first;
    const RowsView from{m_blocks.data(), m_carriers.data(), m_rows.data(),  m_terms.data(),
                        m_points.data(), m_frames.data(),   m_units.data(), m_packed.data()};
    // Places that no block uses belong to no carrier, see core/solver/rows/carrier_incidence.inl.
    fill(backend, to.carriers + first.carriers, m_counts.carriers, -1);
    forEach(backend, m_counts.blocks, detail::CopyBlocks{from, first, to});
  }
  void writeRows(const Backend& backend, const RowWriting& writing) override {
    if (m_counts.rows == 0) return;
    const RowArrays& to = writing.to;
    copy(backend, m_rows, m_counts.rows, to.rows + m_first.rows);
    copy(backend, m_terms, m_counts.terms, to.terms + m_first.terms);
    copy(backend, m_points, m_counts.points, to.points + m_first.points);
    copy(backend, m_frames, m_counts.frames, to.frames + m_first.frames);
    copy(backend, m_packed, m_counts.packed, to.packed + m_first.packed);
    fill(backend, writing.z + m_first.rows, m_counts.rows, 0.0);
    if (!m_hasKeys) {
      fill(backend, writing.keys + m_first.units, m_counts.units, RowKey{0, 0, 0, 0});
      return;
    }
    copy(backend, m_keys, m_counts.units, writing.keys + m_first.units);
    if (m_startsWarm)
      forEach(backend, writing.blockCount, detail::StartUploaded{writing, m_firstKey, m_lastKey});
  }
  /// Sets whether rows with keys start from the last step, or from nothing.
  void setStartsWarm(bool on) { m_startsWarm = on; }

 private:
  template <class T>
  using Array = typename Backend::template Array<T>;
  template <class T>
  static void copy(const Backend& backend, const Array<T>& from, int count, T* to) {
    forEach(backend, count, detail::CopyItems<T>{from.data(), to});
  }

  bool m_hasKeys = false;  ///< rows have keys
  bool m_startsWarm = true;
  BlockKey m_firstKey{}, m_lastKey{};
  Array<RowKey> m_keys;
  RowCounts m_counts;
  mutable RowCounts m_first;  ///< where its items lie in the table
  Array<RowBlock> m_blocks;
  Array<int> m_carriers;
  Array<Row> m_rows;
  Array<RowTerm> m_terms;
  Array<PointTerm> m_points;
  Array<Vec3> m_frames;
  Array<RowUnit> m_units;
  Array<double> m_packed;
};

}  // namespace touchstone
