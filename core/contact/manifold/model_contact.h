#pragma once

#include "core/geometry/polytope_features.h"
#include "core/solver/rows/pair_jacobian.h"
#include "core/solver/rows/row.h"
#include "core/world/free_rotation.h"
#include "core/world/material_friction.h"
#include "core/world/world_view.h"

namespace touchstone {

/// Identity of a contact among those of its pair, from step to step.
TS_HD inline RowKey rowKeyOf(const PieceContact& contact) {
  return {2 * static_cast<int>(contact.kind) + (contact.vertexOnA ? 1 : 0), contact.featureA,
          contact.featureB, 0};
}

/// One contact of the step with its gap and gradient; a row of a set refers to it.
struct ModelContact {
  PieceContact geometry;
  int bodyA = -1, bodyB = -1;
  int pieceA = -1, pieceB = -1;  ///< of PieceTable; pieceB = −1: plane
  /// From the centres of mass at the start of the step to one point of both bodies, see setArms() [m].
  Vec3 armA = Vec3(0, 0, 0), armB = Vec3(0, 0, 0);
  PairJacobian jacobian;
  double rate = 0;     ///< ψ/h after stabilisation: what the row asks the velocity to undo [m/s]
  double pushOut = 0;  ///< pushOutSpeed() of the start of the step [m/s]
  /// Speed of separation that a step may leave behind: undoing the overlap that is there, or restitution
  /// [m/s].
  double maxSeparationSpeed = HUGE_VAL;
  double bend = 0;     ///< bendingSpeed() of its bodies [m/s]
  double gapLeft = 0;  ///< of a row that is linearised again, see gapLeft() [m]
  /// ψ is negative at the start of the step though the pieces do not overlap as deep: what enters the one
  /// enters it through another feature.
  bool isBehind = false;
};

namespace detail {

/// Velocities of two bodies.
struct PairVelocities {
  Vec3 linearA, angularA, linearB, angularB;

