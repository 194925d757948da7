#include "core/solver/linear/linear.h"

#include <Eigen/LU>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "core/parallel/frame_clock.h"
#include "core/solver/linear/batched_krylov.h"

namespace touchstone {

namespace {

constexpr LinearSolver kAll[] = {LinearSolver::Direct,      LinearSolver::Pcr,    LinearSolver::Pcg,
                                 LinearSolver::GaussSeidel, LinearSolver::Jacobi, LinearSolver::PcgBest};

Eigen::VectorXd inverseDiagonal(const Eigen::MatrixXd& S) {
  return S.diagonal().unaryExpr([](double d) { return d > 0 ? 1 / d : 1.0; });
}

void gaussSeidel(const Eigen::MatrixXd& S, const Eigen::VectorXd& right, double tolerance, int maxIterations,
                 LinearResult& best) {
  const Eigen::VectorXd M = inverseDiagonal(S);
  Eigen::VectorXd x = Eigen::VectorXd::Zero(right.size()), r = right;
  while (best.iterations < maxIterations) {
    checkFrameClock();
    for (int row = 0; row < r.size(); ++row) {
      const double change = M[row] * r[row];
      x[row] += change;
      r.noalias() -= change * S.col(row);
    }
    ++best.iterations;
    const double relative = r.norm() / right.norm();
    if (relative < best.residual) {
      best.residual = relative;
      best.x = x;
    }
    if (best.residual <= tolerance) return;
  }
}

}  // namespace

const char* toString(LinearSolver solver) {
  constexpr const char* kKeys[] = {"direct", "pcr", "pcg", "gauss-seidel", "jacobi", "pcg-best"};
  return kKeys[static_cast<int>(solver)];
}

void requireMatrixOf(int rows, int largestProblem) {
  if (rows <= largestProblem) return;
  throw std::length_error(
      std::to_string(rows) + " coupled rows are more than the " + std::to_string(largestProblem) +
      " of the parameter largest_problem, for which a dense matrix is made; use a solver that makes none "
      "(pgs, or newton-fb with the linear solver pcr), a penalty method, fewer contacts, or raise it");
}

LinearSolver linearSolverOf(const char* key) {
  for (LinearSolver solver : kAll)
    if (std::strcmp(toString(solver), key) == 0) return solver;
  return LinearSolver::Direct;
}

LinearSolver linearSolverOf(const std::string& key, const std::string& iterate) {
  const LinearSolver solver = linearSolverOf(key.c_str());
  return solver == LinearSolver::Pcg && iterate == "best" ? LinearSolver::PcgBest : solver;
}

LinearResult solveLinear(LinearSolver solver, const Eigen::MatrixXd& S, const Eigen::VectorXd& r,
                         double tolerance, int maxIterations, BackendKind backend) {
  if (isOnBackend(solver)) return BatchedKrylovLease(backend)->solve(solver, S, r, tolerance, maxIterations);
  LinearResult best;
  best.x = Eigen::VectorXd::Zero(r.size());
  if (!(r.norm() > 0)) return best;
  best.residual = 1;
  if (solver == LinearSolver::Direct) {
    best.x = S.partialPivLu().solve(r);
    best.residual = (S * best.x - r).norm() / r.norm();
  } else {
    gaussSeidel(S, r, tolerance, maxIterations, best);
  }
  return best;
}

}  // namespace touchstone
