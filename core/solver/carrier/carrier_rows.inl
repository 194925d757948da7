#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "core/math/count.h"
#include "core/parallel/parallel_for.h"
#include "core/solver/carrier/proximal_newton.h"
#include "core/solver/carrier/rewritten_rows.inl"
#include "core/solver/row_solver.inl"
#include "core/solver/rows/host_table.h"

namespace touchstone {

/// A RowSolver that can solve islands by ProximalNewton, on the host: rows and velocities come from the
/// backend, impulses and velocities go back.
/// @tparam Base  a RowSolver<Backend>
template <class Backend, class Base>
class WithProximalNewton : public Base {
 public:
  using Base::Base;

 protected:
  void forgetAnswers() override {
    Base::forgetAnswers();
    m_outcomes.clear();
  }
  /// The table of the step and its velocities without impulses, where the host reads and writes them.
  struct OnHost {
    RowsView table;
    RowArrays arrays;
    CarrierMetric metric;
    CarrierVelocities free;
  };
  /// @param fetchedTable  keeps the copy of a device's table
  OnHost onHost(HostTable& fetchedTable) {
    const WorldView free = Base::free();
    const CarrierVelocities velocities{free.nextLinearVelocity, free.nextAngularVelocity};
    if constexpr (Backend::kOnHost) {
      return {Base::table(), Base::m_table.arrays(), Base::metric(), velocities};
    } else {
      Base::fetchTable(velocities.linear, velocities.angular, fetchedTable);
      return {fetchedTable.view(), fetchedTable.rows.arrays(), fetchedTable.metric(),
              fetchedTable.velocities()};
    }
  }
  /// Gives the carriers of islands their velocities.
  /// @param linear, angular  [carriers]   @param islands  [islands] on the backend, 1: those that are meant
  void giveVelocities(const std::vector<Vec3>& linear, const std::vector<Vec3>& angular, const int* islands) {
    m_backend.upload(linear.data(), linear.size(), m_linear);
    m_backend.upload(angular.data(), angular.size(), m_angular);
    forEach(m_backend, Base::m_view.carrierCount,
            detail::UseVelocities{Base::velocities(), Base::structure().islandOfCarrier(), islands,
                                  m_linear.data(), m_angular.data()});
  }
  /// Limits of ProximalNewton for one island.
  struct CarrierStage {
    double tolerance;    ///< on RowExtremes::scaled
    int factorisations;  ///< at most; −1: the island keeps what it has
    double softness;     ///< that ProximalNewton begins with
  };

  /// Solves the islands that run, from m_z, those with factorisations to spend.
  /// @param stages  [islands]
  void solveByCarriers(const std::vector<CarrierStage>& stages) {
    const int islands = Base::islandCount(), rowCount = Base::rowCount();
    const int carriers = Base::m_view.carrierCount;
    HostTable fetchedTable;
    const OnHost step = onHost(fetchedTable);
    const RowsView& table = step.table;
    const std::vector<std::vector<int>> units = unitsOfIslands(table, Base::m_table.counts().units, islands);
    const std::vector<double> scale = fetched(m_backend, Base::m_scale.data(), rowCount),
                              inverse = fetched(m_backend, Base::m_inverse.data(), rowCount);
    std::vector<double> z = fetched(m_backend, Base::m_z.data(), rowCount),
                        best = fetched(m_backend, Base::m_best.data(), rowCount);
    std::vector<IslandCurve> curves = fetched(m_backend, Base::m_islands.data(), islands);
    const std::vector<int> running = fetched(m_backend, Base::m_running.data(), islands);
    std::vector<Vec3> linear(carriers, Vec3(0, 0, 0)), angular(carriers, Vec3(0, 0, 0));
    m_newtons.resize(islands);
    m_outcomes.assign(islands, ProximalOutcome());
    parallelFor(
        islands,
        [&](int island) {
          if (!running[island] || stages[island].factorisations < 0) return;
          if (!m_newtons[island]) m_newtons[island] = std::make_unique<ProximalNewton>();
          const IslandCurve& curve = curves[island];
          CarrierProblem problem;
          problem.table = table;
          problem.metric = step.metric;
          problem.free = step.free;
          problem.units = &units[island];
          problem.scale = scale.data();
          problem.inverse = inverse.data();
          problem.denominator = curve.denominator;
          problem.velocityUnit = curve.limits.velocityUnit;
          m_outcomes[island] = m_newtons[island]->solve(
              problem, stages[island].tolerance, stages[island].factorisations, stages[island].softness,
              z.data(), CarrierVelocities{linear.data(), angular.data()});
        },
        Work::Long);
    std::vector<int> isTaken(islands, 0);
    for (int island = 0; island < islands; ++island) {
      const ProximalOutcome& outcome = m_outcomes[island];
      if (outcome.history.empty()) continue;
      IslandCurve& curve = curves[island];
      curve.isDone = 1;
      curve.hasNoSolution = outcome.isJammed ? 1 : 0;
      if (curve.measured > 0 && !(outcome.best.scaled < curve.best.scaled)) continue;
      isTaken[island] = 1;
      curve.best = outcome.best;
      for (const int number : units[island]) {
        const RowUnit& unit = table.units[number];
        for (int row = unit.firstRow; row < unit.firstRow + unit.rowCount; ++row) best[row] = z[row];
      }
    }
    addHistories(curves);
    for (int carrier = 0; carrier < carriers; ++carrier) {
      linear[carrier] += step.free.linear[carrier];
      angular[carrier] += step.free.angular[carrier];
    }
    m_backend.upload(curves.data(), islands, Base::m_islands);
    m_backend.upload(best.data(), rowCount, Base::m_best);
    m_backend.upload(isTaken.data(), islands, m_taken);
    giveVelocities(linear, angular, m_taken.data());
  }
  /// Says of islands that are not solved that they have no solution, where that was seen.
  void tellJams(RowSolverReport& report) const {
    const bool isJammed = std::any_of(m_outcomes.begin(), m_outcomes.end(),
                                      [](const ProximalOutcome& outcome) { return outcome.isJammed; });
    if (report.unsolved == 0 || !isJammed) return;
    report.worst = SolveStatus::NoSolution;
    report.message =
        "the problem has no solution: impulses grow without an end, since friction locks rows "
        "that ask bodies to part";
  }

