#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/parallel/host_backend.h"
#include "core/solver/host/lemke_answers.h"
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
    const int islands = islandCount();
    const std::vector<int> running(m_running.begin(), m_running.end());
    std::vector<int> byLemke(islands, 0);
    for (int island = 0; island < islands; ++island) {
      if (!running[island]) continue;
      if (softness > 0)
        byLemke[island] = m_lemke.solved(island) ? 1 : 0;  // its answer is what is softened
      else
        m_lemke.forget(island);
      m_running[island] = byLemke[island] ? 0 : 1;
    }
    Base::solve(softness);
    m_softened = Base::softened();
    if (softness > 0) {
      if (std::count(byLemke.begin(), byLemke.end(), 1) > 0) softenByLemke(byLemke, softness);
    } else {
      for (int island = 0; island < islands; ++island)
        byLemke[island] = running[island] && !m_islands[island].isSolved() ? 1 : 0;
      if (std::count(byLemke.begin(), byLemke.end(), 1) > 0) solveByLemke(byLemke);
    }
    std::copy(running.begin(), running.end(), m_running.begin());
  }
  int softened() override { return m_softened; }
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
  /// Leaves those islands out that have friction. @return whether one is left
  bool keepFrictionless(std::vector<int>& islands) const {
    const RowsView rows = table();
    for (int island = 0; island < islandCount(); ++island)
      for (const int unit : m_units[island])
        for (int row = 0; row < rows.units[unit].rowCount; ++row) {
          const Row& ask = rows.rows[rows.units[unit].firstRow + row];
          if (ask.law == RowLaw::Disk && ask.bound > 0) islands[island] = 0;
        }
    return std::count(islands.begin(), islands.end(), 1) > 0;
  }

  void solveByLemke(std::vector<int>& failed) {
    m_units = unitsOfIslands(table(), m_table.counts().units, islandCount());
    if (!keepFrictionless(failed)) return;
    m_hasAnswer = true;
    askLemke(failed, [this](const LemkeRows::Step& step) { m_lemke.solve(step); });
  }
  void softenByLemke(const std::vector<int>& islands, double softness) {
    for (int island = 0; island < islandCount(); ++island)
      if (islands[island]) m_islands[island].best = {HUGE_VAL, HUGE_VAL};
    askLemke(islands, [&](const LemkeRows::Step& step) { m_softened += m_lemke.soften(step, softness); });
  }

  /// Lets Lemke's method act on some islands, and takes its answers but for those that are worse than what is
  /// there and no solutions.
  template <class Act>
  void askLemke(const std::vector<int>& islands, const Act& act) {
    const int carriers = structure().carrierCount();
    const WorldView world = free();
    std::vector<Vec3> linear(world.nextLinearVelocity, world.nextLinearVelocity + carriers),
        angular(world.nextAngularVelocity, world.nextAngularVelocity + carriers);
    std::vector<double> impulses(m_best.begin(), m_best.end());
    const std::vector<SolverSettings> settings =
        settingsOfIslands(m_settings, m_islands.data(), islandCount());
    act(LemkeRows::Step{table(),
                        metric(),
                        {world.nextLinearVelocity, world.nextAngularVelocity},
                        m_units,
                        islands,
                        settings,
                        m_z.data(),
                        impulses.data(),
                        {linear.data(), angular.data()}});
    std::vector<int> isTaken(islandCount(), 0);
    for (int island = 0; island < islandCount(); ++island) {
      const SolvedIsland* solved = islands[island] ? m_lemke.solved(island) : nullptr;
      if (!solved) continue;
      IslandCurve& curve = m_islands[island];
      const RowExtremes before = curve.best;
      noteAnswer(*solved, curve);
      const bool isSolved = solved->result.status == SolveStatus::Solved;
      isTaken[island] = isSolved || !(before.natural < solved->result.residual) ? 1 : 0;
      // No iterate of a problem without a solution is good enough: it asks for a compromise.
      if (!isTaken[island]) curve.best = {curve.hasNoSolution ? HUGE_VAL : before.scaled, before.natural};
    }
    for (int island = 0; island < islandCount(); ++island)
      for (const int unit : m_units[island])
        for (int k = 0; isTaken[island] && k < table().units[unit].rowCount; ++k)
          m_best[table().units[unit].firstRow + k] = impulses[table().units[unit].firstRow + k];
    for (int carrier = 0; carrier < carriers; ++carrier)
      detail::UseVelocities{velocities(), structure().islandOfCarrier(), isTaken.data(), linear.data(),
                            angular.data()}(carrier);
  }

  LemkeRows m_lemke;
  bool m_hasAnswer = false;               ///< of Lemke's, in this step
  int m_softened = 0;                     ///< islands, by the last solve() with softness
  std::vector<std::vector<int>> m_units;  ///< [islands]
};

}  // namespace touchstone
