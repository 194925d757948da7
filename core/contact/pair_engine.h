#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/contact/contact_method.h"
#include "core/contact/penalty_pair.h"

namespace touchstone {

/// Evaluates many pairs at once on a backend: CCD, penetration intervals and impulses of all of them in one
/// launch. For measurements and comparisons; a method's step runs the same bodies on pairs that never leave
/// the backend.
class PairEngine {
 public:
  virtual ~PairEngine() = default;
  virtual void send(const std::vector<PairInput>& inputs) = 0;
  /// result k = evaluatePair(input k); returns when all are done
  virtual void evaluate() = 0;
  virtual std::vector<PairResult> fetch() = 0;
};

/// Engine of a backend. @throws std::runtime_error if none is registered for it
std::unique_ptr<PairEngine> makePairEngine(BackendKind backend);

/// How gpu/ adds its engine: core never includes gpu/.
void registerPairEngine(BackendKind backend, std::function<std::unique_ptr<PairEngine>()> factory);

}  // namespace touchstone
