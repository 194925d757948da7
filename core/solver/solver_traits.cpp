#include "core/solver/solver_traits.h"

#include <algorithm>

#include "core/solver/row_solver.h"

namespace touchstone {

namespace {

SolverTraits newton(const char* key) {
  SolverTraits traits;
  traits.key = key;
  traits.takesLinearSolver = true;
  return traits;
}

const std::vector<SolverTraits>& ofProgram() {
  static const std::vector<SolverTraits> list = [] {
    SolverTraits choosing = newton("auto"), pivoting, sweeping;
    choosing.choosesForm = true;
    pivoting.key = "lemke";
    pivoting.cone = false;
    pivoting.eliminatesJoints = true;
    sweeping.key = "pgs";
    sweeping.sweeps = true;
    return std::vector<SolverTraits>{choosing, newton("newton-fb"), pivoting, sweeping, newton("newton-min")};
  }();
  return list;
}

/// "a, b or c", without one of them.
std::string listed(const std::vector<std::string>& keys) {
  std::string text;
  for (std::size_t index = 0; index < keys.size(); ++index)
    text += (index == 0 ? "" : index + 1 == keys.size() ? " or " : ", ") + keys[index];
  return text;
}

}  // namespace

std::vector<std::string> rowSolverKeys() {
  std::vector<std::string> keys;
  for (const SolverTraits& traits : ofProgram()) keys.push_back(traits.key);
  return keys;
}

SolverTraits traitsOf(const std::string& key) {
  for (const SolverTraits& traits : ofProgram())
    if (traits.key == key) return traits;
  SolverTraits other;
  other.key = key;
  return other;
}

std::vector<std::string> linearSolverKeys() {
  std::vector<std::string> keys;
  for (const LinearSolver solver : {LinearSolver::Direct, LinearSolver::Pcr, LinearSolver::Pcg,
                                    LinearSolver::GaussSeidel, LinearSolver::Jacobi})
    keys.emplace_back(toString(solver));
  return keys;
}

std::string keyOfForm(bool makesMatrix) {
  return solverWithLinear("newton-fb", makesMatrix ? LinearSolver::Direct : LinearSolver::Pcr);
}

std::string solverWithLinear(const std::string& key, LinearSolver linear) {
  if (!traitsOf(key).takesLinearSolver || linear == LinearSolver::Direct) return key;
  return key + "-" + toString(linear);
}

std::string refusalOf(const SolverTraits& solver, LinearSolver linear, const RowNeeds& needs) {
  if (needs.rounding && solver.sweeps) {
    std::vector<std::string> others;
    for (const SolverTraits& other : ofProgram())
      if (!other.sweeps) others.push_back(other.key);
    return solver.key +
           " takes no step that leaves no gap above rounding, which its sweeps do not reach; choose " +
           listed(others);
  }
  if (needs.maxima && solver.takesLinearSolver && !solver.choosesForm && linear == LinearSolver::GaussSeidel)
    return std::string(toString(linear)) +
           " takes no constraint sets, whose matrix is not symmetric; choose " + toString(LinearSolver::Pcr) +
           " or " + toString(LinearSolver::Direct);
  return {};
}

}  // namespace touchstone
