#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "core/parallel/frame_clock.h"
#include "core/parallel/reduce.h"
#include "core/parallel/sum.h"
#include "core/solver/dense/from_rows.h"
#include "core/solver/row_solver.h"
#include "core/solver/rows/host_table.h"
#include "core/solver/rows/rewriting.h"
#include "core/solver/table/row_table.inl"

namespace touchstone {

namespace detail {

/// Sums over the answers of islands.
struct IslandTotals {
  int unsolved, endedByBudget;
  double residual;
  TS_HD IslandTotals& operator+=(const IslandTotals& o) {
    unsolved += o.unsolved;
    endedByBudget += o.endedByBudget;
    RowExtremes::keep(o.residual, residual);
    return *this;
  }
};

struct FindIslandTotals {  // one island per index
  const IslandCurve* islands;
  IslandTotals* out;
  TS_HD void operator()(int island) const {
    const IslandCurve& curve = islands[island];
    out[island] = {curve.isAnswered() ? 0 : 1, curve.isAnswered() && !curve.isSolved() ? 1 : 0,
                   curve.best.natural};
  }
};

struct IslandReport {
  IslandTotals totals;
  IslandCurve curve;
};

struct WriteIslandReport {
  const IslandTotals* totals;
  const IslandCurve* islands;
  const IslandRows* reported;
  IslandReport* out;
  TS_HD void operator()(int) const { *out = {*totals, islands[reported->island]}; }
};

}  // namespace detail

template <class Backend>
class PushOut;  // core/solver/sweep/push_out.inl

/// The rows of a step on a backend and their complementarity problems, one for each island, solved at once.
/// Velocities are ν = ν̃ + H⁻¹ Fᵀ z. With w = constant + J ν + C z, products with A are impulses on carriers
/// and rates of rows, and need no matrix. Islands stop on their own and keep their best iterate. A solver
/// knows rows and no constraints: its caller names the kinds that write them (layOut(), start()), says which
/// islands run (running()), solves (solve()), and decides what follows from how an island ends (islands()).
///
///   SweepsOn: per row in turn z ← proj(z − w/r) (Macklin 2019, eqs. 13 and 16, for the disk).
///   A
///     row with members has the form 0 ≤ p ⊥ max_s ρ_s ≥ 0 (Williams 2017, eqs. 39 and 40, without their
///     slacks), with friction at its own contact. Velocities follow every change of an impulse at once.
///     Blocks of one colour are swept at once (RowStructure), rows of a block in turn.
///   NewtonRowsOn: damped semismooth Newton with an iterative linear solver, or with the matrix of an island.
///   A
///     row with members asks for the largest of its rates and has the derivative of its own, which keeps the
///     matrix symmetric.
///   NewtonOfCarriersOn: Newton on the velocities of the carriers, with a proximal point, on the host.
///   LemkeRowsOn: the stored problem of each island on the host.
///   AutoRowsOn: several of these in turn.
template <class Backend>
class RowSolver {
  friend class PushOut<Backend>;  // on the same table

 public:
  template <class T>
  using Array = typename Backend::template Array<T>;

  explicit RowSolver(const Backend& backend) : m_backend(backend) {}
  virtual ~RowSolver() = default;

  // The rows of a step, in this order:

