#include "core/solver/row_solver.h"

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace touchstone {

static std::vector<std::string>& registered() {
  static std::vector<std::string> keys;
  return keys;
}

RowSolverKind addRowSolver(const std::string& key) {
  if (isRegisteredSolver(key)) throw std::logic_error("there is a solver '" + key + "' already");
  registered().push_back(key);
  return static_cast<RowSolverKind>(kFirstRegisteredSolver + static_cast<int>(registered().size()) - 1);
}

bool isRegisteredSolver(const std::string& key) {
  return std::find(registered().begin(), registered().end(), key) != registered().end();
}

RowSolverKind rowSolverKindOf(const std::string& key, LinearSolver linear) {
  const auto place = std::find(registered().begin(), registered().end(), key);
  if (place != registered().end())
    return static_cast<RowSolverKind>(kFirstRegisteredSolver +
                                      static_cast<int>(place - registered().begin()));
  if (key == "pgs") return RowSolverKind::Pgs;
  if (key == "pgs-conjugate") return RowSolverKind::PgsConjugate;
  if (key == "newton-carrier") return RowSolverKind::NewtonCarrier;
  if (key == "lemke") return RowSolverKind::Lemke;
  if (key == "auto") return isOnBackend(linear) ? RowSolverKind::Auto : RowSolverKind::AutoOnHost;
  if (key == "newton-min")
    return isOnBackend(linear) ? RowSolverKind::NewtonMin : RowSolverKind::NewtonMinOnHost;
  return isOnBackend(linear) ? RowSolverKind::NewtonFb : RowSolverKind::NewtonFbOnHost;
}

}  // namespace touchstone
