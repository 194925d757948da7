#include "core/geometry/topology.h"
#include "core/math/count.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace touchstone {

namespace {

using HalfEdge = std::pair<int, int>;

std::string faceName(const char* kind, std::size_t index) {
  return std::string(kind) + "[" + std::to_string(index) + "]";
}

/// Area below which a triangle is degenerate, relative to the square of its longest edge. If it is smaller,
/// normals may be rounding noise; if it is larger, valid slivers are refused.
constexpr double kDegenerateArea = 1e-12;

std::string computeNormals(TriangleMesh& mesh) {
  mesh.normals.clear();
  for (std::size_t index = 0; index < mesh.triangles.size(); ++index) {
    const auto& t = mesh.triangles[index];
    for (int corner : t)
      if (corner < 0 || corner >= countOf(mesh.vertices))
        return faceName("triangles", index) + " names vertex " + std::to_string(corner) +
               ", which does not exist";
    if (!hasArea(mesh, t)) return faceName("triangles", index) + " has no area";
    const Vec3& origin = mesh.vertices[t[0]];
    const Vec3 n = (mesh.vertices[t[1]] - origin).cross(mesh.vertices[t[2]] - origin);
    mesh.normals.push_back(n / n.norm());
  }
  return {};
}

/// A side of a triangle in the triangle's own direction, and the corner opposite to it.
struct Side {
  int from, to, triangle, corner;
  std::pair<int, int> edge() const { return std::minmax(from, to); }
};

std::vector<Side> sortedSides(const TriangleMesh& mesh) {
  std::vector<Side> sides;
  for (std::size_t index = 0; index < mesh.triangles.size(); ++index)
    for (int corner = 0; corner < 3; ++corner) {
      const auto& t = mesh.triangles[index];
      sides.push_back({t[(corner + 1) % 3], t[(corner + 2) % 3], static_cast<int>(index), corner});
    }
  std::stable_sort(sides.begin(), sides.end(), [](const Side& a, const Side& b) {
    return a.edge() != b.edge() ? a.edge() < b.edge() : a.from < b.from;
  });
  return sides;
}

/// Adds the edge of one side (on a boundary), or of two sides with opposite directions.
void addEdge(TriangleMesh& mesh, const Side& side, const Side* twin) {
  TriangleMesh::Edge edge{side.from, side.to, side.triangle, twin ? twin->triangle : -1, -1, true};
  mesh.triangleEdges[side.triangle][side.corner] = countOf(mesh.edges);
  if (twin) {
    mesh.triangleEdges[twin->triangle][twin->corner] = countOf(mesh.edges);
    mesh.neighbours[side.triangle][side.corner] = twin->triangle;
    mesh.neighbours[twin->triangle][twin->corner] = side.triangle;
    edge.turn = mesh.normals[edge.left].dot(mesh.normals[edge.right]);
    const Vec3& far = mesh.vertices[mesh.triangles[twin->triangle][twin->corner]];
    edge.convex = mesh.normals[edge.left].dot(far - mesh.vertices[edge.tail]) <= 0;
  }
  mesh.edges.push_back(edge);
}

std::string sharedEdge(const Side& first, const Side& last, std::size_t count) {
  return faceName("triangles", last.triangle) + " shares the edge " + std::to_string(first.from) + "–" +
         std::to_string(first.to) + " with " + faceName("triangles", first.triangle) +
         (count > 2 ? " and others: not a manifold"
                    : ", and both run along it in one direction: not consistently oriented");
}

}  // namespace

bool hasArea(const TriangleMesh& mesh, const std::array<int, 3>& t) {
  const Vec3 u = mesh.vertices[t[1]] - mesh.vertices[t[0]], w = mesh.vertices[t[2]] - mesh.vertices[t[0]];
  const double longest = std::max({u.squaredNorm(), w.squaredNorm(), (w - u).squaredNorm()});
  return u.cross(w).norm() > kDegenerateArea * longest;
}

std::string buildTopology(TriangleMesh& mesh) {
  const std::string problem = computeNormals(mesh);
  if (!problem.empty()) return problem;
  mesh.edges.clear();
  mesh.neighbours.assign(mesh.triangles.size(), {-1, -1, -1});
  mesh.triangleEdges.assign(mesh.triangles.size(), {-1, -1, -1});
  mesh.closed = true;
  const std::vector<Side> sides = sortedSides(mesh);
  for (std::size_t first = 0, end; first < sides.size(); first = end) {
    for (end = first + 1; end < sides.size() && sides[end].edge() == sides[first].edge();) ++end;
    const Side &side = sides[first], &last = sides[end - 1];
    if (end - first > 2 || (end - first == 2 && side.from == last.from))
      return sharedEdge(side, last, end - first);
    addEdge(mesh, side, end - first == 2 ? &last : nullptr);
    mesh.closed = mesh.closed && end - first == 2;
  }
  return {};
}