  /// Blocks, islands and places of the step's rows. The velocities of the world are those without impulses.
  /// @param kinds  who writes them, in the order of their keys
  /// @param settings  [replicaCount], alike but for tolerance and maxIterations (sweeps of pgs)
  void layOut(const WorldView& world, const typename RowTable<Backend>::Kinds& kinds,
              const std::vector<SolverSettings>& settings) {
    m_warmStart.wait();  // what is on its way to the host is written over from here on
    takeSettings(settings);
    m_view = world;
    forgetAnswers();
    m_table.layOut(m_backend, world, kinds);
    reserve();
    layOutBlocks();
  }
  /// In the order of the sweeps, each with its units of the last step.
  void layOutBlocks() {
    m_table.place(m_backend, m_warmStart.blocks());
    if (islandCount() > 0)
      m_reported = reducedOnDevice(m_backend, reducedByIsland(m_table.rowsOfBlocks(), m_reducedRows),
                                   islandCount(), detail::MoreRows{});
  }
  /// Keeps the velocities that the carriers have, as those without impulses.
  void keepFree() { keepVelocities(m_free); }
  /// Writes rows and start of the islands that are running, from velocities without impulses.
  /// @param ofAll  rows of the others as well
  void start(bool ofAll) {
    m_table.write(m_backend, {{},
                              0,
                              m_running.data(),
                              ofAll,
                              nullptr,
                              m_warmStart.keys(),
                              m_warmStart.impulses(),
                              m_warmStart.places(),
                              m_keys.data(),
                              m_z.data()});
    startIslands();
  }
  /// Scales and curves of the islands that are running, with their rows and velocities as they are.
  void startIslands() {
    forEach(
        m_backend, blockCount(),
        detail::ScaleRows{table(), metric(), velocities(), m_running.data(), vectors(), m_extremes.data()},
        Work::Heavy);
    forEach(m_backend, islandCount(),
            detail::StartIsland{reducedByIsland(m_extremes, m_reduced), structure().tree().firstPlaces(),
                                table(), m_view, m_limits.data(), m_running.data(), m_islands.data()});
  }
  /// The islands that are running, from their start to their best iterate, whose velocities the carriers get.
  /// @param softness  added to the diagonal of A as a share of it: bounds the impulses of rows that
  /// contradict each other, which stay violated by that share of their response. 0 unless canSoften()
  virtual void solve(double softness) = 0;
  virtual bool canSoften() const { return false; }
  /// Number of islands whose answer is a compromise between rows that contradict each other.
  virtual int compromises() const { return 0; }
  /// True if an island that is not solved is a failure, which other primaries may mend; sweeps end early by
  /// design.
  virtual bool failsWhereUnsolved() const { return canSoften(); }
  /// The next solve() writes rows again at each iterate, with velocities as unknowns besides impulses; a
  /// solver that does not takes no notice. Its curves and tolerances are natural residuals.
  /// @param again  for as long as it solves; null: rows stay
  virtual void rewriteRows(const RowRewriting* /*again*/, const RewritingSettings& /*settings*/) {}
  /// Number of islands that have the answer of the softened problem, after solve() with softness.
  virtual int softened() { return runningIslands(); }
  /// True if its answer is bounded by a friction pyramid.
  virtual bool hasPyramid() const { return false; }
  virtual void setModel(const ModelSettings& /*model*/) {}
  virtual RowSolverReport report() { return reportOfIslands(); }
  /// The largest natural residual, with the impulses that are used, softened ones included [m/s]. After
  /// noteUnsolved().
  virtual double residualOfAnswers() { return reportOfIslands().residual; }
  /// The islands that are not solved by now are those that residualOfAnswers() looks at.
  virtual void noteUnsolved() {}

  /// Gives the carriers of running islands the velocities that they have without impulses.
  void freeVelocities() const {
    forEach(m_backend, m_view.carrierCount,
            detail::UseVelocities{velocities(), structure().islandOfCarrier(), m_running.data(),
                                  m_free.linear.data(), m_free.angular.data()});
  }
  /// @return how many islands are running
  int runningIslands() {
    return reduced(m_backend, static_cast<const int*>(m_running.data()), islandCount(), 0, Together{},
                   m_partials);
  }
  /// Islands run that fail by more than this, as RowExtremes::scaled. @return how many
  int runPoor(double limit) {
    forEach(m_backend, islandCount(), detail::FindPoor{m_islands.data(), limit, m_running.data()});
    return runningIslands();
  }
  void runAll() { fill(m_backend, m_running.data(), islandCount(), 1); }

  /// Keeps the velocities of this moment, for movingIslands().
  void keepBefore() { keepVelocities(m_before); }
  /// Islands run whose velocities have changed since keepBefore() by more than a share of
  /// velocityUnit + the largest. @return how many
  int movingIslands(double share) {
    forEach(m_backend, blockCount(),
            detail::FindChange{table(), velocities(), m_before.linear.data(), m_before.angular.data(),
                               m_extremes.data()});
    forEach(m_backend, islandCount(),
            detail::FindMoving{reducedByIsland(m_extremes, m_reduced), m_settings.velocityUnit, share,
                               m_running.data()});
    return runningIslands();
  }

  /// Remembers the answer as the next step's start.
  void remember() {
    m_warmStart.set(m_backend, m_table.keyedBlocks(), m_table.counts().blocks, m_keys.data(), table(),
                    m_best.data(), m_table.counts().units);
  }
  /// The same for the blocks that are settled; the others keep what they have. @param settled  of a BlockKey
  template <class Settled>
  void remember(const Settled& settled) {
    m_warmStart.update(m_backend, settled, m_table.keyedBlocks(), m_table.counts().blocks, m_keys.data(),
                       table(), m_best.data(), m_table.counts().units);
  }
  WarmStart<Backend>& warmStart() { return m_warmStart; }

