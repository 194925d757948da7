#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "core/contact/complementarity/split_push_out.inl"
#include "core/contact/contact_memory.inl"
#include "core/contact/manifold/narrow_phase.inl"
#include "core/contact/nsn/nsn.h"
#include "core/contact/nsn/step_on_host.h"
#include "core/parallel/device/deferred_lists.h"
#include "core/record/phase_clock.h"
#include "core/solver/row_solver.inl"
#include "core/solver/rows/uploaded_rows.inl"
#include "core/solver/solvers.h"
#include "core/world/device_world.inl"

namespace touchstone::nsn {

/// The method on a backend: narrow phase and Newton's method run there, rows are written on the host.
template <class Backend>
class Nsn : public Method<Backend> {
 public:
  explicit Nsn(const MethodSetup& setup)
      : m_deviceWorld(worldOn<Device>(setup.deviceWorld)),
        m_backend(m_deviceWorld->backend()),
        m_pieces(setup.world, setup.deviceWorld),
        m_host(setup.world),
        m_memory(memoryParts()) {
    setParameters(setup.ofReplicas);
  }

  bool waits() const override { return true; }
  void begin(const Backend&, const WorldView& world) override { m_pieces.begin(world); }

  ReplicaSet respond(const Backend&, const MethodStep& step) override {
    PhaseTimes begun = step.begun;
    m_pieces.await(begun);
    step.clock.add(begun);
    World& world = step.world;
    m_deviceWorld->downloadStep(world);
    m_host.begin(world, m_pieces.fetchContacts(), m_pieces.fetchSets(), Device::kOnHost);
    step.clock.endOf(Phase::Assemble);
    const StepAnswer answer = solveRows(world);
    step.clock.endOf(Phase::Solve);
    if (step.detail) step.detail->pieces = m_pieces.fetchPairs();
    const ReplicaSet halved = m_host.end(world, answer, step.mayBisect, *step.record, step.detail);
    m_deviceWorld->takeVelocities(world);
    m_pushOut.forget();
    if (m_host.values().splitsPushOut && !m_host.rows().rows().blocks.empty())
      pushOut(world, halved, *step.record);
    step.clock.endOf(Phase::Assemble);
    return halved;
  }

  void setRecorded(Recorded recorded) override { m_host.setRecorded(recorded); }
  void setParameters(const std::vector<ParameterValues>& ofReplicas) override {
    m_host.setParameters(ofReplicas);
    m_pieces.setRules(m_host.rules());
    m_solver = makeRowSolver<Device>(kindOf(m_host.values()), m_backend);
  }
  void moveApart(const Backend&, const WorldView& world) override { m_pushOut.apply(m_backend, world); }
  void eachMemoryArray(const std::function<void(MemoryArray<Backend>&)>& visit) override { visit(m_memory); }

 private:
  using Device = WithWaiting<Backend>;

  static RowSolverKind kindOf(const Values& values) {
    if (values.isProximal) return RowSolverKind::NewtonCarrier;
    const bool isMin = values.rewriting.forms.function == NcpFunction::MinimumMap;
    return rowSolverKindOf(isMin ? "newton-min" : "newton-fb", values.linear);
  }

  /// Form of the memory in a recording. Older recordings have −1 or more for other layouts.
  static constexpr int kForm = -2;

  /// Contact memory: the forms of the pairs, and the forces of the last step.
  typename OwnMemory<Backend>::Parts memoryParts() {
    return {[this] {
              m_pieces.forms().clear();
              m_host.reset();
            },
            [this] {
              m_pieces.forms().send();
              m_sent = m_host.memory();
            },
            [this] {
              m_pieces.forms().wait();
              m_pieces.forms().keep();
              m_kept = m_sent;
            },
            [this] { return keptMemory(); }, [this](const std::string& bytes) { restoreMemory(bytes); }};
  }
  std::string keptMemory() {
    const std::string forms = m_pieces.forms().kept();
    if (forms.empty() && m_kept.empty()) return {};
    ByteWriter writer;
    writer.put(forms);
    writer.append(m_kept);
    return withForm(kForm, writer.take());
  }
  void restoreMemory(std::string bytes) {
    m_pieces.forms().clear();
    m_host.reset();
    if (bytes.empty() || takeForm(bytes) != kForm) return;
    ByteReader reader(bytes);
    std::string forms;
    reader.get(forms);
    m_pieces.forms().restore(forms);
    m_host.restoreMemory(reader.rest());
  }

