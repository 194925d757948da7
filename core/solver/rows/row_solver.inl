#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/contact/complementarity/row_record.inl"
#include "core/contact/complementarity/row_work.inl"
#include "core/contact/complementarity/touching_pairs.inl"
#include "core/contact/peg/exact_pass_loops.inl"
#include "core/parallel/reduce.h"
#include "core/parallel/sum.h"
#include "core/scene/scale.h"
#include "core/solver/rows/island_loops.inl"
#include "core/solver/rows/row_solver.h"
#include "core/solver/rows/warm_start.inl"

namespace touchstone {

namespace detail {

struct WriteRowPair {  // one place of the sweeps per index
  BodiesOfPieces bodiesOf;
  const TouchingPair* touching;
  RowsOfPairs before;
  const GroupedItem* order;
  const int* island;
  RowPair* out;
  IslandRows* rows;
  TS_HD void operator()(int place) const {
    const TouchingPair& own = touching[order[place].item];
    const IndexPair bodies = bodiesOf(own.pair);
    const TouchingPair* last = before.find(own.pair);
    out[place] = {bodies.first,           bodies.second,          own.first,    own.count,
                  last ? last->first : 0, last ? last->count : 0, island[place]};
    rows[place] = {own.count, island[place]};
  }
};

struct MoreRows {
  TS_HD IslandRows operator()(const IslandRows& a, const IslandRows& b) const {
    if (a.rows != b.rows) return a.rows > b.rows ? a : b;
    return a.island < b.island ? a : b;
  }
};

/// What the answers of islands come to.
struct IslandTotals {
  int unsolved, rescued, retries, withLargestGap;
  double residual;
  TS_HD IslandTotals& operator+=(const IslandTotals& o) {
    unsolved += o.unsolved;
    rescued += o.rescued;
    retries += o.retries;
    withLargestGap += o.withLargestGap;
    RowExtremes::keep(o.residual, residual);
    return *this;
  }
};

struct FindIslandTotals {  // one island per index
  const IslandCurve* islands;
  const PrimaryChoice* forms;  // null: no sets
  IslandTotals* out;
  TS_HD void operator()(int island) const {
    const IslandCurve& own = islands[island];
    const PrimaryChoice form = forms ? forms[island] : PrimaryChoice{};
    out[island] = {own.isSolved() ? 0 : 1, own.isSolved() && form.wasUnsolved ? 1 : 0, form.isRetry,
                   form.rule == PrimaryRule::LargestGap ? 1 : 0, own.best.natural};
  }
};

struct IslandReport {
  IslandTotals all;
  IslandCurve told;
};

struct WriteIslandReport {
  const IslandTotals* all;
  const IslandCurve* islands;
  const IslandRows* reported;
  IslandReport* out;
  TS_HD void operator()(int) const { *out = {*all, islands[reported->island]}; }
};

}  // namespace detail

/// What all solvers without a matrix share: rows by pair and island, their start from the last step, the best
/// iterate of each island, and the record.
template <class Backend>
class RowSolverOn : public RowSolver {
 public:
  RowSolverOn(RowPer rows, const World& world, const std::shared_ptr<DeviceWorld>& deviceWorld,
              const NarrowPhase& pieces)
      : m_deviceWorld(worldOn<Backend>(deviceWorld)),
        m_backend(m_deviceWorld->backend()),
        m_hasSets(rows == RowPer::Set),
        m_planar(world.scene->planar),
        m_length(lengthOf(*world.scene)),
        m_pieces(dynamic_cast<const NarrowPhaseOn<Backend>&>(pieces)) {}

  void begin(const World& world, const std::vector<SolverSettings>& settings) override {
    m_exact = nullptr;
    m_isWarm = true;
    m_isPartial = false;
    takeRows(world, settings);
    fill(m_backend, m_running.data(), m_plan.islandCount(), 1);
    if (m_hasSets)
      fill(m_backend, m_forms.data(), m_plan.islandCount(), PrimaryChoice{PrimaryRule::Published, 0, 0});
    if (mayStartAgain()) keepVelocities(m_free);
    m_isFirst = true;
    startRows();
  }