  /// Keeps the impulses of the answer aside, before layOut() writes over them.
  void keepBest() { std::swap(m_best, m_bestBefore); }
  /// The stored problems of all islands with start and answer, for the inspector. After keepFree() and
  /// solve().
  /// @param start  of each row   @param takes  whether a problem of so many unknowns is wanted
  std::vector<DenseAnswer> answers(const std::vector<double>& start, const ModelSettings& model,
                                   const std::function<bool(int unknowns)>& takes) const {
    HostTable rows;
    fetchTable(m_free.linear.data(), m_free.angular.data(), rows);
    return answersOf(rows, start, fetched(m_backend, m_best.data(), rowCount()), model, takes);
  }

  /// The table on the host with the velocities of the running step.
  HostTable tableNow() const {
    HostTable rows;
    fetchTable(m_view.nextLinearVelocity, m_view.nextAngularVelocity, rows);
    return rows;
  }
  const RowKey* keys() const { return m_keys.data(); }  ///< [units]

  double* best() { return m_best.data(); }
  const double* bestBefore() const { return m_bestBefore.data(); }

  /// Reduces the figures of blocks to one of all islands. @return that figure, in `partials`
  template <class Extremes>
  Extremes* reducedByIsland(const Array<Extremes>& extremes, Array<Extremes>& partials) const {
    return structure().tree().reduce(m_backend, extremes.data(), partials.data());
  }
  /// Items that the second array of reducedByIsland() needs.
  std::size_t partialCount() const { return structure().tree().capacity(); }

  int blockCount() const { return m_table.counts().blocks; }
  int islandCount() const { return structure().islandCount(); }
  int rowCount() const { return m_table.counts().rows; }
  RowsView table() const { return m_table.view(); }
  CarrierMetric metric() const { return m_table.metric(); }
  /// Velocities of the running step.
  CarrierVelocities velocities() const { return {m_view.nextLinearVelocity, m_view.nextAngularVelocity}; }
  detail::FirstPlaces firstPlaces() const { return structure().tree().firstPlaces(); }
  double* startImpulses() { return m_z.data(); }
  /// Impulses that solve() starts from, after start(). @param z  [rows]
  void setStart(const std::vector<double>& z) { m_backend.upload(z.data(), z.size(), m_z); }
  IslandCurve* islands() { return m_islands.data(); }
  int* running() { return m_running.data(); }
  /// @param islands  [islandCount()] 1: those that run
  void run(const std::vector<int>& islands) { m_backend.upload(islands.data(), islands.size(), m_running); }
  /// The world with the velocities without impulses, after keepFree().
  WorldView free() {
    WorldView view = m_view;
    view.nextLinearVelocity = m_free.linear.data();
    view.nextAngularVelocity = m_free.angular.data();
    return view;
  }
  const SolverSettings& settings() const { return m_settings; }

 protected:
  /// Why an island is not solved: a sentence without its end.
  virtual std::string failure() const = 0;
  /// The stored problems that answers() gives, from the table on the host.
  virtual std::vector<DenseAnswer> answersOf(HostTable& table, const std::vector<double>& start,
                                             const std::vector<double>& best, const ModelSettings& model,
                                             const std::function<bool(int unknowns)>& takes) const {
    const std::vector<std::vector<int>> units = table.unitsByBlock();  // as sweeps take them
    std::vector<DenseAnswer> answers;
    for (const std::vector<int>& ofIsland : units) {
      if (!takes(unknownCount(table.view(), ofIsland, model))) continue;
      DenseAnswer answer;
      answer.problem = denseProblem(table.view(), table.metric(), table.velocities(), ofIsland, model);
      answer.start = unknownsOf(table.view(), answer.problem, start.data());
      answer.result.z = unknownsOf(table.view(), answer.problem, best.data());
      answer.result.residual = naturalResidual(answer.problem.problem, answer.result.z);
      answers.push_back(std::move(answer));
    }
    return answers;
  }
  /// The rows are others from here on.
  virtual void forgetAnswers() {}
  /// Iterates of a curve that there is room for.
  virtual int historyRoom() const { return m_mostIterations + 1; }

