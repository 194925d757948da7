#include "core/contact/complementarity/complementarity_method.h"

#include <algorithm>
#include <stdexcept>

#include "core/contact/complementarity/gap_record.h"
#include "core/contact/contact_sums.h"
#include "core/contact/step_detail.h"
#include "core/record/bytes.h"
#include "core/record/phase_clock.h"
#include "core/scene/scale.h"
#include "core/solver/linear/matrix_engine.h"

namespace touchstone {

namespace {

/// A warning where the rows of a problem are so many that its matrix costs time, which grows with their cube:
/// from here on it is felt.
void adviseSweeps(const SolvedStep& solved, std::vector<SolveNotes>& notes) {
  constexpr Eigen::Index kMany = 400;
  const auto fewerRows = [](const IslandAnswer& a, const IslandAnswer& b) {
    return a.island.problem.b.size() < b.island.problem.b.size();
  };
  const auto largest = std::max_element(solved.answers.begin(), solved.answers.end(), fewerRows);
  if (largest == solved.answers.end() || largest->island.problem.b.size() <= kMany) return;
  notes[largest->island.replica].warnings.push_back(
      std::to_string(largest->island.problem.b.size()) +
      " coupled rows are solved with their dense matrix; pgs, and newton-fb with the linear solver pcr, need "
      "none");
}

}  // namespace

ComplementarityMethod::ComplementarityMethod(const World& world, const std::string& solver)
    : m_solverKey(solver),
      m_solver(makeSolver(solver)),
      m_scene(world.scene),
      m_hasFriction(hasFriction(world)) {
  m_modelSettings.velocityUnit = velocityUnitOf(*m_scene);
  if (!m_scene->planar) return;
  m_modelSettings.planar = true;
  m_modelSettings.facets = 2;
}

void ComplementarityMethod::setParameters(const std::vector<ParameterValues>& ofReplicas) {
  const bool before = needsNoMatrix();
  const RowPer rowsBefore = rowPer();
  const ParameterValues& values = ofReplicas.front();
  useParameters(values);
  m_rules.clear();
  for (const ParameterValues& each : ofReplicas) m_rules.push_back(ruleWith(each));
  if (m_engine) m_engine->setRules(m_rules);
  m_modelSettings.largestProblem = static_cast<int>(numberOf(specs(), values, "largest_problem"));
  if (!m_modelSettings.planar)
    m_modelSettings.facets = 2 * (static_cast<int>(numberOf(specs(), values, "friction_facets")) / 2);
  m_solverSettings.clear();
  for (const ParameterValues& each : ofReplicas) {
    SolverSettings settings;
    settings.backend = m_backend;
    settings.velocityUnit = m_modelSettings.velocityUnit;
    settings.tolerance = numberOf(specs(), each, "tolerance");
    settings.linear = linearSolverOf(choiceOf(specs(), each, "linear_solver").c_str());
    settings.maxIterations = static_cast<int>(numberOf(specs(), each, "max_iterations"));
    m_solverSettings.push_back(settings);
  }
  m_freeSettings = m_solverSettings;
  for (SolverSettings& settings : m_freeSettings)
    if (isAuto()) settings.linear = LinearSolver::Pcr;
  // A cone is no linear complementarity.
  m_modelSettings.friction = m_solverKey == "lemke" ? FrictionShape::Pyramid : FrictionShape::Disk;
  if (before != needsNoMatrix() || rowsBefore != rowPer()) forget();
}

void ComplementarityMethod::reset() {
  m_goesWithoutMatrix = false;
  forget();
}

void ComplementarityMethod::forget() {
  m_last.clear();
  for (const auto& step : m_free) step->engine().reset();
}

void ComplementarityMethod::useBackend(BackendKind backend, const World& world,
                                       const std::shared_ptr<DeviceWorld>& deviceWorld) {
  m_free.clear();
  m_sentRows = m_keptRows = {};
  m_deviceWorld = deviceWorld;
  m_engine = makeNarrowPhase(backend, world, deviceWorld);
  m_engine->setRules(m_rules);
  const MatrixEngineLease probe(backend);  // throws where there is none
  m_backend = backend;
  for (std::vector<SolverSettings>* all : {&m_solverSettings, &m_freeSettings})
    for (SolverSettings& settings : *all) settings.backend = backend;
  const auto solver = matrixFreeSolverOf(isAuto() ? "newton-fb" : m_solverKey, LinearSolver::Pcr);
  if (!solver) return;
  for (const RowPer rows : rowKinds())
    m_free.push_back(std::make_unique<MatrixFreeStep>(*solver, rows, backend, world, deviceWorld, *m_engine));
}

MatrixFreeStep& ComplementarityMethod::freeStep(std::optional<RowPer> rows) const {
  const std::vector<RowPer> kinds = rowKinds();
  const auto at = std::find(kinds.begin(), kinds.end(), rows.value_or(rowPer()));
  return *m_free[static_cast<std::size_t>(at - kinds.begin())];
}

ContactSetStep ComplementarityMethod::find(const World& world) {
  ContactSetStep step;
  step.contacts = m_engine->fetchContacts();
  step.sets = setsOf(step.contacts, step.crossSets);
  for (ModelSet& set : step.sets)
    set.friction = frictionOf(world, step.contacts[set.contacts.front()], m_modelSettings.velocityUnit);
  step.free = velocitiesOf(world);
  return step;
}

std::string ComplementarityMethod::staysOnHost(const std::string& solver) {
  if (solver == "pgs") return "";
  if (matrixFreeSolverOf(solver, LinearSolver::Pcr))
    return "with linear solvers other than pcr, pcg and jacobi islands, their matrices and systems";
  return "islands, their matrices, direct and Gauss–Seidel systems, Lemke, PEG's relinearised steps";
}

void ComplementarityMethod::explain(const SolvedStep& solved) {
  m_detail->pieces = m_engine->fetchPairs();
  m_detail->contacts = solved.step.contacts;
  m_detail->modelSettings = m_modelSettings;
  m_detail->solverSettings = m_solverSettings.front();
  for (const IslandAnswer& answer : solved.answers) {
    if (m_detail->takesProblemOf(static_cast<int>(answer.island.problem.b.size())))
      m_detail->problems.push_back(answer);
  }
}

void ComplementarityMethod::sendMemory() {
  m_sentRows = needsNoMatrix() ? std::optional<RowPer>(rowPer()) : std::nullopt;
  if (m_sentRows)
    freeStep().engine().sendMemory();
  else
    HostMethod::sendMemory();
}

void ComplementarityMethod::keepMemory() {
  if (m_sentRows)
    freeStep(m_sentRows).engine().keepMemory();
  else
    HostMethod::keepMemory();
  m_keptRows = m_sentRows;
}

std::string ComplementarityMethod::keptMemory() {
  ByteWriter writer;
  writer.put(static_cast<int>(m_keptRows.has_value()));
  return writer.take() + (m_keptRows ? freeStep(m_keptRows).engine().keptMemory() : HostMethod::keptMemory());
}

/// What another way of solving has left starts nothing.
void ComplementarityMethod::restoreMemory(const std::string& bytes) {
  forget();
  if (bytes.empty()) return;
  int withoutMatrix = 0;
  ByteReader(bytes).get(withoutMatrix);
  if (isAuto()) m_goesWithoutMatrix = withoutMatrix != 0 && !m_free.empty();
  if (needsNoMatrix() != (withoutMatrix != 0)) return;
  const std::string rest = bytes.substr(sizeof withoutMatrix);
  if (withoutMatrix)
    freeStep().engine().restoreMemory(rest);
  else
    m_last.restore(rest);
}

IslandAnswer ComplementarityMethod::solveSets(const World& world, const ContactSetStep& step,
                                              std::vector<ModelSet> sets, const SetMemory& from) const {
  IslandProblem island = assemble(world, step.contacts, std::move(sets), step.free, m_modelSettings);
  Eigen::VectorXd start = from.startOf(step, island, m_modelSettings);
  return answerOf(std::move(island), *m_solver, std::move(start), m_solverSettings);
}

IslandAnswer ComplementarityMethod::kept(IslandAnswer answer) const {
  return keepsMatrices() ? answer : withoutMatrix(std::move(answer));
}

bool ComplementarityMethod::useCompromise(IslandAnswer& answer) const {
  ComplementarityProblem soft = answer.island.problem;
  soft.A.diagonal() += kSoftness * soft.A.diagonal().cwiseMax(0);
  SolverSettings settings = m_solverSettings[answer.island.replica];
  settings.linear = LinearSolver::Direct;
  const SolverResult result = makeSolver("auto")->solve(soft, answer.result.z, settings);
  if (result.status != SolveStatus::Solved) return false;
  answer.result.z = result.z;
  answer.result.residual = naturalResidual(answer.island.problem, result.z);
  return true;
}

ComplementarityMethod::Outcome ComplementarityMethod::solveStep(const World& world, PhaseClock& clock) {
  Outcome outcome;
  SolvedStep& solved = outcome.solved;
  solved.step = find(world);
  const std::vector<std::vector<int>> islands = islandsOf(world, solved.step.contacts, solved.step.sets);
  clock.endOf(Phase::Assemble);
  solved.answers = solveEach(islands, [&](const std::vector<int>& island) {
    return kept(solveIsland(world, solved.step, setsOfIsland(solved.step.sets, island)));
  });
  outcome.notes.resize(static_cast<std::size_t>(world.scene->replicas));
  for (const IslandAnswer& answer : solved.answers)
    addNotes(answer.notes, outcome.notes[answer.island.replica]);
  adviseSweeps(solved, outcome.notes);
  return outcome;
}

/// `auto`: a dense matrix costs the cube of its rows, and Newton with it is exact where friction couples
/// normals and tangents; without one it costs its products, which pays from some dozens of contacts on. The
/// bodies of one replica decide, and those that take part: a replica among others is solved as it would be
/// alone, and a pour changes once, when as many stones have been released.
void ComplementarityMethod::chooseForm(const World& world) {
  constexpr int kMostDenseRows = 96;
  std::vector<int> moving(static_cast<std::size_t>(world.scene->replicas));
  for (std::size_t body = 0; body < world.active.size(); ++body)
    if (world.active[body] && isDynamic(world, static_cast<int>(body)))
      ++moving[static_cast<std::size_t>(world.scene->bodies[body].replica)];
  const int contacts = (m_modelSettings.planar ? 2 : 4) * *std::max_element(moving.begin(), moving.end());
  const bool goes = contacts * rowsPerContact() > kMostDenseRows;
  if (goes == m_goesWithoutMatrix) return;
  m_goesWithoutMatrix = goes;
  forget();
}

int ComplementarityMethod::rowsPerContact() const {
  return !m_hasFriction ? 1 : m_modelSettings.planar ? 2 : 3;
}

int ComplementarityMethod::expectedRows() const {
  constexpr int kContactsPerPair = 4;  // of two faces
  return rowsPerContact() *
         (needsContacts() ? m_engine->contactCount() : kContactsPerPair * m_engine->pairCount());
}

/// Bodies that start at one place can make more contacts than a step can solve.
void ComplementarityMethod::requireSomeLimit(const World& world) const {
  constexpr long kRowsPerDenseRow = 1000;  // a product costs the rows once, a factorisation their cube
  const long most = kRowsPerDenseRow * m_modelSettings.largestProblem * world.scene->replicas;
  if (expectedRows() > most)
    throw std::length_error(std::to_string(expectedRows()) +
                            " rows of contacts in one step are more than the " + std::to_string(most) +
                            " that the parameter largest_problem allows; move bodies apart that start in one "
                            "place, use a penalty method, or raise it");
}

void ComplementarityMethod::respond(World& world, StepRecord& record, PhaseClock& clock) {
  m_wantsBisection.clear();
  requireSomeLimit(world);
  if (isAuto()) chooseForm(world);
  if (needsNoMatrix())
    m_wantsBisection = respondWithoutMatrix(
        world, freeStep(),
        {m_modelSettings, m_freeSettings, isAuto() ? "newton-fb-pcr" : m_solverKey, linearisations(),
         m_recorded, m_statesOnly, m_detail, m_mayBisect, reviewsAnswers()},
        record, clock);
  else
    respondWithMatrices(world, record, clock);
  tellFriction(record);
}

void ComplementarityMethod::tellFriction(StepRecord& record) const {
  const bool isPyramid = m_modelSettings.friction == FrictionShape::Pyramid && !m_modelSettings.planar;
  if (m_hasFriction && isPyramid && !record.deliveredBy.empty())
    record.deliveredBy += ", " + std::to_string(m_modelSettings.facets) + " facets";
}

ReplicaSet ComplementarityMethod::respondWithoutMatrix(World& world, MatrixFreeStep& step,
                                                       const MatrixFreeStep::Input& input, StepRecord& record,
                                                       PhaseClock& clock) {
  step.respond(world, input, record, clock);
  return {};
}

void ComplementarityMethod::addContacts(StepRecord& record) {
  if (needsNoMatrix() && !m_statesOnly) freeStep().addContacts(record);
}

void ComplementarityMethod::respondWithMatrices(World& world, StepRecord& record, PhaseClock& clock) {
  m_deviceWorld->bringStep(world);
  Outcome outcome = solveStep(world, clock);
  const SolvedStep& solved = outcome.solved;
  takeVelocities(world, velocitiesAfter(world, solved));
  if (amend(world, outcome)) takeVelocities(world, velocitiesAfter(world, solved));
  if (m_detail) explain(solved);
  if (!isEmpty(outcome.wantsBisection)) m_wantsBisection = outcome.wantsBisection;
  const ReplicaSet bisected = m_mayBisect ? m_wantsBisection : ReplicaSet();
  m_last.keep(world, solved, m_modelSettings, bisected);
  clock.endOf(Phase::Solve);
  tell(world, std::move(outcome), bisected, record);
  clock.endOf(Phase::Assemble);
}

void ComplementarityMethod::takeVelocities(World& world, const Velocities& velocities) const {
  for (std::size_t body = 0; body < velocities.size(); ++body) {
    if (!isDynamic(world, static_cast<int>(body))) continue;
    world.nextLinearVelocity[body] = velocities[body].head<3>();
    world.nextAngularVelocity[body] = velocities[body].tail<3>();
  }
  m_deviceWorld->takeVelocities(world);
}

/// Of a replica that takes the step in halves only that it was tried.
void ComplementarityMethod::tell(const World& world, Outcome outcome, const ReplicaSet& bisected,
                                 StepRecord& record) const {
  if (!bisected.empty()) {
    SolvedStep whole;
    whole.step.free = outcome.solved.step.free;
    moveReplicas(world, outcome.solved, otherReplicas(bisected), whole);
    outcome.solved = std::move(whole);
  }
  for (std::size_t replica = 0; replica < outcome.notes.size(); ++replica) {
    if (bisected.empty() || !bisected[replica])
      addNotes(outcome.notes[replica], record);
    else
      record.solves += outcome.notes[replica].solves;
  }
  record.deliveredBy = outcome.solved.answers.empty() ? "" : m_solverKey;
  writeGapRecord(world, outcome.solved, m_modelSettings, record);
  addSumsOfContacts(world, record);
}

}  // namespace touchstone
