#include "core/solver/problem.h"

#include <Eigen/LU>
#include <cmath>
#include <limits>

#include "core/solver/solvers.h"

namespace touchstone {

namespace {

double diagonalOrOne(const ComplementarityProblem& problem, int row) {
  const double diagonal = problem.A(row, row);
  return diagonal > 0 ? diagonal : 1;
}

/// The problem without its free rows: z_f = −A_ff⁻¹ (A_fz z + b_f).
struct Reduction {
  ComplementarityProblem problem;
  Eigen::MatrixXd inverseTimesCoupling;  ///< A_ff⁻¹ A_fz
  Eigen::VectorXd inverseTimesOffset;    ///< A_ff⁻¹ b_f
  bool regular = true;
};

Reduction withoutFreeRows(const ComplementarityProblem& problem) {
  const int free = problem.freeCount, n = static_cast<int>(problem.b.size()), rest = n - free;
  Reduction reduction;
  if (free == 0) {
    reduction.problem = problem;
    return reduction;
  }
  const Eigen::FullPivLU<Eigen::MatrixXd> lu(problem.A.topLeftCorner(free, free));
  reduction.regular = lu.isInvertible();
  reduction.inverseTimesCoupling = lu.solve(problem.A.topRightCorner(free, rest));
  reduction.inverseTimesOffset = lu.solve(problem.b.head(free));
  const Eigen::MatrixXd lower = problem.A.bottomLeftCorner(rest, free);
  reduction.problem.A = problem.A.bottomRightCorner(rest, rest) - lower * reduction.inverseTimesCoupling;
  reduction.problem.b = problem.b.tail(rest) - lower * reduction.inverseTimesOffset;
  reduction.problem.symmetric = problem.symmetric;
  return reduction;
}

using Solve = SolverResult (*)(const ComplementarityProblem&, const Eigen::VectorXd&, const SolverSettings&);

/// Eliminates free rows, equilibrates (A_ij / (s_i s_j), b_i / s_i, unknown s_i z_i with s_i = √A_ii),
/// solves, and states the result in the unknowns of the problem given.
class WrappedSolver : public ComplementaritySolver {
 public:
  WrappedSolver(const char* key, Solve solve) : m_key(key), m_solve(solve) {}

  SolverResult solve(const ComplementarityProblem& problem, const Eigen::VectorXd& start,
                     const SolverSettings& settings) const override {
    const int free = problem.freeCount, n = static_cast<int>(problem.b.size()), rest = n - free;
    if (!problem.A.allFinite() || !problem.b.allFinite()) {
      SolverResult result;
      result.z = Eigen::VectorXd::Zero(n);
      result.residual = std::numeric_limits<double>::quiet_NaN();
      result.deliveredBy = m_key;
      result.iterations.push_back({result.residual, result.residual});
      result.message = "the problem holds numbers that are not finite";
      return result;
    }
    if (n == 0) {
      SolverResult empty;
      empty.status = SolveStatus::Solved;
      empty.deliveredBy = m_key;
      empty.iterations.push_back({});
      return empty;
    }
    const Reduction reduction = withoutFreeRows(problem);
    if (!reduction.regular) {
      SolverResult result;
      result.z = Eigen::VectorXd::Zero(n);
      result.residual = naturalResidual(problem, result.z);
      result.message = "the block of the free unknowns is singular";
      return result;
    }
    Eigen::VectorXd scale(rest);
    for (int row = 0; row < rest; ++row) scale[row] = std::sqrt(diagonalOrOne(reduction.problem, row));
    ComplementarityProblem equilibrated;
    equilibrated.A =
        scale.cwiseInverse().asDiagonal() * reduction.problem.A * scale.cwiseInverse().asDiagonal();
    equilibrated.b = reduction.problem.b.cwiseQuotient(scale);
    equilibrated.rowScale = scale;
    equilibrated.symmetric = reduction.problem.symmetric;
    Eigen::VectorXd scaledStart;
    if (start.size() == n && start.allFinite()) scaledStart = start.tail(rest).cwiseProduct(scale);

    SolverResult result = m_solve(equilibrated, scaledStart, settings);
    const Eigen::VectorXd y = result.z.cwiseQuotient(scale);
    result.z.resize(n);
    result.z.tail(rest) = y;
    if (free > 0) result.z.head(free) = -(reduction.inverseTimesOffset + reduction.inverseTimesCoupling * y);
    result.residual = naturalResidual(problem, result.z);
    if (result.deliveredBy.empty()) result.deliveredBy = m_key;
    if (result.status == SolveStatus::Solved &&
        !(scaledResidual(problem, result.z) <= 10 * settings.tolerance)) {
      result.status = SolveStatus::NotConverged;
      result.message = "eliminating the free unknowns lost the precision that was asked for";
    }
    return result;
  }

