#pragma once

#include <array>

#include "core/solver/newton/newton_iterations.inl"
#include "core/solver/row_solver.inl"

namespace touchstone {

/// Damped semismooth Newton on rows of every law, all islands at once, see RowSolver: solveNewtonFb(),
/// solveNewtonMin(). With an iterative linear solver it makes no matrix.
template <class Backend>
class NewtonRowsOn : public RowSolver<Backend> {
  using Base = RowSolver<Backend>;

 public:
  NewtonRowsOn(NcpFunction function, const Backend& backend) : Base(backend), m_function(function) {}

  void setModel(const ModelSettings& model) override { m_largestProblem = model.largestProblem; }
  void solve(double softness) override {
    reserve();
    const int islands = Base::islandCount();
    copyWithin(m_backend, static_cast<const int*>(m_running.data()), islands, m_begun.data());
    forEach(m_backend, Base::m_table.unitCapacity(), detail::StartUnits{system(), Base::m_table.places()},
            Work::Heavy);
    startNewton(softness);
    Base::iterateIslands(iterations(), m_step);
    copyWithin(m_backend, static_cast<const int*>(m_begun.data()), islands, m_running.data());
    useAnswer();
  }
  bool canSoften() const override { return true; }

  RowSolverReport report() override {
    RowSolverReport report = Base::reportOfIslands();
    const std::vector<NewtonIterate> iterates =
        fetched(m_backend, m_history.data(), report.iterations.size());
    for (int k = 0; k < countOf(iterates); ++k)
      report.iterations[k] = {report.iterations[k].residual, iterates[k].merit, iterates[k].linearIterations,
                              iterates[k].linearResidual};
    if (makesMatrices()) report.largestDense = m_matrices.largest();
    return report;
  }

  void noteUnsolved() override { eachIsland(detail::FindPoor{m_islands.data(), 0, m_unsolved.data()}); }
  double residualOfAnswers() override {
    copyWithin(m_backend, static_cast<const int*>(m_unsolved.data()), Base::islandCount(), m_running.data());
    startNewton(0);
    const WideLoops<Backend> loops = Base::wideLoops(m_step);
    loops.eachUnit(detail::FinishUnits{system(), Base::m_best.data()});  // of whichever solver
    copyWithin(m_backend, m_u.x, Base::rowCount(), m_u.y);
    const detail::NewtonIterations newton = iterations();
    newton.moveTo(loops, m_u.y);
    newton.setRates(loops);
    const RowExtremes* ofIslands =
        Base::extremesOfUnits().reduce(loops, Base::table().blocks, m_running.data());
    eachIsland(detail::TakeResiduals{ofIslands, m_running.data(), m_islands.data()});
    return Base::reportOfIslands().residual;
  }

 protected:
  std::string failure() const override { return "Newton's method stalls above its tolerance"; }
  void forgetAnswers() override { m_areMatricesStarted = false; }
  using Base::m_backend, Base::m_islands, Base::m_running, Base::m_settings;

 private:
  template <class T>
  using Array = typename Backend::template Array<T>;

  bool makesMatrices() const { return !isOnBackend(m_settings.linear); }

  void reserve() {
    const RowCounts& counts = Base::m_table.counts();
    m_begun.resize(Base::islandCount());
    m_unsolved.resize(m_begun.size());
    for (Array<double>& vector : m_vectors) vector.resize(counts.rows);
    int next = 0;
    for (double** vector :
         {&m_u.y,           &m_u.v,        &m_u.value,  &m_u.dy,      &m_u.dv,    &m_u.direction,
          &m_u.right,       &m_u.added,    &m_u.x,      &m_u.best,    &m_u.r,     &m_u.z,
          &m_u.p,           &m_u.Sz,       &m_u.Sp,     &m_u.inverse, &m_u.rates, &m_u.root,
          &m_u.inverseRoot, &m_u.diagonal, &m_u.across, &m_u.turnX,   &m_u.turnY})
      *vector = m_vectors[next++].data();
    m_pushes.resize(counts.carriers);
    m_sums.reserve(counts, Base::partialCount());
    m_merits.reserve(counts, Base::partialCount());
    m_newton.resize(Base::islandCount());
    m_history.resize(Base::m_mostIterations + 1);
    m_linear.resize(Base::structure().carrierCount());
    m_angular.resize(Base::structure().carrierCount());
    if (makesMatrices()) startMatrices();
    m_step.learnFor(arrays(),
                    {double(Base::structure().number()), double(Base::m_table.unitCapacity()),
                     double(static_cast<int>(m_settings.linear)), double(m_settings.linearIterations)});
  }

