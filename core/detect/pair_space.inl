#pragma once

#include "core/detect/exposed_separation.inl"
#include "core/detect/first_contact.h"
#include "core/parallel/bounded_list.h"
#include "core/parallel/for_each.h"

namespace touchstone {

/// Scratch memory of a search over the features of one pair of pieces.
struct PairSpace {
  int* numbers;  ///< for separation() and other counts of the search
  PatchScratch patch;
  // For two pieces between two poses, see MovingPiece.
  Vec3 *vertices, *normals;
  double* offsets;
  int vertexCount, faceCount;  ///< counts of the largest piece

  /// @param second  whether the piece is the second of the pair
  TS_HD MovingPiece moving(const PolytopeView& start, const PolytopeView& end, bool second) const {
    return {start, end, vertices + (second ? vertexCount : 0), normals + (second ? faceCount : 0),
            offsets + (second ? faceCount : 0)};
  }
};

/// The scratch memories of many pairs, in one array per kind.
struct PairSpacesView {
  int numberCount, patchCount, vertexCount, faceCount;
  int* numbers;
  PatchCorner* corners;
  detail::CutCorner* spare;
  Vec3 *vertices, *normals;
  double* offsets;
  TS_HD PairSpace operator[](int place) const {
    const long long index = place;
    return {numbers + index * numberCount,
            {corners + index * patchCount, spare + 2 * index * patchCount},
            vertices + 2 * index * vertexCount,
            normals + 2 * index * faceCount,
            offsets + 2 * index * faceCount,
            vertexCount,
            faceCount};
  }
};

/// Owns the arrays of a PairSpacesView.
template <class Backend>
class PairSpaces {
 public:
  /// @param largest, largestLoop  sizes of the pieces, see PlacedPieces   @param numberCount  integers per
  /// pair
  PairSpaces(const PolytopeView& largest, int largestLoop, int numberCount) {
    m_view.numberCount = numberCount;
    m_view.patchCount = patchScratch(largestLoop);
    m_view.vertexCount = largest.vertexCount;
    m_view.faceCount = largest.faceCount;
  }
  /// Size of the scratch memory of one pair.
  std::size_t bytes() const {
    const PairSpacesView& v = m_view;
    return v.numberCount * sizeof(int) +
           v.patchCount * (sizeof(PatchCorner) + 2 * sizeof(detail::CutCorner)) +
           2 * static_cast<std::size_t>(v.vertexCount) * sizeof(Vec3) +
           2 * static_cast<std::size_t>(v.faceCount) * (sizeof(Vec3) + sizeof(double));
  }
  const PairSpacesView& make(std::size_t count) {
    // The arrays only grow: the number of pairs changes in every step.
    const auto grow = [count](int countOfPair, auto& array, auto& pointer) {
      if (array.size() < count * countOfPair) array.resize(count * countOfPair);
      pointer = array.data();
    };
    grow(m_view.numberCount, m_numbers, m_view.numbers);
    grow(m_view.patchCount, m_corners, m_view.corners);
    grow(2 * m_view.patchCount, m_spare, m_view.spare);
    grow(2 * m_view.vertexCount, m_vertices, m_view.vertices);
    grow(2 * m_view.faceCount, m_normals, m_view.normals);
    grow(2 * m_view.faceCount, m_offsets, m_view.offsets);
    return m_view;
  }

 private:
  template <class T>
  using Array = typename Backend::template Array<T>;
  PairSpacesView m_view{};
  Array<int> m_numbers;
  Array<PatchCorner> m_corners;
  Array<detail::CutCorner> m_spare;
  Array<Vec3> m_vertices, m_normals;
  Array<double> m_offsets;
};

namespace detail {

template <class Body>
struct WithSpace {
  Body body;
  int first;
  PairSpacesView spaces;
  TS_HD void operator()(int index) const { body(first + index, spaces[index]); }
};

}  // namespace detail

/// A loop over pairs with scratch memory for each, in passes of as many pairs as scratchFor() allows.
/// @param body  body(int pair, const PairSpace&)
template <class Backend, class Body>
void forEachWithSpace(const Backend& backend, int count, PairSpaces<Backend>& spaces, const Body& body) {
  for (int first = 0; first < count;) {
    const std::size_t now = scratchFor<Backend>(count - first, spaces.bytes());
    forEach(backend, static_cast<int>(now), detail::WithSpace<Body>{body, first, spaces.make(now)},
            Work::Heavy);
    first += static_cast<int>(now);
  }
}

}  // namespace touchstone
