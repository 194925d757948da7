#include "core/contact/complementarity/complementarity_method.h"

#include <algorithm>
#include <stdexcept>

#include "core/contact/pcg_iterate.h"
#include "core/record/bytes.h"
#include "core/record/phase_clock.h"
#include "core/scene/scale.h"
#include "core/solver/linear/batched_krylov.h"

namespace touchstone {

namespace {

/// Form of the memory in a recording. Older recordings have 0 and 1 for other layouts.
enum MemoryForm { kWithMatrix = 2, kWithoutMatrix = 1 };

}  // namespace

ComplementarityMethod::ComplementarityMethod(const World& world, const std::string& solver)
    : m_scene(world.scene), m_solverKey(solver), m_hasFriction(hasFriction(world)) {
  m_modelSettings.velocityUnit = velocityUnitOf(*m_scene);
  if (!m_scene->planar) return;
  m_modelSettings.planar = true;
  m_modelSettings.facets = 2;
}

void ComplementarityMethod::setParameters(const std::vector<ParameterValues>& ofReplicas) {
  const bool isFirst = m_solverSettings.empty();
  const RowSolverKind kindBefore = isFirst ? RowSolverKind::Lemke : kind();
  const RowPer rowsBefore = rowPer();
  const ParameterValues& values = ofReplicas.front();
  useParameters(values);
  m_rules.clear();
  for (const ParameterValues& parameters : ofReplicas) m_rules.push_back(ruleWith(parameters));
  if (m_engine) m_engine->setRules(m_rules);
  m_modelSettings.largestProblem = static_cast<int>(numberOf(specs(), values, "largest_problem"));
  if (!m_modelSettings.planar)
    m_modelSettings.facets = 2 * (static_cast<int>(numberOf(specs(), values, "friction_facets")) / 2);
  m_solverSettings.clear();
  for (const ParameterValues& parameters : ofReplicas) {
    SolverSettings settings;
    settings.backend = m_backend;
    settings.velocityUnit = m_modelSettings.velocityUnit;
    settings.tolerance = numberOf(specs(), parameters, "tolerance");
    settings.linear = linearSolverOf(choiceOf(specs(), parameters, "linear_solver"),
                                     choiceOf(specs(), parameters, kPcgIterate));
    settings.maxIterations = static_cast<int>(numberOf(specs(), parameters, "max_iterations"));
    m_solverSettings.push_back(settings);
  }
  // Coulomb's cone cannot be written as an LCP; Lemke therefore uses a pyramid.
  m_modelSettings.friction = m_solverKey == "lemke" ? FrictionShape::Pyramid : FrictionShape::Disk;
  if (!isFirst && (kindBefore != kind() || rowsBefore != rowPer())) forget();
}

void ComplementarityMethod::reset() {
  m_goesWithoutMatrix = false;
  forget();
}

void ComplementarityMethod::forget() {
  for (const Solver& solver : m_solvers)
    for (const auto& step : solver.steps) step->engine().reset();
}

void ComplementarityMethod::useBackend(BackendKind backend, const World& world,
                                       const std::shared_ptr<DeviceWorld>& deviceWorld) {
  m_solvers.clear();
  m_sent = m_kept = nullptr;
  m_sentForm = m_keptForm = 0;
  m_deviceWorld = deviceWorld;
  m_engine = makeNarrowPhase(backend, world, deviceWorld);
  m_engine->setRules(m_rules);
  const BatchedKrylovLease probe(backend);  // throws where there is none
  m_backend = backend;
  for (SolverSettings& settings : m_solverSettings) settings.backend = backend;
  std::vector<RowSolverKind> kinds;  // with its matrices and without, as far as the solver has both
  for (const LinearSolver linear : {LinearSolver::Direct, LinearSolver::Pcr}) {
    const RowSolverKind kind = rowSolverKindOf(m_solverKey, linear);
    if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) kinds.push_back(kind);
  }
  for (const RowSolverKind kind : kinds) {
    m_solvers.push_back({kind, {}});
    for (const RowPer rows : rowKinds())
      m_solvers.back().steps.push_back(
          std::make_unique<ModelStep>(kind, rows, backend, world, deviceWorld, *m_engine));
  }
}

bool ComplementarityMethod::hasJoints() const { return !m_scene->joints.empty(); }

RowSolverKind ComplementarityMethod::kind() const {
  if (isAuto()) return m_goesWithoutMatrix ? RowSolverKind::NewtonFb : RowSolverKind::AutoOnHost;
  return rowSolverKindOf(m_solverKey, m_solverSettings.front().linear);
}

ModelStep& ComplementarityMethod::stepWith(RowPer rows) const {
  const std::vector<RowPer> kinds = rowKinds();
  const auto index = std::find(kinds.begin(), kinds.end(), rows) - kinds.begin();
  const auto solver = std::find_if(m_solvers.begin(), m_solvers.end(),
                                   [this](const Solver& candidate) { return candidate.kind == kind(); });
  return *solver->steps[index];
}

