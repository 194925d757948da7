#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/solver/dense/lemke_rows.h"
#include "core/solver/newton/newton.inl"

namespace touchstone {

/// Newton's method with the matrix of each island, on the host; where it fails without friction, Lemke's. A
/// ray of Lemke's is the only answer that says that there is no solution.
class NewtonThenLemke : public NewtonRowsOn<HostBackend> {
  using Base = NewtonRowsOn<HostBackend>;

 public:
  explicit NewtonThenLemke(const HostBackend& backend) : Base(NcpFunction::FischerBurmeister, backend) {}

  void setModel(const ModelSettings& model) override {
    Base::setModel(model);
    m_lemke.setModel(model);
  }
  void solve(double softness) override {
    Base::solve(softness);
    if (softness > 0) {  // a compromise does not change that there is no solution
      for (int island = 0; island < islandCount(); ++island) {
        const SolvedIsland* solved = m_running[island] ? m_lemke.solved(island) : nullptr;
        if (solved && solved->result.status == SolveStatus::NoSolution) m_islands[island].hasNoSolution = 1;
      }
      return;
    }
    std::vector<int> failed(islandCount());
    bool hasFailed = false;
    for (int island = 0; island < islandCount(); ++island) {
      failed[island] = m_running[island] && !m_islands[island].isSolved();
      hasFailed = hasFailed || failed[island];
    }
    if (hasFailed) solveByLemke(failed);
  }
  RowSolverReport report() override {
    RowSolverReport report = Base::report();
    if (m_hasAnswer) m_lemke.addTo(report);
    return report;
  }

 protected:
  void forgetAnswers() override {
    Base::forgetAnswers();
    m_lemke.forget();
    m_hasAnswer = false;
  }

 private:
  /// Lists the units of each island. @return whether one of `failed` has no friction; only those stay failed
  bool listUnits(std::vector<int>& failed) {
    const RowsView rows = table();
    m_units.assign(islandCount(), {});
    for (int unit = 0; unit < m_table.counts().units; ++unit) {
      const int island = rows.blocks[rows.units[unit].block].island;
      m_units[island].push_back(unit);
      for (int row = 0; row < rows.units[unit].rowCount; ++row) {
        const Row& ask = rows.rows[rows.units[unit].firstRow + row];
        if (ask.law == RowLaw::Disk && ask.bound > 0) failed[island] = 0;
      }
    }
    return std::count(failed.begin(), failed.end(), 1) > 0;
  }

  void solveByLemke(std::vector<int>& failed) {
    if (!listUnits(failed)) return;
    m_hasAnswer = true;
    const int carriers = structure().carrierCount();
    const WorldView world = free();
    std::vector<Vec3> linear(world.nextLinearVelocity, world.nextLinearVelocity + carriers),
        angular(world.nextAngularVelocity, world.nextAngularVelocity + carriers);
    std::vector<double> impulses(m_best.begin(), m_best.end());
    std::vector<SolverSettings> settings(islandCount(), m_settings);
    for (int island = 0; island < islandCount(); ++island) {
      settings[island].tolerance = m_islands[island].limits.tolerance;
      settings[island].velocityUnit = m_islands[island].limits.velocityUnit;
      settings[island].maxIterations = m_islands[island].limits.maxIterations;
    }
    m_lemke.solve({table(),
                   metric(),
                   {world.nextLinearVelocity, world.nextAngularVelocity},
                   m_units,
                   failed,
                   settings,
                   m_z.data(),
                   impulses.data(),
                   {linear.data(), angular.data()}});
    for (int island = 0; island < islandCount(); ++island) {
      const SolvedIsland* solved = failed[island] ? m_lemke.solved(island) : nullptr;
      if (!solved) continue;
      IslandCurve& curve = m_islands[island];
      const bool isSolved = solved->result.status == SolveStatus::Solved;
      curve.hasNoSolution = solved->result.status == SolveStatus::NoSolution ? 1 : 0;
      if (!isSolved && curve.best.natural < solved->result.residual) continue;
      curve.best = {curve.hasNoSolution ? HUGE_VAL : solved->scaled, solved->result.residual};
      for (const int unit : m_units[island])
        for (int row = 0; row < table().units[unit].rowCount; ++row) {
          const int number = table().units[unit].firstRow + row;
          m_best[number] = impulses[number];
        }
      for (int carrier = 0; carrier < carriers; ++carrier) {
        if (structure().islandOfCarrier()[carrier] != island) continue;
        velocities().linear[carrier] = linear[carrier];
        velocities().angular[carrier] = angular[carrier];
      }
    }
  }

  LemkeRows m_lemke;
  bool m_hasAnswer = false;               ///< of Lemke's, in this step
  std::vector<std::vector<int>> m_units;  ///< [islands]
};

}  // namespace touchstone
