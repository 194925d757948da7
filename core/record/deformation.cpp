#include "core/record/deformation.h"

#include <algorithm>
#include <cmath>

#include "core/elasticity/tetrahedron.inl"
#include "core/math/count.h"
#include "core/math/not_a_number.h"
#include "core/parallel/parallel_for.h"
#include "core/record/placed_surface.h"

namespace touchstone {

namespace {

/// Mean over the elements of each particle.
class ParticleMeans {
 public:
  explicit ParticleMeans(std::size_t particles) : m_sum(particles, 0), m_share(particles, 0) {}
  void add(int particle, double value, double share) {
    m_sum[particle] += share * value;
    m_share[particle] += share;
  }
  double at(const EmbeddedVertex& vertex) const {
    double value = 0;
    for (int k = 0; k < 4; ++k) {
      const int particle = vertex.particles[k];
      if (particle >= 0 && vertex.weights[k] != 0)
        value += m_share[particle] > 0 ? vertex.weights[k] * m_sum[particle] / m_share[particle] : kNaN;
    }
    return value;
  }

 private:
  std::vector<double> m_sum, m_share;
};

}  // namespace

Deformation deformationOf(const Deformable& deformable, const std::vector<Vec3>& particles) {
  Deformation deformation;
  const int count = countOf(deformable.tetrahedra);
  deformation.volume.resize(count);
  deformation.volumeChange.resize(count);
  deformation.strain.resize(count);
  parallelFor(
      count,
      [&](int tetrahedron) {
        Vec3 rest[4], now[4];
        for (int corner = 0; corner < 4; ++corner) {
          rest[corner] = deformable.rest[deformable.tetrahedra[tetrahedron][corner]];
          now[corner] = particles[deformable.tetrahedra[tetrahedron][corner]];
        }
        const TetrahedronRest shape = restOf(rest);
        const Mat3 F = deformationGradient(shape, now);
        deformation.volume[tetrahedron] = shape.volume;
        deformation.volumeChange[tetrahedron] = F.determinant() - 1;
        deformation.strain[tetrahedron] = largestStrain(F);
      },
      Work::Heavy);
  for (double change : deformation.volumeChange) deformation.inverted += change <= -1;
  for (const ClothEdge& edge : deformable.edges)
    deformation.edgeStrain.push_back(
        std::abs((particles[edge.particles[1]] - particles[edge.particles[0]]).norm() / edge.length - 1));
  return deformation;
}

SurfaceDeformation onSurface(const Deformable& deformable, const Deformation& deformation) {
  ParticleMeans volumeChange(deformable.rest.size()), strain(deformable.rest.size());
  for (std::size_t tetrahedron = 0; tetrahedron < deformable.tetrahedra.size(); ++tetrahedron)
    for (int particle : deformable.tetrahedra[tetrahedron]) {
      volumeChange.add(particle, deformation.volumeChange[tetrahedron], deformation.volume[tetrahedron]);
      strain.add(particle, deformation.strain[tetrahedron], deformation.volume[tetrahedron]);
    }
  // Tetrahedra know the strain of a layer's edges too.
  const std::size_t edges = deformable.tetrahedra.empty() ? deformable.edges.size() : 0;
  for (std::size_t edge = 0; edge < edges; ++edge)
    for (int particle : deformable.edges[edge].particles)
      strain.add(particle, deformation.edgeStrain[edge], deformable.edges[edge].length);
  SurfaceDeformation surface;
  for (const EmbeddedVertex& vertex : deformable.surface) {
    surface.volumeChange.push_back(volumeChange.at(vertex));
    surface.strain.push_back(strain.at(vertex));
  }
  return surface;
}

LargestDeformation largestDeformation(const Scene& scene, const StepRecord& record) {
  LargestDeformation largest;
  const auto raise = [](double& to, double value) {
    if (std::abs(value) > to) to = std::abs(value);  // false for a value that is not a number
  };
  for (int body = 0; body < countOf(scene.bodies); ++body) {
    const Deformable* deformable = scene.bodies[body].deformable.get();
    if (!deformable || !stateIn(scene, record, body).active) continue;
    const SurfaceDeformation surface =
        onSurface(*deformable, deformationOf(*deformable, placedParticles(scene, record, body)));
    for (double change : surface.volumeChange) raise(largest.volumeChange, change);
    for (double strain : surface.strain) raise(largest.strain, strain);
  }
  return largest;
}

}  // namespace touchstone
