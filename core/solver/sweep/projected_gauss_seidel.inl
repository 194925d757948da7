#pragma once

#include "core/solver/row_solver.inl"
#include "core/solver/sweep/sweep_loops.inl"

namespace touchstone {

/// Sweeps of projected Gauss–Seidel over rows of every law, see RowSolver.
template <class Backend>
class ProjectedGaussSeidelOn : public RowSolver<Backend> {
  using Base = RowSolver<Backend>;

 public:
  using Base::Base;

  void solve(double) override {
    const int islands = Base::islandCount();
    m_begun.resize(islands);
    copyWithin(m_backend, static_cast<const int*>(Base::m_running.data()), islands, m_begun.data());
    m_bestLinear.resize(Base::structure().carrierCount());
    m_bestAngular.resize(Base::structure().carrierCount());
    learnSweep();
    Base::iterateIslands(detail::Sweeps{{{Base::table(), Base::metric(), Base::velocities(), m_islands.data(),
                                          Base::vectors()},
                                         Base::m_table.places(),
                                         Base::structure().islandOfCarrier(),
                                         Base::m_running.data(),
                                         Base::m_mostIterations,
                                         m_bestLinear.data(),
                                         m_bestAngular.data(),
                                         Base::judgement()}},
                         m_sweep);
    forEach(m_backend, Base::structure().carrierCount(),
            detail::UseVelocities{Base::velocities(), Base::structure().islandOfCarrier(), m_begun.data(),
                                  m_bestLinear.data(), m_bestAngular.data()});
  }

 protected:
  std::string failure() const override {
    return "projected Gauss–Seidel reached its sweeps above its tolerance";
  }

 private:
  template <class T>
  using Array = typename Backend::template Array<T>;
  using Base::m_backend, Base::m_islands;

  void learnSweep() {
    std::vector<const void*> arrays = Base::arrays();
    arrays.insert(arrays.end(), {m_bestLinear.data(), m_bestAngular.data()});
    m_sweep.learnFor(std::move(arrays),
                     {double(Base::structure().number()), double(Base::m_table.unitCapacity())});
  }

  LaunchGraph<Backend> m_sweep;
  Array<int> m_begun;  ///< [islands] those that solve() is about
  Array<Vec3> m_bestLinear, m_bestAngular;
};

}  // namespace touchstone
