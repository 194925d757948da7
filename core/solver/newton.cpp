#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <Eigen/QR>
#include <algorithm>
#include <limits>
#include <optional>

#include "core/solver/matrix_engine.h"
#include "core/solver/ncp_function.h"
#include "core/solver/solvers.h"
#include "core/solver/turned_problem.h"

namespace touchstone {

namespace {

using namespace newton;

/// Directions of least |F + J Δ|² + μ |Δ_C|², J = D_y + D_v A, which descend for every μ. Of the rows U that
/// are not coupled only D_y is left, so that their unknowns are eliminated from the normal equations: with
///
///     K = 1 + J_CU D_U⁻² J_CUᵀ,   r = F_C − J_CU D_U⁻¹ F_U
///     (J_CCᵀ K⁻¹ J_CC + μ) Δ_C = −J_CCᵀ K⁻¹ r
///     Δ_U = −D_U⁻¹ F_U − D_U⁻² J_CUᵀ w,   w = K⁻¹ (J_CC Δ_C + r)
///
/// the cost grows with the number of coupled rows, few of many.
class RegularisedDirections {
 public:
  RegularisedDirections(const Eigen::MatrixXd& A, const std::vector<int>& coupled,
                        const std::vector<int>& uncoupled, const Eigen::VectorXd& value,
                        const Eigen::VectorXd& dy, const Eigen::VectorXd& dv)
      : m_coupled(coupled),
        m_uncoupled(uncoupled),
        m_JCC(dv(coupled).asDiagonal() * A(coupled, coupled)),
        m_JCU(dv(coupled).asDiagonal() * A(coupled, uncoupled)),
        m_inverse(dy(uncoupled).cwiseInverse()),
        m_open(m_inverse.cwiseProduct(value(uncoupled))),
        m_right(value(coupled) - m_JCU * m_open),
        m_gradient(value.size()) {
    m_JCC.diagonal() += dy(coupled);
    const Eigen::Index count = m_JCC.rows();
    Eigen::MatrixXd K = Eigen::MatrixXd::Identity(count, count);
    if (!uncoupled.empty()) K.selfadjointView<Eigen::Lower>().rankUpdate(m_JCU * m_inverse.asDiagonal());
    m_K.compute(K);
    m_halfJ = m_K.matrixL().solve(m_JCC);
    m_normal = Eigen::MatrixXd::Zero(count, count);
    if (!coupled.empty()) m_normal.selfadjointView<Eigen::Lower>().rankUpdate(m_halfJ.transpose());
    m_halfRight = m_K.matrixL().solve(m_right);
    const Eigen::VectorXd own = value(coupled);
    m_gradient(coupled) = m_JCC.transpose() * own;
    m_gradient(uncoupled) = m_JCU.transpose() * own + dy(uncoupled).cwiseProduct(value(uncoupled));
  }

  Eigen::VectorXd direction(double mu) const {
    Eigen::MatrixXd regularised = m_normal;
    regularised.diagonal().array() += mu;
    Eigen::VectorXd direction(m_gradient.size());
    const Eigen::VectorXd own =
        -Eigen::LLT<Eigen::MatrixXd>(regularised).solve(m_halfJ.transpose() * m_halfRight);
    const Eigen::VectorXd left = m_K.solve(m_JCC * own + m_right);
    direction(m_coupled) = own;
    direction(m_uncoupled) =
        -m_open - m_inverse.cwiseAbs2().cwiseProduct(Eigen::VectorXd(m_JCU.transpose() * left));
    return direction;
  }
  /// Jᵀ F
  const Eigen::VectorXd& gradient() const { return m_gradient; }

