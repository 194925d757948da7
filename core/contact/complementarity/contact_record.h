#pragma once

#include "core/contact/manifold/model_contact.h"
#include "core/record/step_record.h"

namespace touchstone {

constexpr double kSticks = 1e-9;  // of velocityUnitOf(): slower is no slip

/// Mode of a contact with impulses (p, β) within Coulomb's cone.
/// @param limit  μ p [N·s]   @param speed  of slip, in units of velocityUnitOf()
TS_HD inline ContactMode modeWithinCone(double p, double limit, double beta, double speed) {
  if (!(p > 0)) return ContactMode::Open;
  if (!(limit > 0)) return ContactMode::Sliding;
  // Inside its cone a contact sticks as far as the solver got; on it, it may stick too. Newton's iterates
  // come to the cone from inside as well: one that moves visibly and has nearly reached it slides.
  constexpr double kMoves = 1e-4;
  const double nearly = speed > kMoves ? 1e-2 : 1e-6;
  const bool inside = beta < (1 - nearly) * limit;
  return inside || speed <= kSticks ? ContactMode::Sticking : ContactMode::Sliding;
}

/// The same with a friction pyramid, within whose limit an impulse may have any size.
TS_HD inline ContactMode modeBySpeed(double p, double limit, double speed) {
  if (!(p > 0)) return ContactMode::Open;
  return limit > 0 && speed <= kSticks ? ContactMode::Sticking : ContactMode::Sliding;
}

/// A contact of a complementarity model in a record, without its set and its impulse. Its points are those
/// that its impulse acts at, so that what a record adds up is what bodies got.
TS_HD inline Contact recordOf(const WorldView& world, const ModelContact& model) {
  Contact contact;
  contact.kind = model.geometry.kind;
  contact.bodyA = model.bodyA;
  contact.bodyB = model.bodyB;
  contact.featureA = model.geometry.featureA;
  contact.featureB = model.geometry.featureB;
  const bool planeFirst = model.pieceB < 0 && !model.geometry.vertexOnA;
  contact.pieceA = planeFirst ? -1 : model.pieceA;
  contact.pieceB = planeFirst ? model.pieceA : model.pieceB;
  contact.vertexOnA = model.geometry.vertexOnA;
  contact.normal = model.geometry.normal;
  contact.gap = model.geometry.psi;
  const double a = world.inverseMass[model.bodyA], b = world.inverseMass[model.bodyB];
  const Vec3 across = contact.gap * contact.normal;
  const Vec3 common =
      a > 0 ? Vec3(world.position[model.bodyA] + model.armA) : Vec3(world.position[model.bodyB] + model.armB);
  contact.pointA = common - (a + b > 0 ? b / (a + b) : 0) * across;
  contact.pointB = contact.pointA + across;
  return contact;
}

/// A set whose end state is free though one of its rows is violated: the standard model would have forbidden
/// it (Williams 2017), judged on the true geometry at the end of the step.
/// @param members  [count] contacts of the set   @param ends  [contacts] gaps [m]
/// @param length  lengthOf() the scene [m]
TS_HD inline bool isTrap(const int* members, int count, const double* ends, double length) {
  constexpr double kFree = -2e-6;  // of the length: a solver's tolerance over a step is far below
  if (count < 2) return false;
  double largest = ends[members[0]], smallest = largest;
  for (int k = 1; k < count; ++k) {
    const double end = ends[members[k]];
    if (end > largest) largest = end;
    if (end < smallest) smallest = end;
  }
  return largest >= kFree * length && smallest < kFree * length;
}

/// Number of sets of each type.
struct SetCounts {
  int unilateral = 0, inequality = 0, cross = 0;
  TS_HD void add(ConstraintType type) {
    unilateral += type == ConstraintType::U ? 1 : 0;
    inequality += type == ConstraintType::I ? 1 : 0;
    cross += type == ConstraintType::X ? 1 : 0;
  }
  TS_HD void add(const SetCounts& o) {
    unilateral += o.unilateral;
    inequality += o.inequality;
    cross += o.cross;
  }
};

}  // namespace touchstone
