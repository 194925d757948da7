#pragma once

#include "core/contact/complementarity/registered_solvers.h"
#include "core/solver/host/host_only.inl"
#include "core/solver/product/moving_carriers.inl"
#include "core/solver/row_solver.inl"

namespace touchstone::test {

/// Projected Richardson iterations on the host, z ← proj(z − 0.2 w/r) of all rows at once. The whole of a
/// solver: registerSolvers<HostBackend, …>(SolverList<Richardson>()).
class RichardsonRows : public RowSolver<HostBackend> {
 public:
  using RowSolver::RowSolver;

  void solve(double) override {
    const std::vector<int> begun = m_running;
    const int carriers = structure().carrierCount();
    std::vector<Vec3> bestLinear(carriers), bestAngular(carriers);
    LaunchGraph<HostBackend> none;
    while (true) {
      setRatesOfAll();
      judgement().judge(wideLoops(none));
      for (int carrier = 0; carrier < carriers; ++carrier) {
        const int island = structure().islandOfCarrier()[carrier];
        if (island < 0 || !begun[island] || !m_islands[island].isImproved) continue;
        bestLinear[carrier] = velocities().linear[carrier];
        bestAngular[carrier] = velocities().angular[carrier];
      }
      if (runningIslands() == 0) break;
      for (int unit = 0; unit < m_table.counts().units; ++unit) relax(table().units[unit]);
    }
    m_running = begun;
    forEach(m_backend, carriers,
            detail::UseVelocities{velocities(), structure().islandOfCarrier(), m_running.data(),
                                  bestLinear.data(), bestAngular.data()});
  }

 protected:
  std::string failure() const override { return "Richardson's iterations ended above their tolerance"; }

 private:
  bool runs(const RowUnit& unit) const { return m_running[table().blocks[unit.block].island] != 0; }

  /// Velocities ν̃ + H⁻¹ Fᵀz of running islands, and by how much their units fail.
  void setRatesOfAll() {
    freeVelocities();
    for (int number = 0; number < m_table.counts().units; ++number) {
      const RowUnit& unit = table().units[number];
      if (!runs(unit)) continue;
      CarriersInMemory moving{table().carriersOf(table().blocks[unit.block]), metric(), velocities()};
      pushUnit(table(), unit, m_z.data() + unit.firstRow, moving);
    }
    for (int number = 0; number < m_table.counts().units; ++number) {
      const RowUnit& unit = table().units[number];
      if (!runs(unit)) continue;
      double* const w = m_rates.data() + unit.firstRow;
      setRates(table(), unit, velocities(), m_z.data() + unit.firstRow, w);
      RowExtremes largest;
      detail::eachResidual(table(), unit, vectors(), w, [&](double natural, double scaled) {
        largest.add({scaled, natural});
      });
      m_unitExtremes[number] = largest;
    }
  }
  void relax(const RowUnit& unit) {
    if (!runs(unit)) return;
    constexpr double kShare = 0.2;  // of a step that would not overshoot alone
    for (int row = unit.firstRow; row < unit.firstRow + unit.rowCount; ++row)
      m_z[row] -= kShare * m_inverse[row] * m_rates[row];
    allow(table().rows + unit.firstRow, unit.rowCount, m_z.data() + unit.firstRow);
  }
};

struct Richardson {
  static constexpr const char* kKey = "richardson";
  template <class Backend>
  static std::unique_ptr<RowSolver<Backend>> make(const Backend& backend) {
    if constexpr (Backend::kOnHost)
      return std::make_unique<RichardsonRows>(backend);
    else
      return std::make_unique<HostOnly<Backend, RichardsonRows>>(backend);
  }
};

}  // namespace touchstone::test