std::vector<Vec3> triangleCentres(const TriangleMesh& mesh) {
  std::vector<Vec3> centres;
  for (const auto& t : mesh.triangles)
    centres.push_back((mesh.vertices[t[0]] + mesh.vertices[t[1]] + mesh.vertices[t[2]]) / 3);
  return centres;
}

namespace {

void setLists(const std::vector<std::vector<int>>& vertexEdges,
              const std::vector<std::vector<int>>& vertexFaces, Polytope& polytope) {
  polytope.vertexEdges = polytope.vertexFaces = polytope.faceVertices = IndexLists();
  for (const std::vector<int>& edges : vertexEdges) polytope.vertexEdges.add(edges);
  for (const std::vector<int>& faces : vertexFaces) polytope.vertexFaces.add(faces);
  for (const Polytope::Face& face : polytope.faces) polytope.faceVertices.add(face.vertices);
}

std::string computeFacePlanes(Polytope& polytope) {
  Vec3 centre = Vec3::Zero();
  double size = 0;
  for (const Vec3& vertex : polytope.vertices)
    centre += vertex / static_cast<double>(polytope.vertices.size());
  for (const Vec3& vertex : polytope.vertices) size = std::max(size, (vertex - centre).norm());
  for (std::size_t index = 0; index < polytope.faces.size(); ++index) {
    Polytope::Face& face = polytope.faces[index];
    if (face.vertices.size() < 3) return faceName("faces", index) + " has fewer than three vertices";
    Vec3 normal = Vec3::Zero();  // Newell's normal: defined for any polygon, exact for a planar one
    const Vec3& origin = polytope.vertices[face.vertices[0]];
    double length = 0;
    for (int vertex : face.vertices) length = std::max(length, (polytope.vertices[vertex] - origin).norm());
    for (std::size_t k = 1; k + 1 < face.vertices.size(); ++k)
      normal += (polytope.vertices[face.vertices[k]] - origin)
                    .cross(polytope.vertices[face.vertices[k + 1]] - origin);
    if (!(normal.norm() > kDegenerateArea * size * length)) return faceName("faces", index) + " has no area";
    face.normal = normal / normal.norm();
    face.offset = 0;
    for (int vertex : face.vertices)
      face.offset += face.normal.dot(polytope.vertices[vertex]) / static_cast<double>(face.vertices.size());
    // A face of points in single precision is planar within that precision only: its plane is the outermost
    // one. A larger kRounding leaves corners outside; a smaller one takes rounding to double precision for
    // that. kPlanar is a little above what convexHull() merges.
    constexpr double kRounding = 1e-9, kPlanar = 2e-6;
    double highest = face.offset;
    for (int vertex : face.vertices) highest = std::max(highest, face.normal.dot(polytope.vertices[vertex]));
    const double rise = highest - face.offset;
    if (rise > kRounding * size && rise <= kPlanar * size) face.offset = highest;
    for (std::size_t vertex = 0; vertex < polytope.vertices.size(); ++vertex)
      if (face.normal.dot(polytope.vertices[vertex]) - face.offset > kPlanar * size)
        return faceName("faces", index) + " has vertex " + std::to_string(vertex) +
               " outside: not convex, or turned inside out";
  }
  return {};
}

}  // namespace

std::string buildTopology(Polytope& polytope) {
  const std::string problem = computeFacePlanes(polytope);
  if (!problem.empty()) return problem;
  std::map<HalfEdge, int> halfEdges;
  for (std::size_t index = 0; index < polytope.faces.size(); ++index) {
    const auto& loop = polytope.faces[index].vertices;
    for (std::size_t k = 0; k < loop.size(); ++k)
      if (!halfEdges.insert({{loop[k], loop[(k + 1) % loop.size()]}, static_cast<int>(index)}).second)
        return faceName("faces", index) +
               " shares a directed edge with another face: not consistently oriented";
  }
  polytope.edges.clear();
  std::vector<std::vector<int>> vertexEdges(polytope.vertices.size()), vertexFaces(polytope.vertices.size());
  for (const auto& [half, face] : halfEdges) {
    if (half.first > half.second) continue;
    const auto twin = halfEdges.find({half.second, half.first});
    if (twin == halfEdges.end())
      return "edge " + std::to_string(half.first) + "–" + std::to_string(half.second) +
             " has only one face: not closed";
    for (int vertex : {half.first, half.second}) vertexEdges[vertex].push_back(countOf(polytope.edges));
    polytope.edges.push_back({half.first, half.second, face, twin->second});
  }
  if (halfEdges.size() != 2 * polytope.edges.size()) return "an edge has only one face: not closed";
  for (std::size_t index = 0; index < polytope.faces.size(); ++index)
    for (int vertex : polytope.faces[index].vertices) vertexFaces[vertex].push_back(static_cast<int>(index));
  for (std::size_t vertex = 0; vertex < polytope.vertices.size(); ++vertex)
    if (vertexFaces[vertex].size() < 3) return "vertex " + std::to_string(vertex) + " belongs to no face";
  setLists(vertexEdges, vertexFaces, polytope);
  return {};
}

