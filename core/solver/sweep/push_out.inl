#pragma once

#include <algorithm>
#include <vector>

#include "core/solver/row_solver.inl"
#include "core/solver/sweep/sweep_loops.inl"

namespace touchstone {

namespace detail {

/// One block per index: its rows as they ask for a displacement, see PushOut.
struct WritePushOut {
  RowsView table;
  CarrierVelocities answer;   // of the step, ν⁺
  const int* replicaIsTaken;  // [replicaCount], or null: all are
  WorldView world;
  double least;  // of a speed that is asked for [m/s]
  Row* out;
  int* asks;  // [islands] 1: at least one of its rows does

  TS_HD void operator()(int index) const {
    const RowBlock& block = table.blocks[index];
    const bool isTaken =
        !replicaIsTaken || replicaIsTaken[replicaOf(block, table.carriers, world.bodies, world.carrierBody)];
    for (int number = block.firstUnit; number < block.firstUnit + block.unitCount; ++number) {
      const RowUnit& unit = table.units[number];
      eachRate(table, unit, answer, [&](int row, double rate) {
        const Row& ask = table.rows[unit.firstRow + row];
        Row& displaced = out[unit.firstRow + row];
        displaced = ask;
        displaced.bound = 0;
        switch (ask.law) {
          case RowLaw::Unilateral:
          case RowLaw::Maximum:
          case RowLaw::Member:
            displaced.constant = ask.constant + rate - ask.bound;
            if (isTaken && ask.bound > 0 && displaced.constant < -least) asks[block.island] = 1;
            break;
          case RowLaw::Free:
            displaced.constant = 0;
            if (isCompliant(block, unit.firstRow + row - block.firstRow)) displaced.law = RowLaw::Symmetric;
            break;
          default:  // friction and drives do not hold anything
            displaced.constant = 0;
            if (ask.law != RowLaw::Disk) displaced.law = RowLaw::Symmetric;
        }
      });
    }
  }

 private:
  TS_HD bool isCompliant(const RowBlock& block, int row) const {
    return row < block.packedCount || table.rows[block.firstRow + row].compliance > 0;
  }
};

}  // namespace detail

/// Overlaps that a step undoes apart from its impulses, which would make energy of motion of them, and which
/// friction can lock: with the velocities ν⁺ of the answer, contacts ask for a displacement h δ that the
/// velocities do not keep, without friction,
///
///     0 ≤ q ⊥ w(ν⁺) − c + J δ ≥ 0,   M δ = Jᵀ q
///
/// with c ≥ 0 the speed of push-out of an overlap (Row::bound of contacts). Joints stay together, J δ = 0;
/// springs, drives and friction do not act. Sweeps with conjugate directions solve the islands in which a
/// contact asks.
template <class Backend>
class PushOut {
 public:
  /// After solve(). @param replicaIsTaken  [replicaCount] on the backend, or null   @return false: none asks
  bool find(RowSolver<Backend>& solver, const int* replicaIsTaken) {
    constexpr int kSweeps = 30;
    constexpr double kTolerance = 1e-6;
    constexpr double kAsked = 1e-7;  // of V: below it there is nothing to see
    constexpr int kIterations = detail::Sweeps<true>::iterationsOf(kSweeps);
    const int islands = solver.islandCount();
    const Backend& backend = solver.m_backend;
    reserve(solver);
    std::swap(solver.m_running, m_asks);
    solver.m_running.resize(islands);
    fill(backend, solver.m_running.data(), islands, 0);
    forEach(
        backend, solver.blockCount(),
        detail::WritePushOut{solver.table(), solver.velocities(), replicaIsTaken, solver.m_view,
                             kAsked * solver.m_settings.velocityUnit, m_rows.data(), solver.m_running.data()},
        Work::Heavy);
    const bool isAsked = islands > 0 && solver.runningIslands() > 0;
    if (isAsked) solve(solver, kIterations, kTolerance);
    std::swap(solver.m_running, m_asks);
    return isAsked;
  }
  /// [carrierCount] δ [m/s, rad/s]; 0 of carriers of islands that did not ask.
  const Vec3* linear() const { return m_bestLinear.data(); }
  const Vec3* angular() const { return m_bestAngular.data(); }

