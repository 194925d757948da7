#pragma once

#include <Eigen/Core>
#include <memory>
#include <string>
#include <vector>

#include "core/record/step_record.h"
#include "core/solver/linear/linear.h"
#include "core/solver/rows/friction_disk.h"
#include "core/solver/rows/row_report.h"

namespace touchstone {

/// A row p and the slacks c of the rows behind it that together ask for the largest of several rates: a set
/// of which one contact carries the force (Williams 2017, eqs. 20, 24, 39 and 40):
///
///     w_p = ρ_1 + Σ c_r,   w_s = ρ_1 − ρ_s + Σ_{r ≤ s} c_r   ⇔   0 ≤ p ⊥ max_s ρ_s ≥ 0
struct MaximumRow {
  int row = 0, slacks = 0;
};

/// Mixed linear complementarity problem, dense:
///
///     w = A z + b;   w_i = 0 for the first freeCount rows (z_i free),   0 ≤ z_i ⊥ w_i ≥ 0 for the others
///
/// Contact models: z impulses [N·s] (slack rows [m/s]), w velocities [m/s].
struct ComplementarityProblem {
  Eigen::MatrixXd A;  ///< [n × n]
  Eigen::VectorXd b;  ///< [n]
  int freeCount = 0;
  bool symmetric = false;  ///< A is symmetric positive semidefinite by construction
  /// Rows that obey a disk of friction instead; lemke refuses problems with any.
  std::vector<FrictionDisk> disks;
  /// Rows that pgs takes together; to the others they are rows like all.
  std::vector<MaximumRow> maxima;
  /// [n] or empty: of slacks and of the σ of a pyramid, the row of the contact that they belong to, whose
  /// scale is theirs; −1: the row has its own. Contact models give it, so that no unit of mass or length
  /// decides.
  std::vector<int> scaledBy;
  double velocityUnit =
      0;  ///< what tolerances are relative to [m/s], see scaledResidual(); 0: 1 on scaled rows
};

struct SolverResult {
  SolveStatus status = SolveStatus::NotConverged;
  Eigen::VectorXd z;                        ///< best iterate, [n]
  double residual = 0;                      ///< naturalResidual(problem, z)
  std::vector<SolverIteration> iterations;  ///< residual after each iteration or pivot
  std::string deliveredBy;                  ///< key of the solver whose answer this is
  std::string message;                      ///< one sentence if not Solved
  std::vector<Eigen::VectorXd> iterates;    ///< z of each of `iterations`, where SolverSettings ask for them
};

struct SolverSettings {
  double tolerance = 1e-10;                    ///< on scaledResidual()
  int maxIterations = 200;                     ///< Lemke: pivots per row, 50
  LinearSolver linear = LinearSolver::Direct;  ///< of the Newton solvers
  int linearIterations = 200;                  ///< at most, of an iterative one
  BackendKind backend = BackendKind::Cpu;      ///< of pcr, pcg and jacobi
  double velocityUnit = 1;                     ///< velocityUnitOf() the scene [m/s]
  bool keepIterates = false;
};

/// Residual of each row [m/s]: |min(A_ii z_i, w_i)|, A_ii replaced by 1 where it is ≤ 0 (by 1/A_pp on the σ
/// of a pyramid, of whose contact p is the row); |w_i| on free rows; r |β − proj(β − w/r)| on the rows of a
/// FrictionDisk.
Eigen::VectorXd rowResiduals(const ComplementarityProblem& problem, const Eigen::VectorXd& z,
                             const Eigen::VectorXd& w);

/// Natural residual that all solvers are compared by (Macklin 2019, reduced models): the largest of
/// rowResiduals() with w = A z + b [m/s].
double naturalResidual(const ComplementarityProblem& problem, const Eigen::VectorXd& z);

/// Equilibrated and relative, used for tolerances (as Lemke and Newton solve it): with the row scales s_i =
/// √A_ii (√r on the rows of a FrictionDisk; on rows without a scale 1, or by `scaledBy` that of their
/// contact)
///     max_i rowResidual_i / s_i / (unit + max_i |b_i / s_i|)
/// unit is 1, or with a velocity unit V it is V / max s_i: that of the lightest row.
double scaledResidual(const ComplementarityProblem& problem, const Eigen::VectorXd& z);
/// A tolerance on the scaled residual as a bound on the natural one [m/s].
double naturalTolerance(const ComplementarityProblem& problem, double tolerance);

class ComplementaritySolver {
 public:
  virtual ~ComplementaritySolver() = default;
  /// Never reports Solved with a scaledResidual above the tolerance.
  /// @param start  [n] warm start, or empty
  virtual SolverResult solve(const ComplementarityProblem& problem, const Eigen::VectorXd& start,
                             const SolverSettings& settings) const = 0;
};

/// Solver of storedSolvers() by key, or null.
std::unique_ptr<ComplementaritySolver> makeSolver(const std::string& key);

}  // namespace touchstone
