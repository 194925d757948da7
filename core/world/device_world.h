#pragma once

#include <functional>
#include <memory>

#include "core/parallel/backend_kind.h"
#include "core/parallel/device/launches.h"
#include "core/world/world.h"

namespace touchstone {

/// The world of one simulation in the memory where its loops run, shared by all its engines. On the host it
/// is the World itself. On a device it is a set of arrays; the World then is the copy on the host, which has
/// the time and whatever was downloaded. Not thread-safe.
class DeviceWorld {
 public:
  virtual ~DeviceWorld() = default;
  /// Takes the state of the world, after it was changed from outside.
  virtual void changed(const World& world) = 0;
  /// Stores the state, so that rollBack() can restore it for the bodies of a replica.
  virtual void remember(const World& world) = 0;
  virtual void rollBack(World& world, int replica) = 0;
  /// Sets whether the following steps are inspected. If so, each loop is launched separately, and steps may
  /// wait for intermediate results.
  virtual void inspect(bool on) = 0;
  /// True if launched work runs concurrently with the host.
  virtual bool runsBeside() const = 0;
  /// Does what touchstone::predict() does, from the present state. On a device it does not wait, unless a
  /// spring pulls: then the action of the spring is downloaded.
  virtual void predict(World& world, double dt) = 0;
  /// Time of the last predict() [ms]. Call it after waiting for something launched later.
  virtual double predictionTime() const = 0;
  /// Downloads the state and the quantities of bodies in the running step: velocities, inertia and predicted
  /// poses. A device does not download the vertices.
  virtual void bringStep(World& world) = 0;
  /// Takes the velocities of the step that the host has computed.
  virtual void takeVelocities(const World& world) = 0;
  /// Does what touchstone::integrate() does, with the velocities of the step.
  virtual void integrate(World& world) = 0;
  /// Downloads positions, orientations and velocities.
  /// @param meanwhile  called, unless it is empty, during the download; must not change the state
  virtual void bringState(World& world, const std::function<void()>& meanwhile) = 0;

  // Sums and tests of the present state:

  /// Σ m x of dynamic bodies [kg·m].
  virtual Vec3 firstMoment(const World& world) = 0;
  /// The lowest body that has diverged (core/world/divergence.h), or −1.
  virtual int divergedBody(const World& world) = 0;
  virtual Launches launches() const = 0;  ///< so far
};

/// @throws std::runtime_error if no factory is registered for the backend
std::shared_ptr<DeviceWorld> makeDeviceWorld(BackendKind backend, const World& world);

/// Registers the factory of a backend. gpu/ calls it, because core/ never includes gpu/.
using DeviceWorldFactory = std::function<std::unique_ptr<DeviceWorld>(const World& world)>;
void registerDeviceWorld(BackendKind backend, DeviceWorldFactory factory);

}  // namespace touchstone
