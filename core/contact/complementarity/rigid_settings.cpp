#include "core/contact/complementarity/rigid_settings.h"

#include <algorithm>
#include <stdexcept>

#include "core/contact/accuracy.h"
#include "core/contact/contacts_form.h"
#include "core/contact/pcg_iterate.h"
#include "core/contact/start.h"
#include "core/scene/scale.h"

namespace touchstone {

RigidSettings::RigidSettings(const World& world, const std::string& solver, BackendKind backend)
    : m_scene(world.scene),
      m_key(solver),
      m_traits(traitsOf(solver)),
      m_backend(backend),
      m_hasFriction(hasFriction(world)) {
  m_model.velocityUnit = velocityUnitOf(*m_scene);
  // Coulomb's cone cannot be written as an LCP; Lemke therefore uses a pyramid.
  m_model.friction = m_traits.cone ? FrictionShape::Disk : FrictionShape::Pyramid;
  if (!m_scene->planar) return;
  m_model.planar = true;
  m_model.facets = 2;
}

void RigidSettings::set(const std::vector<ParameterSpec>& specs,
                        const std::vector<ParameterValues>& ofReplicas) {
  const ParameterValues& values = ofReplicas.front();
  m_model.largestProblem = static_cast<int>(numberOf(specs, values, "largest_problem"));
  if (!m_model.planar)
    m_model.facets = 2 * (static_cast<int>(numberOf(specs, values, "friction_facets")) / 2);
  m_drives = driveIntegrationOf(choiceOf(specs, values, kDriveIntegration));
  m_startsWarm = choiceOf(specs, values, kStart) == kWarmStart;
  m_keepsAllContacts = choiceOf(specs, values, kContacts) == kAllContacts;
  m_solver.clear();
  for (const ParameterValues& parameters : ofReplicas) {
    SolverSettings settings;
    settings.backend = m_backend;
    settings.velocityUnit = m_model.velocityUnit;
    const bool isAccurate = choiceOf(specs, parameters, kAccuracy) == kAccurate;
    settings.tolerance =
        numberOr(specs, parameters, "tolerance", isAuto() ? toleranceOf(isAccurate) : kTightTolerance);
    settings.linear = linearSolverOf(choiceOf(specs, parameters, "linear_solver"),
                                     choiceOf(specs, parameters, kPcgIterate));
    settings.maxIterations = static_cast<int>(numberOf(specs, parameters, "max_iterations"));
    m_solver.push_back(settings);
  }
}

RowSolverKind RigidSettings::kind() const {
  if (isAuto()) return m_goesWithoutMatrix ? RowSolverKind::Auto : RowSolverKind::AutoOnHost;
  return rowSolverKindOf(m_key, m_solver.front().linear);
}

std::vector<RowSolverKind> RigidSettings::kinds() const {
  std::vector<RowSolverKind> kinds;
  for (const LinearSolver linear : {LinearSolver::Direct, LinearSolver::Pcr}) {
    const RowSolverKind kind = rowSolverKindOf(m_key, linear);
    if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) kinds.push_back(kind);
  }
  return kinds;
}

std::vector<SolverSettings> RigidSettings::solverOfStep() const {
  std::vector<SolverSettings> settings = m_solver;
  for (SolverSettings& ofReplica : settings)
    if (isAuto() && m_goesWithoutMatrix) ofReplica.linear = LinearSolver::Pcr;
  return settings;
}

std::string RigidSettings::keyOfStep() const { return isAuto() ? keyOfForm(!m_goesWithoutMatrix) : m_key; }

/// `auto`: a dense matrix costs the cube of its rows, and Newton with it is exact where friction couples
/// normals and tangents; without one it costs its products, which pays from some dozens of contacts on. The
/// bodies of one replica decide, and those that take part: a replica among others is solved as it would be
/// alone, and a pour changes once, when as many stones have been released.
bool RigidSettings::choose(const World& world) {
  constexpr int kMostDenseRows = 96;
  std::vector<int> moving(world.scene->replicas);
  for (std::size_t body = 0; body < world.active.size(); ++body)
    if (world.active[body] && isDynamic(world, static_cast<int>(body)))
      ++moving[world.scene->bodies[body].replica];
  if (hasJoints()) return false;  // chains are what products without a matrix converge on most slowly
  const int contacts = (m_model.planar ? 2 : 4) * *std::max_element(moving.begin(), moving.end());
  const bool goes = contacts * rowsPerContact() > kMostDenseRows;
  if (goes == m_goesWithoutMatrix) return false;
  m_goesWithoutMatrix = goes;
  return true;
}

int RigidSettings::rowsPerContact() const { return !m_hasFriction ? 1 : m_model.planar ? 2 : 3; }

/// Bodies that start at one place can make more contacts than a step can solve.
void RigidSettings::requireSomeLimit(const World& world, int rows) const {
  constexpr long kRowsPerDenseRow = 1000;  // a product costs the rows once, a factorisation their cube
  const long maxRows = kRowsPerDenseRow * m_model.largestProblem * world.scene->replicas;
  if (rows > maxRows)
    throw std::length_error(std::to_string(rows) + " rows of contacts in one step are more than the " +
                            std::to_string(maxRows) +
                            " that the parameter largest_problem allows; move bodies apart that start in one "
                            "place, use a penalty method, or raise it");
}

void RigidSettings::tellDelivered(StepRecord& record) const {
  if (record.deliveredBy.empty()) return;
  const bool isEliminated = hasJoints() && traitsOf(record.deliveredBy).eliminatesJoints;
  record.deliveredBy = solverWithLinear(record.deliveredBy, m_solver.front().linear);
  if (isEliminated) record.deliveredBy += ", joints eliminated directly";
  const bool isPyramid = m_model.friction == FrictionShape::Pyramid && !m_model.planar;
  if (m_hasFriction && isPyramid) record.deliveredBy += ", " + std::to_string(m_model.facets) + " facets";
  if (m_keepsAllContacts) record.deliveredBy += kTellsAllContacts;
  if (record.endedByBudget > 0) record.deliveredBy += ", ended by its budget";
}

}  // namespace touchstone
