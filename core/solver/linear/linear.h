#pragma once

#include <Eigen/Core>
#include <string>

#include "core/math/host_device.h"
#include "core/parallel/backend_kind.h"

namespace touchstone {

/// Solver of the linear system of a Newton iteration. All but Direct need a symmetric positive semidefinite
/// matrix. PcgBest is Pcg with a safeguard: its answer is the iterate with the smallest residual.
enum class LinearSolver { Direct, Pcr, Pcg, GaussSeidel, Jacobi, PcgBest };

/// "direct", "pcr", "pcg", "gauss-seidel", "jacobi", "pcg-best"; Direct for any other text.
LinearSolver linearSolverOf(const char* key);
/// The solver with this key. @param iterate  "best": pcg is PcgBest; others take no notice
LinearSolver linearSolverOf(const std::string& key, const std::string& iterate);
const char* toString(LinearSolver solver);

/// @throws std::length_error if a matrix of so many rows is larger than the parameter largest_problem allows,
/// saying what to do instead
void requireMatrixOf(int rows, int largestProblem);

/// True for those that a BatchedKrylov runs, on any backend.
inline bool isOnBackend(LinearSolver solver) {
  return solver == LinearSolver::Pcr || solver == LinearSolver::Pcg || solver == LinearSolver::PcgBest ||
         solver == LinearSolver::Jacobi;
}

/// True for the one whose answer is its last iterate, as published; that of others is their best.
TS_HD inline bool takesLastIterate(LinearSolver solver) { return solver == LinearSolver::Pcg; }

struct LinearResult {
  Eigen::VectorXd x;    ///< best iterate; of Pcg the last one
  int iterations = 0;   ///< 0 for Direct
  double residual = 0;  ///< |S x − r| / |r|
};

/// S x = r, dense, from x = 0.
///   Pcg, Pcr: conjugate gradients and conjugate residuals, preconditioned by the diagonal (Saad 2003,
///   algorithms 9.1 and
///     6.20). Pcg ends at its last iterate, whose residual may be far above that of earlier ones; Pcr and
///     PcgBest end at the smallest residual, also of a system without a solution.
///   GaussSeidel, Jacobi: stationary sweeps; Jacobi is damped by ω = 1 / max row sum of |D⁻¹ S|, so that it
///   converges on every
///     positive semidefinite matrix.
/// @param tolerance  on the relative residual   @param backend  of Pcr, Pcg and Jacobi; the others are serial
LinearResult solveLinear(LinearSolver solver, const Eigen::MatrixXd& S, const Eigen::VectorXd& r,
                         double tolerance, int maxIterations, BackendKind backend = BackendKind::Cpu);

}  // namespace touchstone
