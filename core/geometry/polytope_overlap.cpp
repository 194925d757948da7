#include "core/geometry/polytope_overlap.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace touchstone {

namespace {

using Polygon = std::vector<Vec3>;

/// The polygon's part with normal · x ≤ offset; the ends of its cut are appended to `section`.
Polygon clipped(const Polygon& polygon, const Vec3& normal, double offset, std::vector<Vec3>& section) {
  Polygon result;
  Vec3 p = polygon.back();
  double gp = normal.dot(p) - offset;
  for (const Vec3& q : polygon) {
    const double gq = normal.dot(q) - offset;
    if ((gp < 0 && gq > 0) || (gp > 0 && gq < 0)) {
      // From the inner to the outer end, so that both faces at an edge get the same bits.
      const Vec3 &inner = gp < 0 ? p : q, &outer = gp < 0 ? q : p;
      const double inside = std::min(gp, gq), outside = std::max(gp, gq);
      const Vec3 cut = inner + inside / (inside - outside) * (outer - inner);
      result.push_back(cut);
      section.push_back(cut);
    }
    if (gq <= 0) result.push_back(q);
    if (gq == 0) section.push_back(q);
    p = q;
    gp = gq;
  }
  return result;
}

/// Points of a plane section in counter-clockwise order about the normal, repeated ones dropped.
Polygon capOf(const std::vector<Vec3>& points, const Vec3& normal) {
  Vec3 centre = Vec3::Zero(), u, w;
  for (const Vec3& point : points) centre += point / static_cast<double>(points.size());
  tangentBasis(normal, u, w);
  std::vector<std::pair<double, const Vec3*>> byAngle;
  for (const Vec3& point : points)
    byAngle.emplace_back(std::atan2((point - centre).dot(w), (point - centre).dot(u)), &point);
  std::sort(byAngle.begin(), byAngle.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  Polygon cap;
  for (const auto& [angle, point] : byAngle)
    if (cap.empty() || *point != cap.back()) cap.push_back(*point);
  while (cap.size() > 1 && cap.front() == cap.back()) cap.pop_back();
  return cap;
}

/// Keeps the part of a closed convex surface with normal · x ≤ offset, closed by a cap.
void clip(std::vector<Polygon>& faces, const Vec3& normal, double offset) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const Polygon& face : faces)
    for (const Vec3& point : face) {
      const double gap = normal.dot(point) - offset;
      low = std::min(low, gap);
      high = std::max(high, gap);
    }
  if (high <= 0) return;
  if (low >= 0) return faces.clear();
  std::vector<Polygon> kept;
  std::vector<Vec3> section;
  for (const Polygon& face : faces) {
    Polygon rest = clipped(face, normal, offset, section);
    if (rest.size() >= 3) kept.push_back(std::move(rest));
  }
  Polygon cap = capOf(section, normal);
  if (cap.size() >= 3) kept.push_back(std::move(cap));
  faces = std::move(kept);
}

std::vector<Polygon> facesOf(const PlacedPolytope& a) {
  std::vector<Polygon> faces;
  for (const Polytope::Face& face : a.polytope->faces) {
    Polygon polygon;
    for (int vertex : face.vertices) polygon.push_back(a.vertices[vertex]);
    faces.push_back(std::move(polygon));
  }
  return faces;
}

Intersection solidOf(const std::vector<Polygon>& faces) {
  Intersection solid;
  if (faces.size() < 4) return solid;
  Vec3 inside = Vec3::Zero();
  std::size_t count = 0;
  for (const Polygon& face : faces)
    for (const Vec3& point : face) {
      inside += point;
      ++count;
    }
  inside /= static_cast<double>(count);
  for (const Polygon& face : faces) {
    const int first = static_cast<int>(solid.vertices.size());
    solid.vertices.insert(solid.vertices.end(), face.begin(), face.end());
    for (std::size_t k = 1; k + 1 < face.size(); ++k) {
      solid.volume += (face[0] - inside).dot((face[k] - inside).cross(face[k + 1] - inside)) / 6;
      solid.triangles.push_back({first, first + static_cast<int>(k), first + static_cast<int>(k) + 1});
    }
  }
  solid.volume = std::max(0.0, solid.volume);
  return solid;
}

}  // namespace

