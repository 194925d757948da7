#include "core/contact/gap_method.h"

#include "core/contact/copy_values.h"

namespace touchstone {

GapMethod::GapMethod(const World& world, const std::string& key) : m_key(key), m_scene(world.scene) {
  if (!m_scene->planar) return;
  m_modelSettings.planar = true;
  m_modelSettings.facets = 2;
}

std::vector<ParameterSpec> GapMethod::sharedParameters() {
  std::vector<ParameterSpec> specs(9);
  specs[0] = {"eps_theta",
              "Applicability ε_θ",
              "",
              "A contact takes part if its applicability (a sine) is ≥ −ε_θ; 2 switches the test off "
              "(Williams 2017).",
              ParameterKind::Number,
              0.4,
              0,
              2,
              false,
              {}};
  specs[1] = {
      "margin",
      "Margin of ε",
      "m",
      "Features closer than ε = dt (|v_rel| + |ω|R) + 2 g dt² + margin take part, but ε is at most a third "
      "of "
      "the shortest edge (or the margin, if that is more): beyond, a vertex lies in several corner sets at "
      "once. "
      "What may arrive from farther away within the step is held by the face that separates the pieces best.",
      ParameterKind::Number,
      5e-3,
      0,
      1,
      false,
      {}};
  specs[2] = {"stabilisation",
              "Stabilisation β",
              "",
              "Share of a negative gap that one step undoes; 1 is published.",
              ParameterKind::Number,
              1.0,
              0,
              1,
              false,
              {}};
  specs[3] = {"correction_cap",
              "Cap on correction",
              "m/s",
              "Largest speed that undoes a negative gap; 0: none (published).",
              ParameterKind::Number,
              0.0,
              0,
              100,
              false,
              {}};
  specs[4] = {"friction_facets",
              "Friction facets",
              "",
              "Edges of the pyramid that replaces the friction cone (Stewart and Trinkle 1996), even. "
              "pgs, and newton-fb and newton-min with an iterative linear solver, take the cone itself.",
              ParameterKind::Integer,
              4.0,
              4,
              32,
              false,
              {}};
  specs[4].forAllCopies = true;
  specs[5] = {"tolerance",
              "Solver tolerance",
              "",
              "On the equilibrated natural residual, relative to 1 + max|b|.",
              ParameterKind::Number,
              1e-10,
              1e-15,
              1e-2,
              true,
              {}};
  specs[6] = {"max_iterations",
              "Solver iterations",
              "",
              "At most; sweeps of pgs. Lemke pivots at most 50 times the size.",
              ParameterKind::Integer,
              100.0,
              1,
              10000,
              true,
              {}};
  specs[7] = {"feasible_depth",
              "Feasible depth δ",
              "m",
              "A vertex deeper than δ behind one face but outside or on another face of the same piece (to "
              "δ / 10⁶) makes no contact with the first: it is the back of a thin piece (Williams 2017, "
              "feasibility). At least the overlap to expect.",
              ParameterKind::Number,
              2.5e-3,
              0,
              1,
              true,
              {}};
  specs[8] = {
      "linear_solver",
      "Linear solver",
      "",
      "Of newton-fb and newton-min inside. direct: LU. pcr, pcg: conjugate residuals and gradients, "
      "preconditioned by the diagonal; gauss-seidel, jacobi: sweeps. With pcr, pcg and jacobi no matrix "
      "is formed; gauss-seidel needs a symmetric problem: LCP or PEG's exact step. "
      "Friction is Coulomb's cone with the iterative ones, not its pyramid. auto uses them where its "
      "problem is symmetric (no friction); lemke and pgs take none of them.",
      ParameterKind::Choice,
      std::string("direct"),
      0,
      0,
      false,
      {"direct", "pcr", "pcg", "gauss-seidel", "jacobi"}};
  return specs;
}

std::string GapMethod::refusal(const Scene& scene) {
  for (std::size_t body = 0; body < scene.bodies.size(); ++body) {
    const Shape& shape = *scene.bodies[body].shape;
    if (shape.kind != Shape::Kind::Plane && shape.pieces.empty())
      return "bodies[" + std::to_string(body) + "] '" + scene.bodies[body].name +
             "' has no convex pieces; give it pieces in the scene file, or choose dpf or cpf";
  }
  return {};
}

void GapMethod::setParameters(const ParameterValues& values) {
  m_rules.clear();
  for (const ParameterValues& each : valuesOfEachCopy(values)) m_rules.push_back(ruleWith(each));
  if (m_engine) m_engine->setRules(m_rules);
  if (!m_modelSettings.planar)
    m_modelSettings.facets = 2 * (static_cast<int>(numberOf(specs(), values, "friction_facets")) / 2);
}

std::vector<ParameterValues> GapMethod::valuesOfEachCopy(const ParameterValues& values) const {
  return valuesOfCopies(*m_scene, m_key, values);
}

GapRule GapMethod::ruleWith(const ParameterValues& values) const {
  GapRule rule;
  rule.constraints.epsilonTheta = numberOf(specs(), values, "eps_theta");
  rule.constraints.feasibleDepth = numberOf(specs(), values, "feasible_depth");
  rule.margin = numberOf(specs(), values, "margin");
  rule.stabilisation = numberOf(specs(), values, "stabilisation");
  rule.correctionCap = numberOf(specs(), values, "correction_cap");
  rule.gravity = m_scene->gravity.norm();
  return rule;
}

void GapMethod::useBackend(BackendKind backend, const World& world,
                           const std::shared_ptr<BackendWorld>& there) {
  m_there = there;
  m_engine = makePieceEngine(backend, world, there);
  m_engine->setRules(m_rules);
}

}  // namespace touchstone
