#include "core/record/contact_pressure.h"

#include <algorithm>

#include "core/geometry/closest_points.h"
#include "core/record/placed_surface.h"

namespace touchstone {

namespace {

/// Vertices of the surface of a body where the last step of a record began: x − h v of its particles.
std::vector<Vec3> surfaceAtStart(const Scene& scene, const StepRecord& record, int body) {
  std::vector<Vec3> particles = placedParticles(scene, record, body);
  const std::size_t first = firstParticle(scene, body);
  if (first + particles.size() <= record.particleVelocities.size())
    for (std::size_t particle = 0; particle < particles.size(); ++particle)
      particles[particle] -= record.dt * record.particleVelocities[first + particle];
  std::vector<Vec3> vertices;
  for (const EmbeddedVertex& vertex : scene.bodies[body].deformable->surface)
    vertices.push_back(placed(vertex, particles));
  return vertices;
}

/// [vertices] A_v [m²] of a surface.
std::vector<double> areaShares(const TriangleMesh& mesh, const std::vector<Vec3>& vertices) {
  std::vector<double> areas(vertices.size(), 0);
  for (const auto& triangle : mesh.triangles) {
    const Vec3 &a = vertices[triangle[0]], &b = vertices[triangle[1]], &c = vertices[triangle[2]];
    const double area = 0.5 * (b - a).cross(c - a).norm();
    for (const int corner : triangle) areas[corner] += area / 3;
  }
  return areas;
}

/// Weights of the corners of a feature at its point that is closest to p.
Vec3 weightsAt(const Vec3& p, const std::vector<int>& corners, const std::vector<Vec3>& vertices) {
  const Vec3& a = vertices[corners[0]];
  if (corners.size() == 1) return Vec3(1, 0, 0);
  if (corners.size() > 2) return closestOnTriangle(p, a, vertices[corners[1]], vertices[corners[2]]);
  const Vec3 along = vertices[corners[1]] - a;
  const double squared = along.squaredNorm();
  const double t = squared > 0 ? std::clamp(along.dot(p - a) / squared, 0.0, 1.0) : 0;
  return Vec3(1 - t, t, 0);
}

}  // namespace

std::vector<std::vector<double>> contactPressures(const ContactFeatures& features, const Scene& scene,
                                                  const StepRecord& record) {
  std::vector<std::vector<double>> pressures(scene.bodies.size());
  std::vector<std::vector<Vec3>> starts(scene.bodies.size());
  for (std::size_t body = 0; body < scene.bodies.size(); ++body)
    if (scene.bodies[body].deformable) pressures[body].resize(scene.bodies[body].deformable->surface.size());
  if (!(record.dt > 0)) return pressures;
  for (const Contact& contact : record.contacts) {
    if (!(contact.normalImpulse > 0)) continue;
    if (!scene.bodies[contact.bodyA].deformable && !scene.bodies[contact.bodyB].deformable) continue;
    const std::vector<BodyFeature> sides = features.of(contact);
    for (std::size_t k = 0; k < sides.size(); ++k) {
      const BodyFeature& feature = sides[k];
      if (feature.vertices.empty()) continue;
      const bool isA = sides.size() == 1 ? feature.body == contact.bodyA : k == 0;
      std::vector<Vec3>& start = starts[feature.body];
      if (start.empty()) start = surfaceAtStart(scene, record, feature.body);
      const Vec3 weights = weightsAt(isA ? contact.pointA : contact.pointB, feature.vertices, start);
      for (std::size_t corner = 0; corner < feature.vertices.size(); ++corner)
        pressures[feature.body][feature.vertices[corner]] +=
            weights[static_cast<Eigen::Index>(corner)] * contact.normalImpulse / record.dt;
    }
  }
  for (std::size_t body = 0; body < scene.bodies.size(); ++body) {
    if (starts[body].empty()) continue;  // nothing touches it
    const std::vector<double> areas = areaShares(scene.bodies[body].shape->surfaces[0],
                                                 placedSurface(scene, record, static_cast<int>(body), 0));
    for (std::size_t vertex = 0; vertex < areas.size(); ++vertex)
      pressures[body][vertex] = areas[vertex] > 0 ? pressures[body][vertex] / areas[vertex] : 0;
  }
  return pressures;
}

double largestOf(const std::vector<std::vector<double>>& pressures) {
  double largest = 0;
  for (const std::vector<double>& ofBody : pressures)
    for (const double pressure : ofBody) largest = std::max(largest, pressure);
  return largest;
}

double largestPressure(const ContactFeatures& features, const Scene& scene, const StepRecord& record) {
  return largestOf(contactPressures(features, scene, record));
}

}  // namespace touchstone
