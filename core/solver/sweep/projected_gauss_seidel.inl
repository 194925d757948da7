#pragma once

#include "core/solver/row_solver.inl"
#include "core/solver/sweep/sweep_loops.inl"

namespace touchstone {

/// Sweeps of projected Gauss–Seidel, see RowSolver.
template <class Backend>
class ProjectedGaussSeidelOn : public RowSolver<Backend> {
  using Base = RowSolver<Backend>;

 public:
  using Base::Base;

  void solve(double) override {
    reserve();
    learnSweep();
    Base::iterateIslands(
        detail::Sweeps{{m_view, m_pairs.data(), Base::m_places.data(), m_rows.data(), m_members.data(),
                        m_plan.islandOfBody(), Base::m_running.data(), m_planar, Base::m_mostIterations,
                        m_z.data(), m_bestLinear.data(), m_bestAngular.data(), Base::judgement()}},
        m_sweep);
    forEach(m_backend, m_view.bodyCount,
            detail::UseVelocities{m_view, m_plan.islandOfBody(), nullptr, m_bestLinear.data(),
                                  m_bestAngular.data()});
  }

 protected:
  std::string failure() const override {
    return "projected Gauss–Seidel reached its sweeps above its tolerance";
  }

 private:
  template <class T>
  using Array = typename Backend::template Array<T>;
  using Base::m_backend, Base::m_islands, Base::m_members, Base::m_pairs, Base::m_planar, Base::m_plan,
      Base::m_rows, Base::m_view, Base::m_z;

  void reserve() {
    const std::size_t bodies = m_view.bodyCount;
    m_bestLinear.resize(bodies);
    m_bestAngular.resize(bodies);
  }

  void learnSweep() {
    m_sweep.learnFor(
        {m_view.nextLinearVelocity, m_view.nextAngularVelocity, m_view.inverseMass, m_view.inverseInertia,
         m_pairs.data(), Base::m_places.data(), m_rows.data(), m_members.data(), m_z.data(),
         Base::m_best.data(), Base::m_rowExtremes.data(), Base::m_extremes.data(), Base::m_reduced.data(),
         Base::m_reported, Base::m_history.data(), m_islands.data(), Base::m_running.data(),
         m_bestLinear.data(), m_bestAngular.data()},
        {double(m_plan.number()), double(Base::m_rowCapacity)});
  }

  LaunchGraph<Backend> m_sweep;
  Array<Vec3> m_bestLinear, m_bestAngular;
};

}  // namespace touchstone
