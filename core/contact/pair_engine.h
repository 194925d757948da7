#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/contact/contact_method.h"
#include "core/contact/penalty_pair.h"

namespace touchstone {

/// Evaluates many pairs at once on a backend: CCD, penetration intervals and impulses of all of them in one
/// launch.
class PairEngine {
 public:
  virtual ~PairEngine() = default;
  /// results[k] = evaluatePair(inputs[k])
  virtual void evaluate(const std::vector<PairInput>& inputs, std::vector<PairResult>& results) = 0;
};

/// Engine of a backend. @throws std::runtime_error if none is registered for it
std::unique_ptr<PairEngine> makePairEngine(BackendKind backend);

/// How gpu/ adds its engine: core never includes gpu/.
void registerPairEngine(BackendKind backend, std::function<std::unique_ptr<PairEngine>()> factory);

}  // namespace touchstone
