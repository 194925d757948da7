#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/constraints/joint_rows.h"
#include "core/constraints/joint_totals.h"
#include "core/constraints/kinds/registered_kinds.h"
#include "core/contact/complementarity/complementarity_model.h"
#include "core/contact/complementarity/linearised_rows.h"
#include "core/contact/complementarity/pass_loops.inl"
#include "core/contact/complementarity/rigid_report.h"
#include "core/contact/complementarity/row_record.inl"
#include "core/contact/complementarity/row_work.inl"
#include "core/contact/complementarity/split_push_out.inl"
#include "core/contact/complementarity/touching_pairs.inl"
#include "core/contact/manifold/narrow_phase.inl"
#include "core/parallel/reduce.h"
#include "core/parallel/sum.h"
#include "core/scene/scale.h"
#include "core/solver/row_solver.inl"
#include "core/solver/rows/rows_detail.h"
#include "core/solver/rows/uploaded_rows.inl"
#include "core/solver/solvers.h"

namespace touchstone {

namespace detail {

/// Counts of the choices of primaries.
struct ChoiceTotals {
  int rescued, retries, withLargestGap;
  TS_HD ChoiceTotals& operator+=(const ChoiceTotals& o) {
    rescued += o.rescued;
    retries += o.retries;
    withLargestGap += o.withLargestGap;
    return *this;
  }
};

struct FindChoiceTotals {  // one island per index
  const IslandCurve* islands;
  const PrimaryChoice* choices;
  ChoiceTotals* out;
  TS_HD void operator()(int island) const {
    const PrimaryChoice choice = choices[island];
    out[island] = {islands[island].isAnswered() && choice.wasUnsolved ? 1 : 0, choice.isRetry,
                   choice.rule == PrimaryRule::LargestGap ? 1 : 0};
  }
};

/// The pairs whose step has ended; others keep what they have: their bodies were left out and
/// may wait for others that take the step in halves, or are to take it in halves themselves.
struct SettledPairs {
  WorldView world;
  const int* pieceBody;
  const int* jointBody;  ///< a body of each joint
  const int* replicas;   ///< [replicaCount] 1: does not take it in halves
  TS_HD bool operator()(const BlockKey& key) const {
    if (key.kind >= kRegisteredBlock) return true;
    const int body = key.kind == kJointBlock ? jointBody[key.first] : pieceBody[key.first];
    return world.active[body] && replicas[world.bodies[body].replica];
  }
};

}  // namespace detail

/// The contacts of a step as rows of a RowSolver, from what narrow phase has found to the answer in the
/// record, all on a backend. Decides what a solver does not know: which contact of a set carries its force,
/// which islands are solved again with other primaries since their answer gains energy (FindWork) or is none,
/// and which are softened. Warm-started by the features of the last step. One per pane, solver and kind of
/// rows.
template <class Backend>
class RigidRows {
 public:
  RigidRows(RowSolverKind solver, RowPer rows, const World& world,
            const std::shared_ptr<DeviceWorld>& deviceWorld, const NarrowPhase<Backend>& pieces)
      : m_deviceWorld(worldOn<Backend>(deviceWorld)),
        m_backend(m_deviceWorld->backend()),
        m_hasSets(rows == RowPer::Set),
        m_planar(world.scene->planar),
        m_length(lengthOf(*world.scene)),
        m_pieces(pieces),
        m_contacts(m_planar, hasFriction(world)),
        m_solver(makeRowSolver(solver, m_backend)) {
    std::vector<int> bodies;
    for (const Joint& joint : world.scene->joints) bodies.push_back(joint.bodyB);
    m_backend.upload(bodies.data(), bodies.size(), m_jointBody);
  }

  /// Sets whether steps start from the impulses of the last one, or from none.
  void setStartsWarm(bool on) { m_startsWarm = on; }
  void setDrives(DriveIntegration drives) { m_drives = drives; }
  /// Rows and start of the contacts that the NarrowPhase has found for the running step of this world.
  /// @param settings  [replicaCount], alike but for tolerance and maxIterations (sweeps of pgs); linear: one
  /// that isOnBackend(), for the Newton solvers
  void begin(const World& world, const std::vector<SolverSettings>& settings) {
    m_exact.reset();
    m_isWarm = m_startsWarm;
    m_isPartial = false;
    takeJoints(world);
    takeRows(world, settings);
    m_solver->runAll();
    chooseAll(PrimaryRule::Published);
    m_solver->keepFree();
    m_isFirst = true;
    m_largestGap = HUGE_VAL;
    startRows();
  }

