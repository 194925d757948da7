#pragma once

#include <algorithm>
#include <optional>

#include "core/constraints/joint_holding.h"
#include "core/constraints/joint_projection.h"
#include "core/constraints/kinds/registered_kinds.h"
#include "core/contact/contact_memory.inl"
#include "core/contact/method.h"
#include "core/contact/replica_values.h"
#include "core/contact/step_detail.h"
#include "core/detect/feature_broad_phase.inl"
#include "core/parallel/device/deferred_lists.h"
#include "core/parallel/device/timed_graph.h"
#include "core/parallel/frame_clock.h"
#include "core/record/phase_clock.h"
#include "core/run/step_sums.h"
#include "core/run/stepper.h"
#include "core/scene/scale.h"
#include "core/world/device_world.inl"
#include "core/world/joint_coordinates.h"
#include "core/world/motion.inl"
#include "core/world/state_sums.inl"

namespace touchstone {

namespace detail {

/// Sums over one step.
struct StepSums {
  SpringAction action;
  Vec3 firstMoment;   ///< Σ m x of dynamic bodies at the start of the step [kg·m]
  int firstDiverged;  ///< body, or kNoneDiverged
};

struct WriteStepSums {
  const SpringAction* action;
  const Vec3* firstMoment;   // null: not wanted
  const int* firstDiverged;  // null: without bodies
  StepSums* out;
  TS_HD void operator()(int) const {
    out->action = *action;
    out->firstMoment = firstMoment ? *firstMoment : Vec3(0, 0, 0);
    out->firstDiverged = firstDiverged ? *firstDiverged : kNoneDiverged;
  }
};

}  // namespace detail

/// The steps of every method, on the host or on a device: take() is one step in reading order.
///
/// Launches that do not wait form two sequences, which on a device become a graph each after a few steps:
/// launchStart() as far as the velocities that a method launches, launchEnd() from the velocities on. States
/// and contacts are downloaded once per frame; a substep downloads sums only. The first sequence changes no
/// state: prelaunch() launches that of the next step while the frame is downloaded and measured. If something
/// changes before that step is asked for, it is rolled back.
template <class Device>
class StepperOn : public Stepper {
 public:
  StepperOn(const MethodChoice& choice, const World& world, const std::shared_ptr<DeviceWorld>& deviceWorld)
      : m_deviceWorld(worldOn<Device>(deviceWorld)),
        m_backend(m_deviceWorld->backend()),
        m_key(choice.method),
        m_scene(world.scene),
        m_method(makeMethod<Backend>(
            choice.method, m_backend,
            {world, deviceWorld, choice.solver, valuesOfReplicas(*m_scene, m_key, choice.values)})),
        m_memory(*m_method) {
    m_sums.resize(1);
  }

  void step(World& world, double dt, Recorded recorded, StepRecord& record, StepDetail* detail) override {
    m_recorded = recorded;
    tellRecorded();
    const Inspection inspection{*m_deviceWorld, detail != nullptr};
    take({world, dt, 0, record, detail});
  }

 private:
  using Backend = WithoutWaiting<Device>;
  template <class T>
  using Array = typename Backend::template Array<T>;

  // A step that its method cannot finish is taken in up to 2⁵ parts.
  static constexpr int kMostBisections = 5;

  /// A step, or a part of one.
  struct Part {
    World& world;
    double dt;  ///< s
    int bisections;
    StepRecord& record;
    StepDetail* detail;
  };

  /// One step, in reading order. Every method runs exactly this, on every backend.
  void take(const Part& part) {
    PhaseClock clock(part.record.times);
    if (!isPrelaunched(part)) launchStart(part.world, part.dt, part.bisections == 0, part.detail);
    m_prelaunched.reset();
    checkFrameClock();
    const ReplicaSet unfinished = respondAfterwards(part, clock);
    checkFrameClock();
    if (isEmpty(unfinished))
      finish(part, clock);
    else
      bisect(part, unfinished, clock);
  }

