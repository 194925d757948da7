#include "core/solver/linear.h"

#include <Eigen/LU>
#include <cmath>
#include <cstring>

namespace touchstone {

namespace {

constexpr LinearSolver kAll[] = {LinearSolver::Direct, LinearSolver::Pcr, LinearSolver::Pcg,
                                 LinearSolver::GaussSeidel, LinearSolver::Jacobi};

Eigen::VectorXd inverseDiagonal(const Eigen::MatrixXd& S) {
  return S.diagonal().unaryExpr([](double d) { return d > 0 ? 1 / d : 1.0; });
}

/// Keeps the iterate with the smallest residual. @return true when it is small enough
bool keep(const Eigen::VectorXd& x, double residual, double size, double tolerance, LinearResult& best) {
  const double relative = residual / size;
  if (relative < best.residual) {
    best.residual = relative;
    best.x = x;
  }
  return best.residual <= tolerance;
}

void conjugateGradients(const Eigen::MatrixXd& S, const Eigen::VectorXd& right, double tolerance, int most,
                        LinearResult& best) {
  const Eigen::VectorXd M = inverseDiagonal(S);
  Eigen::VectorXd x = Eigen::VectorXd::Zero(right.size()), r = right, z = M.cwiseProduct(r), p = z;
  double rz = r.dot(z);
  while (best.iterations < most) {
    const Eigen::VectorXd Sp = S * p;
    const double curvature = p.dot(Sp);
    if (!(curvature > 0)) return;  // p lies in the null space
    const double step = rz / curvature;
    x += step * p;
    r -= step * Sp;
    ++best.iterations;
    if (keep(x, r.norm(), right.norm(), tolerance, best)) return;
    z = M.cwiseProduct(r);
    const double next = r.dot(z);
    p = z + next / rz * p;
    rz = next;
  }
}

/// With z = M⁻¹ r; minimises |r| in the norm of M⁻¹ over the Krylov space.
void conjugateResiduals(const Eigen::MatrixXd& S, const Eigen::VectorXd& right, double tolerance, int most,
                        LinearResult& best) {
  const Eigen::VectorXd M = inverseDiagonal(S);
  Eigen::VectorXd x = Eigen::VectorXd::Zero(right.size()), r = right, z = M.cwiseProduct(r), p = z,
                  Sz = S * z, Sp = Sz;
  double zSz = z.dot(Sz);
  while (best.iterations < most) {
    const double curvature = Sp.dot(M.cwiseProduct(Sp));
    if (!(curvature > 0) || !(zSz > 0)) return;
    const double step = zSz / curvature;
    x += step * p;
    r -= step * Sp;
    z -= step * M.cwiseProduct(Sp);
    ++best.iterations;
    if (keep(x, r.norm(), right.norm(), tolerance, best)) return;
    Sz = S * z;
    const double next = z.dot(Sz);
    p = z + next / zSz * p;
    Sp = Sz + next / zSz * Sp;
    zSz = next;
  }
}

void gaussSeidel(const Eigen::MatrixXd& S, const Eigen::VectorXd& right, double tolerance, int most,
                 LinearResult& best) {
  const Eigen::VectorXd M = inverseDiagonal(S);
  Eigen::VectorXd x = Eigen::VectorXd::Zero(right.size()), r = right;
  while (best.iterations < most) {
    for (int row = 0; row < r.size(); ++row) {
      const double change = M[row] * r[row];
      x[row] += change;
      r.noalias() -= change * S.col(row);
    }
    ++best.iterations;
    if (keep(x, r.norm(), right.norm(), tolerance, best)) return;
  }
}

void jacobi(const Eigen::MatrixXd& S, const Eigen::VectorXd& right, double tolerance, int most,
            LinearResult& best) {
  const Eigen::VectorXd M = inverseDiagonal(S);
  // The eigenvalues of D⁻¹ S lie in [0, ‖D⁻¹ S‖∞]: with 1 / that norm no error component grows.
  const double norm = (M.asDiagonal() * S).cwiseAbs().rowwise().sum().maxCoeff();
  const double damping = norm > 0 ? 1 / norm : 1;
  Eigen::VectorXd x = Eigen::VectorXd::Zero(right.size());
  while (best.iterations < most) {
    const Eigen::VectorXd r = right - S * x;
    if (keep(x, r.norm(), right.norm(), tolerance, best)) return;
    x += damping * M.cwiseProduct(r);
    ++best.iterations;
  }
}

}  // namespace

const char* toString(LinearSolver solver) {
  constexpr const char* kKeys[] = {"direct", "pcr", "pcg", "gauss-seidel", "jacobi"};
  return kKeys[static_cast<int>(solver)];
}

LinearSolver linearSolverOf(const char* key) {
  for (LinearSolver solver : kAll)
    if (std::strcmp(toString(solver), key) == 0) return solver;
  return LinearSolver::Direct;
}

LinearResult solveLinear(LinearSolver solver, const Eigen::MatrixXd& S, const Eigen::VectorXd& r,
                         double tolerance, int maxIterations) {
  LinearResult best;
  best.x = Eigen::VectorXd::Zero(r.size());
  if (!(r.norm() > 0)) return best;
  best.residual = 1;
  if (solver == LinearSolver::Direct) {
    best.x = S.partialPivLu().solve(r);
    best.residual = (S * best.x - r).norm() / r.norm();
  } else if (solver == LinearSolver::Pcg) {
    conjugateGradients(S, r, tolerance, maxIterations, best);
  } else if (solver == LinearSolver::Pcr) {
    conjugateResiduals(S, r, tolerance, maxIterations, best);
  } else if (solver == LinearSolver::GaussSeidel) {
    gaussSeidel(S, r, tolerance, maxIterations, best);
  } else {
    jacobi(S, r, tolerance, maxIterations, best);
  }
  return best;
}

}  // namespace touchstone
