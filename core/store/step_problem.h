#pragma once

#include <string>
#include <vector>

#include "core/scene/scene.h"
#include "core/solver/dense/problem.h"

namespace touchstone {

struct StepDetail;

/// "solved", "not converged", "no solution", as used in files and tables
const char* toString(SolveStatus status);

/// The complementarity problems of one step as JSON: for each island A, b, the number of free rows, the
/// meaning of its rows (sets with type, bodies, contacts and friction), the start, the answer, and the
/// settings. SI units; numbers with full digits.
/// @param pane  label for the reader, "peg-auto"
std::string problemText(const StepDetail& detail, const Scene& scene, const std::string& pane);

/// One island of such a file.
struct StoredProblem {
  ComplementarityProblem problem;
  Eigen::VectorXd start;
};
struct StoredProblems {
  std::vector<StoredProblem> islands;
  SolverSettings settings;
};
/// @throws SceneError with file, field and remedy
StoredProblems readProblems(const std::string& path);

}  // namespace touchstone
