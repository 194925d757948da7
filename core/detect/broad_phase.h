#pragma once

#include <memory>

#include "core/detect/candidates.h"
#include "core/world/world.h"

namespace touchstone {

/// Broad phase of the CPU, O(n log n + pairs). It finds the pairs that the method needs, sorted, from the
/// arrays that predict() filled in the world. It keeps its arrays between steps, so that only the first steps
/// allocate.
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
