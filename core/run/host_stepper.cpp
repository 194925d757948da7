#include <algorithm>
#include <optional>

#include "core/contact/complementarity/gap_record.h"
#include "core/contact/step_detail.h"
#include "core/detect/broad_phase.h"
#include "core/detect/candidates.h"
#include "core/parallel/device/backend_registry.h"
#include "core/record/phase_clock.h"
#include "core/run/step_sums.h"
#include "core/run/stepper.h"

namespace touchstone {

namespace {

// A step that its method cannot finish is taken in up to 2⁵ parts.
constexpr int kMostBisections = 5;

/// Adds to the record of replicas that took halves what the others did in the whole step.
/// @param whole  the record before the halves, whose sums the other one has already
void addOthers(const StepRecord& whole, StepRecord& record) {
  int sets = 0;
  for (const Contact& contact : whole.contacts) sets = std::max(sets, contact.set + 1);
  for (Contact& contact : record.contacts) contact.set += sets;
  record.contacts.insert(record.contacts.begin(), whole.contacts.begin(), whole.contacts.end());
  if (!whole.iterations.empty()) {
    record.iterations = whole.iterations;
    record.deliveredBy = whole.deliveredBy;
    record.solverTolerance = whole.solverTolerance;
  }
  addOfOtherReplicas(whole.quantities, record);
}

class HostStepper : public Stepper {
 public:
  HostStepper(std::unique_ptr<ContactMethod> method, std::shared_ptr<DeviceWorld> deviceWorld)
      : m_method(std::move(method)), m_deviceWorld(std::move(deviceWorld)) {}

  void worldChanged(const World& world) override {
    m_ahead.reset();
    m_deviceWorld->changed(world);
  }
  void download(World& world, const std::function<void()>& meanwhile) override {
    m_deviceWorld->bringState(world, meanwhile);
  }
  void prelaunch(World& world, double dt) override {
    if (world.spring || !m_deviceWorld->runsBeside()) return;  // the spring's end moves with the mouse
    begin(world, dt);
    m_ahead = dt;
  }

  void step(World& world, double dt, RecordedContacts recorded, StepRecord& record,
            StepDetail* detail) override {
    m_method->setRecorded(recorded);
    m_recorded = recorded;
    m_deviceWorld->remember(world);
    inspect(detail);
    try {
      take(world, dt, 0, record, detail);
    } catch (...) {
      inspect(nullptr);
      throw;
    }
    inspect(nullptr);
  }

  void addContacts(StepRecord& record) override {
    if (record.contacts.empty()) m_method->addContacts(record);
  }

  int divergedBody(const World& world) const override { return m_deviceWorld->divergedBody(world); }
  void rollBack(World& world, int replica) override {
    m_ahead.reset();
    m_deviceWorld->rollBack(world, replica);
  }

  void setParameters(const ParameterValues& values) override {
    m_ahead.reset();
    m_method->setParameters(values);
  }
  void reset(const World& world) override { m_method->reset(world); }
  void setStatesOnly(bool on) override {
    m_statesOnly = on;
    m_method->setStatesOnly(on);
  }
  void sendMemory() override { m_method->sendMemory(); }
  void keepMemory() override { m_method->keepMemory(); }
  std::string keptMemory() override { return m_method->keptMemory(); }
  Launches launches() const override { return m_deviceWorld->launches(); }
  void restoreMemory(const std::string& bytes) override { m_method->restoreMemory(bytes); }

 private:
  void inspect(StepDetail* detail) {
    m_method->explainTo(detail);
    m_deviceWorld->inspect(detail != nullptr);
  }

