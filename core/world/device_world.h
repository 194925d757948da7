#pragma once

#include <functional>
#include <memory>

#include "core/parallel/backend_kind.h"
#include "core/parallel/launches.h"
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
  /// Sets whether the next steps are inspected: then each loop is launched by itself, and its results may be
  /// waited for.
  virtual void inspect(bool on) = 0;
  /// Predicts like touchstone::predict(), from the present state; on a device without waiting for it. The
  /// action of a spring is not downloaded.
  virtual void predict(World& world, double dt) = 0;
  /// Brings the state, and what bodies have in the running step: velocities, inertia and predicted poses, on
  /// a device not where their vertices are.
  virtual void downloadStep(World& world) = 0;
  /// Takes the velocities of the step that the host has computed.
  virtual void takeVelocities(const World& world) = 0;
  /// Brings positions, orientations and velocities.
  /// @param meanwhile  called, unless it is empty, while they are on their way; leaves them as they are
  virtual void downloadState(World& world, const std::function<void()>& meanwhile) = 0;
  virtual Launches launches() const = 0;  ///< so far
};

/// @throws std::runtime_error if no factory is registered for the backend
std::shared_ptr<DeviceWorld> makeDeviceWorld(BackendKind backend, const World& world);

/// Registers the factory of a backend. gpu/ calls it, because core/ never includes gpu/.
using DeviceWorldFactory = std::function<std::unique_ptr<DeviceWorld>(const World& world)>;
void registerDeviceWorld(BackendKind backend, DeviceWorldFactory factory);

}  // namespace touchstone
