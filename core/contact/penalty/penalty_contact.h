#pragma once

#include "core/contact/manifold/continuous_penalty.h"
#include "core/contact/penalty/penalty_friction.h"
#include "core/detect/feature_particles.h"
#include "core/detect/surface_tables.h"
#include "core/record/contact.h"
#include "core/world/material_friction.h"
#include "core/world/world_view.h"

namespace touchstone {

/// Parameters of penalty methods, for one replica.
struct PenaltyNumbers {
  double stiffness = 0;              ///< k of the running step [N/m]; 0: that of each pair, see stiffnessOf()
  double perturbation = 1;           ///< 1 + e sin ω τ, of an automatic stiffness
  double damping = 0;                ///< c [N·s/m]; negative: that of each contact, see dampingOf()
  double thickness = 0;              ///< dpf: of the shell about open surfaces [m]
  double maxDepenetrationSpeed = 0;  ///< see allowedNext() [m/s]; 0: at any
  FrictionSettings friction;
};

/// Automatic stiffness as a share of m / h². A box on four contacts has h² k Σ = 4/12 in heave and 6/12 in
/// rocking, one in a stack twice that: below the limits 4/3 (force at the end of the step), 2 (CPF) and 4
/// (start) with room for neighbours. Larger: piles hop; smaller: bodies sink deeper by as much. Bodies on
/// more contacts share it out, see PenaltyImpulses::fit().
constexpr double kAutomaticStiffness = 1.0 / 12;

/// The same of a surface with itself, before PenaltyImpulses::fit(): as stiff as the step lets it, for it is
/// thin. Smaller: a fast fold goes through itself.
constexpr double kOwnStiffness = 1;

/// Two bodies in contact, as automatic springs see them.
struct SpringPair {
  int bodyA, bodyB;
  double
      inverseMass;  ///< m_A⁻¹ + m_B⁻¹; of a body that deforms that of its feature, see featureInverseMass()
};
TS_HD inline SpringPair springPair(const WorldView& world, int bodyA, int bodyB) {
  return {bodyA, bodyB, world.inverseMass[bodyA] + world.inverseMass[bodyB]};
}

/// k of a pair of bodies [N/m]: the one that is given, or automatic
///
///     k = m h⁻² / 12,   m = 1 / (m_A⁻¹ + m_B⁻¹)
///
/// A body on four contacts then rests about 3 g h² deep, whatever its mass and size; with n substeps instead
/// of one n² less. PenaltyImpulses::fit() lessens it where a body has so many contacts that they would throw
/// it.
TS_HD inline double stiffnessOf(const WorldView& world, const PenaltyNumbers& numbers,
                                const SpringPair& pair) {
  if (numbers.stiffness > 0) return numbers.stiffness;
  const double inverse = pair.inverseMass,
               share = pair.bodyA == pair.bodyB ? kOwnStiffness : kAutomaticStiffness;
  return inverse > 0 ? numbers.perturbation * share / (inverse * world.dt * world.dt) : 0;
}

/// c of a contact [N·s/m]: the one that is given, or automatic
///
///     2 ζ √(k m)   with friction, ζ = 0.1, and 0 without
///
/// with the reduced mass m of the pair. A body on undamped springs hops without end, and on a slope each hop
/// is a step downhill: friction holds only what rests. Without friction there is none, as published.
/// @param stiffness  of the contact [N/m]
TS_HD inline double dampingOf(const WorldView& world, const PenaltyNumbers& numbers, const SpringPair& pair,
                              double stiffness) {
  constexpr double kRatio = 0.1;
  if (numbers.damping >= 0) return numbers.damping;
  const FrictionPair friction = frictionOf(world.bodies[pair.bodyA], world.bodies[pair.bodyB]);
  if (!(pair.inverseMass > 0) || !(friction.staticFriction > 0)) return 0;
  return 2 * kRatio * std::sqrt(stiffness / pair.inverseMass);
}

/// A contact that begins as an overlap, and not by a motion that the method has seen, is allowed its depth:
/// only what is deeper makes a force. One that the springs of four contacts part no faster than wanted needs
/// no allowance,
///
///     δ ω ≤ v,   ω² = 4 k (m_A⁻¹ + m_B⁻¹)
///
/// so that a body which starts at the depth of its rest, where δ ω = g / ω, is carried from the first step
/// on. Were its depth allowed, it would hang free of force and friction, and then be thrown at v.
/// @return the allowance [m]
TS_HD inline double allowedAtFirst(const WorldView& world, const PenaltyNumbers& numbers,
                                   const SpringPair& pair, double depth) {
  if (!(numbers.maxDepenetrationSpeed > 0)) return 0;
  const double square = 4 * stiffnessOf(world, numbers, pair) * pair.inverseMass;
  return square * depth * depth > numbers.maxDepenetrationSpeed * numbers.maxDepenetrationSpeed ? depth : 0;
}
/// From step to step the allowance shrinks at half the speed of parting: the spring follows it, and a spring
/// that is drawn at a steady speed overshoots to twice that speed at most.
TS_HD inline double allowedNext(const PenaltyNumbers& numbers, double dt, double allowance) {
  return allowance > 0 ? std::fmax(0.0, allowance - 0.5 * numbers.maxDepenetrationSpeed * dt) : 0;
}
/// An impulse of a contact without what is allowed of its depth: h k a τ less, over the share τ of the step.
TS_HD inline Vec3 afterAllowance(const Vec3& impulse, double stiffness, double dt, double allowance,
                                 double share) {
  const double magnitude = impulse.norm();
  if (!(allowance > 0) || !(magnitude > 0)) return impulse;
  return std::fmax(0.0, 1 - dt * stiffness * allowance * share / magnitude) * impulse;
}

/// A penalty contact ready to act: impulse I on A (vertex's body, or first edge's) at the common point c, −I
/// on B.
struct PenaltyContact {
  FeaturePair pair{};
  int bodyA = -1, bodyB = -1;    ///< of the pair, not ascending
  int pieceA = -1, pieceB = -1;  ///< whose features they are, of PieceTable; −1: those of SurfaceTopology
  Vec3 pointA, pointB;           ///< material points at the start of the step, world [m]
  double weights[4] = {1, 0, 0,
                       0};  ///< of both points on their features: a, b, c of a triangle; a, b, c, d of edges
  Vec3 impulse = Vec3(0, 0, 0);   ///< on A [N·s], without friction
  Vec3 spring = Vec3(0, 0, 0);    ///< that of the spring alone, without damping [N·s]
  double damper = 0;              ///< of damping along it, before it is kept from pulling [N·s]
  Vec3 friction = Vec3(0, 0, 0);  ///< on A [N·s]
  ContactMode mode = ContactMode::Open;
  double gap = 0;           ///< of the method [m]
  double predictedGap = 0;  ///< at the predicted pose, without contact [m]
  bool fresh = true;        ///< began in this step: its friction anchors coincide
  double intervalStart = 0, intervalEnd = 1;
  bool ownPoints = false;  ///< the impulse acts at pointA on A and pointB on B instead of one common point
  double stiffness = 0;    ///< of this contact [N/m]
  double damping = 0;      ///< c of this contact [N·s/m]
  double hold = 1;         ///< stiffness of its automatic friction spring, as a share of its own
  double allowance = 0;    ///< of its depth, that makes no force [m]
  double held = -1;        ///< energy of its spring after the step [J]; negative: ½ k δ²
  double turning = 1;      ///< see PairImpulse
  bool fellBack = false;   ///< see PairImpulse
  /// In: the anchor of the last step. Out: the anchor for the next one. Where a body deforms onB is the
  /// vector from the anchor on A to that on B, in the world.
  FrictionAnchor anchor;
};

/// Rows of a pair (PairMotion) out of an array of vertex positions.
TS_HD inline void rowsOf(const WorldView& world, const FeaturePair& pair, const Vec3* positions,
                         Vec3 rows[4]) {
  if (pair.kind == FeaturePairKind::EdgeEdge) {
    rows[0] = positions[world.edges[pair.a][0]];
    rows[1] = positions[world.edges[pair.a][1]];
    rows[2] = positions[world.edges[pair.b][0]];
    rows[3] = positions[world.edges[pair.b][1]];
    return;
  }
  rows[0] = positions[pair.a];
  rows[1] = rows[2] = rows[3] = rows[0];
  if (pair.kind == FeaturePairKind::VertexFace)
    for (int corner = 0; corner < 3; ++corner) rows[1 + corner] = positions[world.triangles[pair.b][corner]];
}

/// Body of the vertex or first edge.
TS_HD inline int firstBody(const WorldView& world, const FeaturePair& pair) {
  return pair.kind == FeaturePairKind::EdgeEdge ? world.edgeBody[pair.a] : world.vertexBody[pair.a];
}
/// Body of the triangle, second edge or plane.
TS_HD inline int secondBody(const WorldView& world, const FeaturePair& pair) {
  return pair.kind == FeaturePairKind::EdgeEdge     ? world.edgeBody[pair.b]
         : pair.kind == FeaturePairKind::VertexFace ? world.triangleBody[pair.b]
                                                    : pair.b;
}

/// True for features of one surface.
TS_HD inline bool isOwn(const WorldView& world, const FeaturePair& pair) {
  return firstBody(world, pair) == secondBody(world, pair);
}

/// m⁻¹ of a body, or of the middle of its feature where it deforms: Σ w² m⁻¹ [1/kg].
TS_HD inline double featureInverseMass(const WorldView& world, const FeaturePair& pair, bool isA, int body) {
  if (!world.isDeformable(body)) return world.inverseMass[body];
  constexpr double kThird = 1.0 / 3;
  const double ofFace[4] = {kThird, kThird, kThird, 0}, ofEdges[4] = {0.5, 0.5, 0.5, 0.5};
  return particlesOf(world, pair, isA, pair.kind == FeaturePairKind::EdgeEdge ? ofEdges : ofFace)
      .inverseMass(world);
}
TS_HD inline SpringPair springPair(const WorldView& world, const FeaturePair& pair) {
  const int a = firstBody(world, pair), b = secondBody(world, pair);
  return {a, b, featureInverseMass(world, pair, true, a) + featureInverseMass(world, pair, false, b)};
}
/// Springs of a contact between features of surfaces, or of pieces.
TS_HD inline SpringPair springPair(const WorldView& world, const PenaltyContact& contact) {
  return contact.pieceA >= 0 || contact.pieceB >= 0 ? springPair(world, contact.bodyA, contact.bodyB)
                                                    : springPair(world, contact.pair);
}

/// True if a body of the contact deforms. Its impulses then act at the points on the features, and friction
/// remembers how far both have slipped (FrictionAnchor::onB) instead of places on bodies.
TS_HD inline bool isOfDeformable(const WorldView& world, const PenaltyContact& contact) {
  return world.isDeformable(contact.bodyA) || world.isDeformable(contact.bodyB);
}

/// λ_A p̂ + λ_B q̂ with λ_A = m_A⁻¹ / (m_A⁻¹ + m_B⁻¹): one point for both sides, so that the pair exerts no
/// couple. Where one body deforms it is the point on that body, where both do the middle.
TS_HD inline Vec3 commonPoint(const WorldView& world, const PenaltyContact& contact) {
  const bool deformsA = world.isDeformable(contact.bodyA), deformsB = world.isDeformable(contact.bodyB);
  if (deformsA || deformsB)
    return !deformsB   ? contact.pointA
           : !deformsA ? contact.pointB
                       : Vec3(0.5 * (contact.pointA + contact.pointB));
  const double a = world.inverseMass[contact.bodyA], b = world.inverseMass[contact.bodyB];
  // Exact ends: a static body's side must not shift the point by rounding.
  if (b == 0) return contact.pointA;
  if (a == 0) return contact.pointB;
  const double share = a / (a + b);
  return share * contact.pointA + (1 - share) * contact.pointB;
}

/// Velocity [m/s] of one side of a contact at a point, with the step's velocities as they are now.
TS_HD inline Vec3 sideVelocity(const WorldView& world, const PenaltyContact& contact, bool isA,
                               const Vec3& point) {
  const int body = isA ? contact.bodyA : contact.bodyB;
  if (!world.isDeformable(body)) return pointVelocity(world, body, point);
  return particlesOf(world, contact.pair, isA, contact.weights).of(world.nextLinearVelocity);
}
/// v_A − v_B at the point [m/s].
TS_HD inline Vec3 relativeVelocity(const WorldView& world, const PenaltyContact& contact, const Vec3& point) {
  return sideVelocity(world, contact, true, point) - sideVelocity(world, contact, false, point);
}

/// m⁻¹ + (r × n)·I⁻¹(r × n) of one body [1/kg].
TS_HD inline double inverseMassAt(const WorldView& world, int body, const Vec3& point,
                                  const Vec3& direction) {
  if (!isDynamic(world, body)) return 0;
  const Vec3 arm = (point - world.position[body]).cross(direction);
  return world.inverseMass[body] + arm.dot(world.inverseInertia[body] * arm);
}
/// Inverse mass of one side of a contact; where the body deforms Σ w² m⁻¹.
TS_HD inline double inverseMassAt(const WorldView& world, const PenaltyContact& contact, bool isA,
                                  const Vec3& point, const Vec3& direction) {
  const int body = isA ? contact.bodyA : contact.bodyB;
  if (!world.isDeformable(body)) return inverseMassAt(world, body, point, direction);
  return particlesOf(world, contact.pair, isA, contact.weights).inverseMass(world);
}

/// Poses that a query is made at.
struct PoseView {
  const Vec3* position = nullptr;           ///< [bodyCount]
  const Quaternion* orientation = nullptr;  ///< [bodyCount]
};

/// Edges of two closed bodies that overlap: the closest points of their lines lie inside both edges, and each
/// inside the other body. Only then is it an overlap of edges rather than of faces. Never of a body that
/// deforms: its vertices are many.
/// @param rows  the edges' end points: a, b of A, then c, d of B   @param weights  out: of the closest points
TS_HD inline bool edgesCross(const WorldView& world, const PenaltyTables& tables, const FeaturePair& pair,
                             const Vec3 rows[4], const PoseView& pose, double weights[4]) {
  const int surfaces[2] = {world.edgeSurface[pair.a], world.edgeSurface[pair.b]};
  if (!world.surfaceClosed[surfaces[0]] || !world.surfaceClosed[surfaces[1]]) return false;
  if (tables.trees[surfaces[0]].isPlaced || tables.trees[surfaces[1]].isPlaced) return false;
  constexpr double kInterior = -1e-12;  // end points belong to vertex–face contacts
  if (!weightsAt(motionOf(FeaturePairKind::EdgeEdge, rows, rows), 0, weights) ||
      !areInside(pair.kind, weights, kInterior))
    return false;
  const Vec3 points[2] = {weights[0] * rows[0] + weights[1] * rows[1],
                          weights[2] * rows[2] + weights[3] * rows[3]};
  // Where edges of boxes cross, p lies exactly on a side face next to the other edge: only rounding would say
  // on which side. So it is moved inwards, against the normals at that edge, by a small part of the depth.
  constexpr double kNudge = 1e-3;
  const double nudge = kNudge * (points[0] - points[1]).norm();
  for (int side = 1; side >= 0; --side) {
    const int edge = side == 1 ? pair.b : pair.a, body = world.surfaceBody[surfaces[side]];
    const Vec3 outward = tables.edgeFaceSums[edge].normalized();
    const Vec3 local = pose.orientation[body].conjugate() * Vec3(points[1 - side] - pose.position[body]);
    if (!tables.trees[surfaces[side]].closest(local - nudge * outward).inside) return false;
  }
  return true;
}

/// Material points with the given weights at the start of the step, clamped to their features.
TS_HD inline void placePoints(const WorldView& world, const FeaturePair& pair, const double weights[4],
                              PenaltyContact& contact) {
  Vec3 rows[4];
  rowsOf(world, pair, world.vertexStart, rows);
  double w[4];
  for (int k = 0; k < 4; ++k) contact.weights[k] = w[k] = std::fmin(1.0, std::fmax(0.0, weights[k]));
  contact.pointA = contact.pointB = rows[0];
  if (pair.kind == FeaturePairKind::VertexFace) {
    const double sum = w[0] + w[1] + w[2];
    contact.pointB = (w[0] * rows[1] + w[1] * rows[2] + w[2] * rows[3]) / sum;
  } else if (pair.kind == FeaturePairKind::EdgeEdge) {
    contact.pointA = (1 - w[1]) * rows[0] + w[1] * rows[1];
    contact.pointB = (1 - w[3]) * rows[2] + w[3] * rows[3];
  } else {
    const Vec3 normal = planeNormal(world, pair.b);
    contact.pointB = rows[0] - normal.dot(rows[0] - world.position[pair.b]) * normal;
  }
}

/// Both material points as anchors of friction.
TS_HD inline FrictionAnchor anchorAt(const WorldView& world, const PenaltyContact& contact) {
  FrictionAnchor anchor;
  if (isOfDeformable(world, contact)) return anchor;
  anchor.onA = toLocal(world, contact.bodyA, contact.pointA);
  anchor.onB = toLocal(world, contact.bodyB, contact.pointB);
  return anchor;
}

}  // namespace touchstone
