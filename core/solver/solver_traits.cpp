#include "core/solver/solver_traits.h"

#include "core/files/listed.h"

namespace touchstone {

const std::vector<SolverTraits>& solverTable() {
  static const std::vector<SolverTraits> table = [] {
    std::vector<SolverTraits> traits;
    traits.push_back(
        {"auto", "Newton, then Lemke",
         "Newton on Fischer–Burmeister from the last step's answer, with the linear solver where the "
         "problem is symmetric, else directly; Lemke where it fails. The record names the one that "
         "delivered."});
    traits.back().takesLinearSolver = true;
    traits.back().choosesForm = true;
    traits.push_back(
        {"newton-fb", "Newton, Fischer–Burmeister",
         "Semismooth Newton on y + v − √(y² + v²), warm-started, with damped steps that may raise the "
         "residual on their way. Needs no symmetry with the direct linear solver; free rows stay "
         "equations. With pcr, pcg and jacobi it forms no matrix. Fails on some coupled PEG problems."});
    traits.back().takesLinearSolver = true;
    traits.push_back({"lemke", "Lemke",
                      "Pivoting with lexicographic ties, serial, without warm start; its merit is the "
                      "artificial variable. "
                      "A ray means that no solution was found: a proof only for classes such as "
                      "copositive-plus matrices."});
    traits.back().cone = false;
    traits.back().eliminatesJoints = true;
    traits.push_back(
        {"pgs", "Projected Gauss–Seidel",
         "Sweeps over contacts and joints, those at once that do not act on each other, without any matrix: "
         "the solver "
         "for "
         "large scenes. Friction is Coulomb's cone itself, not its pyramid. Warm-started; slow on stacks "
         "with "
         "large "
         "mass ratios. A constraint set of PEG is one row, the largest of its rates. Refuses other problems "
         "with "
         "a row without positive diagonal (pyramids)."});
    traits.back().sweeps = true;
    traits.push_back(
        {"pgs-conjugate", "Gauss–Seidel, conjugate directions",
         "Sweeps as pgs, each followed by a step along the direction of the last ones "
         "(Silcowitz-Hansen, Niebe, Erleben 2010): a third to a tenth of the residual for the same "
         "number of sweeps. Residuals are measured after every fourth sweep."});
    traits.back().sweeps = true;
    traits.back().takesStored = false;
    traits.push_back(
        {"newton-carrier", "Newton in body space",
         "Proximal semismooth Newton whose unknowns are the velocities of bodies, with the derivative of the "
         "friction limit and convex rounds (Tresca) from which it starts: converges in piles, where "
         "newton-fb "
         "stalls. Its matrix has 6 × 6 blocks, one for each pair of bodies in contact; solver iterations are "
         "factorisations. Says where friction locks a push-out, so that no solution exists."});
    traits.back().takesStored = false;
    traits.push_back(
        {"newton-min", "Newton, minimum map",
         "As newton-fb, on min(y, v). Fast where it works; cycles on redundant contacts and coupled PEG "
         "problems."});
    traits.back().takesLinearSolver = true;
    return traits;
  }();
  return table;
}

std::vector<SolverTraits> storedSolvers() {
  std::vector<SolverTraits> solvers;
  for (const SolverTraits& traits : solverTable())
    if (traits.takesStored) solvers.push_back(traits);
  return solvers;
}

std::vector<std::string> solverKeys() {
  std::vector<std::string> keys;
  for (const SolverTraits& traits : solverTable()) keys.push_back(traits.key);
  return keys;
}

const SolverTraits& traitsOf(const std::string& key) {
  static const SolverTraits none;
  for (const SolverTraits& traits : solverTable())
    if (traits.key == key) return traits;
  return none;
}

std::vector<std::string> linearSolverKeys() {
  std::vector<std::string> keys;
  for (const LinearSolver solver : {LinearSolver::Direct, LinearSolver::Pcr, LinearSolver::Pcg,
                                    LinearSolver::GaussSeidel, LinearSolver::Jacobi})
    keys.emplace_back(toString(solver));
  return keys;
}

std::string keyOfForm(bool makesMatrix) {
  return solverWithLinear("newton-fb", makesMatrix ? LinearSolver::Direct : LinearSolver::Pcr);
}

std::string solverWithLinear(const std::string& key, LinearSolver linear) {
  if (!traitsOf(key).takesLinearSolver || linear == LinearSolver::Direct) return key;
  return key + "-" + toString(linear);
}

std::string refusalOf(const SolverTraits& solver, LinearSolver linear, const RowNeeds& needs) {
  if (needs.rounding && solver.sweeps) {
    std::vector<std::string> others;
    for (const SolverTraits& other : solverTable())
      if (!other.sweeps) others.push_back(other.key);
    return solver.key +
           " takes no step that leaves no gap above rounding, which its sweeps do not reach; choose another "
           "solver (" +
           listed(others, " or ") + ")";
  }
  if (needs.maxima && solver.takesLinearSolver && !solver.choosesForm && linear == LinearSolver::GaussSeidel)
    return std::string(toString(linear)) +
           " takes no constraint sets, whose matrix is not symmetric; choose " + toString(LinearSolver::Pcr) +
           " or " + toString(LinearSolver::Direct);
  return {};
}

}  // namespace touchstone