PlacedPolytope placed(const Polytope& polytope, const Vec3& position, const Quaternion& orientation) {
  PlacedPolytope result;
  result.polytope = &polytope;
  for (const Vec3& vertex : polytope.vertices) result.vertices.push_back(position + orientation * vertex);
  for (const Polytope::Face& face : polytope.faces) {
    result.normals.push_back(orientation * face.normal);
    result.offsets.push_back(face.offset + result.normals.back().dot(position));
  }
  return result;
}

PlacedPolytope::operator PolytopeView() const {
  PolytopeView view;
  if (!polytope) return view;
  view.vertexCount = static_cast<int>(vertices.size());
  view.faceCount = static_cast<int>(normals.size());
  view.edgeCount = static_cast<int>(polytope->edges.size());
  view.thickness = polytope->thickness;
  view.vertices = vertices.data();
  view.normals = normals.data();
  view.offsets = offsets.data();
  view.edges = polytope->edges.data();
  view.vertexEdges = viewOf(polytope->vertexEdges);
  view.vertexFaces = viewOf(polytope->vertexFaces);
  view.faceVertices = viewOf(polytope->faceVertices);
  return view;
}

double separation(const PolytopeView& a, const PolytopeView& b, Vec3* normal, SeparatingFeature* feature) {
  thread_local std::vector<int> room;
  room.resize(std::max(room.size(), static_cast<std::size_t>(separationRoom(a, b))));
  return separation(a, b, room.data(), normal, feature);
}

namespace {

/// The part of a polygon of which the cuts do not matter.
void clip(Polygon& polygon, const Vec3& normal, double offset) {
  std::vector<Vec3> section;
  if (!polygon.empty()) polygon = clipped(polygon, normal, offset, section);
}

/// Area by the shoelace formula from the first vertex, and the polygon as a prism just thicker than the
/// bodies.
Intersection lamina(const Polygon& polygon, double thickness) {
  Intersection part;
  const int count = static_cast<int>(polygon.size());
  if (count < 3) return part;
  for (int k = 1; k + 1 < count; ++k)
    part.volume += 0.5 * (polygon[k] - polygon[0]).cross(polygon[k + 1] - polygon[0]).z();
  part.volume = std::max(0.0, part.volume);
  for (double side : {-0.505, 0.505})
    for (const Vec3& point : polygon) part.vertices.push_back(point + Vec3(0, 0, side * thickness));
  for (int k = 1; k + 1 < count; ++k) {
    part.triangles.push_back({0, k + 1, k});
    part.triangles.push_back({count, count + k, count + k + 1});
  }
  for (int k = 0; k < count; ++k) {
    const int next = (k + 1) % count;
    part.triangles.push_back({k, next, count + next});
    part.triangles.push_back({k, count + next, count + k});
  }
  return part;
}

}  // namespace

Intersection intersection(const PlacedPolytope& a, const PlacedPolytope& b) {
  if (a.polytope->planar()) {
    Polygon polygon = a.vertices;
    for (std::size_t side = 0; side < b.normals.size(); ++side)
      clip(polygon, b.normals[side], b.offsets[side]);
    return lamina(polygon, a.polytope->thickness);
  }
  std::vector<Polygon> faces = facesOf(a);
  for (std::size_t face = 0; face < b.normals.size() && !faces.empty(); ++face)
    clip(faces, b.normals[face], b.offsets[face]);
  return solidOf(faces);
}

Intersection partBelow(const PlacedPolytope& a, const Vec3& normal, double offset) {
  if (a.polytope->planar()) {
    Polygon polygon = a.vertices;
    clip(polygon, normal, offset);
    return lamina(polygon, a.polytope->thickness);
  }
  std::vector<Polygon> faces = facesOf(a);
  clip(faces, normal, offset);
  return solidOf(faces);
}

}  // namespace touchstone
