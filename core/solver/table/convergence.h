#pragma once

#include "core/math/host_device.h"

namespace touchstone {

/// Largest values over rows; NaN is larger than any number.
struct RowExtremes {
  double scaled = 0, natural = 0;
  TS_HD static void keep(double value, double& largest) {
    if (!(value <= largest)) largest = value;
  }
  TS_HD void add(const RowExtremes& o) {
    keep(o.scaled, scaled);
    keep(o.natural, natural);
  }
};

/// Number of rows of an island.
struct IslandRows {
  int rows = 0, island = -1;
  TS_HD void add(const IslandRows& o) {
    rows += o.rows;
    island = o.island;
  }
};

/// Limits at which the solver of an island stops; as in SolverSettings.
struct SolverLimits {
  double tolerance = 0;
  int maxIterations = 0;
  double velocityUnit = 1;  ///< m/s
  bool operator==(const SolverLimits& o) const {
    return tolerance == o.tolerance && maxIterations == o.maxIterations && velocityUnit == o.velocityUnit;
  }
};

/// Convergence of one island.
struct IslandCurve {
  double denominator;   ///< V / max √r + max |b_i| / √r_i: what scaled residuals are relative to
  double largestScale;  ///< max √r_i
  SolverLimits limits;
  RowExtremes best;
  int measured;  ///< iterates so far
  int isDone, isImproved;
  int hasNoSolution;  ///< its solver has found that there is none
  double answered;    ///< residual up to which an answer that a budget has ended is used as one
  TS_HD bool isSolved() const { return best.scaled <= limits.tolerance; }
  TS_HD bool isAnswered() const { return !hasNoSolution && (isSolved() || best.scaled <= answered); }
};

}  // namespace touchstone