 private:
  const std::vector<int>&m_coupled, &m_uncoupled;
  Eigen::MatrixXd m_JCC, m_JCU;
  Eigen::VectorXd m_inverse, m_open;  ///< D_U⁻¹, D_U⁻¹ F_U
  Eigen::VectorXd m_right;            ///< r
  Eigen::VectorXd m_gradient;
  Eigen::LLT<Eigen::MatrixXd> m_K;
  Eigen::MatrixXd m_halfJ;      ///< L⁻¹ J_CC with K = L Lᵀ
  Eigen::VectorXd m_halfRight;  ///< L⁻¹ r
  Eigen::MatrixXd m_normal;     ///< J_CCᵀ K⁻¹ J_CC, its lower half
};

/// Damped Newton on F(y) = φ(y, A y + b), with F_i = v_i on free rows, and the generalised Jacobian
/// D_y + D_v A. The merit is ½|F|². Rows of disks are DiskRows; with Direct the derivative that they leave
/// out is in the Jacobian as well, which is exact then.
class Newton {
 public:
  Newton(const EquilibratedProblem& problem, NcpFunction function, const SolverSettings& settings)
      : m_problem(problem),
        m_function(function),
        m_settings(settings),
        m_n(static_cast<int>(problem.b.size())) {
    if (!problem.disks.empty()) m_turned.emplace(problem);
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
      if (!advance()) break;
      best = keep(best, answer);
      if (m_progress.hasStalled()) break;
    }
    answer.status = best <= m_settings.tolerance ? SolveStatus::Solved : SolveStatus::NotConverged;
    if (answer.status != SolveStatus::Solved) answer.message = "Newton's method stalls above its tolerance";
    return answer;
  }

 private:
  const Eigen::MatrixXd& A() const { return m_turned ? m_turned->A() : m_problem.A; }
  const Eigen::VectorXd& b() const { return m_turned ? m_turned->b() : m_problem.b; }
  Eigen::VectorXd times(const Eigen::VectorXd& x) const {
    return m_engine ? (*m_engine)->multiply(x) : Eigen::VectorXd(A() * x);
  }

