#pragma once

#include "core/solver/problem.h"

namespace touchstone {

// The solvers themselves, on equilibrated problems without free rows (makeSolver() does both for all of
// them).

/// Lemke's method with covering vector 1 and the lexicographic ratio test. Serial, on the CPU.
/// A ray is reported as NoSolution: proof of infeasibility only for classes such as copositive-plus matrices.
SolverResult solveLemke(const ComplementarityProblem& problem, const SolverSettings& settings);

/// Semismooth Newton on Fischer–Burmeister, F_i = z_i + w_i − √(z_i² + w_i²), with Armijo's line search.
SolverResult solveNewtonFb(const ComplementarityProblem& problem, const Eigen::VectorXd& start,
                           const SolverSettings& settings);

/// Semismooth Newton on the minimum map, F_i = min(z_i, w_i), with Armijo's line search.
SolverResult solveNewtonMin(const ComplementarityProblem& problem, const Eigen::VectorXd& start,
                            const SolverSettings& settings);

/// Projected Gauss–Seidel. Needs A_ii > 0 in every row.
SolverResult solvePgs(const ComplementarityProblem& problem, const Eigen::VectorXd& start,
                      const SolverSettings& settings);

}  // namespace touchstone
