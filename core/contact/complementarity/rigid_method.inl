#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "core/contact/complementarity/rigid_parameters.h"
#include "core/contact/complementarity/rigid_settings.h"
#include "core/contact/complementarity/rigid_step.inl"
#include "core/contact/contact_memory.inl"
#include "core/contact/method.h"
#include "core/solver/linear/batched_krylov.h"

namespace touchstone {

/// Rows that a method makes of the contacts of a step, as its parameters say.
struct RigidForm {
  RowPer rows = RowPer::Contact;
  bool needsContacts = true;  ///< of narrow phase, not only its pairs
  int linearisations = 1;     ///< at most
  bool isReviewed = false;    ///< see RigidInput
};

/// A complementarity method: rows of contacts or sets, one problem for each island, solved by the solver of
/// the pane on the backend or, where that needs a matrix, on the host. `lcp` and `peg` differ in their rows
/// and in what they do about an answer that cannot be used.
template <class Backend>
class RigidMethod : public Method<Backend> {
 public:
  /// @param specs  of the method, which live as long   @param rowKinds  all that a parameter can select
  RigidMethod(const MethodSetup& setup, const std::vector<ParameterSpec>& specs,
              const std::vector<RowPer>& rowKinds)
      : m_scene(setup.world.scene),
        m_deviceWorld(setup.deviceWorld),
        m_backend(worldOn<Device>(setup.deviceWorld)->backend()),
        m_pieces(setup.world, setup.deviceWorld),
        m_settings(setup.world, setup.solver, kKind),
        m_specs(specs),
        m_memory(memoryParts()) {
    const BatchedKrylovLease probe(kKind);  // throws where there is none
    for (const RowSolverKind kind : m_settings.kinds())
      for (const RowPer rows : rowKinds)
        m_steps.push_back(
            {kind, rows,
             std::make_unique<RigidStep<Device>>(kind, rows, setup.world, setup.deviceWorld, m_pieces)});
  }

  bool waits() const override { return true; }
  void begin(const Backend&, const WorldView& world) override {
    m_pieces.setFindsContacts(m_form.needsContacts);
    m_pieces.begin(world);
  }
  ReplicaSet respond(const Backend&, const MethodStep& step) override {
    PhaseTimes begun = step.begun;
    m_pieces.await(begun);
    step.clock.add(begun);
    if (step.detail || m_settings.hasJoints()) m_deviceWorld->downloadStep(step.world);
    m_settings.requireSomeLimit(step.world, expectedRows());
    if (m_settings.isAuto() && m_settings.choose(step.world)) forget();
    const std::vector<SolverSettings> solver = m_settings.solverOfStep();
    const ReplicaSet unfinished =
        take(step, {m_settings.model(), solver, m_settings.keyOfStep(), m_form.linearisations, m_recorded,
                    step.detail, step.mayBisect, m_form.isReviewed, m_settings.startsWarm(), m_splitsPushOut,
                    !m_settings.sweeps()});
    m_settings.tellDelivered(*step.record);
    return unfinished;
  }
  /// The solver of the pane projects: sweeps that end early leave joints apart in position as well.
  JointProjection jointProjection() const override {
    JointProjection projection;
    projection.isWanted = m_settings.hasJoints();
    for (const SolverSettings& settings : m_settings.solver())
      if (m_settings.sweeps())
        projection.sweeps.push_back({settings.tolerance, settings.maxIterations, settings.velocityUnit});
    return projection;
  }

  void moveApart(const Backend&, const WorldView& world) override {
    for (const Step& step : m_steps) step.step->rows().moveApart(world);
  }
  void setRecorded(Recorded recorded) override { m_recorded = recorded; }
  void addContacts(const Backend&, StepRecord& record) override {
    if (m_recorded != Recorded::None) stepInUse().addContacts(record);
  }
  void setParameters(const std::vector<ParameterValues>& ofReplicas) override {
    const RigidStep<Device>* before = m_settings.solver().empty() ? nullptr : &stepInUse();
    m_form = formOf(ofReplicas.front());
    std::vector<RowRules> rules;
    for (const ParameterValues& values : ofReplicas) rules.push_back(ruleOf(values));
    m_splitsPushOut = rules.front().splitsPushOut;
    m_pieces.setRules(rules);
    m_settings.set(m_specs, ofReplicas);
    for (const Step& step : m_steps) step.step->rows().setDrives(m_settings.drives());
    if (before && before != &stepInUse()) forget();
  }
  void eachMemoryArray(const std::function<void(MemoryArray<Backend>&)>& visit) override { visit(m_memory); }

