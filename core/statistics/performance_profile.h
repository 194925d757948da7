#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/store/step_problem.h"

namespace touchstone {

/// Result of a solver on one problem.
struct ProblemOutcome {
  SolverResult result;
  double time = 0;      ///< least of some runs [s]; infinite where it is not solved
  double residual = 0;  ///< natural [m/s]; infinite where it is none
};

/// Solves a problem a few times.
ProblemOutcome outcomeOf(const ComplementaritySolver& solver, const StoredProblem& stored,
                         const SolverSettings& settings);

/// Outcomes of some solvers on some problems as a performance profile: the share of the problems on which a
/// solver is within a factor τ of the best (Dolan and Moré 2002). A problem that a solver does not solve
/// counts for no τ.
class PerformanceProfile {
 public:
  enum class Measure { Time, Residual };
  /// Mark of the program in svg().
  static constexpr char kMark[] = "Performance profiles of Touchstone";

  explicit PerformanceProfile(std::vector<std::string> solvers) : m_solvers(std::move(solvers)) {}
  /// @param outcomes  [solvers]
  void add(const std::string& problem, const std::vector<ProblemOutcome>& outcomes);

  const std::vector<std::string>& solvers() const { return m_solvers; }
  std::size_t problemCount() const { return m_problems.size(); }
  double shareWithin(std::size_t solver, double factor, Measure measure) const;
  /// The corners of a solver's staircase: factors from 1 on, ascending, each with the share from there on.
  struct Stair {
    double factor, share;
  };
  std::vector<Stair> stairs(std::size_t solver, Measure measure) const;
  /// problem,rows,solver,status,iterations,time_s,residual_m_per_s
  std::string csv() const;
  /// Both measures beside each other, with a logarithmic axis of factors and a legend.
  std::string svg() const;

 private:
  struct Entry {
    std::string problem;
    long rows;
    std::vector<ProblemOutcome> outcomes;
  };
  double ratio(const Entry& entry, std::size_t solver, Measure measure) const;

  std::vector<std::string> m_solvers;
  std::vector<Entry> m_problems;
};

}  // namespace touchstone