  /// The table on the host. @param linear, angular  velocities of its carriers, on the backend
  void fetchTable(const Vec3* linear, const Vec3* angular, HostTable& rows) const {
    const int carriers = m_view.carrierCount;
    m_table.fetch(m_backend, rows.rows);
    rows.inverseMass = fetched(m_backend, metric().inverseMass, carriers);
    rows.inverseInertia = fetched(m_backend, metric().inverseInertia, carriers);
    rows.linear = fetched(m_backend, linear, carriers);
    rows.angular = fetched(m_backend, angular, carriers);
    rows.islandCount = islandCount();
  }
  const RowStructure<Backend>& structure() const { return m_table.structure(); }
  RowVectors vectors() { return {m_z.data(), m_scale.data(), m_inverse.data(), m_rates.data()}; }
  /// Arrays that every iteration reads or writes, for graphs of launches.
  std::vector<const void*> arrays() const {
    const RowsView rows = table();
    return {m_view.nextLinearVelocity,
            m_view.nextAngularVelocity,
            metric().inverseMass,
            metric().inverseInertia,
            rows.blocks,
            rows.carriers,
            rows.rows,
            rows.terms,
            rows.points,
            rows.frames,
            rows.units,
            m_table.places(),
            m_z.data(),
            m_best.data(),
            m_scale.data(),
            m_inverse.data(),
            m_rates.data(),
            m_unitExtremes.data(),
            m_extremes.data(),
            m_reduced.data(),
            m_reported,
            m_history.data(),
            m_islands.data(),
            m_running.data()};
  }

  /// The loops of an iteration, over all islands. @param learned  what a device knows of it
  WideLoops<Backend> wideLoops(LaunchGraph<Backend>& learned, Work blockWork = Work::Heavy) {
    return {m_backend, structure(), m_table.unitCapacity(), m_running.data(), m_partials, learned, blockWork};
  }

  /// Takes the iteration on the islands that are running: small ones by a group of threads each, whose loops
  /// wait for no others, the others by loops over all of them.
  template <class Iteration>
  void iterateIslands(const Iteration& iteration, LaunchGraph<Backend>& learned) {
    const int islands = structure().islandCount();
    constexpr bool kHasGroups = Backend::kOnHost || !kNeedsHost<Iteration>;
    if constexpr (kHasGroups) {
      if (structure().largeCount() < islands) iterateSmallIslands(iteration);
    }
    if (structure().largeCount() > 0 || (!kHasGroups && islands > 0)) {
      const WideLoops<Backend> loops = wideLoops(learned, kNeedsHost<Iteration> ? Work::Light : Work::Heavy);
      iteration.start(loops);
      for (int count = 0; iteration.advance(loops, count) > 0; ++count) checkFrameClock();
    }
  }

  detail::Judgement judgement() {
    return {extremesOfUnits(), table().blocks,   m_table.places(), m_reported,   m_islands.data(),
            m_running.data(),  m_history.data(), m_z.data(),       m_best.data()};
  }
  detail::ReducedExtremes<RowExtremes> extremesOfUnits() {
    return {m_unitExtremes.data(), m_extremes.data(), m_reduced.data()};
  }

  /// Number of the island whose curve is reported; there is one. Waits.
  int reportedIsland() const {
    IslandRows reported;
    m_backend.download(m_reported, 1, &reported);
    return reported.island;
  }
  RowSolverReport reportOfIslands() {
    RowSolverReport report;
    report.islands = structure().islandCount();
    if (report.islands == 0) return report;
    m_totals.resize(scratchForSum(report.islands));
    m_total.resize(1);
    m_report.resize(1);
    forEach(m_backend, report.islands, detail::FindIslandTotals{m_islands.data(), m_totals.data()});
    sumOnDevice(m_backend, m_totals.data(), 1, report.islands, m_total.data());
    forEach(m_backend, 1,
            detail::WriteIslandReport{m_total.data(), m_islands.data(), m_reported, m_report.data()});
    detail::IslandReport islandReport;
    m_backend.download(m_report.data(), 1, &islandReport);
    report.unsolved = islandReport.totals.unsolved;
    report.endedByBudget = islandReport.totals.endedByBudget;
    report.residual = islandReport.totals.residual;
    if (report.unsolved > 0) {
      report.worst = SolveStatus::NotConverged;
      report.message = failure();
    }
    const IslandCurve& curve = islandReport.curve;
    report.tolerance = curve.limits.tolerance * curve.denominator * curve.largestScale;
    for (const RowExtremes& extremes : fetched(m_backend, m_history.data(), curve.measured))
      report.iterations.push_back({extremes.natural, extremes.scaled});
    return report;
  }

