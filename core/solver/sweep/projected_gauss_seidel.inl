#pragma once

#include <vector>

#include "core/solver/row_solver.inl"
#include "core/solver/sweep/sweep_loops.inl"

namespace touchstone {

/// A RowSolver that can sweep over rows of every law, see RowSolver.
/// @tparam Base  a RowSolver<Backend>
template <class Backend, class Base>
class WithSweeps : public Base {
 public:
  using Base::Base;

 protected:
  /// Sweeps over the islands that run, from m_z to their best iterate, whose velocities the carriers get.
  /// @param iterations  at most; those of each island are its limit
  template <bool IsConjugate>
  void sweep(int iterations) {
    const int islands = Base::islandCount();
    m_begun.resize(islands);
    copyWithin(m_backend, static_cast<const int*>(Base::m_running.data()), islands, m_begun.data());
    m_bestLinear.resize(Base::structure().carrierCount());
    m_bestAngular.resize(Base::structure().carrierCount());
    detail::ConjugateRows conjugate{};
    if constexpr (IsConjugate) {
      m_conjugate.reserve(Base::rowCount(), Base::blockCount(), islands, Base::partialCount());
      conjugate = m_conjugate.rows();
    }
    learnSweep(IsConjugate ? m_conjugateSweep : m_sweep);
    Base::iterateIslands(detail::Sweeps<IsConjugate>{{{Base::table(), Base::metric(), Base::velocities(),
                                                       m_islands.data(), Base::vectors()},
                                                      Base::m_table.places(),
                                                      Base::structure().islandOfCarrier(),
                                                      Base::m_running.data(),
                                                      iterations,
                                                      m_bestLinear.data(),
                                                      m_bestAngular.data(),
                                                      Base::judgement(),
                                                      conjugate}},
                         IsConjugate ? m_conjugateSweep : m_sweep);
    forEach(m_backend, Base::structure().carrierCount(),
            detail::UseVelocities{Base::velocities(), Base::structure().islandOfCarrier(), m_begun.data(),
                                  m_bestLinear.data(), m_bestAngular.data()});
  }

  /// Moves the carriers by m_z, in the islands that are not done.
  void moveByImpulses() {
    Base::wideLoops(m_sweep).eachColour(detail::PushStart{
        {Base::table(), Base::metric(), Base::velocities(), m_islands.data(), Base::vectors()}});
  }
  /// Residuals of m_z and of the velocities as they are become those of the islands that run.
  void measureImpulses() {
    const RowsView table = Base::table();
    const WideLoops<Backend> loops = Base::wideLoops(m_sweep);
    loops.eachUnit(detail::MeasureUnit{table, Base::velocities(), Base::m_table.places(),
                                       Base::m_running.data(), Base::vectors(), Base::m_unitExtremes.data()},
                   Work::Heavy);
    const RowExtremes* ofIslands =
        Base::extremesOfUnits().reduce(loops, table.blocks, Base::m_running.data());
    loops.eachIsland(detail::TakeResiduals{ofIslands, Base::m_running.data(), m_islands.data()});
  }

  using Base::m_backend, Base::m_islands;

 private:
  template <class T>
  using Array = typename Backend::template Array<T>;

  void learnSweep(LaunchGraph<Backend>& graph) {
    std::vector<const void*> arrays = Base::arrays();
    arrays.insert(arrays.end(), {m_bestLinear.data(), m_bestAngular.data()});
    m_conjugate.addTo(arrays);
    graph.learnFor(std::move(arrays),
                   {double(Base::structure().number()), double(Base::m_table.unitCapacity())});
  }

  LaunchGraph<Backend> m_sweep, m_conjugateSweep;
  Array<int> m_begun;  ///< [islands] those that sweep() is about
  Array<Vec3> m_bestLinear, m_bestAngular;
  ConjugateArrays<Backend> m_conjugate;
};

/// Sweeps of projected Gauss–Seidel over rows of every law, plain or with conjugate directions.
template <class Backend, bool IsConjugate>
class SweepsOn : public WithSweeps<Backend, RowSolver<Backend>> {
  using Base = WithSweeps<Backend, RowSolver<Backend>>;

 public:
  using Base::Base;

  void solve(double) override {
    if constexpr (IsConjugate)
      forEach(Base::m_backend, Base::islandCount(), detail::CountIterations{Base::m_islands.data()});
    this->template sweep<IsConjugate>(detail::Sweeps<IsConjugate>::iterationsOf(Base::m_mostIterations));
  }

 protected:
  std::string failure() const override {
    return "projected Gauss–Seidel reached its sweeps above its tolerance";
  }
};

}  // namespace touchstone
