#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/contact/complementarity/row_rules.h"
#include "core/detect/candidates.h"
#include "core/record/step_record.h"
#include "core/world/device_world.h"

namespace touchstone {

/// Constraint sets of a step's contacts, in the order of their pairs.
struct FoundSets {
  std::vector<SetRange> sets;
  std::vector<int> members;         ///< of the sets, into the contacts
  std::vector<CrossSet> crossSets;  ///< that are no rows
};

/// Review of the answer of a step at its end, for one replica.
struct AnswerReview {
  int brokenCrossSets = 0;  ///< X sets that are no rows: the largest of their gaps is negative
  /// Pairs of pieces with an impulse though nothing touches there: their gap (separating axes) is larger than
  /// what one linearisation errs by, see touchTolerance().
  int falseTouches = 0;
};

/// Broad and narrow phase of the complementarity models on a backend: pairs of convex pieces, their contacts
/// with gaps and gradients, and their constraint sets. The pieces are sent to the backend once, the bodies
/// are those of the DeviceWorld, and back comes what is fetched. One per pane.
class NarrowPhase {
 public:
  virtual ~NarrowPhase() = default;
  /// From the next begin() on. Asks nothing of the backend.
  /// @param rules  [replicaCount] of each replica
  virtual void setRules(const std::vector<RowRules>& rules) = 0;
  /// From the next begin() on: pairs alone, or contacts and sets as well, as at first.
  virtual void setFindsContacts(bool on) = 0;
  /// Broad and narrow phase of the running step, from the arrays that DeviceWorld::predict() left; on a
  /// device without waiting for them. What they find stays on the backend.
  virtual void begin(const World& world) = 0;
  /// Waits for them, and adds what they took. Before all that follows.
  virtual void await(PhaseTimes& times) = 0;
  /// Number of the pairs of fetchPairs(), and of the contacts of fetchContacts().
  virtual int pairCount() const = 0;
  virtual int contactCount() const = 0;
  /// Pieces whose swept boxes come as near as contacts of the rules may be, then pieces and planes; sorted.
  virtual std::vector<PiecePair> fetchPairs() const = 0;
  /// The contacts with gaps and gradients, in the order of their pairs.
  virtual std::vector<ModelContact> fetchContacts() const = 0;
  virtual FoundSets fetchSets() const = 0;
  /// Evaluates gaps ψ and gradients G of the contacts again where the running step's velocities ν lead, with
  /// rates ψ/h − Gᵀν: the next linearisation. On the backend.
  virtual void linearise() = 0;
  /// The contacts as the last linearise() left them.
  virtual std::vector<ModelContact> fetchLinearised() const = 0;
  /// Gaps of the contacts where the running step's velocities lead; before integration. On the backend.
  virtual void findEndGaps() = 0;
  /// Reviews the answer, whose velocities are on the backend, before integration. @return [replicaCount]
  /// @param impulses  [contactCount()] normal impulses [N·s], in the backend's memory
  virtual std::vector<AnswerReview> review(const double* impulses) = 0;
};

/// Engine of a backend. @param deviceWorld  the world on that backend   @throws std::runtime_error if none is
/// registered for it
std::unique_ptr<NarrowPhase> makeNarrowPhase(BackendKind backend, const World& world,
                                             const std::shared_ptr<DeviceWorld>& deviceWorld);

/// Maker of a backend; gpu/ registers its own, because core never includes gpu/.
using NarrowPhaseFactory = std::function<std::unique_ptr<NarrowPhase>(
    const World& world, const std::shared_ptr<DeviceWorld>& deviceWorld)>;
void registerNarrowPhase(BackendKind backend, NarrowPhaseFactory factory);

}  // namespace touchstone
