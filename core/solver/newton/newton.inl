#pragma once

#include <array>

#include "core/parallel/parallel_for.h"
#include "core/solver/newton/rewritten_iterations.inl"
#include "core/solver/row_solver.inl"
#include "core/solver/rows/told_parts.h"

namespace touchstone {

/// Damped semismooth Newton on rows of every law, all islands at once, see RowSolver. With an iterative
/// linear solver it makes no matrix. Rows may be written again at each iterate: RewrittenIterations.
template <class Backend>
class NewtonRowsOn : public RowSolver<Backend> {
  using Base = RowSolver<Backend>;

 public:
  NewtonRowsOn(NcpFunction function, const Backend& backend) : Base(backend), m_function(function) {}

  void setModel(const ModelSettings& model) override { m_largestProblem = model.largestProblem; }
  void rewriteRows(const RowRewriting* again, const RewritingSettings& settings) override {
    m_again = again;
    m_rewriting = settings;
  }
  void solve(double softness) override {
    reserve();
    const int islands = Base::islandCount();
    copyWithin(m_backend, static_cast<const int*>(m_running.data()), islands, m_begun.data());
    if (m_again) {
      solveRewritten();
      return;
    }
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
        fetched(m_backend, m_iterates.data(), newtonIterates(countOf(report.iterations)));
    for (int k = 0; k < countOf(iterates); ++k)
      report.iterations[k] = {report.iterations[k].residual, iterates[k].merit, iterates[k].linearIterations,
                              iterates[k].linearResidual};
    if (m_again)
      addParts(report);
    else if (makesMatrices())
      report.largestDense = m_matrices.largest();
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
  /// Iterates of the reported curve that are Newton's.
  virtual int newtonIterates(int all) const { return all; }
  void forgetAnswers() override { m_areMatricesStarted = false; }
  using Base::m_backend, Base::m_islands, Base::m_running, Base::m_settings;

 private:
  template <class T>
  using Array = typename Backend::template Array<T>;

  bool isFull() const { return m_again && m_rewriting.forms.friction == FrictionForm::Full; }
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
    m_u.unit = m_u.inverseRoot;
    m_pushes.resize(counts.carriers);
    m_sums.reserve(counts, Base::partialCount());
    m_merits.reserve(counts, Base::partialCount());
    m_newton.resize(Base::islandCount());
    m_iterates.resize(this->historyRoom());
    m_linear.resize(Base::structure().carrierCount());
    m_angular.resize(Base::structure().carrierCount());
    if (m_again) reserveRewritten();
    if (makesMatrices()) startMatrices();
    m_step.learnFor(arraysOfNewton(),
                    {double(Base::structure().number()), double(Base::m_table.unitCapacity()),
                     double(static_cast<int>(m_settings.linear)), double(m_settings.linearIterations)});
  }

  /// The units of each island, in the order of the table.
  void startMatrices() {
    if constexpr (Backend::kOnHost) {
      if (m_areMatricesStarted) return;
      m_areMatricesStarted = true;
      const int islands = Base::islandCount(), linearIterations = m_settings.linearIterations;
      if (m_again)
        m_carriers.start(m_settings.linear, linearIterations, isFull(), islands);
      else
        m_matrices.start(m_settings.linear, linearIterations, m_largestProblem, islands);
      std::vector<std::vector<int>> units =
          unitsOfIslands(Base::table(), Base::m_table.counts().units, islands);
      for (int island = 0; island < countOf(units); ++island) {
        if (m_again)
          m_carriers.setUnits(Base::table(), island, std::move(units[island]));
        else
          m_matrices.setUnits(island, std::move(units[island]));
      }
    }
  }

  std::vector<const void*> arraysOfNewton() const {
    std::vector<const void*> addresses = Base::arrays();
    addresses.insert(addresses.end(),
                     {m_pushes.data(), m_sums.ofUnits.data(), m_sums.ofBlocks.data(), m_sums.reduced.data(),
                      m_merits.ofUnits.data(), m_merits.ofBlocks.data(), m_merits.reduced.data(),
                      m_newton.data(), m_linear.data(), m_angular.data(), m_iterates.data()});
    for (const Array<double>& vector : m_vectors) addresses.push_back(vector.data());
    if (m_again)
      for (const void* address :
           {static_cast<const void*>(m_u.unit), static_cast<const void*>(m_inverseMass.data()),
            static_cast<const void*>(m_inverseInertia.data()), static_cast<const void*>(m_toldLinear.data())})
        addresses.push_back(address);
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
    detail::NewtonRows rows{Base::table(),
                            Base::metric(),
                            {m_linear.data(), m_angular.data()},
                            Base::vectors(),
                            Base::m_table.places(),
                            m_running.data(),
                            m_u,
                            m_newton.data()};
    if (!m_again) return rows;
    rows.metric = {m_inverseMass.data(), m_inverseInertia.data()};
    rows.isRewritten = true;
    rows.isPublished = m_rewriting.forms.normals == NormalForm::Published;
    rows.regularisation = m_rewriting.regularisation;
    return rows;
  }
  detail::NewtonIterations iterations() {
    const WorldView free = Base::free();
    const bool isDirect = m_settings.linear == LinearSolver::Direct;
    detail::NewtonIterations newton{{system(),
                                     Base::structure().islandOfCarrier(),
                                     Base::structure().sides(),
                                     m_pushes.data(),
                                     free.nextLinearVelocity,
                                     free.nextAngularVelocity,
                                     m_sums.view(),
                                     m_merits.view(),
                                     Base::judgement(),
                                     m_iterates.data(),
                                     m_function,
                                     m_settings.linear,
                                     m_settings.linearIterations,
                                     m_again ? m_rewriting.linearTolerance : 0,
                                     m_again ? isFull() : isDirect,
                                     makesMatrices() && !m_again ? &m_matrices : nullptr,
                                     makesMatrices() && m_again ? &m_carriers : nullptr,
                                     nullptr,
                                     nullptr,
                                     nullptr,
                                     nullptr}};
    if (!m_again) return newton;
    newton.space.linear = m_toldLinear.data();
    newton.space.reported = Base::m_reported;
    newton.space.pushedLinear = m_pushed.linear.data();
    newton.space.pushedAngular = m_pushed.angular.data();
    return newton;
  }

