#pragma once

#include "core/elasticity/cloth.h"
#include "core/elasticity/tetrahedron.inl"
#include "core/parallel/for_each.h"
#include "core/world/world_view.h"

namespace touchstone {

/// Forces of the elements on their corners, at the start of the step.
struct ForcesOfElement {  // one element per index
  WorldView world;
  TS_HD void operator()(int index) const {
    const ElasticView& elastic = world.elastic;
    Vec3* const out = elastic.slotForces + 4 * static_cast<std::size_t>(index);
    if (index < elastic.tetrahedronCount)
      ofTetrahedron(elastic.tetrahedra[index], out);
    else if (index < elastic.tetrahedronCount + elastic.edgeCount)
      ofEdge(elastic.edges[index - elastic.tetrahedronCount], out);
    else
      ofHinge(elastic.hinges[index - elastic.tetrahedronCount - elastic.edgeCount], out);
  }

  TS_HD void ofTetrahedron(const TetrahedronElement& tet, Vec3* out) const {
    Vec3 x[4], v[4];
    gatherCorners(tet.carriers, world.position, x);
    gatherCorners(tet.carriers, world.linearVelocity, v);
    elasticForces(world.elastic.materials[tet.material], tet.rest, x, v, out);
  }
  TS_HD void ofEdge(const EdgeElement& edge, Vec3* out) const {
    const Vec3 x[2] = {world.position[edge.carriers[0]], world.position[edge.carriers[1]]};
    const EdgeStretch stretch = edgeStretch(x, edge.length);
    for (int k = 0; k < 2; ++k) out[k] = -edge.stiffness * stretch.c * stretch.row[k];
  }
  TS_HD void ofHinge(const HingeElement& hinge, Vec3* out) const {
    Vec3 x[4];
    gatherCorners(hinge.carriers, world.position, x);
    const HingeBend bend = hingeBend(x);
    const double torque = -hinge.stiffness * wrappedAngle(bend.angle - hinge.angle);
    for (int k = 0; k < 4; ++k) out[k] = torque * bend.row[k];
  }
};

/// v* of particles: the old velocity v / (1 + h α), gravity, and the forces of the elements where elasticity
/// is explicit. Held particles have the velocity that is given.
struct PredictParticle {  // one particle per index
  WorldView world;
  Vec3 gravity;  // m/s²
  TS_HD void operator()(int particle) const {
    const ElasticView& elastic = world.elastic;
    const int carrier = world.bodyCount + particle;
    world.nextAngularVelocity[carrier] = Vec3(0, 0, 0);
    Vec3& v = world.nextLinearVelocity[carrier];
    v = Vec3(0, 0, 0);
    world.predictedPosition[carrier] = world.position[carrier];
    if (!world.active[world.carrierBody[carrier]]) return;
    if (elastic.hold[particle] >= 0) {
      v = elastic.holdVelocities[elastic.hold[particle]];
    } else if (isDynamic(world, carrier)) {
      v = world.linearVelocity[carrier] / (1 + world.dt * elastic.massDamping[particle]) + world.dt * gravity;
      if (world.isElasticityExplicit) {
        Vec3 force(0, 0, 0);
        for (int k = elastic.firstSlot[particle]; k < elastic.firstSlot[particle + 1]; ++k)
          force += elastic.slotForces[elastic.slots[k]];
        v += world.dt * world.inverseMass[carrier] * force;
      }
    }
    world.predictedPosition[carrier] += world.dt * v;
  }
};

/// x⁺ = x + h v⁺.
struct IntegrateParticle {  // one particle per index
  WorldView world;
  TS_HD void operator()(int particle) const {
    const int carrier = world.bodyCount + particle;
    if (!world.active[world.carrierBody[carrier]]) return;
    world.linearVelocity[carrier] = world.nextLinearVelocity[carrier];
    world.position[carrier] += world.dt * world.linearVelocity[carrier];
  }
};

/// The place and velocity of a body that deforms: those of its centre of mass.
struct FollowParticles {  // one body per index
  WorldView world;
  TS_HD void operator()(int body) const {
    const BodyConstants& constants = world.bodies[body];
    if (!constants.isDeformable || !world.active[body]) return;
    Vec3 x(0, 0, 0), v(0, 0, 0);
    double sum = 0;
    for (int k = constants.firstParticle; k < constants.firstParticle + constants.particleCount; ++k) {
      const double mass = world.elastic.masses[k];
      x += mass * world.position[world.bodyCount + k];
      v += mass * world.linearVelocity[world.bodyCount + k];
      sum += mass;
    }
    world.position[body] = x / sum;
    world.linearVelocity[body] = v / sum;
  }
};

template <class Backend>
void predictParticles(const Backend& backend, const WorldView& world, const Vec3& gravity) {
  if (world.particleCount() == 0) return;
  if (world.isElasticityExplicit) forEach(backend, world.elastic.elementCount(), ForcesOfElement{world});
  forEach(backend, world.particleCount(), PredictParticle{world, gravity});
}

template <class Backend>
void integrateParticles(const Backend& backend, const WorldView& world) {
  if (world.particleCount() == 0) return;
  forEach(backend, world.particleCount(), IntegrateParticle{world});
  forEach(backend, world.bodyCount, FollowParticles{world});
}

}  // namespace touchstone
