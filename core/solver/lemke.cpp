#include <Eigen/LU>
#include <cmath>
#include <limits>

#include "core/solver/solvers.h"

namespace touchstone {

namespace {

constexpr double kPivotFloor = 1e-11;  // × column maximum: smaller pivots are rounding
constexpr double kTie = 1e-12;         // relative: ratios closer than this count as equal
constexpr int kPivotsPerRow = 50;      // Murty's problems visit 2ⁿ bases; contact problems need about n
constexpr int kRecordAll = 150;        // rows up to which every pivot's residual is worth its n² products

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Dictionary of v − A y − y₀ 1 = b: basic variables x_B and their values q with x_B + T x_N = q. Variables
/// are numbered v: 0 … n−1, y: n … 2n−1, y₀: 2n. Only the n + 1 columns that are not basic are stored, half
/// of the full tableau; the columns of v among them, and unit vectors for the basic v, are the B⁻¹ that the
/// lexicographic ratio test needs.
class Dictionary {
 public:
  explicit Dictionary(const EquilibratedProblem& problem)
      : m_n(static_cast<int>(problem.b.size())), m_table(m_n, m_n + 2), m_where(2 * m_n + 1) {
    m_table.leftCols(m_n) = -problem.A;
    m_table.col(m_n).setConstant(-1);
    m_table.col(m_n + 1) = problem.b;
    for (int row = 0; row < m_n; ++row) {
      m_basic.push_back(row);
      m_where[row] = ~row;
      m_where[m_n + row] = row;
    }
    m_where[artificial()] = m_n;
  }
  int artificial() const { return 2 * m_n; }
  int complement(int variable) const { return variable < m_n ? variable + m_n : variable - m_n; }
  int basic(int row) const { return m_basic[row]; }
  double value(int row) const { return m_table(row, m_n + 1); }
  double artificialValue() const { return isBasic(artificial()) ? value(~m_where[artificial()]) : 0; }
  bool isBasic(int variable) const { return m_where[variable] < 0; }

  /// First row to leave, when y₀ enters: the first of the smallest b_i. This is the lexicographic choice for
  /// columns compared from the last to the first: b perturbed by (εⁿ, …, ε², ε).
  int firstLeavingRow() const {
    const double smallest = m_table.col(m_n + 1).minCoeff();
    int row = 0;
    while (!(value(row) <= smallest + kTie * (1 + std::abs(smallest)))) ++row;
    return row;
  }

  /// Row that leaves when `entering` enters, or −1: a ray.
  int leavingRow(int entering) const {
    const int column = m_where[entering];
    const double largest = m_table.col(column).cwiseAbs().maxCoeff();
    std::vector<int> rows;
    for (int row = 0; row < m_n; ++row)
      if (m_table(row, column) > kPivotFloor * largest) rows.push_back(row);
    if (rows.empty()) return -1;
    keepSmallest(rows, column, [this](int row) { return value(row); });
    for (int row : rows)
      if (m_basic[row] == artificial()) return row;  // ends the method
    for (int v = m_n - 1; v >= 0 && rows.size() > 1; --v) {
      const int where = m_where[v];
      keepSmallest(rows, column,
                   [&](int row) { return where >= 0 ? m_table(row, where) : (row == ~where ? 1.0 : 0.0); });
    }
    return rows.front();
  }

  /// Exchanges the basic variable of `row` and the variable `entering`.
  void pivot(int row, int entering) {
    const int column = m_where[entering];
    const double scale = 1 / m_table(row, column);
    m_table(row, column) = 1;
    m_table.row(row) *= scale;
    for (int other = 0; other < m_n; ++other) {
      const double factor = m_table(other, column);
      if (other == row || factor == 0) continue;
      m_table(other, column) = 0;
      m_table.row(other).noalias() -= factor * m_table.row(row);
    }
    m_where[m_basic[row]] = column;
    m_where[entering] = ~row;
    m_basic[row] = entering;
  }

 private:
  template <class Entry>
  void keepSmallest(std::vector<int>& rows, int column, const Entry& entry) const {
    double smallest = std::numeric_limits<double>::infinity();
    for (int row : rows) smallest = std::min(smallest, entry(row) / m_table(row, column));
    std::vector<int> kept;
    for (int row : rows)
      if (entry(row) / m_table(row, column) <= smallest + kTie * (1 + std::abs(smallest)))
        kept.push_back(row);
    rows = std::move(kept);
  }