  void beginPass(const World& world, const std::vector<SolverSettings>& settings, BranchEngine& rows,
                 bool isFirst) override {
    m_exact = &dynamic_cast<BranchEngineOn<Backend>&>(rows);
    std::swap(m_best, m_bestBefore);
    takeRows(world, settings);
    const int islands = m_plan.islandCount();
    const detail::RunningReplicas replicas = m_exact->replicas();
    forEach(m_backend, islands,
            detail::RunIslandsOfReplicas{m_plan.tree().firstPlaces(), m_pairs.data(), replicas,
                                         m_running.data()});
    forEach(m_backend, islands, detail::FreezeIsland{m_running.data(), m_islands.data()});
    forEach(m_backend, m_exact->found().count,
            detail::CarryImpulses{m_exact->found(), m_exact->branches(), replicas, m_bestBefore.data(),
                                  m_best.data()});
    forEach(m_backend, m_view.bodyCount,
            detail::FreeBodies{m_view, replicas, m_exact->freeLinear(), m_exact->freeAngular()});
    keepVelocities(m_free);
    m_isWarm = isFirst;
    startRows(true);
  }

  std::vector<IslandEnd> islandEnds() override {
    const int islands = m_plan.islandCount();
    m_ends.resize(static_cast<std::size_t>(islands));
    forEach(m_backend, islands,
            detail::FindIslandEnd{m_plan.tree().firstPlaces(), m_pairs.data(), m_exact->replicas(),
                                  m_islands.data(), m_ends.data()});
    std::vector<IslandEnd> ends =
        fetched(m_backend, static_cast<const IslandEnd*>(m_ends.data()), m_ends.size());
    ends.erase(std::remove_if(ends.begin(), ends.end(), [](const IslandEnd& end) { return end.replica < 0; }),
               ends.end());
    return ends;
  }

  void endPasses(const ReplicaSet& bisected) override {
    std::vector<int> taken(static_cast<std::size_t>(m_view.replicaCount), 1);
    for (std::size_t replica = 0; replica < bisected.size(); ++replica)
      if (bisected[replica]) taken[replica] = 0;
    m_backend.upload(taken.data(), taken.size(), m_taken);
    m_last.update(m_backend, {m_view, m_exact->found().pieceBody, m_taken.data()}, m_touching.data(),
                  m_touching.count(), m_keys.data(), m_contacts.data(), m_best.data(),
                  static_cast<int>(rowCount()));
  }

  void beginAgain() override {
    keepVelocities(m_before);
    layOutPairs();  // each with its rows of the last answer
    if (m_isFirst) fill(m_backend, m_running.data(), m_plan.islandCount(), 1);
    m_isFirst = false;
    fill(m_backend, m_forms.data(), m_plan.islandCount(), PrimaryChoice{PrimaryRule::LargestGap, 0, 0});
    startRunningAgain();
  }

  int movingIslands() override {
    forEach(m_backend, pairCount(),
            detail::FindChange{m_view, m_pairs.data(), m_before.linear.data(), m_before.angular.data(),
                               m_extremes.data()});
    forEach(m_backend, m_plan.islandCount(),
            detail::FindMoving{reducedByIsland(m_extremes, m_reduced), m_settings.velocityUnit,
                               m_running.data()});
    return runningIslands();
  }

  const double* contactImpulses() override {
    m_contactImpulses.resize(static_cast<std::size_t>(m_pieces.contactCount()));
    fill(m_backend, m_contactImpulses.data(), m_pieces.contactCount(), 0.0);
    forEach(m_backend, pairCount(),
            detail::FindContactImpulses{m_pairs.data(), m_hasSets ? m_primaries.data() : nullptr,
                                        m_best.data(), m_contactImpulses.data()});
    return m_contactImpulses.data();
  }
  void refuse(const ReplicaSet& replicas) override {
    std::vector<int> taken(replicas.size(), 1);
    for (std::size_t replica = 0; replica < replicas.size(); ++replica)
      if (replicas[replica]) taken[replica] = 0;
    m_backend.upload(taken.data(), taken.size(), m_taken);
    m_isPartial = true;
    forEach(m_backend, m_view.bodyCount,
            detail::FreeRefused{m_view, m_taken.data(), m_free.linear.data(), m_free.angular.data()});
  }

