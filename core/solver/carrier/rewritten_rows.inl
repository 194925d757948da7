#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "core/math/count.h"
#include "core/parallel/parallel_for.h"
#include "core/solver/carrier/rewritten_newton.h"
#include "core/solver/row_solver.inl"
#include "core/solver/rows/host_table.h"
#include "core/solver/rows/told_parts.h"
#include "core/solver/sweep/projected_gauss_seidel.inl"

namespace touchstone {

/// A RowSolver that can solve rows that are written again, on the host: islands of contacts by passes of
/// sweeps with conjugate directions on the backend, then those that are small or far off, and others from the
/// beginning, by RewrittenNewton. Residuals and tolerances are natural.
/// @tparam Base  a RowSolver<Backend> WithSweeps and WithProximalNewton
template <class Backend, class Base>
class WithRewrittenRows : public Base {
 public:
  using Base::Base;

  void rewriteRows(const RowRewriting* again, const RewritingSettings& settings) override {
    m_again = again;
    m_rewriting = settings;
  }

 protected:
  bool isRewriting() const { return m_again != nullptr; }

  /// Islands from their start to their best iterates, whose velocities the carriers get.
  void solveRewritten() {
    begin();
    sweepIslands();
    parallelFor(
        Base::islandCount(),
        [this](int island) {
          if (takesNewton(island))
            m_newtons[island]->improve(toleranceOf(island), m_curves[island].limits.maxIterations,
                                       m_rewriting.isWarm);
          m_newtons[island]->end(m_impulses.data());
        },
        Work::Long);
    end();
  }
  void tellParts(RowSolverReport& report) const {
    for (int k = 0; k < countOf(report.iterations) && k < countOf(m_parts); ++k)
      touchstone::tellParts(m_parts[k], Base::m_view.dt, report.iterations[k]);
  }
  using Base::m_backend;

 private:
  /// Passes, with as many sweeps each. More: answers nearer to the law, and more time.
  static constexpr int kPasses = 4, kSweeps = 30, kIterations = detail::Sweeps<true>::iterationsOf(kSweeps);

  bool isLarge(int island) const { return m_newtons[island]->carrierCount() > m_rewriting.smallIsland; }
  double toleranceOf(int island) const {
    const double tolerance = m_curves[island].limits.tolerance;
    return isLarge(island) ? std::max(tolerance, m_rewriting.largeTolerance) : tolerance;
  }
  double answeredOf(int island) const {
    return isLarge(island) ? m_rewriting.largeAnswered : m_rewriting.answered;
  }
  bool takesSweeps(int island) const { return m_newtons[island]->suitsSweeps(); }
  bool takesNewton(int island) const {
    if (!isLarge(island) || !takesSweeps(island)) return true;
    return m_newtons[island]->carrierCount() <= m_rewriting.mediumIsland &&
           (m_rewriting.isAccurate || m_newtons[island]->best().total() > answeredOf(island));
  }

  void begin() {
    const int islands = Base::islandCount(), rows = Base::rowCount(), carriers = Base::m_view.carrierCount;
    const auto step = this->onHost(m_there);
    m_units = unitsOfIslands(step.table, Base::m_table.counts().units, islands);
    m_impulses = fetched(m_backend, static_cast<const double*>(Base::m_z.data()), rows);
    m_curves = fetched(m_backend, static_cast<const IslandCurve*>(Base::m_islands.data()), islands);
    m_arrays.resize(carriers, rows);
    Base::m_history.resize(Base::historyRoom() + kPasses + kIterations);
    m_newtons.resize(islands);
    RewrittenProblem problem;
    problem.table = step.table;
    problem.arrays = step.arrays;
    problem.mass = step.metric;
    problem.free = step.free;
    problem.again = m_again;
    problem.settings = &m_rewriting;
    problem.bodyCount = Base::m_view.bodyCount;
    problem.dt = Base::m_view.dt;
    for (int island = 0; island < islands; ++island) {
      if (!m_newtons[island]) m_newtons[island] = std::make_unique<RewrittenNewton>();
      problem.units = &m_units[island];
      problem.velocityUnit = m_curves[island].limits.velocityUnit;
      m_newtons[island]->begin(problem, m_impulses.data(), m_arrays);
    }
  }

