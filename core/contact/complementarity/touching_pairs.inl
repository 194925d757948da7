#pragma once

#include <vector>

#include "core/contact/complementarity/linearised_rows.h"
#include "core/contact/complementarity/narrow_phase.inl"
#include "core/detect/candidates.h"
#include "core/math/count.h"
#include "core/parallel/select.h"
#include "core/solver/rows/row.h"

namespace touchstone {

/// Blocks of pairs that share no rows but have to be in one island.
constexpr int kCoupledBlock = 2;

/// The name of a pair's rows: pairs of pieces come first, then those with planes, as broad phase orders them.
TS_HD inline BlockKey blockKeyOf(const PiecePair& pair) {
  const bool isPlane = pair.planeBody >= 0;
  return {isPlane ? 1 : 0, pair.pieceA, isPlane ? pair.planeBody : pair.pieceB};
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
  RowBlock* blocks;
  IndexPair* moving;
  TS_HD void operator()(int index) const {
    const int pair = indices[index];
    const IndexPair bodies = bodiesOf(pairs[pair]);
    blocks[index] = {blockKeyOf(pairs[pair]), bodies.first, bodies.second, firstOfPair[pair],
                     firstOfPair[pair + 1] - firstOfPair[pair]};
    moving[index] = {isDynamic(world, bodies.first) ? bodies.first : -1,
                     isDynamic(world, bodies.second) ? bodies.second : -1};
  }
};

struct WriteCoupled {  // one pair per index
  const IndexPair* pairs;
  int rowCount;
  RowBlock* blocks;
  IndexPair* moving;
  TS_HD void operator()(int index) const {
    const IndexPair pair = pairs[index];
    const int any = pair.first >= 0 ? pair.first : pair.second;
    blocks[index] = {{kCoupledBlock, index, 0},
                     pair.first >= 0 ? pair.first : any,
                     pair.second >= 0 ? pair.second : any,
                     rowCount,
                     0};
    moving[index] = pair;
  }
};

}  // namespace detail

/// The pairs that rows were found for, and those that joints couple. Keeps its arrays.
template <class Backend>
class TouchingPairs {
 public:
  /// Waits. @param rowCount  of all pairs   @param coupled  on the host: bodies of pairs without rows, −1 in
  /// the place of one that does not move
  void find(const Backend& backend, const WorldView& world, const RowsOfFound& found, int rowCount,
            const std::vector<IndexPair>& coupled) {
    const int* first = found.firstOfPair;
    const Extent extent{found.count, nullptr};
    const List<Backend, int>& indices = m_withRows.select(backend, extent, detail::HasRows{first});
    m_blocks.resize(indices.size() + coupled.size());
    m_moving.resize(m_blocks.size());
    forEach(backend, indices.size(),
            detail::WriteTouching{world, detail::BodiesOfPieces{found.pieceBody}, found.pairs, indices.data(),
                                  first, m_blocks.data(), m_moving.data()});
    if (coupled.empty()) return;
    backend.upload(coupled.data(), coupled.size(), m_coupled);
    forEach(backend, countOf(coupled),
            detail::WriteCoupled{m_coupled.data(), rowCount, m_blocks.data() + indices.size(),
                                 m_moving.data() + indices.size()});
  }
  int count() const { return countOf(m_blocks); }
  const RowBlock* data() const { return m_blocks.data(); }
  /// Their bodies, ascending, −1 in the place of a static one.
  const IndexPair* moving() const { return m_moving.data(); }

 private:
  Selection<Backend> m_withRows;
  typename Backend::template Array<RowBlock> m_blocks;
  typename Backend::template Array<IndexPair> m_moving, m_coupled;
};

}  // namespace touchstone
