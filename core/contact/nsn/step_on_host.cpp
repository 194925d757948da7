#include "core/contact/nsn/step_on_host.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/constraints/kinds/registered_kinds.h"
#include "core/contact/complementarity/contact_record.h"
#include "core/contact/complementarity/problem_detail.h"
#include "core/contact/contact_sums.h"
#include "core/contact/record.inl"
#include "core/detect/feature_particles.h"
#include "core/math/count.h"
#include "core/record/bytes.h"
#include "core/scene/scale.h"

namespace touchstone::nsn {

namespace {

/// Turn of a body in a step beyond which the step is halved [rad]. Gaps are exact, and contacts are those of
/// the start: a body that has turned by π stands on the same corners, with the others behind the wall.
/// Larger: corners without a row come down within a step; smaller: what rolls takes more steps.
constexpr double kMostTurn = 0.5;

/// Share of the radius of a body by which an answer that is none may leave it within another one; beyond, the
/// step is halved. Larger: the body comes out on the other side; smaller: steps that stall take halves.
constexpr double kMostEntered = 0.1;

std::string numberText(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2g", number);
  return text;
}

/// A contact that isBehind asks for a way out where nothing has come in: where tips pass each other, beyond
/// the reach of their common set, it would throw them apart. It stays where its pair has no other one.
void leaveOutThoseBehind(const std::vector<ModelContact>& contacts, std::vector<char>& isChosen) {
  std::set<std::array<int, 2>> separated;
  const auto piecesOf = [](const ModelContact& contact) {
    return std::array<int, 2>{contact.pieceA, contact.pieceB};
  };
  for (std::size_t contact = 0; contact < contacts.size(); ++contact)
    if (isChosen[contact] && !contacts[contact].isBehind) separated.insert(piecesOf(contacts[contact]));
  for (std::size_t contact = 0; contact < contacts.size(); ++contact)
    if (contacts[contact].isBehind && separated.count(piecesOf(contacts[contact]))) isChosen[contact] = 0;
}

/// The contact with the largest gap of each constraint set (Williams 2017): the one that separates. Rows of
/// all members, as `lcp` has them, may contradict each other, and Newton's method has no answer to that.
std::vector<ModelContact> separatingContacts(const std::vector<ModelContact>& contacts,
                                             const FoundSets& found) {
  std::vector<char> isChosen(contacts.size(), 0);
  for (const SetRange& set : found.sets) {
    const int* const members = found.members.data() + set.first;
    const auto isBetter = [&contacts](int b, int a) { return isBetterPrimary(contacts[a], contacts[b]); };
    isChosen[*std::max_element(members, members + set.count, isBetter)] = 1;
  }
  leaveOutThoseBehind(contacts, isChosen);
  std::vector<ModelContact> chosen;
  for (std::size_t contact = 0; contact < contacts.size(); ++contact)
    if (isChosen[contact]) chosen.push_back(contacts[contact]);
  return chosen;
}

/// A body of a block of contacts, by its key.
int bodyOf(const World& world, const BlockKey& key) {
  if (key.kind < kSurfaceBlock) return world.pieces->body[key.first];
  const bool isEdge = static_cast<FeaturePairKind>(key.kind - kSurfaceBlock) == FeaturePairKind::EdgeEdge;
  return (isEdge ? world.surface->edgeBody : world.surface->vertexBody)[key.first];
}

}  // namespace

StepOnHost::StepOnHost(const World& world)
    : m_scene(world.scene), m_velocityUnit(velocityUnitOf(*world.scene)), m_length(lengthOf(*world.scene)) {
  if (!world.elastic->isEmpty()) m_surfaceContacts = std::make_unique<SurfaceContacts>(world);
}

void StepOnHost::setParameters(const std::vector<ParameterValues>& ofReplicas) {
  m_values.clear();
  m_rules.clear();
  for (const ParameterValues& parameters : ofReplicas) {
    m_values.push_back(valuesOf(parameters, *m_scene));
    m_rules.push_back(rulesOf(parameters, *m_scene));
  }
  if (!m_values.front().isWarm) reset();
}

std::vector<SolverSettings> StepOnHost::solverSettings() const {
  std::vector<SolverSettings> settings;
  for (int replica = 0; replica < m_scene->replicas; ++replica) {
    const Values& values = m_values[m_values.size() == 1 ? 0 : replica];
    SolverSettings ofReplica;
    ofReplica.tolerance = values.tolerance;
    ofReplica.maxIterations = values.iterations;
    ofReplica.linear = values.linear;
    ofReplica.linearIterations = values.linearIterations;
    settings.push_back(ofReplica);
  }
  return settings;
}

void StepOnHost::begin(World& world, const std::vector<ModelContact>& found, const FoundSets& sets,
                       bool areVerticesOnHost) {
  m_contacts = {separatingContacts(found, sets), {}};
  if (m_surfaceContacts) m_contacts.surfaces = m_surfaceContacts->find(world, areVerticesOnHost);
  m_rows = std::make_unique<StepRows>(world, m_contacts, m_rules, m_values.front(), m_velocityUnit);
}

std::vector<double> StepOnHost::start() const {
  return m_rows->startOf(m_values.front().isWarm ? m_forces : WarmForces(), m_length);
}

ReplicaSet StepOnHost::end(World& world, const StepAnswer& answer, bool mayBisect, StepRecord& record,
                           StepDetail* detail) {
  std::vector<Island> islands = islandsOf(world, answer);
  record.solves += countOf(islands);
  const ReplicaSet halved = judge(islands, mayBisect, record);
  if (detail) explain(world, answer, islands, start(), *detail);
  apply(world, answer, islands);
  remember(world, answer, islands, halved);
  recordAnswer(world, answer, islands, halved, record);
  return halved;
}

std::vector<StepOnHost::Island> StepOnHost::islandsOf(const World& world, const StepAnswer& answer) const {
  std::vector<Island> islands(answer.islands.size());
  const RowBuffer& rows = m_rows->rows();
  for (int index = 0; index < countOf(rows.blocks); ++index) {
    const RowBlock& block = rows.blocks[index];
    std::vector<int>& carriers = islands[answer.islandOfBlock[index]].carriers;
    carriers.insert(carriers.end(), rows.carriers.begin() + block.firstCarrier,
                    rows.carriers.begin() + block.firstCarrier + block.carrierCount);
  }
  for (int contact = 0; contact < countOf(m_rows->contacts()); ++contact)
    islands[answer.islandOfBlock[m_rows->contacts()[contact].block]].contacts.push_back(contact);
  std::vector<Vec3> linear = answer.linear, angular = answer.angular;
  const CarrierVelocities u{linear.data(), angular.data()};
  for (int index = 0; index < countOf(islands); ++index) {
    Island& island = islands[index];
    std::sort(island.carriers.begin(), island.carriers.end());
    island.carriers.erase(std::unique(island.carriers.begin(), island.carriers.end()), island.carriers.end());
    island.replica = (*world.constants)[world.carrierBody[island.carriers.front()]].replica;
    island.turn = turnOf(world, island, answer);
    island.isEntered = !answer.islands[index].isSolved && isEntered(world, island, m_rows->stateAt(u));
  }
  return islands;
}

/// The angle by which the step turns a body that its contacts push, or its joints change the turn of one, at
/// most [rad].
double StepOnHost::turnOf(const World& world, const Island& island, const StepAnswer& answer) const {
  constexpr double kPushes = 1e-6;  // of the unit of velocities: far above what iterations leave over
  std::set<int> pushed;
  for (const int index : island.contacts) {
    const RowContact& contact = m_rows->contacts()[index];
    const double impulse = StepRows::impulseOf(contact, answer.z.data()).norm();
    for (const ContactSide& side : {m_rows->gapOf(contact).a, m_rows->gapOf(contact).b})
      if (canMove(world, side.body) && impulse * world.inverseMass[side.body] > kPushes * m_velocityUnit)
        pushed.insert(side.body);
  }
  double maximum = 0;
  for (const int carrier : island.carriers) {
    if (carrier >= world.bodyCount()) continue;
    const Vec3& now = answer.angular[carrier];
    const Vec3 turn = pushed.count(carrier) ? now : Vec3(now - world.nextAngularVelocity[carrier]);
    maximum = std::fmax(maximum, world.dt * turn.norm());
  }
  return maximum;
}

/// True if an answer leaves a rigid body far within another one.
bool StepOnHost::isEntered(const World& world, const Island& island, const StateView& state) const {
  for (const int index : island.contacts) {
    const GapContact& gap = m_rows->gapOf(m_rows->contacts()[index]);
    double radius = HUGE_VAL;
    for (const int body : {gap.a.body, gap.b.body})
      if (canMove(world, body)) radius = std::fmin(radius, (*world.constants)[body].radius);
    if (placedAt(gap, state).gap < -kMostEntered * radius) return true;
  }
  return false;
}

/// Replicas that had better take the step in halves are left out, if they may.
ReplicaSet StepOnHost::judge(std::vector<Island>& islands, bool mayBisect, StepRecord& record) const {
  ReplicaSet halved(m_scene->replicas, 0);
  double maximum = 0;
  for (const Island& island : islands) {
    maximum = std::fmax(maximum, island.turn);
    if (island.turn > kMostTurn || island.isEntered) halved[island.replica] = 1;
  }
  if (isEmpty(halved)) return {};
  if (!mayBisect) {
    if (maximum > kMostTurn)
      raiseStatus(StepStatus::NotConverged,
                  "a body turns by " + numberText(maximum) +
                      " rad in the shortest part of a step, and its contacts are those of the start; take a "
                      "shorter step",
                  record);
    return {};
  }
  for (Island& island : islands) island.isHalved = halved[island.replica] != 0;
  return halved;
}

void StepOnHost::apply(World& world, const StepAnswer& answer, const std::vector<Island>& islands) {
  for (const Island& island : islands) {
    if (island.isHalved) continue;
    for (const int carrier : island.carriers) {
      world.nextLinearVelocity[carrier] = answer.linear[carrier];
      if (carrier < world.bodyCount()) world.nextAngularVelocity[carrier] = answer.angular[carrier];
    }
  }
}

void StepOnHost::remember(const World& world, const StepAnswer& answer, const std::vector<Island>& islands,
                          const ReplicaSet& halved) {
  WarmForces forces;
  // Frozen bodies keep their forces: they may be waiting for replicas that are being bisected.
  for (const auto& [key, block] : m_forces.contacts) {
    const int body = bodyOf(world, key);
    if (!world.active[body] || (!halved.empty() && halved[(*world.constants)[body].replica]))
      forces.contacts[key] = block;
  }
  if (m_values.front().isWarm) {
    std::vector<Vec3> linear = answer.linear, angular = answer.angular;
    const CarrierVelocities u{linear.data(), angular.data()};
    for (const Island& island : islands)
      for (const int index : island.contacts)
        if (!island.isHalved) m_rows->addForce(m_rows->contacts()[index], u, answer.z.data(), forces);
    m_rows->eachElement(answer.z.data(), [&](int block, int element, const auto& force) {
      if (!islands[answer.islandOfBlock[block]].isHalved) m_forces.elements[element] = force;
    });
  }
  m_forces.contacts = std::move(forces.contacts);
}

/// Mode of a contact of a record, by its impulses. @param velocity  of B against A at its point [m/s]
void StepOnHost::setMode(const RowContact& contact, const Vec3& velocity, Contact& record) const {
  const double speed = (velocity - record.normal.dot(velocity) * record.normal).norm() / m_velocityUnit;
  record.mode = modeWithinCone(record.normalImpulse, m_rows->gapOf(contact).friction * record.normalImpulse,
                               record.frictionImpulse.norm(), speed);
}

/// (λ_n, λ_f) as the contact of a record, with what is applied: none pulls.
Contact StepOnHost::recordOfPieces(const WorldView& view, const RowContact& contact, const PlacedGap& placed,
                                   const Vec3& impulse) const {
  const ModelContact& found = m_contacts.pieces[contact.index];
  Contact record = recordOf(view, found);
  record.normal = placed.normal;
  record.normalImpulse = std::max(0.0, impulse[0]);
  record.frictionImpulse = impulse[1] * placed.first + impulse[2] * placed.second;
  record.primary = true;
  setMode(contact,
          pointVelocity(view, found.bodyB, record.pointB) - pointVelocity(view, found.bodyA, record.pointA),
          record);
  return record;
}

/// The same of surfaces, of which those that are open are recorded without impulse.
Contact StepOnHost::recordOfSurfaces(const WorldView& view, const RowContact& contact,
                                     const Vec3& impulse) const {
  const SurfaceContact& found = m_contacts.surfaces[contact.index];
  const RecordedSide first{found.bodyA, -1, found.pointA}, second{found.bodyB, -1, found.pointB};
  Contact record = contactOf(found.pair, first, second, found.normal, found.gap);
  Vec3 t1, t2;
  contactTangents(found.normal, m_scene->planar, t1, t2);
  setImpulses(first, second, std::max(0.0, impulse[0]), impulse[1] * t1 + impulse[2] * t2, record);
  record.type = ConstraintType::U;
  record.primary = true;
  const auto velocityOf = [&](bool isA) {
    const int body = isA ? found.bodyA : found.bodyB;
    if (!view.isDeformable(body)) return pointVelocity(view, body, isA ? found.pointA : found.pointB);
    return particlesOf(view, found.pair, isA, found.weights).of(view.nextLinearVelocity);
  };
  setMode(contact, velocityOf(false) - velocityOf(true), record);
  return record;
}

void StepOnHost::recordContacts(const World& world, const StepAnswer& answer,
                                const std::vector<Island>& islands, const StateView& state,
                                StepRecord& record) const {
  const WorldView view = viewOf(world);
  for (const Island& island : islands) {
    if (island.isHalved) continue;
    for (const int index : island.contacts) {
      const RowContact& contact = m_rows->contacts()[index];
      const Vec3 impulse = StepRows::impulseOf(contact, answer.z.data());
      record.contacts.push_back(
          contact.isOfPieces ? recordOfPieces(view, contact, placedAt(m_rows->gapOf(contact), state), impulse)
                             : recordOfSurfaces(view, contact, impulse));
      record.contacts.back().set = countOf(record.contacts) - 1;
    }
  }
}

/// Impulses of bodies that do not move on particles that are parts of them.
void StepOnHost::recordAttachments(const StepAnswer& answer, const std::vector<Island>& islands,
                                   const World& world, StepRecord& record) const {
  const RowBuffer& rows = m_rows->rows();
  for (int index = 0; index < countOf(rows.blocks); ++index) {
    const RowBlock& block = rows.blocks[index];
    if (block.key.kind == kAttachmentBlock && !islands[answer.islandOfBlock[index]].isHalved)
      addGroundImpulse(world, block, answer.z.data() + block.firstRow, record.groundImpulse,
                       record.groundAngularImpulse);
  }
}

void StepOnHost::recordAnswer(const World& world, const StepAnswer& answer,
                              const std::vector<Island>& islands, const ReplicaSet& halved,
                              StepRecord& record) const {
  std::vector<Vec3> linear = answer.linear, angular = answer.angular;
  const CarrierVelocities u{linear.data(), angular.data()};
  const StateView state = m_rows->stateAt(u);
  record.quantities[Quantity::EnergyElastic] = 0;
  double residual = 0, depth = 0;
  for (const ModelContact& contact : m_contacts.pieces) depth = std::max(depth, -contact.geometry.psi);
  for (const SurfaceContact& contact : m_contacts.surfaces) depth = std::max(depth, -contact.gap);
  int missed = 0, taken = 0, largest = -1, most = 0;
  std::vector<int> rowsOfIsland(islands.size(), 0);
  const RowBuffer& rows = m_rows->rows();
  for (int block = 0; block < countOf(rows.blocks); ++block)
    rowsOfIsland[answer.islandOfBlock[block]] += rows.blocks[block].rowCount;
  for (int island = 0; island < countOf(islands); ++island) {
    if (rowsOfIsland[island] > most) {
      most = rowsOfIsland[island];
      largest = island;
    }
    if (islands[island].isHalved) continue;
    ++taken;
    const StepAnswer::Island& end = answer.islands[island];
    residual = end.residual <= residual ? residual : end.residual;  // and not a number
    if (!end.isAnswered) ++missed;
    if (end.isAnswered && !end.isSolved) ++record.endedByBudget;
  }
  record.deliveredBy = taken == 0 ? "" : values().name;
  if (record.endedByBudget > 0) record.deliveredBy += ", ended by its budget";
  totalsOf(rows.view(), countOf(rows.blocks), answer.z.data(), state, halved).addTo(record);
  recordAttachments(answer, islands, world, record);
  recordRegistered(rows.view(), countOf(rows.blocks), answer.z.data(), world, halved, record.groundImpulse,
                   record.groundAngularImpulse);
  recordContacts(world, answer, islands, state, record);
  record.solverTolerance = values().tolerance;
  if (taken > 0) {
    for (const SolverIteration& iteration : answer.report.iterations) record.iterations.push_back(iteration);
    std::vector<char> inIsland;
    for (const int island : answer.islandOfBlock) inIsland.push_back(island == largest ? 1 : 0);
    record.limitingAccuracy = m_rows->limitingAccuracy(inIsland, u, answer.z.data());
  }
  record.quantities[Quantity::Residual] = residual;
  record.quantities[Quantity::MethodDepth] = depth;
  addSumsOfContacts(world, record);
  if (m_recorded != Recorded::All) record.contacts.clear();
  record.unsolved += missed;
  if (values().isPublishedCounts)
    record.warnings.push_back(
        "the published counts lose " +
        numberText(100 * std::pow(1 - newton::kUsualShare, values().iterations)) +
        " % of every velocity in each step: their Newton steps are all damped, from rest");
  if (missed == 0 || residual <= values().poor * world.dt) return;
  raiseStatus(StepStatus::NotConverged,
              "Newton's method ended after its " + std::to_string(values().iterations) +
                  " iterations with a residual of " + numberText(residual) + " m/s",
              record);
}

/// For the inspector: contacts, and the velocity-level problem of each island at the start of the step, with
/// the impulses of the answer. Contacts of this method are evaluated again at every iterate.
void StepOnHost::explain(const World& world, const StepAnswer& answer, const std::vector<Island>& islands,
                         const std::vector<double>& start, StepDetail& detail) const {
  std::vector<Vec3> linear = answer.linear, angular = answer.angular;
  if (!answer.z.empty())
    detail.rows = std::make_shared<RowsDetail>(
        m_rows->detail({linear.data(), angular.data()}, answer.z, answer.islandOfBlock));
  ProblemDetail& inside = problemDetail(detail);
  const WorldView view = viewOf(world);
  inside.contacts = m_contacts.pieces;
  inside.modelSettings = ModelSettings();
  inside.modelSettings.planar = m_scene->planar;
  inside.modelSettings.velocityUnit = m_velocityUnit;
  inside.solverSettings = SolverSettings();
  for (int index = 0; index < countOf(islands); ++index) {
    if (islands[index].isHalved) continue;
    HostTable table = hostTable(world);
    IslandAnswer problem;
    std::vector<int> units;
    std::vector<double> first, impulses;
    for (const int contactIndex : islands[index].contacts) {
      const RowContact& rowContact = m_rows->contacts()[contactIndex];
      if (!rowContact.isOfPieces) continue;
      const ModelContact& contact = m_contacts.pieces[rowContact.index];
      const GapContact& gap = m_rows->gapOf(rowContact);
      addContactBlock(view, contact, (contact.geometry.psi - gap.thickness) / world.dt, gap.friction,
                      m_scene->planar, table.rows);
      units.push_back(countOf(units));
      for (int row = 0; row < table.rows.units.back().rowCount; ++row) {
        first.push_back(start[rowContact.firstRow + row]);
        impulses.push_back(answer.z[rowContact.firstRow + row]);
      }
      problem.island.sets.push_back({ConstraintType::U, {rowContact.index}, gap.friction});
    }
    if (units.empty() || !inside.takesProblemOf(unknownCount(table.view(), units, inside.modelSettings)))
      continue;
    static_cast<DenseProblem&>(problem.island) =
        denseProblem(table.view(), table.metric(), table.velocities(), units, inside.modelSettings);
    problem.island.replica = islands[index].replica;
    problem.start = unknownsOf(table.view(), problem.island, first.data());
    problem.result.z = unknownsOf(table.view(), problem.island, impulses.data());
    problem.result.residual = naturalResidual(problem.island.problem, problem.result.z);
    problem.result.deliveredBy = values().name;
    problem.result.status = answer.islands[index].isSolved ? SolveStatus::Solved : SolveStatus::NotConverged;
    inside.problems.push_back(std::move(problem));
  }
}

std::string StepOnHost::memory() const {
  if (m_forces.contacts.empty() && m_forces.elements.empty()) return {};
  ByteWriter writer;
  writer.put(countOf(m_forces.elements));
  for (const auto& [element, force] : m_forces.elements) {
    writer.put(element);
    for (const double component : force) writer.put(component);
  }
  for (const auto& [key, block] : m_forces.contacts) {
    for (const int part : {key.kind, key.first, key.second, countOf(block.keys)}) writer.put(part);
    for (int unit = 0; unit < countOf(block.keys); ++unit) {
      const RowKey& name = block.keys[unit];
      for (const int part : {name.kind, name.featureA, name.featureB}) writer.put(part);
      for (const Vec3& vector : {block.places[unit].arm, block.places[unit].normal, block.forces[unit]})
        writer.put(vector);
    }
  }
  return writer.take();
}

void StepOnHost::restoreMemory(const std::string& bytes) {
  reset();
  if (bytes.empty()) return;
  ByteReader reader(bytes);
  int elements = 0;
  reader.get(elements);
  for (int k = 0; k < elements; ++k) {
    int element;
    reader.get(element);
    for (double& component : m_forces.elements[element]) reader.get(component);
  }
  while (!reader.atEnd()) {
    BlockKey key;
    int count = 0;
    for (int* part : {&key.kind, &key.first, &key.second, &count}) reader.get(*part);
    WarmForces::Block& block = m_forces.contacts[key];
    for (int unit = 0; unit < count; ++unit) {
      RowKey& name = block.keys.emplace_back(RowKey{0, 0, 0, 0});
      for (int* part : {&name.kind, &name.featureA, &name.featureB}) reader.get(*part);
      UnitPlace& place = block.places.emplace_back();
      for (Vec3* vector : {&place.arm, &place.normal, &block.forces.emplace_back()}) reader.get(*vector);
    }
  }
}

}  // namespace touchstone::nsn
