#include "core/solver/dense/problem.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "core/math/count.h"
#include "core/solver/dense/solvers.h"

namespace touchstone {

namespace {

double scaleOf(const Eigen::MatrixXd& A, const FrictionDisk& disk) {
  const int row = disk.first;
  return disk.count == 1 ? diskScale(A(row, row), 0, 0)
                         : diskScale(A(row, row), A(row, row + 1), A(row + 1, row + 1));
}

/// Scales of rows and unknowns, see EquilibratedProblem.
struct Scales {
  Eigen::VectorXd rows, columns;
};

Scales scalesOf(const Eigen::MatrixXd& A, const std::vector<FrictionDisk>& disks,
                const std::vector<int>& scaledBy) {
  Scales scales{Eigen::VectorXd::Ones(A.rows()), {}};
  for (int row = 0; row < A.rows(); ++row)
    if (A(row, row) > 0) scales.rows[row] = std::sqrt(A(row, row));
  for (const FrictionDisk& disk : disks)
    scales.rows.segment(disk.first, disk.count).setConstant(std::sqrt(scaleOf(A, disk)));
  scales.columns = scales.rows.cwiseInverse();
  for (int row = 0; row < countOf(scaledBy); ++row) {
    if (scaledBy[row] < 0) continue;
    const double scale = scales.rows[scaledBy[row]];
    scales.rows[row] = A(row, row) > 0 ? scale : 1 / scale;
    scales.columns[row] = scale;
  }
  return scales;
}
Scales scalesOf(const ComplementarityProblem& problem) {
  return scalesOf(problem.A, problem.disks, problem.scaledBy);
}

/// Denominator of a scaled residual.
double denominatorOf(const ComplementarityProblem& problem, const Eigen::VectorXd& scales) {
  double largest = 0, lightest = 0;
  for (int row = 0; row < problem.b.size(); ++row) {
    largest = std::max(largest, std::abs(problem.b[row] / scales[row]));
    if (problem.scaledBy.empty() || problem.scaledBy[row] < 0) lightest = std::max(lightest, scales[row]);
  }
  return (problem.velocityUnit > 0 && lightest > 0 ? problem.velocityUnit / lightest : 1) + largest;
}

/// |β − proj(β − w/r)|
double missOf(const FrictionDisk& disk, double r, double normal, const Eigen::VectorXd& z,
              const Eigen::VectorXd& w) {
  const bool two = disk.count == 2;
  const double x = z[disk.first], y = two ? z[disk.first + 1] : 0;
  double nearestX = x - w[disk.first] / r, nearestY = two ? y - w[disk.first + 1] / r : 0;
  projectOnDisk(disk.friction * normal, nearestX, nearestY);
  return lengthOf(x - nearestX, y - nearestY);
}

/// The Schur complement on the complementarity rows.
void eliminateFreeRows(const ComplementarityProblem& problem, EquilibratedProblem& result) {
  const int free = problem.freeCount, rest = countOf(problem.b) - free;
  const Eigen::FullPivLU<Eigen::MatrixXd> lu(problem.A.topLeftCorner(free, free));
  if (!lu.isInvertible()) {
    result.refusal =
        "the block of the free unknowns is singular and cannot be eliminated; newton-fb keeps free rows";
    return;
  }
  result.coupling = lu.solve(problem.A.topRightCorner(free, rest));
  result.offset = lu.solve(problem.b.head(free));
  const auto lower = problem.A.bottomLeftCorner(rest, free);
  result.A = problem.A.bottomRightCorner(rest, rest) - lower * result.coupling;
  result.b = problem.b.tail(rest) - lower * result.offset;
}

using Solve = Answer (*)(const EquilibratedProblem&, const Eigen::VectorXd&, const SolverSettings&);

Answer lemkeFrom(const EquilibratedProblem& problem, const Eigen::VectorXd&, const SolverSettings& settings) {
  return solveLemke(problem, settings);
}

Eigen::VectorXd usableStart(const Eigen::VectorXd& start, Eigen::Index size) {
  if (start.size() == size && start.allFinite()) return start;
  return Eigen::VectorXd::Zero(size);
}

/// Brings a problem into the form that a solver takes, and its answer back. The last word on success is the
/// residual of the problem that was given.
class WrappedSolver : public ComplementaritySolver {
 public:
  WrappedSolver(const char* key, Solve solve, FreeRows freeRows)
      : m_key(key), m_solve(solve), m_freeRows(freeRows) {}

