#pragma once

#include "core/geometry/feature_pair.h"
#include "core/world/particle_weights.h"

namespace touchstone {

/// Particles of a pair of features, on the side of the vertex or first edge, or on the other one. @param w
/// of the points on both features: a, b, c of a triangle; a, b, c, d of edges
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
