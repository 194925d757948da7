#pragma once

#include <Eigen/Core>

#include "core/parallel/backend_kind.h"

namespace touchstone {

/// How a Newton iteration solves its linear system. All but Direct need a symmetric positive semidefinite
/// matrix.
enum class LinearSolver { Direct, Pcr, Pcg, GaussSeidel, Jacobi };

/// "direct", "pcr", "pcg", "gauss-seidel", "jacobi"; Direct for any other text.
LinearSolver linearSolverOf(const char* key);
const char* toString(LinearSolver solver);

/// True for those that a MatrixEngine runs, on any backend.
inline bool isOnBackend(LinearSolver solver) {
  return solver == LinearSolver::Pcr || solver == LinearSolver::Pcg || solver == LinearSolver::Jacobi;
}

struct LinearResult {
  Eigen::VectorXd x;    ///< best iterate
  int iterations = 0;   ///< 0 for Direct
  double residual = 0;  ///< |S x − r| / |r|
};

/// S x = r, dense, from x = 0.
///   Pcg, Pcr: conjugate gradients and conjugate residuals, preconditioned by the diagonal (Saad 2003,
///   algorithms 9.1 and
///     6.20); a system without a solution ends at the smallest residual, which is what Pcr minimises.
///   GaussSeidel, Jacobi: stationary sweeps; Jacobi is damped by ω = 1 / max row sum of |D⁻¹ S|, so that it
///   converges on every
///     positive semidefinite matrix.
/// @param tolerance  on the relative residual   @param backend  of Pcr, Pcg and Jacobi; the others are serial
LinearResult solveLinear(LinearSolver solver, const Eigen::MatrixXd& S, const Eigen::VectorXd& r,
                         double tolerance, int maxIterations, BackendKind backend = BackendKind::Cpu);

}  // namespace touchstone
