#include <Eigen/LU>
#include <algorithm>
#include <limits>
#include <optional>

#include "core/math/count.h"
#include "core/parallel/frame_clock.h"
#include "core/solver/dense/rotated_tangents.h"
#include "core/solver/dense/solvers.h"
#include "core/solver/linear/batched_krylov.h"
#include "core/solver/rows/ncp_function.h"

namespace touchstone {

namespace {

using namespace newton;

/// Damped Newton on F(y) = φ(y, A y + b), with F_i = v_i on free rows, and the generalised Jacobian
/// D_y + D_v (A + kShift). The merit is ½|F|². Rows of disks are DiskRows; with Direct the derivative that
/// they leave out is in the Jacobian as well.
class Newton {
 public:
  Newton(const EquilibratedProblem& problem, NcpFunction function, const SolverSettings& settings)
      : m_problem(problem), m_function(function), m_settings(settings), m_n(countOf(problem.b)) {
    if (!problem.disks.empty()) m_rotated.emplace(problem);
    if (!isOnBackend(settings.linear)) return;
    m_engine.emplace(settings.backend);
    (*m_engine)->setMatrix(A());
  }

  Answer solve(const Eigen::VectorXd& start) {
    m_y = start;
    setRates();
    Answer answer;
    answer.y = m_y;
    double best = keep(std::numeric_limits<double>::infinity(), answer);
    for (int iteration = 0; iteration < m_settings.maxIterations && best > m_settings.tolerance;
         ++iteration) {
      checkFrameClock();
      if (!advance()) break;
      best = keep(best, answer);
      if (m_progress.hasStalled()) break;
    }
    answer.status = best <= m_settings.tolerance ? SolveStatus::Solved : SolveStatus::NotConverged;
    if (answer.status != SolveStatus::Solved) answer.message = "Newton's method stalls above its tolerance";
    return answer;
  }

 private:
  const Eigen::MatrixXd& A() const { return m_rotated ? m_rotated->A() : m_problem.A; }
  const Eigen::VectorXd& b() const { return m_rotated ? m_rotated->b() : m_problem.b; }
  Eigen::VectorXd times(const Eigen::VectorXd& x) const {
    return m_engine ? (*m_engine)->multiply(x) : Eigen::VectorXd(A() * x);
  }

  void setRates() {
    m_v = times(m_y) + b();
    m_value.resize(m_n);
    m_dy.resize(m_n);
    m_dv.resize(m_n);
    for (int row = 0; row < m_n; ++row) set(row, rowAt(row, m_y[row], m_v[row]));
    if (m_rotated) setDiskRows();
  }

  double limitOf(const FrictionDisk& disk, double normal) const {
    return disk.friction * std::max(0.0, normal);
  }

  void setDiskRows() {
    bool turned = false;
    for (std::size_t k = 0; k < m_problem.disks.size(); ++k) {
      const FrictionDisk& disk = m_problem.disks[k];
      const int row = disk.first;
      const bool two = disk.count == 2;
      const DiskRows rows = diskRows(limitOf(disk, m_y[disk.normal]), m_y[row], two ? m_y[row + 1] : 0,
                                     m_v[row], two ? m_v[row + 1] : 0);
      if (rows.x != 1) {
        turned = true;
        m_rotated->rotate(k, rows.x, rows.y);
        m_rotated->rotate(k, rows.x, rows.y, m_y);
        m_rotated->rotate(k, rows.x, rows.y, m_v);
      }
      set(row, rows.along);
      if (two) set(row + 1, rows.across);
    }
    if (turned && m_engine) (*m_engine)->setMatrix(A());
  }

  void set(int row, const NcpValue& f) {
    m_value[row] = f.value;
    m_dy[row] = f.dy;
    m_dv[row] = f.dv;
  }

  NcpValue rowAt(int row, double y, double v) const {
    return row < m_problem.freeCount ? NcpValue{v, 0, 1} : ncpValue(m_function, y, v);
  }

  double meritAt(double step, const Eigen::VectorXd& direction, const Eigen::VectorXd& rate) const {
    const Eigen::VectorXd y = m_y + step * direction, v = m_v + step * rate;
    Eigen::VectorXd squares(m_n);
    for (int row = 0; row < m_n; ++row) {
      const double value = rowAt(row, y[row], v[row]).value;
      squares[row] = value * value;
    }
    for (const FrictionDisk& disk : m_problem.disks) {
      const int row = disk.first;
      const bool two = disk.count == 2;
      if (two) squares[row + 1] = 0;
      squares[row] = diskMerit(limitOf(disk, y[disk.normal]), y[row], two ? y[row + 1] : 0, v[row],
                               two ? v[row + 1] : 0);
    }
    return 0.5 * squares.sum();
  }

  /// The iterate in the coordinates of the problem given.
  Eigen::VectorXd given() const { return m_rotated ? m_rotated->rotatedBack(m_y) : m_y; }

  /// Records the iterate and keeps it if it is the best so far; the smaller residual.
  double keep(double best, Answer& answer) {
    const Residuals residuals = residualsOf(m_problem, m_y, m_v);
    const double merit = 0.5 * m_value.squaredNorm();
    m_progress.note(merit);
    answer.iterations.push_back({residuals.natural, merit, m_linearIterations, m_linearResidual});
    if (m_settings.keepIterates) answer.iterates.push_back(given());
    if (!(residuals.scaled < best)) return best;
    answer.y = given();
    return residuals.scaled;
  }

  /// One step. @return false if there is no direction
  bool advance() {
    const Eigen::VectorXd direction = newtonDirection();
    if (!direction.allFinite()) return false;
    const Eigen::VectorXd rate = times(direction);
    double merits[kTriedSteps], tried = 1;
    for (double& merit : merits) {
      merit = meritAt(tried, direction, rate);
      tried *= 0.5;
    }
    m_y += stepThatMayRise(merits, 0.5 * m_value.squaredNorm()) * direction;
    setRates();
    return true;
  }