  using Base::m_backend;

 private:
  template <class T>
  using Array = typename Backend::template Array<T>;

  /// Continues the curves, that of the island that is reported as far as there is room.
  void addHistories(std::vector<IslandCurve>& curves) {
    if (curves.empty()) return;
    const int reported = Base::reportedIsland();
    for (int island = 0; island < countOf(curves); ++island) {
      IslandCurve& curve = curves[island];
      const std::vector<RowExtremes>& rounds = m_outcomes[island].history;
      const int added = std::max(0, std::min(countOf(Base::m_history) - curve.measured, countOf(rounds)));
      if (island == reported && added > 0) {
        std::vector<RowExtremes> history = fetched(m_backend, Base::m_history.data(), curve.measured);
        history.insert(history.end(), rounds.begin(), rounds.begin() + added);
        history.resize(countOf(Base::m_history));
        m_backend.upload(history.data(), history.size(), Base::m_history);
      }
      curve.measured += added;
    }
  }

  std::vector<std::unique_ptr<ProximalNewton>> m_newtons;  ///< [islands] with what they keep of a topology
  std::vector<ProximalOutcome> m_outcomes;                 ///< [islands] of this solve
  Array<int> m_taken;
  Array<Vec3> m_linear, m_angular;
};

/// ProximalNewton for every island, see RowSolver. `maxIterations` bounds the factorisations of an island,
/// and where rows are written again its outer rounds.
template <class Backend>
class NewtonOfCarriersOn
    : public WithRewrittenRows<Backend,
                               WithProximalNewton<Backend, WithSweeps<Backend, RowSolver<Backend>>>> {
  using Base =
      WithRewrittenRows<Backend, WithProximalNewton<Backend, WithSweeps<Backend, RowSolver<Backend>>>>;

 public:
  using Base::Base;

  bool failsWhereUnsolved() const override { return true; }
  void solve(double) override {
    if (this->isRewriting()) {
      this->solveRewritten();
      return;
    }
    const int islands = Base::islandCount();
    const std::vector<IslandCurve> curves = fetched(Base::m_backend, Base::m_islands.data(), islands);
    std::vector<typename Base::CarrierStage> stages;
    for (const IslandCurve& curve : curves)
      stages.push_back({curve.limits.tolerance, curve.limits.maxIterations, ProximalNewton::kColdSoftness});
    this->solveByCarriers(stages);
  }
  RowSolverReport report() override {
    RowSolverReport report = Base::reportOfIslands();
    if (this->isRewriting())
      this->tellParts(report);
    else
      this->tellJams(report);
    return report;
  }

 protected:
  std::string failure() const override {
    return "the proximal Newton method ended above its tolerance after its factorisations";
  }
};

}  // namespace touchstone
