#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/contact/manifold/continuous_penalty.h"
#include "core/parallel/backend_kind.h"

namespace touchstone {

/// Evaluates many pairs at once on a backend, as a method's step does: pairs that cannot cross are left out
/// first, the others get CCD, penetration intervals and impulses. For measurements and comparisons; in a step
/// the pairs never leave the backend.
class BatchedPairs {
 public:
  virtual ~BatchedPairs() = default;
  virtual void send(const std::vector<PairPath>& inputs) = 0;
  /// result k = evaluatePair(input k); returns when all are done
  virtual void evaluate() = 0;
  virtual std::vector<PairImpulse> fetch() = 0;
};

/// Engine of a backend. @throws std::runtime_error if none is registered for it
std::unique_ptr<BatchedPairs> makeBatchedPairs(BackendKind backend);

/// Maker of a backend; gpu/ registers its own, because core never includes gpu/.
using BatchedPairsFactory = std::function<std::unique_ptr<BatchedPairs>()>;
void registerBatchedPairs(BackendKind backend, BatchedPairsFactory factory);

}  // namespace touchstone