  void addQuantities(StepRecord& record) override { m_record.addQuantities(m_backend, answer(), record); }
  void sendContacts() override {
    const int count = m_hasSets ? m_pieces.memberCount() + 2 * m_pieces.crossSetCount() : contactCount();
    m_record.sendContacts(m_backend, answer(), count);
    m_areContactsSent = true;
  }
  void addContacts(StepRecord& record) override {
    if (!m_areContactsSent) sendContacts();
    m_record.addContacts(record);
  }

  std::vector<ModelSet> sets() const override {
    std::vector<ModelSet> sets;
    if (!m_hasSets) {
      for (int contact = 0; contact < static_cast<int>(rowCount()); ++contact)
        sets.push_back({ConstraintType::U, {contact}, 0});
      return sets;
    }
    const FoundSets found = m_pieces.fetchSets();
    const std::vector<int> primaries = fetchedRows(m_primaries.data());
    for (std::size_t row = 0; row < found.sets.size(); ++row) {
      const SetRange& set = found.sets[row];
      const int* first = found.members.data() + set.first;
      sets.push_back({set.type, {first, first + set.count}, 0});
      std::vector<int>& own = sets.back().contacts;
      std::swap(own.front(), *std::find(own.begin(), own.end(), primaries[row]));
    }
    return sets;
  }

  std::vector<Vec3> impulses() const override { return fetchedRows(m_best.data()); }
  std::vector<Vec3> start() const override { return fetchedRows(m_z.data()); }

  std::vector<int> rowOrder() const override {
    std::vector<int> order;
    for (const RowPair& pair : fetched(m_backend, m_pairs.data(), static_cast<std::size_t>(pairCount())))
      for (int k = 0; k < pair.count; ++k) order.push_back(pair.first + k);
    return order;
  }

  void reset() override { m_last.clear(); }
  void sendMemory() override { m_last.send(m_backend); }
  void keepMemory() override { m_last.keepSent(); }
  std::string keptMemory() override { return m_last.kept(); }
  void restoreMemory(const std::string& bytes) override { m_last.restore(m_backend, bytes); }

 protected:
  template <class T>
  using Array = typename Backend::template Array<T>;

  /// Whether an island can come to startRunningAgain(): what that starts from is kept.
  virtual bool mayStartAgain() const { return m_hasSets; }

  int pairCount() const { return m_plan.pairCount(); }
  std::size_t rowCount() const {
    return static_cast<std::size_t>(m_hasSets ? m_pieces.setCount() : contactCount());
  }

  /// After an answer, which is the bodies' velocities now: if there are sets, islands whose answer gained
  /// energy start again with other primaries.
  /// @param orUnsolved  those that were not solved as well   @return true if there is one; those are running
  bool startAgain(bool orUnsolved) {
    if (!m_hasSets) return false;
    m_work.resize(m_extremes.size());
    m_reducedWork.resize(m_reduced.size());
    WorldView free = m_view;
    free.nextLinearVelocity = m_free.linear.data();
    free.nextAngularVelocity = m_free.angular.data();
    forEach(m_backend, pairCount(),
            detail::FindWork{m_view, free, m_pairs.data(), m_contacts.data(), m_others.data(), m_best.data(),
                             m_work.data()},
            Work::Heavy);
    forEach(m_backend, m_plan.islandCount(),
            detail::RefuseAnswers{reducedByIsland(m_work, m_reducedWork), m_islands.data(), orUnsolved,
                                  m_forms.data(), m_running.data()});
    if (runningIslands() == 0) return false;
    startRunningAgain();
    return true;
  }