std::vector<std::array<int, 3>> prismTriangles(int count) {
  std::vector<std::array<int, 3>> triangles;
  for (int k = 1; k + 1 < count; ++k) {
    triangles.push_back({0, k + 1, k});
    triangles.push_back({count, count + k, count + k + 1});
  }
  for (int k = 0; k < count; ++k) {
    const int next = (k + 1) % count;
    triangles.push_back({k, next, count + next});
    triangles.push_back({k, count + next, count + k});
  }
  return triangles;
}

namespace {

TriangleMesh prismOf(const Polytope& polygon) {
  TriangleMesh mesh;
  for (double side : {-0.5, 0.5})
    for (const Vec3& vertex : polygon.vertices)
      mesh.vertices.push_back(vertex + Vec3(0, 0, side * polygon.thickness));
  mesh.triangles = prismTriangles(countOf(polygon.vertices));
  buildTopology(mesh);
  return mesh;
}

/// Twice the signed area of a triangle in the plane.
double twiceArea(const Vec3& a, const Vec3& b, const Vec3& c) { return (b - a).cross(c - a).z(); }

/// Half of the hull by Andrew's monotone chain, without its last point.
template <class Iterator>
void addChain(Iterator first, Iterator last, double smallest, std::vector<Vec3>& hull) {
  const std::size_t start = hull.size();
  for (; first != last; ++first) {
    while (hull.size() >= start + 2 && twiceArea(hull[hull.size() - 2], hull.back(), *first) <= smallest)
      hull.pop_back();
    hull.push_back(*first);
  }
  hull.pop_back();
}

}  // namespace

std::string convexPolygon(const std::vector<Vec3>& points, double thickness, Polytope& polygon) {
  std::vector<Vec3> sorted = points;
  std::sort(sorted.begin(), sorted.end(),
            [](const Vec3& a, const Vec3& b) { return a.x() != b.x() ? a.x() < b.x() : a.y() < b.y(); });
  if (sorted.size() < 3) return "has fewer than three points";
  double size = 0;
  for (const Vec3& point : sorted) size = std::max(size, (point - sorted.front()).norm());
  polygon = Polytope();
  polygon.thickness = thickness;
  addChain(sorted.begin(), sorted.end(), kDegenerateArea * size * size, polygon.vertices);
  addChain(sorted.rbegin(), sorted.rend(), kDegenerateArea * size * size, polygon.vertices);
  const int count = countOf(polygon.vertices);
  if (count < 3) return "has all its points on one line";
  std::vector<std::vector<int>> vertexFaces(polygon.vertices.size());
  for (int side = 0; side < count; ++side) {
    const int head = (side + 1) % count;
    const Vec3 along = (polygon.vertices[head] - polygon.vertices[side]).normalized();
    const Vec3 normal(along.y(), -along.x(), 0);
    const double offset = 0.5 * normal.dot(polygon.vertices[side] + polygon.vertices[head]);
    polygon.faces.push_back({{side, head}, normal, offset});
    polygon.edges.push_back({side, head, side, side});
    for (int vertex : {side, head}) vertexFaces[vertex].push_back(side);
  }
  for (std::vector<int>& faces : vertexFaces) std::sort(faces.begin(), faces.end());
  setLists(vertexFaces, vertexFaces, polygon);
  return {};
}

TriangleMesh triangulated(const Polytope& polytope) {
  if (polytope.planar()) return prismOf(polytope);
  TriangleMesh mesh;
  mesh.vertices = polytope.vertices;
  for (const Polytope::Face& face : polytope.faces)
    for (std::size_t k = 1; k + 1 < face.vertices.size(); ++k)
      mesh.triangles.push_back({face.vertices[0], face.vertices[k], face.vertices[k + 1]});
  buildTopology(mesh);
  return mesh;
}

}  // namespace touchstone
