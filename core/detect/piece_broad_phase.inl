#pragma once

#include "core/detect/candidates.h"
#include "core/detect/feature_broad_phase.inl"
#include "core/world/placed_pieces.inl"

namespace touchstone {

namespace detail {

template <class BoxOf>
struct WriteBox {  // one piece per index
  BoxOf boxOf;
  Aabb* boxes;
  TS_HD void operator()(int piece) const { boxes[piece] = boxOf(piece); }
};

struct PieceMeetsPiece {
  WorldView world;
  const int* pieceBody;
  TS_HD bool operator()(int a, int b) const { return canCollide(world, pieceBody[a], pieceBody[b]); }
};

struct WritePiecePairs {
  const IndexPair* pairs;  // pairs of two pieces, or of a piece and a plane
  bool withPlanes;
  Extent before;  // extent of the other kind's pairs
  PiecePair* out;
  TS_HD void operator()(int index) const {
    const auto [piece, other] = pairs[index];
    out[before.size() + index] = withPlanes ? PiecePair{piece, -1, other} : PiecePair{piece, other, -1};
  }
};

}  // namespace detail

/// The box of a piece from the start to the predicted pose, grown by `growth` on every side.
struct SweptPieceBox {
  WorldView world;
  PiecesView pieces;
  const double* growth;  // [1] m
  TS_HD Aabb operator()(int piece) const {
    Aabb box;
    const int body = pieces.body[piece];
    if (!world.active[body]) return box;
    const PieceShape& shape = pieces.shapes[pieces.shape[piece]];
    for (int vertex = shape.firstVertex; vertex < shape.firstVertex + shape.vertexCount; ++vertex) {
      const Vec3& local = pieces.shapeVertices[vertex];
      box.add(worldPoint(world.position[body], world.orientation[body], local));
      box.add(worldPoint(world.predictedPosition[body], world.predictedOrientation[body], local));
    }
    box.grow(*growth);
    return box;
  }
};

/// Finds pairs of convex pieces, and of pieces and planes, whose boxes meet. Keeps its arrays between steps.
template <class Backend>
class PieceBroadPhase {
 public:
  /// @param boxOf  Aabb(piece): empty for pieces that are not active
  /// @param growth  [1] largest distance between a box and a plane, on the backend [m]; null: they must touch
  /// @return pairs, sorted; those of two pieces come first
  template <class BoxOf>
  const List<Backend, PiecePair>& find(const Backend& backend, const WorldView& world,
                                       const PiecesView& pieces, const BoxOf& boxOf, const double* growth) {
    const int count = pieces.pieceCount;
    m_boxes.resize(count);
    forEach(backend, count, detail::WriteBox<BoxOf>{boxOf, m_boxes.data()}, Work::Heavy);
    const detail::OwnerOfFeature owner = detail::ownerOf(world, pieces.body);
    m_tree.build(backend, m_boxes.data(), count, owner);
    m_tree.findPairs(backend, m_boxes.data(), detail::PieceMeetsPiece{world, pieces.body}, m_overlaps, owner);
    const List<Backend, IndexPair>& planes =
        m_planes.find(backend, world, count, pieces.body, m_boxes.data(), ComesNearPlane{growth});
    m_pairs.make(backend, m_overlaps.extent(), planes.extent(), [&](PiecePair* to) {
      return std::make_pair(detail::WritePiecePairs{m_overlaps.data(), false, {}, to},
                            detail::WritePiecePairs{planes.data(), true, m_overlaps.extent(), to});
    });
    return m_pairs;
  }
  const List<Backend, PiecePair>& pairs() const { return m_pairs; }

 private:
  template <class T>
  using Array = typename Backend::template Array<T>;

  Array<Aabb> m_boxes;
  BoxTree<Backend> m_tree;
  List<Backend, IndexPair> m_overlaps;
  PlanePairs<Backend> m_planes;
  List<Backend, PiecePair> m_pairs;
};

}  // namespace touchstone