  /// Leaves the answer's velocities as those of the running step on the backend.
  RigidReport solve() {
    m_solver->solve(0);
    if (startAgain()) m_solver->solve(0);
    RigidReport report = reportWithChoices();
    if (report.unsolved > 0 && m_solver->canSoften()) {
      m_solver->noteUnsolved();
      report.softened = m_solver->runPoor(kGoodEnough);
      if (report.softened > 0) {
        startRunningAgain();
        m_solver->solve(kSoftness);
        report.softened = m_solver->softened();
      }
      report.residual = m_solver->residualOfAnswers();
    }
    if (!m_solver->canSoften()) report.softened = m_solver->compromises();
    handOver();
    return report;
  }

  /// After solve(): islands with joints that the velocities of the answer leave apart by more than kFollows
  /// run again from it, with rows that ask for what the joints lack where it leads: along the gradients of
  /// the start, so that a step keeps Σ x × m v + I ω. @return how many; none of an exact step
  int followJoints(const World& world) {
    if (m_exact || m_joints.rows.empty()) return 0;
    const int bodies = m_view.bodyCount;
    std::vector<Vec3> linear =
                          fetched(m_backend, static_cast<const Vec3*>(m_view.nextLinearVelocity), bodies),
                      angular =
                          fetched(m_backend, static_cast<const Vec3*>(m_view.nextAngularVelocity), bodies);
    const CarrierVelocities u{linear.data(), angular.data()};
    writeJoints(world, u);
    std::vector<int> isApart(world.scene->joints.size(), 0);
    double largest = 0;
    for (const RowBlock& block : m_joints.blocks) {
      const double gap = gapOf(m_joints.view(), block, u, m_view.dt);
      isApart[block.key.first] = gap > kFollows;
      largest = std::max(largest, gap);
    }
    const bool isNearer = largest < kFalls * m_largestGap;
    m_largestGap = largest;
    if (!(largest > kFollows) || !isNearer) return 0;
    m_solver->layOutBlocks();  // each with its units of this answer
    const std::vector<RowBlock> blocks = fetched(m_backend, m_solver->table().blocks, m_solver->blockCount());
    std::vector<int> running(m_solver->islandCount(), 0);
    for (const RowBlock& block : blocks)
      if (block.key.kind == kJointBlock && isApart[block.key.first]) running[block.island] = 1;
    m_solver->run(running);
    m_isWarm = true;
    startRunningAgain();
    return static_cast<int>(std::count(running.begin(), running.end(), 1));
  }

  /// Finds the displacement that undoes overlaps apart from the velocities of the answer; after refuse().
  /// Adds to a record what it does. @param gravity  m/s²
  void pushOut(const Vec3& gravity, StepRecord& record) {
    m_pushOut.find(*m_solver, m_view, m_isPartial ? m_taken.data() : nullptr, gravity, m_backend, record);
  }
  /// Moves the bodies by it, once the step has been integrated.
  void moveApart(const WorldView& world) { m_pushOut.apply(m_backend, world); }
  void forgetPushOut() { m_pushOut.forget(); }

  /// The rows of a linearisation of an exact step, with RowPer::Contact. What has ended keeps impulses and
  /// velocities, and solve() leaves it alone. Not with pgs. The caller then has the impulses of the last
  /// linearisation carried to these rows and bodies freed, and calls startPass().
  void layOutPass(const World& world, const std::vector<SolverSettings>& settings, const LinearisedRows& rows,
                  bool isFirst) {
    m_exact = rows;
    m_solver->keepBest();
    if (isFirst) takeJoints(world);
    takeRows(world, settings);
    const int islands = m_solver->islandCount();
    forEach(m_backend, islands,
            detail::RunIslandsOfReplicas{m_solver->firstPlaces(), m_solver->table(), m_exact->replicas,
                                         m_solver->running()});
    forEach(m_backend, islands, detail::FreezeIsland{m_solver->running(), m_solver->islands()});
  }
  /// @param isFirst  rows start with the last step's impulses, else without any
  void startPass(bool isFirst) {
    m_solver->keepFree();
    m_isWarm = isFirst && m_startsWarm;
    startRows(true);
  }
  /// Impulses of all rows [rows], of contacts first: perContact() each, p, then β.
  double* impulses() { return m_solver->best(); }
  /// The impulses before layOutPass().
  const double* impulsesBefore() { return m_solver->bestBefore(); }
  int perContact() const { return m_contacts.perContact(); }
  /// The world of the running step.
  const WorldView& view() const { return m_view; }

