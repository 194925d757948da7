#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/parallel/host_backend.h"
#include "core/solver/auto/stages.h"
#include "core/solver/carrier/carrier_rows.inl"
#include "core/solver/host/lemke_answers.h"
#include "core/solver/newton/newton.inl"
#include "core/solver/sweep/projected_gauss_seidel.inl"

namespace touchstone {

namespace detail {

struct FlagIslands {  // one block per index: several write the same
  RowsView table;
  CarrierMetric metric;
  IslandFlags* islands;
  TS_HD void operator()(int place) const {
    const RowBlock& block = table.blocks[place];
    const int kind = block.key.kind;
    if (kind != kPieceBlock && kind != kPlaneBlock && kind != kCouplingBlock)
      islands[block.island].isJointed = 1;
    double least = HUGE_VAL, most = 0;
    for (int k = 0; k < block.carrierCount; ++k) {
      const Vec3& inverse = metric.inverseMass[table.carriersOf(block)[k]];
      const double largest = std::fmax(inverse.x(), std::fmax(inverse.y(), inverse.z()));
      least = std::fmin(least, largest);
      most = std::fmax(most, largest);
    }
    if (most > kUnevenMasses * least) islands[block.island].isUneven = 1;
  }
};

struct TakeStart {  // one place of units per index: the start where it is better than none, else none
  const RowPlace* places;
  const int* isUsed;  // [islands]
  const double* start;
  double* z;
  TS_HD void operator()(int index) const {
    const RowPlace& place = places[index];
    if (place.island < 0) return;
    for (int row = place.unit.firstRow; row < place.unit.firstRow + place.unit.rowCount; ++row)
      z[row] = isUsed[place.island] ? start[row] : 0;
  }
};

struct TakeBest {  // one place of units per index: the next stage starts from the best impulses so far
  const RowPlace* places;
  const int* running;
  const double* best;
  double* z;
  TS_HD void operator()(int index) const {
    const RowPlace& place = places[index];
    if (!place.isIn(running)) return;
    for (int row = place.unit.firstRow; row < place.unit.firstRow + place.unit.rowCount; ++row)
      z[row] = best[row];
  }
};

}  // namespace detail

/// Solver `auto`: the stages of stagesOf() for each island, each from the best iterate of the one before:
/// Newton on Fischer–Burmeister, sweeps with conjugate directions, Newton in body space. On the host, where
/// they fail without friction, Lemke's. An answer above the tolerance that its budget ended is used as one up
/// to kAnswered times the tolerance.
template <class Backend>
class AutoRowsOn : public WithProximalNewton<Backend, WithSweeps<Backend, NewtonRowsOn<Backend>>> {
  using Base = WithProximalNewton<Backend, WithSweeps<Backend, NewtonRowsOn<Backend>>>;

 public:
  explicit AutoRowsOn(const Backend& backend) : Base(NcpFunction::FischerBurmeister, backend) {}

  void setModel(const ModelSettings& model) override {
    Base::setModel(model);
    m_lemke.setModel(model);
  }
  bool canSoften() const override { return false; }
  bool failsWhereUnsolved() const override { return true; }
  void noteUnsolved() override {}
  double residualOfAnswers() override { return Base::reportOfIslands().residual; }
  int compromises() const override { return m_compromises; }

  void solve(double) override {
    m_asked = fetched(m_backend, Base::m_running.data(), Base::islandCount());
    m_curves = fetched(m_backend, m_islands.data(), Base::islandCount());
    m_stage.resize(m_asked.size());
    planStages();
    chooseStart();
    takeStage(Stage::Newton, [this] { Base::solve(0); });
    noteNewtonIterates();
    int sweeps = 0;
    for (const IslandStages& stages : m_stages) sweeps = std::max(sweeps, stages.sweeps);
    takeStage(Stage::Sweeps, [&] { this->template sweep<true>(detail::Sweeps<true>::iterationsOf(sweeps)); });
    takeStage(Stage::Carriers, [this] { solveCarriers(); });
    takeStage(Stage::Polish, [this] { Base::solve(0); });
    useBest();
    if constexpr (Backend::kOnHost) solveByLemke();
  }

