#include "core/parallel/frame_clock.h"
#include "core/solver/dense/solvers.h"

namespace touchstone {

namespace {

class Sweeps {
 public:
  explicit Sweeps(const EquilibratedProblem& problem, const Eigen::VectorXd& start)
      : m_problem(problem), m_diskOf(start.size(), -1), m_maximumOf(start.size(), -1), m_y(start) {
    for (std::size_t maximum = 0; maximum < problem.maxima.size(); ++maximum)
      for (int k = 0; k <= problem.maxima[maximum].slacks; ++k)
        m_maximumOf[problem.maxima[maximum].row + k] = static_cast<int>(maximum);
    for (std::size_t disk = 0; disk < problem.disks.size(); ++disk)
      for (int k = 0; k < problem.disks[disk].count; ++k)
        m_diskOf[problem.disks[disk].first + k] = static_cast<int>(disk);
    for (int row = 0; row < m_y.size(); ++row)
      if (m_diskOf[row] < 0) m_y[row] = std::max(0.0, m_y[row]);
    update();
  }

  /// A row that no sweep can work on, or −1.
  int rowWithoutDiagonal() const {
    for (int row = 0; row < m_y.size(); ++row)
      if (m_diskOf[row] < 0 && !(m_problem.A(row, row) > 0)) return row;
    return -1;
  }

  void take() {
    for (int row = 0; row < m_y.size(); ++row) {
      if (m_maximumOf[row] >= 0) {
        if (m_problem.maxima[m_maximumOf[row]].row == row) lift(m_problem.maxima[m_maximumOf[row]]);
      } else if (m_diskOf[row] < 0) {
        change(row, std::max(-m_y[row], -m_v[row] / m_problem.A(row, row)));
      } else if (m_problem.disks[m_diskOf[row]].first == row) {
        slide(m_problem.disks[m_diskOf[row]]);
      }
    }
    update();  // what the changes rounded off
  }

  const Eigen::VectorXd& y() const { return m_y; }
  Residuals residuals() const { return residualsOf(m_problem, m_y, m_v); }

 private:
  void update() {
    m_v = m_problem.A * m_y + m_problem.b;
    for (const MaximumRow& maximum : m_problem.maxima) putSlacks(maximum);
  }

  /// ρ_1, ρ_2, … of a set in the scale of its first row, in which the slacks have the weight of E2.
  std::vector<double> ratesOf(const MaximumRow& maximum) const {
    const int first = maximum.row;
    const double weight = m_problem.A(first, first + 1);
    std::vector<double> rates{m_v[first]};
    for (int s = 1; s <= maximum.slacks; ++s) rates[0] -= weight * m_y[first + s];
    double slacks = 0;
    for (int s = 1; s <= maximum.slacks; ++s) {
      slacks += m_y[first + s];
      rates.push_back(rates[0] - weight * (m_v[first + s] - slacks));
    }
    return rates;
  }

  /// The smallest p that lifts the largest rate to 0, or none.
  void lift(const MaximumRow& maximum) {
    const int first = maximum.row;
    const std::vector<double> rates = ratesOf(maximum);
    double least = 1e300;
    bool isFree = false;
    for (int s = 0; s <= maximum.slacks; ++s) {
      double slope = m_problem.A(first, first);
      if (s > 0) slope -= m_problem.A(first, first + 1) * m_problem.A(first + s, first);
      const double without = rates[s] - slope * m_y[first];
      isFree = isFree || without >= 0;
      if (slope > 0) least = std::min(least, -without / slope);
    }
    change(first, (isFree ? 0 : least) - m_y[first]);
    putSlacks(maximum);
  }

  /// ρ_1 + Σ_{r ≤ s} c_r = max(ρ_1 … ρ_s).
  void putSlacks(const MaximumRow& maximum) {
    const std::vector<double> rates = ratesOf(maximum);
    const double weight = m_problem.A(maximum.row, maximum.row + 1);
    double largest = rates[0];
    for (int s = 1; s <= maximum.slacks; ++s) {
      change(maximum.row + s, std::max(0.0, rates[s] - largest) / weight - m_y[maximum.row + s]);
      largest = std::max(largest, rates[s]);
    }
  }

  void change(int row, double change) {
    if (change == 0) return;
    m_y[row] += change;
    m_v += change * m_problem.A.col(row);
  }

  void slide(const FrictionDisk& disk) {
    const int row = disk.first;
    const bool two = disk.count == 2;
    double x = m_y[row] - m_v[row], y = two ? m_y[row + 1] - m_v[row + 1] : 0;
    projectOnDisk(disk.friction * m_y[disk.normal], x, y);
    change(row, x - m_y[row]);
    if (two) change(row + 1, y - m_y[row + 1]);
  }

  const EquilibratedProblem& m_problem;
  std::vector<int> m_diskOf, m_maximumOf;  ///< [n] −1: none
  Eigen::VectorXd m_y, m_v;                ///< iterate and A y + b
};

}  // namespace

Answer solvePgs(const EquilibratedProblem& problem, const Eigen::VectorXd& start,
                const SolverSettings& settings) {
  Sweeps sweeps(problem, start);
  Answer answer;
  Residuals residuals;
  double best = 0;
  const auto keep = [&] {
    residuals = sweeps.residuals();
    answer.iterations.push_back({residuals.natural, residuals.scaled, 0, 0});
    if (settings.keepIterates) answer.iterates.push_back(sweeps.y());
    if (answer.iterations.size() > 1 && !(residuals.scaled < best)) return;
    best = residuals.scaled;
    answer.y = sweeps.y();
  };
  keep();
  const int missing = sweeps.rowWithoutDiagonal();
  if (missing >= 0) {
    answer.message = "projected Gauss–Seidel needs a positive diagonal; row " + std::to_string(missing) +
                     " has none (friction pyramids): use newton-fb or lemke";
    return answer;
  }
  for (int sweep = 0; sweep < settings.maxIterations && best > settings.tolerance; ++sweep) {
    checkFrameClock();
    sweeps.take();
    keep();
  }
  answer.status = best <= settings.tolerance ? SolveStatus::Solved : SolveStatus::NotConverged;
  if (answer.status != SolveStatus::Solved)
    answer.message = "projected Gauss–Seidel reached its sweeps above its tolerance";
  return answer;
}

}  // namespace touchstone