  TS_HD PairVelocities(const WorldView& world, int bodyA, int bodyB)
      : linearA(world.nextLinearVelocity[bodyA]),
        angularA(world.nextAngularVelocity[bodyA]),
        linearB(world.nextLinearVelocity[bodyB]),
        angularB(world.nextAngularVelocity[bodyB]) {}
  /// Velocity of B's point relative to A's.
  TS_HD Vec3 slip(const ModelContact& contact) const {
    const Vec3 onA = linearA + angularA.cross(contact.armA), onB = linearB + angularB.cross(contact.armB);
    return onB - onA;
  }
  /// ρ = ψ/h + Gᵀν of a contact (Williams 2017, eqs. 6 and 7): its gap, linearised to the end of the step,
  /// over h [m/s].
  TS_HD double rateOf(const ModelContact& contact) const {
    return contact.rate + contact.geometry.normal.dot(slip(contact));
  }
};

/// The part of slip() that bodies have which do not move by impulses.
TS_HD inline Vec3 heldSlip(const WorldView& world, const ModelContact& contact) {
  Vec3 slip(0, 0, 0);
  if (!isDynamic(world, contact.bodyB))
    slip += world.nextLinearVelocity[contact.bodyB] +
            world.nextAngularVelocity[contact.bodyB].cross(contact.armB);
  if (!isDynamic(world, contact.bodyA))
    slip -= world.nextLinearVelocity[contact.bodyA] +
            world.nextAngularVelocity[contact.bodyA].cross(contact.armA);
  return slip;
}

/// Excess over ω × r of the mean velocity of a point in a step of a body that turns: (R(h ω) r − r)/h − ω ×
/// r, to leading order h/2 ω × (ω × r) [m/s].
TS_HD inline Vec3 arcOf(const Vec3& omega, const Vec3& arm, double h) {
  constexpr double kStraight = 1e-12;  // (h ω)²; smaller: rounding makes rows that should be 0 contradict
  if (!(h * h * omega.squaredNorm() > kStraight)) return Vec3(0, 0, 0);
  return Vec3((rotationBy(h * omega) * arm - arm) / h - omega.cross(arm));
}

/// The part of a slip over a step, of the points of both bodies on their arcs, that their velocities at its
/// start do not have [m/s]. What sticks keeps its points with it, and is not carried off along the tangent.
TS_HD inline Vec3 arcSlip(const WorldView& world, const ModelContact& contact) {
  return arcOf(world.angularVelocity[contact.bodyB], contact.armB, world.dt) -
         arcOf(world.angularVelocity[contact.bodyA], contact.armA, world.dt);
}

}  // namespace detail

/// True if the first of two contacts of a set is the better primary: the one with the larger gap above
/// gapLeft, and never one that isBehind. An impulse along it would eject a body that never entered through
/// that feature.
TS_HD inline bool isBetterPrimary(const ModelContact& one, const ModelContact& other) {
  return one.isBehind != other.isBehind ? other.isBehind
                                        : one.geometry.psi - one.gapLeft > other.geometry.psi - other.gapLeft;
}

/// Lever arms and gradient for impulses at one common point c of both bodies,
///
///     c = λ_A onA + λ_B onB,   λ_A = m_A⁻¹ / (m_A⁻¹ + m_B⁻¹)
///
/// with arms c − x from the centres of mass at the start of the step. Opposite impulses at one point have no
/// moment, and x⁺ × m v⁺ = (x + h v⁺) × m v⁺ = x × m v⁺, so that a step keeps Σ x × m v + I ω to rounding
/// with these arms, wherever c lies.
/// @param onA, onB  c as either body alone would have it, world [m]
TS_HD inline void setArms(const WorldView& world, const Vec3& onA, const Vec3& onB, ModelContact& contact) {
  const double a = world.inverseMass[contact.bodyA], b = world.inverseMass[contact.bodyB];
  Vec3 common = b > 0 ? onB : onA;
  if (a > 0 && b > 0) common = onA + (b / (a + b)) * Vec3(onB - onA);
  contact.armA = common - world.position[contact.bodyA];
  contact.armB = common - world.position[contact.bodyB];
  contact.jacobian =
      pairJacobian(contact.bodyA, contact.bodyB, contact.geometry.normal, contact.armA, contact.armB);
}

/// A contact at the start of the step of two pieces, or of a piece and a plane, with its gradient; bodies
/// ascending, whichever order they come in.
/// @param bodyA, bodyB  of the pieces; of the piece and the plane   @param pieceB  −1: a plane
TS_HD inline ModelContact modelContact(const WorldView& world, const PieceContact& geometry, int pieceA,
                                       int pieceB, int bodyA, int bodyB) {
  const bool flip = bodyA > bodyB;
  ModelContact contact;
  contact.geometry = flip ? flipped(geometry) : geometry;
  contact.bodyA = flip ? bodyB : bodyA;
  contact.bodyB = flip ? bodyA : bodyB;
  contact.pieceA = pieceA;
  contact.pieceB = pieceB;
  setArms(world, contact.geometry.pointA, contact.geometry.pointB, contact);
  return contact;
}

/// Poses of the bodies at a linearisation, and the angular velocities ω⁺ that lead there.
struct EndPose {
  const Vec3* position = nullptr;         ///< [bodyCount] m
  const Vec3* angularVelocity = nullptr;  ///< [bodyCount] rad/s; null: it is the start of the step
};

/// The point of a body at the start of the step on which a force along n has, as nearly as such a force can,
/// the moment ∂ψ/∂ω⁺ / h of a gap ψ at the end of the step:
///
///     c = x + n × τ + n (n · r),   τ = Jᵀ m,   J = ∂θ⁺/∂ω⁺ / h of the free rotation, to first order in h ω
///
/// Only the part of τ along n is lost. The gap that rows with these arms drive to zero is exact all the same:
/// with their symmetric matrix re-linearised steps are quasi-Newton ones.
/// @param arm  r, from the centre of mass to the contact at the end [m]
/// @param moment  m, that of a unit force along n at the end: r × n and what the turning of n adds [m]
TS_HD inline Vec3 leverPoint(const WorldView& world, int body, const Vec3& omega, const Vec3& normal,
                             const Vec3& arm, const Vec3& moment) {
  // J = 1 + h/2 ([ω]× + I⁻¹([L]× − [ω]× I)): the turning of the axes, and that of ω by the gyroscopic torque.
  const double half = 0.5 * world.dt;
  const BodyConstants& constants = world.bodies[body];
  const Quaternion& q = world.orientation[body];
  const auto inWorld = [&](const Mat3& tensor, const Vec3& v) {
    return Vec3(q * Vec3(tensor * Vec3(q.conjugate() * v)));
  };
  const Vec3 spin = inWorld(constants.inertia, omega), m = inWorld(constants.inverseInertia, moment);
  const Vec3 gyroscopic = inWorld(constants.inertia, omega.cross(m)) - spin.cross(m);
  const Vec3 turned = moment + half * Vec3(gyroscopic - omega.cross(moment));
  const Vec3 pulled = turned / (1 + half * half * omega.squaredNorm());  // bounded for any spin
  return world.position[body] + normal.cross(pulled) + normal.dot(arm) * normal;
}

/// Gradient of a contact whose geometry is that of a linearisation.
/// @param angularA, angularB  what the turning of the normal adds to the moments on A and B [m]
TS_HD inline void setArmsAtEnd(const WorldView& world, const EndPose& end, ModelContact& contact,
                               const Vec3& angularA = Vec3(0, 0, 0), const Vec3& angularB = Vec3(0, 0, 0)) {
  const PieceContact& geometry = contact.geometry;
  const auto point = [&](int body, const Vec3& position, const Vec3& turn) {
    const Vec3 arm = position - end.position[body];
    if (!isDynamic(world, body)) return Vec3(world.position[body] + arm);
    const Vec3 omega = end.angularVelocity ? end.angularVelocity[body] : Vec3(0, 0, 0);
    return leverPoint(world, body, omega, geometry.normal, arm, arm.cross(geometry.normal) + turn);
  };
  setArms(world, point(contact.bodyA, geometry.pointA, -angularA),
          point(contact.bodyB, geometry.pointB, angularB), contact);
}

/// Evaluates gap, normal and points of a contact again.
/// @param pieces    pieces[piece] converts to PolytopeView, placed where the bodies are now
/// @param pieceBody [pieceCount]   @param position  [bodyCount] where the bodies are now [m]
template <class Pieces>
TS_HD void reevaluate(const WorldView& world, const Pieces& pieces, const int* pieceBody,
                      const Vec3* position, ModelContact& contact) {
  PieceContact& geometry = contact.geometry;
  if (geometry.kind == FeaturePairKind::VertexPlane) {
    const bool flip = contact.bodyA != pieceBody[contact.pieceA];
    const int plane = flip ? contact.bodyA : contact.bodyB,
              vertex = flip ? geometry.featureB : geometry.featureA;
    geometry = planeContact(pieces[contact.pieceA].vertices[vertex], vertex, planeNormal(world, plane),
                            position[plane]);
    if (flip) geometry = flipped(geometry);
  } else {
    reevaluate(pieces[contact.pieceA], pieces[contact.pieceB], geometry);
  }
}

constexpr double kSlipsAtStart = 1e-7;  // of velocityUnitOf(): slower is what a solver leaves of sticking

/// μ of a contact in a complementarity model: the static coefficient where it does not slip at the start of
/// the step, else the dynamic one. A contact that breaks loose in a step does so with the static one.
/// @param normal  of the contact   @param armA, armB  [m]   @param velocityUnit  velocityUnitOf() the scene
/// [m/s]
TS_HD inline double frictionInStep(const WorldView& world, int bodyA, int bodyB, const Vec3& normal,
                                   const Vec3& armA, const Vec3& armB, double velocityUnit) {
  const FrictionPair pair = frictionOf(world.bodies[bodyA], world.bodies[bodyB]);
  if (pair.staticFriction == pair.dynamicFriction) return pair.dynamicFriction;
  const Vec3 slip = world.linearVelocity[bodyB] + world.angularVelocity[bodyB].cross(armB) -
                    world.linearVelocity[bodyA] - world.angularVelocity[bodyA].cross(armA);
  const Vec3 across = slip - normal.dot(slip) * normal;
  return across.norm() > kSlipsAtStart * velocityUnit ? pair.dynamicFriction : pair.staticFriction;
}

}  // namespace touchstone
