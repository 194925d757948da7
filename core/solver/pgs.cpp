#include "core/solver/solvers.h"

namespace touchstone {

namespace {

class Sweeps {
 public:
  explicit Sweeps(const EquilibratedProblem& problem, const Eigen::VectorXd& start)
      : m_problem(problem), m_diskOf(static_cast<std::size_t>(start.size()), -1), m_y(start) {
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
      if (m_diskOf[row] < 0) {
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
  void update() { m_v = m_problem.A * m_y + m_problem.b; }

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
  std::vector<int> m_diskOf;  ///< [n] −1: none
  Eigen::VectorXd m_y, m_v;   ///< iterate and A y + b
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
                     " has none (friction pyramids and slacks): use newton-fb or lemke";
    return answer;
  }
  for (int sweep = 0; sweep < settings.maxIterations && best > settings.tolerance; ++sweep) {
    sweeps.take();
    keep();
  }
  answer.status = best <= settings.tolerance ? SolveStatus::Solved : SolveStatus::NotConverged;
  if (answer.status != SolveStatus::Solved)
    answer.message = "projected Gauss–Seidel reached its sweeps above its tolerance";
  return answer;
}

}  // namespace touchstone