 private:
  const char* m_key;
  Solve m_solve;
};

SolverResult lemkeFrom(const ComplementarityProblem& problem, const Eigen::VectorXd&,
                       const SolverSettings& settings) {
  return solveLemke(problem, settings);
}

/// Newton from the warm start, then Lemke: the order that solved every test problem.
SolverResult solveAuto(const ComplementarityProblem& problem, const Eigen::VectorXd& start,
                       const SolverSettings& settings) {
  SolverSettings quick = settings;
  quick.maxIterations = std::min(settings.maxIterations, 50);  // it takes 5 to 40 where it works
  SolverResult newton = solveNewtonFb(problem, start, quick);
  newton.deliveredBy = "newton-fb";
  if (newton.status == SolveStatus::Solved) return newton;
  SolverResult lemke = solveLemke(problem, settings);
  lemke.iterations.insert(lemke.iterations.begin(), newton.iterations.begin(), newton.iterations.end());
  if (lemke.status == SolveStatus::Solved || lemke.residual <= newton.residual) return lemke;
  newton.status = lemke.status;
  newton.message = lemke.message;
  newton.iterations = lemke.iterations;
  return newton;
}

}  // namespace

double naturalResidual(const ComplementarityProblem& problem, const Eigen::VectorXd& z) {
  const Eigen::VectorXd w = problem.A * z + problem.b;
  double largest = 0;
  for (int row = 0; row < w.size(); ++row) {
    const double scale = problem.rowScale.size() == w.size() ? problem.rowScale[row] : 1;
    const double value = row < problem.freeCount
                             ? std::abs(w[row])
                             : std::abs(std::min(diagonalOrOne(problem, row) * z[row], w[row]));
    if (!(scale * value <= largest)) largest = scale * value;  // keeps NaN
  }
  return largest;
}

double scaledResidual(const ComplementarityProblem& problem, const Eigen::VectorXd& z) {
  const Eigen::VectorXd w = problem.A * z + problem.b;
  double largest = 0, offset = 0;
  for (int row = 0; row < w.size(); ++row) {
    const double s = std::sqrt(diagonalOrOne(problem, row));
    const double value =
        row < problem.freeCount ? std::abs(w[row] / s) : std::abs(std::min(s * z[row], w[row] / s));
    if (!(value <= largest)) largest = value;
    offset = std::max(offset, std::abs(problem.b[row] / s));
  }
  return largest / (1 + offset);
}

const std::vector<SolverInfo>& solverTable() {
  static const std::vector<SolverInfo> table = {
      {"auto", "Newton, then Lemke",
       "Fischer–Burmeister Newton from the last step's answer; Lemke where it fails"},
      {"newton-fb", "Newton, Fischer–Burmeister", "Semismooth Newton with line search; needs no symmetry"},
      {"lemke", "Lemke", "Pivoting with lexicographic ties; a ray means that no solution was found"},
      {"pgs", "Projected Gauss–Seidel",
       "Sweeps over rows; slow on stacks, refuses rows without a positive diagonal"},
      {"newton-min", "Newton, minimum map", "Fast when it works; cycles on redundant contacts"}};
  return table;
}

std::unique_ptr<ComplementaritySolver> makeSolver(const std::string& key) {
  if (key == "auto") return std::make_unique<WrappedSolver>("auto", solveAuto);
  if (key == "newton-fb") return std::make_unique<WrappedSolver>("newton-fb", solveNewtonFb);
  if (key == "lemke") return std::make_unique<WrappedSolver>("lemke", lemkeFrom);
  if (key == "pgs") return std::make_unique<WrappedSolver>("pgs", solvePgs);
  if (key == "newton-min") return std::make_unique<WrappedSolver>("newton-min", solveNewtonMin);
  return nullptr;
}

}  // namespace touchstone
