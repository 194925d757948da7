#pragma once

#include <cmath>

#include "core/geometry/aabb.h"
#include "core/geometry/separation.h"
#include "core/parallel/bounded_list.h"

namespace touchstone {

/// A sequence of polygons: polygon k has the points from ends[k − 1] (0 for the first) to ends[k].
struct PolygonList {
  BoundedList<Vec3> points;
  BoundedList<int> ends;
  TS_HD int first(int polygon) const { return polygon == 0 ? 0 : ends[polygon - 1]; }
  TS_HD void clear() {
    points.clear();
    ends.clear();
  }
};

/// Scratch memory for a solid while it is clipped, on the host or on a device.
struct SolidScratch {
  PolygonList polygons[2];    ///< the faces of the present solid, and those of the next one
  BoundedList<Vec3> section;  ///< end points of the cuts by a plane
  double* angles = nullptr;   ///< [section.capacity]
  int* order = nullptr;       ///< [section.capacity]
  int current = 0;            ///< index of the polygons that hold the present solid
  TS_HD const PolygonList& solid() const { return polygons[current]; }
  TS_HD bool isFull() const {
    return polygons[0].points.isFull || polygons[0].ends.isFull || polygons[1].points.isFull ||
           polygons[1].ends.isFull || section.isFull;
  }
};

namespace detail {

/// Least and largest normal · x − offset over points [m].
struct GapRange {
  double low = HUGE_VAL, high = -HUGE_VAL;
  TS_HD GapRange(const Vec3* points, int count, const Vec3& normal, double offset) {
    for (int k = 0; k < count; ++k) {
      const double gap = normal.dot(points[k]) - offset;
      if (gap < low) low = gap;
      if (gap > high) high = gap;
    }
  }
};

/// Appends the part of a polygon with normal · x ≤ offset to `to`, and the end points of the cut to the
/// section.
/// @param corner  Vec3(int) of the polygon, 0 … count − 1
template <class Corner>
TS_HD void appendClipped(int count, const Corner& corner, const Vec3& normal, double offset,
                         SolidScratch& scratch, PolygonList& to) {
  const int before = to.points.count;
  if (count == 0) return;
  Vec3 p = corner(count - 1);
  double gp = normal.dot(p) - offset;
  for (int k = 0; k < count; ++k) {
    const Vec3 q = corner(k);
    const double gq = normal.dot(q) - offset;
    if ((gp < 0 && gq > 0) || (gp > 0 && gq < 0)) {
      // Interpolated from the inner to the outer end, so that both faces at an edge get the same bits.
      const Vec3 &inner = gp < 0 ? p : q, &outer = gp < 0 ? q : p;
      const double inside = gp < 0 ? gp : gq, outside = gp < 0 ? gq : gp;
      const Vec3 cut = inner + inside / (inside - outside) * (outer - inner);
      to.points.push(cut);
      scratch.section.push(cut);
    }
    if (gq <= 0) to.points.push(q);
    if (gq == 0) scratch.section.push(q);
    p = q;
    gp = gq;
  }
  if (to.points.count - before < 3) {
    to.points.count = before;
  } else {
    to.ends.push(to.points.count);
  }
}

/// Appends the points of the plane section in counter-clockwise order about the normal, without repeated
/// points.
TS_HD inline void appendCap(const Vec3& normal, SolidScratch& scratch, PolygonList& to) {
  const int count = scratch.section.count, before = to.points.count;
  Vec3 centre(0, 0, 0), u, w;
  for (int k = 0; k < count; ++k) centre += scratch.section[k] / static_cast<double>(count);
  tangentBasis(normal, u, w);
  for (int k = 0; k < count; ++k) {  // insertion sort: sections are short
    const Vec3 arm = scratch.section[k] - centre;
    const double angle = std::atan2(arm.dot(w), arm.dot(u));
    int place = k;
    for (; place > 0 && angle < scratch.angles[place - 1]; --place) {
      scratch.angles[place] = scratch.angles[place - 1];
      scratch.order[place] = scratch.order[place - 1];
    }
    scratch.angles[place] = angle;
    scratch.order[place] = k;
  }
  for (int k = 0; k < count; ++k) {
    const Vec3& point = scratch.section[scratch.order[k]];
    if (to.points.count == before || point != to.points[to.points.count - 1]) to.points.push(point);
  }
  while (to.points.count > before + 1 && to.points[before] == to.points[to.points.count - 1])
    --to.points.count;
  if (to.points.count - before < 3) {
    to.points.count = before;
  } else {
    to.ends.push(to.points.count);
  }
}

}  // namespace detail

/// Makes the faces of a polytope the present solid. A polygon gives itself as the only face.
TS_HD inline void beginSolid(const PolytopeView& a, SolidScratch& scratch) {
  scratch.current = 0;
  PolygonList& faces = scratch.polygons[0];
  faces.clear();
  if (a.planar()) {
    for (int vertex = 0; vertex < a.vertexCount; ++vertex) faces.points.push(a.vertices[vertex]);
    faces.ends.push(faces.points.count);
    return;
  }
  for (int face = 0; face < a.faceCount; ++face) {
    for (int vertex : a.faceVertices[face]) faces.points.push(a.vertices[vertex]);
    faces.ends.push(faces.points.count);
  }
}

/// Keeps the part of the solid with normal · x ≤ offset. A cap closes the cut unless the solid is planar.
TS_HD inline void clipSolid(const Vec3& normal, double offset, bool planar, SolidScratch& scratch) {
  const PolygonList& whole = scratch.polygons[scratch.current];
  PolygonList& kept = scratch.polygons[1 - scratch.current];
  scratch.section.clear();
  if (!planar) {
    const detail::GapRange gaps(whole.points.items, whole.points.count, normal, offset);
    if (gaps.high <= 0) return;
    if (gaps.low >= 0) {
      scratch.polygons[scratch.current].clear();
      return;
    }
  }
  kept.clear();
  for (int polygon = 0; polygon < whole.ends.count; ++polygon) {
    const Vec3* corners = whole.points.items + whole.first(polygon);
    detail::appendClipped(
        whole.ends[polygon] - whole.first(polygon), [=](int k) { return corners[k]; }, normal, offset,
        scratch, kept);
  }
  if (!planar) detail::appendCap(normal, scratch, kept);
  scratch.current = 1 - scratch.current;
}

/// Does beginSolid() and clipSolid() in one pass. Needs capacity only for the clipped solid.
TS_HD inline void beginClipped(const PolytopeView& a, const Vec3& normal, double offset,
                               SolidScratch& scratch) {
  if (a.planar()) {
    beginSolid(a, scratch);
    clipSolid(normal, offset, true, scratch);
    return;
  }
  const detail::GapRange gaps(a.vertices, a.vertexCount, normal, offset);
  if (gaps.high <= 0) {
    beginSolid(a, scratch);
    return;
  }
  scratch.current = 0;
  PolygonList& solid = scratch.polygons[0];
  solid.clear();
  scratch.section.clear();
  if (gaps.low >= 0) return;
  for (int face = 0; face < a.faceCount; ++face) {
    const IndexRange corners = a.faceVertices[face];
    detail::appendClipped(
        corners.size(), [&](int k) { return a.vertices[corners[k]]; }, normal, offset, scratch, solid);
  }
  detail::appendCap(normal, scratch, solid);
}

/// The intersection of two convex polytopes that overlap: a clipped by the half-spaces of b.
/// @param axis, gap  of separation(); gap < 0
TS_HD inline void intersectSolids(const PolytopeView& a, const PolytopeView& b, const Vec3& axis, double gap,
                                  SolidScratch& scratch) {
  // Faces from which it pays to skip first what is far from the other piece. The result is the same; a larger
  // value clips large pieces in full, a smaller one adds box tests to small ones.
  constexpr int kManyFaces = 64;
  if (a.faceCount > kManyFaces) {
    // b lies above its lowest plane across the axis, so that a cut well below that plane does not change the
    // result.
    const double lowest = axis.dot(b.vertices[detail::lowestVertex(b, axis)]) + gap;
    beginClipped(a, -axis, -lowest, scratch);
  } else {
    beginSolid(a, scratch);
  }
  const bool many = b.faceCount > kManyFaces;
  const auto boxOf = [](const PolygonList& solid) {
    Aabb box;
    for (int k = 0; k < solid.points.count; ++k) box.add(solid.points[k]);
    return box;
  };
  Aabb box = many ? boxOf(scratch.solid()) : Aabb();
  for (int face = 0; face < b.faceCount && scratch.solid().ends.count > 0; ++face) {
    const Vec3& normal = b.normals[face];
    if (many && normal.dot(lowestCorner(box, -normal)) <= b.offsets[face]) continue;  // nothing beyond it
    const int before = scratch.current;
    clipSolid(normal, b.offsets[face], a.planar(), scratch);
    if (many && scratch.current != before) box = boxOf(scratch.solid());
  }
}

/// Volume [m³] by the divergence theorem from an interior point; area [m²] of a polygon by the shoelace
/// formula.
TS_HD inline double sizeOf(const PolygonList& solid, bool planar) {
  const BoundedList<Vec3>& points = solid.points;
  double size = 0;
  if (planar) {
    if (solid.ends.count == 0) return 0;
    for (int k = 1; k + 1 < solid.ends[0]; ++k)
      size += 0.5 * (points[k] - points[0]).cross(points[k + 1] - points[0]).z();
    return size > 0 ? size : 0;
  }
  if (solid.ends.count < 4) return 0;
  Vec3 inside(0, 0, 0);
  for (int k = 0; k < points.count; ++k) inside += points[k];
  inside /= static_cast<double>(points.count);
  for (int polygon = 0; polygon < solid.ends.count; ++polygon) {
    const int first = solid.first(polygon);
    for (int k = first + 1; k + 1 < solid.ends[polygon]; ++k)
      size += (points[first] - inside).dot((points[k] - inside).cross(points[k + 1] - inside)) / 6;
  }
  return size > 0 ? size : 0;
}

}  // namespace touchstone
