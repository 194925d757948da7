#pragma once

#include <memory>

#include "core/detect/candidates.h"
#include "core/world/world.h"

namespace touchstone {

/// Broad phase of the CPU, O(n log n + pairs): finds what the method asked for, sorted, from the arrays that
/// predict() left in the world. Keeps its arrays between steps, so that it allocates in the first ones only.
class BroadPhase {
 public:
  BroadPhase();
  ~BroadPhase();
  void find(const World& world, const CandidateNeeds& needs, Candidates& candidates);

 private:
  struct Arrays;
  std::unique_ptr<Arrays> m_arrays;
};

}  // namespace touchstone
