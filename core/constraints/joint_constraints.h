#pragma once

#include <cmath>

#include "core/scene/joint_rows.h"
#include "core/world/joint_coordinates.h"

namespace touchstone {

/// A row of a joint with what it asks for.
struct JointConstraint {
  enum class Kind {
    Bilateral,   ///< c + τ ċ + E λ = 0
    Unilateral,  ///< 0 ≤ c ⊥ λ ≥ 0: limits and ropes
    Drive,  ///< λ = −k c − d (ċ − rate), |λ| ≤ most; c: how far the coordinate is from its target
    Force   ///< λ = most, given
  };
  /// Its place among the rows of its joint, the same in every step.
  enum Slot { Hold = 0, Lower = JointRows::kMost, Upper, Driven, DryFriction, Mimic, Given, SlotCount };

  int slot = Hold;
  Kind kind = Kind::Bilateral;
  double c = 0;          ///< m, rad
  bool isAngle = false;  ///< of Hold rows: c is in rad
  JacobianRow row;       ///< ċ = row · u of the joint's bodies …
  bool hasLed = false;   ///< … and led · u of those of the joint that it follows
  JacobianRow led;
  double compliance = 0;   ///< E [m/N, rad/(N·m)]
  double dampingTime = 0;  ///< τ [s]
  double stiffness = 0, damping = 0, rate = 0, bound = HUGE_VAL;

  /// Share of the change of its coordinate in a step that the spring of a drive feels, see DriveIntegration.
  double springShare = 1;  ///< α, 1: it is implicit …
  double springLead = 0;  ///< … and what it feels besides of the coordinate, h θ̇* − α h θ̇ [m, rad]

  /// E of a drive with which one step makes it a bilateral row, h / (α k h + d).
  double driveCompliance(double h) const { return h / (springShare * stiffness * h + damping); }
};

/// The pose of a joint, with its memory.
struct PlacedConstraints {
  const Joint* joint = nullptr;
  BodyPose a, b;
  double lastCoordinate = 0;               ///< with its turns
  JointDrive::Aim aim = {0, 0, 0};         ///< of its drive, for the running step
  const PlacedConstraints* led = nullptr;  ///< the joint that it follows, or null

  /// The coordinate with its turns.
  JointCoordinate coordinate() const {
    JointCoordinate now = jointCoordinate(joint->kind, joint->frames, a, b);
    if (joint->kind != JointKind::Prismatic) now.value = unwrapped(lastCoordinate, now.value);
    return now;
  }
};

/// Calls keep(JointConstraint) for each row of a joint at these poses: those that hold it, its limits, drive,
/// dry friction (a drive to rest with a largest force) and what it follows.
template <class Keep>
void eachJointConstraint(const PlacedConstraints& placed, const Keep& keep) {
  using Kind = JointConstraint::Kind;
  const Joint& joint = *placed.joint;
  const JointRows rows = jointRows(joint.kind, joint.frames, joint.length, placed.a, placed.b);
  for (int k = 0; k < rows.count; ++k) {
    JointConstraint constraint;
    constraint.slot = JointConstraint::Hold + k;
    constraint.kind = joint.kind == JointKind::Rope ? Kind::Unilateral : Kind::Bilateral;
    constraint.c = rows.error[k];
    constraint.row = rows.row[k];
    constraint.isAngle = k >= rows.firstAngle;
    constraint.compliance = joint.complianceOf(constraint.isAngle);
    constraint.dampingTime = constraint.compliance > 0 ? joint.dampingTime : 0;
    keep(constraint);
  }
  if (!joint.hasCoordinate()) return;
  const JointCoordinate coordinate = placed.coordinate();
  const auto along = [&coordinate](int slot, Kind kind, double c, double sign) {
    JointConstraint constraint;
    constraint.slot = slot;
    constraint.kind = kind;
    constraint.c = c;
    constraint.row = coordinate.row.scaled(sign);
    return constraint;
  };
  constexpr double kLocked = 1e-9;  // limits that are closer are one bilateral row
  if (joint.upper - joint.lower < kLocked) {
    keep(along(JointConstraint::Lower, Kind::Bilateral, coordinate.value - joint.lower, 1));
  } else {
    if (std::isfinite(joint.lower))
      keep(along(JointConstraint::Lower, Kind::Unilateral, coordinate.value - joint.lower, 1));
    if (std::isfinite(joint.upper))
      keep(along(JointConstraint::Upper, Kind::Unilateral, joint.upper - coordinate.value, -1));
  }
  if (joint.drive.isOn()) {
    JointConstraint constraint =
        along(JointConstraint::Driven, Kind::Drive, coordinate.value - placed.aim.target, 1);
    constraint.stiffness = joint.drive.stiffness;
    constraint.damping = joint.drive.damping;
    constraint.rate = placed.aim.rate;
    constraint.bound = joint.drive.mostForce;
    keep(constraint);
  }
  if (joint.drive.hasForce()) {
    JointConstraint constraint = along(JointConstraint::Given, Kind::Force, 0, 1);
    constraint.bound = placed.aim.force;
    keep(constraint);
  }
  if (joint.dryFriction > 0) {
    constexpr double kSticking = 1e6;  // N·s/m: what slips below the limit is not seen
    JointConstraint constraint = along(JointConstraint::DryFriction, Kind::Drive, 0, 1);
    constraint.damping = kSticking;
    constraint.bound = joint.dryFriction;
    keep(constraint);
  }
  if (!placed.led) return;
  const JointCoordinate led = placed.led->coordinate();
  JointConstraint constraint =
      along(JointConstraint::Mimic, Kind::Bilateral,
            coordinate.value - (joint.mimic.ratio * led.value + joint.mimic.offset), 1);
  constraint.hasLed = true;
  constraint.led = led.row.scaled(-joint.mimic.ratio);
  keep(constraint);
}

/// True for the rows that a projection on positions is about: those that hold joints, coordinates that follow
/// others, and limits and ropes that are violated.
inline bool isProjected(const JointConstraint& constraint) {
  using Kind = JointConstraint::Kind;
  if (constraint.kind == Kind::Drive || constraint.kind == Kind::Force || constraint.compliance > 0)
    return false;
  return constraint.kind != Kind::Unilateral || constraint.c < 0;
}

/// The same for a joint of a world, in a step that ends at the time `end` [s].
/// @param poseOfBody  (body, or −1: the world) → BodyPose
template <class PoseOfBody, class Keep>
void eachJointConstraint(const World& world, int index, double end, const PoseOfBody& poseOfBody,
                         const Keep& keep) {
  const auto placed = [&](int jointIndex) {
    const std::size_t place = jointIndex;
    const Joint& joint = world.scene->joints[place];
    return PlacedConstraints{&joint,
                             poseOfBody(joint.bodyA),
                             poseOfBody(joint.bodyB),
                             world.jointCoordinate[place],
                             driveAim(world, place, end),
                             nullptr};
  };
  PlacedConstraints constraints = placed(index), led;
  if (constraints.joint->mimic.joint >= 0) {
    led = placed(constraints.joint->mimic.joint);
    constraints.led = &led;
  }
  eachJointConstraint(constraints, keep);
}

}  // namespace touchstone
