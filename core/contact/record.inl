#pragma once

#include "core/geometry/feature_pair.h"
#include "core/record/contact.h"

namespace touchstone {

/// One side of a pair of features.
struct RecordedSide {
  int body;
  int piece;   ///< of PieceTable, or −1: the feature is one of SurfaceTopology, or a plane
  Vec3 point;  ///< at the start of the step [m]
};

/// A contact for a record, of a pair of features whose bodies need not ascend; without impulses.
/// @param first, second  owners of pair.a and pair.b   @param normal  from the first body into the second
/// @param gap  m
TS_HD inline Contact contactOf(const FeaturePair& pair, const RecordedSide& first, const RecordedSide& second,
                               const Vec3& normal, double gap) {
  Contact contact;
  const bool ascending = first.body < second.body;
  const RecordedSide &a = ascending ? first : second, &b = ascending ? second : first;
  contact.kind = pair.kind;
  contact.bodyA = a.body;
  contact.bodyB = b.body;
  contact.featureA = ascending ? pair.a : pair.b;
  contact.featureB = ascending ? pair.b : pair.a;
  contact.pieceA = a.piece;
  contact.pieceB = b.piece;
  contact.vertexOnA = ascending;
  contact.pointA = a.point;
  contact.pointB = b.point;
  contact.normal = ascending ? normal : Vec3(-normal);
  contact.gap = gap;
  return contact;
}

/// Impulses on the second body of such a pair, as its contact has them.
TS_HD inline void setImpulses(const RecordedSide& first, const RecordedSide& second, double normal,
                              const Vec3& friction, Contact& contact) {
  contact.normalImpulse = normal;
  contact.frictionImpulse = first.body < second.body ? friction : Vec3(-friction);
}

}  // namespace touchstone
