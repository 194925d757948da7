#pragma once

#include "core/contact/manifold/model_contact.h"
#include "core/detect/candidates.h"
#include "core/world/world_view.h"

namespace touchstone {

/// Pairs of broad phase with the first of each one's rows, on a backend.
struct RowsOfFound {
  const PiecePair* pairs;
  int count;
  const int* firstOfPair;  ///< [count + 1]
  const int* pieceBody;
};

namespace detail {

/// The replicas that an exact step goes on for.
struct RunningReplicas {
  const BodyConstants* bodies;
  const int* running;  // [replicaCount]
  TS_HD bool isRunning(int body) const { return running[bodies[body].replica] != 0; }
};

}  // namespace detail

/// The rows of a linearisation of an exact step in the memory of a backend. PEG's branches write them;
/// RigidRows solves them and knows no branches.
struct LinearisedRows {
  RowsOfFound found;
  const ModelContact* rows;  ///< [count]
  int count;
  detail::RunningReplicas replicas;  ///< that the step goes on for
};

}  // namespace touchstone