  SolverResult solve(const ComplementarityProblem& problem, const Eigen::VectorXd& start,
                     const SolverSettings& settings) const override {
    SolverResult result;
    result.deliveredBy = m_key;
    result.z = usableStart(start, problem.b.size());
    const EquilibratedProblem form = equilibrated(problem, m_freeRows);
    result.message = form.refusal.empty() ? refusalOf(problem, settings) : form.refusal;
    if (result.message.empty()) {
      Answer answer = m_solve(form, equilibratedUnknowns(form, result.z), settings);
      result.status = answer.status;
      result.iterations = std::move(answer.iterations);
      result.message = std::move(answer.message);
      for (const Eigen::VectorXd& y : answer.iterates) result.iterates.push_back(givenUnknowns(form, y));
      result.z = givenUnknowns(form, answer.y);
    }
    result.residual = naturalResidual(problem, result.z);
    if (result.iterations.empty()) result.iterations.push_back({result.residual, result.residual});
    if (result.status == SolveStatus::Solved && !(scaledResidual(problem, result.z) <= settings.tolerance)) {
      result.status = SolveStatus::NotConverged;
      result.message = "rounding of the equilibrated form cost the precision that was asked for";
    }
    return result;
  }

 private:
  /// Iterative linear solvers need symmetry, which slacks and pyramids take away.
  std::string refusalOf(const ComplementarityProblem& problem, const SolverSettings& settings) const {
    if (!problem.disks.empty() && m_solve == lemkeFrom)
      return std::string(m_key) +
             " cannot take friction within a disk, which is no linear complementarity: choose newton-fb or "
             "pgs";
    if (settings.linear == LinearSolver::Direct || problem.symmetric || m_solve == lemkeFrom ||
        m_solve == solvePgs)
      return {};
    return std::string(toString(settings.linear)) +
           " needs a symmetric matrix; PEG's slacks and pyramids of friction make it unsymmetric: choose "
           "direct, "
           "or PEG's exact step with newton-fb";
  }

