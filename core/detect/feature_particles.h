#pragma once

#include "core/geometry/feature_pair.h"
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
    const VertexCarriers& own = world.vertexCarriers[vertex];
    for (int k = 0; k < 4; ++k)
      if (own.carriers[k] >= 0 && weight != 0) add(own.carriers[k], weight * own.weights[k]);
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

/// Of a pair of features, on the side of the vertex or first edge, or on the other one.
/// @param w  of the points on both features: a, b, c of a triangle; a, b, c, d of edges
TS_HD inline ParticleWeights particlesOf(const WorldView& world, const FeaturePair& pair, bool isA,
                                         const double w[4]) {
  ParticleWeights particles;
  if (pair.kind == FeaturePairKind::EdgeEdge) {
    const auto& edge = world.edges[isA ? pair.a : pair.b];
    const double second = isA ? w[1] : w[3];
    particles.addVertex(world, edge[0], 1 - second);
    particles.addVertex(world, edge[1], second);
  } else if (isA) {
    particles.addVertex(world, pair.a, 1);
  } else if (pair.kind == FeaturePairKind::VertexFace) {
    const double sum = w[0] + w[1] + w[2];
    for (int k = 0; k < 3; ++k) particles.addVertex(world, world.triangles[pair.b][k], w[k] / sum);
  }
  return particles;
}

}  // namespace touchstone
