#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "core/contact/complementarity/complementarity_model.h"
#include "core/contact/step_detail.h"

namespace touchstone {

/// Rows up to which a problem is kept with its matrix (32 MB), to be shown, solved again and exported.
inline constexpr int kShownRows = 2000;

/// The part of a StepDetail that methods add which solve for impulses.
struct ProblemDetail {
  std::vector<ModelContact> contacts;  ///< that the sets of the problems refer to
  std::vector<IslandAnswer> problems;  ///< of at most kShownRows rows, with matrices
  int leftOutRows = 0;                 ///< of the largest problem beyond kShownRows, or 0
  ModelSettings modelSettings;
  SolverSettings solverSettings;

  /// True if a problem of so many rows belongs to `problems`; notes it if not.
  bool takesProblemOf(int rows) {
    if (rows > kShownRows) leftOutRows = std::max(leftOutRows, rows);
    return rows <= kShownRows;
  }
};

/// The part of a method that solves for impulses; empty where another method took the step.
inline const ProblemDetail& problemDetail(const StepDetail& detail) {
  static const ProblemDetail none;
  return detail.problem ? *detail.problem : none;
}
/// The same, to be written to.
inline ProblemDetail& problemDetail(StepDetail& detail) {
  if (!detail.problem) detail.problem = std::make_shared<ProblemDetail>();
  return *detail.problem;
}

}  // namespace touchstone
