#include "core/contact/complementarity/rigid_parameters.h"

#include "core/contact/accuracy.h"
#include "core/contact/contacts_form.h"
#include "core/contact/drive_parameter.h"
#include "core/contact/on_failure.h"
#include "core/contact/pcg_iterate.h"
#include "core/contact/push_out_form.h"
#include "core/contact/start.h"
#include "core/scene/scale.h"
#include "core/solver/dense/from_rows.h"
#include "core/solver/row_solver.h"
#include "core/solver/solver_traits.h"

namespace touchstone::rigid {

namespace {

// Shares of lengthOf() the scene.
constexpr double kTouching = 2e-4;  // of primaries only
constexpr double kAlike = 2e-9;     // above rounding, below what is visible
/// Depth as a share of extentOf() the scene: some roundings of coordinates.
constexpr double kExactDepth = 4e-15;

AutomaticValue automaticMargin(const Scene& scene, double) {
  const double margin = kMarginOfLength * lengthOf(scene);
  return {margin, margin, "1 % of the scene's length ℓ"};
}
AutomaticValue automaticFeasibleDepth(const Scene& scene, double) {
  const double depth = kFeasibleDepthOfLength * lengthOf(scene);
  return {depth, depth, "0.5 % of the scene's length ℓ"};
}

}  // namespace

std::vector<ParameterSpec> sharedParameters() {
  std::vector<ParameterSpec> specs;
  specs.push_back(
      numberSpec("eps_theta", "Applicability ε_θ", "",
                 "A contact takes part if its applicability (a sine) is ≥ −ε_θ; 2 switches the test off "
                 "(Williams 2017).",
                 0.4, 0, 2)
          .publishedIn("Williams 2017, simulator"));
  specs.push_back(
      numberSpec(
          "margin", "Margin of ε", "m",
          "Features closer than ε = dt (|v_rel| + |ω|R) + 2 g dt² + margin take part, but ε is at most a "
          "third "
          "of the shortest edge (or the margin, if that is more): beyond, a vertex lies in several corner "
          "sets "
          "at once. What may arrive from farther away within the step is held by the face that separates the "
          "pieces best. Automatic: 1 % of the scene's length.",
          std::string(kAutomatic), 0, 1)
          .chosenBy(automaticMargin));
  specs.push_back(numberSpec("baumgarte", "Baumgarte β", "",
                             "Share of a negative gap that one step undoes; 1 is published.", 1.0, 0, 1)
                      .publishedIn("Williams 2017"));
  specs.push_back(
      numberSpec("max_depenetration_speed", "Max. depenetration speed", "m/s",
                 "Largest speed that undoes a negative gap; 0: none (published), and what "
                 "overlaps at the start leaves "
                 "with "
                 "depth / dt. Automatic: 0.2 √(g ℓ) with the scene's length ℓ, a fifth of the "
                 "speed of a fall over it.",
                 std::string(kAutomatic), 0, 100)
          .publishedIn("Williams 2017")
          .chosenBy([](const Scene& scene, double) { return automaticDepenetrationSpeed(scene); }));
  specs.push_back(choiceSpec(
      kPushOut, "Push-out",
      "How an overlap at the start of a step is undone. split: by a displacement after the velocities, "
      "without "
      "friction and without energy of motion; the rows of contacts ask for ψ⁺/h, so that friction cannot "
      "lock "
      "them. published: by the velocities, ψ/h in the rows (Stewart and Trinkle 1996; Williams 2017): with "
      "friction such rows may have no solution, and what is pushed out keeps its speed. PEG's exact steps "
      "undo "
      "overlaps by their rows in either form.",
      {kSplitPushOut, kPublishedPushOut}));
  specs.push_back(choiceSpec(
      kContacts, "Contacts",
      "Of two pieces, or a piece and a plane. patch: of contacts whose normals agree to a cosine of 0.995 at "
      "most four: the deepest, the one farthest from it, and those that span the largest areas with both on "
      "either side. Sets of several contacts stay as they are. all: every contact; more rows say the same, "
      "and each step takes longer. PEG's exact steps have rows of their own.",
      {kPatchContacts, kAllContacts}));
  specs.push_back(
      {"friction_facets",
       "Friction facets of lemke",
       "",
       "Edges of the pyramid that replaces the friction cone (Stewart and Trinkle 1996), even. Only "
       "lemke takes it, for a cone is no linear complementarity; all other solvers take the cone.",
       ParameterKind::Integer,
       8.0,
       4,
       32,
       false,
       {}});
  specs.back().forAllReplicas = true;
  specs.push_back(choiceSpec(
      kAccuracy, "Accuracy",
      "Of the solver auto in islands of more than 40 bodies, in which accuracy costs most. interactive: 30 "
      "sweeps, and Newton in body space only where these end far off; tolerance 1e-4. accurate: 60 or 200 "
      "sweeps and up to 100 factorisations; tolerance 1e-6. Smaller islands, and those with joints, go on to "
      "1e-9 within their budget in either. Studies, the card and claims are accurate.",
      {kInteractive, kAccurate}));
  specs.push_back(
      numberSpec("tolerance", "Solver tolerance", "",
                 "On the equilibrated natural residual, relative to V/s + max|b|: V is the scene's length "
                 "in 100 of its steps, s the scale of the lightest row. Automatic: of auto that of its "
                 "accuracy, of the other solvers 1e-10.",
                 std::string(kAutomatic), 1e-15, 1e-2, true)
          .chosenBy([](const Scene&, double) {
            return AutomaticValue{kTightTolerance, toleranceOf(false),
                                  "of auto 1e-6 accurate, 1e-4 interactive; of other solvers 1e-10"};
          }));
  specs.push_back(
      {"max_iterations",
       "Solver iterations",
       "",
       "At most; sweeps of pgs, factorisations of newton-carrier, of auto those of each stage. Lemke pivots "
       "at most 50 times the size.",
       ParameterKind::Integer,
       100.0,
       1,
       10000,
       true,
       {}});
  specs.push_back(
      {"largest_problem",
       "Largest problem",
       "rows",
       "Coupled rows that are solved with a dense matrix, whose cost grows with their cube; without a "
       "matrix a thousand times as many rows in all. A step with more is not computed: the pane is frozen "
       "and says so.",
       ParameterKind::Integer,
       2000.0,
       1,
       static_cast<double>(kLargestProblem),
       true,
       {}});
  specs.back().forAllReplicas = true;
  specs.push_back(
      numberSpec(
          "feasible_depth", "Feasible depth δ", "m",
          "A vertex deeper than δ behind one face but outside or on another face of the same piece (to δ / "
          "10⁶) "
          "makes no contact with the first: it is the back of a thin piece (Williams 2017, feasibility). At "
          "least the overlap to expect. Automatic: 0.5 % of the scene's length.",
          std::string(kAutomatic), 0, 1, true)
          .publishedIn("Williams 2017, simulator")
          .chosenBy(automaticFeasibleDepth));
  specs.push_back(
      {"linear_solver", "Linear solver", "",
       "Of newton-fb and newton-min inside. direct: LU. pcr, pcg: conjugate residuals and gradients, "
       "preconditioned by the diagonal; gauss-seidel, jacobi: sweeps. With pcr, pcg and jacobi no matrix is "
       "formed; gauss-seidel needs a symmetric problem: LCP or PEG's exact step. auto chooses itself; lemke "
       "and "
       "pgs take none of them.",
       ParameterKind::Choice, std::string("direct"), 0, 0, false, linearSolverKeys()});
  specs.push_back(choiceSpec(
      kPcgIterate, "Iterate of pcg",
      "Of the linear solver pcg. last: the answer is its last iterate, as published; its residual rises and "
      "falls on the way, and where it ends is chance. best: the iterate with the smallest residual. The "
      "other "
      "linear solvers answer with their best.",
      {"last", "best"}));
  specs.push_back(choiceSpec(kStart, "Start of impulses",
                             "Of the solver in a step. warm: the impulses of the last step, of contacts that "
                             "have the same features, "
                             "or are the nearest, and of joints. zero: none; iterations are more, and what "
                             "they end early at is another answer. Lemke "
                             "starts from zero in any case.",
                             {kWarmStart, kZeroStart}));
  specs.push_back(driveIntegrationSpec(DriveIntegration::Implicit));
  specs.push_back(choiceSpec(
      kOnFailure, "On failure",
      "What a pane does when a step's problem has no answer (no solution, or not converged). go-on: it goes "
      "on with the best iterate, and the frame is marked. stop: the pane keeps this frame, as programs do "
      "that end with their solver (PATH in Williams, Lu, Trinkle 2017). Substeps that remain of the frame "
      "are still taken. In a scene of several replicas the failure of one stops all of them.",
      {kFailureGoesOn, kFailureStops}));
  return specs;
}

std::string refusal(const Scene& scene) {
  for (std::size_t body = 0; body < scene.bodies.size(); ++body) {
    const Shape& shape = *scene.bodies[body].shape;
    if (!shape.surfaces.empty() && shape.pieces.empty() && !scene.bodies[body].deformable)
      return "bodies[" + std::to_string(body) + "] '" + scene.bodies[body].name +
             "' has no convex pieces; give it pieces in the scene file, or choose dpf or cpf";
  }
  return {};
}

RowRules rulesOf(const std::vector<ParameterSpec>& specs, const ParameterValues& values, const Scene& scene) {
  const double length = lengthOf(scene);
  const auto valueOr = [&](const char* key, double automatic) {
    return numberOr(specs, values, key, automatic);
  };
  RowRules rule;
  rule.constraints.epsilonTheta = numberOf(specs, values, "eps_theta");
  rule.constraints.feasibleDepth = valueOr("feasible_depth", kFeasibleDepthOfLength * length);
  rule.constraints.touching = kTouching * length;
  rule.margin = valueOr("margin", kMarginOfLength * length);
  rule.gravity = scene.gravity.norm();
  rule.alike = kAlike * length;
  rule.exactDepth = kExactDepth * extentOf(scene);
  rule.velocityUnit = velocityUnitOf(scene);
  rule.thinning = choiceOf(specs, values, kContacts) == kAllContacts ? Thinning::None : Thinning::Sets;
  return rule;
}

RowRules rowRulesOf(const std::vector<ParameterSpec>& specs, const ParameterValues& values,
                    const Scene& scene) {
  RowRules rule = rulesOf(specs, values, scene);
  rule.baumgarte = numberOf(specs, values, "baumgarte");
  rule.maxDepenetrationSpeed =
      numberOr(specs, values, "max_depenetration_speed", depenetrationSpeedOf(scene));
  rule.splitsPushOut = choiceOf(specs, values, kPushOut) == kSplitPushOut;
  return rule;
}

std::string staysOnHost(const std::string& solver) {
  const SolverTraits& traits = traitsOf(solver);
  if (traits.sweeps || isRegisteredSolver(solver)) return "";
  const bool usuallyMakesMatrix = traits.choosesForm;  // of small islands, whatever the linear solver
  if (!usuallyMakesMatrix && !makesMatrix(rowSolverKindOf(solver, LinearSolver::Pcr)))
    return "with linear solvers other than pcr, pcg and jacobi the matrices of islands and their systems";
  return "the matrices of islands, direct and Gauss–Seidel systems, Lemke";
}

}  // namespace touchstone::rigid
