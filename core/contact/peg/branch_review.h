#pragma once

#include "core/math/host_device.h"

namespace touchstone {

/// Result of a pass for a pair, or for all pairs of a replica.
struct BranchReview {
  int isChanged = 0;   ///< switched, or new
  double deepest = 0;  ///< below its target, in units of RowRules::exactDepth
  /// An impulse holds a branch that did not separate the bodies where the step started, or they end apart by
  /// more than touchTolerance(): they have passed a corner on the way.
  int passesCorner = 0;
  TS_HD BranchReview& operator+=(const BranchReview& o) {
    if (o.isChanged) isChanged = 1;
    if (o.passesCorner) passesCorner = 1;
    if (!(o.deepest <= deepest)) deepest = o.deepest;
    return *this;
  }
};

}  // namespace touchstone