  /// Islands start again whose best iterate fails by more than this, as RowExtremes::scaled.
  /// @return how many; those are running
  int startPoorAgain(double limit) {
    forEach(m_backend, m_plan.islandCount(), detail::FindPoor{m_islands.data(), limit, m_running.data()});
    const int count = runningIslands();
    if (count > 0) startRunningAgain();
    return count;
  }

  /// Gives the bodies of running islands the velocities that they have without contact.
  void freeVelocities() const {
    forEach(m_backend, m_view.bodyCount,
            detail::UseVelocities{m_view, m_plan.islandOfBody(), m_running.data(), m_free.linear.data(),
                                  m_free.angular.data()});
  }

  /// The islands that are running, from velocities without contact.
  void startRunningAgain() {
    freeVelocities();
    startRows();
  }

  /// Rows and start of the islands that are running, from velocities without contact.
  /// @param ofAll  rows of the others as well
  void startRows(bool ofAll = false) {
    const RowSource source{m_exact ? m_exact->rows() : m_pieces.contacts(),
                           m_hasSets ? m_pieces.sets() : nullptr, m_pieces.members(), m_forms.data()};
    const detail::StartPair start{m_view,
                                  source,
                                  m_isWarm,
                                  ofAll,
                                  m_pairs.data(),
                                  m_running.data(),
                                  m_planar,
                                  m_settings.velocityUnit,
                                  m_last.keys(),
                                  m_last.impulses(),
                                  m_contacts.data(),
                                  m_others.data(),
                                  m_primaries.data(),
                                  m_keys.data(),
                                  m_z.data(),
                                  m_extremes.data()};
    forEach(m_backend, pairCount(), start, Work::Heavy);
    forEach(m_backend, m_plan.islandCount(),
            detail::StartIsland{reducedByIsland(m_extremes, m_reduced), m_plan.tree().firstPlaces(),
                                m_pairs.data(), m_view.bodies, m_limits.data(), m_running.data(),
                                m_islands.data()});
  }

  /// @param extremes  of all pairs   @return of all islands, in `partials`
  template <class Extremes>
  Extremes* reducedByIsland(const Array<Extremes>& extremes, Array<Extremes>& partials) const {
    return m_plan.tree().reduce(m_backend, extremes.data(), partials.data());
  }

  /// The loops of an iteration, over all islands. @param learned  what a device knows of it
  WideLoops<Backend> wideLoops(LaunchGraph<Backend>& learned) {
    return {m_backend, m_plan, m_rowCapacity, m_view.bodyCount, m_running.data(), m_partials, learned};
  }

  /// Takes the iteration on the islands that are running: small ones by a group of threads each, whose loops
  /// wait for no others, the others by loops over all of them.
  template <class Iteration>
  void iterateIslands(const Iteration& iteration, LaunchGraph<Backend>& learned) {
    const int islands = m_plan.islandCount();
    if (m_plan.largeCount() < islands) {
      detail::EachSmallIsland<Iteration> each{iteration, islandLists(), true, m_backend.mostPasses()};
      do {
        m_backend.runGroups(islands, static_cast<int>(rowCount()) / islands, each, Iteration::kThreads);
        each.isFirst = false;
      } while (m_backend.mostPasses() < kAllPasses && smallIslandsRun());
    }
    if (m_plan.largeCount() > 0) {
      const WideLoops<Backend> loops = wideLoops(learned);
      iteration.start(loops);
      for (int count = 0; iteration.advance(loops, count) > 0;) ++count;
    }
  }

  detail::Judgement judgement() {
    return {extremesOfRows(), m_pairs.data(),   m_places.data(), m_reported,   m_islands.data(),
            m_running.data(), m_history.data(), m_z.data(),      m_best.data()};
  }
  detail::ReducedExtremes<RowExtremes> extremesOfRows() {
    return {m_rowExtremes.data(), m_extremes.data(), m_reduced.data()};
  }

  int runningIslands() {
    return reduced(m_backend, static_cast<const int*>(m_running.data()), m_plan.islandCount(), 0, Together{},
                   m_partials);
  }

