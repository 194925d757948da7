#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "core/parallel/frame_clock.h"
#include "core/parallel/reduce.h"
#include "core/parallel/sum.h"
#include "core/solver/dense/dense_islands.h"
#include "core/solver/row_solver.h"
#include "core/solver/rows/island_loops.inl"
#include "core/solver/rows/warm_start.inl"

namespace touchstone {

namespace detail {

/// Sums over the answers of islands.
struct IslandTotals {
  int unsolved;
  double residual;
  TS_HD IslandTotals& operator+=(const IslandTotals& o) {
    unsolved += o.unsolved;
    RowExtremes::keep(o.residual, residual);
    return *this;
  }
};

struct FindIslandTotals {  // one island per index
  const IslandCurve* islands;
  IslandTotals* out;
  TS_HD void operator()(int island) const {
    const IslandCurve& curve = islands[island];
    out[island] = {curve.isSolved() ? 0 : 1, curve.best.natural};
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

/// The blocks of a step's rows, on a backend. One without rows couples its carriers.
struct RowBlocks {
  const RowBlock* blocks;   ///< [count] in the order of their keys
  const IndexPair* moving;  ///< [count] their carriers, ascending, −1 in the place of one that does not move
  int count;
  int rowCount, memberCount;  ///< of all blocks; of their SetMembers
};

/// The rows of a step on a backend and their complementarity problems, one for each island, solved at once.
/// With ν = ν̃ + M⁻¹ F z and w = rates + Jᵀν, products with A are impulses on carriers and rates of rows, and
/// need no matrix. Islands stop on their own and keep their best iterate. A solver knows rows and no
/// contacts: its caller lays out blocks of rows (layOut()), writes them (start()), says which islands run
/// (running()), solves (solve()), and decides what follows from how an island ends (islands()).
///
///   ProjectedGaussSeidelOn: per row in turn p ← max(0, p − w_n / A_nn), β ← proj(β − w_t / r) onto |β| ≤ μ p
///     (Macklin 2019, eqs. 13 and 16, for the disk). A row with members has the form 0 ≤ p ⊥ max_s ρ_s ≥ 0
///     (Williams 2017, eqs. 39 and 40, without their slacks), with friction at its own contact. Velocities
///     follow every change of an impulse at once. Blocks of one colour are swept at once (SweepPlan), rows of
///     a block in turn.
///   NewtonRowsOn: solveNewtonFb(), solveNewtonMin() with an iterative linear solver. One row for each
///     contact, and with friction those of its tangents (DiskRows). A row with members asks for the largest
///     of its rates and has the derivative of its own, which keeps the matrix symmetric.
///   DenseRowsOn: every ComplementaritySolver, with the dense matrix of each island on the host.
template <class Backend>
class RowSolver {
 public:
  template <class T>
  using Array = typename Backend::template Array<T>;

  RowSolver(const Backend& backend, bool planar) : m_backend(backend), m_planar(planar) {}
  virtual ~RowSolver() = default;

  // The rows of a step, in this order:

  /// Pairs, islands and places of the step's rows. The velocities of the world are those without contact.
  /// @param settings  [replicaCount], alike but for tolerance and maxIterations (sweeps of pgs); linear: one
  /// that isOnBackend(), for Newton's solvers
  void layOut(const WorldView& world, const RowBlocks& blocks, const std::vector<SolverSettings>& settings) {
    m_warmStart.wait();  // what is on its way to the host is written over from here on
    takeSettings(settings);
    m_view = world;
    m_blocks = blocks;
    forgetAnswers();
    m_plan.make(m_backend, m_view.bodyCount, blocks.moving, blocks.count);
    reserve();
    layOutPairs();
  }
  /// In the order of the sweeps, each with its rows of the last step.
  void layOutPairs() {
    forEach(m_backend, pairCount(),
            detail::WriteRowPair{m_blocks.blocks, m_warmStart.rows(), m_plan.order(), m_plan.island(),
                                 m_pairs.data(), m_rowsOfPairs.data()});
    placeRows();
    if (m_plan.islandCount() > 0)
      m_reported = reducedOnDevice(m_backend, reducedByIsland(m_rowsOfPairs, m_reducedRows),
                                   m_plan.islandCount(), detail::MoreRows{});
  }
  /// Keeps the velocities that the bodies have, as those without contact.
  void keepFree() { keepVelocities(m_free); }
  /// Writes rows and start of the islands that are running, from velocities without contact.
  /// @param writer  a loop over pairs, see RowWriting
  template <class Writer>
  void start(const Writer& writer) {
    forEach(m_backend, pairCount(), writer, Work::Heavy);
    forEach(m_backend, islandCount(),
            detail::StartIsland{reducedByIsland(m_extremes, m_reduced), m_plan.tree().firstPlaces(),
                                m_pairs.data(), m_view.bodies, m_limits.data(), m_running.data(),
                                m_islands.data()});
  }
  RowWriting writing() {
    return {m_pairs.data(),   m_running.data(), m_warmStart.keys(), m_warmStart.impulses(), m_rows.data(),
            m_members.data(), m_keys.data(),    m_z.data(),         m_extremes.data()};
  }
  /// The islands that are running, from their start to their best iterate, whose velocities the bodies get.
  /// @param softness  added to the diagonal of A as a share of it: bounds the impulses of rows that
  /// contradict each other, which stay violated by that share of their response. 0 unless canSoften()
  virtual void solve(double softness) = 0;
  virtual bool canSoften() const { return false; }
  /// Number of islands that have the answer of the softened problem, after solve() with softness.
  virtual int softened() { return runningIslands(); }
  /// True if it solves dense problems on the host: those of setModel().
  virtual bool isDense() const { return false; }
  virtual void setModel(const ModelSettings& /*model*/) {}
  /// Constraint rows other than contacts, of bodies that blocks couple, for a solver that isDense(). Other
  /// solvers take none. They stay until the next call.
  virtual void setConstraints(std::vector<ConstraintRow> /*rows*/) {}
  /// Their impulses by the last answer [N·s, N·m·s].
  virtual const std::vector<double>& constraintImpulses() const {
    static const std::vector<double> none;
    return none;
  }
  virtual RowSolverReport report() { return reportOfIslands(); }
  /// The largest natural residual, with the impulses that are used, softened ones included [m/s]. After
  /// noteUnsolved().
  virtual double residualOfAnswers() { return reportOfIslands().residual; }
  /// The islands that are not solved by now are those that residualOfAnswers() looks at.
  virtual void noteUnsolved() {}

  /// Gives the bodies of running islands the velocities that they have without contact.
  void freeVelocities() const {
    forEach(m_backend, m_view.bodyCount,
            detail::UseVelocities{m_view, m_plan.islandOfBody(), m_running.data(), m_free.linear.data(),
                                  m_free.angular.data()});
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
    forEach(m_backend, pairCount(),
            detail::FindChange{m_view, m_pairs.data(), m_before.linear.data(), m_before.angular.data(),
                               m_extremes.data()});
    forEach(m_backend, islandCount(),
            detail::FindMoving{reducedByIsland(m_extremes, m_reduced), m_settings.velocityUnit, share,
                               m_running.data()});
    return runningIslands();
  }

  /// Remembers the answer as the next step's start.
  void remember() {
    m_warmStart.set(m_backend, m_blocks.blocks, m_blocks.count, m_keys.data(), m_rows.data(), m_best.data(),
                    rowCount());
  }
  /// The same for the blocks that are settled; the others keep what they have. @param settled  of a BlockKey
  template <class Settled>
  void remember(const Settled& settled) {
    m_warmStart.update(m_backend, settled, m_blocks.blocks, m_blocks.count, m_keys.data(), m_rows.data(),
                       m_best.data(), rowCount());
  }
  WarmStart<Backend>& warmStart() { return m_warmStart; }

  /// Keeps the impulses of the answer aside, before layOut() writes over them.
  void keepBest() { std::swap(m_best, m_bestBefore); }
  /// The dense problems of all islands with start and answer, for the inspector. After keepFree() and
  /// solve().
  /// @param start  (p, β1, β2) of each row   @param takes  whether a problem of so many unknowns is wanted
  std::vector<DenseAnswer> answers(const std::vector<Vec3>& start, const ModelSettings& model,
                                   const std::function<bool(int unknowns)>& takes) const {
    const std::size_t bodies = m_view.bodyCount;
    const HostRows hostRows = fetchRows();
    const std::vector<Vec3> impulses = fetched(m_backend, m_best.data(), rowCount());
    HostBodies free{fetched(m_backend, m_view.inverseMass, bodies),
                    fetched(m_backend, static_cast<const Mat3*>(m_view.inverseInertia), bodies),
                    fetched(m_backend, m_free.linear.data(), bodies),
                    fetched(m_backend, m_free.angular.data(), bodies)};
    std::vector<DenseAnswer> answers;
    const std::vector<IslandOfRows> islands = islandsOf(hostRows, islandCount(), !isDense());
    for (std::size_t index = 0; index < islands.size(); ++index) {
      if (islands[index].rows.empty()) continue;  // joints alone
      if (!takes(unknownsOf(hostRows, islands[index], model))) continue;
      DenseAnswer answer{
          islands[index], problemOf(free.view(), hostRows, islands[index], index, model), {}, {}};
      if (const SolvedIsland* solved = solvedIsland(index)) {
        answer.start = solved->start;
        answer.result = solved->result;
      } else {
        answer.start = unknownsOf(hostRows, islands[index], answer.problem, start, model);
        answer.result.z = unknownsOf(hostRows, islands[index], answer.problem, impulses, model);
        answer.result.residual = naturalResidual(answer.problem.problem, answer.result.z);
      }
      answers.push_back(std::move(answer));
    }
    return answers;
  }

  Vec3* best() { return m_best.data(); }
  const Vec3* bestBefore() const { return m_bestBefore.data(); }

  /// Reduces the figures of pairs to one of all islands. @return that figure, in `partials`
  template <class Extremes>
  Extremes* reducedByIsland(const Array<Extremes>& extremes, Array<Extremes>& partials) const {
    return m_plan.tree().reduce(m_backend, extremes.data(), partials.data());
  }
  /// Items that the second array of reducedByIsland() needs.
  std::size_t partialCount() const { return m_plan.tree().capacity(); }

  int pairCount() const { return m_plan.pairCount(); }
  int islandCount() const { return m_plan.islandCount(); }
  int rowCount() const { return m_blocks.rowCount; }
  const RowPair* pairs() const { return m_pairs.data(); }
  detail::FirstPlaces firstPlaces() const { return m_plan.tree().firstPlaces(); }
  const ContactRow* rows() const { return m_rows.data(); }
  const SetMember* members() const { return m_members.data(); }
  const Vec3* startImpulses() const { return m_z.data(); }
  IslandCurve* islands() { return m_islands.data(); }
  int* running() { return m_running.data(); }
  /// The world with the velocities without contact, after keepFree().
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
  /// The solution of an island, if more is known than its impulses; or null.
  virtual const SolvedIsland* solvedIsland(std::size_t /*island*/) const { return nullptr; }
  /// The problem of an island from velocities without contact.
  virtual DenseProblem problemOf(const WorldView& free, const HostRows& hostRows, const IslandOfRows& island,
                                 std::size_t /*index*/, const ModelSettings& model) const {
    return denseProblem(free, hostRows, island, model);
  }
  /// The rows are others from here on.
  virtual void forgetAnswers() {}

  HostRows fetchRows() const {
    return {fetched(m_backend, m_pairs.data(), pairCount()), fetched(m_backend, m_rows.data(), rowCount()),
            fetched(m_backend, m_members.data(), m_blocks.memberCount)};
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
      detail::EachSmallIsland<Iteration> smallIsland{iteration, islandLists(), true, m_backend.mostPasses()};
      do {
        m_backend.runGroups(islands, rowCount() / islands, smallIsland, Iteration::kThreads);
        smallIsland.isFirst = false;
        checkFrameClock();
      } while (m_backend.mostPasses() < kAllPasses && smallIslandsRun());
    }
    if (m_plan.largeCount() > 0) {
      const WideLoops<Backend> loops = wideLoops(learned);
      iteration.start(loops);
      for (int count = 0; iteration.advance(loops, count) > 0; ++count) checkFrameClock();
    }
  }

  detail::Judgement judgement() {
    return {extremesOfRows(), m_pairs.data(),   m_places.data(), m_reported,   m_islands.data(),
            m_running.data(), m_history.data(), m_z.data(),      m_best.data()};
  }
  detail::ReducedExtremes<RowExtremes> extremesOfRows() {
    return {m_rowExtremes.data(), m_extremes.data(), m_reduced.data()};
  }

  RowSolverReport reportOfIslands() {
    RowSolverReport report;
    report.islands = m_plan.islandCount();
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
  bool m_planar;
  SolverSettings m_settings;     ///< but for the limits of each replica
  int m_mostIterations = 0;      ///< of the replicas
  Array<SolverLimits> m_limits;  ///< [replicaCount]
  WorldView m_view;
  RowBlocks m_blocks{};

  SweepPlan<Backend> m_plan;
  const IslandRows* m_reported = nullptr;  ///< [1] the island whose residuals are reported

  Array<RowPair> m_pairs;
  int m_rowCapacity = 0;     ///< see loopCapacity()
  Array<RowPlace> m_places;  ///< [m_rowCapacity]
  Array<ContactRow> m_rows;  ///< [rows]
  Array<SetMember> m_members;
  Array<RowKey> m_keys;
  Array<Vec3> m_z, m_best;
  Array<RowExtremes> m_rowExtremes, m_extremes, m_reduced;  ///< of rows, of pairs, and reduced by island
  Array<RowExtremes> m_history;
  Array<IslandCurve> m_islands;
  Array<int> m_running;   ///< [islands] those that the next loops are about
  Array<int> m_partials;  ///< scratch of reduced()

 private:
  /// [bodyCount] velocities of all bodies.
  struct KeptVelocities {
    Array<Vec3> linear, angular;
  };

  void keepVelocities(KeptVelocities& kept) const {
    const std::size_t bodies = m_view.bodyCount;
    kept.linear.resize(bodies);
    kept.angular.resize(bodies);
    copyWithin(m_backend, static_cast<const Vec3*>(m_view.nextLinearVelocity), m_view.bodyCount,
               kept.linear.data());
    copyWithin(m_backend, static_cast<const Vec3*>(m_view.nextAngularVelocity), m_view.bodyCount,
               kept.angular.data());
  }

  bool smallIslandsRun() {
    const int islands = m_plan.islandCount();
    m_small.resize(islands);
    forEach(m_backend, islands, detail::FlagSmall{m_running.data(), m_plan.isLarge(), m_small.data()});
    return reduced(m_backend, static_cast<const int*>(m_small.data()), islands, 0, Larger{}, m_partials) > 0;
  }

  void takeSettings(const std::vector<SolverSettings>& settings) {
    m_settings = settings.front();
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
    const detail::FirstPlaces pairs = m_plan.tree().firstPlaces();
    return {pairs.places,      pairs.first,    m_plan.bodies().items(), m_plan.bodies().first(),
            m_firstRow.data(), m_plan.order(), m_plan.tree().one(),     m_plan.isLarge(),
            m_running.data()};
  }

  /// Places the rows by island.
  void placeRows() {
    const GroupedItem* listed = m_plan.tree().firstPlaces().places;
    forEach(m_backend, pairCount(), detail::CountRowsOfPair{listed, m_pairs.data(), m_firstRow.data()});
    sumCounts(m_backend, pairCount(), m_firstRow.data());
    forEach(m_backend, pairCount(),
            detail::PlaceRows{listed, m_pairs.data(), m_firstRow.data(), m_places.data()});
    fill(m_backend, m_places.data() + rowCount(), m_rowCapacity - rowCount(), RowPlace{0, 0, 0, -1});
  }

  /// A graph of a device holds the count of each of its loops, while rows come and go: some more places than
  /// there are rows, and as many as before where that suffices.
  static int loopCapacity(int rows, int before) {
    if (Backend::kOnHost) return rows;
    return rows > before || rows < before / 4 ? rows + rows / 4 : before;
  }

  void reserve() {
    const std::size_t rows = rowCount(), pairs = pairCount(), islands = islandCount();
    m_members.resize(m_blocks.memberCount);
    m_rowCapacity = loopCapacity(rowCount(), m_rowCapacity);
    m_places.resize(m_rowCapacity);
    m_firstRow.resize(pairs + 1);
    m_rowExtremes.resize(rows);
    m_rows.resize(rows);
    m_keys.resize(rows);
    m_z.resize(rows);
    m_best.resize(rows);
    m_extremes.resize(pairs);
    m_reduced.resize(partialCount());
    m_pairs.resize(pairs);
    m_rowsOfPairs.resize(pairs);
    m_reducedRows.resize(m_reduced.size());
    m_islands.resize(islands);
    m_running.resize(islands);
    m_history.resize(m_mostIterations + 1);
  }

  KeptVelocities m_free;    ///< without contact
  KeptVelocities m_before;  ///< see keepBefore()
  Array<int> m_firstRow;    ///< [pairCount + 1] of each pair by island: its first of m_places
  Array<detail::IslandTotals> m_totals, m_total;
  Array<detail::IslandReport> m_report;
  WarmStart<Backend> m_warmStart;
  Array<IslandRows> m_rowsOfPairs, m_reducedRows;
  std::vector<SolverLimits> m_sentLimits;
  Array<Vec3> m_bestBefore;  ///< see keepBest()
  Array<int> m_small;        ///< [islands]
};

}  // namespace touchstone
