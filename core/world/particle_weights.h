#pragma once

#include "core/scene/deformable/deformable.h"
#include "core/world/world_view.h"

namespace touchstone {

/// Particles that a point of a surface follows, each once: x = Σ w x_c.
struct ParticleWeights {
  static constexpr int kMost = 12;
  int count = 0;
  int carriers[kMost];
  double weights[kMost];

  TS_HD void add(int carrier, double weight) {
    for (int k = 0; k < count; ++k)
      if (carriers[k] == carrier) {
        weights[k] += weight;
        return;
      }
    carriers[count] = carrier;
    weights[count++] = weight;
  }
  TS_HD void addVertex(const WorldView& world, int vertex, double weight) {
    const VertexCarriers& vertexCarriers = world.vertexCarriers[vertex];
    for (int k = 0; k < 4; ++k)
      if (vertexCarriers.carriers[k] >= 0 && weight != 0)
        add(vertexCarriers.carriers[k], weight * vertexCarriers.weights[k]);
  }
  /// Σ w² m⁻¹ [1/kg].
  TS_HD double inverseMass(const WorldView& world) const {
    double sum = 0;
    for (int k = 0; k < count; ++k) sum += weights[k] * weights[k] * world.inverseMass[carriers[k]];
    return sum;
  }
  TS_HD Vec3 of(const Vec3* values) const {
    Vec3 sum(0, 0, 0);
    for (int k = 0; k < count; ++k) sum += weights[k] * values[carriers[k]];
    return sum;
  }
};

/// Weights of a point of the surface of a body that deforms.
TS_HD inline ParticleWeights particlesOf(const WorldView& world, int body, const SurfacePoint& point) {
  ParticleWeights particles;
  const int surface =
      firstNotBefore(world.surfaceCount, [&](int index) { return world.surfaceBody[index] < body; });
  for (std::size_t k = 0; k < 3; ++k)
    if (point.vertices[k] >= 0)
      particles.addVertex(world, world.surfaceFirstVertex[surface] + point.vertices[k], point.weights[k]);
  return particles;
}

}  // namespace touchstone