  /// For whom the answer is meant: the next step, or the review of an exact one.
  void handOver() {
    if (m_exact) {
      m_exact->takeAnswerOnDevice(m_best.data(), m_view);
      return;
    }
    if (m_isOfSome)
      m_last.update(m_backend, {m_view, m_pieces.pieceBody(), m_present.data()}, m_touching.data(),
                    m_touching.count(), m_keys.data(), m_contacts.data(), m_best.data(),
                    static_cast<int>(rowCount()));
    else
      m_last.set(m_backend, m_touching.data(), m_touching.count(), m_keys.data(), m_contacts.data(),
                 m_best.data(), static_cast<int>(rowCount()));
  }

  /// Replicas that take no part, while others take a step in halves, keep their memory.
  void findPresent(const World& world) {
    std::vector<int> present(static_cast<std::size_t>(m_view.replicaCount), 0);
    for (std::size_t body = 0; body < world.active.size(); ++body)
      if (world.active[body] && isDynamic(world, static_cast<int>(body)))
        present[static_cast<std::size_t>((*world.constants)[body].replica)] = 1;
    m_isOfSome = present.size() > 1 && std::count(present.begin(), present.end(), 0) > 0;
    if (m_isOfSome) m_backend.upload(present.data(), present.size(), m_present);
  }

  MatrixFreeReport report() {
    MatrixFreeReport report;
    report.islands = m_plan.islandCount();
    if (report.islands == 0) return report;
    m_totals.resize(scratchForSum(report.islands));
    m_total.resize(1);
    m_report.resize(1);
    const PrimaryChoice* forms = m_hasSets ? m_forms.data() : nullptr;
    forEach(m_backend, report.islands, detail::FindIslandTotals{m_islands.data(), forms, m_totals.data()});
    sumOnDevice(m_backend, m_totals.data(), 1, report.islands, m_total.data());
    forEach(m_backend, 1,
            detail::WriteIslandReport{m_total.data(), m_islands.data(), m_reported, m_report.data()});
    detail::IslandReport own;
    m_backend.download(m_report.data(), 1, &own);
    report.unsolved = own.all.unsolved;
    report.rescued = own.all.rescued;
    report.retries = own.all.retries;
    report.withLargestGap = own.all.withLargestGap;
    report.residual = own.all.residual;
    const IslandCurve& told = own.told;
    report.tolerance = told.limits.tolerance * told.denominator * told.largestScale;
    for (const RowExtremes& each :
         fetched(m_backend, m_history.data(), static_cast<std::size_t>(told.measured)))
      report.iterations.push_back({each.natural, each.scaled});
    return report;
  }

  std::shared_ptr<DeviceWorldOn<Backend>> m_deviceWorld;
  Backend m_backend;
  bool m_hasSets, m_planar;
  double m_length;               ///< lengthOf() the scene [m]
  SolverSettings m_settings;     ///< but for the limits of each replica
  int m_mostIterations = 0;      ///< of the replicas
  Array<SolverLimits> m_limits;  ///< [replicaCount]
  WorldView m_view;

  SweepPlan<Backend> m_plan;
  const IslandRows* m_reported = nullptr;  ///< [1] the island whose residuals are told

  Array<RowPair> m_pairs;
  int m_rowCapacity = 0;         ///< loopScratch()
  Array<RowPlace> m_places;      ///< [m_rowCapacity]
  Array<ContactRow> m_contacts;  ///< [rows]
  Array<SetMember> m_others;     ///< [members of the sets]
  Array<PrimaryChoice> m_forms;  ///< [islands], if there are sets
  Array<RowKey> m_keys;
  Array<Vec3> m_z, m_best;
  Array<RowExtremes> m_rowExtremes, m_extremes, m_reduced;  ///< of rows, of pairs, and reduced by island
  Array<RowExtremes> m_history;
  /// [bodyCount] velocities of all bodies.
  struct KeptVelocities {
    Array<Vec3> linear, angular;
  };
  KeptVelocities m_free;  ///< without contact, if mayStartAgain()
  Array<IslandCurve> m_islands;
  Array<int> m_running;   ///< [islands] those that the next loops are about
  Array<int> m_partials;  ///< room of reduced()

