#pragma once

#include <algorithm>
#include <stdexcept>

#include "core/contact/penalty_method.h"
#include "core/contact/penalty_responses.inl"
#include "core/parallel/reduce.h"
#include "core/run/step_sums.h"
#include "core/run/stepper.h"
#include "core/world/divergence.h"
#include "core/world/mirrored_world.inl"

namespace touchstone {

namespace detail {

constexpr int kNoBody = 2147483647;

struct FlagDiverged {  // one body per index
  WorldView world;
  double limit;  // m/s
  int* out;      // the body if it has diverged, else kNoBody
  TS_HD void operator()(int body) const { out[body] = hasDiverged(world, body, limit) ? body : kNoBody; }
};

constexpr int kBodiesPerSum = 256;

/// Σ m x of the dynamic bodies, kBodiesPerSum at a time and in their order, so that it does not depend on how
/// many run at once.
struct SumFirstMoments {
  WorldView world;
  Vec3* out;  // kg·m
  TS_HD void operator()(int part) const {
    Vec3 sum(0, 0, 0);
    for (int body = kBodiesPerSum * part; body < kBodiesPerSum * (part + 1) && body < world.bodyCount; ++body)
      if (isDynamic(world, body)) sum += world.position[body] / world.inverseMass[body];
    out[part] = sum;
  }
};

}  // namespace detail

/// A penalty method whose whole step runs on a backend. Between steps nothing but the record's contacts and
/// the bodies' states leaves it.
template <class Backend>
class DeviceStepper : public Stepper {
 public:
  DeviceStepper(const std::string& method, const World& world)
      : m_method(method),
        m_scene(world.scene),
        m_world(m_backend, world),
        m_response(makePenaltyResponse(method, m_backend, world)) {
    if (!m_response) throw std::runtime_error(method + " has no step on this backend");
  }

  void worldChanged(const World& world) override { m_world.upload(m_backend, world); }
  void publish(World& world) override { m_world.download(m_backend, world); }

  /// One step, in reading order, as core/run/host_stepper.cpp takes it.
  void step(World& world, double dt, StepRecord& record, StepDetail* detail) override {
    PhaseClock clock(record.times, [this] { m_backend.finish(); });
    const WorldView& view = m_world.view(dt);
    world.dt = dt;
    m_world.remember(m_backend);
    predictWithSpring(world, view);
    clock.endOf(Phase::Predict);
    if (detail) explain(view, world.time, *detail);
    const double* margins = m_response->margins(m_backend, view);
    const CandidateView candidates = m_broadPhase.find(m_backend, view, margins, m_response->openSurfaces());
    clock.endOf(Phase::BroadPhase);
    if (detail) explain(candidates, *detail);
    m_response->respond(m_backend, view, candidates, world.time, record, clock, detail);
    clock.endOf(Phase::Solve);
    ++record.parts;
    if (!m_statesOnly) addGravityMoment(view, record);
    integrateOn(m_backend, view);
    world.time += dt;
    clock.endOf(Phase::Integrate);
    if (detail) detail->end = poseOf(view.position, view.orientation);
    m_response->settle(m_backend, view, candidates);
    clock.endOf(Phase::NarrowPhase);
    m_response->finishRecord(record);  // the contacts came back beside integration and settling
    addPull(world, record);
    addImpulses(world, record);
    clock.endOf(Phase::Assemble);
  }

  int divergedBody(const World& world, double limit) const override {
    const WorldView& view = m_world.view(world.dt);
    m_flags.resize(static_cast<std::size_t>(view.bodyCount));
    forEach(m_backend, view.bodyCount, detail::FlagDiverged{view, limit, m_flags.data()});
    const int first = joined(m_backend, m_flags.data(), view.bodyCount, detail::kNoBody, Smaller{});
    return first == detail::kNoBody ? -1 : first;
  }
  void takeBack(World&, int copy) override { m_world.takeBack(m_backend, copy); }

  void setParameters(const ParameterValues& values) override {
    m_response->setParameters(valuesOfCopies(*m_scene, m_method, values));
  }
  void reset(const World&) override { m_response->reset(); }
  void setStatesOnly(bool on) override {
    m_statesOnly = on;
    m_response->setStatesOnly(on);
  }
  std::string memory() const override { return m_response->memory(m_backend); }
  void restoreMemory(const std::string& bytes) override { m_response->restoreMemory(m_backend, bytes); }
  long launches() const override { return m_backend.launches(); }

 private:
  template <class T>
  using Array = typename Backend::template Array<T>;

  void predictWithSpring(World& world, const WorldView& view) {
    world.springAction = SpringAction();
    m_backend.upload(&world.springAction, 1, m_action);
    predictOn(m_backend, view, m_scene->gravity, world.spring.value_or(Spring()), m_action.data());
    if (world.spring) m_backend.download(m_action.data(), 1, &world.springAction);
  }

  /// Σ x × m g = (Σ m x) × g.
  void addGravityMoment(const WorldView& view, StepRecord& record) {
    const int parts = (view.bodyCount + detail::kBodiesPerSum - 1) / detail::kBodiesPerSum;
    m_moments.resize(static_cast<std::size_t>(parts));
    forEach(m_backend, parts, detail::SumFirstMoments{view, m_moments.data()});
    std::vector<Vec3> moments(static_cast<std::size_t>(parts));
    m_backend.download(m_moments.data(), moments.size(), moments.data());
    Vec3 sum = Vec3::Zero();
    for (const Vec3& moment : moments) sum += moment;
    record.gravityMoment += view.dt * sum.cross(m_scene->gravity);
  }

  Pose poseOf(const Vec3* position, const Quaternion* orientation) const {
    Pose pose;
    pose.position.resize(m_scene->bodies.size());
    pose.orientation.resize(m_scene->bodies.size());
    m_backend.download(position, pose.position.size(), pose.position.data());
    m_backend.download(orientation, pose.orientation.size(), pose.orientation.data());
    return pose;
  }

  void explain(const WorldView& view, double time, StepDetail& detail) const {
    detail = StepDetail();
    detail.time = time;
    detail.dt = view.dt;
    detail.start = poseOf(view.position, view.orientation);
    detail.predicted = poseOf(view.predictedPosition, view.predictedOrientation);
  }

  void explain(const CandidateView& candidates, StepDetail& detail) const {
    detail.features.resize(static_cast<std::size_t>(candidates.featureCount));
    detail.vertexSurface.resize(static_cast<std::size_t>(candidates.vertexSurfaceCount));
    m_backend.download(candidates.features, detail.features.size(), detail.features.data());
    m_backend.download(candidates.vertexSurface, detail.vertexSurface.size(), detail.vertexSurface.data());
  }

  Backend m_backend;
  std::string m_method;
  std::shared_ptr<const Scene> m_scene;
  mutable MirroredWorld<Backend> m_world;
  FeatureBroadPhase<Backend> m_broadPhase;
  std::unique_ptr<PenaltyResponse<Backend>> m_response;
  Array<SpringAction> m_action;
  Array<Vec3> m_moments;
  mutable Array<int> m_flags;
  bool m_statesOnly = false;
};

}  // namespace touchstone
