#pragma once

#include <memory>
#include <vector>

#include "core/solver/dense/from_rows.h"
#include "core/solver/rows/row_report.h"

namespace touchstone {

/// Solution of an island.
struct SolvedIsland {
  Eigen::VectorXd start;  ///< [n]
  SolverResult result;
  double tolerance = 0;           ///< as a bound on the natural residual [m/s]
  double scaled = 0;              ///< residual that is ≤ the tolerance if and only if the status is Solved
  std::vector<HeldImpulse> held;  ///< Symmetric rows at their bound
};

/// Lemke's method on the islands of a table on the host: each has a dense problem, and they are solved in
/// parallel. Keeps their solutions.
///
/// Symmetric rows are equations, w = 0. One whose impulse exceeds its bound is prescribed at the bound and
/// leaves the problem; one that no longer opposes its rate returns. Rounds of this end when no row changes.
class LemkeRows {
 public:
  /// Input and output of a solve. Arrays of rows and carriers are those of the table.
  struct Step {
    RowsView rows;
    CarrierMetric metric;
    CarrierVelocities free;                       ///< ν̃, without impulses of rows
    const std::vector<std::vector<int>>& units;   ///< [islands] in the order of their unknowns
    const std::vector<int>& running;              ///< [islands] flags
    const std::vector<SolverSettings>& settings;  ///< [islands]
    const double* start;                          ///< [rows] impulses
    double* z;                     ///< [rows] out: applied impulses of islands that run [N·s, N·m·s]
    CarrierVelocities velocities;  ///< out: ν⁺ of carriers of islands that run; other arrays than free
  };

  LemkeRows();
  void setModel(const ModelSettings& model) { m_model = model; }
  /// Forgets the solutions, because they belong to other rows.
  void forget() { m_solved.clear(); }
  /// Forgets that of one island, which is solved in another way.
  void forget(int island) {
    if (island < static_cast<int>(m_solved.size())) m_solved[island] = {};
  }

  void solve(const Step& step);
  /// Replaces a missing solution by that of A + softness diag(A), which violates contradicting rows evenly.
  /// Equations keep their diagonal. The residual is that of the true problem. An island that this does not
  /// solve keeps its answer. After solve() of the same rows. @return number of islands that this solves
  int soften(const Step& step, double softness);

  /// Adds curve and tolerance of the island with the most unknowns, and the worst of the failures.
  void addTo(RowSolverReport& report) const;
  /// Null: the island has not been solved since forget(). Without unknowns z has no entries.
  const SolvedIsland* solved(int island) const;
  /// The problem of an island as it was solved. @param free  ν̃   @param units  of the island
  DenseProblem problem(const RowsView& rows, const CarrierMetric& metric, const CarrierVelocities& free,
                       const std::vector<int>& units, int island) const;

 private:
  DenseProblem problem(const Step& step, int island) const {
    return problem(step.rows, step.metric, step.free, step.units[island], island);
  }
  void solveIsland(const Step& step, int island);
  /// Writes impulses and velocities of an answer and measures it.
  void apply(const Step& step, int island, const DenseProblem& dense);

  std::unique_ptr<ComplementaritySolver> m_solver;
  ModelSettings m_model;
  std::vector<SolvedIsland> m_solved;  ///< [islands]
};

}  // namespace touchstone