  Backend m_backend;
  SolverSettings m_settings;  ///< but for the limits of each replica
  std::vector<SolverSettings> m_ofReplicas;
  int m_mostIterations = 0;      ///< of the replicas
  Array<SolverLimits> m_limits;  ///< [replicaCount]
  WorldView m_view;
  RowTable<Backend> m_table;
  const IslandRows* m_reported = nullptr;  ///< [1] the island whose residuals are reported

  Array<RowKey> m_keys;                                      ///< [units]
  Array<double> m_z, m_best, m_scale, m_inverse, m_rates;    ///< [rows]
  Array<RowExtremes> m_unitExtremes, m_extremes, m_reduced;  ///< of units, of blocks, and reduced by island
  Array<RowExtremes> m_history;
  Array<IslandCurve> m_islands;
  Array<int> m_running;   ///< [islands] those that the next loops are about
  Array<int> m_partials;  ///< scratch of reduced()

 private:
  template <class Iteration>
  void iterateSmallIslands(const Iteration& iteration) {
    const int islands = structure().islandCount();
    detail::EachSmallIsland<Iteration> smallIsland{iteration, islandLists(), true, m_backend.mostPasses()};
    do {
      m_backend.runGroups(islands, m_table.counts().units / islands, smallIsland, Iteration::kThreads);
      smallIsland.isFirst = false;
      checkFrameClock();
    } while (m_backend.mostPasses() < kAllPasses && smallIslandsRun());
  }

  /// [carrierCount] velocities.
  struct KeptVelocities {
    Array<Vec3> linear, angular;
  };

  void keepVelocities(KeptVelocities& kept) const {
    const int carriers = m_view.carrierCount;
    kept.linear.resize(carriers);
    kept.angular.resize(carriers);
    copyWithin(m_backend, static_cast<const Vec3*>(m_view.nextLinearVelocity), carriers, kept.linear.data());
    copyWithin(m_backend, static_cast<const Vec3*>(m_view.nextAngularVelocity), carriers,
               kept.angular.data());
  }

  bool smallIslandsRun() {
    const int islands = structure().islandCount();
    m_small.resize(islands);
    forEach(m_backend, islands, detail::FlagSmall{m_running.data(), structure().isLarge(), m_small.data()});
    return reduced(m_backend, static_cast<const int*>(m_small.data()), islands, 0, Larger{}, m_partials) > 0;
  }

  void takeSettings(const std::vector<SolverSettings>& settings) {
    m_settings = settings.front();
    m_ofReplicas = settings;
    m_mostIterations = 0;
    std::vector<SolverLimits> limits;
    for (const SolverSettings& replicaSettings : settings) {
      limits.push_back(
          {replicaSettings.tolerance, replicaSettings.maxIterations, replicaSettings.velocityUnit});
      m_mostIterations = std::max(m_mostIterations, replicaSettings.maxIterations);
    }
    if (limits == m_sentLimits) return;
    m_backend.upload(limits.data(), limits.size(), m_limits);
    m_sentLimits = std::move(limits);
  }

  detail::IslandLists islandLists() {
    const detail::FirstPlaces blocks = structure().tree().firstPlaces();
    const Grouping<Backend>& carriers = structure().carriersOfIslands();
    return {blocks.places,        blocks.first,        carriers.items(),         carriers.first(),
            m_table.firstUnits(), structure().order(), structure().tree().one(), structure().isLarge(),
            m_running.data()};
  }

  void reserve() {
    const RowCounts& counts = m_table.counts();
    const int islands = islandCount();
    m_keys.resize(counts.units);
    for (Array<double>* vector : {&m_z, &m_best, &m_scale, &m_inverse, &m_rates}) vector->resize(counts.rows);
    m_unitExtremes.resize(counts.units);
    m_extremes.resize(counts.blocks);
    m_reduced.resize(partialCount());
    m_reducedRows.resize(m_reduced.size());
    m_islands.resize(islands);
    m_running.resize(islands);
    m_history.resize(historyRoom());
  }

  KeptVelocities m_free;    ///< without impulses
  KeptVelocities m_before;  ///< see keepBefore()
  Array<detail::IslandTotals> m_totals, m_total;
  Array<detail::IslandReport> m_report;
  WarmStart<Backend> m_warmStart;
  Array<IslandRows> m_reducedRows;
  std::vector<SolverLimits> m_sentLimits;
  Array<double> m_bestBefore;  ///< see keepBest()
  Array<int> m_small;          ///< [islands]
};

}  // namespace touchstone
