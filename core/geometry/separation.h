#pragma once

#include <cmath>

#include "core/geometry/polytope_view.h"

namespace touchstone {

/// A feature of two pieces whose plane may separate them: a face of either piece, or a pair of edges.
struct SeparatingFeature {
  enum class Kind { FaceOfA, FaceOfB, Edges };
  Kind kind = Kind::FaceOfA;
  int a = -1;  ///< face or edge of A
  int b = -1;  ///< face or edge of B
  TS_HD bool isNone() const { return a < 0 && b < 0; }
  TS_HD bool operator==(const SeparatingFeature& o) const { return kind == o.kind && a == o.a && b == o.b; }
};

/// Features that separation() skips. It also skips pairs of edges with the same direction as a skipped
/// feature, because edges of a covered wall give the same answer as the wall.
struct ExcludedFeatures {
  /// Most features that one query excludes. A larger value costs memory in each query; with a smaller one a
  /// piece with many covered walls runs out of features to exclude.
  static constexpr int kMost = 8;
  SeparatingFeature features[kMost];
  Vec3 axes[kMost];                ///< unit
  double deepestEdges = HUGE_VAL;  ///< deeper pairs of edges are skipped as well [m]
  int count = 0;
  TS_HD void add(const SeparatingFeature& feature, const Vec3& axis) {
    features[count] = feature;
    axes[count++] = axis;
  }
  TS_HD bool has(const SeparatingFeature& feature, const Vec3& axis) const {
    // Cosine from which two axes count as one. A smaller value skips edges that are not part of the wall; 1
    // would let rounding bring skipped edges back.
    constexpr double kSame = 1 - 1e-12;
    for (int k = 0; k < count; ++k)
      if (features[k] == feature ||
          (feature.kind == SeparatingFeature::Kind::Edges && axes[k].dot(axis) > kSame))
        return true;
    return false;
  }
};

namespace detail {

// Sine below which a pair of edges gives no axis; the faces then have it. A smaller value takes axes that are
// rounding noise; a larger one loses axes of nearly parallel edges.
constexpr double kParallelEdges = 1e-9;
constexpr double kNoGap = -HUGE_VAL;

/// The vertex with the least axis · x.
TS_HD inline int lowestVertex(const PolytopeView& p, const Vec3& axis) {
  int best = 0;
  double least = HUGE_VAL;
  for (int vertex = 0; vertex < p.vertexCount; ++vertex) {
    const double height = axis.dot(p.vertices[vertex]);
    if (height >= least) continue;
    least = height;
    best = vertex;
  }
  return best;
}

/// Gap between a, below, and b, above, along the axis: min over b minus max over a of axis · x.
TS_HD inline double gapAlong(const Vec3& axis, const PolytopeView& a, const PolytopeView& b) {
  return axis.dot(b.vertices[lowestVertex(b, axis)]) - axis.dot(a.vertices[lowestVertex(a, -axis)]);
}

/// Mean of the vertices.
TS_HD inline Vec3 centreOf(const PolytopeView& p) {
  Vec3 sum(0, 0, 0);
  for (int vertex = 0; vertex < p.vertexCount; ++vertex) sum += p.vertices[vertex];
  return sum / static_cast<double>(p.vertexCount);
}

/// An edge of a placed polytope that may give the separating axis.
struct NearEdge {
  Vec3 direction, left, right;  ///< head − tail; normals of its faces
};

TS_HD inline NearEdge nearEdge(const PolytopeView& p, int index) {
  return {p.along(index), p.normals[p.edges[index].left], p.normals[p.edges[index].right]};
}

/// Unit normal on both edges, out of a. @return false if they are parallel
TS_HD inline bool edgeAxis(const NearEdge& a, const NearEdge& b, Vec3& axis) {
  const Vec3 cross = a.direction.cross(b.direction);
  const double length = cross.norm();
  if (length < kParallelEdges * a.direction.norm() * b.direction.norm()) return false;
  axis = (cross.dot(a.left + a.right) > 0 ? 1 : -1) / length * cross;
  return true;
}

/// The gaps of the faces of one polytope over the vertices of another.
struct FacesOver {
  const PolytopeView *piece, *other;
  int* below;        ///< [faceCount] vertex of `other` that is lowest over each face; −1: not computed
  int guide;         ///< vertex of `other` below the face that faces it most
  double guidedGap;  ///< [m] its gap over that face; the best gap is at least that

  /// @param direction  from `piece` to `other`
  TS_HD FacesOver(const PolytopeView& piece, const PolytopeView& other, const Vec3& direction, int* below)
      : piece(&piece), other(&other), below(below) {
    int facing = 0;
    for (int face = 0; face < piece.faceCount; ++face) {
      below[face] = -1;
      if (piece.normals[face].dot(direction) > piece.normals[facing].dot(direction)) facing = face;
    }
    guide = below[facing] = lowestVertex(other, piece.normals[facing]);
    guidedGap = gapTo(facing, guide);
  }

