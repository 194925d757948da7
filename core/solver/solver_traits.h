#pragma once

#include <string>
#include <vector>

#include "core/solver/linear/linear.h"

namespace touchstone {

/// A solver of rows as the program offers it. Parameters, panes and texts know nothing else of it.
struct SolverTraits {
  std::string key;   ///< "newton-fb"
  std::string name;  ///< "Newton, Fischer–Burmeister"
  std::string help;
  bool takesLinearSolver = false;  ///< Newton's: it solves linear systems inside
  bool sweeps = false;             ///< ends early by design: gaps above rounding stay
  bool cone = true;                ///< false: friction is bounded by a pyramid, for the cone is no LCP
  bool eliminatesJoints = false;   ///< free rows leave its problem before it begins
  bool choosesForm = false;        ///< `auto`: with matrices or without, by the number of bodies
  bool takesStored = true;         ///< problems that are stored as a matrix; false: it needs the bodies
};

/// The solvers of the program in the order in which they are offered.
const std::vector<SolverTraits>& solverTable();
std::vector<std::string> solverKeys();
/// The solvers that take stored problems, which makeSolver() makes.
std::vector<SolverTraits> storedSolvers();
/// One of them; of a foreign key a solver without a name and without any trait.
const SolverTraits& traitsOf(const std::string& key);
/// Keys of the linear solvers, the exact one first.
std::vector<std::string> linearSolverKeys();
/// Key of what `auto` is: with matrices, or without.
std::string keyOfForm(bool makesMatrix);
/// Key of a solver with the linear solver inside where that is not Direct: "newton-fb-pcr".
std::string solverWithLinear(const std::string& key, LinearSolver linear);

/// Needs of a step besides rows, which its solver may not meet.
struct RowNeeds {
  bool rounding = false;  ///< gaps to rounding: an exact step
  bool maxima = false;    ///< rows with members, whose matrix Gauss–Seidel does not take
};
/// Why a solver cannot give it, with what can, or empty.
std::string refusalOf(const SolverTraits& solver, LinearSolver linear, const RowNeeds& needs);

}  // namespace touchstone