  /// One step, in reading order. Every method runs exactly this; core/run/device_stepper.inl does the same on
  /// a device.
  void take(World& world, double dt, int bisections, StepRecord& record, StepDetail* detail) {
    PhaseClock clock(record.times);
    if (m_ahead != dt || world.spring || detail) begin(world, dt);
    m_ahead.reset();
    PhaseTimes begun{};
    m_method->await(begun);
    begun[static_cast<int>(Phase::Predict)] += m_deviceWorld->predictionTime();
    clock.add(begun);
    if (detail) {
      m_deviceWorld->bringStep(world);
      *detail = StepDetail();
      detail->time = world.time;
      detail->dt = dt;
      detail->start = {world.position, world.orientation};
      detail->predicted = {world.predictedPosition, world.predictedOrientation};
    }
    m_broadPhase.find(world, m_method->needs(world), m_candidates);
    clock.endOf(Phase::BroadPhase);
    if (detail) {
      detail->features = m_candidates.features;
      detail->vertexSurface = m_candidates.vertexSurface;
    }
    const bool mayBisect = bisections < kMostBisections;
    m_method->setMayBisect(mayBisect);
    m_method->respond(world, m_candidates, record, clock);
    clock.endOf(Phase::Solve);
    const ReplicaSet bisected = m_method->wantsBisection();
    if (bisected.empty() || !mayBisect) {
      finish(world, dt, record, detail, clock);
      return;
    }
    // So far only arrays of the running step have changed.
    const ReplicaSet others = otherReplicas(bisected);
    if (!takesPart(world, others)) {
      takeBisected(world, dt, bisections, record, detail);
      return;
    }
    const double start = world.time;
    withOnly(world, others, [&] { finish(world, dt, record, detail, clock); });
    const double end = world.time;
    const StepRecord whole = record;
    world.time = start;
    withOnly(world, bisected, [&] { takeBisected(world, dt, bisections, record, detail); });
    world.time = end;
    if (m_recorded == RecordedContacts::All && !m_statesOnly)
      addContacts(record);  // before those of the others are there
    addOthers(whole, record);
  }

  /// The state stays as it is.
  void begin(World& world, double dt) {
    m_deviceWorld->predict(world, dt);
    m_method->begin(world);
  }

  void takeBisected(World& world, double dt, int bisections, StepRecord& record, StepDetail* detail) {
    for (int half = 0; half < 2; ++half) {
      record.contacts.clear();
      record.iterations.clear();
      take(world, 0.5 * dt, bisections + 1, record, detail);
    }
  }

  /// From the velocities of the step to its end.
  void finish(World& world, double dt, StepRecord& record, StepDetail* detail, PhaseClock& clock) {
    ++record.parts;
    addPull(world, record);
    if (!m_statesOnly)
      record.gravityMoment += dt * m_deviceWorld->firstMoment(world).cross(world.scene->gravity);
    m_deviceWorld->integrate(world);
    clock.endOf(Phase::Integrate);
    if (detail) {
      m_deviceWorld->bringState(world, {});
      detail->end = {world.position, world.orientation};
    }
    m_method->settle(world, m_candidates);
    clock.endOf(Phase::NarrowPhase);
  }

  static bool takesPart(const World& world, const ReplicaSet& replicas) {
    for (std::size_t body = 0; body < world.position.size(); ++body)
      if (replicas[(*world.constants)[body].replica] && isDynamic(world, static_cast<int>(body))) return true;
    return false;
  }

  /// Bodies of other replicas stand meanwhile. Whoever catches what `work` throws places the bodies anew.
  void withOnly(World& world, const ReplicaSet& replicas, const std::function<void()>& work) {
    const auto active = world.active;
    const auto inverseMass = world.inverseMass;
    m_deviceWorld->bringState(world, {});
    takeOut(world, otherReplicas(replicas));
    m_deviceWorld->changed(world);
    work();
    m_deviceWorld->bringState(world, {});
    world.active = active;
    world.inverseMass = inverseMass;
    m_deviceWorld->changed(world);
  }

  std::unique_ptr<ContactMethod> m_method;
  std::shared_ptr<DeviceWorld> m_deviceWorld;
  BroadPhase m_broadPhase;
  Candidates m_candidates;
  RecordedContacts m_recorded = RecordedContacts::All;
  bool m_statesOnly = false;
  std::optional<double> m_ahead;  ///< length of the step that has begun before anyone asked for it [s]
};

using DeviceSteppers =
    BackendRegistry<Stepper, const std::string&, const World&, const std::shared_ptr<DeviceWorld>&>;

DeviceSteppers& deviceSteppers() {
  static DeviceSteppers table;
  return table;
}

}  // namespace

std::unique_ptr<Stepper> makeHostStepper(std::unique_ptr<ContactMethod> method,
                                         std::shared_ptr<DeviceWorld> deviceWorld) {
  return std::make_unique<HostStepper>(std::move(method), std::move(deviceWorld));
}

std::unique_ptr<Stepper> makeDeviceStepper(BackendKind backend, const std::string& method, const World& world,
                                           const std::shared_ptr<DeviceWorld>& deviceWorld) {
  return deviceSteppers().make(backend, method, world, deviceWorld);
}

void registerStepper(BackendKind backend, StepperFactory factory) {
  deviceSteppers().add(backend, std::move(factory));
}

bool hasStepper(BackendKind backend) { return deviceSteppers().has(backend); }

}  // namespace touchstone
