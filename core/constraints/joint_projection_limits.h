#pragma once

#include <vector>

namespace touchstone {

/// Limits at which sweeps of projected Gauss–Seidel end; as in SolverSettings.
struct SweepLimits {
  double tolerance = 0;
  int maxIterations = 0;
  double velocityUnit = 1;  ///< m/s
};

/// Projection of joints that a method asks for at the end of its steps, see projectJoints().
struct JointProjection {
  bool isWanted = false;
  std::vector<SweepLimits> sweeps;  ///< [replicaCount]; empty: direct
};

}  // namespace touchstone