  /// Ends of the islands of the last solve(), before any other replica of an exact step has ended.
  std::vector<IslandEnd> islandEnds() {
    const int islands = m_solver->islandCount();
    m_ends.resize(islands);
    forEach(m_backend, islands,
            detail::FindIslandEnd{m_solver->firstPlaces(), m_solver->table(), m_view.bodies,
                                  m_exact ? m_exact->replicas.running : nullptr, m_solver->islands(),
                                  m_hasSets || m_exact ? worksOfIslands() : nullptr, m_ends.data()});
    std::vector<IslandEnd> ends =
        fetched(m_backend, static_cast<const IslandEnd*>(m_ends.data()), m_ends.size());
    ends.erase(std::remove_if(ends.begin(), ends.end(), [](const IslandEnd& end) { return end.replica < 0; }),
               ends.end());
    return ends;
  }

  /// Ends of the islands whose impulses add energy. Most often none does, and only that is downloaded.
  std::vector<IslandEnd> gainingIslands() {
    if (!m_hasSets) return {};
    const int islands = m_solver->islandCount();
    m_gains.resize(islands);
    forEach(m_backend, islands, detail::FlagGains{worksOfIslands(), m_gains.data()});
    if (reduced(m_backend, static_cast<const int*>(m_gains.data()), islands, 0, Larger{}, m_gainPartials) ==
        0)
      return {};
    std::vector<IslandEnd> ends = islandEnds();
    ends.erase(std::remove_if(ends.begin(), ends.end(), [](const IslandEnd& end) { return end.gains == 0; }),
               ends.end());
    return ends;
  }

  /// After the last pass: remembers what the step has come to, and counts it in figures. Replicas of the
  /// scene that will take it in halves keep what they remember, and do not count.
  void endPasses(const ReplicaSet& bisected) {
    takeAllBut(bisected, m_view.replicaCount);
    m_solver->remember(
        detail::SettledPairs{m_view, m_exact->found.pieceBody, m_jointBody.data(), m_taken.data()});
  }

  /// begin() once more after solve(), with RowPer::Set: contacts as NarrowPhase::linearise() has left them,
  /// the largest gap of each set as its primary, from the velocities without contact and the last answer's
  /// impulses. Islands are frozen that movingIslands() has not counted.
  void beginAgain() {
    m_solver->keepBefore();
    m_solver->layOutBlocks();  // each with its units of the last answer
    if (m_isFirst) m_solver->runAll();
    m_isFirst = false;
    chooseAll(PrimaryRule::LargestGap);
    startRunningAgain();
  }

  /// Islands whose velocities the last solve() has moved since beginAgain() by more than kVelocityConverged.
  int movingIslands() { return m_solver->movingIslands(kVelocityConverged); }

  /// The answer's normal impulses of all contacts, in the backend's memory [contacts]; not in an exact step.
  const double* contactImpulses() {
    m_contactImpulses.resize(m_pieces.contactCount());
    fill(m_backend, m_contactImpulses.data(), m_pieces.contactCount(), 0.0);
    forEach(m_backend, m_solver->blockCount(),
            detail::FindContactImpulses{m_solver->table(), m_hasSets ? m_primaries.data() : nullptr,
                                        m_solver->best(), m_contactImpulses.data()});
    return m_contactImpulses.data();
  }
  /// After solve(): gives these replicas the velocities without contact again, and leaves them out
  /// of figures and contacts. With RowPer::Set.
  void refuse(const ReplicaSet& replicas) {
    takeAllBut(replicas, replicas.size());
    m_isPartial = true;
    const WorldView free = m_solver->free();
    forEach(m_backend, m_view.bodyCount,
            detail::FreeRefused{m_view, m_taken.data(), free.nextLinearVelocity, free.nextAngularVelocity});
  }

