#pragma once

#include "core/solver/newton/newton_iterations.inl"
#include "core/solver/row_solver.inl"

namespace touchstone {

/// Damped Newton as in core/solver/dense/newton.cpp, all islands at once, see RowSolver. Contacts with
/// friction have the rows of their tangents as well as that of the normal.
template <class Backend>
class NewtonRowsOn : public RowSolver<Backend> {
  using Base = RowSolver<Backend>;

 public:
  /// @param hasFriction  two bodies of the world can rub against each other
  NewtonRowsOn(NcpFunction function, bool hasFriction, const Backend& backend, bool planar)
      : Base(backend, planar),
        m_function(function),
        m_perContact(!hasFriction ? 1
                     : planar     ? 2
                                  : 3) {}

  void solve(double softness) override {
    reserve();
    const int islands = m_plan.islandCount();
    copyWithin(m_backend, static_cast<const int*>(m_running.data()), islands, m_begun.data());
    forEach(m_backend, pairCount(),
            detail::StartRows{m_view, m_pairs.data(), m_running.data(), Base::m_rows.data(), m_members.data(),
                              m_z.data(), m_perContact, m_newtonRows.data(), m_memberRows.data(),
                              m_disks.data(), m_u.y},
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
    for (std::size_t k = 0; k < iterates.size(); ++k)
      report.iterations[k] = {report.iterations[k].residual, iterates[k].merit, iterates[k].linearIterations,
                              iterates[k].linearResidual};
    return report;
  }

  void noteUnsolved() override { eachIsland(detail::FindPoor{m_islands.data(), 0, m_unsolved.data()}); }
  double residualOfAnswers() override {
    copyWithin(m_backend, static_cast<const int*>(m_unsolved.data()), m_plan.islandCount(), m_running.data());
    startNewton(0);
    copyVector(m_u.x, m_u.y);
    const WideLoops<Backend> loops = Base::wideLoops(m_step);
    const detail::NewtonIterations newton = iterations();
    newton.multiply(loops, m_u.y);
    newton.setRates(loops);
    const RowExtremes* ofIslands = Base::extremesOfRows().reduce(loops, m_pairs.data(), m_running.data());
    eachIsland(detail::TakeResiduals{ofIslands, m_running.data(), m_islands.data()});
    return Base::reportOfIslands().residual;
  }

 protected:
  std::string failure() const override { return "Newton's method stalls above its tolerance"; }

 private:
  template <class T>
  using Array = typename Backend::template Array<T>;
  using Base::m_backend, Base::m_islands, Base::m_members, Base::m_pairs, Base::m_plan, Base::m_running,
      Base::m_settings, Base::m_view, Base::m_z;
  using Base::pairCount;

  void reserve() {
    const std::size_t rows = m_perContact * Base::rowCount(), bodies = m_view.bodyCount,
                      members = m_members.size();
    m_begun.resize(m_plan.islandCount());
    m_unsolved.resize(m_begun.size());
    m_memberRows.resize(members);
    m_memberRates.resize(members);
    m_newtonRows.resize(rows);
    m_disks.resize(m_perContact > 1 ? Base::rowCount() : 0);
    for (Array<double>& vector : m_vectors) vector.resize(rows);
    std::size_t next = 0;
    for (double** vector :
         {&m_u.y, &m_u.v, &m_u.value, &m_u.dy, &m_u.dv, &m_u.direction, &m_u.right, &m_u.added, &m_u.x,
          &m_u.best, &m_u.r, &m_u.z, &m_u.p, &m_u.Sz, &m_u.Sp, &m_u.inverse})
      *vector = m_vectors[next++].data();
    m_pushes.resize(pairCount());
    m_sums.reserve(Base::rowCount(), m_pushes.size(), Base::partialCount());
    m_merits.reserve(Base::rowCount(), m_pushes.size(), Base::partialCount());
    m_newton.resize(m_plan.islandCount());
    m_history.resize(Base::m_mostIterations + 1);
    m_linear.resize(bodies);
    m_angular.resize(bodies);
    fill(m_backend, m_linear.data(), m_view.bodyCount, Vec3(0, 0, 0));  // static bodies keep it
    fill(m_backend, m_angular.data(), m_view.bodyCount, Vec3(0, 0, 0));
    listSides();
    m_step.learnFor(arrays(),
                    {double(m_plan.number()), double(Base::m_rowCapacity),
                     double(static_cast<int>(m_settings.linear)), double(m_settings.linearIterations)});
  }

  void listSides() {
    if (m_listedPlan == m_plan.number()) return;
    m_listedPlan = m_plan.number();
    m_sides = m_plan.placesOfBodies(m_backend);
  }

  std::vector<const void*> arrays() const {
    std::vector<const void*> addresses = {m_view.inverseMass,    m_view.inverseInertia, m_pairs.data(),
                                          m_running.data(),      m_newtonRows.data(),   m_disks.data(),
                                          m_pushes.data(),       Base::m_places.data(), m_sums.ofRows.data(),
                                          m_sums.ofPairs.data(), m_sums.reduced.data(), m_newton.data(),
                                          m_linear.data(),       m_angular.data(),      Base::m_rows.data(),
                                          m_memberRows.data(),   m_memberRates.data()};
    for (const Array<double>& vector : m_vectors) addresses.push_back(vector.data());
    return addresses;
  }

  /// Sums of all contacts, of all pairs, and reduced by island.
  template <class Sums>
  struct ReducedSums {
    Array<Sums> ofRows, ofPairs, reduced;
    void reserve(std::size_t rows, std::size_t pairs, std::size_t partials) {
      ofRows.resize(rows);
      ofPairs.resize(pairs);
      reduced.resize(partials);
    }
    detail::ReducedExtremes<Sums> view() { return {ofRows.data(), ofPairs.data(), reduced.data()}; }
  };

  detail::NewtonIterations iterations() {
    const detail::NewtonRows system{Base::m_places.data(), m_running.data(),    m_newtonRows.data(),
                                    m_linear.data(),       m_angular.data(),    m_u,
                                    m_newton.data(),       m_perContact,        m_disks.data(),
                                    Base::m_rows.data(),   m_memberRows.data(), m_memberRates.data()};
    return {{system, m_view, m_pairs.data(), m_plan.islandOfBody(), m_sides, m_pushes.data(), m_sums.view(),
             m_merits.view(), Base::judgement(), m_z.data(), m_history.data(), m_function, m_settings.linear,
             m_settings.linearIterations}};
  }

  template <class Loop>
  void eachIsland(const Loop& loop) {
    forEach(m_backend, m_plan.islandCount(), loop);
  }
  void startNewton(double softness) {
    eachIsland(detail::StartNewton{m_running.data(), m_islands.data(), softness, m_newton.data()});
  }

  /// Copies a vector of all islands: those that do not search no longer use either vector.
  void copyVector(const double* source, double* target) {
    copyWithin(m_backend, source, m_perContact * Base::rowCount(), target);
  }

  /// Applies the solution of the islands that are running.
  void useAnswer() {
    forEach(m_backend, pairCount(),
            detail::FinishRows{m_pairs.data(), m_running.data(), Base::m_rows.data(), m_newtonRows.data(),
                               m_perContact, Base::m_best.data(), m_u.x});
    iterations().multiply(Base::wideLoops(m_step), m_u.x);
    forEach(m_backend, m_view.bodyCount,
            detail::AddVelocities{m_view, m_plan.islandOfBody(), m_running.data(), m_linear.data(),
                                  m_angular.data()});
  }

  NcpFunction m_function;
  int m_perContact;   ///< rows: see NewtonRows
  NewtonVectors m_u;  ///< where m_vectors lie
  std::array<Array<double>, kNewtonVectors> m_vectors;
  Array<NewtonRow> m_newtonRows, m_memberRows;
  Array<double> m_memberRates;
  Array<int> m_begun;     ///< [islands] those that iterate() is about
  Array<int> m_unsolved;  ///< [islands]
  Array<NewtonDisk> m_disks;
  Array<PairPush> m_pushes;
  Array<Vec3> m_linear, m_angular;
  ReducedSums<SystemSums> m_sums;
  ReducedSums<MeritSums> m_merits;
  Array<NewtonIsland> m_newton;
  Array<NewtonIterate> m_history;
  int m_listedPlan = 0;
  detail::CarrierIncidence m_sides{};
  LaunchGraph<Backend> m_step;  ///< an iteration on Newton's system
};

}  // namespace touchstone
