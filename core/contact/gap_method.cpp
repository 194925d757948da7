#include "core/contact/gap_method.h"

#include <algorithm>
#include <cmath>

#include "core/contact/gap_record.h"
#include "core/contact/penalty_contact.h"
#include "core/contact/step_detail.h"
#include "core/record/bytes.h"
#include "core/record/phase_clock.h"
#include "core/solver/matrix_engine.h"

namespace touchstone {

GapMethod::GapMethod(const World& world, const std::string& solver)
    : m_solverKey(solver), m_solver(makeSolver(solver)) {
  if (!world.scene) return;
  m_rule.gravity = world.scene->gravity.norm();
  if (!world.scene->planar) return;
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
              "Edges of the pyramid that replaces the friction cone (Stewart and Trinkle 1996), even.",
              ParameterKind::Integer,
              4.0,
              4,
              32,
              false,
              {}};
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
              "At most; Lemke pivots at most 50 times the size.",
              ParameterKind::Integer,
              100.0,
              1,
              10000,
              true,
              {}};
  specs[7] = {"feasible_depth",
              "Feasible depth δ",
              "m",
              "A vertex deeper than δ behind one face but outside another face of the same piece makes no "
              "contact with "
              "the first: it is the back of a thin piece (Williams 2017, feasibility). At least the overlap "
              "to expect.",
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
      "Of newton-fb inside. direct: LU. pcr, pcg: conjugate residuals and gradients, preconditioned by the "
      "diagonal; "
      "gauss-seidel, jacobi: sweeps. The iterative ones need a symmetric problem: LCP or PEG's exact step, "
      "without friction.",
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
  m_rule.constraints.epsilonTheta = numberOf(specs(), values, "eps_theta");
  m_rule.constraints.feasibleDepth = numberOf(specs(), values, "feasible_depth");
  m_rule.margin = numberOf(specs(), values, "margin");
  m_rule.stabilisation = numberOf(specs(), values, "stabilisation");
  m_rule.correctionCap = numberOf(specs(), values, "correction_cap");
  if (!m_modelSettings.planar)
    m_modelSettings.facets = 2 * (static_cast<int>(numberOf(specs(), values, "friction_facets")) / 2);
  m_solverSettings.tolerance = numberOf(specs(), values, "tolerance");
  m_solverSettings.linear = linearSolverOf(choiceOf(specs(), values, "linear_solver").c_str());
  m_solverSettings.maxIterations = static_cast<int>(numberOf(specs(), values, "max_iterations"));
}

void GapMethod::reset(const World&) { m_warm.clear(); }

void GapMethod::useBackend(BackendKind backend, const World& world,
                           const std::shared_ptr<BackendWorld>& there) {
  m_engine = makePieceEngine(backend, world, there);
  const MatrixEngineLease probe(backend);  // throws where there is none
  m_solverSettings.backend = backend;
}

/// Twice what any body may come nearer within the step.
double GapMethod::broadMargin(const World& world) const {
  const WorldView view = viewOf(world);
  double largest = m_rule.margin;
  for (int body = 0; body < view.bodyCount; ++body)
    if (isDynamic(view, body))
      largest = std::max(
          largest, epsilonOf(view, m_rule, body, body) + view.dt * view.nextLinearVelocity[body].norm());
  return 2 * largest;
}

GapStep GapMethod::find(const World& world) {
  FoundContacts found;
  m_engine->findContacts(world, m_rule, found);
  GapStep step;
  toSets(found, step.sets);
  const std::vector<BodyConstants>& bodies = *world.constants;
  for (ModelSet& set : step.sets) {
    const ModelContact& primary = found.contacts[set.contacts.front()];
    set.friction = frictionOf(bodies[primary.bodyA], bodies[primary.bodyB]).dynamicFriction;
  }
  step.contacts = std::move(found.contacts);
  for (std::size_t body = 0; body < world.position.size(); ++body) {
    Vec6 velocity;
    velocity << world.nextLinearVelocity[body], world.nextAngularVelocity[body];
    step.free.push_back(velocity);
  }
  return step;
}

std::string GapMethod::staysOnHost() {
  return "islands and their matrices, direct and Gauss–Seidel systems, Lemke, PEG's exact and relinearised "
         "steps";
}

/// Before the warm starts of this step are replaced.
void GapMethod::explain(const GapStep& step, const std::vector<IslandAnswer>& answers) {
  m_detail->pieces = m_pairs;
  m_detail->contacts = step.contacts;
  m_detail->modelSettings = m_modelSettings;
  m_detail->solverSettings = m_solverSettings;
  for (const IslandAnswer& answer : answers)
    m_detail->problems.push_back({answer, warmStart(step, answer.sets, answer.island)});
}

std::string GapMethod::memory() const {
  ByteWriter writer;
  for (const auto& [key, unknowns] : m_warm) {
    for (int part : key) writer.put(part);
    writer.put(static_cast<int>(unknowns.size()));
    for (double unknown : unknowns) writer.put(unknown);
  }
  return writer.take();
}

