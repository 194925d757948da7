#pragma once

#include "core/solver/dense/problem.h"
#include "tests/support/vectors.h"

namespace touchstone::test {

/// A problem of friction-problems.json: W, q, the number of contacts nc and μ, one or each contact's own.
inline ComplementarityProblem frictionProblem(const nlohmann::json& given) {
  ComplementarityProblem problem;
  problem.A = matrixOf(given.at("W"));
  problem.b = vectorOf(given.at("q"));
  problem.symmetric = true;
  const nlohmann::json& mu = given.at("mu");
  for (int contact = 0; contact < given.at("nc").get<int>(); ++contact)
    problem.disks.push_back(
        {3 * contact, 3 * contact + 1, 2, mu.is_array() ? mu.at(contact).get<double>() : mu.get<double>()});
  return problem;
}

}  // namespace touchstone::test
