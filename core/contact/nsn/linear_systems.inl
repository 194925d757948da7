#pragma once

#include <cmath>
#include <vector>

#include "core/contact/nsn/linear_systems.h"
#include "core/math/count.h"
#include "core/parallel/copy.h"
#include "core/parallel/device/launch_graph.h"
#include "core/parallel/reduce.h"
#include "core/parallel/sum.h"
#include "core/solver/linear/krylov.inl"

namespace touchstone::nsn {

/// LinearSystems in the memory of a backend, with what their solution needs. These are the rows of
/// core/solver/linear/krylov.inl: see systemTimes().
struct SystemSpace {
  const SystemPlace* places;
  const SystemRow* rows;
  const BodyTerm* terms;
  const SystemBody* bodies;
  const BodySide* sides;
  KrylovVectors u;
  Vec3 *linear, *angular;  // [bodies] H⁻¹ Jᵀ s x of the last product
  KrylovState* states;     // [systems], as the next two
  int* running;
  KrylovSums* sums;
  KrylovSums* rowSums;  // see SystemPlace::firstSum
  float* residuals;

  /// A row of A x, after the product of A and x.
  TS_HD double systemTimes(int, int row, const double* x) const {
    const SystemRow& systemRow = rows[row];
    double rate = 0;
    for (int k = systemRow.firstTerm; k < systemRow.firstTerm + systemRow.termCount; ++k)
      rate += terms[k].linear.dot(linear[terms[k].body]) + terms[k].angular.dot(angular[terms[k].body]);
    return systemRow.scale * rate + systemRow.added * x[row];
  }
};

struct BeginSystemRow {  // one row per index
  SystemSpace space;
  TS_HD void operator()(int row) const {
    space.u.right[row] = space.rows[row].right;
    space.u.inverse[row] = space.rows[row].inverse;
    touchstone::detail::beginLinear(space.u, row);
  }
};

struct KeepBestOfRow {  // one row per index
  SystemSpace space;
  TS_HD void operator()(int row) const {
    touchstone::detail::keepBetter(space.u, space.states[space.rows[row].system], row);
  }
};

/// Owner of the rows of a loop: any system for each row, or one system for all.
struct OfAnySystem {
  TS_HD int system(const SystemSpace& space, int row) const { return space.rows[row].system; }
  TS_HD int sum(const SystemSpace& space, int row) const { return space.rows[row].sum; }
};
struct OfOneSystem {
  int systemIndex, rowToSum;
  TS_HD int system(const SystemSpace&, int) const { return systemIndex; }
  TS_HD int sum(const SystemSpace&, int row) const { return row + rowToSum; }
};

template <class Row, class Of>
struct EachSystemRow {  // one row per index
  SystemSpace space;
  Row row;
  Of owner;
  bool isSummed;
  TS_HD void operator()(int index) const {
    const int system = owner.system(space, index);
    if (!space.running[system]) return;
    KrylovSums sums;
    row(space, system, space.states[system], index, sums);
    if (isSummed) space.rowSums[owner.sum(space, index)] = sums;
  }
};

struct MoveSystemBody {  // one body per index: v = H⁻¹ Jᵀ s x, its rows in their order
  SystemSpace space;
  const double* x;
  TS_HD void operator()(int index) const {
    const SystemBody& body = space.bodies[index];
    if (!space.running[body.system]) return;
    Vec3 force(0, 0, 0), torque(0, 0, 0);
    for (int k = body.firstSide; k < body.firstSide + body.sideCount; ++k) {
      const BodySide side = space.sides[k];
      const BodyTerm& term = space.terms[side.term];
      const double impulse = space.rows[side.row].scale * x[side.row];
      force += impulse * term.linear;
      torque += impulse * term.angular;
    }
    space.linear[index] = body.inverseMass.cwiseProduct(force);
    space.angular[index] = body.inverseInertia * torque;
  }
};

template <class Act>
struct ActOnSystem {  // one running system per index
  SystemSpace space;
  Act act;
  TS_HD void operator()(int system) const {
    KrylovState& state = space.states[system];
    const int before = state.iterations, first = space.places[system].firstResidual;
    space.running[system] = act(state, space.sums[system].values) ? 1 : 0;
    if (first >= 0 && state.iterations > before)
      space.residuals[first + before] = static_cast<float>(state.residual);
  }
};

/// Sums over the rows of a system, then what follows from them. One system per index.
template <class Act>
struct ConcludeSystem {
  SystemSpace space;
  Act act;
  TS_NO_SPACE_CHECK
  template <class Group>
  TS_HD void operator()(const Group& group, int system) const {
    if (!group.together(space.running[system] != 0)) return;
    const SystemPlace& place = space.places[system];
    using Sum = touchstone::detail::SumTermsTogether<KrylovSums>;
    Sum{space.rowSums + place.firstSum, 1, place.rowCount, space.sums + system}(group, 0);
    using Each = touchstone::detail::FromFirst<ActOnSystem<Act>>;
    group.forEach(1, Each{system, {space, act}});
  }
};

// λ_max(P⁻¹ A) by power iterations, for Jacobi's sweeps: undamped, these diverge on redundant contacts. The
// vector is p, its length KrylovState::next.

struct BeginPower {
  TS_HD void operator()(const SystemSpace& space, int system, const KrylovState&, int row,
                        KrylovSums& sums) const {
    space.u.p[row] = 1 + 0.1 * ((row - space.places[system].firstRow) % 7);
    sums.values[0] += space.u.p[row] * space.u.p[row];
  }
};

struct DividePower {
  TS_HD void operator()(const SystemSpace& space, int, const KrylovState& state, int row, KrylovSums&) const {
    space.u.p[row] = state.next > 0 ? space.u.p[row] / state.next : 0;
  }
};

struct TimesPower {  // after the product of A and p
  TS_HD void operator()(const SystemSpace& space, int system, const KrylovState&, int row,
                        KrylovSums& sums) const {
    space.u.p[row] = space.u.inverse[row] * space.systemTimes(system, row, space.u.p);
    sums.values[0] += space.u.p[row] * space.u.p[row];
  }
};

struct MeasurePower {
  TS_HD bool operator()(KrylovState& state, const double* sums) const {
    state.next = std::sqrt(sums[0]);
    state.damping = state.next > 0 ? 1 / state.next : 1;
    return true;
  }
};

/// Loops over one system, by the threads of a group. @see WideSystemLoops
template <class Group>
struct SystemLoops {
  const Group& group;
  const SystemPlace& place;
  const int* running;
  int system, maxPasses;

