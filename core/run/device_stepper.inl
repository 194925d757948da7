#pragma once

#include <optional>
#include <stdexcept>

#include "core/contact/penalty/penalty_responses.inl"
#include "core/contact/replica_values.h"
#include "core/contact/step_detail.h"
#include "core/parallel/device/deferred_lists.h"
#include "core/parallel/device/timed_graph.h"
#include "core/record/phase_clock.h"
#include "core/run/step_sums.h"
#include "core/run/stepper.h"
#include "core/world/device_world.inl"

namespace touchstone {

namespace detail {

/// What a step comes to beside states and contacts.
struct StepSums {
  SpringAction action;
  Vec3 firstMoment;   ///< Σ m x of dynamic bodies at the start of the step [kg·m]
  int firstDiverged;  ///< body, or kNoneDiverged
};

struct WriteStepSums {
  const SpringAction* action;
  const Vec3* firstMoment;  // null: not wanted
  const int* firstDiverged;
  StepSums* out;
  TS_HD void operator()(int) const {
    out->action = *action;
    out->firstMoment = firstMoment ? *firstMoment : Vec3(0, 0, 0);
    out->firstDiverged = *firstDiverged;
  }
};

}  // namespace detail

/// A penalty method whose whole step runs on a device. A frame brings home the states of the bodies and the
/// contacts of its last step, a step no more than sums. It is launched in two sequences that wait for
/// nothing; the contacts come back beside the second, and after a few steps each sequence is one graph. The
/// first one changes no state: prelaunch() launches that of the next step while the frame comes home and is
/// measured. If something changes before that step is asked for, it is taken back.
template <class Device>
class DeviceStepper : public Stepper {
 public:
  DeviceStepper(const std::string& method, const World& world,
                const std::shared_ptr<DeviceWorld>& deviceWorld)
      : m_deviceWorld(worldOn<Device>(deviceWorld)),
        m_backend(m_deviceWorld->backend()),
        m_method(method),
        m_scene(world.scene),
        m_world(m_deviceWorld->arrays()),
        m_response(makePenaltyResponse(method, m_backend, world)) {
    if (!m_response) throw std::runtime_error(method + " has no step on this backend");
    m_figures.resize(1);
  }

  void worldChanged(const World& world) override {
    spoilAhead();
    m_deviceWorld->changed(world);
    m_firstDiverged.reset();
  }
  void download(World& world, const std::function<void()>& meanwhile) override {
    m_world.download(m_backend, world, meanwhile);
  }
  void prelaunch(World& world, double dt) override {
    if (world.spring) return;     // its end moves with the mouse
    m_response->awaitContacts();  // of the last step, for the next are written over them
    begin(world, dt, nullptr);
    m_ahead = {dt, false};
  }

  /// One step, in reading order, as core/run/host_stepper.cpp takes it.
  void step(World& world, double dt, RecordedContacts recorded, StepRecord& record,
            StepDetail* detail) override {
    PhaseClock clock(record.times);
    world.dt = dt;
    m_deviceWorld->inspect(detail != nullptr);
    if (!isAhead(world, dt) || detail) begin(world, dt, detail);
    m_ahead.reset();
    while (!end(recorded, detail)) begin(world, dt, detail);
    m_deviceWorld->inspect(false);
    m_response->finishRecord(record);
    const detail::StepSums& figures = *m_figuresHere.wait();
    world.springAction = figures.action;
    m_firstDiverged = figures.firstDiverged == detail::kNoneDiverged ? -1 : figures.firstDiverged;
    ++record.parts;
    if (!m_statesOnly) record.gravityMoment += dt * figures.firstMoment.cross(m_scene->gravity);
    world.time += dt;
    addPull(world, record);
    PhaseTimes phases{};
    m_toImpulses.addTo(phases);
    m_toEnd.addTo(phases);
    clock.add(phases);
  }
  void addContacts(StepRecord& record) override { m_response->addContacts(m_backend, record); }

  int divergedBody(const World&) const override {
    if (!m_firstDiverged) m_firstDiverged = m_state.divergedBody(m_backend, m_world.view(m_world.dt()));
    return *m_firstDiverged;
  }
  void rollBack(World&, int replica) override {
    m_world.rollBack(m_backend, replica);
    m_firstDiverged.reset();
  }

  void setParameters(const ParameterValues& values) override {
    spoilAhead();
    forgetGraphs();
    m_response->setParameters(valuesOfReplicas(*m_scene, m_method, values));
  }
  void reset(const World&) override {
    m_ahead.reset();  // all that it has changed is forgotten
    forgetGraphs();
    m_response->reset(m_backend);
  }
  void setStatesOnly(bool on) override {
    spoilAhead();
    forgetGraphs();
    m_statesOnly = on;
    m_response->setStatesOnly(on);
  }
  void sendMemory() override {
    takeAheadBack();
    m_response->sendMemory(m_backend);
  }
  void keepMemory() override { m_response->keepMemory(); }
  std::string keptMemory() override { return m_response->keptMemory(); }
  void restoreMemory(const std::string& bytes) override {
    m_ahead.reset();  // all that it has changed is replaced
    forgetGraphs();
    m_response->restoreMemory(m_backend, bytes);
  }
  Launches launches() const override { return m_backend.launches(); }