  /// Adds to a record what the answer comes to: sums of impulses, the method's depth, traps and counts of
  /// sets. Before integration; if there are sets, after NarrowPhase::findEndGaps().
  void addQuantities(StepRecord& record) { m_record.addQuantities(m_backend, answer(), record); }
  /// Starts the way of its contacts to the host; after addQuantities().
  void sendContacts() {
    const int count = m_hasSets ? m_pieces.memberCount() + 2 * m_pieces.crossSetCount() : contactCount();
    m_record.sendContacts(m_backend, answer(), count);
    m_areContactsSent = true;
  }
  /// Sums over the joints of the last answer. @param without  replicas that do not count, or empty
  JointTotals jointTotals(const World& world, const ReplicaSet& without) const {
    if (world.scene->joints.empty() && m_registered.blocks.empty()) return {};
    const std::vector<double> z =
        fetched(m_backend, static_cast<const double*>(m_solver->best()), m_solver->rowCount());
    JointTotals totals = totalsOf(m_joints.view(), countOf(m_joints.blocks),
                                  z.data() + m_jointRows.firstRow(), {world, m_view.dt, nullptr}, without);
    if (!m_registered.blocks.empty())
      recordRegistered(m_registered.view(), countOf(m_registered.blocks),
                       z.data() + m_registeredRows.firstRow(), world, without, totals.groundImpulse,
                       totals.groundAngularImpulse);
    return totals;
  }
  /// Adds them, also after integration; starts their way now if that was not done.
  void addContacts(StepRecord& record) {
    if (!m_areContactsSent) sendContacts();
    m_record.addContacts(record);
  }

  /// Sets the model of the dense problems: those that are solved, if the solver takes them, and those of
  /// problems().
  void setModel(const ModelSettings& model) {
    m_model = model;
    m_solver->setModel(model);
  }
  /// Impulses of all rows that the next solve() starts from; between begin(), or beginAgain(), and solve().
  std::vector<double> start() const {
    return fetched(m_backend, m_solver->startImpulses(), m_solver->rowCount());
  }

  /// The problems of the islands as they were solved, with sets that refer to the contacts of the step.
  /// @param start  of the last solve()   @param takes  whether a problem of so many unknowns is wanted
  std::vector<IslandAnswer> problems(const std::vector<double>& start,
                                     const std::function<bool(int unknowns)>& takes) const {
    const std::vector<ModelSet> sets = fetchSets();
    std::vector<IslandAnswer> problems;
    for (DenseAnswer& answer : m_solver->answers(start, m_model, takes)) {
      IslandAnswer islandAnswer;
      for (const int unit : answer.problem.units)
        if (unit < countOf(sets)) islandAnswer.island.sets.push_back(sets[unit]);
      if (islandAnswer.island.sets.empty()) continue;  // joints alone
      static_cast<DenseProblem&>(islandAnswer.island) = std::move(answer.problem);
      islandAnswer.start = std::move(answer.start);
      islandAnswer.result = std::move(answer.result);
      problems.push_back(std::move(islandAnswer));
    }
    return problems;
  }

  /// The rows with their answer, for the inspector. After the last solve() of a step.
  RowsDetail detail() const {
    RowsDetail rows;
    rows.table = m_solver->tableNow();
    rows.impulses = fetched(m_backend, static_cast<const double*>(m_solver->best()), m_solver->rowCount());
    rows.keys = fetched(m_backend, m_solver->keys(), countOf(rows.table.rows.units));
    rows.slots.assign(rows.impulses.size(), -1);
    std::copy(m_jointSlots.begin(), m_jointSlots.end(), rows.slots.begin() + m_jointRows.firstRow());
    return rows;
  }

  /// Impulses that the next step starts from.
  auto& warmStart() { return m_solver->warmStart(); }

 private:
  template <class T>
  using Array = typename Backend::template Array<T>;

  /// The set of each row as it was solved, primary first.
  std::vector<ModelSet> fetchSets() const {
    std::vector<ModelSet> sets;
    const std::vector<Row> rows = fetched(m_backend, m_solver->table().rows, m_solver->rowCount());
    const detail::ContactLayout layout{m_contacts.perContact(), nullptr};
    if (!m_hasSets) {
      for (int contact = 0; contact < unitCount(); ++contact)
        sets.push_back({ConstraintType::U, {contact}, frictionOf(rows, layout.firstRowOf(contact))});
      return sets;
    }
    const FoundSets found = m_pieces.fetchSets();
    const std::vector<int> primaries =
        fetched(m_backend, static_cast<const int*>(m_primaries.data()), unitCount());
    const detail::ContactLayout ofSets{m_contacts.perContact(), found.sets.data()};
    for (int unit = 0; unit < countOf(found.sets); ++unit) {
      const SetRange& set = found.sets[unit];
      const int* first = found.members.data() + set.first;
      sets.push_back({set.type, {first, first + set.count}, frictionOf(rows, ofSets.firstRowOf(unit))});
      std::vector<int>& contacts = sets.back().contacts;
      std::iter_swap(contacts.begin(), std::find(contacts.begin(), contacts.end(), primaries[unit]));
    }
    return sets;
  }
  /// μ of a contact. @param row  of its normal
  double frictionOf(const std::vector<Row>& rows, int row) const {
    return m_contacts.perContact() > 1 ? rows[row + 1].bound : 0;
  }