  TS_HD OfOneSystem ofRows() const { return {system, place.firstSum - place.firstRow}; }
  TS_NO_SPACE_CHECK
  template <class Body>
  TS_HD void eachRow(const Body& body) const {
    group.forEach(place.rowCount, touchstone::detail::FromFirst<Body>{place.firstRow, body});
  }
  TS_NO_SPACE_CHECK
  template <class Body>
  TS_HD void eachBody(const Body& body) const {
    group.forEach(place.bodyCount, touchstone::detail::FromFirst<Body>{place.firstBody, body});
  }
  TS_NO_SPACE_CHECK
  template <class Program>
  TS_HD void eachSystem(const Program& program) const {
    program(group, system);
  }
  TS_NO_SPACE_CHECK
  TS_HD bool goesOn(int count) const { return count < maxPasses && group.together(running[system] != 0); }
  TS_NO_SPACE_CHECK
  template <class Sequence>
  TS_HD void repeat(const Sequence& sequence) const {
    sequence();
  }
};

/// Loops over all large systems at once, which come first, each loop spread over the whole backend.
template <class Backend>
struct WideSystemLoops {
  const Backend& backend;
  int systemCount, rowCount, bodyCount;
  const int* running;
  typename Backend::template Array<int>& partials;
  LaunchGraph<Backend>& iteration;

  TS_HD OfAnySystem ofRows() const { return {}; }
  TS_NO_SPACE_CHECK
  template <class Body>
  TS_HD void eachRow(const Body& body) const {
    forEach(backend, rowCount, body);
  }
  TS_NO_SPACE_CHECK
  template <class Body>
  TS_HD void eachBody(const Body& body) const {
    forEach(backend, bodyCount, body, Work::Heavy);
  }
  TS_NO_SPACE_CHECK
  template <class Program>
  TS_HD void eachSystem(const Program& program) const {
    backend.runGroups(systemCount, sumsOf(rowCount / systemCount), program);
  }
  TS_NO_SPACE_CHECK
  TS_HD bool goesOn(int count) const {
    // How often the host asks a device: systems stop on their own.
    constexpr int kIterationsBetween = Backend::kOnHost ? 1 : 8;
    return count % kIterationsBetween != 0 ||
           reduced(backend, running, systemCount, 0, Larger{}, partials) > 0;
  }
  TS_NO_SPACE_CHECK
  template <class Sequence>
  TS_HD void repeat(const Sequence& sequence) const {
    iteration.run(backend, sequence);
  }
};

/// The systems of some loops, for beginKrylov(), continueKrylov() and iterateJacobi().
template <class Loops>
struct KrylovSystems {
  const SystemSpace& space;
  const Loops& loops;
  TS_NO_SPACE_CHECK
  TS_HD void multiply(const double* x) const { loops.eachBody(MoveSystemBody{space, x}); }
  TS_NO_SPACE_CHECK
  template <class Row>
  TS_HD void eachRow(const Row& row) const {
    visit(row, loops.ofRows(), false);
  }
  /// Their sums are taken by conclude(), which follows.
  TS_NO_SPACE_CHECK
  template <class Row>
  TS_HD void sumRows(const Row& row) const {
    visit(row, loops.ofRows(), true);
  }
  TS_NO_SPACE_CHECK
  template <class Act>
  TS_HD void conclude(const Act& act) const {
    loops.eachSystem(ConcludeSystem<Act>{space, act});
  }
  TS_NO_SPACE_CHECK
  TS_HD bool goesOn(int count) const { return loops.goesOn(count); }
  TS_NO_SPACE_CHECK
  template <class Sequence>
  TS_HD void repeat(const Sequence& sequence) const {
    loops.repeat(sequence);
  }