 private:
  using Backend = DeferredLists<Device>;
  template <class T>
  using Array = typename Backend::template Array<T>;

  /// What a graph holds by value (parameters, sizes, addresses) has changed.
  void forgetGraphs() {
    m_toImpulses.forget();
    m_toEnd.forget();
  }

  bool isAhead(const World& world, double dt) const {
    return m_ahead && !m_ahead->isSpoilt && m_ahead->dt == dt && !world.spring;
  }
  /// What is ahead no longer is the beginning of the next step. Asks nothing of the device.
  void spoilAhead() {
    if (m_ahead) m_ahead->isSpoilt = true;
  }
  void takeAheadBack() {
    if (!m_ahead) return;
    m_ahead.reset();
    m_response->rollBack(m_backend);
  }

  /// Launches a step as far as its impulses. The state stays as it is.
  void begin(const World& world, double dt, StepDetail* detail) {
    takeAheadBack();
    if (dt != m_world.dt()) forgetGraphs();
    const WorldView& view = m_world.view(dt);
    m_deviceWorld->sendSpring(world);
    m_response->prepare(m_backend, world.time);
    m_toImpulses.run(m_backend, [&](const auto& mark) {
      PhaseClock clock(mark);
      m_backend.beginStep();
      m_world.remember(m_backend);
      m_response->remember(m_backend);
      predictOn(m_backend, view, m_scene->gravity, m_deviceWorld->spring(), m_deviceWorld->action());
      clock.endOf(Phase::Predict);
      if (detail) explain(view, world.time, *detail);
      const double* margins = m_response->margins(m_backend, view);
      m_candidates = m_broadPhase.find(m_backend, view, margins, m_response->featureNeeds());
      clock.endOf(Phase::BroadPhase);
      if (detail) explain(m_candidates, *detail);
      m_response->respond(m_backend, view, m_candidates, clock, detail);
      clock.endOf(Phase::Solve);
    });
  }

  /// Launches the rest of it.
  /// @return false if a list had too little capacity: the step has been taken back
  bool end(RecordedContacts recorded, StepDetail* detail) {
    const WorldView& view = m_world.view(m_world.dt());
    m_response->sendSums(m_backend);
    m_response->awaitMemory();  // of a frame that nobody measured: its way was beside the first sequence
    m_toEnd.run(m_backend, [&](const auto& mark) {
      PhaseClock clock(mark);
      const Vec3* firstMoment = m_statesOnly ? nullptr : m_state.findFirstMoment(m_backend, view);
      integrateOn(m_backend, view);
      const int* diverged = m_state.findDiverged(m_backend, view);
      forEach(m_backend, 1,
              detail::WriteStepSums{m_deviceWorld->action(), firstMoment, diverged, m_figures.data()});
      clock.endOf(Phase::Integrate);
      if (detail) detail->end = poseOf(view.position, view.orientation);
      m_response->settle(m_backend, view, m_candidates);
      clock.endOf(Phase::NarrowPhase);
    });
    if (recorded == RecordedContacts::All) m_response->sendContacts(m_backend);  // beside what was launched
    m_figuresHere.start(m_backend, static_cast<const detail::StepSums*>(m_figures.data()), 1);
    m_backend.startReading();
    if (!m_backend.growOverflowed()) return true;
    m_world.rollBack(m_backend, -1);
    m_response->rollBack(m_backend);
    forgetGraphs();
    return false;
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
    const auto read = [this](const FeaturePair* pairs, const Extent& extent, auto& out) {
      out.resize(static_cast<std::size_t>(lengthOf(m_backend, extent)));
      m_backend.download(pairs, out.size(), out.data());
    };
    read(candidates.features, candidates.featureExtent, detail.features);
    read(candidates.vertexSurface, candidates.vertexSurfaceExtent, detail.vertexSurface);
  }

  std::shared_ptr<DeviceWorldOn<Device>> m_deviceWorld;
  Backend m_backend;
  std::string m_method;
  std::shared_ptr<const Scene> m_scene;
  DeviceArrays<Device>& m_world;  ///< of m_deviceWorld
  FeatureBroadPhase<Backend> m_broadPhase;
  std::unique_ptr<PenaltyResponse<Backend>> m_response;
  CandidateView m_candidates;
  TimedGraph<Backend> m_toImpulses, m_toEnd;
  /// Which step has begun before anyone asked for it.
  struct Ahead {
    double dt;      ///< s
    bool isSpoilt;  ///< something has changed since
  };
  std::optional<Ahead> m_ahead;
  mutable StateSums<Backend> m_state;
  Array<detail::StepSums> m_figures;
  typename Backend::template Download<detail::StepSums> m_figuresHere;
  mutable std::optional<int> m_firstDiverged;  ///< body or −1: of the state as it is, where it is known
  bool m_statesOnly = false;
};

}  // namespace touchstone
