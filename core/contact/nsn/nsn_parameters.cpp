#include "core/contact/nsn/nsn_parameters.h"

#include <algorithm>

#include "core/contact/accuracy.h"
#include "core/contact/complementarity/rigid_parameters.h"
#include "core/contact/contacts_form.h"
#include "core/contact/newton_form.h"
#include "core/contact/pcg_iterate.h"
#include "core/contact/push_out_form.h"
#include "core/contact/start.h"
#include "core/scene/scale.h"
#include "core/solver/auto/stages.h"
#include "core/solver/solver_traits.h"

namespace touchstone::nsn {

namespace {

/// The exact one last: of a redundant system its answer is no better than the first iterates of others.
std::vector<std::string> linearSolvers() {
  std::vector<std::string> keys = linearSolverKeys();
  std::rotate(keys.begin(), keys.begin() + 1, keys.end());
  return keys;
}

constexpr char kPaper[] = "Macklin 2019";

const std::vector<ParameterSpec>& specs() {
  static const std::vector<ParameterSpec> list = parameters();
  return list;
}

ParameterSpec integerSpec(const char* key, const char* label, const char* help, double standard,
                          double maximum) {
  return {key, label, "", help, ParameterKind::Integer, standard, 1, maximum, true, {}};
}

/// Parameters of Macklin's iteration alone.
constexpr const char* kOfMacklin[] = {"ncp",      "friction",          "rows",         "scaling",
                                      "touching", "newton_step",       "last_step",    "answer",
                                      "counts",   "linear_iterations", "linear_solver"};

/// True if a parameter of Macklin's iteration has another value than its default.
bool asksForMacklin(const ParameterValues& values) {
  for (const ParameterSpec& spec : specs()) {
    const auto isOfMacklin = [&spec](const char* key) { return spec.key == key; };
    const auto value = values.find(spec.key);
    if (value != values.end() && value->second != spec.standard &&
        std::any_of(std::begin(kOfMacklin), std::end(kOfMacklin), isOfMacklin))
      return true;
  }
  return false;
}

ParameterSpec forAll(ParameterSpec spec) {
  spec.forAllReplicas = true;
  return spec;
}

}  // namespace

std::vector<ParameterSpec> parameters() {
  std::vector<ParameterSpec> specs;
  const auto addShared = [&specs](const std::vector<std::string>& keys) {
    for (const ParameterSpec& spec : rigid::sharedParameters())
      if (std::find(keys.begin(), keys.end(), spec.key) != keys.end()) specs.push_back(spec);
  };
  specs.push_back(choiceSpec(
      kNewtonForm, "Newton iteration",
      "proximal: rows are linearised where each round leads and solved by Newton in body space, with the "
      "derivative of the friction limit and a proximal point; converges in piles. macklin: the published "
      "iteration on impulses and velocities (Macklin 2019), for which the parameters from NCP function to "
      "linear solver are. automatic: proximal, unless one of these has another value than its default or the "
      "scene has bodies that deform.",
      {kAutomaticNewton, kProximalNewton, kMacklinNewton}));
  specs.push_back(
      choiceSpec("ncp", "NCP function",
                 "φ(C, r λ) = 0 of a contact: Fischer and Burmeister's C + r λ − √(C² + r² λ²), or "
                 "min(C, r λ) (Macklin 2019, appendix A). The minimum map converges faster once it "
                 "is known which contacts carry, and may lose its way before.",
                 {"fb", "min"})
          .publishedIn(kPaper));
  specs.push_back(choiceSpec(
      "friction", "Friction",
      "split: the limit μ λ_n is held within an iteration and the force along the slip prescribed; "
      "symmetric. w: "
      "published (Macklin 2019, eq. 35), cycles where several contacts carry a body that slides. full: with "
      "the derivative of the limit, the strongest and not symmetric: solved by LU.",
      {"split", "w", "full"}));
  specs.push_back(
      choiceSpec("rows", "Rows of normals",
                 "divided: each row divided by ∂φ/∂C, so that forces between are right. published: "
                 "gradients scaled by ∂φ/∂C, in the force too (Macklin 2019, eqs. 53 and 56).",
                 {"divided", "published"}));
  specs.push_back(
      choiceSpec("scaling", "Scaling r",
                 "Of φ(C, r λ) and of the friction rows. mass: r = h² J M⁻¹ Jᵀ of the row; h2: h² (h "
                 "of friction); identity: 1 (Macklin 2019, eq. 66).",
                 {"mass", "h2", "identity"})
          .publishedIn(kPaper));
  specs.push_back(
      choiceSpec("touching", "At C = λ = 0",
                 "The derivative of Fischer–Burmeister there: closed keeps contacts that touch at rest; "
                 "open is published (Macklin 2019, eqs. 26 and 27) and opens all of them in the first "
                 "iteration.",
                 {"closed", "open"}));
  specs.push_back(choiceSpec(
      "normals", "Normals in a step",
      "turning: with the face or the edges that they belong to. held: as published; what slides and "
      "turns then overlaps by h² ω v in a step, and parting makes energy.",
      {"turning", "held"}));
  specs.push_back(
      choiceSpec("geometric", "Geometric stiffness",
                 "joints: of bodies that joints hold, in the inertia of the linear system, without which "
                 "loaded chains explode. particles: the diagonal secant of Macklin 2019, eq. 73, for bodies "
                 "that deform, without which large stretch does not converge. all: both. off: neither.",
                 {"all", "joints", "particles", "off"}));
  specs.push_back(choiceSpec(
      "elastic", "Neo-Hookean rows",
      "three: a row for each stretch, as published; they have no shear stiffness at rest, and stiff "
      "bodies stall. six: with the flips of pairs of stretches, whose multipliers are 0 at the "
      "solution.",
      {"six", "three"}));
  specs.push_back(driveIntegrationSpec(DriveIntegration::Implicit));
  specs.push_back(choiceSpec(kStart, "Start of λ",
                             "warm: forces of the last step. zero: none, published. automatic: warm of the "
                             "proximal iteration, zero of macklin.",
                             {kAutomaticStart, kWarmStart, kZeroStart}));
  specs.push_back(
      numberSpec("newton_step", "Newton step t", "",
                 "Share of each Newton step that is taken. Automatic: 1 where that lowers the residual, "
                 "else 0.75.",
                 newton::kUsualShare, 0.05, 1)
          .publishedIn(kPaper));
  specs.back().mayBeAutomatic = true;
  specs.back().forAllReplicas = true;
  specs.push_back(
      forAll({"last_step",
              "Last step whole",
              "",
              "t = 1 in the last iteration: a damped start from rest loses (1 − t)^N of all velocity.",
              ParameterKind::Switch,
              1.0,
              0,
              1,
              false,
              {}}));
  specs.push_back(choiceSpec("answer", "Answer",
                             "best: the iterate with the smallest natural residual. last: the last one, as "
                             "published; where the iteration diverges so does the run.",
                             {"best", "last"}));
  specs.push_back(choiceSpec(
      "counts", "Counts",
      "own: the iterations below. The others are those of Macklin 2019, table 2, Newton by linear, with t = "
      "0.75 in "
      "all of them, a start at rest and no tolerance, which loses 0.25^N of all velocity in each step: 4x10 "
      "(humanoids), 4x20 (tables), 4x50 (Fetch and tomato), 4x80 (PneuNet), 5x25 (cabinet), 6x20 (arch), "
      "6x50 "
      "(beam, ball), 8x20 (rigid objects in a hand).",
      {"own", "4x10", "4x20", "4x50", "4x80", "5x25", "6x20", "6x50", "8x20"}));
  specs.push_back(
      integerSpec("max_iterations", "Newton iterations",
                  "At most: the iteration ends at the tolerance, and only steps that stall take all "
                  "of them. 4 are too few for friction in any form, 8 leave half a percent, 20 are "
                  "exact in most steps; ended there, a step that stalls loses velocity.",
                  100, 1000));
  specs.push_back(forAll(integerSpec("linear_iterations", "Linear iterations",
                                     "Of the linear solver in each Newton iteration.", 40, 10000)));
  specs.push_back(
      choiceSpec("linear_solver", "Linear solver",
                 "pcr, pcg: conjugate residuals and gradients, preconditioned by the diagonal; "
                 "gauss-seidel, jacobi: sweeps; direct: sparse LDLᵀ, the choice for bodies that deform. "
                 "Where contacts are redundant and "
                 "iterations few pcr is better than direct: an exact answer to a singular system is not "
                 "better.",
                 linearSolvers())
          .publishedIn(kPaper));
  addShared({kPcgIterate});
  specs.push_back(
      numberSpec("regularisation", "Regularisation ε", "",
                 "Share of each row's own response that is added to it: redundant rows stay solvable. "
                 "Changes the path and not the solution.",
                 1e-6, 0, 1e-1));
  specs.back().forAllReplicas = true;
  specs.push_back(numberSpec(
      "tolerance", "Tolerance", "",
      "On the natural residual, relative to the scene's length in 100 of its steps: the "
      "iteration ends there; 0: all iterations are taken. A step is called not converged where it leaves "
      "more than a tenth of g h.",
      1e-8, 0, 1e-1));
  addShared(
      {kContacts, "eps_theta", "margin", "feasible_depth", "max_depenetration_speed", kPushOut, kAccuracy});
  return specs;
}

Values valuesOf(const ParameterValues& values, const Scene& scene) {
  const auto choice = [&values](const char* key) { return choiceOf(specs(), values, key); };
  const auto number = [&values](const char* key) { return numberOf(specs(), values, key); };
  Values result;
  RewritingSettings& s = result.rewriting;
  s.forms.function = choice("ncp") == "min" ? NcpFunction::MinimumMap : NcpFunction::FischerBurmeister;
  const std::string friction = choice("friction"), scaling = choice("scaling");
  s.forms.friction = friction == "w"      ? FrictionForm::W
                     : friction == "full" ? FrictionForm::Full
                                          : FrictionForm::Split;
  s.forms.normals = choice("rows") == "published" ? NormalForm::Published : NormalForm::Divided;
  s.forms.scaling = scaling == "identity" ? RowScaling::Identity
                    : scaling == "h2"     ? RowScaling::H2
                                          : RowScaling::Mass;
  s.forms.isTouchingClosed = choice("touching") == "closed";
  result.normalsTurn = choice("normals") == "turning";
  const std::string geometric = choice("geometric");
  s.stiffensJoints = geometric == "joints" || geometric == "all";
  s.stiffensParticles = geometric == "particles" || geometric == "all";
  result.elastic = choice("elastic") == "three" ? ElasticRows::Three : ElasticRows::Six;
  result.linear = linearSolverOf(choice("linear_solver"), choice(kPcgIterate));
  s.damping = numberOr(specs(), values, "newton_step", 0);
  s.lastStepIsWhole = number("last_step") != 0;
  s.usesBest = choice("answer") == "best";
  result.iterations = static_cast<int>(number("max_iterations"));
  result.linearIterations = static_cast<int>(number("linear_iterations"));
  s.regularisation = number("regularisation");
  result.tolerance = number("tolerance") * velocityUnitOf(scene);
  if (const std::string counts = choice("counts"); counts != "own") {
    const std::size_t by = counts.find('x');
    result.iterations = std::stoi(counts);
    result.linearIterations = std::stoi(counts.substr(by + 1));
    s.damping = newton::kUsualShare;
    s.lastStepIsWhole = false;
    result.tolerance = 0;
    result.isPublishedCounts = true;
  }
  constexpr double kPoor =
      0.1;  // larger: creep goes unnoticed; smaller: the paper's counts fail in every step
  result.poor = kPoor * scene.gravity.norm();
  result.name = friction == "full" ? "lu" : toString(result.linear);
  if (friction == "full") result.linear = LinearSolver::Direct;
  const std::string form = choice(kNewtonForm);
  const bool deforms = std::any_of(scene.bodies.begin(), scene.bodies.end(),
                                   [](const Body& body) { return body.deformable != nullptr; });
  result.isProximal =
      form == kProximalNewton || (form == kAutomaticNewton && !deforms && !asksForMacklin(values));
  // The published iteration is that of published rows, which undo overlaps themselves.
  result.splitsPushOut = result.isProximal && !deforms && choice(kPushOut) == kSplitPushOut;
  const std::string start = choice(kStart);
  result.drives = driveIntegrationOf(choice(kDriveIntegration));
  result.isWarm = start == kWarmStart || (start == kAutomaticStart && result.isProximal);
  if (result.isProximal) result.name = "newton-carrier";
  if (choice(kContacts) == kAllContacts) result.name += kTellsAllContacts;
  if (!result.isProximal) return result;
  result.poor = 0;
  const double V = velocityUnitOf(scene);
  const bool isAccurate = choice(kAccuracy) == kAccurate;
  s.isWarm = result.isWarm;
  s.isAccurate = isAccurate;
  s.smallIsland = kSmallIsland;
  s.mediumIsland = kMediumIsland;
  s.largeTolerance = toleranceOf(isAccurate) * V;
  s.answered = kAnswered * toleranceOf(true) * V;
  s.largeAnswered = kAnswered * toleranceOf(isAccurate) * V;
  return result;
}

RowRules rulesOf(const ParameterValues& values, const Scene& scene) {
  RowRules rules = rigid::rulesOf(specs(), values, scene);
  rules.maxDepenetrationSpeed =
      numberOr(specs(), values, "max_depenetration_speed", depenetrationSpeedOf(scene));
  rules.splitsPushOut = valuesOf(values, scene).splitsPushOut;
  double thickest = 0;
  for (const Material& material : scene.materials) thickest = std::max(thickest, material.thickness);
  rules.margin += 2 * thickest;
  return rules;
}

std::string clash(const ParameterValues& values, const std::string&) {
  if (choiceOf(specs(), values, "friction") == "full" &&
      choiceOf(specs(), values, "linear_solver") != "direct" && values.count("linear_solver"))
    return "friction 'full' is not symmetric and is solved by LU; choose the linear solver 'direct', or "
           "friction "
           "'split'";
  return {};
}

}  // namespace touchstone::nsn