  /// The units of each island, in the order of the table.
  void startMatrices() {
    if constexpr (Backend::kOnHost) {
      if (m_areMatricesStarted) return;
      m_areMatricesStarted = true;
      m_matrices.start(m_settings.linear, m_settings.linearIterations, m_largestProblem, Base::islandCount());
      std::vector<std::vector<int>> units =
          unitsOfIslands(Base::table(), Base::m_table.counts().units, Base::islandCount());
      for (int island = 0; island < countOf(units); ++island)
        m_matrices.setUnits(island, std::move(units[island]));
    }
  }

  std::vector<const void*> arrays() const {
    std::vector<const void*> addresses = Base::arrays();
    addresses.insert(addresses.end(),
                     {m_pushes.data(), m_sums.ofUnits.data(), m_sums.ofBlocks.data(), m_sums.reduced.data(),
                      m_merits.ofUnits.data(), m_merits.ofBlocks.data(), m_merits.reduced.data(),
                      m_newton.data(), m_linear.data(), m_angular.data(), m_history.data()});
    for (const Array<double>& vector : m_vectors) addresses.push_back(vector.data());
    return addresses;
  }

  /// Sums of all units, of all blocks, and reduced by island.
  template <class Sums>
  struct ReducedSums {
    Array<Sums> ofUnits, ofBlocks, reduced;
    void reserve(const RowCounts& counts, std::size_t partials) {
      ofUnits.resize(counts.units);
      ofBlocks.resize(counts.blocks);
      reduced.resize(partials);
    }
    detail::ReducedExtremes<Sums> view() { return {ofUnits.data(), ofBlocks.data(), reduced.data()}; }
  };

  detail::NewtonRows system() {
    return {Base::table(),
            Base::metric(),
            {m_linear.data(), m_angular.data()},
            Base::vectors(),
            Base::m_table.places(),
            m_running.data(),
            m_u,
            m_newton.data()};
  }
  detail::NewtonIterations iterations() {
    const WorldView free = Base::free();
    return {{system(), Base::structure().islandOfCarrier(), Base::structure().sides(), m_pushes.data(),
             free.nextLinearVelocity, free.nextAngularVelocity, m_sums.view(), m_merits.view(),
             Base::judgement(), m_history.data(), m_function, m_settings.linear, m_settings.linearIterations,
             makesMatrices() ? &m_matrices : nullptr}};
  }

  template <class Loop>
  void eachIsland(const Loop& loop) {
    forEach(m_backend, Base::islandCount(), loop, makesMatrices() ? Work::Long : Work::Light);
  }
  void startNewton(double softness) {
    eachIsland(detail::StartNewton{m_running.data(), m_islands.data(), softness, m_newton.data()});
  }

  /// Applies the solution of the islands that are running.
  void useAnswer() {
    const WideLoops<Backend> loops = Base::wideLoops(m_step);
    loops.eachUnit(detail::FinishUnits{system(), Base::m_best.data()});
    iterations().moveTo(loops, m_u.x);
    forEach(m_backend, Base::structure().carrierCount(),
            detail::UseVelocities{Base::velocities(), Base::structure().islandOfCarrier(), m_running.data(),
                                  m_linear.data(), m_angular.data()});
  }

  NcpFunction m_function;
  int m_largestProblem = 0;
  NewtonVectors m_u;  ///< where m_vectors lie
  std::array<Array<double>, kNewtonVectors> m_vectors;
  Array<int> m_begun;     ///< [islands] those that iterate() is about
  Array<int> m_unsolved;  ///< [islands]
  Array<CarrierPush> m_pushes;
  Array<Vec3> m_linear, m_angular;
  ReducedSums<SystemSums> m_sums;
  ReducedSums<MeritSums> m_merits;
  Array<NewtonIsland> m_newton;
  Array<NewtonIterate> m_history;
  MatrixSystems m_matrices;
  bool m_areMatricesStarted = false;
  LaunchGraph<Backend> m_step;  ///< an iteration on Newton's system
};

}  // namespace touchstone
