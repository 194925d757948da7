#include "core/run/pane_name.h"

#include "core/solver/linear.h"

namespace touchstone {

namespace {

const std::string kLinearSolver = "linear_solver";

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

std::string solverName(const std::string& solver, const ParameterValues& values) {
  const auto found = values.find(kLinearSolver);
  const bool solvesSystems = !solver.empty() && solver != "pgs" && solver != "lemke";
  if (!solvesSystems || found == values.end()) return solver;
  const std::string* key = std::get_if<std::string>(&found->second);
  const bool isOther = key && linearSolverOf(key->c_str()) != LinearSolver::Direct;
  return isOther ? solver + "-" + *key : solver;
}

std::string paneName(const std::string& method, const std::string& solver) {
  return solver.empty() ? method : method + "-" + solver;
}

std::string paneName(const PaneSettings& settings) {
  return paneName(settings.method, solverName(settings.solver, settings.parameters));
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

std::string nameWithStep(const PaneSettings& settings) {
  const auto step = settings.parameters.find("step");
  return paneName(settings) +
         (step == settings.parameters.end() ? "" : " " + std::get<std::string>(step->second));
}

PaneSettings paneWithStep(const std::string& name) {
  const std::size_t blank = name.find(' ');
  PaneSettings pane = paneNamed(name.substr(0, blank));
  if (blank != std::string::npos) pane.parameters["step"] = name.substr(blank + 1);
  return pane;
}

}  // namespace touchstone
