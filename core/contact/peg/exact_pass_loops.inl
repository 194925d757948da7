#pragma once

#include "core/contact/complementarity/contact_rows.inl"
#include "core/contact/complementarity/row_step.h"
#include "core/contact/complementarity/row_work.inl"
#include "core/contact/peg/branch_engine.inl"

namespace touchstone {

namespace detail {

// What a RowStep does about the replicas in the passes of an exact step.

struct FindIslandEnd {  // one island per index
  FirstPlaces firstPlaces;
  const RowPair* pairs;
  const BodyConstants* bodies;
  const int* running;  // [replicaCount], or null: all
  const IslandCurve* islands;
  const RowWork* works;  // or null
  IslandEnd* out;        // replica −1: it is frozen
  TS_HD void operator()(int island) const {
    const IslandCurve& curve = islands[island];
    const int replica = bodies[pairs[firstPlaces.of(island)].bodyA].replica;
    out[island] = {!running || running[replica] ? replica : -1, curve.isSolved() ? 1 : 0, curve.hasNoSolution,
                   curve.best.natural, gainOf(island)};
  }

 private:
  TS_HD int gainOf(int island) const {
    if (!works || !gains(works[island])) return 0;
    return gainsMuch(works[island]) ? 2 : 1;
  }
};

struct RunIslandsOfReplicas {  // one island per index
  FirstPlaces firstPlaces;
  const RowPair* pairs;
  RunningReplicas replicas;
  int* running;
  TS_HD void operator()(int island) const {
    running[island] = replicas.isRunning(pairs[firstPlaces.of(island)].bodyA) ? 1 : 0;
  }
};

struct FreeBodies {  // one body per index, of replicas that are running: the velocities without contact
  WorldView world;
  RunningReplicas replicas;
  const Vec3 *linear, *angular;
  TS_HD void operator()(int body) const {
    if (!replicas.isRunning(body)) return;
    world.nextLinearVelocity[body] = linear[body];
    world.nextAngularVelocity[body] = angular[body];
  }
};

/// One pair of an exact step per index, of replicas that are frozen: into its rows as they lie now.
struct CarryImpulses {
  RowsOfFound found;
  const ExactBranch* branches;
  RunningReplicas replicas;
  const Vec3* before;
  Vec3* best;
  TS_HD void operator()(int pair) const {
    if (replicas.isRunning(found.pieceBody[found.pairs[pair].pieceA])) return;
    const ExactBranch& branch = branches[pair];
    for (int k = 0; k < branch.count; ++k) best[branch.first + k] = before[branch.before + k];
  }
};

}  // namespace detail

}  // namespace touchstone