  RowSolverReport report() override {
    RowSolverReport report = Base::report();
    if (report.islands == 0) return report;
    report.deliveredBy = keyOfStage(m_stage[Base::reportedIsland()], !isOnBackend(Base::m_settings.linear));
    this->tellJams(report);
    if (m_hasLemke) m_lemke.addTo(report);
    return report;
  }

 protected:
  std::string failure() const override { return "its stages ended above the tolerance"; }
  void forgetAnswers() override {
    Base::forgetAnswers();
    m_lemke.forget();
    m_hasLemke = false;
    m_compromises = 0;
    m_stage.assign(m_stage.size(), Stage::Newton);
  }
  int historyRoom() const override { return kRoomOfStages + 2 * Base::m_mostIterations; }
  int newtonIterates(int all) const override { return std::min(all, m_newtonIterates); }

 private:
  template <class T>
  using Array = typename Backend::template Array<T>;
  using Base::m_backend, Base::m_islands;

  void planStages() {
    const int islands = Base::islandCount();
    m_flags.resize(islands);
    fill(m_backend, m_flags.data(), islands, IslandFlags());
    forEach(m_backend, Base::blockCount(),
            detail::FlagIslands{Base::table(), Base::metric(), m_flags.data()});
    const std::vector<IslandFlags> flags = fetched(m_backend, m_flags.data(), islands);
    const std::vector<int> first =
        fetched(m_backend, Base::structure().carriersOfIslands().first(), islands > 0 ? islands + 1 : 0);
    m_stages.clear();
    for (int island = 0; island < islands; ++island)
      m_stages.push_back(stagesOf(first[island + 1] - first[island], flags[island],
                                  m_curves[island].limits.tolerance, m_curves[island].limits.maxIterations));
  }

  /// Islands start from nothing where the impulses of the last step are a bad guess.
  void chooseStart() {
    const int islands = Base::islandCount(), rows = Base::rowCount();
    m_start.resize(rows);
    copyWithin(m_backend, static_cast<const double*>(Base::m_z.data()), rows, m_start.data());
    std::vector<IslandCurve> curves = m_curves;
    for (int island = 0; island < islands; ++island) curves[island].isDone = m_asked[island] ? 0 : 1;
    m_backend.upload(curves.data(), curves.size(), m_islands);  // where impulses are pushed
    this->moveByImpulses();
    const std::vector<IslandCurve> ofStart = measured();
    this->freeVelocities();
    std::vector<int> isUsed(islands, 0);
    m_backend.upload(isUsed.data(), isUsed.size(), m_hasBest);
    takeStart();
    const std::vector<IslandCurve> ofNothing = measured();
    for (int island = 0; island < islands; ++island)
      isUsed[island] =
          m_asked[island] && ofStart[island].best.scaled > kWorseThanNone * ofNothing[island].best.scaled ? 0
                                                                                                          : 1;
    m_backend.upload(isUsed.data(), isUsed.size(), m_hasBest);
    takeStart();
    m_backend.upload(m_curves.data(), m_curves.size(), m_islands);
  }
  void takeStart() {
    forEach(m_backend, Base::m_table.unitCapacity(),
            detail::TakeStart{Base::m_table.places(), m_hasBest.data(), m_start.data(), Base::m_z.data()});
  }
  /// Curves with the residual of m_z and of the velocities as they are.
  std::vector<IslandCurve> measured() {
    this->measureImpulses();
    return fetched(m_backend, m_islands.data(), Base::islandCount());
  }

