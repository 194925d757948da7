#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/solver/dense/dense_rows.h"
#include "core/solver/rows/row_solver.h"

namespace touchstone {

/// How an island was solved.
struct SolvedIsland {
  Eigen::VectorXd start;
  SolverResult result;
  double tolerance = 0;  ///< as a bound on the natural residual [m/s]
};

/// The islands of a step, each solved with its dense matrix; at the same time. Keeps how they were solved.
class DenseIslands {
 public:
  /// A step on the host. The velocities of running islands are those without contact, and become those of the
  /// answer.
  struct Step {
    const HostRows& rows;
    BodiesHere bodies;
    std::vector<int> running;          ///< [islands]
    std::vector<IslandCurve> islands;  ///< in: limits; out: residuals of those that run
    std::vector<Vec3> start;           ///< (p, β1, β2) of each row
    std::vector<Vec3> best;            ///< out: of each row of an island that runs
  };

  /// @param solver  key for makeSolver()
  explicit DenseIslands(const std::string& solver) : m_solver(makeSolver(solver)) {}
  void setModel(const ModelSettings& model) { m_model = model; }
  /// What has been solved belongs to other rows.
  void forget() { m_solved.clear(); }

  void solve(Step& step, const SolverSettings& settings);
  /// Where there is no solution: the answer of A + softness diag(A), which violates contradicting rows
  /// evenly. Its residual is that of the true problem. An island that this does not solve keeps the answer
  /// that it has. @return how many it solves
  int soften(Step& step, double softness, const SolverSettings& settings);

  /// Curve and tolerance of the island with the most unknowns, and the worst of the failures.
  void addTo(RowSolverReport& report) const;
  /// Null: this island has not been solved since forget().
  const SolvedIsland* solved(std::size_t island) const;

 private:
  SolverSettings settingsOf(const IslandCurve& island, SolverSettings settings) const;
  void use(const IslandOfRows& island, const DenseProblem& problem, const SolvedIsland& solved,
           IslandCurve& curve, const WorldView& world, Step& step) const;

  std::unique_ptr<ComplementaritySolver> m_solver;
  ModelSettings m_model;
  std::vector<SolvedIsland> m_solved;  ///< [islands]
};

}  // namespace touchstone
