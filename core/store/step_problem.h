#pragma once

#include <string>
#include <vector>

#include "core/scene/scene.h"
#include "core/solver/dense/problem.h"

namespace touchstone {

struct StepDetail;

/// "solved", "not converged", "no solution", as the file and the tables have it
const char* toString(SolveStatus status);

/// The complementarity problems of one step as JSON: of each island A, b, the number of free rows, what its
/// rows mean (sets with type, bodies, contacts and friction), the start, the answer, and the settings. SI
/// units; numbers with full digits.
/// @param pane  "peg-auto", for the reader
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
/// @throws SceneError naming file, field and remedy
StoredProblems readProblems(const std::string& path);

}  // namespace touchstone