  /// Lets the islands that need a stage take it.
  template <class Act>
  void takeStage(Stage stage, const Act& act) {
    std::vector<int> takes(m_asked.size(), 0);
    for (int island = 0; island < countOf(takes); ++island) {
      IslandCurve& curve = m_curves[island];
      const IslandStages& stages = m_stages[island];
      curve.isDone = 1;  // loops over all islands pass it by
      if (!m_asked[island] || (curve.measured > 0 && curve.best.scaled <= stages.goal)) continue;
      const int iterations = stages.iterationsOf(stage, curve.best.scaled);
      if (iterations < 0) continue;
      takes[island] = 1;
      m_stage[island] = stage;
      curve.isDone = 0;
      curve.limits.tolerance = stage == Stage::Newton ? stages.newtonGoal() : stages.goal;
      curve.limits.maxIterations =
          std::min(curve.measured +
                       (stage == Stage::Sweeps ? detail::Sweeps<true>::iterationsOf(iterations) : iterations),
                   historyRoom() - 1);
    }
    if (std::count(takes.begin(), takes.end(), 1) == 0) return;
    m_backend.upload(takes.data(), takes.size(), Base::m_running);
    m_backend.upload(m_curves.data(), m_curves.size(), m_islands);
    takeBest(takes);
    this->freeVelocities();
    act();
    m_curves = fetched(m_backend, m_islands.data(), Base::islandCount());
  }
  /// Impulses of islands become their best. Those that have measured nothing keep their start.
  /// @param hasBest  [islands] those that are meant
  void takeBest(std::vector<int> hasBest) {
    for (int island = 0; island < countOf(hasBest); ++island)
      if (m_curves[island].measured == 0) hasBest[island] = 0;
    m_backend.upload(hasBest.data(), hasBest.size(), m_hasBest);
    forEach(
        m_backend, Base::m_table.unitCapacity(),
        detail::TakeBest{Base::m_table.places(), m_hasBest.data(), Base::m_best.data(), Base::m_z.data()});
  }

  /// Gives the carriers the velocities that the best impulses make, and measures these.
  void useBest() {
    for (int island = 0; island < countOf(m_asked); ++island) {
      IslandCurve& curve = m_curves[island];
      curve.isDone = m_asked[island] ? 0 : 1;  // where impulses are pushed
      if (!m_asked[island]) continue;
      curve.limits.tolerance = m_stages[island].tolerance;
      curve.answered = kAnswered * m_stages[island].tolerance;
    }
    m_backend.upload(m_curves.data(), m_curves.size(), m_islands);
    m_backend.upload(m_asked.data(), m_asked.size(), Base::m_running);
    takeBest(m_asked);
    this->freeVelocities();
    this->moveByImpulses();
    this->measureImpulses();
  }

  void solveCarriers() {
    std::vector<typename Base::CarrierStage> stages;
    for (int island = 0; island < countOf(m_stages); ++island)
      stages.push_back({m_stages[island].goal,
                        m_stages[island].iterationsOf(Stage::Carriers, m_curves[island].best.scaled),
                        ProximalNewton::kWarmSoftness});
    this->solveByCarriers(stages);
  }

  void noteNewtonIterates() {
    m_newtonIterates = m_curves.empty() ? 0 : m_curves[Base::reportedIsland()].measured;
  }

  // Lemke's method, on the host.

