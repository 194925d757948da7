#pragma once

#include <vector>

#include "core/contact/complementarity/contact_rows.inl"
#include "core/contact/complementarity/linearised_rows.h"
#include "core/contact/manifold/narrow_phase.inl"
#include "core/detect/candidates.h"
#include "core/math/count.h"
#include "core/parallel/select.h"
#include "core/solver/rows/constraint_kind.h"

namespace touchstone {

/// The name of a pair's rows: pairs of pieces come first, then those with planes, as broad phase orders them.
TS_HD inline BlockKey blockKeyOf(const PiecePair& pair) {
  const bool isPlane = pair.planeBody >= 0;
  return {isPlane ? kPlaneBlock : kPieceBlock, pair.pieceA, isPlane ? pair.planeBody : pair.pieceB};
}

namespace detail {

struct BodiesOfPieces {
  const int* pieceBody;
  /// Ascending.
  TS_HD IndexPair operator()(const PiecePair& pair) const {
    const int a = pieceBody[pair.pieceA], b = pair.planeBody >= 0 ? pair.planeBody : pieceBody[pair.pieceB];
    return a < b ? IndexPair{a, b} : IndexPair{b, a};
  }
};

struct HasRows {
  const int* firstOfPair;
  TS_HD bool operator()(int pair) const { return firstOfPair[pair + 1] > firstOfPair[pair]; }
};

struct WriteTouching {  // one pair that touches per index
  WorldView world;
  BodiesOfPieces bodiesOf;
  const PiecePair* pairs;
  const int *indices, *firstOfPair;
  ContactLayout layout;
  RowCounts first;
  RowArrays to;
  TS_HD void operator()(int index) const {
    const int pair = indices[index], begin = firstOfPair[pair], end = firstOfPair[pair + 1];
    const IndexPair bodies = bodiesOf(pairs[pair]);
    RowBlock block{};
    block.key = blockKeyOf(pairs[pair]);
    block.island = -1;
    block.firstCarrier = first.carriers + 2 * index;
    for (const int body : {bodies.first, bodies.second})
      if (isDynamic(world, body)) to.carriers[block.firstCarrier + block.carrierCount++] = body;
    for (int k = block.carrierCount; k < 2; ++k) to.carriers[block.firstCarrier + k] = -1;
    block.firstRow = first.rows + layout.firstRowOf(begin);
    block.firstUnit = first.units + begin;
    block.unitCount = end - begin;
    const int group = layout.firstGroupOf(begin);
    block.firstTerm = first.points + 2 * group;
    block.firstFrame = first.frames + 2 * group;
    block.firstForce = -1;
    block.form = RowForm::Point;
    for (int unit = begin; unit < end; ++unit) {
      const int rows = layout.rowsOf(unit);
      to.units[first.units + unit] = {first.blocks + index, first.rows + layout.firstRowOf(unit),
                                      layout.firstGroupOf(unit) - group, static_cast<short>(rows),
                                      static_cast<short>(layout.perContact)};
      block.rowCount += rows;
    }
    to.blocks[first.blocks + index] = block;
  }
};

}  // namespace detail

/// The pairs that touch, as a kind of rows: the contacts of narrow phase, or of a linearisation of an exact
/// step. Keeps its arrays.
template <class Backend>
class ContactRows : public ConstraintKind<Backend> {
 public:
  /// @param planar  friction has one axis   @param rubs  two bodies of the world can rub against each other
  ContactRows(bool planar, bool rubs) : m_planar(planar), m_perContact(!rubs ? 1 : planar ? 2 : 3) {}

  /// The pairs that have contacts. Waits.
  /// @param unitCount  contacts or sets of all pairs   @param sets  or null   @param memberCount  of all sets
  void find(const Backend& backend, const WorldView& world, const RowsOfFound& found, int unitCount,
            const SetRange* sets, int memberCount) {
    m_world = world;
    m_found = found;
    m_layout = {m_perContact, sets};
    const Extent extent{found.count, nullptr};
    m_indices = &m_withRows.select(backend, extent, detail::HasRows{found.firstOfPair});
    const int groups = sets ? memberCount : unitCount;
    m_counts = {};
    m_counts.blocks = m_indices->size();
    m_counts.carriers = 2 * m_counts.blocks;
    m_counts.rows = m_perContact * unitCount + (sets ? memberCount - unitCount : 0);
    m_counts.units = unitCount;
    m_counts.points = m_counts.frames = 2 * groups;
  }
  /// Sets what the next writeRows() makes rows of. @param primaries  out [units], or null without sets
  void setSource(const RowSource& source, bool isWarm, const RowUnits& units, int* primaries) {
    m_source = source;
    m_isWarm = isWarm;
    m_units = units;
    m_primaries = primaries;
  }

  int perContact() const { return m_perContact; }
  RowCounts counts() const override { return m_counts; }
  void writeStructure(const Backend& backend, const RowCounts& first, const RowArrays& to) const override {
    forEach(backend, m_counts.blocks,
            detail::WriteTouching{m_world, detail::BodiesOfPieces{m_found.pieceBody}, m_found.pairs,
                                  m_indices->data(), m_found.firstOfPair, m_layout, first, to});
  }
  void writeRows(const Backend& backend, const RowWriting& writing) override {
    forEach(
        backend, writing.blockCount,
        detail::WriteRows{m_world, m_source, m_isWarm, m_planar, m_perContact, m_units, writing, m_primaries},
        Work::Heavy);
  }

 private:
  bool m_planar;
  int m_perContact;
  WorldView m_world;
  RowsOfFound m_found{};
  detail::ContactLayout m_layout{};
  RowCounts m_counts;
  RowSource m_source{};
  bool m_isWarm = true;
  RowUnits m_units{};
  int* m_primaries = nullptr;
  const List<Backend, int>* m_indices = nullptr;
  Selection<Backend> m_withRows;
};

}  // namespace touchstone