 private:
  int contactCount() const { return m_exact ? m_exact->rowCount() : m_pieces.contactCount(); }
  bool smallIslandsRun() {
    const int islands = m_plan.islandCount();
    m_small.resize(static_cast<std::size_t>(islands));
    forEach(m_backend, islands, detail::FlagSmall{m_running.data(), m_plan.isLarge(), m_small.data()});
    return reduced(m_backend, static_cast<const int*>(m_small.data()), islands, 0, Larger{}, m_partials) > 0;
  }
  /// Pairs, islands and places of the step's rows.
  void takeRows(const World& world, const std::vector<SolverSettings>& settings) {
    m_last.wait();  // what is on its way is written anew from here on
    takeSettings(settings);
    m_view = m_deviceWorld->view(world);
    findPresent(world);
    m_areContactsSent = false;
    m_touching.find(m_backend, m_view, found());
    m_plan.make(m_backend, m_view.bodyCount, m_touching.moving(), m_touching.count());
    reserve();
    layOutPairs();
  }
  RowsOfFound found() const {
    if (m_exact) return m_exact->found();
    return {m_pieces.pairs(), m_pieces.pairCount(),
            m_hasSets ? m_pieces.firstSetOfPair() : m_pieces.firstOfPair(), m_pieces.pieceBody()};
  }
  RowAnswer answer() const {
    return {m_view,
            m_planar,
            m_exact ? m_exact->rows() : m_pieces.found(),
            m_exact ? m_exact->rows() : m_pieces.contacts(),
            contactCount(),
            m_hasSets ? m_pieces.sets() : nullptr,
            m_pieces.members(),
            m_primaries.data(),
            m_hasSets ? m_pieces.crossSets() : nullptr,
            m_hasSets ? m_pieces.crossSetCount() : 0,
            m_pieces.memberCount(),
            static_cast<int>(rowCount()),
            m_pieces.endGaps(),
            m_pairs.data(),
            pairCount(),
            m_contacts.data(),
            m_best.data(),
            m_exact || m_isPartial ? m_taken.data() : nullptr,
            m_length,
            m_settings.velocityUnit};
  }

  void takeSettings(const std::vector<SolverSettings>& settings) {
    m_settings = settings.front();
    m_mostIterations = 0;
    std::vector<SolverLimits> limits;
    for (const SolverSettings& each : settings) {
      limits.push_back({each.tolerance, each.maxIterations, each.velocityUnit});
      m_mostIterations = std::max(m_mostIterations, each.maxIterations);
    }
    if (limits == m_sentLimits) return;
    m_backend.upload(limits.data(), limits.size(), m_limits);
    m_sentLimits = std::move(limits);
  }

  void keepVelocities(KeptVelocities& kept) const {
    const std::size_t bodies = static_cast<std::size_t>(m_view.bodyCount);
    kept.linear.resize(bodies);
    kept.angular.resize(bodies);
    copyWithin(m_backend, static_cast<const Vec3*>(m_view.nextLinearVelocity), m_view.bodyCount,
               kept.linear.data());
    copyWithin(m_backend, static_cast<const Vec3*>(m_view.nextAngularVelocity), m_view.bodyCount,
               kept.angular.data());
  }

  /// In the order of the sweeps, each with its rows of the last step.
  void layOutPairs() {
    forEach(
        m_backend, pairCount(),
        detail::WriteRowPair{detail::BodiesOfPieces{m_pieces.pieceBody()}, m_touching.data(), m_last.rows(),
                             m_plan.order(), m_plan.island(), m_pairs.data(), m_rows.data()});
    placeRows();
    if (m_plan.islandCount() > 0)
      m_reported = reducedOnDevice(m_backend, reducedByIsland(m_rows, m_reducedRows), m_plan.islandCount(),
                                   detail::MoreRows{});
  }

