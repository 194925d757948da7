#include <Eigen/LU>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/math/count.h"
#include "core/parallel/frame_clock.h"
#include "core/solver/dense/solvers.h"

namespace touchstone {

namespace {

constexpr double kPivotFloor = 1e-11;  // × column maximum: smaller pivots are rounding
constexpr double kTie = 1e-12;         // of max |b| = 1: ratios closer than this count as equal
constexpr double kLost = 1e-9;  // likewise: a dictionary that is off by more is computed again from its basis
constexpr int kCheckEvery = 8;  // pivots; rounding grows with their number
/// Added to a diagonal of ones where the pivots of the problem itself lose their precision: redundant
/// contacts leave bases that are singular up to rounding, and these are what a path must not visit.
constexpr double kFirmness[] = {1e-6, 1e-4, 1e-8, 1e-5, 1e-3};
constexpr int kPivotsPerRow = 50;    // Murty's problems visit 2ⁿ bases; contact problems need about n
constexpr int kMostPivots = 5000;    // of a larger problem: each costs n² products
constexpr int kMostProximal = 12;    // points of one firmness
constexpr int kLastIterations = 50;  // of Newton's method
constexpr int kRecordAll = 150;      // rows up to which every pivot's residual is worth its n² products

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Dictionary of v − A y − y₀ 1 = b: basic variables x_B and their values q with x_B + T x_N = q. Variables
/// are numbered v: 0 … n−1, y: n … 2n−1, y₀: 2n. Only the n + 1 columns that are not basic are stored, half
/// of the full tableau; the columns of v among them, and unit vectors for the basic v, are the B⁻¹ that the
/// lexicographic ratio test needs.
class Dictionary {
 public:
  Dictionary(const Eigen::MatrixXd& A, const Eigen::VectorXd& b)
      : m_A(A), m_b(b), m_n(countOf(b)), m_table(m_n, m_n + 2), m_where(2 * m_n + 1) {
    m_table.leftCols(m_n) = -A;
    m_table.col(m_n).setConstant(-1);
    m_table.col(m_n + 1) = b;
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
    while (!(value(row) <= smallest + kTie)) ++row;
    return row;
  }

  /// Error of the values: v − A y − y₀ 1 = b over all rows.
  double error() const {
    Eigen::VectorXd v = Eigen::VectorXd::Zero(m_n), y = v;
    double cover = 0;
    for (int row = 0; row < m_n; ++row) {
      const int variable = m_basic[row];
      if (variable < m_n)
        v[variable] = value(row);
      else if (variable < 2 * m_n)
        y[variable - m_n] = value(row);
      else
        cover = value(row);
    }
    return (v - m_A * y - Eigen::VectorXd::Constant(m_n, cover) - m_b).cwiseAbs().maxCoeff();
  }

  /// The same dictionary out of its basis, without the rounding of all pivots.
  void refactor() {
    Eigen::MatrixXd basis(m_n, m_n), others(m_n, m_n + 2);
    const auto column = [this](int variable) -> Eigen::VectorXd {
      if (variable < m_n) return Eigen::VectorXd::Unit(m_n, variable);
      if (variable < 2 * m_n) return -m_A.col(variable - m_n);
      return Eigen::VectorXd::Constant(m_n, -1);
    };
    for (int row = 0; row < m_n; ++row) basis.col(row) = column(m_basic[row]);
    for (int variable = 0; variable <= 2 * m_n; ++variable)
      if (m_where[variable] >= 0) others.col(m_where[variable]) = column(variable);
    others.col(m_n + 1) = m_b;
    const Eigen::PartialPivLU<Eigen::MatrixXd> lu(basis);
    const Eigen::MatrixXd fresh = lu.solve(others);
    if (fresh.allFinite()) m_table = fresh;
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
      if (entry(row) / m_table(row, column) <= smallest + kTie) kept.push_back(row);
    rows = std::move(kept);
  }

  const Eigen::MatrixXd& m_A;
  const Eigen::VectorXd& m_b;
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

/// A basis solved again in full precision: A_bb y_b = −b_b, without the rounding of all pivots; of a singular
/// one the shortest y_b.
Eigen::VectorXd solved(const Eigen::MatrixXd& A, const Eigen::VectorXd& b, const std::vector<int>& basis) {
  constexpr int kRefinements = 3;
  Eigen::VectorXd y = Eigen::VectorXd::Zero(b.size());
  if (basis.empty()) return y;
  const Eigen::MatrixXd block = A(basis, basis);
  const Eigen::VectorXd right = -b(basis);
  const Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> inverse(block);
  Eigen::VectorXd solution = inverse.solve(right);
  for (int k = 0; k < kRefinements; ++k) solution += inverse.solve(right - block * solution);
  y(basis) = solution;
  return y;
}

std::vector<int> basisOf(const Dictionary& dictionary, int n) {
  std::vector<int> basis;
  for (int row = 0; row < n; ++row)
    if (dictionary.isBasic(n + row)) basis.push_back(row);
  return basis;
}

class Lemke {
 public:
  Lemke(const EquilibratedProblem& problem, const SolverSettings& settings)
      : m_problem(problem),
        m_n(countOf(problem.b)),
        m_size(m_n > 0 && problem.b.cwiseAbs().maxCoeff() > 0 ? problem.b.cwiseAbs().maxCoeff() : 1),
        m_b(problem.b / m_size),
        m_settings(settings),
        m_tolerance(settings.tolerance),
        m_keepIterates(settings.keepIterates) {}

