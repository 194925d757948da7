#pragma once

#include "core/contact/feature_broad_phase.inl"
#include "core/world/placed_pieces.inl"

namespace touchstone {

namespace detail {

struct SweepPiece {  // one piece per index: from the start to the predicted pose, grown
  WorldView world;
  PiecesView pieces;
  double growth;  // m
  Aabb* boxes;
  TS_HD void operator()(int piece) const {
    Aabb box;
    const int body = pieces.body[piece];
    if (world.active[body]) {
      const PieceShape& shape = pieces.shapes[pieces.shape[piece]];
      for (int vertex = shape.firstVertex; vertex < shape.firstVertex + shape.vertexCount; ++vertex) {
        const Vec3& local = pieces.shapeVertices[vertex];
        box.add(worldPoint(world.position[body], world.orientation[body], local));
        box.add(worldPoint(world.predictedPosition[body], world.predictedOrientation[body], local));
      }
      box.grow(growth);
    }
    boxes[piece] = box;
  }
};

struct PieceMeetsPiece {
  WorldView world;
  const int* pieceBody;
  TS_HD bool operator()(int a, int b) const {
    return pieceBody[a] < pieceBody[b] && canCollide(world, pieceBody[a], pieceBody[b]);
  }
};

/// Planes of a piece's copy that its swept box comes near: counted where `out` is null, else written.
struct PieceMeetsPlanes {
  WorldView world;
  const int* pieceBody;
  const Aabb* boxes;
  double growth;  // m
  int* counts;
  const int* offsets;
  PiecePair* out;
  TS_HD void operator()(int piece) const {
    const int body = pieceBody[piece], copy = world.bodies[body].copy;
    int count = 0;
    for (int k = world.copyFirstPlane[copy]; k < world.copyFirstPlane[copy + 1]; ++k) {
      const int plane = world.planes[k];
      if (!canCollide(world, body, plane)) continue;
      const Vec3 normal = planeNormal(world, plane);
      Vec3 deepest;
      for (int axis = 0; axis < 3; ++axis)
        deepest[axis] = normal[axis] > 0 ? boxes[piece].low[axis] : boxes[piece].high[axis];
      if (!(normal.dot(deepest - world.position[plane]) <= growth)) continue;
      if (out) out[offsets[piece] + count] = {piece, -1, plane};
      ++count;
    }
    if (!out) counts[piece] = count;
  }
};

struct WritePiecePairs {
  const IndexPair* pairs;
  PiecePair* out;
  TS_HD void operator()(int index) const { out[index] = {pairs[index].first, pairs[index].second, -1}; }
};

}  // namespace detail

/// Finds pairs of convex pieces, and pieces and planes, that may touch within the step. Keeps its arrays
/// between steps.
template <class Backend>
class PieceBroadPhase {
 public:
  /// @param margin  boxes that are closer than this overlap [m]   @return the number of pairs, sorted: of
  /// pieces first
  int find(const Backend& backend, const WorldView& world, const PiecesView& pieces, double margin) {
    const int count = pieces.pieceCount;
    const double growth = 0.5 * margin;
    m_boxes.resize(static_cast<std::size_t>(count));
    forEach(backend, count, detail::SweepPiece{world, pieces, growth, m_boxes.data()}, Work::Heavy);
    const detail::OwnerOfFeature owner = detail::ownerOf(world, pieces.body);
    m_tree.build(backend, m_boxes.data(), count, owner);
    const int pieceCount = m_tree.findOverlaps(
        backend, m_boxes.data(), count, detail::PieceMeetsPiece{world, pieces.body}, m_overlaps, owner);

    m_offsets.resize(static_cast<std::size_t>(count) + 1);
    detail::PieceMeetsPlanes planes{world,   pieces.body, m_boxes.data(), growth, m_offsets.data(),
                                    nullptr, nullptr};
    forEach(backend, count, planes);
    const int planeCount = offsetsOf(backend, count, m_offsets.data());
    m_pairs.resize(static_cast<std::size_t>(pieceCount) + planeCount);
    forEach(backend, pieceCount, detail::WritePiecePairs{m_overlaps.data(), m_pairs.data()});
    planes.offsets = m_offsets.data();
    planes.out = m_pairs.data() + pieceCount;
    if (planeCount > 0) forEach(backend, count, planes);
    return pieceCount + planeCount;
  }
  const PiecePair* pairs() const { return m_pairs.data(); }

 private:
  template <class T>
  using Array = typename Backend::template Array<T>;

  Array<Aabb> m_boxes;
  BoxTree<Backend> m_tree;
  Array<IndexPair> m_overlaps;
  Array<int> m_offsets;
  Array<PiecePair> m_pairs;
};

}  // namespace touchstone