  /// Launches predict, broad phase and what the method launches. The state stays as it is.
  /// @param isWhole  not a part of a step   @param detail  where the inside goes, or null
  void launchStart(World& world, double dt, bool isWhole, StepDetail* detail) {
    rollBackAhead();
    const WorldView view = m_deviceWorld->begin(world, dt);
    m_method->prepare(m_backend, world);
    m_start.learnFor({}, {dt, isWhole ? 1.0 : 0.0});
    m_start.run(m_backend, [&](const auto& mark) {
      PhaseClock clock(mark);
      m_backend.beginStep();
      if (isWhole) m_deviceWorld->remember(world);
      if constexpr (!Backend::kOnHost) m_memory.remember(m_backend);
      predictOn(m_backend, view, m_scene->gravity, m_deviceWorld->spring(), m_deviceWorld->action());
      clock.endOf(Phase::Predict);
      if (detail) explainStart(view, world.time, *detail);
      const Needs needs = m_method->needs(m_backend, view);
      m_candidates =
          needs.features ? m_broadPhase.find(m_backend, view, needs.margins, needs.kinds) : CandidateView();
      clock.endOf(Phase::BroadPhase);
      if (detail) explainCandidates(*detail);
      if (!m_method->waits()) m_method->respond(m_backend, {world, view, m_candidates, clock, detail});
      clock.endOf(Phase::Solve);
    });
    m_method->begin(m_backend, view);
  }

  /// The velocities of a method that waits. @return the replicas whose step must be bisected, or none
  ReplicaSet respondAfterwards(const Part& part, PhaseClock& clock) {
    if (!m_method->waits()) return {};
    PhaseTimes begun{};
    m_start.addTo(begun);
    const WorldView view = m_deviceWorld->view(part.world);
    const bool mayBisect = part.bisections < kMostBisections;
    const ReplicaSet unfinished = m_method->respond(
        m_backend, {part.world, view, m_candidates, clock, part.detail, &part.record, begun, mayBisect});
    clock.endOf(Phase::Solve);
    return mayBisect ? unfinished : ReplicaSet();
  }

  /// From the velocities of the step to its end and its record.
  void finish(const Part& part, PhaseClock& clock) {
    World& world = part.world;
    StepRecord& record = part.record;
    JointTotals joints = joinBodies(world, part.detail);
    while (!launchEnd(world, part.detail)) {
      launchStart(world, part.dt, part.bisections == 0, part.detail);
      joints = joinBodies(world, part.detail);
    }
    const WorldView view = m_deviceWorld->view(world);
    m_method->moveApart(m_backend, view);
    if (part.detail) part.detail->end = poseOf(view.carrierCount, view.position, view.orientation);
    joints.addTo(record);
    m_method->finishRecord(record);
    const detail::StepSums& sums = *m_hostSums.wait();
    world.springAction = sums.action;
    world.time += part.dt;
    if (!m_scene->joints.empty()) settleJoints(world, joints.missedIslands > 0, record);
    m_firstDiverged = sums.firstDiverged == detail::kNoneDiverged ? -1 : sums.firstDiverged;
    ++record.parts;
    if (!m_statesOnly) record.gravityMoment += part.dt * sums.firstMoment.cross(m_scene->gravity);
    addPull(world, record);
    PhaseTimes phases{};
    if (!m_method->waits()) m_start.addTo(phases);
    m_end.addTo(phases);
    clock.add(phases);
  }

  /// Joints and attached particles of a method that has no rows for them, on the host.
  JointTotals joinBodies(World& world, StepDetail* detail) {
    const bool isNeeded =
        !m_scene->joints.empty() || !world.elastic->attachments.empty() || hasRegisteredConstraints(world);
    if (!isNeeded || m_method->waits()) return {};
    m_deviceWorld->downloadStep(world);
    const JointTotals joints =
        holdJoints(world, m_method->driveIntegration(), detail ? &detail->rows : nullptr);
    m_deviceWorld->takeVelocities(world);
    m_method->rejoin(m_backend, m_deviceWorld->view(world));
    return joints;
  }

