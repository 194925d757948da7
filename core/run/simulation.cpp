#include "core/run/simulation.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <new>
#include <stdexcept>

#include "core/contact/complementarity/rigid_parameters.h"
#include "core/contact/on_failure.h"
#include "core/files/text_forms.h"
#include "core/math/count.h"
#include "core/parallel/frame_clock.h"
#include "core/parallel/parallel_for.h"
#include "core/record/phase_clock.h"
#include "core/referee/joint_measures.h"
#include "core/referee/missed_contacts.h"
#include "core/referee/passages.h"
#include "core/referee/referee.h"
#include "core/run/pane_name.h"
#include "core/run/stepper.h"
#include "core/scene/scale.h"
#include "core/world/joint_coordinates.h"
#include "core/world/world.h"

namespace touchstone {

namespace {

void keepWorst(const StepRecord& before, StepRecord& record) {
  for (Quantity quantity : {Quantity::Residual, Quantity::MethodDepth, Quantity::Traps})
    if (before.quantities[quantity] > record.quantities[quantity] || std::isnan(record.quantities[quantity]))
      record.quantities[quantity] = before.quantities[quantity];
  if (before.status > record.status) {
    record.status = before.status;
    record.statusText = before.statusText;
  }
}

/// Marks a frame with which the pane ends, where the parameter on_failure asks for that. The state stays the
/// one that the failed step led to.
/// @return true if the pane stops
bool stopsAtFailure(const ParameterValues& values, StepRecord& record) {
  if (record.status != StepStatus::NoSolution && record.status != StepStatus::NotConverged) return false;
  const auto value = values.find(kOnFailure);
  if (value == values.end() || value->second != ParameterValue(std::string(kFailureStops))) return false;
  record.status = StepStatus::Stopped;
  record.statusText += "; the pane stops here since on_failure is stop";
  return true;
}

/// The method's margin [m], or that of a method that has none.
double contactMargin(const ParameterValues& values, const Scene& scene) {
  const auto value = values.find("margin");
  const double* margin = value == values.end() ? nullptr : std::get_if<double>(&value->second);
  return margin ? *margin : rigid::kMarginOfLength * lengthOf(scene);
}

void dropRepeated(std::vector<std::string>& warnings) {
  std::vector<std::string> kept;
  for (std::string& warning : warnings)
    if (!std::count(kept.begin(), kept.end(), warning)) kept.push_back(std::move(warning));
  warnings = std::move(kept);
}

void noteOverlap(const std::string& text, StepRecord& record) {
  if (!text.empty()) record.warnings.push_back(text);
}

void stampTimes(StepRecord& record) {
  const Quantity quantities[] = {Quantity::TimePredict,  Quantity::TimeBroadPhase, Quantity::TimeNarrowPhase,
                                 Quantity::TimeAssemble, Quantity::TimeSolve,      Quantity::TimeIntegrate,
                                 Quantity::TimeMeasure};
  double total = 0;
  for (int phase = 0; phase < static_cast<int>(Phase::Count); ++phase) {
    record.quantities[quantities[phase]] = record.times[phase];
    if (phase != static_cast<int>(Phase::Measure)) total += record.times[phase];
  }
  record.quantities[Quantity::TimeStep] = total;
}

}  // namespace

RefereeHistory Simulation::measured() const { return m_referee->history(); }
Launches Simulation::launches() const { return m_stepper->launches(); }

Simulation::Simulation(std::shared_ptr<const Scene> scene, const PaneSettings& settings, double dt)
    : m_scene(std::move(scene)), m_settings(settings), m_dt(dt) {
  resolve(*m_scene, m_settings);
  m_values = valuesInForce(*m_scene, m_settings);
  m_world = std::make_unique<World>(makeWorld(m_scene));
  m_world->driveTarget = driveTargetsOf(*m_scene, m_settings);
  makeStepper();
  makeReferee();
  Snapshot start = snapshot();
  restore(start);
}

void Simulation::makeStepper() {
  m_backendNote.clear();
  if (m_settings.backend == BackendKind::Cuda) {
    try {
      makeStepperOn(BackendKind::Cuda);
      return;
    } catch (const std::exception& error) {
      m_backendNote = std::string("runs on the CPU: ") + error.what();
    }
  }
  makeStepperOn(BackendKind::Cpu);
}

void Simulation::makeStepperOn(BackendKind backend) {
  m_backend = backend;
  m_world->isElasticityExplicit = findMethod(m_settings.method)->deformables == Deformables::Explicit;
  m_deviceWorld = makeDeviceWorld(backend, *m_world);
  m_stepper = touchstone::makeStepper(backend, {m_settings.method, m_settings.solver, m_values}, *m_world,
                                      m_deviceWorld);
}

void Simulation::makeReferee() {
  try {
    m_referee = std::make_unique<Referee>(m_backend, *m_world, m_deviceWorld);
  } catch (const std::exception& error) {
    if (m_backend == BackendKind::Cpu) throw;
    measureOnHost(error.what());
  }
}

/// Measures on the CPU, from the states that are downloaded once per frame.
void Simulation::measureOnHost(const std::string& reason) {
  m_backendNote = "measured on the CPU: " + reason;
  auto referee =
      std::make_unique<Referee>(BackendKind::Cpu, *m_world, makeDeviceWorld(BackendKind::Cpu, *m_world));
  if (m_referee) referee->goOn(m_referee->history());
  m_referee = std::move(referee);
}

/// A device that fails here has brought the state of the frame home already. If it cannot bring its contact
/// memory either, it is lost.
void Simulation::withReferee(const std::function<void(Referee& referee)>& use) {
  try {
    use(*m_referee);
  } catch (const std::exception& error) {
    if (m_backend == BackendKind::Cpu) throw;
    try {
      keepMemory();
    } catch (const std::exception&) {
      throw std::runtime_error(error.what());  // what failed first tells more
    }
    measureOnHost(error.what());
    use(*m_referee);
  }
}

Simulation::~Simulation() = default;

Snapshot snapshotOf(const StepRecord& record) {
  return {record.time,   record.frame,     record.bodies,
          record.joints, record.particles, record.particleVelocities};
}

Snapshot Simulation::snapshot() const {
  StepRecord record;
  publishState(record);
  return snapshotOf(record);
}

void Simulation::place(const Snapshot& snapshot) {
  *m_world = atStart(*m_world);
  m_world->time = snapshot.time;
  m_frame = snapshot.frame;
  m_isFrozen = m_isEndedByClock = false;
  for (std::size_t body = 0; body < snapshot.bodies.size(); ++body) {
    m_world->position[body] = snapshot.bodies[body].position;
    m_world->orientation[body] = snapshot.bodies[body].orientation;
    m_world->linearVelocity[body] = snapshot.bodies[body].linearVelocity;
    m_world->angularVelocity[body] = snapshot.bodies[body].angularVelocity;
  }
  for (std::size_t particle = 0; particle < snapshot.particles.size(); ++particle) {
    const std::size_t carrier = m_world->orientation.size() + particle;
    m_world->position[carrier] = snapshot.particles[particle];
    m_world->linearVelocity[carrier] = snapshot.particleVelocities[particle];
  }
  if (snapshot.joints.size() == m_world->jointCoordinate.size())
    for (std::size_t joint = 0; joint < snapshot.joints.size(); ++joint)
      if (std::isfinite(snapshot.joints[joint].coordinate))
        m_world->jointCoordinate[joint] = snapshot.joints[joint].coordinate;
  updateJointCoordinates(*m_world);
  if (m_scene->replicas > 1) {  // a replica that was frozen in the snapshot stays frozen
    const double tolerance = kReleaseTolerance * m_scene->dt;
    const auto wasReleased = [&](double time) { return time <= 0 || time < snapshot.time - tolerance; };
    for (std::size_t body = 0; body < snapshot.bodies.size(); ++body)
      if (!snapshot.bodies[body].active && wasReleased(m_scene->bodies[body].releaseTime))
        freeze(m_scene->bodies[body].replica);
  }
  releaseBodies(*m_world);
  onDeviceOrHost([&] {
    m_stepper->place(*m_world);
    m_stepper->worldChanged(*m_world);
    m_stepper->reset(*m_world);
    sendMemory();
  });
}

void Simulation::restore(const Snapshot& snapshot, const RefereeHistory* measured) {
  place(snapshot);
  onDeviceOrHost([&] {
    auto record = std::make_shared<StepRecord>();
    publishState(*record);
    withReferee([&](Referee& referee) {
      if (measured) {
        referee.goOn(*measured);
        referee.useStep(*m_world, record->dt);
      } else {
        referee.begin(*m_world, record->dt);
      }
      referee.measure(*m_world, 0, *record);
      noteOverlap(referee.overlapNote(*m_world), *record);
    });
    m_stepper->dropUnknown(*record);
    keepMemory();
    m_record = record;
  });
}

Checkpoint Simulation::checkpoint() const {
  return {m_settings,
          m_dt,
          snapshot(),
          contactMemory(),
          measured(),
          m_world->spring,
          m_isFrozen ? m_record : nullptr,
          m_record->overlaps};
}

Simulation::Simulation(std::shared_ptr<const Scene> scene, const Checkpoint& checkpoint)
    : Simulation(std::move(scene), checkpoint.settings, checkpoint.dt) {
  goOn(checkpoint);
}

void Simulation::goOn(const Checkpoint& checkpoint) {
  onDeviceOrHost([&] {
    place(checkpoint.state);
    restoreContactMemory(checkpoint.memory);
    withReferee([&](Referee& referee) { referee.goOn(checkpoint.history); });
  });
  m_world->spring = checkpoint.spring;
  m_isFrozen = checkpoint.frozen != nullptr;
  auto record = std::make_shared<StepRecord>();
  publishState(*record);
  record->bodies = checkpoint.state.bodies;  // what place() has released was not there yet
  record->overlaps = checkpoint.overlaps;
  m_record = m_isFrozen ? checkpoint.frozen : RecordPtr(record);
}

std::string Simulation::contactMemory() const {
  try {
    if (m_sentFrame != m_frame) m_stepper->sendMemory();
    m_stepper->keepMemory();
    return m_stepper->keptMemory();
  } catch (const std::exception&) {
    if (m_backend == BackendKind::Cpu) throw;
    return {};
  }
}

std::size_t bytesOf(const Checkpoint& checkpoint) {
  return sizeof checkpoint + checkpoint.state.bodies.capacity() * sizeof(BodyState) +
         2 * checkpoint.state.particles.capacity() * sizeof(Vec3) + checkpoint.memory.capacity() +
         checkpoint.overlaps.capacity() * sizeof(Overlap) +
         checkpoint.state.bodies.size() * (sizeof(Vec3) + 1);  // the Referee's history
}

void Simulation::publishState(StepRecord& record) const {
  record.frame = m_frame;
  record.time = m_world->time;
  record.dt = m_dt / m_settings.substeps;
  record.planar = m_scene->planar;
  record.substeps = m_settings.substeps;
  record.method = m_settings.method;
  record.solver = solverName(m_settings.solver, m_values);
  record.backend = keyOf(m_backend);
  record.stateHash = stateHash(*m_world);
  record.bodies.resize(m_world->orientation.size());
  const auto download = [&](int body) {
    record.bodies[body] = {m_world->position[body], m_world->orientation[body], m_world->linearVelocity[body],
                           m_world->angularVelocity[body], m_world->active[body] != 0};
  };
  parallelFor(countOf(record.bodies), download, Work::Light);
  record.particles.assign(m_world->position.begin() + m_world->bodyCount(), m_world->position.end());
  record.particleVelocities.assign(m_world->linearVelocity.begin() + m_world->bodyCount(),
                                   m_world->linearVelocity.end());
  measureJoints(*m_world, record.joints);
}

RecordPtr Simulation::step(StepDetail* detail) {
  if (m_isFrozen) return repeatLast();
  const auto impossible = [](const std::string& reason) {
    return "the step cannot be taken: " + reason + ". The pane is frozen at its last state";
  };
  try {
    const FrameClock clock(m_secondsPerFrame);
    return advanceOrLeaveDevice(detail);
  } catch (const FrameEnded& ended) {
    if (!ended.isByClock) throw;
    const RecordPtr record =
        stop(std::string(kEndedByClock) + ": it took longer than " + fourDigits(m_secondsPerFrame) +
             " s. The pane is frozen at its last state. Give --seconds-per-frame 0 for "
             "none, or a longer time (in the window: Preferences)");
    m_isEndedByClock = true;
    return record;
  } catch (const std::bad_alloc&) {
    return stop(impossible("there is too little memory for it; use fewer bodies or panes"));
  } catch (const std::exception& error) {
    return stop(impossible(error.what()));
  }
}

RecordPtr Simulation::advanceOrLeaveDevice(StepDetail* detail) {
  if (m_settings.backend == BackendKind::Cpu) return advance(detail);
  try {
    return advance(detail);
  } catch (const std::length_error&) {  // too large for any backend
    throw;
  } catch (const std::exception& error) {
    fallBack(error.what());
    return advance(detail);
  }
}

/// A pane that cannot go on is frozen at its last state; the other panes go on.
RecordPtr Simulation::stop(const std::string& text) {
  place(snapshotOf(*m_record));
  auto record = std::make_shared<StepRecord>(*m_record);
  record->contacts.clear();
  record->iterations.clear();
  record->status = StepStatus::Stopped;
  record->statusText = text;
  m_record = record;
  m_isFrozen = true;
  return repeatLast();
}

// The last record has the state from which the frame that failed began.
void Simulation::fallBack(const std::string& reason) {
  const Snapshot before = snapshotOf(*m_record);
  std::optional<std::string> memory;
  try {
    if (m_sentFrame == before.frame) keepMemory();  // else it is of the frame that failed
    if (m_keptFrame == before.frame) memory = m_stepper->keptMemory();
  } catch (const std::exception&) {  // it was still on its way
  }
  const std::optional<Spring> spring = m_world->spring;
  leaveDevice();
  place(before);
  m_world->spring = spring;
  if (memory) m_stepper->restoreMemory(*memory);
  m_backendNote = reason + "; the pane continues on the CPU from frame " + std::to_string(before.frame) +
                  (memory ? "" : ", with contact memory that starts anew");
}

void Simulation::leaveDevice() {
  m_settings.backend = BackendKind::Cpu;
  m_sentFrame = m_keptFrame = -1;
  makeStepper();
  const RefereeHistory history = m_referee->history();
  makeReferee();
  m_referee->goOn(history);
  m_stepper->setStatesOnly(m_statesOnly);
}

/// Changes the stepper between steps. If a device fails in it, the simulation continues on the host.
void Simulation::onDeviceOrHost(const std::function<void()>& change) {
  try {
    change();
  } catch (const std::exception& error) {
    if (m_backend == BackendKind::Cpu) throw;
    const std::string reason = error.what();
    leaveDevice();
    change();
    m_backendNote = reason + "; the pane continues on the CPU";
  }
}

void Simulation::sendMemory() {
  if (m_backend == BackendKind::Cpu) return;
  m_sentFrame = m_frame;  // also if it fails halfway: what is on its way then is not to be kept
  m_stepper->sendMemory();
}

void Simulation::keepMemory() {
  if (m_backend == BackendKind::Cpu) return;
  m_stepper->keepMemory();
  m_keptFrame = m_sentFrame;
}

/// Freezes the pane at its last finite state; the other panes go on.
RecordPtr Simulation::repeatLast() {
  auto record = std::make_shared<StepRecord>(*m_record);
  m_world->time += m_dt;
  record->frame = ++m_frame;
  record->time = m_world->time;
  m_record = record;
  return record;
}

std::string Simulation::divergence(int body) const {
  char speeds[80];
  std::snprintf(speeds, sizeof speeds, "%.3g m/s and %.3g rad/s", m_world->linearVelocity[body].norm(),
                m_world->angularVelocity[body].norm());
  return "body '" + m_scene->bodies[body].name + "' reached " + speeds;
}

/// A diverged replica is frozen for good; the others go on.
void Simulation::freeze(int replica) {
  m_world->replicaFrozen.resize(m_scene->replicas, 0);
  m_world->replicaFrozen[replica] = 1;
  takeOut(*m_world, m_world->replicaFrozen);
}

/// @return true if nothing is left that moves
bool Simulation::handleDivergence(StepRecord& record) {
  for (int body = m_stepper->divergedBody(*m_world); body >= 0; body = m_stepper->divergedBody(*m_world)) {
    m_stepper->download(*m_world, {});
    const std::string what = divergence(body);
    const int replica = m_scene->bodies[body].replica;
    m_stepper->rollBack(*m_world, replica);
    if (m_scene->replicas == 1) {
      record.status = StepStatus::Diverged;
      record.statusText = what +
                          "; the pane is frozen at its last finite state. Use a smaller step, more substeps "
                          "or a lower stiffness";
      return true;
    }
    m_stepper->download(*m_world, {});
    freeze(replica);
    m_stepper->worldChanged(*m_world);
    record.warnings.push_back("replica " + std::to_string(replica) + ": " + what +
                              "; it is frozen from now on");
  }
  return false;
}

/// Reports a finite state from which no law of elasticity recovers: too many elements are turned inside out.
/// A pane shows it as it is. @return true if nothing is left that moves
bool Simulation::handleInversion(StepRecord& record) {
  // Share of the tetrahedra of a replica. A larger value lets a scene go on that is lost; a smaller one ends
  // scenes that recover from an impact.
  constexpr double kMostInverted = 0.05;
  const ElasticBodies& elastic = *m_world->elastic;
  const std::vector<int> ofBodies = invertedTetrahedra(elastic, m_world->position.data());
  std::vector<int> inverted(m_scene->replicas, 0), counts = inverted;
  for (std::size_t body = 0; body < ofBodies.size(); ++body) {
    const std::size_t replica = m_scene->bodies[body].replica;
    inverted[replica] += ofBodies[body];
    counts[replica] += elastic.firstTetrahedron[body + 1] - elastic.firstTetrahedron[body];
  }
  for (std::size_t replica = 0; replica < counts.size(); ++replica) {
    const bool isOut = replica < m_world->replicaFrozen.size() && m_world->replicaFrozen[replica];
    if (isOut || inverted[replica] <= kMostInverted * counts[replica]) continue;
    const std::string what = std::to_string(inverted[replica]) + " of " + std::to_string(counts[replica]) +
                             " tetrahedra are inverted (J ≤ 0), more than 5 %";
    if (m_scene->replicas == 1) {
      record.status = StepStatus::Diverged;
      record.statusText =
          what + "; the pane is frozen at this state. Use a smaller step, more substeps or more iterations";
      return true;
    }
    freeze(static_cast<int>(replica));
    m_stepper->worldChanged(*m_world);
    record.warnings.push_back("replica " + std::to_string(replica) + ": " + what +
                              "; it is frozen from now on");
  }
  return false;
}

std::string Simulation::overlapAtRelease(Referee& referee,
                                         const std::vector<unsigned char>& activeBefore) const {
  std::vector<unsigned char> released(activeBefore.size());
  for (std::size_t body = 0; body < released.size(); ++body)
    released[body] = m_world->active[body] && !activeBefore[body];
  return referee.overlapNote(*m_world, released);
}

RecordPtr Simulation::advance(StepDetail* detail) {
  auto record = std::make_shared<StepRecord>();
  const double frameStart = m_world->time;
  const std::vector<unsigned char> activeBefore = m_world->active;
  if (releaseBodies(*m_world)) {
    m_stepper->worldChanged(*m_world);
    if (!m_statesOnly)
      withReferee([&](Referee& referee) { noteOverlap(overlapAtRelease(referee, activeBefore), *record); });
  }
  const double dt = m_dt / m_settings.substeps;
  const int last = m_settings.substeps - 1;
  for (int substep = 0; substep <= last && !m_isFrozen; ++substep) {
    const StepRecord before = substep > 0 ? *record : StepRecord();
    record->contacts.clear();  // of methods that have them without being asked
    record->iterations.clear();
    record->status = StepStatus::Ok;
    record->statusText.clear();
    const bool wanted = substep == last || m_allContacts;
    checkFrameClock();
    m_stepper->step(*m_world, dt, wanted ? Recorded::All : Recorded::Sums, *record, detail);
    if (wanted && substep < last) {
      m_stepper->addContacts(*record);
      record->earlierContacts.push_back(std::move(record->contacts));
    }
    keepWorst(before, *record);
    m_isFrozen = handleDivergence(*record) || isFrozen(record->status);
  }
  m_isFrozen = m_isFrozen || stopsAtFailure(m_values, *record);
  for (JointState& joint : record->joints) {  // impulses so far
    joint.force /= m_dt;
    joint.torque /= m_dt;
    joint.drive /= m_dt;
    joint.friction /= m_dt;
  }
  m_world->time = frameStart + m_dt;  // the same sum in every pane, whatever its substeps
  ++m_frame;
  m_stepper->download(*m_world, [&] {
    sendMemory();
    // The next step may be inspected as well, and then begins again.
    if (!m_isFrozen && !detail) m_stepper->prelaunch(*m_world, dt);
    m_stepper->addContacts(*record);
  });
  m_isFrozen = m_isFrozen || handleInversion(*record);
  publishState(*record);
  PhaseClock clock(record->times);
  if (!m_statesOnly)
    withReferee([&](Referee& referee) {
      referee.inspect(detail != nullptr);
      referee.measure(*m_world, m_dt, *record, [&] { keepMemory(); });
    });
  m_stepper->dropUnknown(*record);
  const bool areContactsKnown = !std::isnan(record->quantities[Quantity::Contacts]);
  if (!m_statesOnly && areContactsKnown)
    judgeContacts(*m_scene, contactMargin(m_values, *m_scene), *m_record, *record);
  if (!m_statesOnly)
    judgePassages(*m_scene, *m_record, *record, [this](int a, int b) { return canCollide(*m_world, a, b); });
  checkFrameClock();
  clock.endOf(Phase::Measure);
  if (!m_backendNote.empty()) record->warnings.insert(record->warnings.begin(), m_backendNote);
  dropRepeated(record->warnings);
  record->quantities[Quantity::Solves] = record->solves;
  if (!std::isnan(record->quantities[Quantity::CrossSets]))
    record->quantities[Quantity::BrokenCrossSets] = record->brokenCrossSets;
  record->quantities[Quantity::StepParts] = record->parts;
  if (!record->iterations.empty())
    record->quantities[Quantity::Iterations] = static_cast<double>(record->iterations.size());
  stampTimes(*record);
  m_record = record;
  return record;
}

void Simulation::restoreContactMemory(const std::string& bytes) {
  onDeviceOrHost([&] {
    m_stepper->restoreMemory(bytes);
    sendMemory();
    keepMemory();
  });
}

void Simulation::setParameter(const std::string& key, const ParameterValue& value) {
  PaneSettings settings = m_settings;
  settings.parameters[currentKey(key)] = value;
  m_values = valuesInForce(*m_scene, settings);
  m_settings = settings;
  m_world->driveTarget = driveTargetsOf(*m_scene, m_settings);
  m_stepper->setParameters(m_values);
}

void Simulation::setStatesOnly(bool on) {
  m_statesOnly = on;
  m_stepper->setStatesOnly(on);
}

void Simulation::setSubsteps(int substeps) {
  if (substeps < 1) throw std::invalid_argument("substeps must be at least 1");
  m_settings.substeps = substeps;
  useStepLength();
}

void Simulation::pull(const std::optional<Spring>& spring) {
  if (spring) {
    const std::string problem = problemOf(*m_scene, *spring);
    if (!problem.empty()) throw std::invalid_argument(problem);
  }
  m_world->spring = spring;
}

void Simulation::setDt(double dt) {
  if (!(dt > 0)) throw std::invalid_argument("dt must be positive");
  m_dt = dt;
  useStepLength();
}

void Simulation::useStepLength() {
  onDeviceOrHost(
      [&] { withReferee([&](Referee& referee) { referee.useStep(*m_world, m_dt / m_settings.substeps); }); });
}

}  // namespace touchstone