void GapMethod::restoreMemory(const std::string& bytes) {
  m_warm.clear();
  ByteReader reader(bytes);
  while (!reader.atEnd()) {
    SetKey key;
    for (int& part : key) reader.get(part);
    int size = 0;
    reader.get(size);
    Eigen::VectorXd& unknowns = m_warm[key];
    unknowns.resize(size);
    for (double& unknown : unknowns) reader.get(unknown);
  }
}

GapMethod::SetKey GapMethod::keyOf(const GapStep& step, const ModelSet& set) {
  const ModelContact& primary = step.contacts[set.contacts.front()];
  return {primary.pieceA,
          primary.pieceB < 0 ? -1 - primary.bodyB : primary.pieceB,
          static_cast<int>(primary.geometry.kind),
          primary.geometry.featureA,
          primary.geometry.featureB,
          100 * static_cast<int>(set.type) + static_cast<int>(set.contacts.size())};
}

Eigen::VectorXd GapMethod::warmStart(const GapStep& step, const std::vector<ModelSet>& sets,
                                     const IslandProblem& island) const {
  Eigen::VectorXd start = Eigen::VectorXd::Zero(island.problem.b.size());
  for (std::size_t k = 0; k < island.sets.size(); ++k) {
    const ModelSet& set = sets[island.sets[k]];
    const auto kept = m_warm.find(keyOf(step, set));
    const int rows = rowsOf(set, m_modelSettings);
    if (kept != m_warm.end() && kept->second.size() == rows)
      start.segment(island.first[k], rows) = kept->second;
  }
  return start;
}

void GapMethod::remember(const GapStep& step, const std::vector<IslandAnswer>& answers) {
  m_warm.clear();
  for (const IslandAnswer& answer : answers)
    for (std::size_t k = 0; k < answer.island.sets.size(); ++k) {
      const ModelSet& set = answer.sets[answer.island.sets[k]];
      m_warm[keyOf(step, set)] =
          answer.result.z.segment(answer.island.first[k], rowsOf(set, m_modelSettings));
    }
}

IslandAnswer GapMethod::solveSets(const World& world, const GapStep& step, std::vector<ModelSet> sets,
                                  const std::vector<int>& island) const {
  IslandAnswer answer;
  answer.island = assemble(world, step.contacts, sets, island, step.free, m_modelSettings);
  ++m_solves;
  answer.result =
      m_solver->solve(answer.island.problem, warmStart(step, sets, answer.island), m_solverSettings);
  answer.sets = std::move(sets);
  return answer;
}

void GapMethod::useCompromise(IslandAnswer& answer) const {
  // 0.1 % of each row's own response: soft enough to stay finite where rows contradict each other, hard
  // enough that rows which do not are met to 0.1 %.
  constexpr double kSoftness = 1e-3;
  ComplementarityProblem soft = answer.island.problem;
  soft.A.diagonal() += kSoftness * soft.A.diagonal().cwiseMax(0);
  const SolverResult result = makeSolver("auto")->solve(soft, answer.result.z, m_solverSettings);
  if (result.status != SolveStatus::Solved) return;
  answer.result.z = result.z;
  answer.result.residual = naturalResidual(answer.island.problem, result.z);
}

void GapMethod::solveStep(const World& world, GapStep& step, std::vector<IslandAnswer>& answers,
                          StepRecord& record, PhaseClock& clock) {
  step = find(world);
  clock.endOf(Phase::NarrowPhase);
  const std::vector<std::vector<int>> islands = islandsOf(world, step.contacts, step.sets);
  clock.endOf(Phase::Assemble);
  for (const std::vector<int>& island : islands) answers.push_back(solveIsland(world, step, island, record));
}

void GapMethod::respond(World& world, const Candidates&, StepRecord& record, PhaseClock& clock) {
  if (!m_engine) useBackend(BackendKind::Cpu, world, makeBackendWorld(BackendKind::Cpu, world));
  GapStep step;
  std::vector<IslandAnswer> answers;
  m_solves = 0;
  m_engine->findPairs(world, broadMargin(world), m_pairs);
  clock.endOf(Phase::BroadPhase);
  solveStep(world, step, answers, record, clock);
  record.solves += m_solves;
  const Velocities velocities = velocitiesAfter(world, step, answers);
  for (std::size_t body = 0; body < velocities.size(); ++body) {
    if (!isDynamic(world, static_cast<int>(body))) continue;
    world.nextLinearVelocity[body] = velocities[body].head<3>();
    world.nextAngularVelocity[body] = velocities[body].tail<3>();
  }
  if (m_detail) explain(step, answers);
  remember(step, answers);
  clock.endOf(Phase::Solve);
  record.deliveredBy = answers.empty() ? "" : m_solverKey;
  writeGapRecord(world, step, answers, m_modelSettings, m_solverSettings.tolerance, record);
  clock.endOf(Phase::Assemble);
}

}  // namespace touchstone
