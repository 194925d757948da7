#pragma once

#include <cmath>
#include <vector>

#include "core/solver/dense/lemke_rows.h"
#include "core/solver/table/convergence.h"

namespace touchstone {

/// Settings of each island, with its own limits.
inline std::vector<SolverSettings> settingsOfIslands(const SolverSettings& settings,
                                                     const IslandCurve* islands, int count) {
  std::vector<SolverSettings> ofIslands(count, settings);
  for (int island = 0; island < count; ++island) {
    ofIslands[island].tolerance = islands[island].limits.tolerance;
    ofIslands[island].maxIterations = islands[island].limits.maxIterations;
    ofIslands[island].velocityUnit = islands[island].limits.velocityUnit;
  }
  return ofIslands;
}

/// Notes in the curve of an island how Lemke's method ended there.
inline void noteAnswer(const SolvedIsland& solved, IslandCurve& curve) {
  curve.hasNoSolution = solved.result.status == SolveStatus::NoSolution ? 1 : 0;
  curve.best = {curve.hasNoSolution ? HUGE_VAL : solved.scaled, solved.result.residual};
}

}  // namespace touchstone