  /// Contacts or sets: the first units of the table.
  int unitCount() const { return m_hasSets ? m_pieces.setCount() : contactCount(); }
  int contactCount() const { return m_exact ? m_exact->count : m_pieces.contactCount(); }

  void takeRows(const World& world, const std::vector<SolverSettings>& settings) {
    m_view = m_deviceWorld->view(world);
    findPresent(world);
    m_areContactsSent = false;
    m_contacts.find(m_backend, m_view, found(), unitCount(), m_hasSets ? m_pieces.sets() : nullptr,
                    m_hasSets ? m_pieces.memberCount() : 0);
    typename RowTable<Backend>::Kinds kinds{&m_contacts};
    if (m_jointRows.counts().blocks > 0) kinds.push_back(&m_jointRows);
    if (m_registeredRows.counts().blocks > 0) kinds.push_back(&m_registeredRows);
    m_solver->layOut(m_view, kinds, settings);
    if (!m_hasSets) return;
    m_choices.resize(m_solver->islandCount());
    m_primaries.resize(unitCount());
  }
  /// The rows of joints, where the step starts.
  void takeJoints(const World& world) {
    takeRegistered(world);
    if (world.scene->joints.empty()) return;
    m_view = m_deviceWorld->view(world);
    // Where the velocities of the last step lead, which differ from the answer by O(h): rows err by O(h²).
    std::vector<Vec3> linear = world.linearVelocity, angular = world.angularVelocity;
    writeJoints(world, {linear.data(), angular.data()});
  }
  /// The rows of joints: along the gradients of the start, with c where velocities lead.
  void writeJoints(const World& world, const CarrierVelocities& u) {
    m_joints.clear();
    JointSlots slots;
    JointBlocks joints{world, &slots, JointGradients::OfStart, m_drives, true};
    for (int joint = 0; joint < joints.count(); ++joint)
      joints.write(joint, {world, m_view.dt, &u}, m_joints);
    m_jointSlots.assign(m_joints.rows.size(), -1);
    setSlots(m_joints.view(), countOf(m_joints.blocks), slots, m_jointSlots);
    std::vector<RowKey> keys;
    for (const int slot : m_jointSlots) keys.push_back({slot, 0, 0, 0});
    m_jointRows.set(m_backend, m_joints, keys);
  }
  /// The rows of registered kinds, likewise.
  void takeRegistered(const World& world) {
    m_registered.clear();
    if (!hasRegisteredConstraints(world)) return;
    HostKinds kinds;
    addRegisteredKinds(world, kinds);
    const StateView start{world, m_deviceWorld->view(world).dt, nullptr, nullptr};
    kinds.write(start, m_registered);
    std::vector<RowKey> keys;
    for (const RowUnit& unit : m_registered.units)
      keys.push_back({unit.firstRow - m_registered.blocks[unit.block].firstRow, 0, 0, 0});
    m_registeredRows.set(m_backend, m_registered, keys);
  }
  RowsOfFound found() const {
    if (m_exact) return m_exact->found;
    return {m_pieces.pairs(), m_pieces.pairCount(),
            m_hasSets ? m_pieces.firstSetOfPair() : m_pieces.firstOfPair(), m_pieces.pieceBody()};
  }
  /// Replicas that are left out while others halve a step keep their memory.
  void findPresent(const World& world) {
    std::vector<int> present(m_view.replicaCount, 0);
    for (std::size_t body = 0; body < world.active.size(); ++body)
      if (world.active[body] && isDynamic(world, static_cast<int>(body)))
        present[(*world.constants)[body].replica] = 1;
    m_isOfSome = present.size() > 1 && std::count(present.begin(), present.end(), 0) > 0;
    if (m_isOfSome) m_backend.upload(present.data(), present.size(), m_present);
  }

