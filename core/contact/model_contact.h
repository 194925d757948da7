#pragma once

#include "core/contact/polytope_contacts.h"
#include "core/world/world_view.h"

namespace touchstone {

using Vec6 = Eigen::Matrix<double, 6, 1, Eigen::DontAlign>;

/// Gradient of a gap (or of a sliding distance) with respect to the velocities of two bodies:
///     rate = a · (v_A, ω_A) + b · (v_B, ω_B),   A: −[d; r_A × d], B: [d; r_B × d]
struct PairJacobian {
  int bodyA = -1, bodyB = -1;
  Vec6 a = Vec6::Zero(), b = Vec6::Zero();
};

/// Its rate with the velocities of all bodies. @param linear, angular  [bodyCount] m/s, rad/s
TS_HD inline double rateAlong(const PairJacobian& g, const Vec3* linear, const Vec3* angular) {
  return Vec3(g.a.head<3>()).dot(linear[g.bodyA]) + Vec3(g.a.tail<3>()).dot(angular[g.bodyA]) +
         Vec3(g.b.head<3>()).dot(linear[g.bodyB]) + Vec3(g.b.tail<3>()).dot(angular[g.bodyB]);
}

TS_HD inline PairJacobian pairJacobian(int bodyA, int bodyB, const Vec3& direction, const Vec3& armA,
                                       const Vec3& armB) {
  PairJacobian jacobian;
  jacobian.bodyA = bodyA;
  jacobian.bodyB = bodyB;
  const Vec3 turnA = -armA.cross(direction), turnB = armB.cross(direction);
  for (int axis = 0; axis < 3; ++axis) {
    jacobian.a[axis] = -direction[axis];
    jacobian.a[3 + axis] = turnA[axis];
    jacobian.b[axis] = direction[axis];
    jacobian.b[3 + axis] = turnB[axis];
  }
  return jacobian;
}

/// One contact of the step with its gap and gradient; a row of a set refers to it.
struct ModelContact {
  PieceContact geometry;
  int bodyA = -1, bodyB = -1;
  int pieceA = -1, pieceB = -1;                     ///< of PieceTable; pieceB = −1: plane
  Vec3 armA = Vec3(0, 0, 0), armB = Vec3(0, 0, 0);  ///< from the centres of mass to the points [m]
  PairJacobian jacobian;
  double rate = 0;  ///< ψ/h after stabilisation: what the row asks the velocity to undo [m/s]
};

/// Arms and gradient of a contact anew. @param position  [bodyCount] centres of mass [m]
TS_HD inline void updateGradient(const Vec3* position, ModelContact& contact) {
  contact.armA = contact.geometry.pointA - position[contact.bodyA];
  contact.armB = contact.geometry.pointB - position[contact.bodyB];
  contact.jacobian =
      pairJacobian(contact.bodyA, contact.bodyB, contact.geometry.normal, contact.armA, contact.armB);
}

/// A contact of two pieces, or of a piece and a plane, with its gradient; bodies ascending, whichever order
/// they come in.
/// @param bodyA, bodyB  of the pieces; of the piece and the plane   @param pieceB  −1: a plane
TS_HD inline ModelContact modelContact(const Vec3* position, const PieceContact& geometry, int pieceA,
                                       int pieceB, int bodyA, int bodyB) {
  const bool flip = bodyA > bodyB;
  ModelContact contact;
  contact.geometry = flip ? flipped(geometry) : geometry;
  contact.bodyA = flip ? bodyB : bodyA;
  contact.bodyB = flip ? bodyA : bodyB;
  contact.pieceA = pieceA;
  contact.pieceB = pieceB;
  updateGradient(position, contact);
  return contact;
}

/// Gap, normal, points and gradient of a contact anew.
/// @param world     World or WorldView: what planeNormal() takes
/// @param pieces    pieces[piece] converts to PolytopeView, placed where the bodies are now
/// @param pieceBody [pieceCount]   @param position  [bodyCount] where the bodies are now [m]
template <class AnyWorld, class Pieces>
TS_HD void reevaluate(const AnyWorld& world, const Pieces& pieces, const int* pieceBody, const Vec3* position,
                      ModelContact& contact) {
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
  updateGradient(position, contact);
}

}  // namespace touchstone