  void setRates() {
    m_v = times(m_y) + b();
    m_value.resize(m_n);
    m_dy.resize(m_n);
    m_dv.resize(m_n);
    for (int row = 0; row < m_n; ++row) set(row, rowAt(row, m_y[row], m_v[row]));
    if (m_turned) setDiskRows();
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
        m_turned->turn(k, rows.x, rows.y);
        m_turned->turn(k, rows.x, rows.y, m_y);
        m_turned->turn(k, rows.x, rows.y, m_v);
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
  Eigen::VectorXd given() const { return m_turned ? m_turned->turnedBack(m_y) : m_y; }

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

  /// One step along the first direction that descends far enough: Newton's, regularised ones; else Newton's
  /// or steepest descent as far as they go.
  bool advance() {
    if (m_turned)
      return stepWithFriction(m_settings.linear == LinearSolver::Direct ? exactDirection()
                                                                        : newtonDirection());
    const Eigen::VectorXd newton = newtonDirection();
    if (search(newton, kUsefulStep)) return true;
    const RegularisedDirections regularised(m_problem.A, m_coupled, m_uncoupled, m_value, m_dy, m_dv);
    for (double mu : kRegularisations)
      if (search(regularised.direction(mu), kUsefulStep)) return true;
    return search(newton, kSmallestStep) || search(-regularised.gradient(), kSmallestStep);
  }

  bool isUncoupled(int row) const { return m_dv[row] <= kDecoupled * m_dy[row]; }

  /// Tells rows with and without ∂φ/∂v apart. Those without (open contacts) give their unknown at once,
  /// Δ_i = −F_i / ∂φ/∂y, and leave the factorisation to the others, which are 0 here.
  Eigen::VectorXd uncoupledDirection() {
    Eigen::VectorXd direction = Eigen::VectorXd::Zero(m_n);
    m_coupled.clear();
    m_uncoupled.clear();
    for (int row = 0; row < m_n; ++row) {
      (isUncoupled(row) ? m_uncoupled : m_coupled).push_back(row);
      if (isUncoupled(row)) direction[row] = -m_value[row] / m_dy[row];
    }
    return direction;
  }

  /// Solves (D_y + D_v A) Δ = −F.
  Eigen::VectorXd newtonDirection() {
    Eigen::VectorXd direction = uncoupledDirection();
    const std::vector<int>& coupled = m_coupled;
    if (coupled.empty()) return direction;
    std::vector<int> moved;
    for (int row : m_uncoupled)
      if (direction[row] != 0) moved.push_back(row);
    Eigen::VectorXd right = m_value(coupled);
    if (!moved.empty()) {
      const Eigen::VectorXd effect =
          m_engine ? Eigen::VectorXd(times(direction)(coupled)) : A()(coupled, moved) * direction(moved);
      right += m_dv(coupled).cwiseProduct(effect);
    }
    if (m_settings.linear != LinearSolver::Direct) {
      direction(coupled) = -solveSymmetric(coupled, right);
      return direction;
    }
    Eigen::MatrixXd jacobian = A()(coupled, coupled);
    jacobian.array().colwise() *= m_dv(coupled).array();
    jacobian.diagonal() += m_dy(coupled);
    direction(coupled) = -jacobian.partialPivLu().solve(right);
    return direction;
  }

  /// As newtonDirection(), with the derivative of the disks' limits: where a contact slips,
  /// Δ_along = −F_along + μ Δ_n. Redundant contacts leave the system singular: the shortest solution.
  Eigen::VectorXd exactDirection() {
    Eigen::VectorXd direction = uncoupledDirection();
    std::vector<const FrictionDisk*> follow;  // normals that the coupled rows are yet to give
    for (const FrictionDisk& disk : m_problem.disks) {
      if (m_dv[disk.first] != 0 || !(m_y[disk.normal] > 0)) continue;
      if (isUncoupled(disk.normal))
        direction[disk.first] += disk.friction * direction[disk.normal];
      else
        follow.push_back(&disk);
    }
    const std::vector<int>& coupled = m_coupled;
    if (coupled.empty()) return direction;
    const Eigen::VectorXd right =
        m_value(coupled) + m_dv(coupled).cwiseProduct(Eigen::VectorXd((A() * direction)(coupled)));
    Eigen::MatrixXd jacobian = A()(coupled, coupled);
    for (const FrictionDisk* disk : follow) {
      const auto place = std::lower_bound(coupled.begin(), coupled.end(), disk->normal) - coupled.begin();
      jacobian.col(place) += disk->friction * A().col(disk->first)(coupled);
    }
    jacobian.array().colwise() *= m_dv(coupled).array();
    jacobian.diagonal() += m_dy(coupled);
    direction(coupled) = -jacobian.completeOrthogonalDecomposition().solve(right);
    for (const FrictionDisk* disk : follow)
      direction[disk->first] += disk->friction * direction[disk->normal];
    return direction;
  }

  /// The same rows divided by ∂φ/∂v, (A + D_y / D_v) x = r / D_v: symmetric and positive semidefinite as A
  /// is.
  Eigen::VectorXd solveSymmetric(const std::vector<int>& coupled, const Eigen::VectorXd& right) {
    const Eigen::VectorXd scale = m_dv(coupled).cwiseInverse();
    Eigen::VectorXd added = m_dy(coupled).cwiseProduct(scale);
    if (m_turned) added.array() += kShift;
    const Eigen::VectorXd scaled = right.cwiseProduct(scale);
    const int most = m_settings.linearIterations;
    const double tolerance = m_turned ? kSymmetrisedLinearTolerance : kLinearTolerance;
    LinearResult result;
    if (m_engine) {
      result = (*m_engine)->solveWithin(m_settings.linear, coupled, added, scaled, tolerance, most);
    } else {
      Eigen::MatrixXd S = A()(coupled, coupled);
      S.diagonal() += added;
      result = solveLinear(m_settings.linear, S, scaled, tolerance, most);
    }
    m_linearIterations = result.iterations;
    m_linearResidual = result.residual;
    return result.x;
  }

  /// False if there is no direction.
  bool stepWithFriction(const Eigen::VectorXd& direction) {
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

  /// Armijo's line search on the merit; false if the direction does not descend within the smallest step.
  bool search(const Eigen::VectorXd& direction, double smallest) {
    if (!direction.allFinite()) return false;
    const Eigen::VectorXd rate = times(direction);
    const double slope = m_value.dot(m_dy.cwiseProduct(direction) + m_dv.cwiseProduct(rate));
    if (!(slope < 0)) return false;
    const double before = 0.5 * m_value.squaredNorm();
    for (double step = 1; step > smallest; step *= 0.5) {
      if (!(meritAt(step, direction, rate) <= before + kArmijo * step * slope)) continue;
      m_y += step * direction;
      setRates();
      return true;
    }
    return false;
  }

  const EquilibratedProblem& m_problem;
  std::optional<TurnedProblem> m_turned;  ///< if there is friction
  NcpFunction m_function;
  SolverSettings m_settings;
  std::optional<MatrixEngineLease> m_engine;  ///< of iterative linear solvers: has the matrix
  Progress m_progress;
  int m_linearIterations = 0;  ///< of the last direction
  double m_linearResidual = 0;
  int m_n;
  Eigen::VectorXd m_y, m_v;                 ///< iterate and A y + b
  Eigen::VectorXd m_value, m_dy, m_dv;      ///< F and the diagonals of its derivatives there
  std::vector<int> m_coupled, m_uncoupled;  ///< rows with and without ∂φ/∂v
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