  TS_HD double gapTo(int face, int vertex) const {
    return piece->normals[face].dot(other->vertices[vertex]) - piece->offsets[face];
  }
  TS_HD int lowest(int face) const {
    if (below[face] < 0) below[face] = lowestVertex(*other, piece->normals[face]);
    return below[face];
  }
};

/// Finds the edges of `piece` on which an axis could beat `best` ≤ 0. A normal on an edge is n = (α n1 + β
/// n2)/|…| with α, β ≥ 0, and for every vertex b of the other polytope and every point p of the edge
///
///     gap(n) ≤ n · (b − p) ≤ max(n1 · (b − p), n2 · (b − p))   if that is negative.
///
/// The test uses the guide first, then the vertices below both faces. It leaves few edges of many, near the
/// contact.
/// @param edges  [edgeCount] out   @return their number
TS_HD inline int nearEdges(const FacesOver& faces, double best, int* edges) {
  const PolytopeView& piece = *faces.piece;
  int count = 0;
  for (int index = 0; index < piece.edgeCount; ++index) {
    const Polytope::Edge& edge = piece.edges[index];
    const Vec3 &leftNormal = piece.normals[edge.left], &rightNormal = piece.normals[edge.right];
    const auto canBeat = [&](int vertex) {
      const Vec3 reach = faces.other->vertices[vertex] - piece.vertices[edge.tail];
      const double toLeft = leftNormal.dot(reach), toRight = rightNormal.dot(reach);
      const double bound = toLeft < toRight ? toRight : toLeft;
      return bound >= 0 || bound > best;
    };
    if (canBeat(faces.guide) && canBeat(faces.lowest(edge.left)) && canBeat(faces.lowest(edge.right)))
      edges[count++] = index;
  }
  return count;
}

/// True if the arcs of both edges on the sphere of normals, that of b mirrored, cross. Only then do the edges
/// make a face of the Minkowski difference. Arcs that just touch, or cross on the far side, count as
/// crossing; their axis is checked in full.
TS_HD inline bool arcsCross(const NearEdge& a, const NearEdge& b) {
  const double leftOfA = -b.left.dot(a.direction), rightOfA = -b.right.dot(a.direction);
  const double leftOfB = a.left.dot(b.direction), rightOfB = a.right.dot(b.direction);
  const double slack = kParallelEdges * (a.direction.norm() + b.direction.norm());
  return (leftOfA <= slack || rightOfA <= slack) && (leftOfA >= -slack || rightOfA >= -slack) &&
         (leftOfB <= slack || rightOfB <= slack) && (leftOfB >= -slack || rightOfB >= -slack);
}

}  // namespace detail

/// Unit axis of a pair of edges, pointing out of a. @return false if they are parallel
TS_HD inline bool edgePairAxis(const PolytopeView& a, int edgeA, const PolytopeView& b, int edgeB,
                               Vec3& axis) {
  return detail::edgeAxis(detail::nearEdge(a, edgeA), detail::nearEdge(b, edgeB), axis);
}

/// Gap between both pieces along the normal of one feature, over all their vertices [m]; −∞ for parallel
/// edges.
TS_HD inline double gapAlong(const SeparatingFeature& feature, const PolytopeView& a, const PolytopeView& b) {
  using Kind = SeparatingFeature::Kind;
  if (feature.kind == Kind::FaceOfA) {
    const Vec3& normal = a.normals[feature.a];
    return normal.dot(b.vertices[detail::lowestVertex(b, normal)]) - a.offsets[feature.a];
  }
  if (feature.kind == Kind::FaceOfB) {
    const Vec3& normal = b.normals[feature.b];
    return normal.dot(a.vertices[detail::lowestVertex(a, normal)]) - b.offsets[feature.b];
  }
  Vec3 axis;
  return edgePairAxis(a, feature.a, b, feature.b, axis) ? detail::gapAlong(axis, a, b) : detail::kNoGap;
}

/// Number of integers of scratch memory that separation() needs.
TS_HD inline int separationScratch(const PolytopeView& a, const PolytopeView& b) {
  return a.faceCount + b.faceCount + a.edgeCount + b.edgeCount;
}

namespace detail {

/// The search of separation(), in its two parts.
class SeparationSearch {
 public:
  /// @param scratch  [separationScratch()]   @param excluded  or null: none
  /// @param floor  features with a smaller gap are not looked for [m]
  TS_HD SeparationSearch(const PolytopeView& a, const PolytopeView& b, int* scratch,
                         const ExcludedFeatures* excluded, double floor = kNoGap)
      : gap(floor),
        m_a(a),
        m_b(b),
        m_edgesA(scratch + a.faceCount + b.faceCount),
        m_edgesB(m_edgesA + a.edgeCount),
        m_excluded(excluded),
        m_direction(centreOf(b) - centreOf(a)),
        m_overA(a, b, m_direction, scratch),
        m_overB(b, a, -m_direction, scratch + a.faceCount) {}