  detail::IslandLists islandLists() {
    const detail::FirstPlaces pairs = m_plan.tree().firstPlaces();
    return {pairs.places,      pairs.first,    m_plan.bodies().items(), m_plan.bodies().first(),
            m_firstRow.data(), m_plan.order(), m_plan.tree().one(),     m_plan.isLarge(),
            m_running.data()};
  }

  /// By island.
  void placeRows() {
    const GroupedItem* listed = m_plan.tree().firstPlaces().places;
    forEach(m_backend, pairCount(), detail::CountRowsOfPair{listed, m_pairs.data(), m_firstRow.data()});
    sumCounts(m_backend, pairCount(), m_firstRow.data());
    forEach(m_backend, pairCount(),
            detail::PlaceRows{listed, m_pairs.data(), m_firstRow.data(), m_places.data()});
    const int rows = static_cast<int>(rowCount());
    fill(m_backend, m_places.data() + rows, m_rowCapacity - rows, RowPlace{0, 0, 0, -1});
  }

  /// Rows come and go while a device knows loops by heart, each with its count: some more than there are, and
  /// the same as before where that will do.
  static int loopScratch(int rows, int before) {
    if (Backend::kOnHost) return rows;
    return rows > before || rows < before / 4 ? rows + rows / 4 : before;
  }

  void reserve() {
    const std::size_t rows = rowCount(), pairs = static_cast<std::size_t>(pairCount()),
                      islands = static_cast<std::size_t>(m_plan.islandCount());
    if (m_hasSets) {
      m_forms.resize(islands);
      m_primaries.resize(rows);
      m_others.resize(static_cast<std::size_t>(m_pieces.memberCount()));
    }
    m_rowCapacity = loopScratch(static_cast<int>(rows), m_rowCapacity);
    m_places.resize(static_cast<std::size_t>(m_rowCapacity));
    m_firstRow.resize(pairs + 1);
    m_rowExtremes.resize(rows);
    m_contacts.resize(rows);
    m_keys.resize(rows);
    m_z.resize(rows);
    m_best.resize(rows);
    m_extremes.resize(pairs);
    m_reduced.resize(m_plan.tree().capacity());
    m_pairs.resize(pairs);
    m_rows.resize(pairs);
    m_reducedRows.resize(m_reduced.size());
    m_islands.resize(islands);
    m_running.resize(islands);
    m_history.resize(static_cast<std::size_t>(m_mostIterations) + 1);
  }

  /// One of each row.
  template <class T>
  std::vector<T> fetchedRows(const T* items) const {
    return fetched(m_backend, items, rowCount());
  }

  const NarrowPhaseOn<Backend>& m_pieces;

  Array<int> m_firstRow;  ///< [pairCount + 1] of each pair by island: its first of m_places
  Array<detail::IslandTotals> m_totals, m_total;
  Array<detail::IslandReport> m_report;
  TouchingPairs<Backend> m_touching;  ///< of the running step
  WarmStart<Backend> m_last;          ///< of the last one
  Array<IslandRows> m_rows, m_reducedRows;
  std::vector<SolverLimits> m_sentLimits;
  Array<detail::RowWork> m_work, m_reducedWork;
  KeptVelocities m_before;  ///< of the last answer
  bool m_isFirst = true;    ///< beginAgain() since begin()
  RowRecord<Backend> m_record;
  bool m_areContactsSent = false;
  Array<int> m_primaries;  ///< [rows], if there are sets

  BranchEngineOn<Backend>* m_exact = nullptr;  ///< whose rows these are, in a pass of an exact step
  bool m_isWarm = true;                        ///< rows start from the last step's impulses
  Array<Vec3> m_bestBefore;                    ///< of the pass before
  Array<IslandEnd> m_ends;
  Array<int> m_small;        ///< [islands]
  Array<int> m_present;      ///< [replicaCount] 1: takes part
  bool m_isOfSome = false;   ///< not all do
  Array<int> m_taken;        ///< [replicaCount] 0: take the step in halves, or in another form
  bool m_isPartial = false;  ///< that matters, though the step is not exact
  Array<double> m_contactImpulses;
};

}  // namespace touchstone
