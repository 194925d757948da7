#include "core/geometry/polytope_overlap.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace touchstone {

namespace {

using Polygon = std::vector<Vec3>;

struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();
};

Range project(const std::vector<Vec3>& vertices, const Vec3& axis) {
  Range range;
  for (const Vec3& vertex : vertices) {
    const double t = axis.dot(vertex);
    range.low = std::min(range.low, t);
    range.high = std::max(range.high, t);
  }
  return range;
}

/// The polygon's part with normal · x ≤ offset; its cut edge is appended to `section`.
Polygon clipped(const Polygon& polygon, const Vec3& normal, double offset, std::vector<Vec3>& section) {
  Polygon result;
  for (std::size_t k = 0; k < polygon.size(); ++k) {
    const Vec3 &p = polygon[k], &q = polygon[(k + 1) % polygon.size()];
    const double gp = normal.dot(p) - offset, gq = normal.dot(q) - offset;
    if (gp <= 0) result.push_back(p);
    if ((gp < 0 && gq > 0) || (gp > 0 && gq < 0)) {
      const Vec3 cut = p + gp / (gp - gq) * (q - p);
      result.push_back(cut);
      section.push_back(cut);
    } else if (gp == 0) {
      section.push_back(p);
    }
  }
  return result;
}

/// Points of a plane section in counter-clockwise order about the normal, repeated ones dropped.
Polygon capOf(std::vector<Vec3> points, const Vec3& normal) {
  if (points.size() < 3) return {};
  Vec3 centre = Vec3::Zero(), u, w;
  double size = 0;
  for (const Vec3& point : points) centre += point / static_cast<double>(points.size());
  for (const Vec3& point : points) size = std::max(size, (point - centre).norm());
  tangentBasis(normal, u, w);
  std::sort(points.begin(), points.end(), [&](const Vec3& a, const Vec3& b) {
    return std::atan2((a - centre).dot(w), (a - centre).dot(u)) <
           std::atan2((b - centre).dot(w), (b - centre).dot(u));
  });
  Polygon cap;
  for (const Vec3& point : points)
    if (cap.empty() || (point - cap.back()).norm() > 1e-14 * size) cap.push_back(point);
  return cap.size() < 3 ? Polygon() : cap;
}

void clip(std::vector<Polygon>& faces, const Vec3& normal, double offset) {
  std::vector<Polygon> kept;
  std::vector<Vec3> section;
  bool cut = false;
  for (const Polygon& face : faces) {
    const std::size_t before = section.size();
    Polygon rest = clipped(face, normal, offset, section);
    cut = cut || section.size() > before;
    if (rest.size() >= 3) kept.push_back(std::move(rest));
  }
  const bool reached = std::any_of(faces.begin(), faces.end(), [&](const Polygon& face) {
    return std::any_of(face.begin(), face.end(), [&](const Vec3& p) { return normal.dot(p) > offset; });
  });
  if (reached && cut) {
    Polygon cap = capOf(section, normal);
    if (!cap.empty()) kept.push_back(std::move(cap));
  }
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

double separation(const PlacedPolytope& a, const PlacedPolytope& b, Vec3* normal) {
  double best = -std::numeric_limits<double>::infinity();
  const auto offer = [&](double gap, const Vec3& axis) {
    if (gap <= best) return;
    best = gap;
    if (normal) *normal = axis;
  };
  for (std::size_t face = 0; face < a.normals.size(); ++face)
    offer(project(b.vertices, a.normals[face]).low - a.offsets[face], a.normals[face]);
  for (std::size_t face = 0; face < b.normals.size(); ++face)
    offer(project(a.vertices, b.normals[face]).low - b.offsets[face], -b.normals[face]);
  // Edge pairs cannot lower the depth below a face's by more than matters when a face already separates.
  if (best > 0) return best;
  constexpr double kParallel = 1e-9;  // sine below which an edge pair gives no new axis
  for (const Polytope::Edge& ea : a.polytope->edges) {
    const Vec3 da = a.vertices[ea.head] - a.vertices[ea.tail];
    for (const Polytope::Edge& eb : b.polytope->edges) {
      const Vec3 db = b.vertices[eb.head] - b.vertices[eb.tail];
      const Vec3 cross = da.cross(db);
      const double length = cross.norm();
      if (length < kParallel * da.norm() * db.norm()) continue;
      const Vec3 axis = cross / length;
      const Range ra = project(a.vertices, axis), rb = project(b.vertices, axis);
      offer(rb.low - ra.high, axis);
      offer(ra.low - rb.high, -axis);
    }
  }
  return best;
}

Intersection intersection(const PlacedPolytope& a, const PlacedPolytope& b) {
  std::vector<Polygon> faces = facesOf(a);
  for (std::size_t face = 0; face < b.normals.size() && !faces.empty(); ++face)
    clip(faces, b.normals[face], b.offsets[face]);
  return solidOf(faces);
}

Intersection partBelow(const PlacedPolytope& a, const Vec3& normal, double offset) {
  std::vector<Polygon> faces = facesOf(a);
  clip(faces, normal, offset);
  return solidOf(faces);
}

}  // namespace touchstone
