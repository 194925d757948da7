#pragma once

#include <cmath>

#include "core/scene/joint.h"

namespace touchstone {

/// Pose of a body: its centre of mass [m] and its orientation.
struct BodyPose {
  Vec3 position = Vec3(0, 0, 0);
  Quaternion orientation = Quaternion(1, 0, 0, 0);
};

/// A row of J: rate = linearA · v_A + angularA · ω_A + linearB · v_B + angularB · ω_B, world frame. A force λ
/// of the row acts as λ J: on B along linearB.
struct JacobianRow {
  Vec3 linearA = Vec3(0, 0, 0), angularA = Vec3(0, 0, 0);
  Vec3 linearB = Vec3(0, 0, 0), angularB = Vec3(0, 0, 0);
  TS_HD JacobianRow scaled(double share) const {
    return {share * linearA, share * angularA, share * linearB, share * angularB};
  }
  JacobianRow& operator+=(const JacobianRow& other) {
    linearA += other.linearA;
    angularA += other.angularA;
    linearB += other.linearB;
    angularB += other.angularB;
    return *this;
  }
};

/// The rows that hold a joint together: errors c, 0 where it does, and their gradients, ċ = J u.
struct JointRows {
  static constexpr int kMost = 6;
  int count = 0;
  double error[kMost] = {};  ///< m, or rad from `firstAngle` on
  int firstAngle = kMost;
  JacobianRow row[kMost];
  TS_HD void add(double c, const JacobianRow& j) {
    error[count] = c;
    row[count++] = j;
  }
};

/// A coordinate of a joint with its gradient: the twist of a revolute joint [rad], the slide of a prismatic
/// one [m].
struct JointCoordinate {
  double value = 0;
  JacobianRow row;
};

namespace detail {

/// The geometry of a joint at a pose.
struct PlacedJoint {
  Vec3 armA, armB;    ///< from the centres of mass to the anchors, world [m]
  Vec3 d;             ///< from A's anchor to B's [m]
  Quaternion worldA;  ///< orientation of A's frame
  Vec3 v;             ///< of the relative rotation (w, v) of the frames, with w ≥ 0
  double w;
  Vec3 e[3];  ///< axes of A's frame
  Vec3 b1;    ///< axis of B's

  TS_HD PlacedJoint(const JointFrames& frames, const BodyPose& a, const BodyPose& b)
      : armA(a.orientation * frames.anchorA),
        armB(b.orientation * frames.anchorB),
        d((b.position + armB) - (a.position + armA)),
        worldA(product(a.orientation, frames.frameA)) {
    const Quaternion worldB = product(b.orientation, frames.frameB),
                     relative = product(worldA.conjugate(), worldB);
    const double sign = relative.w() < 0 ? -1 : 1;
    w = sign * relative.w();
    v = sign * Vec3(relative.x(), relative.y(), relative.z());
    e[0] = worldA * Vec3(1, 0, 0);
    e[1] = worldA * Vec3(0, 1, 0);
    e[2] = worldA * Vec3(0, 0, 1);
    b1 = worldB * Vec3(1, 0, 0);
  }