  int m_n;
  RowMajor m_table;          ///< [n × (n + 2)] columns of the nonbasic variables, then q
  std::vector<int> m_basic;  ///< [n] variable of each row
  std::vector<int> m_where;  ///< [2n + 1] column of a nonbasic variable, ~row of a basic one
};

Eigen::VectorXd unknowns(const Dictionary& dictionary, int n) {
  Eigen::VectorXd y = Eigen::VectorXd::Zero(n);
  for (int row = 0; row < n; ++row)
    if (dictionary.basic(row) >= n && dictionary.basic(row) < 2 * n)
      y[dictionary.basic(row) - n] = std::max(0.0, dictionary.value(row));
  return y;
}

/// The final basis solved anew in full precision: A_bb y_b = −b_b, without the rounding of all pivots.
Eigen::VectorXd polished(const EquilibratedProblem& problem, const Dictionary& dictionary) {
  const int n = static_cast<int>(problem.b.size());
  std::vector<int> basis;
  for (int row = 0; row < n; ++row)
    if (dictionary.isBasic(n + row)) basis.push_back(row);
  Eigen::VectorXd y = Eigen::VectorXd::Zero(n);
  if (basis.empty()) return y;
  const Eigen::MatrixXd block = problem.A(basis, basis);
  const Eigen::VectorXd right = -problem.b(basis);
  const Eigen::PartialPivLU<Eigen::MatrixXd> lu(block);
  Eigen::VectorXd solution = lu.solve(right);
  solution += lu.solve(right - block * solution);
  y(basis) = solution.cwiseMax(0);
  return y;
}

class Lemke {
 public:
  Lemke(const EquilibratedProblem& problem, const SolverSettings& settings)
      : m_problem(problem),
        m_n(static_cast<int>(problem.b.size())),
        m_tolerance(settings.tolerance),
        m_keepIterates(settings.keepIterates) {}

  Answer solve() {
    m_answer.y = Eigen::VectorXd::Zero(m_n);
    if (record(m_answer.y, 0).scaled <= m_tolerance) {
      m_answer.status = SolveStatus::Solved;
      return m_answer;
    }
    Dictionary dictionary(m_problem);
    const bool ray = !follow(dictionary);
    m_answer.y = unknowns(dictionary, m_n);
    if (!ray && !dictionary.isBasic(dictionary.artificial())) keepBetter(polished(m_problem, dictionary));
    if (record(m_answer.y, dictionary.artificialValue()).scaled <= m_tolerance) {
      m_answer.status = SolveStatus::Solved;
    } else if (ray) {
      m_answer.status = SolveStatus::NoSolution;
      m_answer.message = "Lemke's path ends in a ray: no solution found";
    } else {
      m_answer.message = "Lemke's pivots lost their precision or reached their limit";
    }
    return m_answer;
  }

 private:
  /// Pivots until y₀ leaves (true; also at the limit) or a ray is met (false).
  bool follow(Dictionary& dictionary) {
    int entering = dictionary.artificial();
    int row = dictionary.firstLeavingRow();
    for (long pivot = 0; pivot < static_cast<long>(kPivotsPerRow) * m_n; ++pivot) {
      const int leaving = dictionary.basic(row);
      dictionary.pivot(row, entering);
      if (m_n <= kRecordAll || pivot % 10 == 0)
        record(unknowns(dictionary, m_n), dictionary.artificialValue());
      if (leaving == dictionary.artificial()) return true;
      entering = dictionary.complement(leaving);
      row = dictionary.leavingRow(entering);
      if (row < 0) return false;
    }
    return true;
  }

  Residuals measure(const Eigen::VectorXd& y) const {
    return residualsOf(m_problem, y, m_problem.A * y + m_problem.b);
  }

  Residuals record(const Eigen::VectorXd& y, double artificial) {
    const Residuals residuals = measure(y);
    m_answer.iterations.push_back({residuals.natural, artificial});
    if (m_keepIterates) m_answer.iterates.push_back(y);
    return residuals;
  }

  void keepBetter(const Eigen::VectorXd& y) {
    if (y.allFinite() && measure(y).scaled < measure(m_answer.y).scaled) m_answer.y = y;
  }

  const EquilibratedProblem& m_problem;
  int m_n;
  double m_tolerance;
  bool m_keepIterates;
  Answer m_answer;
};

}  // namespace

Answer solveLemke(const EquilibratedProblem& problem, const SolverSettings& settings) {
  return Lemke(problem, settings).solve();
}

}  // namespace touchstone
