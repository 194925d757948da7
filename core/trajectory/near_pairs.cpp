#include "core/trajectory/near_pairs.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/geometry/polytope_overlap.h"
#include "core/trajectory/convex_area.h"

namespace touchstone {

namespace {

bool isPlaneBody(const World& world, int body) {
  return world.scene->bodies[static_cast<std::size_t>(body)].shape->kind == Shape::Kind::Plane;
}

const Shape& shapeOf(const World& world, int body) {
  return *world.scene->bodies[static_cast<std::size_t>(body)].shape;
}

std::vector<PlacedPolytope> piecesOf(const World& world, int body) {
  std::vector<PlacedPolytope> pieces;
  const auto index = static_cast<std::size_t>(body);
  for (const Polytope& piece : shapeOf(world, body).pieces)
    pieces.push_back(placed(piece, world.position[index], world.orientation[index]));
  return pieces;
}

std::vector<Vec3> verticesOf(const World& world, int body) {
  std::vector<Vec3> vertices;
  const auto index = static_cast<std::size_t>(body);
  for (const TriangleMesh& surface : shapeOf(world, body).surfaces)
    for (const Vec3& vertex : surface.vertices)
      vertices.push_back(world.position[index] + world.orientation[index] * vertex);
  return vertices;
}

Vec3 planeNormalOf(const World& world, int plane) {
  return world.orientation[static_cast<std::size_t>(plane)] * shapeOf(world, plane).planeNormal;
}

/// The gap with what is nearest at it.
struct Nearest {
  double gap = HUGE_VAL;
  Vec3 normal = Vec3::Zero();  ///< from A into B
  std::vector<Vec3> ofA, ofB;  ///< vertices within ε of the extreme ones along the normal
};

void keepExtreme(const std::vector<Vec3>& vertices, const Vec3& outward, double reach,
                 std::vector<Vec3>& kept) {
  double most = -HUGE_VAL;
  for (const Vec3& vertex : vertices) most = std::max(most, outward.dot(vertex));
  kept.clear();
  for (const Vec3& vertex : vertices)
    if (outward.dot(vertex) >= most - reach) kept.push_back(vertex);
}

Nearest nearestOf(const World& world, int bodyA, int bodyB, double reach) {
  Nearest nearest;
  const bool isA = isPlaneBody(world, bodyA), isB = isPlaneBody(world, bodyB);
  if (isA && isB) return nearest;
  if (isA || isB) {
    const int plane = isA ? bodyA : bodyB;
    const Vec3 normal = planeNormalOf(world, plane);
    const std::vector<Vec3> vertices = verticesOf(world, isA ? bodyB : bodyA);
    for (const Vec3& vertex : vertices)
      nearest.gap =
          std::min(nearest.gap, normal.dot(vertex - world.position[static_cast<std::size_t>(plane)]));
    nearest.normal = isA ? normal : Vec3(-normal);
    keepExtreme(vertices, -normal, reach, isA ? nearest.ofB : nearest.ofA);
    return nearest;
  }
  const std::vector<PlacedPolytope> ofA = piecesOf(world, bodyA), ofB = piecesOf(world, bodyB);
  if (ofA.empty() || ofB.empty()) nearest.gap = NAN;
  for (const PlacedPolytope& a : ofA)
    for (const PlacedPolytope& b : ofB) {
      Vec3 normal;
      const double gap = separation(a, b, &normal);
      if (gap >= nearest.gap) continue;
      nearest.gap = gap;
      nearest.normal = normal;
      keepExtreme(a.vertices, normal, reach, nearest.ofA);
      keepExtreme(b.vertices, -normal, reach, nearest.ofB);
    }
  return nearest;
}

struct Span {
  int body;
  Vec3 low, high;
};

}  // namespace

Vec3 NearPair::middle() const {
  Vec3 sum = Vec3::Zero();
  for (const Vec3& point : points) sum += point;
  return points.empty() ? sum : Vec3(sum / static_cast<double>(points.size()));
}

double nearReach(const Scene& scene, int bodyA, int bodyB) {
  const auto diameter = [&](int body) {
    const Shape& shape = *scene.bodies[static_cast<std::size_t>(body)].shape;
    return shape.kind == Shape::Kind::Plane ? HUGE_VAL : 2 * shape.radius;
  };
  constexpr double kShare = 1e-3;
  return kShare * std::min(diameter(bodyA), diameter(bodyB));
}

double gapBetween(const World& world, int bodyA, int bodyB, Vec3* normal) {
  const Nearest nearest = nearestOf(world, bodyA, bodyB, 0);
  if (normal) *normal = nearest.normal;
  return nearest.gap;
}

std::vector<NearPair> nearPairs(const World& world) {
  std::vector<NearPair> pairs;
  const auto add = [&](int a, int b) {
    if (a > b) std::swap(a, b);
    if (!canCollide(world, a, b)) return;
    const double reach = nearReach(*world.scene, a, b);
    const Nearest nearest = nearestOf(world, a, b, reach);
    if (!(nearest.gap <= reach)) return;
    pairs.push_back(
        {a, b, nearest.gap, nearest.normal, commonArea(nearest.ofA, nearest.ofB, nearest.normal)});
  };
  std::vector<Span> spans;
  for (int body = 0; body < world.bodyCount(); ++body) {
    const auto index = static_cast<std::size_t>(body);
    if (!world.active[index] || isPlaneBody(world, body)) continue;
    Span span{body, Vec3::Constant(HUGE_VAL), Vec3::Constant(-HUGE_VAL)};
    for (const Vec3& vertex : verticesOf(world, body)) {
      span.low = span.low.cwiseMin(vertex);
      span.high = span.high.cwiseMax(vertex);
    }
    const Vec3 margin = Vec3::Constant(1e-3 * shapeOf(world, body).radius);  // both: their mean diameter's ε
    span.low -= margin;
    span.high += margin;
    spans.push_back(span);
    for (int plane = 0; plane < world.bodyCount(); ++plane)
      if (isPlaneBody(world, plane)) add(body, plane);
  }
  std::sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) { return a.low.x() < b.low.x(); });
  for (std::size_t first = 0; first < spans.size(); ++first)
    for (std::size_t other = first + 1; other < spans.size() && spans[other].low.x() <= spans[first].high.x();
         ++other)
      if ((spans[first].low.array() <= spans[other].high.array()).all() &&
          (spans[other].low.array() <= spans[first].high.array()).all())
        add(spans[first].body, spans[other].body);
  std::sort(pairs.begin(), pairs.end(), [](const NearPair& a, const NearPair& b) {
    return a.bodyA != b.bodyA ? a.bodyA < b.bodyA : a.bodyB < b.bodyB;
  });
  return pairs;
}

Vec3 velocityAt(const World& world, int body, const Vec3& point) {
  const auto index = static_cast<std::size_t>(body);
  if (!isDynamic(world, body)) return Vec3::Zero();
  return world.linearVelocity[index] + world.angularVelocity[index].cross(point - world.position[index]);
}

double largestSlip(const World& world, const std::vector<NearPair>& pairs) {
  double largest = 0;
  for (const NearPair& pair : pairs) {
    const Vec3 at = pair.middle();
    const Vec3 v = velocityAt(world, pair.bodyB, at) - velocityAt(world, pair.bodyA, at);
    largest = std::max(largest, (v - pair.normal.dot(v) * pair.normal).norm());
  }
  return largest;
}

}  // namespace touchstone