  /// The anchors along a fixed direction of the world. Of e_k of A: see alongAxis().
  TS_HD JacobianRow along(const Vec3& n) const { return {-n, -armA.cross(n), n, armB.cross(n)}; }
  /// e_k · d, whose direction turns with A.
  TS_HD JacobianRow alongAxis(int k) const {
    return {-e[k], -Vec3(armA + d).cross(e[k]), e[k], armB.cross(e[k])};
  }
  /// A rate of the relative angular velocity alone.
  TS_HD static JacobianRow rotationRow(const Vec3& g) { return {Vec3(0, 0, 0), -g, Vec3(0, 0, 0), g}; }
  /// Row k of M F_Aᵀ, with M given by its product with a vector from the left.
  TS_HD Vec3 inWorld(const Vec3& local) const { return worldA * local; }
};

TS_HD inline Vec3 unitAxis(int k) { return Vec3(k == 0 ? 1 : 0, k == 1 ? 1 : 0, k == 2 ? 1 : 0); }

}  // namespace detail

/// Errors and gradients of a joint. The point rows are of the anchors' distance d, an axis row is e_k · b₁,
/// the lock 2v (twice the vector part of the relative rotation: no singularity below 180°), the rotation
/// vector φ = 2 atan2(|v|, w) v/|v|, whose energy ½ k |φ|² a beam needs.
/// @param length  of Distance and Rope [m]; a rope has L − |d|, which is not to be negative
/// @param a, b    poses of the bodies
/// @return no row for a distance below 1e-9 m, which has no direction
TS_HD inline JointRows jointRows(JointKind kind, const JointFrames& frames, double length, const BodyPose& a,
                                 const BodyPose& b) {
  const detail::PlacedJoint joint(frames, a, b);
  JointRows rows;
  if (kind == JointKind::Distance || kind == JointKind::Rope) {
    const double size = joint.d.norm();
    if (size < 1e-9) return rows;
    const double sign = kind == JointKind::Rope ? -1 : 1;
    rows.add(sign * (size - length), joint.along(Vec3(sign / size * joint.d)));
    return rows;
  }
  if (kind == JointKind::Prismatic) {
    for (int k = 1; k < 3; ++k) rows.add(joint.e[k].dot(joint.d), joint.alongAxis(k));
  } else {
    for (int k = 0; k < 3; ++k) rows.add(joint.d[k], joint.along(detail::unitAxis(k)));
  }
  rows.firstAngle = rows.count;
  if (kind == JointKind::Revolute) {
    for (int k = 1; k < 3; ++k)
      rows.add(joint.e[k].dot(joint.b1), detail::PlacedJoint::rotationRow(joint.b1.cross(joint.e[k])));
  } else if (kind == JointKind::Fixed || kind == JointKind::Prismatic) {
    // 2v has the rate (w 1 − [v]×) F_Aᵀ (ω_B − ω_A).
    for (int k = 0; k < 3; ++k) {
      const Vec3 axis = detail::unitAxis(k);
      rows.add(2 * joint.v[k],
               detail::PlacedJoint::rotationRow(joint.inWorld(joint.w * axis - axis.cross(joint.v))));
    }
  } else if (kind == JointKind::Beam) {
    const double sine = joint.v.norm(), angle = 2 * std::atan2(sine, joint.w);
    const Vec3 phi = sine > 0 ? Vec3(angle / sine * joint.v) : Vec3(2 * joint.v);
    // J_l⁻¹(φ) = 1 − ½ [φ]× + f [φ]×², f → 1/12.
    const double f =
        angle < 1e-4 ? 1.0 / 12 : 1 / (angle * angle) - (1 + std::cos(angle)) / (2 * angle * std::sin(angle));
    for (int k = 0; k < 3; ++k) {
      const Vec3 axis = detail::unitAxis(k);
      const Vec3 once = axis.cross(phi), twice = once.cross(phi);  // axisᵀ [φ]×, axisᵀ [φ]×²
      rows.add(phi[k], detail::PlacedJoint::rotationRow(joint.inWorld(axis - 0.5 * once + f * twice)));
    }
  }
  return rows;
}

/// Calls use(c, isAngle) for each row that holds a joint, with how far it is off [m, rad]; 0 for a rope that
/// is slack.
template <class Use>
void eachJointError(const Joint& joint, const BodyPose& a, const BodyPose& b, const Use& use) {
  const JointRows rows = jointRows(joint.kind, joint.frames, joint.length, a, b);
  for (int row = 0; row < rows.count; ++row)
    use(joint.kind == JointKind::Rope ? std::fmin(0.0, rows.error[row]) : rows.error[row],
        row >= rows.firstAngle);
}

/// The twist θ = 2 atan2(x, w) about e₁ of any two frames, in (−π, π]; undefined where a swing of 180° leaves
/// x = w = 0.
TS_HD inline JointCoordinate jointTwist(const JointFrames& frames, const BodyPose& a, const BodyPose& b) {
  const detail::PlacedJoint joint(frames, a, b);
  const double w = joint.w, x = joint.v.x(), y = joint.v.y(), z = joint.v.z(), n = w * w + x * x;
  const Vec3 g = joint.inWorld(Vec3(1, (w * z + x * y) / n, (x * z - w * y) / n));
  return {2 * std::atan2(x, w), detail::PlacedJoint::rotationRow(g)};
}

/// The slide s = e₁ · d.
TS_HD inline JointCoordinate jointSlide(const JointFrames& frames, const BodyPose& a, const BodyPose& b) {
  const detail::PlacedJoint joint(frames, a, b);
  return {joint.e[0].dot(joint.d), joint.alongAxis(0)};
}

/// The coordinate of a joint that has one: slide of a prismatic joint, else twist.
TS_HD inline JointCoordinate jointCoordinate(JointKind kind, const JointFrames& frames, const BodyPose& a,
                                             const BodyPose& b) {
  return kind == JointKind::Prismatic ? jointSlide(frames, a, b) : jointTwist(frames, a, b);
}

/// The twist with as many turns as bring it nearest to the last value.
TS_HD inline double unwrapped(double last, double twist) {
  constexpr double kTurn = 6.283185307179586;
  return twist + kTurn * std::floor((last - twist) / kTurn + 0.5);
}

}  // namespace touchstone