  /// Small islands in which Newton has not converged, without friction, which is none of Lemke's problems. A
  /// ray is the only answer that says that there is no solution; such an island gets a compromise, that of a
  /// softened problem, for the impulses of iterates grow without an end.
  void solveByLemke() {
    const RowsView rows = Base::table();
    std::vector<int> failed(m_asked.size(), 0);
    for (int island = 0; island < countOf(failed); ++island)
      failed[island] = m_asked[island] && m_stages[island].newton >= 0 &&
                               m_islands[island].best.scaled > m_stages[island].newtonGoal()
                           ? 1
                           : 0;
    if (std::count(failed.begin(), failed.end(), 1) == 0) return;
    const std::vector<std::vector<int>> units =
        unitsOfIslands(rows, Base::m_table.counts().units, Base::islandCount());
    for (int island = 0; island < countOf(failed); ++island)
      for (const int unit : units[island])
        for (int row = 0; row < rows.units[unit].rowCount; ++row) {
          const Row& ask = rows.rows[rows.units[unit].firstRow + row];
          if (ask.law == RowLaw::Disk && ask.bound > 0) failed[island] = 0;
        }
    if (std::count(failed.begin(), failed.end(), 1) == 0) return;
    m_hasLemke = true;
    const int carriers = Base::structure().carrierCount();
    const WorldView world = Base::free();
    std::vector<Vec3> linear(world.nextLinearVelocity, world.nextLinearVelocity + carriers),
        angular(world.nextAngularVelocity, world.nextAngularVelocity + carriers);
    std::vector<double> impulses(Base::m_best.begin(), Base::m_best.end());
    std::vector<SolverSettings> settings =
        settingsOfIslands(Base::m_settings, m_islands.data(), Base::islandCount());
    for (SolverSettings& ofIsland : settings) ofIsland.tolerance = std::min(ofIsland.tolerance, kNewtonGoal);
    std::vector<int> lacks(m_asked.size(), 0);
    const auto stepOf = [&](const std::vector<int>& which) {
      return LemkeRows::Step{rows,
                             Base::metric(),
                             {world.nextLinearVelocity, world.nextAngularVelocity},
                             units,
                             which,
                             settings,
                             Base::m_z.data(),
                             impulses.data(),
                             {linear.data(), angular.data()}};
    };
    m_lemke.solve(stepOf(failed));
    for (int island = 0; island < countOf(lacks); ++island) {
      const SolvedIsland* solved = failed[island] ? m_lemke.solved(island) : nullptr;
      lacks[island] = solved && solved->result.status == SolveStatus::NoSolution ? 1 : 0;
    }
    if (std::count(lacks.begin(), lacks.end(), 1) > 0)
      m_compromises = m_lemke.soften(stepOf(lacks), kCompromise);
    std::vector<int> isTaken(m_asked.size(), 0);
    for (int island = 0; island < countOf(isTaken); ++island) {
      const SolvedIsland* solved = failed[island] ? m_lemke.solved(island) : nullptr;
      if (!solved) continue;
      IslandCurve& curve = m_islands[island];
      const bool isSolved = solved->result.status == SolveStatus::Solved;
      curve.hasNoSolution = lacks[island];
      isTaken[island] = isSolved || lacks[island] ? 1 : 0;
      if (!isTaken[island]) continue;
      curve.best = {solved->scaled, solved->result.residual};
      m_stage[island] = Stage::Lemke;
      for (const int unit : units[island])
        for (int k = 0; k < rows.units[unit].rowCount; ++k)
          Base::m_best[rows.units[unit].firstRow + k] = impulses[rows.units[unit].firstRow + k];
    }
    for (int carrier = 0; carrier < carriers; ++carrier)
      detail::UseVelocities{Base::velocities(), Base::structure().islandOfCarrier(), isTaken.data(),
                            linear.data(), angular.data()}(carrier);
  }

  std::vector<int> m_asked;  ///< [islands] those that solve() is about
  std::vector<IslandCurve> m_curves;
  std::vector<IslandStages> m_stages;
  std::vector<Stage> m_stage;  ///< [islands] the last that it has taken
  int m_newtonIterates = 0;    ///< of the curve that is reported
  Array<IslandFlags> m_flags;
  Array<int> m_hasBest;
  Array<double> m_start;  ///< [rows] impulses of the last step
  LemkeRows m_lemke;
  bool m_hasLemke = false;  ///< it was asked in this step
  int m_compromises = 0;    ///< islands without solution, in this step
};

}  // namespace touchstone
