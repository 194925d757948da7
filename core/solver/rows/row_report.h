#pragma once

#include <string>
#include <vector>

#include "core/record/step_record.h"

namespace touchstone {

/// End of a solver.
enum class SolveStatus { Solved, NotConverged, NoSolution };

/// Result of solving the rows of all islands. Residuals as in core/solver/dense/problem.h.
struct RowSolverReport {
  int islands = 0, unsolved = 0;
  int endedByBudget = 0;  ///< islands whose answer is used although it is above the tolerance
  double residual = 0;    ///< largest natural residual of the answers [m/s]
  double tolerance = 0;   ///< of the largest island, as a bound on its natural residual [m/s]
  std::vector<SolverIteration> iterations;  ///< of the largest island; the first is the start
  SolveStatus worst = SolveStatus::Solved;
  std::string message;  ///< why, of the worst: a sentence without its end
  std::string
      deliveredBy;       ///< key of the solver that the largest island's answer is from; "": that asked for
  int largestDense = 0;  ///< unknowns of the largest island that was solved with its dense matrix
};

}  // namespace touchstone
