#include "core/geometry/polytope_overlap.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace touchstone {

namespace {

using Polygon = std::vector<Vec3>;

constexpr double kParallel = 1e-9;  // sine below which a pair of edges gives no axis: faces have it then

/// Vertex of least axis · x.
int lowest(const std::vector<Vec3>& vertices, const Vec3& axis) {
  int best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t vertex = 0; vertex < vertices.size(); ++vertex) {
    const double height = axis.dot(vertices[vertex]);
    if (height >= least) continue;
    least = height;
    best = static_cast<int>(vertex);
  }
  return best;
}

/// Gap between a, below, and b, above, along the axis: min over b − max over a of axis · x.
double gapAlong(const Vec3& axis, const PlacedPolytope& a, const PlacedPolytope& b) {
  return axis.dot(b.vertices[lowest(b.vertices, axis)]) - axis.dot(a.vertices[lowest(a.vertices, -axis)]);
}

/// An edge of a placed polytope that may take part in the separating axis.
struct NearEdge {
  Vec3 direction, left, right;  ///< head − tail; normals of its faces
  int index;
};

NearEdge nearEdge(const PlacedPolytope& p, int index) {
  const Polytope::Edge& edge = p.polytope->edges[index];
  return {p.vertices[edge.head] - p.vertices[edge.tail], p.normals[edge.left], p.normals[edge.right], index};
}

/// Unit normal on both edges, out of a. @return false if they are parallel
bool edgeAxis(const NearEdge& a, const NearEdge& b, Vec3& axis) {
  const Vec3 cross = a.direction.cross(b.direction);
  const double length = cross.norm();
  if (length < kParallel * a.direction.norm() * b.direction.norm()) return false;
  axis = (cross.dot(a.left + a.right) > 0 ? 1 : -1) / length * cross;
  return true;
}

/// Edges of `own` on which an axis could beat `best` ≤ 0. A normal on an edge is n = (α n1 + β n2)/|…| with
/// α, β ≥ 0, and for every vertex b of the other polytope and p of the edge
///
///     gap(n) ≤ n · (b − p) ≤ max(n1 · (b − p), n2 · (b − p))   if that is negative.
///
/// Tried with the vertices below both faces. Leaves the few edges near the contact of many.
/// @param below  [faceCount] vertex of `other` that is lowest over each face of `own`
std::vector<NearEdge> nearEdges(const PlacedPolytope& own, const PlacedPolytope& other,
                                const std::vector<int>& below, double best) {
  std::vector<NearEdge> edges;
  for (std::size_t index = 0; index < own.polytope->edges.size(); ++index) {
    const Polytope::Edge& edge = own.polytope->edges[index];
    const Vec3 &left = own.normals[edge.left], &right = own.normals[edge.right];
    const Vec3& tail = own.vertices[edge.tail];
    const auto bound = [&](int vertex) {
      const Vec3 reach = other.vertices[vertex] - tail;
      const double most = std::max(left.dot(reach), right.dot(reach));
      return most < 0 ? most : std::numeric_limits<double>::infinity();
    };
    if (std::min(bound(below[edge.left]), bound(below[edge.right])) > best)
      edges.push_back(nearEdge(own, static_cast<int>(index)));
  }
  return edges;
}

/// True if the arcs of both edges on the sphere of normals, that of b mirrored, cross: only then do the edges
/// make a face of the Minkowski difference. Arcs that just touch, or cross on the far side, count: their axis
/// is checked in full.
bool arcsCross(const NearEdge& a, const NearEdge& b) {
  const double leftOfA = -b.left.dot(a.direction), rightOfA = -b.right.dot(a.direction);
  const double leftOfB = a.left.dot(b.direction), rightOfB = a.right.dot(b.direction);
  const double slack = kParallel * (a.direction.norm() + b.direction.norm());
  return std::min(leftOfA, rightOfA) <= slack && std::max(leftOfA, rightOfA) >= -slack &&
         std::min(leftOfB, rightOfB) <= slack && std::max(leftOfB, rightOfB) >= -slack;
}

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

bool edgePairAxis(const PlacedPolytope& a, int edgeA, const PlacedPolytope& b, int edgeB, Vec3& axis) {
  return edgeAxis(nearEdge(a, edgeA), nearEdge(b, edgeB), axis);
}

double gapAlong(const SeparatingFeature& feature, const PlacedPolytope& a, const PlacedPolytope& b) {
  if (feature.kind == SeparatingFeature::Kind::FaceOfA)
    return a.normals[feature.a].dot(b.vertices[lowest(b.vertices, a.normals[feature.a])]) -
           a.offsets[feature.a];
  if (feature.kind == SeparatingFeature::Kind::FaceOfB)
    return b.normals[feature.b].dot(a.vertices[lowest(a.vertices, b.normals[feature.b])]) -
           b.offsets[feature.b];
  Vec3 axis;
  if (!edgeAxis(nearEdge(a, feature.a), nearEdge(b, feature.b), axis))
    return -std::numeric_limits<double>::infinity();
  return gapAlong(axis, a, b);
}

double separation(const PlacedPolytope& a, const PlacedPolytope& b, Vec3* normal,
                  SeparatingFeature* feature) {
  double best = -std::numeric_limits<double>::infinity();
  const auto offer = [&](double gap, const Vec3& axis, const SeparatingFeature& candidate) {
    if (gap <= best) return;
    best = gap;
    if (normal) *normal = axis;
    if (feature) *feature = candidate;
  };
  using Kind = SeparatingFeature::Kind;
  std::vector<int> belowA, belowB;
  for (std::size_t face = 0; face < a.normals.size(); ++face) {
    belowA.push_back(lowest(b.vertices, a.normals[face]));
    offer(a.normals[face].dot(b.vertices[belowA.back()]) - a.offsets[face], a.normals[face],
          {Kind::FaceOfA, static_cast<int>(face), -1});
  }
  for (std::size_t face = 0; face < b.normals.size(); ++face) {
    belowB.push_back(lowest(a.vertices, b.normals[face]));
    offer(b.normals[face].dot(a.vertices[belowB.back()]) - b.offsets[face], -b.normals[face],
          {Kind::FaceOfB, -1, static_cast<int>(face)});
  }
  if (best > 0 || a.polytope->planar()) return best;  // apart: edges could only say by how much more

  const std::vector<NearEdge> edgesA = nearEdges(a, b, belowA, best), edgesB = nearEdges(b, a, belowB, best);
  for (const NearEdge& edgeA : edgesA)
    for (const NearEdge& edgeB : edgesB) {
      Vec3 axis;
      if (arcsCross(edgeA, edgeB) && edgeAxis(edgeA, edgeB, axis))
        offer(gapAlong(axis, a, b), axis, {Kind::Edges, edgeA.index, edgeB.index});
    }
  return best;
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
