#pragma once

#include <functional>
#include <memory>

#include "core/parallel/backend_kind.h"
#include "core/parallel/device/launches.h"
#include "core/world/world.h"

namespace touchstone {

/// The world of one simulation where its loops run, shared by all its engines: on the host the World itself;
/// on a device arrays that stay there, of which the World is the host's copy: it knows of a step what it is
/// brought, and the time. One thread at a time.
class DeviceWorld {
 public:
  virtual ~DeviceWorld() = default;
  /// The state of the world was changed from outside.
  virtual void changed(const World& world) = 0;
  /// Whether the steps that follow are inspected: then each loop is launched by itself, and what it
  /// finds may be waited for.
  virtual void inspect(bool on) = 0;
  /// As touchstone::predict(), from the state that is there; on a device without waiting for it. What a
  /// spring did is not brought.
  virtual void predict(World& world, double dt) = 0;
  /// Brings the state, and what bodies have in the running step: velocities, inertia and predicted poses, on
  /// a device not where their vertices are.
  virtual void bringStep(World& world) = 0;
  /// The host has found the velocities of the step.
  virtual void takeVelocities(const World& world) = 0;
  /// Brings positions, orientations and velocities.
  /// @param meanwhile  called, unless it is empty, while they are on their way; leaves them as they are
  virtual void bringState(World& world, const std::function<void()>& meanwhile) = 0;
  virtual Launches launches() const = 0;  ///< so far
};

/// @throws std::runtime_error if none is registered for the backend
std::shared_ptr<DeviceWorld> makeBackendWorld(BackendKind backend, const World& world);

/// How gpu/ adds its own: core never includes gpu/.
using BackendWorldFactory = std::function<std::unique_ptr<DeviceWorld>(const World& world)>;
void registerBackendWorld(BackendKind backend, BackendWorldFactory factory);

}  // namespace touchstone
