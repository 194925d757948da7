#include "core/contact/island_method.h"

#include <algorithm>

#include "core/contact/contact_sums.h"
#include "core/contact/gap_record.h"
#include "core/contact/step_detail.h"
#include "core/record/bytes.h"
#include "core/record/phase_clock.h"
#include "core/solver/matrix_engine.h"

namespace touchstone {

namespace {

void tell(const IslandNotes& notes, StepRecord& record) {
  record.solves += notes.solves;
  record.unsolved += notes.unsolved;
  record.warnings.insert(record.warnings.end(), notes.warnings.begin(), notes.warnings.end());
  if (notes.status == StepStatus::Ok || notes.status < record.status) return;
  record.status = notes.status;
  record.statusText = notes.statusText;
}

/// A warning where the rows of a problem are so many that its matrix costs time, which grows with their cube:
/// from here on it is felt.
void adviseSweeps(const std::vector<IslandAnswer>& answers, StepRecord& record) {
  constexpr Eigen::Index kMany = 400;
  Eigen::Index rows = 0;
  for (const IslandAnswer& answer : answers) rows = std::max(rows, answer.island.problem.b.size());
  if (rows > kMany)
    record.warnings.push_back(std::to_string(rows) +
                              " coupled rows are solved with their dense matrix; the solver pgs needs none");
}

}  // namespace

IslandMethod::IslandMethod(const World& world, const std::string& key, const std::string& solver)
    : GapMethod(world, key), m_solverKey(solver), m_solver(makeSolver(solver)) {
  if (solver == "pgs") m_modelSettings.friction = FrictionShape::Disk;
}

void IslandMethod::setParameters(const ParameterValues& values) {
  const bool before = needsNoMatrix();
  GapMethod::setParameters(values);
  useParameters(values);
  m_solverSettings.tolerance = numberOf(specs(), values, "tolerance");
  m_solverSettings.linear = linearSolverOf(choiceOf(specs(), values, "linear_solver").c_str());
  m_solverSettings.maxIterations = static_cast<int>(numberOf(specs(), values, "max_iterations"));
  if (m_free && before != needsNoMatrix()) forget();
}

void IslandMethod::reset(const World&) { forget(); }

void IslandMethod::forget() {
  m_warm.clear();
  if (m_free) m_free->engine().reset();
}

void IslandMethod::useBackend(BackendKind backend, const World& world,
                              const std::shared_ptr<BackendWorld>& there) {
  m_free.reset();
  GapMethod::useBackend(backend, world, there);
  const MatrixEngineLease probe(backend);  // throws where there is none
  m_solverSettings.backend = backend;
  if (const auto solver = solverWithoutMatrix())
    m_free = std::make_unique<MatrixFreeStep>(*solver, rowPer(), backend, world, there, *m_engine);
}

GapStep IslandMethod::find(const World& world) {
  m_engine->findContacts(world);
  GapStep step;
  step.contacts = m_engine->fetchContacts();
  step.sets = setsOf(step.contacts);
  for (ModelSet& set : step.sets) set.friction = frictionOf(world, step.contacts[set.contacts.front()]);
  step.free = velocitiesOf(world);
  return step;
}

std::string IslandMethod::staysOnHost() {
  return "islands and their matrices, direct and Gauss–Seidel systems, Lemke, PEG's exact and relinearised "
         "steps";
}

/// Before the warm starts of this step are replaced.
void IslandMethod::explain(const GapStep& step, const std::vector<IslandAnswer>& answers) {
  m_detail->pieces = m_engine->fetchPairs();
  m_detail->contacts = step.contacts;
  m_detail->modelSettings = m_modelSettings;
  m_detail->solverSettings = m_solverSettings;
  for (const IslandAnswer& answer : answers) {
    if (m_detail->takesProblemOf(static_cast<int>(answer.island.problem.b.size())))
      m_detail->problems.push_back({answer, warmStart(step, answer.island)});
  }
}

void IslandMethod::sendMemory() {
  m_sentWithoutMatrix = needsNoMatrix();
  if (m_sentWithoutMatrix)
    m_free->engine().sendMemory();
  else
    GapMethod::sendMemory();
}

void IslandMethod::keepMemory() {
  if (m_sentWithoutMatrix)
    m_free->engine().keepMemory();
  else
    GapMethod::keepMemory();
  m_keptWithoutMatrix = m_sentWithoutMatrix;
}

std::string IslandMethod::keptMemory() {
  ByteWriter writer;
  writer.put(static_cast<int>(m_keptWithoutMatrix));
  return writer.take() + (m_keptWithoutMatrix ? m_free->engine().keptMemory() : GapMethod::keptMemory());
}

/// What another way of solving has left starts nothing.
void IslandMethod::restoreMemory(const std::string& bytes) {
  forget();
  if (bytes.empty()) return;
  int withoutMatrix = 0;
  ByteReader(bytes).get(withoutMatrix);
  if (needsNoMatrix() != (withoutMatrix != 0)) return;
  const std::string rest = bytes.substr(sizeof withoutMatrix);
  if (withoutMatrix)
    m_free->engine().restoreMemory(rest);
  else
    restoreWarmStart(rest);
}

std::string IslandMethod::memory() const {
  ByteWriter writer;
  for (const auto& [key, unknowns] : m_warm) {
    for (int part : key) writer.put(part);
    writer.put(static_cast<int>(unknowns.size()));
    for (double unknown : unknowns) writer.put(unknown);
  }
  return writer.take();
}

void IslandMethod::restoreWarmStart(const std::string& bytes) {
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

IslandMethod::SetKey IslandMethod::keyOf(const GapStep& step, const ModelSet& set) {
  const ModelContact& primary = step.contacts[set.contacts.front()];
  return {primary.pieceA,
          primary.pieceB < 0 ? -1 - primary.bodyB : primary.pieceB,
          static_cast<int>(primary.geometry.kind),
          primary.geometry.featureA,
          primary.geometry.featureB,
          100 * static_cast<int>(set.type) + static_cast<int>(set.contacts.size())};
}

Eigen::VectorXd IslandMethod::warmStart(const GapStep& step, const IslandProblem& island) const {
  Eigen::VectorXd start = Eigen::VectorXd::Zero(island.problem.b.size());
  for (std::size_t k = 0; k < island.sets.size(); ++k) {
    const ModelSet& set = island.sets[k];
    const auto kept = m_warm.find(keyOf(step, set));
    const int rows = rowsOf(set, m_modelSettings);
    if (kept != m_warm.end() && kept->second.size() == rows)
      start.segment(island.first[k], rows) = kept->second;
  }
  return start;
}

void IslandMethod::remember(const GapStep& step, const std::vector<IslandAnswer>& answers) {
  m_warm.clear();
  for (const IslandAnswer& answer : answers)
    for (std::size_t k = 0; k < answer.island.sets.size(); ++k) {
      const ModelSet& set = answer.island.sets[k];
      m_warm[keyOf(step, set)] =
          answer.result.z.segment(answer.island.first[k], rowsOf(set, m_modelSettings));
    }
}

IslandAnswer IslandMethod::solveSets(const World& world, const GapStep& step,
                                     std::vector<ModelSet> sets) const {
  IslandProblem island = assemble(world, step.contacts, std::move(sets), step.free, m_modelSettings);
  const Eigen::VectorXd start = warmStart(step, island);
  return answerOf(std::move(island), *m_solver, start, m_solverSettings);
}

IslandAnswer IslandMethod::withoutMatrix(IslandAnswer answer) const {
  if (!m_detail && answer.result.status == SolveStatus::Solved) answer.island.problem.A.resize(0, 0);
  return answer;
}

void IslandMethod::useCompromise(IslandAnswer& answer) const {
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

void IslandMethod::solveStep(const World& world, GapStep& step, std::vector<IslandAnswer>& answers,
                             StepRecord& record, PhaseClock& clock) {
  step = find(world);
  clock.endOf(Phase::NarrowPhase);
  const std::vector<std::vector<int>> islands = islandsOf(world, step.contacts, step.sets);
  clock.endOf(Phase::Assemble);
  answers = solveEach(islands, [&](const std::vector<int>& island) {
    return withoutMatrix(solveIsland(world, step, setsOfIsland(step.sets, island)));
  });
  for (const IslandAnswer& answer : answers) tell(answer.notes, record);
  adviseSweeps(answers, record);
}

void IslandMethod::respond(World& world, const Candidates&, StepRecord& record, PhaseClock& clock) {
  m_engine->findPairs(world);
  clock.endOf(Phase::BroadPhase);
  if (needsNoMatrix())
    m_free->respond(world,
                    {m_modelSettings, m_solverSettings, m_solverKey, linearisations(), m_recorded,
                     m_statesOnly, m_detail},
                    record, clock);
  else
    respondWithMatrices(world, record, clock);
}

void IslandMethod::addContacts(StepRecord& record) {
  if (needsNoMatrix() && !m_statesOnly) m_free->engine().addContacts(record);
}

void IslandMethod::respondWithMatrices(World& world, StepRecord& record, PhaseClock& clock) {
  m_there->bringStep(world);
  GapStep step;
  std::vector<IslandAnswer> answers;
  solveStep(world, step, answers, record, clock);
  const Velocities velocities = velocitiesAfter(world, step, answers);
  for (std::size_t body = 0; body < velocities.size(); ++body) {
    if (!isDynamic(world, static_cast<int>(body))) continue;
    world.nextLinearVelocity[body] = velocities[body].head<3>();
    world.nextAngularVelocity[body] = velocities[body].tail<3>();
  }
  m_there->takeVelocities(world);
  if (m_detail) explain(step, answers);
  remember(step, answers);
  clock.endOf(Phase::Solve);
  record.deliveredBy = answers.empty() ? "" : m_solverKey;
  writeGapRecord(world, step, answers, m_modelSettings, record);
  addSumsOfContacts(world, record);
  clock.endOf(Phase::Assemble);
}

}  // namespace touchstone