  const char* m_key;
  Solve m_solve;
  FreeRows m_freeRows;
};

WrappedSolver newtonFb() { return {"newton-fb", solveNewtonFb, FreeRows::Keep}; }
WrappedSolver lemke() { return {"lemke", lemkeFrom, FreeRows::Eliminate}; }

/// Newton from the warm start, then Lemke where it takes the problem. The iterations are those of both, in
/// this order.
class AutoSolver : public ComplementaritySolver {
 public:
  SolverResult solve(const ComplementarityProblem& problem, const Eigen::VectorXd& start,
                     const SolverSettings& settings) const override {
    if (!problem.disks.empty()) return newtonFb().solve(problem, start, settings);
    SolverSettings firstSettings = settings;
    if (!problem.symmetric) firstSettings.linear = LinearSolver::Direct;
    SolverResult first = newtonFb().solve(problem, start, firstSettings);
    if (first.status == SolveStatus::Solved) return first;
    SolverResult second = lemke().solve(problem, start, settings);
    second.iterations.insert(second.iterations.begin(), first.iterations.begin(), first.iterations.end());
    second.iterates.insert(second.iterates.begin(), first.iterates.begin(), first.iterates.end());
    if (second.status == SolveStatus::Solved || !(first.residual < second.residual)) return second;
    first.status = second.status;
    first.message = second.message;
    first.iterations = std::move(second.iterations);
    return first;
  }
};

}  // namespace

EquilibratedProblem equilibrated(const ComplementarityProblem& problem, FreeRows freeRows) {
  EquilibratedProblem result;
  const Eigen::VectorXd given = scalesOf(problem).rows;
  result.denominator = denominatorOf(problem, given);
  if (!problem.A.allFinite() || !problem.b.allFinite()) {
    result.refusal = "the problem has entries that are not finite";
    return result;
  }
  std::vector<FrictionDisk> disks = problem.disks;
  result.maxima = problem.maxima;
  if (problem.freeCount > 0 && freeRows == FreeRows::Eliminate) {
    result.eliminated = true;
    eliminateFreeRows(problem, result);
    if (!result.refusal.empty()) return result;
    for (FrictionDisk& disk : disks) {
      disk.normal -= problem.freeCount;
      disk.first -= problem.freeCount;
    }
    for (MaximumRow& maximum : result.maxima) maximum.row -= problem.freeCount;
  } else {
    result.freeCount = problem.freeCount;
    result.A = problem.A;
    result.b = problem.b;
  }
  const Scales scales = result.eliminated ? scalesOf(result.A, disks, {}) : scalesOf(problem);
  result.given = given.tail(scales.rows.size());
  result.columns = scales.columns;
  result.ratio = scales.rows.cwiseQuotient(result.given);
  result.A.array().colwise() /= scales.rows.array();
  result.A.array().rowwise() *= scales.columns.transpose().array();
  result.b.array() /= scales.rows.array();
  for (FrictionDisk& disk : disks) {
    disk.friction *= scales.rows[disk.first] / scales.rows[disk.normal];
  }
  result.disks = std::move(disks);
  return result;
}

Eigen::VectorXd equilibratedUnknowns(const EquilibratedProblem& problem, const Eigen::VectorXd& z) {
  return z.tail(problem.b.size()).cwiseQuotient(problem.columns);
}

Eigen::VectorXd givenUnknowns(const EquilibratedProblem& problem, const Eigen::VectorXd& y) {
  const Eigen::VectorXd reduced = y.cwiseProduct(problem.columns);
  if (!problem.eliminated) return reduced;
  Eigen::VectorXd z(problem.offset.size() + reduced.size());
  z << -(problem.offset + problem.coupling * reduced), reduced;
  return z;
}

Residuals residualsOf(const EquilibratedProblem& problem, const Eigen::VectorXd& y,
                      const Eigen::VectorXd& v) {
  Eigen::VectorXd values(v.size());
  for (int row = 0; row < v.size(); ++row) {
    const double rate = v[row] * problem.ratio[row];
    values[row] = std::abs(row < problem.freeCount ? rate : std::min(y[row] / problem.ratio[row], rate));
  }
  for (const FrictionDisk& disk : problem.disks)
    values.segment(disk.first, disk.count).setConstant(missOf(disk, 1, y[disk.normal], y, v));
  Residuals largest;
  for (int row = 0; row < v.size(); ++row) {
    const double value = values[row];
    if (!(value <= largest.scaled)) largest.scaled = value;  // keeps NaN
    if (!(value * problem.given[row] <= largest.natural)) largest.natural = value * problem.given[row];
  }
  largest.scaled /= problem.denominator;
  return largest;
}

Eigen::VectorXd rowResiduals(const ComplementarityProblem& problem, const Eigen::VectorXd& z,
                             const Eigen::VectorXd& w) {
  Eigen::VectorXd values(w.size());
  const Scales scales = scalesOf(problem);
  for (int row = 0; row < w.size(); ++row) {
    const double held = scales.rows[row] / scales.columns[row] * z[row];
    values[row] = std::abs(row < problem.freeCount ? w[row] : std::min(held, w[row]));
  }
  for (const FrictionDisk& disk : problem.disks) {
    const double r = scaleOf(problem.A, disk);
    values.segment(disk.first, disk.count).setConstant(r * missOf(disk, r, z[disk.normal], z, w));
  }
  return values;
}

double naturalResidual(const ComplementarityProblem& problem, const Eigen::VectorXd& z) {
  double largest = 0;
  for (double value : rowResiduals(problem, z, problem.A * z + problem.b))
    if (!(value <= largest)) largest = value;  // keeps NaN
  return largest;
}

double scaledResidual(const ComplementarityProblem& problem, const Eigen::VectorXd& z) {
  const Eigen::VectorXd values = rowResiduals(problem, z, problem.A * z + problem.b),
                        scales = scalesOf(problem).rows;
  double largest = 0;
  for (int row = 0; row < values.size(); ++row) {
    const double value = values[row] / scales[row];
    if (!(value <= largest)) largest = value;
  }
  return largest / denominatorOf(problem, scales);
}

double naturalTolerance(const ComplementarityProblem& problem, double tolerance) {
  const Eigen::VectorXd scales = scalesOf(problem).rows;
  return tolerance * denominatorOf(problem, scales) * (scales.size() > 0 ? scales.maxCoeff() : 0);
}

std::unique_ptr<ComplementaritySolver> makeSolver(const std::string& key) {
  if (key == "auto") return std::make_unique<AutoSolver>();
  if (key == "newton-fb") return std::make_unique<WrappedSolver>(newtonFb());
  if (key == "lemke") return std::make_unique<WrappedSolver>(lemke());
  if (key == "pgs") return std::make_unique<WrappedSolver>("pgs", solvePgs, FreeRows::Eliminate);
  if (key == "newton-min")
    return std::make_unique<WrappedSolver>("newton-min", solveNewtonMin, FreeRows::Keep);
  return nullptr;
}

}  // namespace touchstone