  bool isUncoupled(int row) const { return m_dv[row] <= kDecoupled * m_dy[row]; }

  /// Solves J Δ = −F. Rows without ∂φ/∂v (open contacts) give their unknown at once, Δ_i = −F_i / ∂φ/∂y, and
  /// leave the linear system to the others.
  Eigen::VectorXd newtonDirection() {
    Eigen::VectorXd direction = Eigen::VectorXd::Zero(m_n);
    std::vector<int> coupled;
    for (int row = 0; row < m_n; ++row) {
      if (isUncoupled(row))
        direction[row] = -m_value[row] / m_dy[row];
      else
        coupled.push_back(row);
    }
    const bool isExact = m_settings.linear == LinearSolver::Direct;
    const std::vector<const FrictionDisk*> sliding =
        isExact ? slidingWithLimits(direction) : std::vector<const FrictionDisk*>();
    if (coupled.empty()) return direction;
    Eigen::VectorXd right = m_value(coupled);
    if (!direction.isZero(0)) right += m_dv(coupled).cwiseProduct(Eigen::VectorXd(times(direction)(coupled)));
    const Eigen::VectorXd x =
        isExact ? solveExactly(coupled, sliding, right) : solveSymmetric(coupled, right);
    direction(coupled) = -x;
    for (const FrictionDisk* disk : sliding)
      direction[disk->first] += disk->friction * direction[disk->normal];
    return direction;
  }

  /// Adds the derivative of the limit of a contact that slips, Δ_along = −F_along + μ Δ_n, to `direction`
  /// where Δ_n is known. @return disks whose normal is coupled
  std::vector<const FrictionDisk*> slidingWithLimits(Eigen::VectorXd& direction) const {
    std::vector<const FrictionDisk*> follow;
    for (const FrictionDisk& disk : m_problem.disks) {
      if (m_dv[disk.first] != 0 || !(m_y[disk.normal] > 0)) continue;
      if (isUncoupled(disk.normal))
        direction[disk.first] += disk.friction * direction[disk.normal];
      else
        follow.push_back(&disk);
    }
    return follow;
  }

  /// J x = r on the coupled rows, after `sliding` has been eliminated.
  Eigen::VectorXd solveExactly(const std::vector<int>& coupled,
                               const std::vector<const FrictionDisk*>& sliding,
                               const Eigen::VectorXd& right) const {
    Eigen::MatrixXd jacobian = A()(coupled, coupled);
    for (const FrictionDisk* disk : sliding) {
      const auto place = std::lower_bound(coupled.begin(), coupled.end(), disk->normal) - coupled.begin();
      jacobian.col(place) += disk->friction * A().col(disk->first)(coupled);
    }
    jacobian.diagonal().array() += kShift;
    jacobian.array().colwise() *= m_dv(coupled).array();
    jacobian.diagonal() += m_dy(coupled);
    return jacobian.partialPivLu().solve(right);
  }

  /// The same rows divided by ∂φ/∂v, (A + kShift + D_y / D_v) x = r / D_v: symmetric and positive definite
  /// (Macklin 2019, eqs. 53, 56, 59 and 60, with the velocities eliminated).
  Eigen::VectorXd solveSymmetric(const std::vector<int>& coupled, const Eigen::VectorXd& right) {
    const Eigen::VectorXd scale = m_dv(coupled).cwiseInverse();
    Eigen::VectorXd added = m_dy(coupled).cwiseProduct(scale);
    added.array() += kShift;
    const Eigen::VectorXd scaled = right.cwiseProduct(scale);
    const int maxIterations = m_settings.linearIterations;
    const double size = scaled.norm(), smallest = kLinearShare * m_settings.tolerance * m_problem.denominator;
    const double tolerance =
        std::max(m_rotated ? kSymmetrisedLinearTolerance : kLinearTolerance, smallest / size);
    LinearResult result;
    if (size <= smallest) {
      result.x = Eigen::VectorXd::Zero(right.size());
      result.residual = size > 0 ? 1 : 0;
    } else if (m_engine) {
      result = (*m_engine)->solveWithin(m_settings.linear, coupled, added, scaled, tolerance, maxIterations);
    } else {
      Eigen::MatrixXd S = A()(coupled, coupled);
      S.diagonal() += added;
      result = solveLinear(m_settings.linear, S, scaled, tolerance, maxIterations);
    }
    m_linearIterations = result.iterations;
    m_linearResidual = result.residual;
    return result.x;
  }

  const EquilibratedProblem& m_problem;
  std::optional<RotatedTangents> m_rotated;  ///< if there is friction
  NcpFunction m_function;
  SolverSettings m_settings;
  std::optional<BatchedKrylovLease> m_engine;  ///< of iterative linear solvers: has the matrix
  Progress m_progress;
  int m_linearIterations = 0;  ///< of the last direction
  double m_linearResidual = 0;
  int m_n;
  Eigen::VectorXd m_y, m_v;             ///< iterate and A y + b
  Eigen::VectorXd m_value, m_dy, m_dv;  ///< F and the diagonals of its derivatives there
};

}  // namespace

Answer solveNewtonFb(const EquilibratedProblem& problem, const Eigen::VectorXd& start,
                     const SolverSettings& settings) {
  return Newton(problem, NcpFunction::FischerBurmeister, settings).solve(start);
}

Answer solveNewtonMin(const EquilibratedProblem& problem, const Eigen::VectorXd& start,
                      const SolverSettings& settings) {
  return Newton(problem, NcpFunction::MinimumMap, settings).solve(start);
}

}  // namespace touchstone
