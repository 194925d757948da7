#pragma once

#include "core/contact/complementarity/narrow_phase.inl"
#include "core/detect/candidates.h"
#include "core/parallel/search.h"
#include "core/parallel/select.h"

namespace touchstone {

/// A pair that has rows, and where they begin.
struct TouchingPair {
  PiecePair pair;
  int first, count;
};

namespace detail {

/// The rows of pairs, in the order in which broad phase gives these.
struct RowsOfPairs {
  const TouchingPair* pairs;
  int count;
  /// @return null: the pair is not among them
  TS_HD const TouchingPair* find(const PiecePair& pair) const {
    const int at = firstNotBefore(count, [&](int each) { return pairs[each].pair < pair; });
    return at < count && !(pair < pairs[at].pair) ? pairs + at : nullptr;
  }
};

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
  TouchingPair* touching;
  IndexPair* moving;
  TS_HD void operator()(int index) const {
    const int pair = indices[index];
    touching[index] = {pairs[pair], firstOfPair[pair], firstOfPair[pair + 1] - firstOfPair[pair]};
    const IndexPair bodies = bodiesOf(pairs[pair]);
    moving[index] = {isDynamic(world, bodies.first) ? bodies.first : -1,
                     isDynamic(world, bodies.second) ? bodies.second : -1};
  }
};

}  // namespace detail

/// Pairs of broad phase with the first of each one's rows, on a backend.
struct RowsOfFound {
  const PiecePair* pairs;
  int count;
  const int* firstOfPair;  ///< [count + 1]
  const int* pieceBody;
};

/// The pairs that rows were found for. Keeps its arrays.
template <class Backend>
class TouchingPairs {
 public:
  /// Waits.
  void find(const Backend& backend, const WorldView& world, const RowsOfFound& found) {
    const int* first = found.firstOfPair;
    const Extent all{found.count, nullptr};
    const List<Backend, int>& indices = m_withRows.select(backend, all, detail::HasRows{first});
    m_pairs.resize(static_cast<std::size_t>(indices.size()));
    m_moving.resize(m_pairs.size());
    forEach(backend, count(),
            detail::WriteTouching{world, detail::BodiesOfPieces{found.pieceBody}, found.pairs, indices.data(),
                                  first, m_pairs.data(), m_moving.data()});
  }
  int count() const { return static_cast<int>(m_pairs.size()); }
  const TouchingPair* data() const { return m_pairs.data(); }
  /// Their bodies, ascending, −1 in the place of a static one.
  const IndexPair* moving() const { return m_moving.data(); }

 private:
  Selection<Backend> m_withRows;
  typename Backend::template Array<TouchingPair> m_pairs;
  typename Backend::template Array<IndexPair> m_moving;
};

}  // namespace touchstone