 private:
  TS_NO_SPACE_CHECK
  template <class Row, class Of>
  TS_HD void visit(const Row& row, const Of& owner, bool isSummed) const {
    loops.eachRow(EachSystemRow<Row, Of>{space, row, owner, isSummed});
  }
};

/// The iterations of a solver on the systems of some loops.
struct SystemIterations {
  SystemSpace space;
  LinearSolver solver;
  int maxIterations;

  TS_NO_SPACE_CHECK
  template <class Loops>
  TS_HD void begin(const Loops& loops) const {
    const KrylovSystems<Loops> systems{space, loops};
    if (solver == LinearSolver::Jacobi)
      findDamping(systems);
    else
      beginKrylov(systems, space.u, solver == LinearSolver::Pcr);
  }
  /// Until the systems have ended, or the loops end before them; then it may be called again.
  TS_NO_SPACE_CHECK
  template <class Loops>
  TS_HD void advance(const Loops& loops) const {
    const KrylovSystems<Loops> systems{space, loops};
    if (solver == LinearSolver::Jacobi)
      iterateJacobi(systems, space.u, maxIterations);
    else
      continueKrylov(systems, space.u, solver == LinearSolver::Pcr, maxIterations);
  }

 private:
  TS_NO_SPACE_CHECK
  template <class Systems>
  TS_HD void findDamping(const Systems& systems) const {
    constexpr int kPowerIterations = 15;
    systems.sumRows(BeginPower{});
    systems.conclude(MeasurePower{});
    for (int k = 0; k < kPowerIterations; ++k) {
      systems.eachRow(DividePower{});
      systems.multiply(space.u.p);
      systems.sumRows(TimesPower{});
      systems.conclude(MeasurePower{});
    }
  }
};

/// A system that is not large by a group of threads, as far as one launch takes it. One per index.
struct EachSmallSystem {
  SystemIterations iterations;
  int first;     // of these systems
  bool isFirst;  // of the launches
  int maxPasses;
  TS_NO_SPACE_CHECK
  template <class Group>
  TS_HD void operator()(const Group& group, int index) const {
    const SystemSpace& systemSpace = iterations.space;
    const int system = first + index;
    if (!group.together(systemSpace.running[system] != 0)) return;
    const SystemLoops<Group> loops{group, systemSpace.places[system], systemSpace.running, system, maxPasses};
    if (isFirst) iterations.begin(loops);
    iterations.advance(loops);
  }
};

struct EndSystem {  // one system per index
  const KrylovState* states;
  LinearAnswers::End* ends;
  TS_HD void operator()(int system) const {
    ends[system] = {states[system].iterations, states[system].residual};
  }
};

template <class Backend>
class BatchedLinearSystemsOn : public BatchedLinearSystems {
 public:
  bool isOnHost() const override { return Backend::kOnHost; }

  void solve(const LinearSystems& systems, LinearSolver solver, int maxIterations,
             LinearAnswers& answers) override {
    send(systems, solver);
    const int count = systems.count(), rows = countOf(systems.rows), large = systems.largeCount;
    const int largeRows = large < count ? systems.places[large].firstRow : rows;
    const SystemIterations iterations{space(), solver, maxIterations};
    forEach(m_backend, rows, BeginSystemRow{space()});
    if (large < count) iterateSmall(iterations, large, count - large, (rows - largeRows) / (count - large));
    if (large > 0) {
      const int largeBodies = large < count ? systems.places[large].firstBody : countOf(systems.bodies);
      iterateLarge(iterations, large, largeRows, largeBodies);
    }
    forEach(m_backend, rows, KeepBestOfRow{space()});
    forEach(m_backend, count, EndSystem{m_states.data(), m_ends.data()});
    fetch(systems, answers);
  }

 private:
  template <class T>
  using Array = typename Backend::template Array<T>;

