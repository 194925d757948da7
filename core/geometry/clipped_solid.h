#pragma once

#include <cmath>

#include "core/geometry/polytope_view.h"
#include "core/parallel/bounded_list.h"

namespace touchstone {

/// Polygons one after another: polygon k has the points from ends[k − 1] (0 for the first) to ends[k].
struct PolygonList {
  BoundedList<Vec3> points;
  BoundedList<int> ends;
  TS_HD int first(int polygon) const { return polygon == 0 ? 0 : ends[polygon - 1]; }
  TS_HD void clear() {
    points.clear();
    ends.clear();
  }
};

/// Room for a solid while it is clipped, on the host or on a device.
struct SolidRoom {
  PolygonList polygons[2];    ///< the faces of the solid, and those of the next one
  BoundedList<Vec3> section;  ///< ends of the cuts by a plane
  double* angles = nullptr;   ///< [section.capacity]
  int* order = nullptr;       ///< [section.capacity]
  int current = 0;            ///< which polygons are the solid
  TS_HD const PolygonList& solid() const { return polygons[current]; }
  TS_HD bool isFull() const {
    return polygons[0].points.isFull || polygons[0].ends.isFull || polygons[1].points.isFull ||
           polygons[1].ends.isFull || section.isFull;
  }
};

namespace detail {

/// Appends the part of a polygon with normal · x ≤ offset; the ends of its cut are appended to the section.
TS_HD inline void appendClipped(const PolygonList& from, int polygon, const Vec3& normal, double offset,
                                SolidRoom& room, PolygonList& to) {
  const int begin = from.first(polygon), end = from.ends[polygon], before = to.points.count;
  if (end == begin) return;
  Vec3 p = from.points[end - 1];
  double gp = normal.dot(p) - offset;
  for (int k = begin; k < end; ++k) {
    const Vec3 q = from.points[k];
    const double gq = normal.dot(q) - offset;
    if ((gp < 0 && gq > 0) || (gp > 0 && gq < 0)) {
      // From the inner to the outer end, so that both faces at an edge get the same bits.
      const Vec3 &inner = gp < 0 ? p : q, &outer = gp < 0 ? q : p;
      const double inside = gp < 0 ? gp : gq, outside = gp < 0 ? gq : gp;
      const Vec3 cut = inner + inside / (inside - outside) * (outer - inner);
      to.points.push(cut);
      room.section.push(cut);
    }
    if (gq <= 0) to.points.push(q);
    if (gq == 0) room.section.push(q);
    p = q;
    gp = gq;
  }
  if (to.points.count - before < 3) {
    to.points.count = before;
  } else {
    to.ends.push(to.points.count);
  }
}

/// Appends the points of the plane section in counter-clockwise order about the normal, repeated ones
/// dropped.
TS_HD inline void appendCap(const Vec3& normal, SolidRoom& room, PolygonList& to) {
  const int count = room.section.count, before = to.points.count;
  Vec3 centre(0, 0, 0), u, w;
  for (int k = 0; k < count; ++k) centre += room.section[k] / static_cast<double>(count);
  tangentBasis(normal, u, w);
  for (int k = 0; k < count; ++k) {  // sorted by insertion: sections are short
    const Vec3 arm = room.section[k] - centre;
    const double angle = std::atan2(arm.dot(w), arm.dot(u));
    int at = k;
    for (; at > 0 && angle < room.angles[at - 1]; --at) {
      room.angles[at] = room.angles[at - 1];
      room.order[at] = room.order[at - 1];
    }
    room.angles[at] = angle;
    room.order[at] = k;
  }
  for (int k = 0; k < count; ++k) {
    const Vec3& point = room.section[room.order[k]];
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

/// Makes a polytope's faces the solid; of a polygon the one polygon itself.
TS_HD inline void beginSolid(const PolytopeView& a, SolidRoom& room) {
  room.current = 0;
  PolygonList& faces = room.polygons[0];
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

/// Keeps the part of the solid with normal · x ≤ offset, closed by a cap where it is not planar.
TS_HD inline void clipSolid(const Vec3& normal, double offset, bool planar, SolidRoom& room) {
  const PolygonList& from = room.polygons[room.current];
  PolygonList& to = room.polygons[1 - room.current];
  room.section.clear();
  if (!planar) {
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (int k = 0; k < from.points.count; ++k) {
      const double gap = normal.dot(from.points[k]) - offset;
      if (gap < low) low = gap;
      if (gap > high) high = gap;
    }
    if (high <= 0) return;
    if (low >= 0) {
      room.polygons[room.current].clear();
      return;
    }
  }
  to.clear();
  for (int polygon = 0; polygon < from.ends.count; ++polygon)
    detail::appendClipped(from, polygon, normal, offset, room, to);
  if (!planar) detail::appendCap(normal, room, to);
  room.current = 1 - room.current;
}

/// The intersection of two convex polytopes: a clipped by the half-spaces of b.
TS_HD inline void intersectSolids(const PolytopeView& a, const PolytopeView& b, SolidRoom& room) {
  beginSolid(a, room);
  for (int face = 0; face < b.faceCount && room.solid().ends.count > 0; ++face)
    clipSolid(b.normals[face], b.offsets[face], a.planar(), room);
}

/// Volume by the divergence theorem from an interior point [m³]; of a polygon its area by the shoelace
/// formula [m²].
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
