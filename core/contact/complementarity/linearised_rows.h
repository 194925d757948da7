#pragma once

#include "core/contact/complementarity/model_contact.h"
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

/// The rows of a linearisation of an exact step in the memory of a backend, and where their answer goes.
/// PEG's branches write them; a RowStep solves them and knows no branches.
class LinearisedRows {
 public:
  virtual ~LinearisedRows() = default;
  virtual RowsOfFound found() const = 0;
  virtual const ModelContact* rows() const = 0;  ///< [rowCount()]
  virtual int rowCount() const = 0;
  /// The replicas that the step goes on for.
  virtual detail::RunningReplicas replicas() const = 0;
  /// Copies the impulses of rows of frozen replicas to where these rows are now.
  /// @param before, best  [perContact · rowCount()]
  virtual void carryImpulses(const double* before, int perContact, double* best) const = 0;
  /// Gives bodies of running replicas the velocities without contact.
  virtual void freeBodies(const WorldView& world) const = 0;
  /// Receives what the rows were solved to. @param impulses  [perContact · rowCount()] p, then β
  /// @param world  with the velocities
  virtual void takeAnswer(const double* impulses, int perContact, const WorldView& world) = 0;
};

}  // namespace touchstone
