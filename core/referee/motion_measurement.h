#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/world/device_world.h"

namespace touchstone {

/// Sums of motion over bodies, in the world frame.
struct Momenta {
  Vec3 linear = Vec3(0, 0, 0);   ///< Σ m v [N·s]
  Vec3 angular = Vec3(0, 0, 0);  ///< Σ x × m v + I ω [N·m·s], about the origin of the world
  double kinetic = 0;            ///< Σ ½ m v² + ½ ω·I ω [J]
  double potential = 0;          ///< −Σ m g·(x − ½ h v) [J], see momentaOf()
  double mass = 0;               ///< kg
  TS_HD Momenta& operator+=(const Momenta& o) {
    linear += o.linear;
    angular += o.angular;
    kinetic += o.kinetic;
    potential += o.potential;
    mass += o.mass;
    return *this;
  }
};

/// Momenta of one body. Symplectic Euler takes x⁺ = x + h v⁺, so that v⁺ is the velocity at the middle of the
/// step. The height for the potential energy is taken at the same time, at x⁺ − ½ h v⁺. The energy of a free
/// fall is then constant up to rounding. With x⁺ itself it would fall by ½ m g² h t, for which no contact
/// method is responsible.
/// @param inertia  body frame   @param halfStep  ½ h of the last step [s]
TS_HD inline Momenta momentaOf(double mass, const Mat3& inertia, const Vec3& gravity, const Vec3& position,
                               const Quaternion& orientation, const Vec3& velocity,
                               const Vec3& angularVelocity, double halfStep) {
  Momenta result;
  const Vec3 spin = angularMomentum(inertia, orientation, angularVelocity);
  result.mass = mass;
  result.linear = mass * velocity;
  result.angular = position.cross(result.linear) + spin;
  result.kinetic = 0.5 * result.linear.dot(velocity) + 0.5 * spin.dot(angularVelocity);
  result.potential = -mass * gravity.dot(position - halfStep * velocity);
  return result;
}

/// Momenta of a particle, likewise.
TS_HD inline Momenta momentaOfParticle(double mass, const Vec3& gravity, const Vec3& position,
                                       const Vec3& velocity, double halfStep) {
  Momenta result;
  result.mass = mass;
  result.linear = mass * velocity;
  result.angular = position.cross(result.linear);
  result.kinetic = 0.5 * result.linear.dot(velocity);
  result.potential = -mass * gravity.dot(position - halfStep * velocity);
  return result;
}

/// Sums over all dynamic carriers of a world.
struct MotionSums {
  Momenta momenta;
  double unrest = 0;    ///< Σ |v − v_slow|² over the carriers of touching bodies [m²/s²]
  double touching = 0;  ///< number of these
  TS_HD MotionSums& operator+=(const MotionSums& o) {
    momenta += o.momenta;
    unrest += o.unrest;
    touching += o.touching;
    return *this;
  }
};

/// Computes the sums over the carriers of a world on a backend, and the slow velocities from which jitter is
/// measured: a low-pass of the velocities. Not thread-safe.
class MotionMeasurement {
 public:
  virtual ~MotionMeasurement() = default;
  /// @param velocities  [carrierCount] m/s; initially 0
  virtual void setSlowVelocities(const std::vector<Vec3>& velocities) = 0;
  /// [carrierCount] the velocities last set or kept; on the host, even after the backend has failed.
  virtual const Vec3* slowVelocities() = 0;
  /// Moves the slow velocities of dynamic carriers towards their velocities,
  ///     v_slow ← v_slow + share (v − v_slow),
  /// and computes the sums, from the state on the backend. Does not wait.
  /// @param touches  [bodyCount] 1: the body counts for unrest   @param halfStep  as for momentaOf() [s]
  virtual void start(const World& world, const std::vector<unsigned char>& touches, double share,
                     double halfStep) = 0;
  /// Waits for start().
  virtual MotionSums finish() = 0;
  /// Makes the new slow velocities the valid ones; call it after finish().
  virtual void keep() = 0;
};

/// Creates the engine of a backend for the bodies of a world. @param there  the world on that backend
/// @throws std::runtime_error if no engine is registered for it
std::unique_ptr<MotionMeasurement> makeMotionMeasurement(BackendKind backend, const World& world,
                                                         const std::shared_ptr<DeviceWorld>& deviceWorld);

/// Registers the factory of a backend. gpu/ calls it, because core/ never includes gpu/.
using MotionMeasurementFactory = std::function<std::unique_ptr<MotionMeasurement>(
    const World& world, const std::shared_ptr<DeviceWorld>& deviceWorld)>;
void registerMotionMeasurement(BackendKind backend, MotionMeasurementFactory factory);

}  // namespace touchstone
