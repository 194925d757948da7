#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/contact/gap_rule.h"
#include "core/world/backend_world.h"

namespace touchstone {

/// Constraint sets of a step's contacts, in the order of their pairs.
struct FoundSets {
  std::vector<SetRange> sets;
  std::vector<int> members;  ///< of the sets, into the contacts
};

/// Broad and narrow phase of the complementarity models on a backend: pairs of convex pieces, their contacts
/// with gaps and gradients, and their constraint sets. The pieces go there once, the bodies are those of the
/// BackendWorld, and back comes what is fetched. One per pane.
class PieceEngine {
 public:
  virtual ~PieceEngine() = default;
  /// From the next findPairs() on. Asks nothing of the backend.
  /// @param rules  [copyCount] of each copy of the scene
  virtual void setRules(const std::vector<GapRule>& rules) = 0;
  /// Broad phase of the running step, from the arrays that BackendWorld::predict() left: pieces whose swept
  /// boxes come as near as contacts of the rules may be, then pieces and planes; sorted.
  virtual void findPairs(const World& world) = 0;
  virtual std::vector<PiecePair> fetchPairs() const = 0;
  /// Narrow phase of the pairs of the last findPairs(), in the same world. What it finds stays on the
  /// backend.
  virtual void findContacts(const World& world) = 0;
  /// The contacts of the last findContacts(): with gaps and gradients, in the order of their pairs.
  virtual std::vector<ModelContact> fetchContacts() const = 0;
  virtual FoundSets fetchSets() const = 0;
  /// Gaps ψ and gradients G of the contacts of the last findContacts() anew where the running step's
  /// velocities ν lead, with rates ψ/h − Gᵀν: the next linearisation. On the backend.
  virtual void linearise() = 0;
  /// The contacts as the last linearise() left them.
  virtual std::vector<ModelContact> fetchLinearised() const = 0;
  /// Gaps of the contacts of the last findContacts() where the running step's velocities lead; before
  /// integration. On the backend.
  virtual void findEndGaps() = 0;
};

/// Engine of a backend. @param there  the world on that backend   @throws std::runtime_error if none is
/// registered for it
std::unique_ptr<PieceEngine> makePieceEngine(BackendKind backend, const World& world,
                                             const std::shared_ptr<BackendWorld>& there);

/// How gpu/ adds its engine: core never includes gpu/.
using PieceEngineFactory = std::function<std::unique_ptr<PieceEngine>(
    const World& world, const std::shared_ptr<BackendWorld>& there)>;
void registerPieceEngine(BackendKind backend, PieceEngineFactory factory);

}  // namespace touchstone