 private:
  template <class T>
  using Array = typename Backend::template Array<T>;

  void reserve(const RowSolver<Backend>& solver) {
    const int rows = solver.rowCount(), islands = solver.islandCount(), carriers = solver.m_view.carrierCount;
    m_rows.resize(rows);
    for (Array<double>* vector : {&m_z, &m_best, &m_scale, &m_inverse, &m_rates}) vector->resize(rows);
    for (Array<Vec3>* vector : {&m_linear, &m_angular, &m_bestLinear, &m_bestAngular})
      vector->resize(carriers);
    m_islands.resize(islands);
    m_conjugate.reserve(rows, solver.blockCount(), islands, solver.partialCount());
  }

  void solve(RowSolver<Backend>& solver, int iterations, double tolerance) {
    const Backend& backend = solver.m_backend;
    const int carriers = solver.m_view.carrierCount;
    for (Array<Vec3>* vector : {&m_linear, &m_angular, &m_bestLinear, &m_bestAngular})
      fill(backend, vector->data(), carriers, Vec3(0, 0, 0));
    fill(backend, m_z.data(), solver.rowCount(), 0.0);
    const std::vector<SolverLimits> limits(
        solver.m_view.replicaCount, SolverLimits{tolerance, iterations, solver.m_settings.velocityUnit});
    backend.upload(limits.data(), limits.size(), m_limits);
    m_history.resize(iterations + 1);
    RowsView table = solver.table();
    table.rows = m_rows.data();
    const CarrierVelocities velocities{m_linear.data(), m_angular.data()};
    const RowVectors vectors{m_z.data(), m_scale.data(), m_inverse.data(), m_rates.data()};
    forEach(backend, solver.blockCount(),
            detail::ScaleRows{table, solver.metric(), velocities, solver.m_running.data(), vectors,
                              solver.m_extremes.data()},
            Work::Heavy);
    forEach(backend, solver.islandCount(),
            detail::StartIsland{solver.reducedByIsland(solver.m_extremes, solver.m_reduced),
                                solver.firstPlaces(), table, solver.m_view, m_limits.data(),
                                solver.m_running.data(), m_islands.data()});
    const detail::Judgement judgement{solver.extremesOfUnits(), table.blocks,     solver.m_table.places(),
                                      solver.m_reported,        m_islands.data(), solver.m_running.data(),
                                      m_history.data(),         m_z.data(),       m_best.data()};
    learn(solver);
    solver.iterateIslands(
        detail::Sweeps<true>{{{table, solver.metric(), velocities, m_islands.data(), vectors},
                              solver.m_table.places(),
                              solver.structure().islandOfCarrier(),
                              solver.m_running.data(),
                              iterations,
                              m_bestLinear.data(),
                              m_bestAngular.data(),
                              judgement,
                              m_conjugate.rows()}},
        m_sweep);
  }
  void learn(const RowSolver<Backend>& solver) {
    std::vector<const void*> arrays = solver.arrays();
    arrays.insert(arrays.end(), {m_rows.data(), m_z.data(), m_best.data(), m_scale.data(), m_inverse.data(),
                                 m_rates.data(), m_linear.data(), m_angular.data(), m_bestLinear.data(),
                                 m_bestAngular.data(), m_islands.data(), m_history.data()});
    m_conjugate.addTo(arrays);
    m_sweep.learnFor(std::move(arrays),
                     {double(solver.structure().number()), double(solver.m_table.unitCapacity())});
  }

  Array<Row> m_rows;
  Array<double> m_z, m_best, m_scale, m_inverse, m_rates;        ///< [rows]
  Array<Vec3> m_linear, m_angular, m_bestLinear, m_bestAngular;  ///< [carriers]
  Array<IslandCurve> m_islands;
  Array<SolverLimits> m_limits;
  Array<RowExtremes> m_history;
  ConjugateArrays<Backend> m_conjugate;
  Array<int> m_asks;  ///< what the solver runs while this does not
  LaunchGraph<Backend> m_sweep;
};

}  // namespace touchstone
