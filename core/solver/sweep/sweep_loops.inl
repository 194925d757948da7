#pragma once

#include "core/solver/rows/friction_disk.h"
#include "core/solver/rows/island_loops.inl"

namespace touchstone {

namespace detail {

/// β for a slip: proj(β − w/r) onto |β| ≤ μ p (Macklin 2019, eqs. 13 and 16).
TS_HD inline void slideWithin(const ContactRow& contact, bool planar, const Vec3& slip, Vec3& z) {
  z[1] -= contact.tangentMass * contact.tangent.dot(slip);
  z[2] = planar ? 0 : z[2] - contact.tangentMass * contact.normal.cross(contact.tangent).dot(slip);
  projectOnDisk(contact.friction * z[0], z[1], z[2]);
}

/// The p ≥ 0 with p ⊥ max_s ρ_s ≥ 0 where ρ_s = ρ_s(0) + slope_s p: none if some ρ_s(0) ≥ 0, else the
/// smallest that lifts one of them to 0.
/// @param p  at which the velocities are
TS_HD inline double normalImpulse(const ContactRow& contact, const SetMember* others,
                                  const MovingPair& moving, double p) {
  const double unconstrained = p - contact.normalMass * moving.rateOf(contact);
  if (contact.otherCount == 0) return unconstrained > 0 ? unconstrained : 0;
  double least = unconstrained;
  bool isFree = unconstrained <= 0;
  for (int k = contact.firstOther; k < contact.firstOther + contact.otherCount; ++k) {
    const SetMember& other = others[k];
    const double without = moving.rateOf(other) - other.slope * p;
    isFree = isFree || without >= 0;
    if (other.slope > 0 && -without < least * other.slope) least = -without / other.slope;
  }
  return isFree ? 0 : least;
}

struct PushStart {  // one pair of a colour per index: the warm start's impulses
  WorldView world;
  const RowPair* pairs;
  const ContactRow* contacts;
  const IslandCurve* islands;
  const Vec3* z;
  TS_HD void operator()(int index) const {
    const RowPair& pair = pairs[index];
    if (islands[pair.island].isDone) return;
    MovingPair moving(world, pair);
    for (int place = pair.first; place < pair.first + pair.count; ++place)
      moving.push(contacts[place], impulseOf(contacts[place], z[place]));
    moving.store(world, pair);
  }
};

struct SweepContacts {  // one pair of a colour per index
  WorldView world;
  const RowPair* pairs;
  const ContactRow* contacts;
  const SetMember* others;
  const IslandCurve* islands;
  bool planar;
  Vec3* z;
  TS_HD void operator()(int index) const {
    const RowPair& pair = pairs[index];
    if (islands[pair.island].isDone) return;
    MovingPair moving(world, pair);
    for (int place = pair.first; place < pair.first + pair.count; ++place) {
      const ContactRow& contact = contacts[place];
      const Vec3 old = z[place];
      Vec3 impulse = old;
      impulse[0] = normalImpulse(contact, others, moving, old[0]);
      if (impulse[0] != old[0]) moving.push(contact, (impulse[0] - old[0]) * contact.normal);
      if (contact.friction > 0) {
        slideWithin(contact, planar, moving.slip(contact), impulse);
        const Vec3 change(0, impulse[1] - old[1], impulse[2] - old[2]);
        if (change[1] != 0 || change[2] != 0) moving.push(contact, impulseOf(contact, change));
      }
      z[place] = impulse;
    }
    moving.store(world, pair);
  }
};

struct MeasureRow {  // one place of rows of a running island per index: by how much it fails
  WorldView world;
  const RowPlace* places;
  const int* running;
  const ContactRow* contacts;
  const SetMember* others;
  bool planar;
  const Vec3* z;
  RowExtremes* extremes;
  TS_HD void operator()(int index) const {
    const RowPlace& rowPlace = places[index];
    if (!rowPlace.isIn(running)) return;
    const int row = rowPlace.row;
    const PairVelocities moving(world, rowPlace);
    const ContactRow& contact = contacts[row];
    const Vec3 impulse = z[row];
    const double w = largestRate(contact, others, moving), held = contact.normalSlope * impulse[0];
    RowExtremes largest;
    add(std::fabs(w < held ? w : held), contact.normalMass, largest);
    if (contact.friction > 0) {
      Vec3 nearest = impulse;
      slideWithin(contact, planar, moving.slip(contact), nearest);
      const double miss = lengthOf(impulse[1] - nearest[1], impulse[2] - nearest[2]);
      add(contact.tangentSlope * miss, contact.tangentMass, largest);
    }
    extremes[row] = largest;
  }

 private:
  TS_HD static void add(double value, double mass, RowExtremes& largest) {
    largest.add({value * std::sqrt(mass), value});
  }
};

struct KeepVelocities {  // one body per index, where its island has improved
  WorldView world;
  const int* islandOfBody;
  const IslandCurve* islands;
  Vec3 *linear, *angular;
  TS_HD void operator()(int body) const {
    const int island = islandOfBody[body];
    if (island < 0 || !islands[island].isImproved) return;
    linear[body] = world.nextLinearVelocity[body];
    angular[body] = world.nextAngularVelocity[body];
  }
};

/// Arrays and settings that sweeps read and write.
struct SweepSpace {
  WorldView world;
  const RowPair* pairs;
  const RowPlace* places;
  const ContactRow* contacts;
  const SetMember* others;
  const int* islandOfBody;
  int* running;
  bool planar;
  int maxSweeps;  // sweeps
  Vec3* z;
  Vec3 *bestLinear, *bestAngular;
  Judgement judgement;
};

/// Sweeps over the islands that are running, from their warm start.
struct Sweeps {
  static constexpr Threads kThreads = Threads::AsFit;
  SweepSpace space;

  template <class Loops>
  TS_HD void start(const Loops& loops) const {
    const SweepSpace& s = space;
    loops.eachColour(PushStart{s.world, s.pairs, s.contacts, s.judgement.islands, s.z});
    measure(loops);
  }
  template <class Loops>
  TS_HD int advance(const Loops& loops, int count) const {
    const SweepSpace& s = space;
    if (count >= s.maxSweeps || !loops.goesOn(count)) return 0;
    int passes = 0;  // stays 0 where WideLoops replays a graph; its callers ignore the number
    loops.repeat([&] {
      passes = loops.eachColour(
          SweepContacts{s.world, s.pairs, s.contacts, s.others, s.judgement.islands, s.planar, s.z});
      measure(loops);
    });
    return 1 + passes;
  }

 private:
  template <class Loops>
  TS_HD void measure(const Loops& loops) const {
    const SweepSpace& s = space;
    const Judgement& judgement = s.judgement;
    loops.eachRow(MeasureRow{s.world, s.places, s.running, s.contacts, s.others, s.planar, s.z,
                             judgement.extremes.ofRows},
                  Work::Heavy);
    judgement.judge(loops);
    loops.eachBody(KeepVelocities{s.world, s.islandOfBody, judgement.islands, s.bestLinear, s.bestAngular});
  }
};

}  // namespace detail

}  // namespace touchstone
