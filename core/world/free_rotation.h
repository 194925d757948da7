#pragma once

#include "core/world/world_view.h"

namespace touchstone {

/// Unit quaternion that turns by the rotation vector (axis times angle) [rad]:
///
///     (cos |t|/2,  sin(|t|/2) t/|t|)
///
/// Halves the angle until its series ends at rounding, and squares the result as often: multiplications and
/// additions only, so that a host and a device give the same bits, whichever library of functions they have.
TS_HD inline Quaternion rotationBy(const Vec3& turn) {
  constexpr double kSmall = 1.0 / 64;   // of |t|²/4: the next terms of both series are below 1e-18
  constexpr int kMostBisections = 512;  // the square of the largest number; beyond it the turn is no number
  double square = 0.25 * turn.squaredNorm(), share = 0.5;
  int bisections = 0;
  for (; square > kSmall && bisections < kMostBisections; ++bisections) {
    square *= 0.25;
    share *= 0.5;
  }
  const double s = square;
  const double cosine = 1 - s / 2 * (1 - s / 12 * (1 - s / 30 * (1 - s / 56 * (1 - s / 90))));
  const double sine = share * (1 - s / 6 * (1 - s / 20 * (1 - s / 42 * (1 - s / 72 * (1 - s / 110)))));
  double w = cosine;
  Vec3 v = sine * turn;
  for (int k = 0; k < bisections; ++k) {
    const double both = 2 * w;
    w = w * w - v.squaredNorm();
    v *= both;
  }
  return Quaternion(w, v.x(), v.y(), v.z());
}

/// Orientation and angular velocity of a body after a step without torque.
struct FreeRotation {
  Quaternion orientation;
  Vec3 angularVelocity;  ///< world frame [rad/s]
};

/// Rotation of a free rigid body over one step, by symmetric splitting about its principal axes (McLachlan
/// 1993; Hairer, Lubich and Wanner 2006, section VII.5). With the angular momentum l in the body frame and
/// the principal moments I₁ ≤ I₂ ≤ I₃ its energy is
///
///     T = |l|²/2I₂ + l₁²/2 (1/I₁ − 1/I₂) + l₃²/2 (1/I₃ − 1/I₂)
///
/// Each term alone is solved exactly: the first turns the body about L, which stands still in the world, by
/// h |L| / I₂; the others turn it about axes 1 and 3 of its own by h l_k (1/I_k − 1/I₂). The step takes half
/// of the third, the second, half of the third again, and the first, which commutes with both.
///
/// |L| and its direction in the world are kept to rounding. The energy oscillates by O(h²) and does not
/// drift, for the map is symplectic and its own inverse with −h. A body with two equal moments, and a
/// rotation about a principal axis, turn exactly. The gyroscopic torque −ω × I ω acts here and nowhere else:
/// contact impulses change ω at the start of the step, with the inertia of its orientation there, and the
/// body then turns freely. Every method uses this function, so that a difference between methods is not one
/// of rotation.
/// @param body  dynamic   @param omega  world frame [rad/s]   @param dt  [s]
TS_HD inline FreeRotation freeRotation(const BodyConstants& body, const Quaternion& orientation,
                                       const Vec3& omega, double dt) {
  Quaternion q = orientation;
  Vec3 l = body.inertia * Vec3(orientation.conjugate() * omega);
  const Vec3 momentum = orientation * l;
  const auto about = [&](const Vec3& axis, double excess, double share) {
    const Vec3 own = share * dt * excess * axis.dot(l) * axis;
    const Quaternion rotation = rotationBy(own);
    q = product(q, rotation);
    l = rotation.conjugate() * l;
  };
  if (body.excessOfLargest != 0) about(body.axisOfLargest, body.excessOfLargest, 0.5);
  if (body.excessOfSmallest != 0) about(body.axisOfSmallest, body.excessOfSmallest, 1);
  if (body.excessOfLargest != 0) about(body.axisOfLargest, body.excessOfLargest, 0.5);
  q = product(rotationBy(dt * body.inverseMiddleInertia * momentum), q);
  q.normalize();
  const auto inWorld = [&q](const Mat3& tensor, const Vec3& v) {
    return Vec3(q * Vec3(tensor * Vec3(q.conjugate() * v)));
  };
  // Refined once: neither q nor the product of I and its inverse is exactly 1, by the same bit in every step.
  Vec3 spin = inWorld(body.inverseInertia, momentum);
  spin += inWorld(body.inverseInertia, momentum - inWorld(body.inertia, spin));
  return {q, spin};
}

}  // namespace touchstone
