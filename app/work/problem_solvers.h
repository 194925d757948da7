#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/store/step_problem.h"

namespace touchstone {

/// The problems of a file: an exported step, or a published friction problem, which gets our tolerance.
StoredProblems problemsOf(const std::string& file);
/// A solver of such problems: those of the program, and the forms of NSN's friction.
/// @throws std::invalid_argument for an unknown key
std::unique_ptr<ComplementaritySolver> problemSolver(const std::string& key);
/// The solvers to try on a file of which the user names none.
std::vector<std::string> solversFor(const std::string& file);

}  // namespace touchstone
