#pragma once

#include <stdexcept>

#include "core/parallel/host_backend.h"
#include "core/parallel/parallel_for.h"
#include "core/world/device_arrays.inl"
#include "core/world/device_world.h"
#include "core/world/motion.inl"

namespace touchstone {

namespace detail {

/// Results of the prediction of a body.
struct PredictedBody {
  Mat3 inverseInertia;
  Vec3 nextLinearVelocity, nextAngularVelocity, predictedPosition;
  Quaternion predictedOrientation;
};

struct PackPrediction {  // one carrier per index
  WorldView world;
  PredictedBody* out;
  TS_HD void operator()(int body) const {
    out[body].inverseInertia = world.inverseInertia[body];
    out[body].nextLinearVelocity = world.nextLinearVelocity[body];
    out[body].nextAngularVelocity = world.nextAngularVelocity[body];
    out[body].predictedPosition = world.predictedPosition[body];
    if (body < world.bodyCount) out[body].predictedOrientation = world.predictedOrientation[body];
  }
};

}  // namespace detail

/// DeviceWorld on a device.
template <class Backend>
class DeviceWorldOn : public DeviceWorld {
 public:
  explicit DeviceWorldOn(const World& world) : m_arrays(m_backend, world) { m_action.resize(1); }

  void changed(const World& world) override { m_arrays.upload(m_backend, world); }
  void inspect(bool on) override { m_backend.launchOneByOne(on); }

  /// Keeps the state, so that rollBack() can give it to the bodies of a replica again.
  void remember(const World&) { m_arrays.remember(m_backend); }
  /// @param replica  −1: all
  void rollBack(World&, int replica) { m_arrays.rollBack(m_backend, replica); }
  /// A step of length dt [s] begins. @return the world of the running step
  WorldView begin(World& world, double dt) {
    world.dt = dt;
    setGivenPaths(world, dt);
    m_arrays.uploadGivenPaths(m_backend, world);
    sendSpring(world);
    return m_arrays.view(dt);
  }
  void predict(World& world, double dt) override {
    const WorldView view = begin(world, dt);  // before spring() is asked: it sends the spring
    predictOn(m_backend, view, world.scene->gravity, spring(), action());
  }

  void downloadStep(World& world) override {
    const WorldView& view = m_arrays.view(world.dt);
    m_predicted.resize(world.position.size());
    forEach(m_backend, view.carrierCount, detail::PackPrediction{view, m_predicted.data()});
    m_predictedHere.start(m_backend, static_cast<const detail::PredictedBody*>(m_predicted.data()),
                          m_predicted.size());
    m_arrays.download(m_backend, world);
    (void)viewOf(world);  // resizes the arrays of the running step
    const detail::PredictedBody* bodies = m_predictedHere.wait();
    const auto unpack = [&](int body) {
      world.inverseInertia[body] = bodies[body].inverseInertia;
      world.nextLinearVelocity[body] = bodies[body].nextLinearVelocity;
      world.nextAngularVelocity[body] = bodies[body].nextAngularVelocity;
      world.predictedPosition[body] = bodies[body].predictedPosition;
      if (body < view.bodyCount) world.predictedOrientation[body] = bodies[body].predictedOrientation;
    };
    parallelFor(view.carrierCount, unpack, Work::Light);
  }

  void takeVelocities(const World& world) override { m_arrays.uploadVelocities(m_backend, world); }

  void downloadState(World& world, const std::function<void()>& meanwhile) override {
    m_arrays.download(m_backend, world, meanwhile);
  }

  /// [1] each, on the backend: for predictOn().
  const Spring* spring() const { return m_spring.data(); }
  SpringAction* action() { return m_action.data(); }

  Launches launches() const override { return m_backend.launches(); }

  const Backend& backend() const { return m_backend; }
  /// Between steps and in the running one.
  WorldView view(const World& world) { return m_arrays.view(world.dt); }

 private:
  /// Only where it pulls, or did the last time.
  void sendSpring(const World& world) {
    if (!world.spring && !m_isPulled && m_spring.size() > 0) return;
    const Spring spring = world.spring.value_or(Spring());
    m_backend.upload(&spring, 1, m_spring);
    m_isPulled = world.spring.has_value();
  }

  Backend m_backend;
  DeviceArrays<Backend> m_arrays;
  bool m_isPulled = false;
  typename Backend::template Array<Spring> m_spring;
  typename Backend::template Array<SpringAction> m_action;
  typename Backend::template Array<detail::PredictedBody> m_predicted;
  typename Backend::template Download<detail::PredictedBody> m_predictedHere;
};

/// DeviceWorld on the host: uses the World directly.
template <>
class DeviceWorldOn<HostBackend> : public DeviceWorld {
 public:
  explicit DeviceWorldOn(const World&) {}
  void changed(const World&) override {}
  void inspect(bool) override {}
  void remember(const World& world) {
    m_last.resize(world.position.size());
    const WorldView view = viewOf(world);
    forEach(m_backend, view.carrierCount,
            detail::PackState{detail::statesOf(view), view.bodyCount, m_last.data()});
  }
  void rollBack(World& world, int replica) {
    const WorldView to = viewOf(world);
    forEach(m_backend, to.carrierCount,
            detail::UnpackState{m_last.data(), to.bodies, to.carrierBody, to.bodyCount, replica,
                                detail::statesOf(to)});
  }
  WorldView begin(World& world, double dt) {
    world.dt = dt;
    setGivenPaths(world, dt);
    m_spring = world.spring.value_or(Spring());
    return viewOf(world);
  }
  void predict(World& world, double dt) override { touchstone::predict(world, dt); }
  void downloadStep(World&) override {}
  void takeVelocities(const World&) override {}
  void downloadState(World&, const std::function<void()>& meanwhile) override {
    if (meanwhile) meanwhile();
  }
  const Spring* spring() const { return &m_spring; }
  SpringAction* action() { return &m_action; }
  Launches launches() const override { return {}; }
  const HostBackend& backend() const { return m_backend; }
  WorldView view(const World& world) { return viewOf(world); }

 private:
  HostBackend m_backend;
  Spring m_spring;
  SpringAction m_action;
  std::vector<detail::PackedState> m_last;
};

/// The world on an engine's own backend. @throws std::logic_error if it is on another backend
template <class Backend>
std::shared_ptr<DeviceWorldOn<Backend>> worldOn(const std::shared_ptr<DeviceWorld>& world) {
  auto deviceWorld = std::dynamic_pointer_cast<DeviceWorldOn<Backend>>(world);
  if (!deviceWorld) throw std::logic_error("an engine and its world are on different backends");
  return deviceWorld;
}

}  // namespace touchstone