  /// Projects the joints at the end of the step, and counts their turns.
  void settleJoints(World& world, bool isMissed, StepRecord& record) {
    m_deviceWorld->downloadState(world, {});
    const JointProjection projection = m_method->jointProjection();
    if (isMissed || projection.isWanted) {
      constexpr double kVisible = 1e-3;  // m, rad. Larger: drift is seen before it is reported; smaller:
                                         // warnings where nothing is seen
      const JointGaps apart =
          projection.sweeps.empty() ? projectJoints(world) : projectJoints(world, projection.sweeps);
      if (apart.largest() > kVisible) tellGaps(measureJoints(world), kVisible, record);
      m_deviceWorld->changed(world);
    }
    updateJointCoordinates(world);
  }

  /// Joints that no projection brings together have failed, and with them the step.
  /// @param gaps  after their projection   @param visible  m, rad
  void tellGaps(const JointGaps& gaps, double visible, StepRecord& record) const {
    // Gaps beyond which a pane is lost. Larger: bodies fly about before it says so; smaller: sweeps that end
    // early, and whose joints give visibly, are no longer shown.
    constexpr double kLostShare = 0.1, kLostAngle = 0.5;  // of lengthOf() the scene; rad
    if (!(gaps.largest() > visible)) {
      record.warnings.push_back(
          "joints came apart by more than 1 mm or 1 mrad in a step and were brought together at its end; "
          "more "
          "substeps keep them closer");
      return;
    }
    char sizes[80];
    std::snprintf(sizes, sizeof sizes, "%.2g m and %.2g rad", gaps.distance, gaps.angle);
    const std::string what =
        std::string("joints are apart by ") + sizes + " after their projection at the end of a step";
    const bool isLost = gaps.distance > kLostShare * lengthOf(*m_scene) || gaps.angle > kLostAngle;
    if (isLost && m_scene->replicas == 1)
      raiseStatus(StepStatus::Diverged,
                  what + "; the pane is frozen at this state. Take a shorter step, or more substeps", record);
    else
      raiseStatus(StepStatus::NotConverged, what + "; more substeps keep them closer", record);
  }

  /// Launches integration, sums and memory of the corrected path.
  /// @return false if a list had too little capacity: the step has been rolled back
  bool launchEnd(World& world, StepDetail* detail) {
    const WorldView view = m_deviceWorld->view(world);
    m_method->sendSums(m_backend);
    m_memory.await();  // of a frame that was not measured: sent before the first sequence
    m_end.learnFor({}, {view.dt});
    m_end.run(m_backend, [&](const auto& mark) {
      PhaseClock clock(mark);
      const bool isMomentWanted = !m_statesOnly && view.bodyCount > 0;
      const Vec3* firstMoment = isMomentWanted ? m_state.findFirstMoment(m_backend, view) : nullptr;
      integrateOn(m_backend, view, m_deviceWorld->spring(), m_deviceWorld->action());
      const int* diverged = view.bodyCount > 0 ? m_state.findDiverged(m_backend, view) : nullptr;
      forEach(m_backend, 1,
              detail::WriteStepSums{m_deviceWorld->action(), firstMoment, diverged, m_sums.data()});
      clock.endOf(Phase::Integrate);
      if (detail) detail->end = poseOf(view.carrierCount, view.position, view.orientation);
      m_method->settle(m_backend, view, m_candidates);
      clock.endOf(Phase::NarrowPhase);
    });
    if (m_recorded == Recorded::All) m_method->sendContacts(m_backend);  // while the sequence runs
    m_hostSums.start(m_backend, static_cast<const detail::StepSums*>(m_sums.data()), 1);
    m_backend.startReading();
    if (!m_backend.growOverflowed()) return true;
    m_deviceWorld->rollBack(world, -1);
    m_memory.rollBack(m_backend);
    forgetGraphs();
    return false;
  }

