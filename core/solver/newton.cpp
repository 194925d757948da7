#include <Eigen/LU>
#include <cmath>

#include "core/solver/solvers.h"

namespace touchstone {

namespace {

constexpr double kArmijo = 1e-4;  // sufficient decrease of ½|F|² per unit of predicted decrease
constexpr double kSmallestStep = 1e-10;

/// Value and generalised derivatives of an NCP function φ(z, w) at one row.
struct Row {
  double value, dz, dw;
};

/// Fischer–Burmeister in the sign z + w − √(z² + w²), without cancellation (Macklin 2019, appendix A).
/// At (0, 0) both derivatives are 1 − 1/√2, the symmetric element of the generalised Jacobian.
Row fischerBurmeister(double z, double w) {
  const double s = std::hypot(z, w);
  if (s == 0) return {0, 1 - M_SQRT1_2, 1 - M_SQRT1_2};
  const double value = z + w > 0 ? 2 * z * w / (z + w + s) : z + w - s;
  const double dz = z > 0 ? w * w / (s * (s + z)) : 1 - z / s;
  const double dw = w > 0 ? z * z / (s * (s + w)) : 1 - w / s;
  return {value, dz, dw};
}

Row minimumMap(double z, double w) { return z <= w ? Row{z, 1, 0} : Row{w, 0, 1}; }

using Function = Row (*)(double, double);

/// Newton's method on F(z) = φ(z, A z + b) with the generalised Jacobian D_z + D_w A.
class Newton {
 public:
  Newton(const ComplementarityProblem& problem, Function function)
      : m_problem(problem), m_function(function) {}

  SolverResult solve(const Eigen::VectorXd& start, const SolverSettings& settings) {
    const int n = static_cast<int>(m_problem.b.size());
    Eigen::VectorXd z = start.size() == n ? start : Eigen::VectorXd(Eigen::VectorXd::Zero(n));
    SolverResult result;
    result.z = z;
    double best = scaledResidual(m_problem, z);
    evaluate(z);
    result.iterations.push_back({naturalResidual(m_problem, z), merit()});
    for (int iteration = 0; iteration < settings.maxIterations && best > settings.tolerance; ++iteration) {
      if (!advance(z)) break;
      result.iterations.push_back({naturalResidual(m_problem, z), merit()});
      const double residual = scaledResidual(m_problem, z);
      if (residual < best) {
        best = residual;
        result.z = z;
      }
    }
    result.residual = naturalResidual(m_problem, result.z);
    result.status = best <= settings.tolerance ? SolveStatus::Solved : SolveStatus::NotConverged;
    if (result.status != SolveStatus::Solved) result.message = "Newton's method stalls above its tolerance";
    return result;
  }

 private:
  double merit() const { return 0.5 * m_value.squaredNorm(); }

  void evaluate(const Eigen::VectorXd& z) {
    const Eigen::VectorXd w = m_problem.A * z + m_problem.b;
    m_value.resize(z.size());
    m_dz.resize(z.size());
    m_dw.resize(z.size());
    for (int row = 0; row < z.size(); ++row) {
      const Row f = m_function(z[row], w[row]);
      m_value[row] = f.value;
      m_dz[row] = f.dz;
      m_dw[row] = f.dw;
    }
  }

  /// One step along the first direction that descends: Newton's, regularised ones, steepest descent.
  bool advance(Eigen::VectorXd& z) {
    const double before = merit();
    Eigen::MatrixXd jacobian = m_dw.asDiagonal() * m_problem.A;
    jacobian.diagonal() += m_dz;
    const Eigen::VectorXd value = m_value;
    const Eigen::VectorXd gradient = jacobian.transpose() * value;
    // A Newton direction that must be cut below this is that of a nearly singular Jacobian: regularised ones go farther.
    constexpr double kUsefulStep = 1.0 / 64;
    const Eigen::VectorXd newton = jacobian.partialPivLu().solve(-value);
    if (search(z, newton, gradient, before, kUsefulStep)) return true;
    const Eigen::MatrixXd normal = jacobian.transpose() * jacobian;
    for (double mu : {1e-10, 1e-6, 1e-3}) {
      Eigen::MatrixXd regularised = normal;
      regularised.diagonal().array() += mu;
      if (search(z, regularised.ldlt().solve(-gradient), gradient, before, kUsefulStep)) return true;
    }
    return search(z, newton, gradient, before, kSmallestStep) || search(z, -gradient, gradient, before, kSmallestStep);
  }

  bool search(Eigen::VectorXd& z, const Eigen::VectorXd& direction, const Eigen::VectorXd& gradient,
              double before, double smallest) {
    const double slope = gradient.dot(direction);
    if (!direction.allFinite() || !(slope < 0)) return false;
    for (double step = 1; step > smallest; step *= 0.5) {
      const Eigen::VectorXd trial = z + step * direction;
      evaluate(trial);
      if (merit() <= before + kArmijo * step * slope) {
        z = trial;
        return true;
      }
    }
    evaluate(z);
    return false;
  }

  const ComplementarityProblem& m_problem;
  Function m_function;
  Eigen::VectorXd m_value, m_dz, m_dw;
};

}  // namespace

SolverResult solveNewtonFb(const ComplementarityProblem& problem, const Eigen::VectorXd& start,
                           const SolverSettings& settings) {
  return Newton(problem, fischerBurmeister).solve(start, settings);
}

SolverResult solveNewtonMin(const ComplementarityProblem& problem, const Eigen::VectorXd& start,
                            const SolverSettings& settings) {
  return Newton(problem, minimumMap).solve(start, settings);
}

SolverResult solvePgs(const ComplementarityProblem& problem, const Eigen::VectorXd& start,
                      const SolverSettings& settings) {
  const int n = static_cast<int>(problem.b.size());
  SolverResult result;
  result.z =
      start.size() == n ? Eigen::VectorXd(start.cwiseMax(0)) : Eigen::VectorXd(Eigen::VectorXd::Zero(n));
  result.residual = naturalResidual(problem, result.z);
  for (int row = 0; row < n; ++row)
    if (!(problem.A(row, row) > 0)) {
      result.message = "projected Gauss–Seidel needs a positive diagonal; row " + std::to_string(row) +
                       " has none (friction cones and slacks): use newton-fb or lemke";
      return result;
    }
  for (int sweep = 0; sweep < settings.maxIterations; ++sweep) {
    for (int row = 0; row < n; ++row) {
      const double w = problem.A.row(row).dot(result.z) + problem.b[row];
      result.z[row] = std::max(0.0, result.z[row] - w / problem.A(row, row));
    }
    result.residual = naturalResidual(problem, result.z);
    result.iterations.push_back({result.residual, result.residual});
    if (scaledResidual(problem, result.z) <= settings.tolerance) {
      result.status = SolveStatus::Solved;
      return result;
    }
  }
  result.message = "projected Gauss–Seidel reached its sweeps above its tolerance";
  return result;
}

}  // namespace touchstone
