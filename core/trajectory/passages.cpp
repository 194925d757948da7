#include "core/trajectory/passages.h"

#include <algorithm>
#include <cmath>

#include "core/trajectory/interpolation.h"
#include "core/trajectory/near_pairs.h"

namespace touchstone {

namespace {

/// Least width of a convex piece across its faces [m].
double widthOf(const Polytope& piece) {
  double least = HUGE_VAL;
  for (const Polytope::Face& face : piece.faces) {
    double lowest = HUGE_VAL;
    for (const Vec3& vertex : piece.vertices) lowest = std::min(lowest, face.normal.dot(vertex));
    least = std::min(least, face.offset - lowest);
  }
  return least;
}

double widthOf(const Shape& shape) {
  if (shape.kind == Shape::Kind::Plane || shape.pieces.empty()) return 0;
  double least = HUGE_VAL;
  for (const Polytope& piece : shape.pieces) least = std::min(least, widthOf(piece));
  return least;
}

double turnOf(const BodyState& start, const BodyState& end) {
  return rotationBetween(start.orientation, end.orientation).norm();
}

void place(World& world, int body, const BodyState& start, const BodyState& end, double share) {
  const std::size_t index = body;
  world.position[index] = (1 - share) * start.position + share * end.position;
  world.orientation[index] = start.orientation.slerp(share, end.orientation);
}

}  // namespace

PassageFinder::PassageFinder(std::shared_ptr<const Scene> scene)
    : m_scene(std::move(scene)), m_world(makeWorld(m_scene)) {
  for (const Body& body : m_scene->bodies) m_width.push_back(widthOf(*body.shape));
}

double PassageFinder::gapAt(int bodyA, int bodyB, const Sweep& motion, double share, Vec3* normal) {
  place(m_world, bodyA, *motion.startA, *motion.endA, share);
  place(m_world, bodyB, *motion.startB, *motion.endB, share);
  return gapBetween(m_world, bodyA, bodyB, normal);
}

std::optional<SweptPassage> PassageFinder::find(int bodyA, int bodyB, const std::vector<BodyState>& before,
                                                const std::vector<BodyState>& after) {
  if (bodyA > bodyB) std::swap(bodyA, bodyB);
  const std::size_t a = bodyA, b = bodyB;
  Sweep motion{&before[a], &after[a], &before[b], &after[b]};
  if (!motion.startA->active || !motion.endA->active || !motion.startB->active || !motion.endB->active)
    return {};
  if (!(m_width[a] > 0) || !(m_width[b] > 0)) return {};
  const double radiusA = m_scene->bodies[a].shape->radius, radiusB = m_scene->bodies[b].shape->radius;
  const Vec3 startApart = motion.startB->position - motion.startA->position,
             apart = motion.endB->position - motion.endA->position;
  motion.way = (apart - startApart).norm() + radiusA * turnOf(*motion.startA, *motion.endA) +
               radiusB * turnOf(*motion.startB, *motion.endB);
  motion.thin = std::min(m_width[a], m_width[b]);
  // What comes out on another side has moved by at least half of the thinner body.
  if (!(motion.way > 0.5 * motion.thin)) return {};
  if (0.5 * (startApart + apart).norm() > radiusA + radiusB + 0.5 * motion.way) return {};
  Vec3 startNormal, endNormal;
  const double startGap = gapAt(bodyA, bodyB, motion, 0, &startNormal),
               endGap = gapAt(bodyA, bodyB, motion, 1, &endNormal);
  if (std::isnan(startGap) || std::isnan(endGap)) return {};
  const bool isOpposite = startNormal.dot(endNormal) < 0;
  // Chords cut the corners of curved ways: a margin of the pair, or half of the thinner body on the same side
  // and no less than a twentieth of the smaller radius.
  const double ends = std::max({0.0, -startGap, -endGap});
  const double margin = isOpposite ? nearReach(*m_scene, bodyA, bodyB)
                                   : std::max(0.5 * motion.thin, 0.05 * std::min(radiusA, radiusB));
  // A sixteenth of the thinner body: where they overlap the depth is looked at that often.
  const double step = motion.thin / 16;
  for (double share = 0; share < 1;) {
    const double gap = gapAt(bodyA, bodyB, motion, share, nullptr);
    if (-gap > ends + margin) return SweptPassage{bodyA, bodyB, -gap};
    share += std::max(gap, step) / motion.way;
  }
  return {};
}

std::vector<SweptPassage> PassageFinder::find(const std::vector<BodyState>& before,
                                              const std::vector<BodyState>& after) {
  struct Range {
    int body;
    double begin, end;
  };
  std::vector<Range> sweeps;
  for (std::size_t body = 0; body < before.size(); ++body) {
    const bool isThere = before[body].active && after[body].active;
    m_world.active[body] = isThere;
    m_world.inverseMass[body] =
        isThere && m_scene->bodies[body].motion == Motion::Dynamic ? 1 / m_scene->bodies[body].mass : 0;
    if (!isThere || !(m_width[body] > 0)) continue;
    const double radius = m_scene->bodies[body].shape->radius;
    const auto [low, high] = std::minmax(before[body].position.x(), after[body].position.x());
    sweeps.push_back({static_cast<int>(body), low - radius, high + radius});
  }
  std::sort(sweeps.begin(), sweeps.end(), [](const Range& a, const Range& b) { return a.begin < b.begin; });
  std::vector<SweptPassage> passages;
  for (std::size_t first = 0; first < sweeps.size(); ++first)
    for (std::size_t other = first + 1; other < sweeps.size(); ++other) {
      if (sweeps[other].begin > sweeps[first].end) break;
      if (!canCollide(m_world, sweeps[first].body, sweeps[other].body)) continue;
      if (const auto passage = find(sweeps[first].body, sweeps[other].body, before, after))
        passages.push_back(*passage);
    }
  std::sort(passages.begin(), passages.end(), [](const SweptPassage& a, const SweptPassage& b) {
    return a.bodyA != b.bodyA ? a.bodyA < b.bodyA : a.bodyB < b.bodyB;
  });
  return passages;
}

double PassageFinder::depth(int bodyA, int bodyB, const std::vector<BodyState>& states) {
  for (const int body : {bodyA, bodyB}) {
    const BodyState& state = states[body];
    place(m_world, body, state, state, 0);
  }
  const double gap = gapBetween(m_world, bodyA, bodyB);
  return gap < 0 ? -gap : 0;
}

}  // namespace touchstone
