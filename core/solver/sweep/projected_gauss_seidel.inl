#pragma once

#include "core/solver/rows/row_solver.inl"
#include "core/solver/sweep/sweep_loops.inl"

namespace touchstone {

/// MatrixFreeSolver::Pgs.
template <class Backend>
class ProjectedGaussSeidelOn : public RowSolverOn<Backend> {
  using Base = RowSolverOn<Backend>;

 public:
  using Base::Base;

  MatrixFreeReport solve() override {
    reserve();
    takeSweeps();
    if (Base::startAgain(false)) takeSweeps();
    const MatrixFreeReport answer = report();
    handOver();
    return answer;
  }

 private:
  template <class T>
  using Array = typename Backend::template Array<T>;
  using Base::handOver, Base::report;
  using Base::m_backend, Base::m_contacts, Base::m_islands, Base::m_others, Base::m_pairs, Base::m_planar,
      Base::m_plan, Base::m_view, Base::m_z;

  void reserve() {
    const std::size_t bodies = static_cast<std::size_t>(m_view.bodyCount);
    m_bestLinear.resize(bodies);
    m_bestAngular.resize(bodies);
  }

  /// Of the islands that are running, to their best iterate.
  void takeSweeps() {
    learnSweep();
    Base::iterateIslands(
        detail::Sweeps{{m_view, m_pairs.data(), Base::m_places.data(), m_contacts.data(), m_others.data(),
                        m_plan.islandOfBody(), Base::m_running.data(), m_planar, Base::m_mostIterations,
                        m_z.data(), m_bestLinear.data(), m_bestAngular.data(), Base::judgement()}},
        m_sweep);
    forEach(m_backend, m_view.bodyCount,
            detail::UseVelocities{m_view, m_plan.islandOfBody(), nullptr, m_bestLinear.data(),
                                  m_bestAngular.data()});
  }

  void learnSweep() {
    m_sweep.learnFor(
        {m_view.nextLinearVelocity, m_view.nextAngularVelocity, m_view.inverseMass, m_view.inverseInertia,
         m_pairs.data(), Base::m_places.data(), m_contacts.data(), m_others.data(), m_z.data(),
         Base::m_best.data(), Base::m_rowExtremes.data(), Base::m_extremes.data(), Base::m_reduced.data(),
         Base::m_reported, Base::m_history.data(), m_islands.data(), Base::m_running.data(),
         m_bestLinear.data(), m_bestAngular.data()},
        {double(m_plan.number()), double(Base::m_rowCapacity)});
  }

  LaunchGraph<Backend> m_sweep;
  Array<Vec3> m_bestLinear, m_bestAngular;
};

}  // namespace touchstone