  void send(const LinearSystems& systems, LinearSolver solver) {
    const std::size_t count = systems.places.size(), rows = systems.rows.size(),
                      bodies = systems.bodies.size();
    m_statesHere.assign(count, KrylovState());
    for (std::size_t system = 0; system < count; ++system) {
      m_statesHere[system].size = systems.places[system].size;
      m_statesHere[system].tolerance = systems.places[system].tolerance;
      m_statesHere[system].residual = 1;
      m_statesHere[system].takesLast = takesLastIterate(solver) ? 1 : 0;
    }
    m_backend.upload(systems.places.data(), count, m_places);
    m_backend.upload(systems.rows.data(), rows, m_rows);
    m_backend.upload(systems.terms.data(), systems.terms.size(), m_terms);
    m_backend.upload(systems.bodies.data(), bodies, m_bodies);
    m_backend.upload(systems.sides.data(), systems.sides.size(), m_sides);
    m_backend.upload(m_statesHere.data(), count, m_states);
    for (Array<double>* array : {&m_right, &m_x, &m_best, &m_r, &m_z, &m_p, &m_Sz, &m_Sp, &m_inverse})
      array->resize(rows);
    m_linear.resize(bodies);
    m_angular.resize(bodies);
    m_running.resize(count);
    fill(m_backend, m_running.data(), static_cast<int>(count), 1);
    m_sums.resize(count);
    m_ends.resize(count);
    m_rowSums.resize(systems.sumCount);
    m_residuals.resize(systems.residualCount);
  }

  SystemSpace space() {
    return {m_places.data(),
            m_rows.data(),
            m_terms.data(),
            m_bodies.data(),
            m_sides.data(),
            {m_right.data(), m_x.data(), m_best.data(), m_r.data(), m_z.data(), m_p.data(), m_Sz.data(),
             m_Sp.data(), m_inverse.data()},
            m_linear.data(),
            m_angular.data(),
            m_states.data(),
            m_running.data(),
            m_sums.data(),
            m_rowSums.data(),
            m_residuals.data()};
  }

  /// @param width  rows that a system has
  void iterateSmall(const SystemIterations& iterations, int first, int count, int width) {
    EachSmallSystem smallSystem{iterations, first, true, m_backend.mostPasses()};
    do {
      m_backend.runGroups(count, width, smallSystem, Threads::All);
      smallSystem.isFirst = false;
    } while (m_backend.mostPasses() < kAllPasses &&
             reduced(m_backend, static_cast<const int*>(m_running.data()) + first, count, 0, Larger{},
                     m_partials) > 0);
  }

  void iterateLarge(const SystemIterations& iterations, int count, int rows, int bodies) {
    const SystemSpace& systemSpace = iterations.space;
    m_iteration.learnFor(
        {systemSpace.places,   systemSpace.rows,      systemSpace.terms,  systemSpace.bodies,
         systemSpace.sides,    systemSpace.u.right,   systemSpace.u.x,    systemSpace.u.best,
         systemSpace.u.r,      systemSpace.u.z,       systemSpace.u.p,    systemSpace.u.Sz,
         systemSpace.u.Sp,     systemSpace.u.inverse, systemSpace.linear, systemSpace.angular,
         systemSpace.states,   systemSpace.running,   systemSpace.sums,   systemSpace.rowSums,
         systemSpace.residuals},
        {1.0 * count, 1.0 * rows, 1.0 * bodies, 1.0 * static_cast<int>(iterations.solver),
         1.0 * iterations.maxIterations});
    const WideSystemLoops<Backend> loops{m_backend,        count,      rows,       bodies,
                                         m_running.data(), m_partials, m_iteration};
    iterations.begin(loops);
    iterations.advance(loops);
  }

  void fetch(const LinearSystems& systems, LinearAnswers& answers) {
    answers.x.resize(systems.rows.size());
    answers.ends.resize(systems.places.size());
    answers.residuals.resize(systems.residualCount);
    m_backend.download(m_best.data(), answers.x.size(), answers.x.data());
    m_backend.download(m_ends.data(), answers.ends.size(), answers.ends.data());
    m_backend.download(m_residuals.data(), answers.residuals.size(), answers.residuals.data());
  }

  Backend m_backend;
  std::vector<KrylovState> m_statesHere;
  Array<SystemPlace> m_places;
  Array<SystemRow> m_rows;
  Array<BodyTerm> m_terms;
  Array<SystemBody> m_bodies;
  Array<BodySide> m_sides;
  Array<double> m_right, m_x, m_best, m_r, m_z, m_p, m_Sz, m_Sp, m_inverse;
  Array<Vec3> m_linear, m_angular;
  Array<KrylovState> m_states;
  Array<int> m_running;
  Array<KrylovSums> m_sums, m_rowSums;
  Array<LinearAnswers::End> m_ends;
  Array<float> m_residuals;
  Array<int> m_partials;  ///< scratch of reduced()
  LaunchGraph<Backend> m_iteration;
};

}  // namespace touchstone::nsn