  /// Bisects the step for these replicas; the others advance in one step. So far only arrays of the
  /// running step have changed.
  void bisect(const Part& part, const ReplicaSet& unfinished, PhaseClock& clock) {
    World& world = part.world;
    const ReplicaSet others = otherReplicas(unfinished);
    if (!takesPart(world, others)) {
      stepInHalves(part);
      return;
    }
    const double start = world.time;
    withOnly(world, others, [&] { finish(part, clock); });
    const double end = world.time;
    const StepRecord whole = part.record;
    world.time = start;
    withOnly(world, unfinished, [&] { stepInHalves(part); });
    world.time = end;
    m_firstDiverged.reset();
    if (m_recorded == Recorded::All && !m_statesOnly)
      addContacts(part.record);  // before those of the others are in it
    addOthers(whole, part.record);
  }

  void stepInHalves(const Part& part) {
    for (int half = 0; half < 2; ++half) {
      part.record.contacts.clear();
      part.record.iterations.clear();
      take({part.world, 0.5 * part.dt, part.bisections + 1, part.record, part.detail});
    }
  }

  static bool takesPart(const World& world, const ReplicaSet& replicas) {
    for (std::size_t carrier = 0; carrier < world.position.size(); ++carrier) {
      const std::size_t body = world.carrierBody[carrier];
      if (replicas[(*world.constants)[body].replica] && isDynamic(world, static_cast<int>(carrier)))
        return true;
    }
    return false;
  }

  /// Freezes the other replicas while `use` runs. If it throws, the caller must restore the bodies.
  template <class Use>
  void withOnly(World& world, const ReplicaSet& replicas, const Use& use) {
    const auto active = world.active;
    const auto inverseMass = world.inverseMass;
    m_deviceWorld->downloadState(world, {});
    takeOut(world, otherReplicas(replicas));
    m_deviceWorld->changed(world);
    use();
    m_deviceWorld->downloadState(world, {});
    world.active = active;
    world.inverseMass = inverseMass;
    m_deviceWorld->changed(world);
  }

 public:
  void addContacts(StepRecord& record) override {
    if (record.contacts.empty()) m_method->addContacts(m_backend, record);
  }

  // Between steps.

  void worldChanged(const World& world) override {
    invalidatePrelaunch();
    m_deviceWorld->changed(world);
    m_firstDiverged.reset();
  }
  void download(World& world, const std::function<void()>& meanwhile) override {
    m_deviceWorld->downloadState(world, meanwhile);
  }
  void prelaunch(World& world, double dt) override {
    if (Backend::kOnHost || world.spring) return;  // the spring's end moves with the mouse
    m_method->awaitContacts();  // of the last step: those of the next are written over them
    launchStart(world, dt, true, nullptr);
    m_prelaunched = {dt, false};
  }
  int divergedBody(const World& world) const override {
    if (!m_firstDiverged) m_firstDiverged = m_state.divergedBody(m_backend, m_deviceWorld->view(world));
    return *m_firstDiverged;
  }
  void rollBack(World& world, int replica) override {
    invalidatePrelaunch();
    m_deviceWorld->rollBack(world, replica);
    m_firstDiverged.reset();
  }

  void setParameters(const ParameterValues& values) override {
    invalidatePrelaunch();
    forgetGraphs();
    m_method->setParameters(valuesOfReplicas(*m_scene, m_key, values));
  }
  void setStatesOnly(bool on) override {
    invalidatePrelaunch();
    forgetGraphs();
    m_statesOnly = on;
    tellRecorded();
  }
  void reset(const World&) override {
    m_prelaunched.reset();  // all that it has changed is forgotten
    forgetGraphs();
    m_memory.reset(m_backend);
  }
  void sendMemory() override {
    rollBackAhead();
    m_memory.send(m_backend);
  }
  void keepMemory() override { m_memory.keep(); }
  std::string keptMemory() override { return m_memory.bytes(); }
  void restoreMemory(const std::string& bytes) override {
    m_prelaunched.reset();  // all that it has changed is replaced
    forgetGraphs();
    m_memory.restore(m_backend, bytes);
  }
  Launches launches() const override { return m_deviceWorld->launches(); }

