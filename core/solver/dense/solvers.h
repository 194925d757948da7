#pragma once

#include "core/solver/dense/problem.h"

namespace touchstone {

/// A problem as the solvers see it: w_i = s_i v_i and z_i = q_i y_i with s_i = √A_ii (√r on the rows of a
/// FrictionDisk) and q_i = 1/s_i, which is the preconditioner r_i = A_ii of φ (Macklin 2019, eq. 66), so that
///
///     A_ij q_j / s_i,   b_i / s_i,   v = A y + b
///
/// A row with A_ii ≤ 0 has s = q = 1; slacks have s = q = s_p of their contact p, and the σ of a pyramid has
/// 1/s = q = s_p, where the problem names that contact: then all v and y have one unit, m/s √kg.
///
/// and, for solvers that cannot take free rows, without them: z_f = −A_ff⁻¹ (A_fc z_c + b_f). Knows how to
/// measure its iterates by the residuals of the problem that was given.
struct EquilibratedProblem {
  Eigen::MatrixXd A;
  Eigen::VectorXd b;
  int freeCount = 0;                ///< first rows v_i = 0 with y_i free
  std::vector<FrictionDisk> disks;  ///< with μ for y: here r = 1
  std::vector<MaximumRow> maxima;
  Eigen::VectorXd given;     ///< s_i of the problem given: what its residuals are scaled by
  Eigen::VectorXd columns;   ///< q_i of this one
  Eigen::VectorXd ratio;     ///< s_i / given_i: 1 unless free rows were eliminated
  double denominator = 1;    ///< as in scaledResidual()
  bool eliminated = false;   ///< the problem given had free rows
  std::string refusal;       ///< why the problem cannot be brought into this form, or empty
  Eigen::MatrixXd coupling;  ///< A_ff⁻¹ A_fc of eliminated rows
  Eigen::VectorXd offset;    ///< A_ff⁻¹ b_f of eliminated rows
};

enum class FreeRows { Keep, Eliminate };
EquilibratedProblem equilibrated(const ComplementarityProblem& problem, FreeRows freeRows);
/// y for z, and back.
Eigen::VectorXd equilibratedUnknowns(const EquilibratedProblem& problem, const Eigen::VectorXd& z);
Eigen::VectorXd givenUnknowns(const EquilibratedProblem& problem, const Eigen::VectorXd& y);

/// naturalResidual() and scaledResidual() of the problem given, O(n).
struct Residuals {
  double natural = 0, scaled = 0;
};
Residuals residualsOf(const EquilibratedProblem& problem, const Eigen::VectorXd& y, const Eigen::VectorXd& v);

/// Answer of a solver: its best y, the end in its own judgement, and its curve.
struct Answer {
  SolveStatus status = SolveStatus::NotConverged;
  Eigen::VectorXd y;
  std::vector<SolverIteration> iterations;
  std::vector<Eigen::VectorXd> iterates;  ///< y of each, if they are kept
  std::string message;
};

// The solvers. `start` has the size of the problem; settings.tolerance is on Residuals::scaled.

/// Lemke's method with covering vector 1 and the lexicographic ratio test. No free rows. Serial, on the CPU.
/// A ray is reported as NoSolution: proof of infeasibility only for classes such as copositive-plus matrices.
Answer solveLemke(const EquilibratedProblem& problem, const SolverSettings& settings);

/// Semismooth Newton on Fischer–Burmeister, F_i = y_i + v_i − √(y_i² + v_i²); free rows F_i = v_i, the rows
/// of a FrictionDisk DiskRows: exact with a direct linear solver, without the derivative of the limit with
/// others.
Answer solveNewtonFb(const EquilibratedProblem& problem, const Eigen::VectorXd& start,
                     const SolverSettings& settings);

/// Semismooth Newton on the minimum map, F_i = min(y_i, v_i); other rows as above.
Answer solveNewtonMin(const EquilibratedProblem& problem, const Eigen::VectorXd& start,
                      const SolverSettings& settings);

/// Projected Gauss–Seidel in the order of the rows: y_i ← max(0, y_i − v_i / A_ii); the rows of a
/// FrictionDisk together, y ← proj(y − v); of a MaximumRow the p that solves it, with the slacks that go with
/// the impulses. No free rows; needs A_ii > 0 in every other row. Serial, on the
/// CPU: the sweeps of a running pane are those of core/solver/rows/row_report.h.
Answer solvePgs(const EquilibratedProblem& problem, const Eigen::VectorXd& start,
                const SolverSettings& settings);

}  // namespace touchstone
