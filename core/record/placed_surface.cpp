#include "core/record/placed_surface.h"

#include <cassert>

namespace touchstone {

namespace {

int particlesOf(const Body& body) {
  return body.deformable ? static_cast<int>(body.deformable->rest.size()) : 0;
}

}  // namespace

BodyState stateIn(const Scene& scene, const StepRecord& record, int body) {
  const auto index = static_cast<std::size_t>(body);
  if (index < record.bodies.size()) return record.bodies[index];
  const Body& start = scene.bodies[index];
  return {start.position, start.orientation, start.linearVelocity, start.angularVelocity,
          start.releaseTime <= 0};
}

int particleCount(const Scene& scene) { return firstParticle(scene, static_cast<int>(scene.bodies.size())); }

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

}  // namespace touchstone