  template <class Loop>
  void eachIsland(const Loop& loop) {
    forEach(m_backend, Base::islandCount(), loop, makesMatrices() ? Work::Long : Work::Light);
  }
  void startNewton(double softness) {
    eachIsland(detail::StartNewton{m_running.data(), m_islands.data(), softness,
                                   m_again ? 0 : newton::kLinearShare, m_newton.data()});
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

  // Rows that are written again.

  /// [carrierCount] velocities.
  struct Velocities {
    Array<Vec3> linear, angular;
    void resize(int carriers) {
      linear.resize(carriers);
      angular.resize(carriers);
    }
    CarrierVelocities view() { return {linear.data(), angular.data()}; }
  };

  void reserveRewritten() {
    const RowCounts& counts = Base::m_table.counts();
    const int carriers = Base::structure().carrierCount();
    for (Array<double>* vector : {&m_unit, &m_stepImpulse, &m_zBefore}) vector->resize(counts.rows);
    if (m_rewriting.forms.normals == NormalForm::Published) m_u.unit = m_unit.data();
    for (Velocities* velocities :
         {&m_iterate, &m_startOfStep, &m_change, &m_defect, &m_pushed, &m_bestVelocities})
      velocities->resize(carriers);
    for (Array<Vec3>* vector : {&m_inverseMass, &m_addedMass, &m_forceBefore, &m_forceOfStep, &m_forceNow})
      vector->resize(carriers);
    m_inverseInertia.resize(carriers);
    m_addedInertia.resize(carriers);
    m_rewritten.resize(Base::islandCount());
    m_partsOfUnits.resize(counts.units);
    m_partsOfBlocks.resize(counts.blocks);
    m_partials.resize(Base::partialCount());
    m_partsHistory.resize(Base::m_mostIterations + 1);
    m_toldLinear.resize(Base::m_mostIterations * m_settings.linearIterations);
  }

  detail::RewrittenSpace rewrittenSpace() {
    return {Base::metric(),
            m_inverseMass.data(),
            m_inverseInertia.data(),
            m_addedMass.data(),
            m_addedInertia.data(),
            m_iterate.view(),
            m_startOfStep.view(),
            m_change.view(),
            m_defect.view(),
            m_pushed.view(),
            m_bestVelocities.view(),
            m_forceBefore.data(),
            m_forceOfStep.data(),
            m_forceNow.data(),
            m_stepImpulse.data(),
            m_zBefore.data(),
            m_rewritten.data(),
            m_partsHistory.data(),
            m_partsOfUnits.data(),
            m_partsOfBlocks.data(),
            m_partials.data(),
            Base::m_view,
            m_rewriting,
            m_again,
            Base::m_table.arrays()};
  }

  /// The islands that are running, from rest to their answers, whose velocities the carriers get.
  void solveRewritten() {
    startNewton(0);
    void (*there)(void*) = nullptr;
    if constexpr (!Backend::kOnHost) {
      Base::m_table.fetch(m_backend, m_there);
      m_islandsThere =
          fetched(m_backend, Base::structure().islandOfCarrier(), Base::structure().carrierCount());
      there = [](void* solver) { static_cast<NewtonRowsOn*>(solver)->rewriteThere(); };
    }
    Base::iterateIslands(detail::RewrittenIterations{iterations(), rewrittenSpace(), there, this}, m_step);
    copyWithin(m_backend, static_cast<const int*>(m_begun.data()), Base::islandCount(), m_running.data());
    forEach(m_backend, Base::structure().carrierCount(),
            detail::UseVelocities{Base::velocities(), Base::structure().islandOfCarrier(), m_running.data(),
                                  m_bestVelocities.linear.data(), m_bestVelocities.angular.data()});
  }

  /// Writes the rows of a device on the host, with the geometric stiffness of joints.
  void rewriteThere() {
    const int carriers = Base::structure().carrierCount();
    std::vector<Vec3> linear =
                          fetched(m_backend, static_cast<const Vec3*>(m_iterate.linear.data()), carriers),
                      angular =
                          fetched(m_backend, static_cast<const Vec3*>(m_iterate.angular.data()), carriers);
    const CarrierVelocities u{linear.data(), angular.data()};
    const std::vector<int> running =
        fetched(m_backend, static_cast<const int*>(m_running.data()), Base::islandCount());
    parallelFor(carriers, detail::PlaceCarrier{{m_islandsThere.data(), running.data()}, m_again, u});
    parallelFor(countOf(m_there.blocks),
                detail::RewriteBlock{m_there.view(), running.data(), m_again, u, m_there.arrays()},
                Work::Heavy);
    Base::m_table.takeItems(m_backend, m_there);
    if (m_rewriting.stiffensJoints) stiffenThere(running, u);
  }
  void stiffenThere(const std::vector<int>& running, const CarrierVelocities& u) {
    const int carriers = Base::structure().carrierCount();
    const std::vector<double> z =
        fetched(m_backend, static_cast<const double*>(Base::m_z.data()), Base::rowCount());
    std::vector<Mat3> sums(carriers, Mat3::Zero());
    std::vector<char> isStiff(carriers, 0);
    for (const RowBlock& block : m_there.blocks) {
      if (block.key.kind != kJointBlock || !running[block.island]) continue;
      for (int k = 0; k < block.carrierCount; ++k) {
        const int carrier = m_there.carriers[block.firstCarrier + k];
        isStiff[carrier] = 1;
        sums[carrier] += m_again->stiffness(block, k, m_there.terms.data() + block.firstTerm,
                                            z.data() + block.firstRow, u);
      }
    }
    const std::vector<Mat3> mass = fetched(m_backend, Base::metric().inverseInertia, carriers);
    std::vector<Mat3> inverse =
                          fetched(m_backend, static_cast<const Mat3*>(m_inverseInertia.data()), carriers),
                      added = fetched(m_backend, static_cast<const Mat3*>(m_addedInertia.data()), carriers);
    for (int carrier = 0; carrier < carriers; ++carrier)
      if (isStiff[carrier])
        inverse[carrier] = detail::stiffened(mass[carrier], sums[carrier], Base::m_view.dt, added[carrier]);
    m_backend.upload(inverse.data(), inverse.size(), m_inverseInertia);
    m_backend.upload(added.data(), added.size(), m_addedInertia);
  }

  void addParts(RowSolverReport& report) {
    const int count = countOf(report.iterations), linearIterations = m_settings.linearIterations;
    const double h = Base::m_view.dt;
    const std::vector<ResidualParts> parts =
        fetched(m_backend, static_cast<const ResidualParts*>(m_partsHistory.data()), count);
    const std::vector<float> linear = fetched(m_backend, static_cast<const float*>(m_toldLinear.data()),
                                              std::max(0, count - 1) * linearIterations);
    for (int k = 0; k < count; ++k) {
      SolverIteration& iteration = report.iterations[k];
      tellParts(parts[k], h, iteration);
      if (k == 0 || m_settings.linear == LinearSolver::Direct) continue;
      const auto first = linear.begin() + (k - 1) * linearIterations;
      iteration.linear.assign(first, first + iteration.linearIterations);
    }
  }

  NcpFunction m_function;
  int m_largestProblem = 0;
  const RowRewriting* m_again = nullptr;
  RewritingSettings m_rewriting;
  Array<double> m_unit, m_stepImpulse, m_zBefore;  ///< [rows]
  Velocities m_iterate, m_startOfStep, m_change, m_defect, m_pushed, m_bestVelocities;
  Array<Vec3> m_inverseMass, m_addedMass, m_forceBefore, m_forceOfStep, m_forceNow;  ///< [carriers]
  Array<Mat3> m_inverseInertia, m_addedInertia;                                      ///< [carriers]
  Array<RewrittenIsland> m_rewritten;
  Array<ResidualParts> m_partsOfUnits, m_partsOfBlocks, m_partials, m_partsHistory;
  Array<float> m_toldLinear;        ///< [iterations · linearIterations] of the reported island
  RowBuffer m_there;                ///< the table of a device, on the host
  std::vector<int> m_islandsThere;  ///< [carriers] its islands
  CarrierSystems m_carriers;
  NewtonVectors m_u;  ///< where m_vectors lie
  std::array<Array<double>, 23> m_vectors;
  Array<int> m_begun;     ///< [islands] those that iterate() is about
  Array<int> m_unsolved;  ///< [islands]
  Array<CarrierPush> m_pushes;
  Array<Vec3> m_linear, m_angular;
  ReducedSums<SystemSums> m_sums;
  ReducedSums<MeritSums> m_merits;
  Array<NewtonIsland> m_newton;
  Array<NewtonIterate> m_iterates;
  MatrixSystems m_matrices;
  bool m_areMatricesStarted = false;
  LaunchGraph<Backend> m_step;  ///< an iteration on Newton's system
};

}  // namespace touchstone