  TS_HD void searchFaces() {
    using Kind = SeparatingFeature::Kind;
    double least = m_overA.guidedGap > m_overB.guidedGap ? m_overA.guidedGap : m_overB.guidedGap;
    if (m_excluded) least = kNoGap;                   // the faces of the guides may be excluded
    for (int face = 0; face < m_a.faceCount; ++face)  // the guide's gap bounds that of the lowest vertex
      if (m_overA.gapTo(face, m_overA.guide) >= least)
        offer(m_overA.gapTo(face, m_overA.lowest(face)), m_a.normals[face], {Kind::FaceOfA, face, -1});
    for (int face = 0; face < m_b.faceCount; ++face)
      if (m_overB.gapTo(face, m_overB.guide) >= least)
        offer(m_overB.gapTo(face, m_overB.lowest(face)), -m_b.normals[face], {Kind::FaceOfB, -1, face});
  }
  /// True if pairs of edges could only increase a gap between pieces that are apart.
  TS_HD bool needsNoEdges() const { return gap > 0 || m_a.planar(); }
  TS_HD void searchEdges() {
    const int countA = nearEdges(m_overA, gap, m_edgesA), countB = nearEdges(m_overB, gap, m_edgesB);
    for (int k = 0; k < countA; ++k) {
      const NearEdge edgeA = nearEdge(m_a, m_edgesA[k]);
      for (int m = 0; m < countB; ++m) {
        const NearEdge edgeB = nearEdge(m_b, m_edgesB[m]);
        Vec3 candidate;
        if (!arcsCross(edgeA, edgeB) || !edgeAxis(edgeA, edgeB, candidate)) continue;
        // Arcs that cross on the far side belong to an edge of b that looks away. It has the axis of the
        // edge that looks at a, and so its gap.
        if (candidate.dot(edgeB.left + edgeB.right) > 0) continue;
        const double bound =
            candidate.dot(m_b.vertices[m_overA.guide]) - candidate.dot(m_a.vertices[m_overB.guide]);
        if (bound > gap)  // any two vertices bound the gap
          offer(gapAlong(candidate, m_a, m_b), candidate,
                {SeparatingFeature::Kind::Edges, m_edgesA[k], m_edgesB[m]});
      }
    }
  }

  // The best so far; without a feature none is above the floor.
  double gap;  ///< m
  Vec3 axis;   ///< from a into b
  SeparatingFeature feature;

 private:
  TS_HD void offer(double offered, const Vec3& offeredAxis, const SeparatingFeature& candidate) {
    if (offered <= gap || (m_excluded && m_excluded->has(candidate, offeredAxis))) return;
    if (m_excluded && candidate.kind == SeparatingFeature::Kind::Edges && offered < -m_excluded->deepestEdges)
      return;
    gap = offered;
    axis = offeredAxis;
    feature = candidate;
  }

  const PolytopeView &m_a, &m_b;
  int *m_edgesA, *m_edgesB;
  const ExcludedFeatures* m_excluded;
  Vec3 m_direction;
  FacesOver m_overA, m_overB;
};

}  // namespace detail

/// Largest separating gap over the face normals of both pieces and the cross products of their edges
/// (separating-axis theorem) [m]. It is positive if the pieces are apart (a lower bound of the distance), and
/// minus the penetration depth if they overlap.
/// @param scratch  [separationScratch()]
/// @param normal  out, or null: the axis of that gap, from a into b
/// @param feature  out, or null: the feature with that axis; a face if the pieces are apart
/// @param excluded  or null: none
/// @param floor  only a gap above it is wanted; a search for less costs less [m]
/// @return the floor if no feature has a larger gap, which sets neither normal nor feature; −∞ if all are
/// excluded
TS_HD inline double separation(const PolytopeView& a, const PolytopeView& b, int* scratch, Vec3* normal,
                               SeparatingFeature* feature, const ExcludedFeatures* excluded = nullptr,
                               double floor = detail::kNoGap) {
  detail::SeparationSearch search(a, b, scratch, excluded, floor);
  search.searchFaces();
  if (!search.needsNoEdges()) search.searchEdges();
  if (!search.feature.isNone()) {
    if (normal) *normal = search.axis;
    if (feature) *feature = search.feature;
  }
  return search.gap;
}

}  // namespace touchstone