  void chooseAll(PrimaryRule rule) {
    if (m_hasSets) fill(m_backend, m_choices.data(), m_solver->islandCount(), PrimaryChoice{rule, 0, 0});
  }

  /// Rows and start of the islands that are running, from velocities without contact.
  /// @param ofAll  rows of the others as well
  void startRows(bool ofAll = false) {
    m_jointRows.setStartsWarm(m_isWarm);
    m_registeredRows.setStartsWarm(m_isWarm);
    m_contacts.setSource(source(), m_isWarm, {m_solver->settings().velocityUnit, m_length},
                         m_primaries.data());
    m_solver->start(ofAll);
  }
  RowSource source() const {
    return {m_exact ? m_exact->rows : m_pieces.contacts(), m_hasSets ? m_pieces.sets() : nullptr,
            m_pieces.members(), m_choices.data(), !m_exact && m_isFirst};
  }
  void startRunningAgain() {
    m_solver->freeVelocities();
    startRows();
  }

  /// The velocities that an answer has without its contacts: what joints push, contacts did not.
  WorldView withoutContacts() {
    WorldView free = m_solver->free();
    if (m_joints.blocks.empty() && m_registered.blocks.empty()) return free;
    const int carriers = m_view.carrierCount;
    std::vector<Vec3> linear =
                          fetched(m_backend, static_cast<const Vec3*>(free.nextLinearVelocity), carriers),
                      angular =
                          fetched(m_backend, static_cast<const Vec3*>(free.nextAngularVelocity), carriers);
    const std::vector<double> inverseMass = fetched(m_backend, m_view.inverseMass, carriers),
                              z = fetched(m_backend, static_cast<const double*>(m_solver->best()),
                                          m_solver->rowCount());
    const std::vector<Mat3> inverseInertia = fetched(m_backend, m_view.inverseInertia, m_view.bodyCount);
    const auto push = [&](const RowBuffer& rows, int firstRow) {
      const RowsView view = rows.view();
      for (const RowUnit& unit : rows.units) {
        const double* const ofUnit = z.data() + firstRow + unit.firstRow;
        const int* const on = view.carriersOf(view.blocks[unit.block]);
        eachPush(
            view, unit, [ofUnit](int row) { return ofUnit[row]; },
            [&](int k, const Vec3& force, const Vec3& moment) {
              linear[on[k]] += inverseMass[on[k]] * force;
              if (on[k] < m_view.bodyCount) angular[on[k]] += inverseInertia[on[k]] * moment;
            });
      }
    };
    push(m_joints, m_jointRows.firstRow());
    push(m_registered, m_registeredRows.firstRow());
    m_backend.upload(linear.data(), linear.size(), m_heldLinear);
    m_backend.upload(angular.data(), angular.size(), m_heldAngular);
    free.nextLinearVelocity = m_heldLinear.data();
    free.nextAngularVelocity = m_heldAngular.data();
    return free;
  }
  /// Work of the impulses of an answer, whose velocities the bodies have [islands].
  const detail::RowWork* worksOfIslands() {
    m_work.resize(m_solver->blockCount());
    m_reducedWork.resize(m_solver->partialCount());
    forEach(m_backend, m_solver->blockCount(),
            detail::FindWork{m_view, withoutContacts(), m_solver->table(), source(),
                             m_hasSets ? m_primaries.data() : nullptr, m_contacts.perContact(),
                             m_solver->best(), m_work.data()},
            Work::Heavy);
    return m_solver->reducedByIsland(m_work, m_reducedWork);
  }

  /// After an answer, which is the bodies' velocities now: if there are sets, islands whose answer gains
  /// energy start again with other primaries, and, with a solver that can soften, those that are
  /// not solved.
  /// @return true if there is one; those are running
  bool startAgain() {
    if (!m_hasSets) return false;
    forEach(m_backend, m_solver->islandCount(),
            detail::RefuseAnswers{worksOfIslands(), m_solver->islands(), m_solver->failsWhereUnsolved(),
                                  m_choices.data(), m_solver->running()});
    if (m_solver->runningIslands() == 0) return false;
    startRunningAgain();
    return true;
  }

