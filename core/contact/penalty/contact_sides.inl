#pragma once

#include "core/contact/penalty/penalty_contact.h"
#include "core/parallel/group_sums.h"
#include "core/parallel/list.h"

namespace touchstone::detail {

/// A sum of vectors that starts at 0.
struct Vec3Sum {
  Vec3 value = Vec3(0, 0, 0);
  TS_HD Vec3Sum& operator+=(const Vec3Sum& o) {
    value += o.value;
    return *this;
  }
};

/// A side of a contact is 2 · contact, + 1 for its second body.
struct BodyOfContactSide {
  const PenaltyContact* contacts;
  Extent extent;
  TS_HD int operator()(int side) const {
    if (side / 2 >= extent.size()) return -1;
    const PenaltyContact& contact = contacts[side / 2];
    return side % 2 == 0 ? contact.bodyA : contact.bodyB;
  }
};

/// Contacts of each body, in the order of the contacts, by their places in GroupSums.
struct Incidence {
  const GroupedItem* sides = nullptr;
  const PenaltyContact* contacts = nullptr;
  TS_HD const PenaltyContact& operator[](int place) const { return contacts[sides[place].item / 2]; }
  TS_HD bool isA(int place) const { return sides[place].item % 2 == 0; }
};

// What a side of a contact adds to a sum over those of a dynamic body.

struct SideTerm {
  WorldView world;
  Incidence sides;
  TS_HD bool isWanted(int body) const { return isDynamic(world, body); }
};

/// A particle that a side of a contact acts on.
struct ParticleSide {
  int contact;
  int carrier;
  double weight;  ///< of the contact's impulse: negative on its second body
};

struct CountParticleSides {  // over the capacity of the contacts
  WorldView world;
  const PenaltyContact* contacts;
  Extent extent;
  int* counts;
  TS_HD void operator()(int index) const {
    counts[index] = 0;
    if (index >= extent.size()) return;
    const PenaltyContact& contact = contacts[index];
    for (const bool isA : {true, false})
      if (world.isDeformable(isA ? contact.bodyA : contact.bodyB))
        counts[index] += particlesOf(world, contact.pair, isA, contact.weights).count;
  }
};

struct ListParticleSides {  // over the capacity of the contacts
  WorldView world;
  const PenaltyContact* contacts;
  Extent extent;
  const int* offsets;
  Extent list;
  ParticleSide* out;
  TS_HD void operator()(int index) const {
    if (index >= extent.size() || !fits(list, offsets[index + 1])) return;
    const PenaltyContact& contact = contacts[index];
    int sideIndex = offsets[index];
    for (const bool isA : {true, false}) {
      if (!world.isDeformable(isA ? contact.bodyA : contact.bodyB)) continue;
      const ParticleWeights particles = particlesOf(world, contact.pair, isA, contact.weights);
      for (int k = 0; k < particles.count; ++k)
        out[sideIndex++] = {index, particles.carriers[k], isA ? particles.weights[k] : -particles.weights[k]};
    }
  }
};

struct ParticleOfSide {
  const ParticleSide* sides;
  Extent extent;
  int bodyCount;
  TS_HD int operator()(int side) const { return side < extent.size() ? sides[side].carrier - bodyCount : -1; }
};

/// Term of a side in a sum over the sides of a particle.
struct ParticleTerm {
  WorldView world;
  const GroupedItem* items;
  const ParticleSide* sides;
  const PenaltyContact* contacts;
  TS_HD bool isWanted(int particle) const { return isDynamic(world, world.bodyCount + particle); }
};

}  // namespace touchstone::detail
