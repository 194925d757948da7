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
  /// Keeps the state, so that rollBack() can give it to the bodies of a replica again.
  virtual void remember(const World& world) = 0;
  virtual void rollBack(World& world, int replica) = 0;
  /// Whether somebody looks into the steps that follow: then each loop is launched by itself, and what it
  /// finds may be waited for.
  virtual void inspect(bool on) = 0;
  /// Whether what is launched runs beside the host.
  virtual bool runsBeside() const = 0;
  /// As touchstone::predict(), from the state that is there; on a device without waiting for it, unless a
  /// spring pulls: the host learns what that did.
  virtual void predict(World& world, double dt) = 0;
  /// What the last predict() took, after something behind it was waited for [ms].
  virtual double predictionTime() const = 0;
  /// Brings the state, and what bodies have in the running step: velocities, inertia and predicted poses, on
  /// a device not where their vertices are.
  virtual void bringStep(World& world) = 0;
  /// The host has found the velocities of the step.
  virtual void takeVelocities(const World& world) = 0;
  /// As touchstone::integrate(), with the velocities of the step that are there.
  virtual void integrate(World& world) = 0;
  /// Brings positions, orientations and velocities.
  /// @param meanwhile  called, unless it is empty, while they are on their way; leaves them as they are
  virtual void bringState(World& world, const std::function<void()>& meanwhile) = 0;

  // Of the state that is there:

  /// Σ m x of dynamic bodies [kg·m].
  virtual Vec3 firstMoment(const World& world) = 0;
  /// The lowest body that has diverged (core/world/divergence.h), or −1.
  virtual int divergedBody(const World& world) = 0;
  virtual Launches launches() const = 0;  ///< so far
};

/// @throws std::runtime_error if none is registered for the backend
std::shared_ptr<DeviceWorld> makeDeviceWorld(BackendKind backend, const World& world);

/// How gpu/ adds its own: core never includes gpu/.
using DeviceWorldFactory = std::function<std::unique_ptr<DeviceWorld>(const World& world)>;
void registerDeviceWorld(BackendKind backend, DeviceWorldFactory factory);

}  // namespace touchstone
