#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/contact/complementarity/complementarity_model.h"
#include "core/contact/complementarity/linearised_rows.h"
#include "core/contact/complementarity/narrow_phase.h"
#include "core/contact/peg/branch_review.h"

namespace touchstone {

/// Pairs, branches and rows of exact steps (takeExactStep()) on a backend. The pairs are those of the running
/// step's broad phase that are within reach, and such as overlap in the course of the step. One per pane.
class BranchSelection : public LinearisedRows {
 public:
  /// Pairs with the branches that separate best where the step starts; the step's velocities are those
  /// without contact. After NarrowPhase::await().
  /// @param replicas  of the scene that take the step
  virtual void begin(const World& world, const ReplicaSet& replicas) = 0;
  /// The rows of all branches: at first where the step starts, then where the last velocities lead. Those of
  /// replicas that have ended stay as they are.
  virtual void linearise() = 0;
  /// In the order of their pairs.
  virtual std::vector<ModelContact> fetchRows() const = 0;
  /// Exchanges branches where the velocities lead, and adds pairs. @return of each replica
  virtual std::vector<BranchReview> review() = 0;
  /// The branches of these replicas as begin() found them, and the start as the place of the next
  /// linearise(). Pairs that came later stay.
  virtual void restart(const ReplicaSet& replicas) = 0;
  /// Replicas that are left out of what follows.
  virtual void end(const ReplicaSet& replicas) = 0;
};

/// @param deviceWorld  the world on that backend   @param pieces  of the method, on the same backend
/// @throws std::runtime_error if none is registered for the backend
std::unique_ptr<BranchSelection> makeBranchSelection(BackendKind backend, const World& world,
                                                     const std::shared_ptr<DeviceWorld>& deviceWorld,
                                                     const NarrowPhase& pieces);

/// Maker of a backend; gpu/ registers its own, because core never includes gpu/.
using BranchSelectionFactory = std::function<std::unique_ptr<BranchSelection>(
    const World& world, const std::shared_ptr<DeviceWorld>& deviceWorld, const NarrowPhase& pieces)>;
void registerBranchSelection(BackendKind backend, BranchSelectionFactory factory);

}  // namespace touchstone
