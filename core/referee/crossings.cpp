#include "core/referee/crossings.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/geometry/box_forest.inl"
#include "core/math/count.h"
#include "core/parallel/host_backend.h"
#include "core/parallel/parallel_for.h"
#include "core/scene/scale.h"

namespace touchstone {

namespace {

/// True if an edge goes through a triangle, farther than `least` from its plane and not along its rim.
bool goesThrough(const Vec3& p, const Vec3& q, const std::array<Vec3, 3>& triangle, double least) {
  // Share of the triangle's heights. With a larger value crossings hide along edges; a smaller one counts
  // what only touches an edge.
  constexpr double kRim = 0.01;
  const Vec3 u = triangle[1] - triangle[0], v = triangle[2] - triangle[0], normal = u.cross(v);
  const double area = normal.norm();
  if (!(area > 0)) return false;
  const double before = normal.dot(p - triangle[0]) / area, after = normal.dot(q - triangle[0]) / area;
  if (!(before * after < 0) || std::min(std::abs(before), std::abs(after)) < least) return false;
  const Vec3 crossing = p + before / (before - after) * Vec3(q - p) - triangle[0];
  const double second = normal.dot(crossing.cross(v)) / (area * area),
               third = normal.dot(u.cross(crossing)) / (area * area);
  return second > kRim && third > kRim && second + third < 1 - kRim;
}

}  // namespace

struct CrossingFinder::Places {
  std::vector<Vec3> vertices;  ///< of the surfaces that take part, by vertex of the topology [m]
  BoxForest<HostBackend> triangles;
};

CrossingFinder::CrossingFinder(const World& world) : m_places(std::make_unique<Places>()) {
  // Relative to the scene's length. With a larger value thin folds hide; a smaller one counts rounding.
  constexpr double kLeast = 1e-5;
  if (world.elastic->isEmpty()) return;
  m_least = kLeast * lengthOf(*world.scene);
  const SurfaceTopology& surface = *world.surface;
  const WorldView view = viewOf(world);
  for (std::size_t surfaceIndex = 0; surfaceIndex < surface.surfaceBody.size(); ++surfaceIndex) {
    const BodyConstants& body = view.bodies[surface.surfaceBody[surfaceIndex]];
    if (body.touchesItself || !surface.surfaceClosed[surfaceIndex])
      m_surfaces.push_back(static_cast<int>(surfaceIndex));
  }
  const auto takesPart = [this](int surfaceIndex) {
    return std::binary_search(m_surfaces.begin(), m_surfaces.end(), surfaceIndex);
  };
  for (std::size_t edge = 0; edge < surface.edges.size(); ++edge)
    if (takesPart(surface.edgeSurface[edge])) m_edges.push_back(static_cast<int>(edge));
}

CrossingFinder::~CrossingFinder() = default;
CrossingFinder::CrossingFinder(CrossingFinder&&) noexcept = default;
CrossingFinder& CrossingFinder::operator=(CrossingFinder&&) noexcept = default;

std::vector<Crossing> CrossingFinder::find(const World& world) {
  if (m_edges.empty()) return {};
  const SurfaceTopology& surface = *world.surface;
  const WorldView view = viewOf(world);
  std::vector<Vec3>& vertices = m_places->vertices;
  vertices.resize(surface.vertexLocal.size());
  for (const int surfaceIndex : m_surfaces)
    for (int vertex = surface.surfaceFirstVertex[surfaceIndex];
         vertex < surface.surfaceFirstVertex[surfaceIndex + 1]; ++vertex)
      vertices[vertex] = placedVertex(view, vertex, view.position, view.orientation);
  const auto cornersOf = [&](int triangle) {
    const std::array<int, 3>& t = surface.triangles[triangle];
    return std::array<Vec3, 3>{vertices[t[0]], vertices[t[1]], vertices[t[2]]};
  };
  m_places->triangles.place(HostBackend(), surface.triangleTrees.view(), [&](int triangle) {
    Aabb box;
    for (const Vec3& corner : cornersOf(triangle)) box.add(corner);
    return box;
  });
  std::vector<std::map<int, int>> found(m_edges.size());  // body → triangles
  const auto search = [&](int index) {
    const std::size_t edge = m_edges[index];
    const auto& [tail, head] = surface.edges[edge];
    const Vec3 &p = vertices[tail], &q = vertices[head];
    Aabb box;
    box.add(p);
    box.add(q);
    const int edgeSurface = surface.edgeSurface[edge], body = surface.edgeBody[edge];
    for (const int other : m_surfaces) {
      const int otherBody = surface.surfaceBody[other];
      const bool isOpen = !surface.surfaceClosed[edgeSurface] && !surface.surfaceClosed[other];
      const bool deforms = view.isDeformable(body) || view.isDeformable(otherBody);
      if (edgeSurface == other ? !view.bodies[body].touchesItself : !(isOpen && deforms)) continue;
      if (!canCollide(view, body, otherBody)) continue;
      m_places->triangles.view().forEachOverlap(other, box, [&](int triangle) {
        const std::array<int, 3>& t = surface.triangles[triangle];
        if (std::find(t.begin(), t.end(), tail) != t.end() || std::find(t.begin(), t.end(), head) != t.end())
          return;
        if (goesThrough(p, q, cornersOf(triangle), m_least)) ++found[index][otherBody];
      });
    }
  };
  parallelFor(countOf(m_edges), search, Work::Heavy);
  std::map<std::pair<int, int>, int> pairs;
  for (std::size_t index = 0; index < found.size(); ++index)
    for (const auto& [other, count] : found[index])
      pairs[std::minmax(surface.edgeBody[m_edges[index]], other)] += count;
  std::vector<Crossing> crossings;
  for (const auto& [pair, count] : pairs) crossings.push_back({pair.first, pair.second, count});
  return crossings;
}

std::string textOf(const Scene& scene, const std::vector<Crossing>& crossings) {
  if (crossings.empty()) return {};
  const Crossing& worst =
      *std::max_element(crossings.begin(), crossings.end(),
                        [](const Crossing& a, const Crossing& b) { return a.edges < b.edges; });
  const auto nameOf = [&](int body) { return "'" + scene.bodies[body].name + "'"; };
  const std::string edges =
      std::to_string(worst.edges) + (worst.edges == 1 ? " edge goes" : " edges go") + " through triangles";
  std::string text = worst.bodyA == worst.bodyB
                         ? "the surface of " + nameOf(worst.bodyA) + " passes through itself: " + edges
                         : "the surfaces of " + nameOf(worst.bodyA) + " and " + nameOf(worst.bodyB) +
                               " pass through each other: " + edges;
  if (crossings.size() > 1) text += "; other surfaces that do: " + std::to_string(crossings.size() - 1);
  return text;
}

}  // namespace touchstone