  /// Answer to the rows of the step. The velocities of the world stay.
  StepAnswer solveRows(World& world) {
    StepAnswer answer;
    const RowBuffer& rows = m_host.rows().rows();
    if (rows.blocks.empty()) return answer;
    const std::vector<Vec3> freeLinear = world.nextLinearVelocity, freeAngular = world.nextAngularVelocity;
    const WorldView view = m_deviceWorld->view(world);
    m_rows.set(m_backend, rows);
    m_solver->layOut(view, {&m_rows}, m_host.solverSettings());
    m_solver->runAll();
    m_solver->keepFree();
    m_solver->start(true);
    m_solver->setStart(m_host.start());
    const RowRewriting again = m_host.rows().rewriting();
    RewritingSettings settings = m_host.values().rewriting;
    settings.stiffensParticles = settings.stiffensParticles && m_host.rows().hasElements();
    m_solver->rewriteRows(&again, settings);
    m_solver->solve(0);
    answer.report = m_solver->report();
    m_solver->rewriteRows(nullptr, settings);
    takeAnswer(rows, view, answer);
    // On the host the solver has written to the velocities of the world.
    world.nextLinearVelocity = freeLinear;
    world.nextAngularVelocity = freeAngular;
    return answer;
  }

  /// @param halved  replicas whose step is taken again
  void pushOut(const World& world, const ReplicaSet& halved, StepRecord& record) {
    const ReplicaSet others = otherReplicas(halved);
    const std::vector<int> taken(others.begin(), others.end());
    m_backend.upload(taken.data(), taken.size(), m_taken);
    m_pushOut.find(*m_solver, m_deviceWorld->view(world), taken.empty() ? nullptr : m_taken.data(),
                   world.scene->gravity, m_backend, record);
  }

  void takeAnswer(const RowBuffer& rows, const WorldView& view, StepAnswer& answer) {
    const int carriers = view.carrierCount;
    answer.z = fetched(m_backend, static_cast<const double*>(m_solver->best()), countOf(rows.rows));
    answer.linear = fetched(m_backend, static_cast<const Vec3*>(view.nextLinearVelocity), carriers);
    answer.angular = fetched(m_backend, static_cast<const Vec3*>(view.nextAngularVelocity), carriers);
    for (const IslandCurve& curve :
         fetched(m_backend, static_cast<const IslandCurve*>(m_solver->islands()), m_solver->islandCount()))
      answer.islands.push_back({curve.best.natural, curve.isSolved(), curve.isAnswered()});
    const std::vector<RowBlock> placed = fetched(m_backend, m_solver->table().blocks, m_solver->blockCount());
    answer.islandOfBlock = islandsOf(rows, placed.data(), countOf(placed));
  }

  std::shared_ptr<DeviceWorldOn<Device>> m_deviceWorld;
  Device m_backend;
  NarrowPhase<Device> m_pieces;
  StepOnHost m_host;
  std::string m_sent, m_kept;  ///< forces of the last step
  OwnMemory<Backend> m_memory;
  UploadedRows<Device> m_rows;
  std::unique_ptr<RowSolver<Device>> m_solver;
  SplitPushOut<Device> m_pushOut;
  typename Device::template Array<int> m_taken;  ///< [replicaCount] 0: take the step in halves
};

template <class Backend>
std::unique_ptr<Method<Backend>> Info::make(const Backend&, const MethodSetup& setup) {
  return std::make_unique<Nsn<Backend>>(setup);
}

}  // namespace touchstone::nsn
