#include "core/record/placed_surface.h"
#include "core/math/count.h"

#include <algorithm>
#include <cassert>

namespace touchstone {

namespace {

int particlesOf(const Body& body) { return body.deformable ? countOf(body.deformable->rest) : 0; }

const StepRecord& frameOf(const std::shared_ptr<const StepRecord>& frame) {
  static const StepRecord kStart;
  return frame ? *frame : kStart;
}

}  // namespace

BodyState stateIn(const Scene& scene, const StepRecord& record, int body) {
  const std::size_t index = body;
  if (index < record.bodies.size()) return record.bodies[index];
  const Body& start = scene.bodies[index];
  return {start.position, start.orientation, start.linearVelocity, start.angularVelocity,
          start.releaseTime <= 0};
}

int particleCount(const Scene& scene) { return firstParticle(scene, countOf(scene.bodies)); }

int firstParticle(const Scene& scene, int body) {
  int count = 0;
  for (int before = 0; before < body; ++before) count += particlesOf(scene.bodies[before]);
  return count;
}

std::vector<Vec3> placedParticles(const Scene& scene, const StepRecord& record, int body) {
  const Deformable& deformable = *scene.bodies[body].deformable;
  if (!record.particles.empty()) {
    const auto first = record.particles.begin() + firstParticle(scene, body);
    return {first, first + static_cast<std::ptrdiff_t>(deformable.rest.size())};
  }
  const BodyState state = stateIn(scene, record, body);
  std::vector<Vec3> particles;
  for (const Vec3& rest : deformable.rest) particles.push_back(state.position + state.orientation * rest);
  return particles;
}

Vec3 placed(const EmbeddedVertex& vertex, const std::vector<Vec3>& particles) {
  Vec3 place = Vec3::Zero();
  for (int k = 0; k < 4; ++k)
    if (vertex.particles[k] >= 0) place += vertex.weights[k] * particles[vertex.particles[k]];
  return place;
}

std::vector<Vec3> placedSurface(const Scene& scene, const StepRecord& record, int body, int surface) {
  const Body& description = scene.bodies[body];
  std::vector<Vec3> vertices;
  if (description.deformable) {
    assert(surface == 0);  // a body that deforms is one mesh
    const std::vector<Vec3> particles = placedParticles(scene, record, body);
    for (const EmbeddedVertex& vertex : description.deformable->surface)
      vertices.push_back(placed(vertex, particles));
    return vertices;
  }
  const BodyState state = stateIn(scene, record, body);
  for (const Vec3& vertex : description.shape->surfaces[surface].vertices)
    vertices.push_back(state.position + state.orientation * vertex);
  return vertices;
}

std::vector<Vec3> placedVertices(const Scene& scene, const StepRecord& record, int body) {
  std::vector<Vec3> vertices;
  const int surfaces = countOf(scene.bodies[body].shape->surfaces);
  for (int surface = 0; surface < surfaces; ++surface)
    for (const Vec3& vertex : placedSurface(scene, record, body, surface)) vertices.push_back(vertex);
  return vertices;
}

std::vector<MovingBody> movingBodies(const Scene& scene,
                                     const std::vector<std::shared_ptr<const StepRecord>>& frames) {
  // Distance of a body that is thrown out from the median one, relative to the scene. A larger value shows
  // the rest as specks; a smaller one loses bodies that fly as they should.
  constexpr double kThrown = 1.5;
  std::vector<MovingBody> bodies;
  std::vector<Vec3> positions;
  const auto add = [&](bool onlyActive, Motion motion) {
    for (std::size_t pane = 0; pane < frames.size(); ++pane)
      for (int body = 0; body < countOf(scene.bodies); ++body) {
        const BodyState state = stateIn(scene, frameOf(frames[pane]), body);
        const bool isBounded = scene.bodies[body].shape->kind != Shape::Kind::Plane;
        if (!isBounded || scene.bodies[body].motion != motion || (onlyActive && !state.active) ||
            !state.position.allFinite())
          continue;
        bodies.push_back({pane, body, false});
        positions.push_back(state.position);
      }
  };
  add(true, Motion::Dynamic);
  if (bodies.empty()) add(false, Motion::Dynamic);
  if (bodies.empty()) add(false, Motion::Static);
  if (bodies.empty()) return {};
  Vec3 median;
  for (int axis = 0; axis < 3; ++axis) {
    std::vector<double> places;
    for (const Vec3& position : positions) places.push_back(position[axis]);
    std::nth_element(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(places.size() / 2),
                     places.end());
    median[axis] = places[places.size() / 2];
  }
  for (std::size_t bodyIndex = 0; bodyIndex < bodies.size(); ++bodyIndex)
    bodies[bodyIndex].isThrown = (positions[bodyIndex] - median).norm() > kThrown * scene.size;
  return bodies;
}

std::vector<Vec3> movingPoints(const Scene& scene,
                               const std::vector<std::shared_ptr<const StepRecord>>& frames) {
  std::vector<Vec3> points;
  for (const MovingBody& moving : movingBodies(scene, frames)) {
    if (moving.isThrown) continue;
    const std::vector<Vec3> vertices = placedVertices(scene, frameOf(frames[moving.pane]), moving.body);
    points.insert(points.end(), vertices.begin(), vertices.end());
  }
  return points;
}

std::vector<Vec3> outermost(const std::vector<Vec3>& points, const std::vector<Vec3>& directions) {
  std::vector<std::size_t> kept;
  for (const Vec3& direction : directions) {
    std::size_t farthest = 0;
    for (std::size_t point = 1; point < points.size(); ++point)
      if (direction.dot(points[point]) > direction.dot(points[farthest])) farthest = point;
    if (!points.empty() && std::find(kept.begin(), kept.end(), farthest) == kept.end())
      kept.push_back(farthest);
  }
  std::vector<Vec3> outer;
  for (const std::size_t point : kept) outer.push_back(points[point]);
  return outer;
}

}  // namespace touchstone
