#include "core/contact/broad_phase.h"
#include "core/parallel/engine_table.h"
#include "core/record/phase_clock.h"
#include "core/run/step_sums.h"
#include "core/run/stepper.h"

namespace touchstone {

namespace {

// A step that its method cannot finish is taken in up to 2⁵ parts.
constexpr int kMostHalvings = 5;

class HostStepper : public Stepper {
 public:
  HostStepper(std::unique_ptr<ContactMethod> method, std::shared_ptr<BackendWorld> there)
      : m_method(std::move(method)), m_there(std::move(there)) {}

  void worldChanged(const World& world) override { m_there->changed(world); }
  void publish(World& world, const std::function<void()>& meanwhile) override {
    m_there->bringState(world, meanwhile);
  }

  void step(World& world, double dt, RecordedContacts recorded, StepRecord& record,
            StepDetail* detail) override {
    m_method->setRecorded(recorded);
    m_there->remember(world);
    m_method->explainTo(detail);
    try {
      take(world, dt, 0, record, detail);
    } catch (...) {
      m_method->explainTo(nullptr);
      throw;
    }
    m_method->explainTo(nullptr);
  }

  void addContacts(StepRecord& record) override {
    if (record.contacts.empty()) m_method->addContacts(record);
  }

  int divergedBody(const World& world) const override { return m_there->divergedBody(world); }
  void takeBack(World& world, int copy) override { m_there->takeBack(world, copy); }

  void setParameters(const ParameterValues& values) override { m_method->setParameters(values); }
  void reset(const World& world) override { m_method->reset(world); }
  void setStatesOnly(bool on) override {
    m_statesOnly = on;
    m_method->setStatesOnly(on);
  }
  void sendMemory() override { m_method->sendMemory(); }
  void keepMemory() override { m_method->keepMemory(); }
  std::string keptMemory() override { return m_method->keptMemory(); }
  long launches() const override { return m_there->launches(); }
  void restoreMemory(const std::string& bytes) override { m_method->restoreMemory(bytes); }

 private:
  /// One step, in reading order. Every method runs exactly this; core/run/device_stepper.inl does the same on
  /// a device.
  void take(World& world, double dt, int halvings, StepRecord& record, StepDetail* detail) {
    PhaseClock clock(record.times);
    m_there->predict(world, dt);
    clock.endOf(Phase::Predict);
    if (detail) {
      m_there->bringStep(world);
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
    StepRecord before;
    const bool mayHalve = halvings < kMostHalvings;
    if (mayHalve) before = record;
    m_method->respond(world, m_candidates, record, clock);
    clock.endOf(Phase::Solve);
    if (m_method->wantsHalves() && mayHalve) {  // so far only arrays of the running step have changed
      before.times = record.times;
      before.solves = record.solves;
      record = before;
      take(world, 0.5 * dt, halvings + 1, record, detail);
      record.contacts.clear();
      record.iterations.clear();
      take(world, 0.5 * dt, halvings + 1, record, detail);
      return;
    }
    ++record.parts;
    addPull(world, record);
    if (!m_statesOnly) record.gravityMoment += dt * m_there->firstMoment(world).cross(world.scene->gravity);
    m_there->integrate(world);
    clock.endOf(Phase::Integrate);
    if (detail) {
      m_there->bringState(world, {});
      detail->end = {world.position, world.orientation};
    }
    m_method->settle(world, m_candidates);
    clock.endOf(Phase::NarrowPhase);
  }

  std::unique_ptr<ContactMethod> m_method;
  std::shared_ptr<BackendWorld> m_there;
  BroadPhase m_broadPhase;
  Candidates m_candidates;
  bool m_statesOnly = false;
};

using DeviceSteppers =
    EngineTable<Stepper, const std::string&, const World&, const std::shared_ptr<BackendWorld>&>;

DeviceSteppers& deviceSteppers() {
  static DeviceSteppers table;
  return table;
}

}  // namespace

std::unique_ptr<Stepper> makeHostStepper(std::unique_ptr<ContactMethod> method,
                                         std::shared_ptr<BackendWorld> there) {
  return std::make_unique<HostStepper>(std::move(method), std::move(there));
}

std::unique_ptr<Stepper> makeDeviceStepper(BackendKind backend, const std::string& method, const World& world,
                                           const std::shared_ptr<BackendWorld>& there) {
  return deviceSteppers().make(backend, method, world, there);
}

void registerStepper(BackendKind backend, StepperFactory factory) {
  deviceSteppers().add(backend, std::move(factory));
}

bool hasStepper(BackendKind backend) { return deviceSteppers().has(backend); }

}  // namespace touchstone
