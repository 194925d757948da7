#pragma once

#include <stdexcept>

#include "core/parallel/host_backend.h"
#include "core/parallel/parallel_for.h"
#include "core/world/backend_world.h"
#include "core/world/mirrored_world.inl"
#include "core/world/motion.inl"

namespace touchstone {

namespace detail {

/// What prediction finds out about a body.
struct PredictedBody {
  Mat3 inverseInertia;
  Vec3 nextLinearVelocity, nextAngularVelocity, predictedPosition;
  Quaternion predictedOrientation;
};

struct PackPrediction {  // one body per index
  WorldView world;
  PredictedBody* out;
  TS_HD void operator()(int body) const {
    out[body].inverseInertia = world.inverseInertia[body];
    out[body].nextLinearVelocity = world.nextLinearVelocity[body];
    out[body].nextAngularVelocity = world.nextAngularVelocity[body];
    out[body].predictedPosition = world.predictedPosition[body];
    out[body].predictedOrientation = world.predictedOrientation[body];
  }
};

}  // namespace detail

/// On a device.
template <class Backend>
class BackendWorldOn : public BackendWorld {
 public:
  explicit BackendWorldOn(const World& world) : m_mirror(m_backend, world) {
    m_action.resize(1);
    m_predicted.resize(world.position.size());
  }

  void changed(const World& world) override { m_mirror.upload(m_backend, world); }

  void predict(World& world, double dt) override {
    world.dt = dt;
    const WorldView& view = m_mirror.view(dt);
    const Spring spring = world.spring.value_or(Spring());
    m_backend.upload(&spring, 1, m_spring);
    predictOn(m_backend, view, world.scene->gravity, m_spring.data(), m_action.data());
    forEach(m_backend, view.bodyCount, detail::PackPrediction{view, m_predicted.data()});
    m_predictedHere.start(m_backend, static_cast<const detail::PredictedBody*>(m_predicted.data()),
                          m_predicted.size());
    m_backend.download(m_action.data(), 1, &world.springAction);
    (void)viewOf(world);  // gives the arrays of the running step their size
    const detail::PredictedBody* bodies = m_predictedHere.wait();
    const auto unpack = [&](int body) {
      world.inverseInertia[body] = bodies[body].inverseInertia;
      world.nextLinearVelocity[body] = bodies[body].nextLinearVelocity;
      world.nextAngularVelocity[body] = bodies[body].nextAngularVelocity;
      world.predictedPosition[body] = bodies[body].predictedPosition;
      world.predictedOrientation[body] = bodies[body].predictedOrientation;
    };
    parallelFor(view.bodyCount, unpack, Work::Light);
  }

  void takeVelocities(const World& world) override { m_mirror.uploadVelocities(m_backend, world); }

  void integrate(World& world) override {
    integrateOn(m_backend, m_mirror.view(world.dt));
    world.time += world.dt;
    m_mirror.download(m_backend, world);
  }

  long launches() const override { return m_backend.launches(); }

  const Backend& backend() const { return m_backend; }
  MirroredWorld<Backend>& arrays() { return m_mirror; }
  /// Between steps and in the running one.
  WorldView view(const World& world) { return m_mirror.view(world.dt); }

 private:
  Backend m_backend;
  MirroredWorld<Backend> m_mirror;
  typename Backend::template Array<Spring> m_spring;
  typename Backend::template Array<SpringAction> m_action;
  typename Backend::template Array<detail::PredictedBody> m_predicted;
  typename Backend::template Download<detail::PredictedBody> m_predictedHere;
};

/// On the host: nothing but the World.
template <>
class BackendWorldOn<HostBackend> : public BackendWorld {
 public:
  explicit BackendWorldOn(const World&) {}
  void changed(const World&) override {}
  void predict(World& world, double dt) override { touchstone::predict(world, dt); }
  void takeVelocities(const World&) override {}
  void integrate(World& world) override { touchstone::integrate(world); }
  long launches() const override { return 0; }
  const HostBackend& backend() const { return m_backend; }
  WorldView view(const World& world) { return viewOf(world); }

 private:
  HostBackend m_backend;
};

/// The world of an engine's own backend. @throws std::logic_error if it lives elsewhere
template <class Backend>
std::shared_ptr<BackendWorldOn<Backend>> worldOn(const std::shared_ptr<BackendWorld>& world) {
  auto own = std::dynamic_pointer_cast<BackendWorldOn<Backend>>(world);
  if (!own) throw std::logic_error("an engine and its world are on different backends");
  return own;
}

}  // namespace touchstone
