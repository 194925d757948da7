#pragma once

#include "core/contact/matrix_free_engine.inl"
#include "core/contact/sweep_loops.inl"

namespace touchstone {

/// MatrixFreeSolver::Pgs.
template <class Backend>
class SweepEngineOn : public MatrixFreeEngineOn<Backend> {
  using Base = MatrixFreeEngineOn<Backend>;

 public:
  using Base::Base;

  MatrixFreeReport solve() override {
    makeRoom();
    takeSweeps();
    if (Base::startAgain(false)) takeSweeps();
    const MatrixFreeReport answer = report();
    remember();
    return answer;
  }

 private:
  template <class T>
  using Array = typename Backend::template Array<T>;
  using Base::judge, Base::pairCount, Base::remember, Base::report;
  using Base::m_backend, Base::m_contacts, Base::m_islands, Base::m_others, Base::m_pairs, Base::m_planar,
      Base::m_plan, Base::m_view, Base::m_z;

  void makeRoom() {
    const std::size_t bodies = static_cast<std::size_t>(m_view.bodyCount);
    m_bestLinear.resize(bodies);
    m_bestAngular.resize(bodies);
  }

  /// Of the islands that are running, to their best iterate.
  void takeSweeps() {
    eachColour([this](int first, int count) {
      forEach(
          m_backend, count,
          detail::PushStart{m_view, m_pairs.data() + first, m_contacts.data(), m_islands.data(), m_z.data()},
          Work::Heavy);
    });
    measure();
    learnSweep();
    for (int sweep = 0; sweep < Base::m_mostIterations && Base::goesOn(sweep); ++sweep)
      m_sweep.run(m_backend, [this] { takeSweep(); });
    forEach(m_backend, m_view.bodyCount,
            detail::UseVelocities{m_view, m_plan.islandOfBody(), nullptr, m_bestLinear.data(),
                                  m_bestAngular.data()});
  }

  template <class Loop>
  void eachColour(const Loop& loop) const {
    const std::vector<int>& first = m_plan.firstOfColour();
    for (std::size_t colour = 0; colour + 1 < first.size(); ++colour)
      loop(first[colour], first[colour + 1] - first[colour]);
  }

  void takeSweep() {
    eachColour([this](int first, int count) {
      forEach(m_backend, count,
              detail::SweepContacts{m_view, m_pairs.data() + first, m_contacts.data(), m_others.data(),
                                    m_islands.data(), m_planar, m_z.data()},
              Work::Heavy);
    });
    measure();
  }

  void measure() {
    forEach(m_backend, Base::m_rowRoom,
            detail::MeasureRow{m_view, Base::m_rowBodies.data(), Base::m_running.data(), m_contacts.data(),
                               m_others.data(), m_planar, m_z.data(), Base::m_rowFigures.data()},
            Work::Heavy);
    judge();
    forEach(m_backend, m_view.bodyCount,
            detail::KeepVelocities{m_view, m_plan.islandOfBody(), m_islands.data(), m_bestLinear.data(),
                                   m_bestAngular.data()});
  }

  void learnSweep() {
    m_sweep.learnFor({m_view.nextLinearVelocity, m_view.nextAngularVelocity, m_view.inverseMass,
                      m_view.inverseInertia, m_pairs.data(), Base::m_rowBodies.data(), m_contacts.data(),
                      m_others.data(), m_z.data(), Base::m_best.data(), Base::m_rowFigures.data(),
                      Base::m_figures.data(), Base::m_joined.data(), Base::m_reported, Base::m_history.data(),
                      m_islands.data(), Base::m_running.data(), m_bestLinear.data(), m_bestAngular.data()},
                     {double(m_plan.number()), double(Base::m_rowRoom)});
  }

  LearnedSequence<Backend> m_sweep;
  Array<Vec3> m_bestLinear, m_bestAngular;
};

}  // namespace touchstone