 private:
  /// While it lives, the steps are inspected.
  struct Inspection {
    DeviceWorld& world;
    Inspection(DeviceWorld& deviceWorld, bool on) : world(deviceWorld) { world.inspect(on); }
    ~Inspection() { world.inspect(false); }
    Inspection(const Inspection&) = delete;
    Inspection& operator=(const Inspection&) = delete;
  };

  void tellRecorded() { m_method->setRecorded(m_statesOnly ? Recorded::None : m_recorded); }

  /// Forgets the graphs, because a value that they hold (parameters, sizes, addresses) has changed.
  void forgetGraphs() {
    m_start.forget();
    m_end.forget();
  }

  bool isPrelaunched(const Part& part) const {
    return m_prelaunched && !m_prelaunched->isSpoilt && m_prelaunched->dt == part.dt && !part.world.spring &&
           !part.detail;
  }
  /// Marks the prelaunched step as invalid. Does not touch the device.
  void invalidatePrelaunch() {
    if (m_prelaunched) m_prelaunched->isSpoilt = true;
  }
  void rollBackAhead() {
    if (!m_prelaunched) return;
    m_prelaunched.reset();
    m_memory.rollBack(m_backend);
  }

  /// @param carriers  count
  Pose poseOf(int carriers, const Vec3* position, const Quaternion* orientation) const {
    Pose pose;
    pose.position.resize(carriers);
    pose.orientation.resize(m_scene->bodies.size());
    m_backend.download(position, pose.position.size(), pose.position.data());
    m_backend.download(orientation, pose.orientation.size(), pose.orientation.data());
    return pose;
  }

  void explainStart(const WorldView& view, double time, StepDetail& detail) const {
    detail = StepDetail();
    detail.time = time;
    detail.dt = view.dt;
    detail.start = poseOf(view.carrierCount, view.position, view.orientation);
    detail.predicted = poseOf(view.carrierCount, view.predictedPosition, view.predictedOrientation);
  }

  void explainCandidates(StepDetail& detail) const {
    const auto read = [this](const FeaturePair* pairs, const Extent& extent, auto& out) {
      out.resize(lengthOf(m_backend, extent));
      m_backend.download(pairs, out.size(), out.data());
    };
    read(m_candidates.features, m_candidates.featureExtent, detail.features);
    read(m_candidates.vertexSurface, m_candidates.vertexSurfaceExtent, detail.vertexSurface);
  }

  std::shared_ptr<DeviceWorldOn<Device>> m_deviceWorld;
  Backend m_backend;
  std::string m_key;
  std::shared_ptr<const Scene> m_scene;
  FeatureBroadPhase<Backend> m_broadPhase;
  std::unique_ptr<Method<Backend>> m_method;
  ContactMemory<Backend> m_memory;  ///< of m_method
  CandidateView m_candidates;
  TimedGraph<Backend> m_start, m_end;
  /// The step that prelaunch() has begun.
  struct Ahead {
    double dt;      ///< s
    bool isSpoilt;  ///< something has changed since
  };
  std::optional<Ahead> m_prelaunched;
  mutable StateSums<Backend> m_state;
  Array<detail::StepSums> m_sums;
  typename Backend::template Download<detail::StepSums> m_hostSums;
  mutable std::optional<int> m_firstDiverged;  ///< body or −1: of the state as it is, where it is known
  Recorded m_recorded = Recorded::All;
  bool m_statesOnly = false;
};

}  // namespace touchstone
