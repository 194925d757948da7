#pragma once

#include "core/world/world_view.h"

namespace touchstone {

/// Unit quaternion that turns by the rotation vector (axis times angle) [rad]:
///
///     (cos |t|/2,  sin(|t|/2) t/|t|)
///
/// The function halves the angle until its series converges to rounding, then squares the result as often. It
/// uses only multiplications and additions, so that host and device give the same bits, independent of their
/// maths libraries.
TS_HD inline Quaternion rotationBy(const Vec3& turn) {
  // Bound of |t|²/4 for the series: the next terms of both series are below 1e-18. A larger value loses
  // digits; a smaller one squares more often, which adds rounding.
  constexpr double kSmall = 1.0 / 64;
  // Enough for the square of the largest number; beyond it the turn is not finite. A smaller value truncates
  // large turns; a larger one only costs time on values that are not finite.
  constexpr int kMostBisections = 512;
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
/// the principal moments I₁ ≤ I₂ ≤ I₃ the energy is
///
///     T = |l|²/2I₂ + l₁²/2 (1/I₁ − 1/I₂) + l₃²/2 (1/I₃ − 1/I₂)
///
/// Each term alone is solved exactly. The first turns the body about L, which is fixed in the world, by h |L|
/// / I₂; the others turn it about its own axes 1 and 3 by h l_k (1/I_k − 1/I₂). The step applies half of the
/// third, the second, half of the third again, and the first, which commutes with both.
///
/// |L| and its direction in the world are conserved up to rounding. The energy oscillates by O(h²) and does
/// not drift, because the map is symplectic and its own inverse with −h. A body with two equal moments, and a
/// rotation about a principal axis, turn exactly. The gyroscopic torque −ω × I ω acts only here: contact
/// impulses change ω at the start of the step, with the inertia at that orientation, and the body then turns
/// freely. Every method uses this function, so that methods do not differ in rotation.
/// @param body  dynamic   @param omega  world frame [rad/s]   @param dt  [s]
TS_HD inline FreeRotation freeRotation(const BodyConstants& body, const Quaternion& orientation,
                                       const Vec3& omega, double dt) {
  Quaternion q = orientation;
  Vec3 l = body.inertia * Vec3(orientation.conjugate() * omega);
  const Vec3 momentum = orientation * l;
  const auto about = [&](const Vec3& axis, double excess, double share) {
    const Vec3 rotationVector = share * dt * excess * axis.dot(l) * axis;
    const Quaternion rotation = rotationBy(rotationVector);
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
  // One refinement step: q and the product of I and its inverse differ from 1 by the same bits in every step.
  Vec3 spin = inWorld(body.inverseInertia, momentum);
  spin += inWorld(body.inverseInertia, momentum - inWorld(body.inertia, spin));
  return {q, spin};
}

}  // namespace touchstone
