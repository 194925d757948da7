#include "core/solver/newton/friction_solver.h"

#include <Eigen/LU>
#include <cmath>
#include <utility>

#include "core/parallel/frame_clock.h"
#include "core/solver/newton/newton_forms.h"

namespace touchstone {

namespace {

constexpr double kRegularised = 1e-9;

/// A row of the linear system: A Δz + compliance · Δz = −residual, or a change that is known.
struct LinearRow {
  double compliance = 0;  // 1/kg
  double residual = 0;    // m/s
  bool isPrescribed = false;
  double change = 0;  // N·s
};

/// @param root  √r of the units in which f is
LinearRow divided(const NcpValue& f, double root) {
  if (f.dv < newton::kOpen) return {0, 0, true, -f.value / (f.dy * root)};
  return {f.dy / f.dv * root * root, root * f.value / f.dv, false, 0};
}

const std::pair<const char*, FrictionForm> kForms[] = {
    {"nsn-split", FrictionForm::Split}, {"nsn-full", FrictionForm::Full}, {"nsn-w", FrictionForm::W}};

/// w = A z + b with the rows of all contacts linearised at one z; forces are impulses, so that h = 1.
class FrictionSolver : public ComplementaritySolver {
 public:
  FrictionSolver(const char* key, FrictionForm form) : m_key(key), m_form(form) {}

  SolverResult solve(const ComplementarityProblem& problem, const Eigen::VectorXd& start,
                     const SolverSettings& settings) const override {
    const Eigen::Index n = problem.b.size();
    SolverResult result;
    result.deliveredBy = m_key;
    result.z = start.size() == n ? start : Eigen::VectorXd::Zero(n);
    result.residual = naturalResidual(problem, result.z);
    result.message = refusalOf(problem);
    if (!result.message.empty()) return result;
    Eigen::VectorXd z = result.z;
    double best = HUGE_VAL;
    for (int iteration = 0; iteration <= settings.maxIterations; ++iteration) {
      checkFrameClock();
      const double natural = naturalResidual(problem, z), scaled = scaledResidual(problem, z);
      result.iterations.push_back({natural, natural});
      if (settings.keepIterates) result.iterates.push_back(z);
      if (scaled < best) {
        best = scaled;
        result.z = z;
        result.residual = natural;
      }
      if (best <= settings.tolerance || !std::isfinite(natural)) break;
      z += newton::kUsualShare * direction(problem, z);
    }
    result.status = best <= settings.tolerance ? SolveStatus::Solved : SolveStatus::NotConverged;
    if (result.status != SolveStatus::Solved) result.message = "Newton's method ended above its tolerance";
    return result;
  }

 private:
  static std::string refusalOf(const ComplementarityProblem& problem) {
    if (problem.freeCount == 0 && problem.maxima.empty()) return {};
    return "the rows of the problem are not those of contacts; choose newton-fb or lemke";
  }

  Eigen::VectorXd direction(const ComplementarityProblem& problem, const Eigen::VectorXd& z) const {
    const Eigen::Index n = z.size();
    const Eigen::VectorXd w = problem.A * z + problem.b;
    const RewrittenForms forms{{NcpFunction::FischerBurmeister, m_form}, 1};
    std::vector<LinearRow> rows(n);
    std::vector<char> isTangent(n, 0);
    Eigen::MatrixXd turn = Eigen::MatrixXd::Identity(n, n);      // columns: the directions of the rows
    std::vector<std::pair<int, const FrictionDisk*>> followers;  // the row along the slip
    for (const FrictionDisk& disk : problem.disks) {
      const int first = disk.first;
      const bool two = disk.count == 2;
      const double a = problem.A(first, first), d = two ? problem.A(first + 1, first + 1) : 0;
      const double across = two ? problem.A(first, first + 1) : 0, root = std::sqrt(diskScale(a, across, d)),
                   limit = root * disk.friction * z[disk.normal];
      const DiskRows diskRows = forms.disk(limit, root * z[first], two ? root * z[first + 1] : 0,
                                           w[first] / root, two ? w[first + 1] / root : 0);
      rows[first] = divided(diskRows.along, root);
      isTangent[first] = 1;
      turn(first, first) = diskRows.x;
      if (two) {
        rows[first + 1] = divided(diskRows.across, root);
        isTangent[first + 1] = 1;
        turn(first + 1, first) = diskRows.y;
        turn(first, first + 1) = -diskRows.y;
        turn(first + 1, first + 1) = diskRows.x;
      }
      if (m_form == FrictionForm::Full && limit > 0 && diskRows.along.dv == 0)
        followers.push_back({first, &disk});
    }
    for (Eigen::Index row = 0; row < n; ++row) {
      if (isTangent[row]) continue;
      const double root = problem.A(row, row) > 0 ? std::sqrt(problem.A(row, row)) : 1;
      rows[row] = divided(forms.ncp(root * z[row], w[row] / root), root);
    }
    const Eigen::MatrixXd A = turn.transpose() * problem.A * turn;
    // Changes that are known, with what follows a normal whose change is.
    Eigen::VectorXd change = Eigen::VectorXd::Zero(n);
    std::vector<int> free;
    for (Eigen::Index row = 0; row < n; ++row) {
      if (rows[row].isPrescribed)
        change[row] = rows[row].change;
      else
        free.push_back(static_cast<int>(row));
    }
    for (const auto& [row, disk] : followers) change[row] += disk->friction * change[disk->normal];
    if (!free.empty()) {
      const Eigen::VectorXd known = A * change;
      Eigen::MatrixXd system = A(free, free);
      for (const auto& [row, disk] : followers)
        for (std::size_t k = 0; k < free.size(); ++k)
          if (free[k] == disk->normal)
            system.col(static_cast<Eigen::Index>(k)) += disk->friction * A.col(row)(free);
      Eigen::VectorXd right(static_cast<Eigen::Index>(free.size()));
      for (std::size_t k = 0; k < free.size(); ++k) {
        const LinearRow& row = rows[free[k]];
        const Eigen::Index index = static_cast<Eigen::Index>(k);
        system(index, index) += row.compliance + kRegularised * A(free[k], free[k]);
        right[index] = -row.residual - known[free[k]];
      }
      const Eigen::VectorXd x = system.partialPivLu().solve(right);
      for (std::size_t k = 0; k < free.size(); ++k) change[free[k]] = x[static_cast<Eigen::Index>(k)];
      for (const auto& [row, disk] : followers)
        if (!rows[disk->normal].isPrescribed) change[row] += disk->friction * change[disk->normal];
    }
    return turn * change;
  }

  const char* m_key;
  FrictionForm m_form;
};

}  // namespace

std::vector<std::string> frictionSolvers() {
  std::vector<std::string> keys;
  for (const auto& [key, form] : kForms) keys.push_back(key);
  return keys;
}

std::unique_ptr<ComplementaritySolver> makeFrictionSolver(const std::string& key) {
  for (const auto& [formKey, form] : kForms)
    if (key == formKey) return std::make_unique<FrictionSolver>(formKey, form);
  return nullptr;
}

}  // namespace touchstone
