#include "core/trajectory/near_pairs.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/geometry/polytope_overlap.h"
#include "core/trajectory/convex_area.h"

namespace touchstone {

namespace {

bool isPlaneBody(const World& world, int body) {
  return world.scene->bodies[body].shape->kind == Shape::Kind::Plane;
}

const Shape& shapeOf(const World& world, int body) { return *world.scene->bodies[body].shape; }

std::vector<PlacedPolytope> piecesOf(const World& world, int body) {
  std::vector<PlacedPolytope> pieces;
  const std::size_t index = body;
  for (const Polytope& piece : shapeOf(world, body).pieces)
    pieces.push_back(placed(piece, world.position[index], world.orientation[index]));
  return pieces;
}

/// Adds the vertices of a body that reach within `slack` of the farthest one along a direction.
/// @return the farthest one's coordinate along it [m]
double keepFarthest(const World& world, int body, const Vec3& direction, double slack,
                    std::vector<Vec3>& kept) {
  const std::size_t index = body;
  const Vec3 local = world.orientation[index].conjugate() * direction;
  double maximum = -HUGE_VAL;
  for (const TriangleMesh& surface : shapeOf(world, body).surfaces)
    for (const Vec3& vertex : surface.vertices) maximum = std::max(maximum, local.dot(vertex));
  for (const TriangleMesh& surface : shapeOf(world, body).surfaces)
    for (const Vec3& vertex : surface.vertices)
      if (local.dot(vertex) >= maximum - slack)
        kept.push_back(world.position[index] + world.orientation[index] * vertex);
  return direction.dot(world.position[index]) + maximum;
}

Vec3 planeNormalOf(const World& world, int plane) {
  return world.orientation[plane] * shapeOf(world, plane).planeNormal;
}

void keepExtreme(const std::vector<Vec3>& vertices, const Vec3& outward, double reach,
                 std::vector<Vec3>& kept) {
  double maximum = -HUGE_VAL;
  for (const Vec3& vertex : vertices) maximum = std::max(maximum, outward.dot(vertex));
  kept.clear();
  for (const Vec3& vertex : vertices)
    if (outward.dot(vertex) >= maximum - reach) kept.push_back(vertex);
}

/// Adds a pair of pieces to what is known of two bodies.
void addPieces(const PlacedPolytope& a, const PlacedPolytope& b, double reach, NearPair& pair) {
  constexpr double kSame = 1 - 1e-9;  // cosine; a smaller value takes a bent floor for a plane
  Vec3 normal;
  const double gap = separation(a, b, &normal);
  if (gap <= reach) {
    if (!pair.points.empty() && normal.dot(pair.normal) < kSame) pair.isFlat = false;
    std::vector<Vec3> ofA, ofB;
    keepExtreme(a.vertices, normal, reach, ofA);
    keepExtreme(b.vertices, -normal, reach, ofB);
    const std::vector<Vec3> area = commonArea(ofA, ofB, normal);
    pair.points.insert(pair.points.end(), area.begin(), area.end());
  }
  if (gap >= pair.gap) return;
  pair.gap = gap;
  pair.normal = normal;
}

/// @param reach  ε; where the gap is larger, no points are found
NearPair nearestOf(const World& world, int bodyA, int bodyB, double reach) {
  NearPair pair;
  pair.bodyA = bodyA;
  pair.bodyB = bodyB;
  pair.gap = HUGE_VAL;
  const bool isA = isPlaneBody(world, bodyA), isB = isPlaneBody(world, bodyB);
  if (isA && isB) return pair;
  if (isA || isB) {
    const int plane = isA ? bodyA : bodyB;
    const Vec3 normal = planeNormalOf(world, plane);
    const double lowest = -keepFarthest(world, isA ? bodyB : bodyA, -normal, reach, pair.points);
    pair.gap = lowest - normal.dot(world.position[plane]);
    pair.normal = isA ? normal : Vec3(-normal);
    return pair;
  }
  const std::vector<PlacedPolytope> ofA = piecesOf(world, bodyA), ofB = piecesOf(world, bodyB);
  if (ofA.empty() || ofB.empty()) pair.gap = NAN;
  for (const PlacedPolytope& a : ofA)
    for (const PlacedPolytope& b : ofB) addPieces(a, b, reach, pair);
  return pair;
}

/// The ball around a body, and where it begins along x.
struct Ball {
  int body;
  double radius, begin;
};

}  // namespace

Vec3 NearPair::middle() const {
  Vec3 sum = Vec3::Zero();
  for (const Vec3& point : points) sum += point;
  return points.empty() ? sum : Vec3(sum / static_cast<double>(points.size()));
}

double nearReach(const Scene& scene, int bodyA, int bodyB) {
  const auto diameter = [&](int body) {
    const Shape& shape = *scene.bodies[body].shape;
    return shape.kind == Shape::Kind::Plane ? HUGE_VAL : 2 * shape.radius;
  };
  constexpr double kShare = 1e-3;
  return kShare * std::min(diameter(bodyA), diameter(bodyB));
}

double gapBetween(const World& world, int bodyA, int bodyB, Vec3* normal) {
  const NearPair nearest = nearestOf(world, bodyA, bodyB, -HUGE_VAL);
  if (normal) *normal = nearest.normal;
  return nearest.gap;
}

std::vector<NearPair> nearPairs(const World& world) {
  std::vector<NearPair> pairs;
  const auto add = [&](int a, int b) {
    if (a > b) std::swap(a, b);
    if (!canCollide(world, a, b)) return;
    const double reach = nearReach(*world.scene, a, b);
    NearPair pair = nearestOf(world, a, b, reach);
    if (pair.gap <= reach) pairs.push_back(std::move(pair));
  };
  std::vector<Ball> balls;
  std::vector<int> planes;
  balls.reserve(world.bodyCount());
  for (int body = 0; body < world.bodyCount(); ++body) {
    const std::size_t index = body;
    if (!world.active[index]) continue;
    if (isPlaneBody(world, body)) {
      planes.push_back(body);
      continue;
    }
    constexpr double kMargin = 1 + 1e-3;  // both margins together are at least ε
    const double radius = kMargin * shapeOf(world, body).radius;
    balls.push_back({body, radius, world.position[index].x() - radius});
  }
  for (const Ball& ball : balls) {
    const Vec3& position = world.position[ball.body];
    for (const int plane : planes)
      if (planeNormalOf(world, plane).dot(position - world.position[plane]) <= (1 + 1e-3) * ball.radius)
        add(ball.body, plane);
  }
  std::sort(balls.begin(), balls.end(), [](const Ball& a, const Ball& b) { return a.begin < b.begin; });
  for (std::size_t first = 0; first < balls.size(); ++first)
    for (std::size_t other = first + 1; other < balls.size(); ++other) {
      const Ball &a = balls[first], &b = balls[other];
      if (b.begin > a.begin + 2 * a.radius) break;
      const Vec3 apart = world.position[a.body] - world.position[b.body];
      if (apart.squaredNorm() <= (a.radius + b.radius) * (a.radius + b.radius)) add(a.body, b.body);
    }
  std::sort(pairs.begin(), pairs.end(), [](const NearPair& a, const NearPair& b) {
    return a.bodyA != b.bodyA ? a.bodyA < b.bodyA : a.bodyB < b.bodyB;
  });
  return pairs;
}

Vec3 velocityAt(const World& world, int body, const Vec3& point) {
  const std::size_t index = body;
  if (!isDynamic(world, body)) return Vec3::Zero();
  return world.linearVelocity[index] + world.angularVelocity[index].cross(point - world.position[index]);
}

double largestSlip(const World& world, const std::vector<NearPair>& pairs) {
  double largest = 0;
  for (const NearPair& pair : pairs) {
    const Vec3 middle = pair.middle();
    const Vec3 v = velocityAt(world, pair.bodyB, middle) - velocityAt(world, pair.bodyA, middle);
    largest = std::max(largest, (v - pair.normal.dot(v) * pair.normal).norm());
  }
  return largest;
}

}  // namespace touchstone
