#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/contact/method_info.h"
#include "core/parallel/launches.h"
#include "core/record/step_record.h"
#include "core/world/world.h"

namespace touchstone {

struct StepDetail;  // core/contact/step_detail.h

/// Which method a pane runs, and with what.
struct MethodChoice {
  std::string method, solver;  ///< keys; no solver: empty
  ParameterValues values;      ///< in force
};

/// Takes the steps of one simulation and keeps its contact memory, on a backend: core/run/stepper.inl. The
/// state stays where the DeviceWorld is.
class Stepper {
 public:
  virtual ~Stepper() = default;

  /// The state of the world was changed from outside: start, fork, release, a replica that is frozen.
  virtual void worldChanged(const World& world) = 0;
  /// The world is at a time to which no step of this stepper led: puts its bodies where a motion that is
  /// given has them then. worldChanged() and reset() follow.
  virtual void place(World& /*world*/) {}
  /// One step of length dt [s]: advances world.time and adds what happened to the record, but for its
  /// contacts. Positions and velocities of the world are valid after download().
  /// @param recorded  All: addContacts() follows
  virtual void step(World& world, double dt, Recorded recorded, StepRecord& record, StepDetail* detail) = 0;
  /// The contacts of the last step, also where that was not to be recorded.
  virtual void addContacts(StepRecord& record) = 0;
  /// Sets to NaN the quantities that need contacts, when the contacts of the steps are not reported.
  virtual void dropUnknown(StepRecord& /*record*/) const {}
  /// The lowest body that has diverged (core/world/divergence.h), or −1.
  virtual int divergedBody(const World& world) const = 0;
  /// Bodies of a replica go back to where they were before the last step.
  virtual void rollBack(World& world, int replica) = 0;
  /// Makes the host's positions, orientations and velocities those of the simulation.
  /// @param meanwhile  called, unless it is empty, while they are on their way
  virtual void download(World& world, const std::function<void()>& meanwhile) = 0;
  /// The world is as its next step will find it, if nothing changes it and dt stays: a device may begin with
  /// that step, while the host is busy with this one. After sendMemory().
  virtual void prelaunch(World& /*world*/, double /*dt*/) {}

  virtual void setParameters(const ParameterValues& values) = 0;
  /// Records need no contacts from now on: nothing but states and contact memory has to leave a device.
  virtual void setStatesOnly(bool on) = 0;
  /// Forgets contact memory.
  virtual void reset(const World& world) = 0;
  /// Starts the way of contact memory to the host. What is kept stays.
  virtual void sendMemory() = 0;
  /// Waits for it; it is what is kept from then on.
  virtual void keepMemory() = 0;
  /// Last saved memory. Does not touch the device, which may be lost.
  virtual std::string keptMemory() = 0;
  virtual void restoreMemory(const std::string& bytes) = 0;
  virtual Launches launches() const { return {}; }  ///< so far; none on the host
};

/// @param deviceWorld  the world on the backend   @throws std::runtime_error if none is registered for it, or
/// if a device refuses
std::unique_ptr<Stepper> makeStepper(BackendKind backend, const MethodChoice& choice, const World& world,
                                     const std::shared_ptr<DeviceWorld>& deviceWorld);

/// Maker of the steppers of a backend; gpu/ registers its own, because core never includes gpu/.
using StepperFactory = std::function<std::unique_ptr<Stepper>(
    const MethodChoice& choice, const World& world, const std::shared_ptr<DeviceWorld>& deviceWorld)>;
void registerStepper(BackendKind backend, StepperFactory factory);
bool hasStepper(BackendKind backend);

}  // namespace touchstone
