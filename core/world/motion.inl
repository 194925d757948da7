#pragma once

#include "core/parallel/copy.h"
#include "core/world/elastic_forces.inl"
#include "core/world/free_rotation.h"
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
  SpringAction* action;  // [1] out, written by the body that the spring pulls

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
  forEach(backend, world.vertexCount,
          PlaceVertices{world, world.position, world.orientation, world.vertexStart});
  forEach(backend, world.vertexCount,
          PlaceVertices{world, world.predictedPosition, world.predictedOrientation, world.vertexPredicted});
}

template <class Backend>
void integrateOn(const Backend& backend, const WorldView& world) {
  forEach(backend, world.bodyCount, IntegrateBody{world});
  integrateParticles(backend, world);
}

}  // namespace touchstone
