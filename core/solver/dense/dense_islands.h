#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/solver/dense/dense_rows.h"
#include "core/solver/rows/row_report.h"

namespace touchstone {

/// Solution of an island.
struct SolvedIsland {
  Eigen::VectorXd start;
  SolverResult result;
  double tolerance = 0;  ///< as a bound on the natural residual [m/s]
};

/// The constraints of an island.
struct HeldRows {
  std::vector<int> rows;      ///< of those of the step
  std::vector<double> fixed;  ///< [rows] the impulse of one that is at its largest [N·s, N·m·s]; else 0
};

/// The islands of a step, each solved with its dense matrix; at the same time. Keeps how they were solved.
/// Constraints whose impulse would be larger than it may be are prescribed and leave the problem, until no
/// more of them change.
class DenseIslands {
 public:
  /// A step on the host. The velocities of running islands are those without contact, and become those of the
  /// answer.
  struct Step {
    const HostRows& rows;
    HostBodies bodies;
    std::vector<int> running;          ///< [islands]
    std::vector<IslandCurve> islands;  ///< in: limits; out: residuals of those that run
    std::vector<Vec3> start;           ///< (p, β1, β2) of each row
    std::vector<Vec3> best;            ///< out: of each row of an island that runs
    const std::vector<ConstraintRow>& constraints;
    std::vector<double>& constraintImpulses;  ///< [constraints] out: of islands that run
  };

  /// @param solver  key for makeSolver()
  explicit DenseIslands(const std::string& solver) : m_solver(makeSolver(solver)) {}
  void setModel(const ModelSettings& model) { m_model = model; }
  /// Forgets the solutions, because they belong to other rows.
  void forget() {
    m_solved.clear();
    m_held.clear();
  }

  void solve(Step& step, const SolverSettings& settings);
  /// Replaces a missing solution by that of A + softness diag(A), which violates contradicting rows evenly.
  /// Its residual is that of the true problem. An island that this does not solve keeps the answer that it
  /// has. @return how many it solves
  int soften(Step& step, double softness, const SolverSettings& settings);

  /// Curve and tolerance of the island with the most unknowns, and the worst of the failures.
  void addTo(RowSolverReport& report) const;
  /// Null: this island has not been solved since forget().
  const SolvedIsland* solved(std::size_t island) const;
  /// The problem of an island as it was solved.
  /// @param world  on the host, with the velocities without contact; gets the impulses that were prescribed
  DenseProblem problem(const WorldView& world, const HostRows& rows, const IslandOfRows& island,
                       std::size_t index, const std::vector<ConstraintRow>& constraints) const;

 private:
  /// Velocities of some bodies, to put back.
  struct KeptBodies;

  SolverSettings settingsOf(const IslandCurve& island, SolverSettings settings) const;
  /// Which constraints belong to which island that runs; the others keep what they were solved with.
  void holdRows(const Step& step, const WorldView& world);
  void use(const IslandOfRows& island, const DenseProblem& problem, const SolvedIsland& solved,
           const HeldRows& held, IslandCurve& curve, const WorldView& world, Step& step) const;
  /// @param step  with the velocities of the answer   @return true if other rows are to be prescribed
  bool findLargest(HeldRows& held, const WorldView& world, const Step& step) const;

  std::unique_ptr<ComplementaritySolver> m_solver;
  ModelSettings m_model;
  std::vector<SolvedIsland> m_solved;  ///< [islands]
  std::vector<HeldRows> m_held;        ///< [islands]
};

}  // namespace touchstone
