#pragma once

#include "core/contact/penalty/face_manifold.inl"
#include "core/contact/penalty/penalty_impulses.inl"
#include "core/parallel/copy.h"

namespace touchstone {

namespace detail {

/// Work of the impulses of a pair of pieces on both bodies, with the velocities at both ends of the step:
///
///     W = Σ J · ½ (v + v⁺)
///
/// It is exactly what they add to the kinetic and potential energy, whatever else acts in the step. What
/// rests on the pair gets none.
struct PairWork {
  double total = 0;  ///< W [J]
  double alone = 0;  ///< the part of W that the pair would do on bodies at rest [J]
};

/// Velocities of a step with contact, and without it.
struct StepVelocities {
  WorldView world;
  const Vec3 *linearBefore, *angularBefore;  // [bodyCount]
  const unsigned char* isJointed;            // [bodyCount]

  /// Joints change the velocities after contact: the work on a body with joints is not known here.
  TS_HD bool knowsWork(const PenaltyContact& contact) const {
    return !isJointed[contact.bodyA] && !isJointed[contact.bodyB];
  }

  /// v_A − v_B at a point without contact, and what contact adds to it [m/s].
  TS_HD Vec3 withoutContact(const PenaltyContact& contact, const Vec3& point) const {
    const auto velocityOf = [&](int body) {
      return Vec3(linearBefore[body] + angularBefore[body].cross(point - world.position[body]));
    };
    return velocityOf(contact.bodyA) - velocityOf(contact.bodyB);
  }
  TS_HD Vec3 change(const PenaltyContact& contact, const Vec3& point) const {
    return relativeVelocity(world, contact, point) - withoutContact(contact, point);
  }

  TS_HD PairWork workOf(const PenaltyContact* contacts, int count) const {
    PairWork work;
    const int bodies[2] = {contacts[0].bodyA, contacts[0].bodyB};
    Wrench sums[2];
    for (int k = 0; k < count; ++k)
      for (const bool isA : {true, false}) {
        const PenaltyContact& contact = contacts[k];
        const int body = isA ? contact.bodyA : contact.bodyB;
        const Vec3 impulse = isA ? contact.impulse : Vec3(-contact.impulse),
                   arm = pointOfSide(world, contact, isA) - world.position[body];
        sums[body == bodies[0] ? 0 : 1] += {impulse, arm.cross(impulse)};
      }
    for (int side = 0; side < 2; ++side) {
      const int body = bodies[side];
      const Wrench& sum = sums[side];
      work.total += 0.5 * (sum.impulse.dot(world.linearVelocity[body] + world.nextLinearVelocity[body]) +
                           sum.moment.dot(world.angularVelocity[body] + world.nextAngularVelocity[body]));
      if (!isDynamic(world, body)) continue;
      work.alone += 0.5 * (world.inverseMass[body] * sum.impulse.squaredNorm() +
                           sum.moment.dot(world.inverseInertia[body] * sum.moment));
    }
    return work;
  }
};

/// Factor λ ≤ 1 of the impulses of a pair with which they do the work `limit`, all others as they are:
/// W(λ) = λ (W − Q) + λ² Q with the work Q that the pair would do alone.
TS_HD inline double shareForWork(const PairWork& work, double limit) {
  const double linear = work.total - work.alone;
  const double root = std::sqrt(linear * linear + 4 * work.alone * limit);
  const double share = linear > 0 ? 2 * limit / (linear + root) : (root - linear) / (2 * work.alone);
  return share > 0 ? std::fmin(1.0, share) : 0;
}

/// Lessens the impulses of a pair that would give back more than it has.
struct BoundPair {  // one pair per index
  StepVelocities velocities;
  const PairPlan* plans;
  const int* first;  // [pairs + 1] corner of each
  Extent before;
  PenaltyContact* contacts;
  TS_HD void operator()(int pair) const {
    PenaltyContact* corners = contacts + before.size() + first[pair];
    const int count = first[pair + 1] - first[pair];
    if (count == 0 || !velocities.knowsWork(corners[0])) return;
    const double store = std::fmax(0.0, plans[pair].store);
    const PairWork work = velocities.workOf(corners, count);
    if (!(work.total > store) || !(work.alone > 0)) return;
    const double share = shareForWork(work, store);
    for (int k = 0; k < count; ++k) {
      corners[k].impulse *= share;
      corners[k].friction *= share;
    }
  }
};

/// Energy that a pair holds after a step: what it has taken, at most what its springs hold at either end of
/// the step, Σ ½ k δ². The rest is lost for good.
struct StorePair {  // one pair per index
  StepVelocities velocities;
  const PairPlan* plans;
  const int* first;  // [pairs + 1]
  Extent before;
  PenaltyContact* contacts;  // out: what they hold, in the first of each pair
  double* stores;            // out [J]

  TS_HD void operator()(int pair) const {
    PenaltyContact* corners = contacts + before.size() + first[pair];
    const int count = first[pair + 1] - first[pair];
    stores[pair] = 0;
    if (count == 0 || !velocities.knowsWork(corners[0])) return;
    double atStart = 0, atEnd = 0;
    for (int k = 0; k < count; ++k) {
      const double magnitude = corners[k].spring.norm();
      if (!(magnitude > 0)) continue;
      const Vec3 normal = corners[k].spring / magnitude, point = commonPoint(velocities.world, corners[k]);
      const double dt = velocities.world.dt, end = corners[k].predictedGap;
      atStart += energyOf(corners[k], end - dt * normal.dot(velocities.withoutContact(corners[k], point)));
      atEnd += energyOf(corners[k], end + dt * normal.dot(velocities.change(corners[k], point)));
    }
    const double store = plans[pair].store;
    stores[pair] = store < HUGE_VAL
                       ? std::fmin(store - velocities.workOf(corners, count).total, std::fmax(atStart, atEnd))
                       : atEnd;
    for (int k = 0; k < count; ++k) corners[k].held = k == 0 ? std::fmax(0.0, stores[pair]) : 0;
  }
  TS_HD static double energyOf(const PenaltyContact& contact, double gap) {
    return gap < 0 ? 0.5 * contact.stiffness * gap * gap : 0;
  }
};

}  // namespace detail

}  // namespace touchstone