  RigidReport reportWithChoices() {
    RigidReport report;
    static_cast<RowSolverReport&>(report) = m_solver->report();
    if (!m_hasSets || report.islands == 0) return report;
    m_totals.resize(scratchForSum(report.islands));
    m_total.resize(1);
    forEach(m_backend, report.islands,
            detail::FindChoiceTotals{m_solver->islands(), m_choices.data(), m_totals.data()});
    sumOnDevice(m_backend, m_totals.data(), 1, report.islands, m_total.data());
    detail::ChoiceTotals totals;
    m_backend.download(m_total.data(), 1, &totals);
    report.rescued = totals.rescued;
    report.retries = totals.retries;
    report.withLargestGap = totals.withLargestGap;
    return report;
  }

  /// Passes the answer on to the next step as its start; an exact step does so after its last pass.
  void handOver() {
    if (m_exact) return;
    if (m_isOfSome)
      m_solver->remember(
          detail::SettledPairs{m_view, m_pieces.pieceBody(), m_jointBody.data(), m_present.data()});
    else
      m_solver->remember();
  }

  RowAnswer answer() const {
    return {m_view,
            m_planar,
            m_exact ? m_exact->rows : m_pieces.found(),
            m_exact ? m_exact->rows : m_pieces.contacts(),
            contactCount(),
            m_hasSets ? m_pieces.sets() : nullptr,
            m_pieces.members(),
            m_primaries.data(),
            m_hasSets ? m_pieces.crossSets() : nullptr,
            m_hasSets ? m_pieces.crossSetCount() : 0,
            m_pieces.memberCount(),
            unitCount(),
            m_pieces.endGaps(),
            m_solver->table(),
            m_solver->blockCount(),
            m_contacts.perContact(),
            m_solver->best(),
            m_exact || m_isPartial ? m_taken.data() : nullptr,
            m_length,
            m_solver->settings().velocityUnit,
            m_solver->hasPyramid()};
  }

  /// @param count  of replicas
  void takeAllBut(const ReplicaSet& others, std::size_t count) {
    std::vector<int> taken(count, 1);
    for (std::size_t replica = 0; replica < others.size(); ++replica)
      if (others[replica]) taken[replica] = 0;
    m_backend.upload(taken.data(), taken.size(), m_taken);
  }

  std::shared_ptr<DeviceWorldOn<Backend>> m_deviceWorld;
  Backend m_backend;
  bool m_hasSets, m_planar;
  ModelSettings m_model;
  double m_length;  ///< lengthOf() the scene [m]
  const NarrowPhase<Backend>& m_pieces;
  ContactRows<Backend> m_contacts;  ///< of the running step
  std::unique_ptr<RowSolver<Backend>> m_solver;
  SplitPushOut<Backend> m_pushOut;
  WorldView m_view;
  RowBuffer m_joints;             ///< of the running step
  std::vector<int> m_jointSlots;  ///< [rows of m_joints] JointConstraint::Slot
  DriveIntegration m_drives = DriveIntegration::Implicit;
  UploadedRows<Backend> m_jointRows;  ///< of the running step
  RowBuffer m_registered;             ///< of the running step: rows of registered kinds
  UploadedRows<Backend> m_registeredRows;
  Array<int> m_jointBody;          ///< [joints]
  Array<PrimaryChoice> m_choices;  ///< [islands], if there are sets
  Array<int> m_primaries;          ///< [units], if there are sets
  bool m_startsWarm = true;        ///< steps start from the last one's impulses …
  bool m_isWarm = true;            ///< … and these rows do
  bool m_isFirst = true;           ///< beginAgain() since begin()
  Array<detail::RowWork> m_work, m_reducedWork;
  Array<detail::ChoiceTotals> m_totals, m_total;
  RowRecord<Backend> m_record;
  bool m_areContactsSent = false;
  std::optional<LinearisedRows> m_exact;  ///< whose rows these are, in a pass of an exact step
  Array<IslandEnd> m_ends;
  Array<int> m_gains, m_gainPartials;
  Array<int> m_present;            ///< [replicaCount] 1: takes part
  bool m_isOfSome = false;         ///< not all do
  double m_largestGap = HUGE_VAL;  ///< of the joints at the last answer [m, rad]
  Array<int> m_taken;              ///< [replicaCount] 0: take the step in halves, or in another form
  bool m_isPartial = false;        ///< that matters, though the step is not exact
  Array<double> m_contactImpulses;
  Array<Vec3> m_heldLinear, m_heldAngular;  ///< [carriers] of withoutContacts()
};

}  // namespace touchstone
