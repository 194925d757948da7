#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/solver/dense/problem.h"

namespace touchstone {

/// Keys of the forms of non-smooth Newton's rows as solvers of friction problems: "nsn-split", "nsn-full",
/// "nsn-w". Fischer–Burmeister, rows divided, t = 0.75, one dense LU per iteration.
std::vector<std::string> frictionSolvers();
/// One of them, or null. It takes problems whose rows are those of contacts: a normal each, and with friction
/// a FrictionDisk. Others it leaves unsolved and says so.
std::unique_ptr<ComplementaritySolver> makeFrictionSolver(const std::string& key);

}  // namespace touchstone
