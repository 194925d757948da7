#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/detect/candidates.h"
#include "core/referee/motion_measurement.h"
#include "core/referee/overlap_measurement.h"
#include "core/run/pane_name.h"
#include "core/run/stepper.h"
#include "core/solver/linear/batched_krylov.h"

namespace touchstone::test {

/// Registers a SeparateBackend in the role of CUDA, with all engines of a device.
void useSeparateDevice();

/// A pane by name ("lcp-pgs", "peg exact") on a backend.
inline PaneSettings pane(const std::string& name, BackendKind backend) {
  PaneSettings settings = paneWithStep(name);
  settings.backend = backend;
  return settings;
}

// The parts of that device. A test that changes one answer overrides it in a wrapper, so that the loops are
// compiled once and not in each such test.

std::unique_ptr<DeviceWorld> separateWorld(const World& world);
std::unique_ptr<Stepper> separateStepper(const MethodChoice& choice, const World& world,
                                         const std::shared_ptr<DeviceWorld>& deviceWorld);
std::unique_ptr<OverlapMeasurement> separateOverlapMeasurement(
    const World& world, const std::shared_ptr<DeviceWorld>& deviceWorld);
std::unique_ptr<MotionMeasurement> separateMotionMeasurement(const World& world,
                                                             const std::shared_ptr<DeviceWorld>& deviceWorld);
std::unique_ptr<BatchedKrylov> separateBatchedKrylov();

class WrappedStepper : public Stepper {
 public:
  WrappedStepper(const MethodChoice& choice, const World& world,
                 const std::shared_ptr<DeviceWorld>& deviceWorld)
      : m_own(separateStepper(choice, world, deviceWorld)) {}
  void worldChanged(const World& world) override { m_own->worldChanged(world); }
  void step(World& world, double dt, Recorded recorded, StepRecord& record, StepDetail* detail) override {
    m_own->step(world, dt, recorded, record, detail);
  }
  void addContacts(StepRecord& record) override { m_own->addContacts(record); }
  int divergedBody(const World& world) const override { return m_own->divergedBody(world); }
  void rollBack(World& world, int copy) override { m_own->rollBack(world, copy); }
  void download(World& world, const std::function<void()>& meanwhile) override {
    m_own->download(world, meanwhile);
  }
  void prelaunch(World& world, double dt) override { m_own->prelaunch(world, dt); }
  void setParameters(const ParameterValues& values) override { m_own->setParameters(values); }
  void setStatesOnly(bool on) override { m_own->setStatesOnly(on); }
  void reset(const World& world) override { m_own->reset(world); }
  void sendMemory() override { m_own->sendMemory(); }
  void keepMemory() override { m_own->keepMemory(); }
  std::string keptMemory() override { return m_own->keptMemory(); }
  void restoreMemory(const std::string& bytes) override { m_own->restoreMemory(bytes); }
  Launches launches() const override { return m_own->launches(); }

 private:
  std::unique_ptr<Stepper> m_own;
};

class WrappedOverlapMeasurement : public OverlapMeasurement {
 public:
  WrappedOverlapMeasurement(const World& world, const std::shared_ptr<DeviceWorld>& deviceWorld)
      : m_own(separateOverlapMeasurement(world, deviceWorld)) {}
  void inspect(bool on) override { m_own->inspect(on); }
  std::vector<Overlap> find(const World& world, bool& sampled) override {
    return m_own->find(world, sampled);
  }

 private:
  std::unique_ptr<OverlapMeasurement> m_own;
};

// Call it after useSeparateDevice(): the device then uses the given type. Arguments after the world and the
// device's world are passed to its constructor.

template <class StepperType, class... Arguments>
void useStepper(Arguments... arguments) {
  registerStepper(BackendKind::Cuda,
                  [=](const MethodChoice& choice, const World& world, const auto& deviceWorld) {
                    return std::make_unique<StepperType>(choice, world, deviceWorld, arguments...);
                  });
}
template <class Engine>
void useOverlapMeasurement() {
  registerOverlapMeasurement(BackendKind::Cuda, [](const World& world, const auto& deviceWorld) {
    return std::make_unique<Engine>(world, deviceWorld);
  });
}

}  // namespace touchstone::test
