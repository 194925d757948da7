#pragma once

#include <vector>

#include "core/solver/host/lemke_answers.h"
#include "core/solver/row_solver.inl"

namespace touchstone {

/// The stored problem of each island on the host, by Lemke's method, with a pyramid in the place of the disk.
/// Rows and velocities come from the backend, impulses and velocities go back.
template <class Backend>
class LemkeRowsOn : public RowSolver<Backend> {
  using Base = RowSolver<Backend>;

 public:
  using Base::Base;

  void setModel(const ModelSettings& model) override {
    m_islandsHere.setModel(model);
    m_hasPyramid = model.friction == FrictionShape::Pyramid;
  }
  bool hasPyramid() const override { return m_hasPyramid; }
  bool canSoften() const override { return true; }
  int softened() override { return m_softened; }

  void solve(double softness) override {
    const int islands = Base::islandCount(), rows = Base::rowCount(), carriers = m_view.carrierCount;
    HostTable table;
    Base::fetchTable(m_view.nextLinearVelocity, m_view.nextAngularVelocity, table);
    std::vector<Vec3> linear = table.linear, angular = table.angular;
    const std::vector<std::vector<int>> units = table.unitsOfIslands();
    const std::vector<int> running = fetched(m_backend, static_cast<const int*>(m_running.data()), islands);
    std::vector<IslandCurve> curves =
        fetched(m_backend, static_cast<const IslandCurve*>(m_islands.data()), islands);
    const std::vector<double> start = fetched(m_backend, static_cast<const double*>(Base::m_z.data()), rows);
    std::vector<double> best = fetched(m_backend, static_cast<const double*>(Base::m_best.data()), rows);
    const std::vector<SolverSettings> settings = settingsOfIslands(m_settings, curves.data(), islands);
    const LemkeRows::Step step{table.view(), table.metric(), table.velocities(),
                               units,        running,        settings,
                               start.data(), best.data(),    {linear.data(), angular.data()}};
    if (softness > 0)
      m_softened = m_islandsHere.soften(step, softness);
    else
      m_islandsHere.solve(step);
    for (int island = 0; island < islands; ++island)
      if (running[island]) note(m_islandsHere.solved(island), curves[island]);
    m_backend.upload(curves.data(), islands, m_islands);
    m_backend.upload(best.data(), rows, Base::m_best);
    m_backend.upload(linear.data(), carriers, m_linear);
    m_backend.upload(angular.data(), carriers, m_angular);
    forEach(m_backend, carriers,
            detail::UseVelocities{Base::velocities(), Base::structure().islandOfCarrier(), m_running.data(),
                                  m_linear.data(), m_angular.data()});
  }

  RowSolverReport report() override {
    RowSolverReport report = Base::reportOfIslands();
    m_islandsHere.addTo(report);
    return report;
  }

 protected:
  std::string failure() const override { return {}; }  // the solver has its own words
  std::vector<DenseAnswer> answersOf(HostTable& table, const std::vector<double>& /*start*/,
                                     const std::vector<double>& /*best*/, const ModelSettings& model,
                                     const std::function<bool(int unknowns)>& takes) const override {
    const std::vector<std::vector<int>> units = table.unitsOfIslands();
    std::vector<DenseAnswer> answers;
    for (int island = 0; island < table.islandCount; ++island) {
      const SolvedIsland* solved = m_islandsHere.solved(island);
      if (!solved || !takes(unknownCount(table.view(), units[island], model))) continue;
      answers.push_back(
          {m_islandsHere.problem(table.view(), table.metric(), table.velocities(), units[island], island),
           solved->start, solved->result});
    }
    return answers;
  }
  void forgetAnswers() override { m_islandsHere.forget(); }

 private:
  template <class T>
  using Array = typename Backend::template Array<T>;
  using Base::m_backend, Base::m_islands, Base::m_running, Base::m_settings, Base::m_view;

  static void note(const SolvedIsland* solved, IslandCurve& curve) {
    curve.isDone = 1;
    curve.measured = curve.hasNoSolution = 0;
    curve.best = {};
    if (solved) noteAnswer(*solved, curve);
  }

  LemkeRows m_islandsHere;
  bool m_hasPyramid = false;
  int m_softened = 0;  ///< islands, by the last solve() with softness
  Array<Vec3> m_linear, m_angular;
};

}  // namespace touchstone
