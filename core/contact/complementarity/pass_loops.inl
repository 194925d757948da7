#pragma once

#include "core/contact/complementarity/contact_rows.inl"
#include "core/contact/complementarity/row_step.h"
#include "core/contact/complementarity/row_work.inl"

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

}  // namespace detail

}  // namespace touchstone
