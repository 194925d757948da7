#include "core/run/pane_name.h"

#include "core/solver/linear.h"

namespace touchstone {

namespace {

const std::string kLinearSolver = "linear_solver";

/// The linear solver that a pane asks for beside its solver, or empty: the default.
std::string linearSolverNamed(const PaneSettings& settings) {
  const auto found = settings.parameters.find(kLinearSolver);
  if (settings.solver.empty() || found == settings.parameters.end()) return {};
  const std::string* key = std::get_if<std::string>(&found->second);
  return key && linearSolverOf(key->c_str()) != LinearSolver::Direct ? *key : std::string();
}

/// Takes "-pcr" off the end of a solver's name.
void takeLinearSolver(PaneSettings& settings) {
  for (const LinearSolver each : {LinearSolver::Direct, LinearSolver::Pcr, LinearSolver::Pcg,
                                  LinearSolver::GaussSeidel, LinearSolver::Jacobi}) {
    const std::string key = toString(each), end = "-" + key;
    std::string& solver = settings.solver;
    if (solver.size() <= end.size() || solver.compare(solver.size() - end.size(), end.size(), end) != 0)
      continue;
    settings.parameters[kLinearSolver] = key;
    solver.resize(solver.size() - end.size());
    return;
  }
}

}  // namespace

std::string paneName(const PaneSettings& settings) {
  std::string name = settings.method;
  for (const std::string& part : {settings.solver, linearSolverNamed(settings)})
    if (!part.empty()) name += "-" + part;
  return name;
}

PaneSettings paneNamed(const std::string& name) {
  PaneSettings settings;
  settings.method = name;
  if (findMethod(name)) return settings;
  for (const MethodInfo& method : methodTable())
    if (name.rfind(method.key + "-", 0) == 0) {
      settings.method = method.key;
      settings.solver = name.substr(method.key.size() + 1);
      takeLinearSolver(settings);
    }
  return settings;
}

}  // namespace touchstone
