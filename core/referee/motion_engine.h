#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/world/device_world.h"

namespace touchstone {

/// What bodies come to, in the world frame.
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

/// Of one body. Symplectic Euler takes x⁺ = x + h v⁺, so that v⁺ is the velocity of the middle of the step.
/// The height for the potential energy is taken there as well, at x⁺ − ½ h v⁺: then the energy of a free fall
/// is constant to rounding. With x⁺ itself it would fall by ½ m g² h t, which no contact method is to blame
/// for.
/// @param inertia  in its own frame   @param halfStep  ½ h of the last step [s]
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

/// What all dynamic bodies of a world come to.
struct MotionSums {
  Momenta momenta;
  double unrest = 0;    ///< Σ |v − v_slow|² of those that touch [m²/s²]
  double touching = 0;  ///< their number
  TS_HD MotionSums& operator+=(const MotionSums& o) {
    momenta += o.momenta;
    unrest += o.unrest;
    touching += o.touching;
    return *this;
  }
};

/// Sums over the bodies of a world on a backend, and the slow velocities that jitter is measured against: a
/// low-pass of the velocities. One thread at a time.
class MotionEngine {
 public:
  virtual ~MotionEngine() = default;
  /// @param velocities  [bodyCount] m/s; 0 at first
  virtual void setSlowVelocities(const std::vector<Vec3>& velocities) = 0;
  /// [bodyCount] as set or kept last; on the host, whatever has become of the backend since.
  virtual const Vec3* slowVelocities() = 0;
  /// Brings slow velocities of dynamic bodies nearer to their velocities,
  ///     v_slow ← v_slow + share (v − v_slow),
  /// and adds up, both of the state that is on the backend. Waits for neither.
  /// @param touches  [bodyCount] 1: counts for unrest   @param halfStep  as for momentaOf() [s]
  virtual void start(const World& world, const std::vector<unsigned char>& touches, double share,
                     double halfStep) = 0;
  /// Waits for what was started.
  virtual MotionSums finish() = 0;
  /// The slow velocities that were found are those from now on; after finish().
  virtual void keep() = 0;
};

/// Engine of a backend for the bodies of a world. @param there  the world on that backend   @throws
/// std::runtime_error if none is registered for it
std::unique_ptr<MotionEngine> makeMotionEngine(BackendKind backend, const World& world,
                                               const std::shared_ptr<DeviceWorld>& deviceWorld);

/// How gpu/ adds its engine: core never includes gpu/.
using MotionEngineFactory = std::function<std::unique_ptr<MotionEngine>(
    const World& world, const std::shared_ptr<DeviceWorld>& deviceWorld)>;
void registerMotionEngine(BackendKind backend, MotionEngineFactory factory);

}  // namespace touchstone