  void sweepIslands() {
    const int islands = Base::islandCount();
    m_asked = fetched(m_backend, static_cast<const int*>(Base::m_running.data()), islands);
    std::vector<int> takes(islands, 0);
    for (int island = 0; island < islands; ++island) takes[island] = m_asked[island] && takesSweeps(island);
    for (int pass = 0; pass < kPasses && std::count(takes.begin(), takes.end(), 1) > 0; ++pass) {
      m_backend.upload(takes.data(), takes.size(), Base::m_running);
      sweepOnce(takes);
      lookAt(takes);
    }
    m_backend.upload(m_asked.data(), m_asked.size(), Base::m_running);
  }
  /// Sweeps over the rows as they are written, from m_impulses. @param takes  [islands]
  void sweepOnce(const std::vector<int>& takes) {
    m_backend.upload(m_impulses.data(), m_impulses.size(), Base::m_z);
    if constexpr (!Backend::kOnHost) Base::m_table.takeItems(m_backend, m_there.rows);
    this->freeVelocities();
    this->startIslands();
    std::vector<IslandCurve> curves =
        fetched(m_backend, static_cast<const IslandCurve*>(Base::m_islands.data()), Base::islandCount());
    for (int island = 0; island < countOf(curves); ++island) {
      IslandCurve& curve = curves[island];
      curve.isDone = takes[island] ? 0 : 1;
      if (!takes[island]) continue;
      curve.limits.tolerance =
          RewrittenNewton::kShareOfTolerance * toleranceOf(island) / (curve.denominator * curve.largestScale);
      curve.limits.maxIterations = kIterations;
    }
    m_backend.upload(curves.data(), curves.size(), Base::m_islands);
    this->template sweep<true>(kIterations);
  }
  /// Writes the rows where the answers lead; islands within their tolerance take no further pass.
  /// @param takes  [islands] in, out
  void lookAt(std::vector<int>& takes) {
    const int carriers = Base::m_view.carrierCount;
    m_impulses = fetched(m_backend, static_cast<const double*>(Base::m_best.data()), Base::rowCount());
    std::vector<Vec3> linear =
                          fetched(m_backend, static_cast<const Vec3*>(Base::velocities().linear), carriers),
                      angular =
                          fetched(m_backend, static_cast<const Vec3*>(Base::velocities().angular), carriers);
    parallelFor(
        countOf(takes),
        [&](int island) {
          if (takes[island] && m_newtons[island]->look({linear.data(), angular.data()}, m_impulses.data()) <=
                                   toleranceOf(island))
            takes[island] = 0;
        },
        Work::Long);
  }

  void end() {
    const int islands = Base::islandCount();
    const int reported = islands > 0 ? Base::reportedIsland() : -1;
    for (int island = 0; island < islands; ++island) {
      const RewrittenNewton& newton = *m_newtons[island];
      IslandCurve& curve = m_curves[island];
      const double total = newton.best().total();
      curve.denominator = curve.largestScale = 1;
      curve.best = {total, total};
      curve.limits.tolerance = toleranceOf(island);
      curve.answered = answeredOf(island);
      curve.measured = std::min(countOf(Base::m_history), countOf(newton.history()));
      curve.isDone = 1;
      if (island != reported) continue;
      m_parts = newton.history();
      std::vector<RowExtremes> history(countOf(Base::m_history));
      for (int k = 0; k < curve.measured; ++k) history[k] = {m_parts[k].total(), m_parts[k].total()};
      m_backend.upload(history.data(), history.size(), Base::m_history);
    }
    if constexpr (!Backend::kOnHost) Base::m_table.takeItems(m_backend, m_there.rows);
    m_backend.upload(m_curves.data(), islands, Base::m_islands);
    m_backend.upload(m_impulses.data(), m_impulses.size(), Base::m_best);
    this->giveVelocities(m_arrays.linear, m_arrays.angular, Base::m_running.data());
  }

  const RowRewriting* m_again = nullptr;
  RewritingSettings m_rewriting;
  HostTable m_there;  ///< the table of a device, on the host
  RewrittenArrays m_arrays;
  std::vector<std::vector<int>> m_units;                    ///< of each island
  std::vector<std::unique_ptr<RewrittenNewton>> m_newtons;  ///< [islands]
  std::vector<IslandCurve> m_curves;
  std::vector<int> m_asked;            ///< [islands] those that solve() is about
  std::vector<double> m_impulses;      ///< [rows]
  std::vector<ResidualParts> m_parts;  ///< of the reported island
};

}  // namespace touchstone
