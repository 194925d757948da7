#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/contact/gap_rule.h"
#include "core/parallel/backend_kind.h"
#include "core/world/world.h"

namespace touchstone {

/// Contacts of a step with gaps and gradients, and their sets, in the order of their pairs.
struct FoundContacts {
  std::vector<ModelContact> contacts;
  std::vector<SetRange> sets;
  std::vector<int> members;  ///< of the sets, into `contacts`
};

/// Broad and narrow phase of the complementarity models on a backend: pairs of convex pieces, their contacts
/// with gaps and gradients, and their constraint sets. The pieces go there once, the state of the bodies
/// before every step, and back come the contacts. One per pane.
class PieceEngine {
 public:
  virtual ~PieceEngine() = default;
  /// Broad phase of the running step, from the arrays that predict() left in the world: pieces whose swept
  /// boxes come nearer than the margin [m], then pieces and planes; sorted.
  virtual void findPairs(const World& world, double margin, std::vector<PiecePair>& pairs) = 0;
  /// Narrow phase of the pairs of the last findPairs(), in the same world.
  virtual void findContacts(const World& world, const GapRule& rule, FoundContacts& found) = 0;
  /// Kernels and library calls sent to a device so far.
  virtual long launches() const = 0;
};

/// Engine of a backend. @throws std::runtime_error if none is registered for it
std::unique_ptr<PieceEngine> makePieceEngine(BackendKind backend, const World& world);

/// How gpu/ adds its engine: core never includes gpu/.
using PieceEngineFactory = std::function<std::unique_ptr<PieceEngine>(const World& world)>;
void registerPieceEngine(BackendKind backend, PieceEngineFactory factory);

}  // namespace touchstone
