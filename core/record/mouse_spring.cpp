#include "core/record/mouse_spring.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/geometry/closest_points.h"
#include "core/record/placed_surface.h"

namespace touchstone {

namespace {

/// Σ w² m⁻¹ of the particles of a point that are not held [1/kg].
double inverseMassOf(const Deformable& body, const SurfacePoint& point) {
  std::map<int, double> weights;  // by particle
  for (std::size_t k = 0; k < 3; ++k) {
    if (point.vertices[k] < 0) continue;
    const EmbeddedVertex& vertex = body.surface[point.vertices[k]];
    for (std::size_t p = 0; p < 4; ++p)
      if (vertex.particles[p] >= 0) weights[vertex.particles[p]] += point.weights[k] * vertex.weights[p];
  }
  for (const HeldParticles& held : body.held)
    for (const int particle : held.particles) weights.erase(particle);
  double sum = 0;
  for (const auto& [particle, weight] : weights) sum += weight * weight / body.mass[particle];
  return sum;
}

}  // namespace

Spring mouseSpring(const Scene& scene, const StepRecord& record, int body, const Vec3& point, double step) {
  constexpr double kOmega = 2 * 3.14159265358979323846 * 2, kDamping = 0.7;  // 1/s; –
  const Body& description = scene.bodies[body];
  Spring spring;
  spring.body = body;
  spring.target = point;
  spring.stiffness = description.mass * kOmega * kOmega;
  spring.damping = 2 * kDamping * description.mass * kOmega;
  if (!description.deformable) {
    const BodyState state = stateIn(scene, record, body);
    spring.local = state.orientation.conjugate() * Vec3(point - state.position);
    return spring;
  }
  spring.surface = nearestOnSurface(scene, record, body, point);
  const double inverseMass = inverseMassOf(*description.deformable, spring.surface),
               mass = inverseMass > 0 ? 1 / inverseMass : 0;
  spring.stiffness = std::min(spring.stiffness, mass / (step * step));
  spring.damping = std::min(spring.damping, mass / (2 * step));
  return spring;
}

SurfacePoint nearestOnSurface(const Scene& scene, const StepRecord& record, int body, const Vec3& point) {
  const TriangleMesh& mesh = scene.bodies[body].shape->surfaces.front();
  const std::vector<Vec3> vertices = placedSurface(scene, record, body, 0);
  SurfacePoint nearest;
  double least = HUGE_VAL;
  for (const auto& triangle : mesh.triangles) {
    Vec3 corners[3];
    for (std::size_t k = 0; k < 3; ++k) corners[k] = vertices[triangle[k]];
    const Vec3 weights = closestOnTriangle(point, corners[0], corners[1], corners[2]);
    Vec3 closest(0, 0, 0);
    for (int k = 0; k < 3; ++k) closest += weights[k] * corners[k];
    const double distance = (closest - point).squaredNorm();
    if (!(distance < least)) continue;
    least = distance;
    nearest = {triangle, {weights[0], weights[1], weights[2]}};
  }
  return nearest;
}

Vec3 heldPoint(const Spring& spring, const Scene& scene, const StepRecord& record) {
  if (!scene.bodies[spring.body].deformable) {
    const BodyState state = stateIn(scene, record, spring.body);
    return state.position + state.orientation * spring.local;
  }
  const std::vector<Vec3> vertices = placedSurface(scene, record, spring.body, 0);
  Vec3 sum(0, 0, 0);
  for (std::size_t k = 0; k < 3; ++k)
    if (spring.surface.vertices[k] >= 0)
      sum += spring.surface.weights[k] * vertices[spring.surface.vertices[k]];
  return sum;
}

}  // namespace touchstone
