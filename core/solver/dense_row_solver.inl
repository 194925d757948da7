#pragma once

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "core/solver/dense/dense_islands.h"
#include "core/solver/row_solver.inl"

namespace touchstone {

/// The dense problem of each island on the host, by a ComplementaritySolver: published forms that need a
/// matrix. Rows and velocities come from the backend, impulses and velocities go back.
template <class Backend>
class DenseRowsOn : public RowSolver<Backend> {
  using Base = RowSolver<Backend>;

 public:
  /// @param key  of the solver, see makeSolver()
  DenseRowsOn(const std::string& key, const Backend& backend, bool planar)
      : Base(backend, planar), m_islandsHere(key) {}

  void setModel(const ModelSettings& model) override { m_islandsHere.setModel(model); }
  void setConstraints(std::vector<ConstraintRow> rows) override {
    m_constraints = std::move(rows);
    m_constraintImpulses.assign(m_constraints.size(), 0.0);
  }
  const std::vector<double>& constraintImpulses() const override { return m_constraintImpulses; }
  bool isDense() const override { return true; }
  bool canSoften() const override { return true; }
  int softened() override { return m_softened; }

  void solve(double softness) override {
    const std::size_t islands = Base::islandCount(), rows = Base::rowCount(), bodies = m_view.bodyCount;
    const HostRows hostRows = Base::fetchRows();
    DenseIslands::Step step{hostRows,
                            HostBodies{fetched(m_backend, m_view.inverseMass, bodies),
                                       fetched(m_backend, m_view.inverseInertia, bodies),
                                       fetched(m_backend, m_view.nextLinearVelocity, bodies),
                                       fetched(m_backend, m_view.nextAngularVelocity, bodies)},
                            fetched(m_backend, static_cast<const int*>(m_running.data()), islands),
                            fetched(m_backend, static_cast<const IslandCurve*>(m_islands.data()), islands),
                            fetched(m_backend, static_cast<const Vec3*>(Base::m_z.data()), rows),
                            fetched(m_backend, static_cast<const Vec3*>(Base::m_best.data()), rows),
                            m_constraints,
                            m_constraintImpulses};
    if (softness > 0)
      m_softened = m_islandsHere.soften(step, softness, m_settings);
    else
      m_islandsHere.solve(step, m_settings);
    m_backend.upload(step.islands.data(), islands, m_islands);
    m_backend.upload(step.best.data(), rows, Base::m_best);
    m_backend.upload(step.bodies.linear.data(), bodies, m_linear);
    m_backend.upload(step.bodies.angular.data(), bodies, m_angular);
    forEach(m_backend, m_view.bodyCount,
            detail::UseVelocities{m_view, m_plan.islandOfBody(), m_running.data(), m_linear.data(),
                                  m_angular.data()});
  }

  RowSolverReport report() override {
    RowSolverReport report = Base::reportOfIslands();
    m_islandsHere.addTo(report);
    return report;
  }

 protected:
  std::string failure() const override { return {}; }  // the solver has its own words
  const SolvedIsland* solvedIsland(std::size_t island) const override { return m_islandsHere.solved(island); }
  DenseProblem problemOf(const WorldView& free, const HostRows& hostRows, const IslandOfRows& island,
                         std::size_t index, const ModelSettings&) const override {
    return m_islandsHere.problem(free, hostRows, island, index, m_constraints);
  }
  void forgetAnswers() override { m_islandsHere.forget(); }

 private:
  template <class T>
  using Array = typename Backend::template Array<T>;
  using Base::m_backend, Base::m_islands, Base::m_plan, Base::m_running, Base::m_settings, Base::m_view;

  DenseIslands m_islandsHere;
  std::vector<ConstraintRow> m_constraints;
  std::vector<double> m_constraintImpulses;  ///< [m_constraints]
  int m_softened = 0;                        ///< islands, by the last solve() with softness
  Array<Vec3> m_linear, m_angular;
};

}  // namespace touchstone
