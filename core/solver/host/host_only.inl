#pragma once

#include "core/parallel/host_backend.h"
#include "core/solver/row_solver.inl"
#include "core/solver/rows/uploaded_rows.inl"

namespace touchstone {

/// A solver of the host for rows on any backend: takes the table over, and gives impulses and velocities
/// back.
/// @tparam Inner  a RowSolver<HostBackend>
template <class Backend, class Inner>
class HostOnly : public RowSolver<Backend> {
  using Base = RowSolver<Backend>;

 public:
  template <class... Args>
  explicit HostOnly(const Backend& backend, Args... args) : Base(backend), m_inner(args..., HostBackend()) {}

  void setModel(const ModelSettings& model) override { m_inner.setModel(model); }
  bool canSoften() const override { return m_inner.canSoften(); }
  void rewriteRows(const RowRewriting* again, const RewritingSettings& settings) override {
    m_inner.rewriteRows(again, settings);
  }
  bool hasPyramid() const override { return m_inner.hasPyramid(); }

  void solve(double softness) override {
    const int islands = Base::islandCount(), rows = Base::rowCount(), carriers = Base::m_view.carrierCount;
    if (!m_isTaken) takeWorld();
    fetchTo(Base::velocities().linear, carriers, m_linear.data());
    fetchTo(Base::velocities().angular, carriers, m_angular.data());
    RowBuffer table;
    Base::m_table.fetchKeyed(Base::m_backend, table);
    m_rows.set(HostBackend(), table);
    if (!m_isTaken) m_inner.layOut(m_here, {&m_rows}, Base::m_ofReplicas);
    m_isTaken = true;
    fetchTo(Base::m_running.data(), islands, m_inner.running());
    m_inner.keepFree();
    m_inner.start(true);
    fetchTo(Base::m_islands.data(), islands, m_inner.islands());
    fetchTo(Base::m_z.data(), rows, m_inner.startImpulses());
    fetchTo(Base::m_best.data(), rows, m_inner.best());
    m_inner.solve(softness);
    giveBack();
  }
  int softened() override { return m_inner.softened(); }
  RowSolverReport report() override { return m_inner.report(); }
  void noteUnsolved() override { m_inner.noteUnsolved(); }
  double residualOfAnswers() override {
    const double residual = m_inner.residualOfAnswers();
    Base::m_backend.upload(m_inner.islands(), Base::islandCount(), Base::m_islands);
    return residual;
  }

 protected:
  std::string failure() const override { return {}; }  // the solver has its own words
  void forgetAnswers() override { m_isTaken = false; }

 private:
  template <class T>
  void fetchTo(const T* from, int count, T* to) const {
    if (count > 0) Base::m_backend.download(from, count, to);
  }

  /// Masses and bodies. The table comes with its blocks in the order of their keys, so that islands have the
  /// same numbers.
  void takeWorld() {
    const WorldView& remote = Base::m_view;
    m_linear.resize(remote.carrierCount);
    m_angular.resize(remote.carrierCount);
    m_bodies = fetched(Base::m_backend, remote.bodies, remote.bodyCount);
    m_orientation =
        fetched(Base::m_backend, static_cast<const Quaternion*>(remote.orientation), remote.bodyCount);
    m_inverseMass = fetched(Base::m_backend, remote.inverseMass, remote.carrierCount);
    m_inverseInertia =
        fetched(Base::m_backend, static_cast<const Mat3*>(remote.inverseInertia), remote.carrierCount);
    m_carrierBody.clear();
    if (remote.carrierBody) m_carrierBody = fetched(Base::m_backend, remote.carrierBody, remote.carrierCount);
    m_here = WorldView();
    m_here.bodyCount = remote.bodyCount;
    m_here.carrierCount = remote.carrierCount;
    m_here.replicaCount = remote.replicaCount;
    m_here.dt = remote.dt;
    m_here.orientation = m_orientation.data();
    m_here.bodies = m_bodies.data();
    m_here.carrierBody = remote.carrierBody ? m_carrierBody.data() : nullptr;
    m_here.inverseMass = m_inverseMass.data();
    m_here.inverseInertia = m_inverseInertia.data();
    m_here.nextLinearVelocity = m_linear.data();
    m_here.nextAngularVelocity = m_angular.data();
  }
  void giveBack() {
    const int carriers = Base::m_view.carrierCount;
    Base::m_backend.upload(m_inner.islands(), Base::islandCount(), Base::m_islands);
    Base::m_backend.upload(m_inner.best(), Base::rowCount(), Base::m_best);
    Base::m_backend.upload(m_linear.data(), carriers, m_linearThere);
    Base::m_backend.upload(m_angular.data(), carriers, m_angularThere);
    forEach(Base::m_backend, carriers,
            detail::UseVelocities{Base::velocities(), Base::structure().islandOfCarrier(),
                                  Base::m_running.data(), m_linearThere.data(), m_angularThere.data()});
  }

  template <class T>
  using Array = typename Backend::template Array<T>;

  Inner m_inner;
  bool m_isTaken = false;  ///< the table of this step
  UploadedRows<HostBackend> m_rows;
  WorldView m_here;
  std::vector<BodyConstants> m_bodies;
  std::vector<Quaternion> m_orientation;
  std::vector<double> m_inverseMass;
  std::vector<Mat3> m_inverseInertia;
  std::vector<int> m_carrierBody;
  std::vector<Vec3> m_linear, m_angular;
  Array<Vec3> m_linearThere, m_angularThere;
};

}  // namespace touchstone
