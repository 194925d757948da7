#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "core/math/quaternion.h"
#include "core/math/time_path.h"

namespace touchstone {

/// Joints between two bodies. The axis of a joint is e₁, the first axis of its frames.
enum class JointKind {
  Ball,       ///< the anchors coincide
  Revolute,   ///< and the axes: B turns about e₁ by the twist θ
  Prismatic,  ///< B slides along e₁ by s and does not turn
  Fixed,      ///< B is part of A
  Beam,       ///< as Fixed, but its bending may be compliant: angles are those of the rotation vector
  Distance,   ///< the anchors are a length apart
  Rope        ///< and may come nearer
};

/// Anchors and frames of a joint in the body frames of A and B, about the centres of mass.
struct JointFrames {
  Vec3 anchorA = Vec3(0, 0, 0), anchorB = Vec3(0, 0, 0);                        ///< m
  Quaternion frameA = Quaternion(1, 0, 0, 0), frameB = Quaternion(1, 0, 0, 0);  ///< of the joint in the body
};

/// A spring, a damper and a target on the coordinate of a joint: the force on B
///     −k (θ − θ*) − d (θ̇ − θ̇*), at most `mostForce` in size
/// and besides it a force that is given.
struct JointDrive {
  double stiffness = 0;  ///< k [N/m, N·m/rad]
  double damping = 0;    ///< d [N·s/m, N·m·s/rad]
  double target = 0;     ///< θ* [m, rad]
  double rate = 0;       ///< θ̇* [m/s, rad/s]
  double mostForce = HUGE_VAL;
  /// Or θ* as straight lines between times [s] and values, held before the first and after the last; θ̇* is
  /// their slope.
  TimePath<double> targets = {};
  /// The given force [N, N·m]. Each of `forces` replaces it from its time on, until the next does. A random
  /// force replaces both.
  double force = 0;
  TimePath<double> forces = {};
  /// A new force every `hold` seconds, uniformly distributed from −most to most. It depends on the seed, on
  /// the index of the joint and on the time only.
  struct Random {
    double most = 0, hold = 0;  ///< N or N·m; s
    int seed = 0;
  };
  Random random = {};
  bool hasForce() const { return force != 0 || !forces.empty() || random.most > 0; }
  /// The given force of a step that ends at this time. @param joint  its index
  double forceAt(double time, std::size_t joint) const {
    if (random.most > 0) {
      // SplitMix64 of seed, joint and interval.
      std::uint64_t bits = static_cast<std::uint64_t>(random.seed) * 0x9E3779B97F4A7C15u +
                           static_cast<std::uint64_t>(joint) * 0xD1B54A32D192ED03u +
                           static_cast<std::uint64_t>(std::ceil(time / random.hold - 1e-9));
      for (const std::uint64_t factor : {0xBF58476D1CE4E5B9u, 0x94D049BB133111EBu}) {
        bits = (bits ^ (bits >> 30)) * factor;
        bits ^= bits >> 27;
      }
      return random.most * (2 * static_cast<double>(bits >> 11) / 9007199254740992.0 - 1);
    }
    double now = force;
    for (const TimedValue<double>& step : forces)
      if (step.time < time) now = step.value;
    return now;
  }
  bool isOn() const { return stiffness > 0 || damping > 0; }

  /// Goal of the drive when a step ends.
  struct Aim {
    double target, rate;
    double force = 0;  ///< given
  };
  Aim aimAt(double time) const {
    if (targets.empty()) return {target, rate, 0};
    if (time <= targets.front().time) return {targets.front().value, 0, 0};
    for (std::size_t k = 1; k < targets.size(); ++k) {
      const TimedValue<double>&before = targets[k - 1], &after = targets[k];
      if (time > after.time) continue;
      const double slope = (after.value - before.value) / (after.time - before.time);
      return {before.value + slope * (time - before.time), slope, 0};
    }
    return {targets.back().value, 0, 0};
  }
};

/// The coordinate of a joint follows that of another: θ = ratio θ_other + offset.
struct JointMimic {
  int joint = -1;  ///< index; −1: none
  double ratio = 1, offset = 0;
};

/// A joint of a scene.
struct Joint {
  std::string name;
  JointKind kind = JointKind::Ball;
  int bodyA = -1, bodyB = -1;  ///< indices into Scene::bodies
  JointFrames frames;
  double length = 0;  ///< of Distance and Rope [m]
  /// 1/k of its points [m/N] and angles [rad/(N·m)]; 0: rigid.
  double compliance = 0, angularCompliance = 0;
  double dampingTime = 0;                      ///< τ of compliant rows: force −(c + τ ċ)/E [s]
  double lower = -HUGE_VAL, upper = HUGE_VAL;  ///< of the coordinate [m, rad]
  JointDrive drive;
  double dryFriction = 0;  ///< largest force of friction along the coordinate [N, N·m]
  JointMimic mimic;
  bool collide = false;  ///< its two bodies may touch each other
  /// Compliance of one of its rows: of an angle, or of a distance.
  double complianceOf(bool isAngle) const { return isAngle ? angularCompliance : compliance; }
  bool hasCoordinate() const { return kind == JointKind::Revolute || kind == JointKind::Prismatic; }
};

}  // namespace touchstone