  Answer solve() {
    m_answer.y = Eigen::VectorXd::Zero(m_n);
    if (record(m_answer.y, 0).scaled <= m_tolerance) {
      m_answer.status = SolveStatus::Solved;
      return m_answer;
    }
    const bool ray = !walk(m_problem.A, m_b);
    for (const double firmness : kFirmness) approach(firmness);
    if (m_answer.status != SolveStatus::Solved) settle();
    if (m_answer.status == SolveStatus::Solved) return m_answer;
    if (ray) {
      m_answer.status = SolveStatus::NoSolution;
      m_answer.message = "Lemke's path ends in a ray: no solution found";
    } else {
      m_answer.message = "Lemke's pivots lost their precision or reached their limit";
    }
    return m_answer;
  }

 private:
  /// Proximal points: each solves A + δ for b − δ y_k, whose answer y_{k+1} leaves δ (y_{k+1} − y_k) over in
  /// the problem itself. What goes on moving is only what redundant contacts leave undecided.
  void approach(double firmness) {
    Eigen::MatrixXd firm = m_problem.A;
    firm.diagonal().array() += firmness;
    Eigen::VectorXd y = m_answer.y;
    for (int k = 0; k < kMostProximal && m_answer.status != SolveStatus::Solved; ++k)
      walk(firm, m_b - firmness / m_size * y, &y);
  }

  /// Newton's method from the best end of a path.
  void settle() {
    SolverSettings settings = m_settings;
    settings.linear = LinearSolver::Direct;
    settings.maxIterations = kLastIterations;
    settings.keepIterates = false;
    keepBetter(solveNewtonFb(m_problem, m_answer.y, settings).y);
    if (record(m_answer.y, 0).scaled <= m_tolerance) m_answer.status = SolveStatus::Solved;
  }

  /// Follows the path of a matrix, and keeps what its end makes of the problem: its basis solved again,
  /// without the rounding of all pivots. @param end  out: that   @return false for a ray
  bool walk(const Eigen::MatrixXd& A, const Eigen::VectorXd& b, Eigen::VectorXd* end = nullptr) {
    Dictionary dictionary(A, b);
    const bool ends = follow(dictionary);
    Eigen::VectorXd y = m_size * unknowns(dictionary, m_n);
    keepBetter(y);
    if (ends && !dictionary.isBasic(dictionary.artificial())) {
      y = m_size * solved(A, b, basisOf(dictionary, m_n)).cwiseMax(0);
      keepBetter(y);
    }
    if (end) *end = y;
    if (record(m_answer.y, m_size * dictionary.artificialValue()).scaled <= m_tolerance)
      m_answer.status = SolveStatus::Solved;
    return ends;
  }

  /// Pivots until y₀ leaves (true; also at the limit) or a ray is met (false).
  bool follow(Dictionary& dictionary) {
    int entering = dictionary.artificial();
    int row = dictionary.firstLeavingRow();
    const long maxPivots =
        std::min<long>(static_cast<long>(kPivotsPerRow) * m_n, std::max(kMostPivots, 2 * m_n));
    for (long pivot = 0; pivot < maxPivots; ++pivot) {
      checkFrameClock();
      const int leaving = dictionary.basic(row);
      dictionary.pivot(row, entering);
      if (pivot % kCheckEvery == kCheckEvery - 1 && !(dictionary.error() <= kLost)) dictionary.refactor();
      if (m_n <= kRecordAll || pivot % 10 == 0)
        record(m_size * unknowns(dictionary, m_n), m_size * dictionary.artificialValue());
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
  double m_size;  ///< max |b|: the path is that of b / max |b|, whatever its unit
  Eigen::VectorXd m_b;
  SolverSettings m_settings;
  double m_tolerance;
  bool m_keepIterates;
  Answer m_answer;
};

}  // namespace

Answer solveLemke(const EquilibratedProblem& problem, const SolverSettings& settings) {
  return Lemke(problem, settings).solve();
}

}  // namespace touchstone
