#pragma once

#include <vector>

#include "core/contact/manifold/constraint_sets.h"

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

}  // namespace touchstone
