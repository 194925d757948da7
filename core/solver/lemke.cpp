#include <cmath>
#include <limits>

#include "core/solver/solvers.h"

namespace touchstone {

namespace {

constexpr double kPivotFloor = 1e-11;  // × column maximum: smaller pivots are rounding
constexpr double kTie = 1e-12;         // relative: ratios closer than this count as equal

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Tableau of w − A z − z₀ 1 = b with columns [w | z | z₀ | right-hand side]; the columns of w hold B⁻¹,
/// which the lexicographic ratio test needs.
class Tableau {
 public:
  Tableau(const Eigen::MatrixXd& A, const Eigen::VectorXd& b)
      : m_n(static_cast<int>(b.size())), m_rows(m_n, 2 * m_n + 2) {
    m_rows.setZero();
    m_rows.leftCols(m_n).setIdentity();
    m_rows.middleCols(m_n, m_n) = -A;
    m_rows.col(2 * m_n).setConstant(-1);
    m_rows.col(2 * m_n + 1) = b;
    for (int row = 0; row < m_n; ++row) m_basis.push_back(row);
  }
  int artificial() const { return 2 * m_n; }
  int basis(int row) const { return m_basis[row]; }
  double value(int row) const { return m_rows(row, 2 * m_n + 1); }

  /// Row that leaves when `column` enters, or −1: a ray.
  int leavingRow(int column) const {
    const double largest = m_rows.col(column).cwiseAbs().maxCoeff();
    std::vector<int> rows;
    for (int row = 0; row < m_n; ++row)
      if (m_rows(row, column) > kPivotFloor * largest) rows.push_back(row);
    if (rows.empty()) return -1;
    keepSmallest(rows, column, 2 * m_n + 1);
    for (int row : rows)
      if (m_basis[row] == artificial()) return row;  // ends the method
    for (int w = 0; w < m_n && rows.size() > 1; ++w) keepSmallest(rows, column, w);
    return rows.front();
  }

  void pivot(int row, int column) {
    m_rows.row(row) /= m_rows(row, column);
    for (int other = 0; other < m_n; ++other) {
      const double factor = m_rows(other, column);
      if (other != row && factor != 0) m_rows.row(other) -= factor * m_rows.row(row);
    }
    m_basis[row] = column;
  }

 private:
  void keepSmallest(std::vector<int>& rows, int column, int compared) const {
    double smallest = std::numeric_limits<double>::infinity();
    for (int row : rows) smallest = std::min(smallest, m_rows(row, compared) / m_rows(row, column));
    std::vector<int> kept;
    for (int row : rows)
      if (m_rows(row, compared) / m_rows(row, column) <= smallest + kTie * (1 + std::abs(smallest)))
        kept.push_back(row);
    rows = kept;
  }

  int m_n;
  RowMajor m_rows;
  std::vector<int> m_basis;
};

Eigen::VectorXd primal(const Tableau& tableau, int n) {
  Eigen::VectorXd z = Eigen::VectorXd::Zero(n);
  for (int row = 0; row < n; ++row)
    if (tableau.basis(row) >= n && tableau.basis(row) < 2 * n)
      z[tableau.basis(row) - n] = std::max(0.0, tableau.value(row));
  return z;
}

/// The basis solved anew in full precision: A_bb z_b = −b_b.
Eigen::VectorXd polished(const ComplementarityProblem& problem, const Eigen::VectorXd& z) {
  std::vector<int> active;
  for (int row = 0; row < z.size(); ++row)
    if (z[row] > 0) active.push_back(row);
  Eigen::VectorXd result = Eigen::VectorXd::Zero(z.size());
  if (active.empty()) return result;
  const Eigen::MatrixXd block = problem.A(active, active);
  const Eigen::VectorXd solution = block.partialPivLu().solve(Eigen::VectorXd(-problem.b(active)));
  if (!solution.allFinite()) return z;
  result(active) = solution;
  return result;
}

}  // namespace

SolverResult solveLemke(const ComplementarityProblem& problem, const SolverSettings& settings) {
  const int n = static_cast<int>(problem.b.size());
  SolverResult result;
  result.deliveredBy = "lemke";
  result.z = Eigen::VectorXd::Zero(n);
  const auto record = [&](const Eigen::VectorXd& z, double z0) {
    result.iterations.push_back({naturalResidual(problem, z), z0});
  };
  record(result.z, 0);
  bool ray = false;
  if (problem.b.minCoeff() < 0) {
    Tableau tableau(problem.A, problem.b);
    int row = 0;
    problem.b.minCoeff(&row);
    int entering = tableau.artificial();
    const int limit = 50 * n;
    for (int pivot = 0; pivot < limit; ++pivot) {
      if (pivot > 0) row = tableau.leavingRow(entering);
      if (row < 0) {
        ray = true;
        break;
      }
      const int leaving = tableau.basis(row);
      tableau.pivot(row, entering);
      if (n <= 150 || pivot % 10 == 0 || leaving == tableau.artificial()) record(primal(tableau, n), 0);
      if (leaving == tableau.artificial()) break;
      entering = leaving < n ? leaving + n : leaving - n;
    }
    result.z = primal(tableau, n);
    const Eigen::VectorXd better = polished(problem, result.z);
    if (scaledResidual(problem, better) < scaledResidual(problem, result.z)) result.z = better;
    record(result.z, 0);
  }
  result.residual = naturalResidual(problem, result.z);
  if (scaledResidual(problem, result.z) <= settings.tolerance) {
    result.status = SolveStatus::Solved;
  } else if (ray) {
    result.status = SolveStatus::NoSolution;
    result.message = "Lemke's path ends in a ray: no solution found";
  } else {
    result.message = "Lemke's pivots lost their precision or their limit was reached";
  }
  return result;
}

}  // namespace touchstone