 protected:
  using Device = WithWaiting<Backend>;
  static constexpr BackendKind kKind = Device::kOnHost ? BackendKind::Cpu : BackendKind::Cuda;

  virtual RigidForm formOf(const ParameterValues& /*values*/) const { return {}; }
  /// Rules of one replica, with its values.
  virtual RowRules ruleOf(const ParameterValues& values) const {
    return rigid::rowRulesOf(m_specs, values, *m_scene);
  }
  /// The step from narrow phase to the record. @return as Method::respond()
  virtual ReplicaSet take(const MethodStep& step, const RigidInput& input) {
    stepInUse().respond(step.world, input, *step.record, step.clock);
    return {};
  }
  /// The step with these rows and the solver that is in use.
  RigidStep<Device>& stepWith(RowPer rows) const {
    const RowSolverKind kind = m_settings.kind();
    return *std::find_if(m_steps.begin(), m_steps.end(), [=](const Step& step) {
              return step.kind == kind && step.rows == rows;
            })->step;
  }

  std::shared_ptr<const Scene> m_scene;
  std::shared_ptr<DeviceWorld> m_deviceWorld;
  Device m_backend;
  NarrowPhase<Device> m_pieces;

 private:
  /// A step whose memory was sent.
  struct Remembered {
    RigidStep<Device>* step = nullptr;
    int form = 0;
    auto& warmStart() { return step->rows().warmStart(); }
  };
  struct Step {
    RowSolverKind kind;
    RowPer rows;
    std::unique_ptr<RigidStep<Device>> step;
  };

  /// Form of the memory in a recording. Older recordings have 0 to 4 for other layouts.
  enum MemoryForm { kWithMatrix = 6, kWithoutMatrix = 5 };

  /// Contact memory: the forms of the pairs, and the impulses that the next step starts from, of the rows and
  /// the solver in use.
  typename OwnMemory<Backend>::Parts memoryParts() {
    return {[this] {
              m_settings.goWithoutMatrix(false);
              m_pieces.forms().clear();
              forget();
            },
            [this] {
              m_sent = {&stepInUse(), memoryForm()};
              m_sent.warmStart().send(m_backend);
              m_pieces.forms().send();
            },
            [this] {
              // A device that is lost while this waits must leave all of the memory of the step before.
              m_pieces.forms().wait();
              m_sent.warmStart().keepSent();
              m_pieces.forms().keep();
              m_kept = m_sent;
            },
            [this] { return keptMemory(); }, [this](const std::string& bytes) { restoreMemory(bytes); }};
  }
  std::string keptMemory() {
    if (!m_kept.step) return {};
    ByteWriter writer;
    writer.put(m_pieces.forms().kept());
    writer.append(m_kept.warmStart().kept());
    return withForm(m_kept.form, writer.take());
  }
  /// Impulses written by another solver are ignored, and older layouts are.
  void restoreMemory(std::string bytes) {
    forget();
    m_pieces.forms().clear();
    if (bytes.empty()) return;
    const int form = takeForm(bytes);
    if (form != kWithMatrix && form != kWithoutMatrix) return;
    if (m_settings.isAuto()) m_settings.goWithoutMatrix(form == kWithoutMatrix);
    ByteReader reader(bytes);
    std::string forms;
    reader.get(forms);
    m_pieces.forms().restore(forms);
    if (form == memoryForm()) stepInUse().rows().warmStart().restore(m_backend, reader.rest());
  }

  int memoryForm() const { return makesMatrix(m_settings.kind()) ? kWithMatrix : kWithoutMatrix; }
  RigidStep<Device>& stepInUse() const { return stepWith(m_form.rows); }
  void forget() {
    for (const Step& step : m_steps) step.step->rows().warmStart().clear();
  }
  int expectedRows() const {
    constexpr int kContactsPerPair = 4;  // of two faces
    return m_settings.rowsPerContact() *
           (m_form.needsContacts ? m_pieces.contactCount() : kContactsPerPair * m_pieces.pairCount());
  }

  RigidSettings m_settings;
  const std::vector<ParameterSpec>& m_specs;
  RigidForm m_form;
  std::vector<Step> m_steps;
  Recorded m_recorded = Recorded::All;
  bool m_splitsPushOut = false;
  Remembered m_sent, m_kept;  ///< on its way to the host, and kept there
  OwnMemory<Backend> m_memory;
};

}  // namespace touchstone