std::string ComplementarityMethod::staysOnHost(const std::string& solver) {
  if (solver == "pgs" || isRegisteredSolver(solver)) return "";
  const bool usuallyMakesMatrix = solver == "auto";  // of small islands, whatever the linear solver
  if (!usuallyMakesMatrix && !makesMatrix(rowSolverKindOf(solver, LinearSolver::Pcr)))
    return "with linear solvers other than pcr, pcg and jacobi the matrices of islands and their systems";
  return "the matrices of islands, direct and Gauss–Seidel systems, Lemke";
}

void ComplementarityMethod::sendMemory() {
  m_sent = &memory();
  m_sentForm = makesMatrix(kind()) ? kWithMatrix : kWithoutMatrix;
  m_sent->sendMemory();
}

void ComplementarityMethod::keepMemory() {
  m_sent->keepMemory();
  m_kept = m_sent;
  m_keptForm = m_sentForm;
}

std::string ComplementarityMethod::keptMemory() {
  if (!m_kept) return {};
  ByteWriter writer;
  writer.put(m_keptForm);
  return writer.take() + m_kept->keptMemory();
}

/// Memory written by another solver is ignored.
void ComplementarityMethod::restoreMemory(const std::string& bytes) {
  forget();
  if (bytes.empty()) return;
  int form = 0;
  ByteReader(bytes).get(form);
  if (isAuto()) m_goesWithoutMatrix = form == kWithoutMatrix;
  if (form != (makesMatrix(kind()) ? kWithMatrix : kWithoutMatrix)) return;
  memory().restoreMemory(bytes.substr(sizeof form));
}

/// `auto`: a dense matrix costs the cube of its rows, and Newton with it is exact where friction couples
/// normals and tangents; without one it costs its products, which pays from some dozens of contacts on. The
/// bodies of one replica decide, and those that take part: a replica among others is solved as it would be
/// alone, and a pour changes once, when as many stones have been released.
void ComplementarityMethod::chooseForm(const World& world) {
  constexpr int kMostDenseRows = 96;
  std::vector<int> moving(world.scene->replicas);
  for (std::size_t body = 0; body < world.active.size(); ++body)
    if (world.active[body] && isDynamic(world, static_cast<int>(body)))
      ++moving[world.scene->bodies[body].replica];
  if (hasJoints()) return;  // chains are what products without a matrix converge on most slowly
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
  const long maxRows = kRowsPerDenseRow * m_modelSettings.largestProblem * world.scene->replicas;
  if (expectedRows() > maxRows)
    throw std::length_error(std::to_string(expectedRows()) +
                            " rows of contacts in one step are more than the " + std::to_string(maxRows) +
                            " that the parameter largest_problem allows; move bodies apart that start in one "
                            "place, use a penalty method, or raise it");
}

void ComplementarityMethod::respond(World& world, StepRecord& record, PhaseClock& clock) {
  m_wantsBisection.clear();
  requireSomeLimit(world);
  if (isAuto()) chooseForm(world);
  const bool isDense = makesMatrix(kind());
  std::vector<SolverSettings> settings = m_solverSettings;
  for (SolverSettings& replicaSettings : settings)
    if (isAuto() && !isDense) replicaSettings.linear = LinearSolver::Pcr;
  m_wantsBisection =
      take(world,
           {m_modelSettings, settings, isAuto() ? (isDense ? "newton-fb" : "newton-fb-pcr") : m_solverKey,
            linearisations(), m_recorded, m_statesOnly, m_detail, m_mayBisect, reviewsAnswers()},
           record, clock);
  tellDelivered(record);
}

void ComplementarityMethod::tellDelivered(StepRecord& record) const {
  if (record.deliveredBy.empty()) return;
  const LinearSolver linear = m_solverSettings.front().linear;
  const bool isNewton = record.deliveredBy == "newton-fb" || record.deliveredBy == "newton-min";
  if (isNewton && linear != LinearSolver::Direct) record.deliveredBy += "-" + std::string(toString(linear));
  if (hasJoints() && record.deliveredBy == "lemke") record.deliveredBy += ", joints eliminated directly";
  const bool isPyramid = m_modelSettings.friction == FrictionShape::Pyramid && !m_modelSettings.planar;
  if (m_hasFriction && isPyramid)
    record.deliveredBy += ", " + std::to_string(m_modelSettings.facets) + " facets";
}

ReplicaSet ComplementarityMethod::take(World& world, const ModelStep::Input& input, StepRecord& record,
                                       PhaseClock& clock) {
  stepWith(rowPer()).respond(world, input, record, clock);
  return {};
}

/// The solver of the pane projects: sweeps that end early leave joints apart in position as well.
JointProjection ComplementarityMethod::jointProjection() const {
  JointProjection projection;
  projection.isWanted = hasJoints();
  for (const SolverSettings& settings : m_solverSettings)
    if (kind() == RowSolverKind::Pgs)
      projection.sweeps.push_back({settings.tolerance, settings.maxIterations, settings.velocityUnit});
  return projection;
}

void ComplementarityMethod::addContacts(StepRecord& record) {
  if (!m_statesOnly) stepWith(rowPer()).addContacts(record);
}

}  // namespace touchstone
