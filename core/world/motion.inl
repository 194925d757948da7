#pragma once

#include "core/parallel/copy.h"
#include "core/world/elastic_forces.inl"
#include "core/world/free_rotation.h"
#include "core/world/particle_weights.h"
#include "core/world/world.h"

namespace touchstone {

TS_HD inline Mat3 worldInverseInertia(const BodyConstants& body, const Quaternion& orientation) {
  const Mat3 rotation = orientation.toRotationMatrix();
  return rotation * body.inverseInertia * rotation.transpose();
}

struct PredictBody {  // one body per index; see predict() in world.h
  WorldView world;
  Vec3 gravity;          // m/s²
  const Spring* spring;  // [1] body −1: none
  SpringAction* action;  // [1] out, written by the rigid body that the spring pulls

  TS_HD void operator()(int body) const {
    world.inverseInertia[body] = Mat3::Zero();
    world.nextLinearVelocity[body] = Vec3::Zero();
    world.nextAngularVelocity[body] = Vec3::Zero();
    world.predictedPosition[body] = world.position[body];
    world.predictedOrientation[body] = world.orientation[body];
    if (!isDynamic(world, body)) return;
    world.inverseInertia[body] = worldInverseInertia(world.bodies[body], world.orientation[body]);
    world.nextLinearVelocity[body] = world.linearVelocity[body] + world.dt * gravity;
    world.nextAngularVelocity[body] = world.angularVelocity[body];
    if (spring->body == body) pull();
    world.predictedPosition[body] += world.dt * world.nextLinearVelocity[body];
    world.predictedOrientation[body] =
        freeRotation(world.bodies[body], world.orientation[body], world.nextAngularVelocity[body], world.dt)
            .orientation;
  }

  /// The kinetic energy changes by exactly J · (v_p before + v_p after) / 2, because J enters linearly.
  TS_HD void pull() const {
    const int body = spring->body;
    action->point = toWorld(world, body, spring->local);
    const Vec3 arm = action->point - world.position[body];
    const Vec3 before = pointVelocity(world, body, action->point);
    const Vec3 now = world.linearVelocity[body] + world.angularVelocity[body].cross(arm);
    action->impulse =
        world.dt * (spring->stiffness * (spring->target - action->point) - spring->damping * now);
    applyImpulse(world, body, action->point, action->impulse);
    action->work = 0.5 * action->impulse.dot(before + pointVelocity(world, body, action->point));
  }
};

/// The spring at a point that particles carry, behind their prediction.
///
/// Its work is half in the velocity at the start and half in that at the end, with all forces of the step,
///
///     W = ½ J · Σ w v + ½ J · Σ w v⁺    over the particles that are free
///
/// The elements pass on most of J within the step: what J alone would give the particles is no work.
struct PullParticles {  // one index
  WorldView world;
  const Spring* spring;  // [1] body −1: none
  SpringAction* action;  // [1] out, with the first half of the work

  TS_HD void operator()(int) const {
    if (spring->body < 0 || !world.isDeformable(spring->body)) return;
    const ParticleWeights point = particlesOf(world, spring->body, spring->surface);
    if (!(point.inverseMass(world) > 0)) return;
    action->point = point.of(world.position);
    action->impulse = world.dt * (spring->stiffness * (spring->target - action->point) -
                                  spring->damping * point.of(world.linearVelocity));
    for (int k = 0; k < point.count; ++k) {
      const int carrier = point.carriers[k];
      if (!isDynamic(world, carrier)) continue;
      const Vec3 impulse = point.weights[k] * action->impulse;
      Vec3& v = world.nextLinearVelocity[carrier];
      v += world.inverseMass[carrier] * impulse;
      action->work += 0.5 * impulse.dot(world.linearVelocity[carrier]);
      world.predictedPosition[carrier] = world.position[carrier] + world.dt * v;
    }
  }
};

/// The second half of the work of PullParticles.
struct CountPull {  // one index
  WorldView world;
  const Spring* spring;  // [1] body −1: none
  SpringAction* action;  // [1] in and out
  TS_HD void operator()(int) const {
    if (spring->body < 0 || !world.isDeformable(spring->body)) return;
    const ParticleWeights point = particlesOf(world, spring->body, spring->surface);
    for (int k = 0; k < point.count; ++k)
      if (isDynamic(world, point.carriers[k]))
        action->work +=
            0.5 * point.weights[k] * action->impulse.dot(world.nextLinearVelocity[point.carriers[k]]);
  }
};

struct PlaceVertices {  // one vertex per index
  WorldView world;
  const Vec3* position;           // [carrierCount]
  const Quaternion* orientation;  // [bodyCount]
  Vec3* out;                      // [vertexCount] m, world
  TS_HD void operator()(int vertex) const {
    out[vertex] = placedVertex(world, vertex, position, orientation);
  }
};

/// x⁺ = x + h v⁺ (Williams 2017, eq. 10). freeRotation() replaces the paper's linearised turn,
/// q⁺ = q + ½ h (0, ω⁺) q, normalised.
struct IntegrateBody {  // one body per index; see integrate() in world.h
  WorldView world;
  TS_HD void operator()(int body) const {
    if (!isDynamic(world, body)) return;
    world.linearVelocity[body] = world.nextLinearVelocity[body];
    world.position[body] += world.dt * world.linearVelocity[body];
    const FreeRotation end =
        freeRotation(world.bodies[body], world.orientation[body], world.nextAngularVelocity[body], world.dt);
    world.orientation[body] = end.orientation;
    world.angularVelocity[body] = end.angularVelocity;
  }
};

/// @param spring  [1] on the backend, body −1: none   @param action  [1] on the backend, out
template <class Backend>
void predictOn(const Backend& backend, const WorldView& world, const Vec3& gravity, const Spring* spring,
               SpringAction* action) {
  fill(backend, action, 1, SpringAction());
  forEach(backend, world.bodyCount, PredictBody{world, gravity, spring, action});
  predictParticles(backend, world, gravity);
  if (world.particleCount() > 0) forEach(backend, 1, PullParticles{world, spring, action});
  forEach(backend, world.vertexCount,
          PlaceVertices{world, world.position, world.orientation, world.vertexStart});
  forEach(backend, world.vertexCount,
          PlaceVertices{world, world.predictedPosition, world.predictedOrientation, world.vertexPredicted});
}

/// @param spring, action  as of predictOn(), which has filled the latter: its work becomes that of the step
template <class Backend>
void integrateOn(const Backend& backend, const WorldView& world, const Spring* spring, SpringAction* action) {
  if (world.particleCount() > 0) forEach(backend, 1, CountPull{world, spring, action});
  forEach(backend, world.bodyCount, IntegrateBody{world});
  integrateParticles(backend, world);
}

}  // namespace touchstone
