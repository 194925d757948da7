#include "core/world/world.h"

#include <cstring>

namespace touchstone {

namespace {

Mat3 worldInverseInertia(const Body& body, const Quaternion& orientation) {
  const Mat3 rotation = orientation.toRotationMatrix();
  return rotation * body.inertia.inverse() * rotation.transpose();
}

void release(World& world, int index) {
  const Body& body = world.scene->bodies[index];
  world.active[index] = 1;
  world.inverseMass[index] = body.motion == Motion::Dynamic ? 1 / body.mass : 0;
}

void placeVertices(const World& world, const std::vector<Vec3>& position,
                   const std::vector<Quaternion>& orientation, std::vector<Vec3>& out) {
  const SurfaceTopology& surface = *world.surface;
  out.resize(surface.vertexLocal.size());
  for (std::size_t vertex = 0; vertex < out.size(); ++vertex) {
    const int body = surface.vertexBody[vertex];
    out[vertex] = worldPoint(position[body], orientation[body], surface.vertexLocal[vertex]);
  }
}

}  // namespace

World makeWorld(std::shared_ptr<const Scene> scene) {
  World world;
  world.scene = scene;
  world.surface = buildSurfaceTopology(*scene);
  world.pieces = buildPieceTable(*scene);
  const std::size_t count = scene->bodies.size();
  world.active.assign(count, 0);
  world.inverseMass.assign(count, 0);
  for (std::size_t index = 0; index < count; ++index) {
    const Body& body = scene->bodies[index];
    world.position.push_back(body.position);
    world.orientation.push_back(body.orientation);
    world.linearVelocity.push_back(body.linearVelocity);
    world.angularVelocity.push_back(body.angularVelocity);
    if (body.releaseTime <= 0) release(world, static_cast<int>(index));
  }
  return world;
}

void applyImpulse(World& world, int body, const Vec3& point, const Vec3& impulse) {
  if (!isDynamic(world, body)) return;
  world.nextLinearVelocity[body] += world.inverseMass[body] * impulse;
  world.nextAngularVelocity[body] +=
      world.inverseInertia[body] * (point - world.position[body]).cross(impulse);
}

Vec3 pointVelocity(const World& world, int body, const Vec3& point) {
  return world.nextLinearVelocity[body] + world.nextAngularVelocity[body].cross(point - world.position[body]);
}

void releaseBodies(World& world) {
  constexpr double kTolerance = 1e-9;  // s; frame times are sums and miss a release time by rounding
  for (std::size_t index = 0; index < world.active.size(); ++index)
    if (!world.active[index] && world.scene->bodies[index].releaseTime <= world.time + kTolerance)
      release(world, static_cast<int>(index));
}

namespace {

/// Kinetic energy changes by J · (v_p before + v_p after) / 2, exactly, as J enters linearly.
void pull(World& world) {
  world.springAction = SpringAction();
  if (!world.spring || !isDynamic(world, world.spring->body)) return;
  const Spring& spring = *world.spring;
  SpringAction& action = world.springAction;
  action.point = worldPoint(world.position[spring.body], world.orientation[spring.body], spring.local);
  const Vec3 arm = action.point - world.position[spring.body];
  const Vec3 before = pointVelocity(world, spring.body, action.point);
  const Vec3 now = world.linearVelocity[spring.body] + world.angularVelocity[spring.body].cross(arm);
  action.impulse = world.dt * (spring.stiffness * (spring.target - action.point) - spring.damping * now);
  applyImpulse(world, spring.body, action.point, action.impulse);
  action.work = 0.5 * action.impulse.dot(before + pointVelocity(world, spring.body, action.point));
}

}  // namespace

void predict(World& world, double dt) {
  const std::size_t count = world.position.size();
  world.dt = dt;
  world.inverseInertia.assign(count, Mat3::Zero());
  world.nextLinearVelocity.resize(count);
  world.nextAngularVelocity.resize(count);
  world.predictedPosition.resize(count);
  world.predictedOrientation.resize(count);
  for (std::size_t index = 0; index < count; ++index) {
    world.nextLinearVelocity[index] = Vec3::Zero();
    world.nextAngularVelocity[index] = Vec3::Zero();
    world.predictedPosition[index] = world.position[index];
    world.predictedOrientation[index] = world.orientation[index];
    if (!isDynamic(world, static_cast<int>(index))) continue;
    world.inverseInertia[index] = worldInverseInertia(world.scene->bodies[index], world.orientation[index]);
    world.nextLinearVelocity[index] = world.linearVelocity[index] + dt * world.scene->gravity;
    world.nextAngularVelocity[index] = world.angularVelocity[index];
  }
  pull(world);
  for (std::size_t index = 0; index < count; ++index) {
    if (!isDynamic(world, static_cast<int>(index))) continue;
    world.predictedPosition[index] += dt * world.nextLinearVelocity[index];
    world.predictedOrientation[index] =
        rotated(world.orientation[index], world.nextAngularVelocity[index], dt);
  }
  placeVertices(world, world.position, world.orientation, world.vertexStart);
  placeVertices(world, world.predictedPosition, world.predictedOrientation, world.vertexPredicted);
}

void integrate(World& world) {
  for (std::size_t index = 0; index < world.position.size(); ++index) {
    if (!isDynamic(world, static_cast<int>(index))) continue;
    const Body& body = world.scene->bodies[index];
    const Mat3 before = world.orientation[index].toRotationMatrix();
    const Vec3 omega = world.nextAngularVelocity[index];
    const Vec3 angularMomentum = before * (body.inertia * (before.transpose() * omega));
    world.linearVelocity[index] = world.nextLinearVelocity[index];
    world.position[index] += world.dt * world.linearVelocity[index];
    world.orientation[index] = rotated(world.orientation[index], omega, world.dt);
    world.angularVelocity[index] = worldInverseInertia(body, world.orientation[index]) * angularMomentum;
  }
  world.time += world.dt;
}

unsigned long long stateHash(const World& world) {
  unsigned long long hash = 14695981039346656037ull;  // FNV-1a, 64 bit
  const auto add = [&hash](double value) {
    unsigned char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    for (unsigned char byte : bytes) hash = (hash ^ byte) * 1099511628211ull;
  };
  add(world.time);
  for (std::size_t body = 0; body < world.position.size(); ++body) {
    for (int axis = 0; axis < 3; ++axis) {
      add(world.position[body][axis]);
      add(world.linearVelocity[body][axis]);
      add(world.angularVelocity[body][axis]);
    }
    for (int axis = 0; axis < 4; ++axis) add(world.orientation[body].coeffs()[axis]);
  }
  return hash;
}

}  // namespace touchstone
