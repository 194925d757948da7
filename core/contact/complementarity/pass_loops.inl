#pragma once

#include "core/contact/complementarity/contact_rows.inl"
#include "core/contact/complementarity/rigid_report.h"
#include "core/contact/complementarity/row_work.inl"

namespace touchstone {

namespace detail {

// What RigidRows does about the replicas in the passes of an exact step.

/// A body of a block: rows of contacts and joints have no other carriers.
TS_HD inline int bodyOf(const RowsView& table, int place) { return table.carriersOf(table.blocks[place])[0]; }

struct FindIslandEnd {  // one island per index
  FirstPlaces firstPlaces;
  RowsView table;
  const BodyConstants* bodies;
  const int* running;  // [replicaCount], or null: all
  const IslandCurve* islands;
  const RowWork* works;  // or null
  IslandEnd* out;        // replica −1: it is frozen
  TS_HD void operator()(int island) const {
    const IslandCurve& curve = islands[island];
    const int replica = bodies[bodyOf(table, firstPlaces.of(island))].replica;
    out[island] = {!running || running[replica] ? replica : -1, curve.isAnswered() ? 1 : 0,
                   curve.hasNoSolution, curve.best.natural, gainOf(island)};
  }

 private:
  TS_HD int gainOf(int island) const {
    if (!works || !gains(works[island])) return 0;
    return gainsMuch(works[island]) ? 2 : 1;
  }
};

struct RunIslandsOfReplicas {  // one island per index
  FirstPlaces firstPlaces;
  RowsView table;
  RunningReplicas replicas;
  int* running;
  TS_HD void operator()(int island) const {
    running[island] = replicas.isRunning(bodyOf(table, firstPlaces.of(island))) ? 1 : 0;
  }
};

}  // namespace detail

}  // namespace touchstone
