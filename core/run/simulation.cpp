#include "core/run/simulation.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>

#include "core/contact/broad_phase.h"
#include "core/record/phase_clock.h"

namespace touchstone {

namespace {

// Far above anything the shipped scenes reach honestly (a 40 m/s impact may rebound at hundreds of m/s when
// penalty stiffness is too high, and that is a result worth seeing); beyond it only a diverging run goes.
constexpr double kDivergedSpeed = 1e4;  // m/s

// A step that its method cannot finish is taken in up to 2⁵ parts.
constexpr int kMostHalvings = 5;

// Keys that a scene may suggest beside a method's parameters: they belong to the pane, not to the method.
bool isPaneKey(const std::string& key) { return key == "substeps" || key == "solver"; }

const ParameterSpec* findSpec(const MethodInfo& method, const std::string& key) {
  for (const ParameterSpec& spec : method.parameters)
    if (spec.key == key) return &spec;
  return nullptr;
}

void put(const MethodInfo& method, const std::string& key, const ParameterValue& value,
         const std::string& where, ParameterValues& values) {
  const ParameterSpec* spec = findSpec(method, key);
  if (!spec) {
    std::string known;
    for (const ParameterSpec& each : method.parameters) known += (known.empty() ? "" : ", ") + each.key;
    throw std::invalid_argument(where + method.key + "." + key +
                                ": is no parameter of this method; known are " + known);
  }
  const std::string problem = refusal(*spec, value);
  if (!problem.empty()) throw std::invalid_argument(where + method.key + "." + key + ": " + problem);
  values[key] = value;
}

ParameterValues resolvedParameters(const MethodInfo& method, const Scene& scene, const ParameterValues& own) {
  ParameterValues values;
  for (const ParameterSpec& spec : method.parameters) values[spec.key] = spec.standard;
  const auto suggested = scene.parameters.find(method.key);
  if (suggested != scene.parameters.end())
    for (const auto& [key, value] : suggested->second)
      if (!isPaneKey(key)) put(method, key, value, scene.file + ":parameters.", values);
  for (const auto& [key, value] : own) put(method, key, value, "", values);
  return values;
}

const MethodInfo& methodOrThrow(const Scene& scene, PaneSettings& settings) {
  const MethodInfo* method = findMethod(settings.method);
  if (!method) {
    std::string known;
    for (const MethodInfo& each : methodTable()) known += (known.empty() ? "" : ", ") + each.key;
    throw std::invalid_argument("method '" + settings.method + "' is unknown; choose one of " + known);
  }
  if (scene.planar && !method->planar)
    throw std::invalid_argument(method->key + " cannot run scene '" + scene.name +
                                "': polygons have no surface to penetrate through; choose lcp or peg");
  const std::string problem = method->refusal ? method->refusal(scene) : std::string();
  if (!problem.empty())
    throw std::invalid_argument(method->key + " cannot run scene '" + scene.name + "': " + problem);
  if (settings.solver.empty() && !method->solvers.empty()) settings.solver = method->solvers.front();
  const bool known = method->solvers.empty()
                         ? settings.solver.empty()
                         : std::count(method->solvers.begin(), method->solvers.end(), settings.solver) > 0;
  if (!known) {
    std::string list;
    for (const std::string& each : method->solvers) list += (list.empty() ? "" : ", ") + each;
    throw std::invalid_argument("solver '" + settings.solver + "' cannot solve the problems of " +
                                method->key + "; " +
                                (list.empty() ? "it needs no solver" : "choose one of " + list));
  }
  if (settings.substeps < 1) throw std::invalid_argument("substeps must be at least 1");
  return *method;
}

// Index of a body that left the finite world, or −1.
int divergedBody(const World& world) {
  for (std::size_t body = 0; body < world.position.size(); ++body) {
    const double speed = world.linearVelocity[body].norm();
    const bool finite = world.position[body].allFinite() && world.orientation[body].coeffs().allFinite() &&
                        world.angularVelocity[body].allFinite();
    if (!finite || !(speed < kDivergedSpeed)) return static_cast<int>(body);
  }
  return -1;
}

void addImpulses(const World& world, StepRecord& record) {
  for (const Contact& contact : record.contacts) {
    record.normalImpulseSum += contact.normalImpulse;
    record.frictionImpulseSum += contact.frictionImpulse.norm();
    const bool dynamicA = isDynamic(world, contact.bodyA), dynamicB = isDynamic(world, contact.bodyB);
    if (dynamicA == dynamicB) continue;
    const Vec3 onB = contact.normalImpulse * contact.normal + contact.frictionImpulse;
    const Vec3 impulse = dynamicB ? onB : Vec3(-onB);
    record.groundImpulse += impulse;
    record.groundAngularImpulse += (dynamicB ? contact.pointB : contact.pointA).cross(impulse);
  }
}

void addPull(const World& world, StepRecord& record) {
  if (!world.spring) return;
  const SpringAction& action = world.springAction;
  record.pull = {world.spring->body, action.point, world.spring->target, action.impulse.norm() / world.dt};
  record.pullImpulse += action.impulse;
  record.pullAngularImpulse += action.point.cross(action.impulse);
  record.pullWork += action.work;
}

void addGravityMoment(const World& world, double dt, StepRecord& record) {
  for (std::size_t body = 0; body < world.position.size(); ++body)
    if (isDynamic(world, static_cast<int>(body)))
      record.gravityMoment +=
          dt * world.position[body].cross(world.scene->bodies[body].mass * world.scene->gravity);
}

void keepWorst(const StepRecord& before, StepRecord& record) {
  for (Quantity quantity : {Quantity::Residual, Quantity::MethodDepth, Quantity::Traps})
    if (before.quantities[quantity] > record.quantities[quantity] || std::isnan(record.quantities[quantity]))
      record.quantities[quantity] = before.quantities[quantity];
  if (before.status > record.status) {
    record.status = before.status;
    record.statusText = before.statusText;
  }
}

void dropRepeated(std::vector<std::string>& warnings) {
  std::vector<std::string> kept;
  for (std::string& warning : warnings)
    if (!std::count(kept.begin(), kept.end(), warning)) kept.push_back(std::move(warning));
  warnings = std::move(kept);
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

std::string refusal(const Scene& scene, const PaneSettings& settings) {
  try {
    PaneSettings checked = settings;
    resolvedParameters(methodOrThrow(scene, checked), scene, checked.parameters);
    return {};
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

Simulation::Simulation(std::shared_ptr<const Scene> scene, const PaneSettings& settings, double dt)
    : m_scene(std::move(scene)), m_settings(settings), m_dt(dt) {
  const MethodInfo& info = methodOrThrow(*m_scene, m_settings);
  m_values = resolvedParameters(info, *m_scene, m_settings.parameters);
  m_world = makeWorld(m_scene);
  m_method = info.create(m_world, m_values, m_settings.solver, m_settings.backend);
  Snapshot start = snapshot();
  restore(start);
}

Simulation::~Simulation() = default;

Snapshot Simulation::snapshot() const {
  Snapshot snapshot;
  snapshot.time = m_world.time;
  snapshot.frame = m_frame;
  StepRecord record;
  publishState(record);
  snapshot.bodies = record.bodies;
  return snapshot;
}

void Simulation::place(const Snapshot& snapshot) {
  m_world = makeWorld(m_scene);
  m_world.time = snapshot.time;
  m_frame = snapshot.frame;
  m_diverged = false;
  for (std::size_t body = 0; body < snapshot.bodies.size(); ++body) {
    m_world.position[body] = snapshot.bodies[body].position;
    m_world.orientation[body] = snapshot.bodies[body].orientation;
    m_world.linearVelocity[body] = snapshot.bodies[body].linearVelocity;
    m_world.angularVelocity[body] = snapshot.bodies[body].angularVelocity;
  }
  releaseBodies(m_world);
  m_method->reset(m_world);
}

void Simulation::restore(const Snapshot& snapshot) {
  place(snapshot);
  m_referee = std::make_unique<Referee>(m_world);
  auto record = std::make_shared<StepRecord>();
  publishState(*record);
  m_referee->measure(m_world, m_dt, *record);
  m_record = record;
}

Checkpoint Simulation::checkpoint() const {
  return {m_settings,
          m_dt,
          snapshot(),
          m_method->memory(),
          std::make_shared<const Referee>(*m_referee),
          m_world.spring,
          m_diverged ? m_record : nullptr};
}

Simulation::Simulation(std::shared_ptr<const Scene> scene, const Checkpoint& checkpoint)
    : Simulation(std::move(scene), checkpoint.settings, checkpoint.dt) {
  place(checkpoint.state);
  m_method->restoreMemory(checkpoint.memory);
  m_referee = std::make_unique<Referee>(*checkpoint.referee);
  m_world.spring = checkpoint.spring;
  m_diverged = checkpoint.diverged != nullptr;
  auto record = std::make_shared<StepRecord>();
  publishState(*record);
  m_record = m_diverged ? checkpoint.diverged : RecordPtr(record);
}

std::size_t bytesOf(const Checkpoint& checkpoint) {
  return sizeof checkpoint + checkpoint.state.bodies.capacity() * sizeof(BodyState) +
         checkpoint.memory.capacity() +
         checkpoint.state.bodies.size() * (sizeof(Vec3) + 1);  // the Referee's filter
}

void Simulation::publishState(StepRecord& record) const {
  record.frame = m_frame;
  record.time = m_world.time;
  record.dt = m_dt / m_settings.substeps;
  record.planar = m_scene->planar;
  record.substeps = m_settings.substeps;
  record.method = m_settings.method;
  record.solver = m_settings.solver;
  record.stateHash = stateHash(m_world);
  record.bodies.resize(m_world.position.size());
  for (std::size_t body = 0; body < record.bodies.size(); ++body)
    record.bodies[body] = {m_world.position[body], m_world.orientation[body], m_world.linearVelocity[body],
                           m_world.angularVelocity[body], m_world.active[body] != 0};
}

/// One step, in reading order. Every method runs exactly this.
void Simulation::oneStep(double dt, int halvings, StepRecord& record, StepDetail* detail) {
  PhaseClock clock(record.times);
  Candidates candidates;
  predict(m_world, dt);
  clock.endOf(Phase::Predict);
  if (detail) {
    *detail = StepDetail();
    detail->time = m_world.time;
    detail->dt = dt;
    detail->start = {m_world.position, m_world.orientation};
    detail->predicted = {m_world.predictedPosition, m_world.predictedOrientation};
  }
  findCandidates(m_world, m_method->needs(m_world), candidates);
  clock.endOf(Phase::BroadPhase);
  StepRecord before = record;
  m_method->respond(m_world, candidates, record, clock);
  clock.endOf(Phase::Solve);
  if (m_method->wantsHalves() &&
      halvings < kMostHalvings) {  // so far only arrays of the running step have changed
    before.times = record.times;
    before.solves = record.solves;
    record = before;
    oneStep(0.5 * dt, halvings + 1, record, detail);
    record.contacts.clear();
    record.iterations.clear();
    oneStep(0.5 * dt, halvings + 1, record, detail);
    return;
  }
  ++record.parts;
  addPull(m_world, record);
  addImpulses(m_world, record);
  addGravityMoment(m_world, dt, record);
  integrate(m_world);
  clock.endOf(Phase::Integrate);
  if (detail) detail->end = {m_world.position, m_world.orientation};
  m_method->settle(m_world, candidates);
  clock.endOf(Phase::NarrowPhase);
}

RecordPtr Simulation::step(StepDetail& detail) {
  m_method->explainTo(&detail);
  RecordPtr record;
  try {
    record = advance(&detail);
  } catch (...) {
    m_method->explainTo(nullptr);
    throw;
  }
  m_method->explainTo(nullptr);
  return record;
}

RecordPtr Simulation::advance(StepDetail* detail) {
  auto record = std::make_shared<StepRecord>();
  const double frameStart = m_world.time;
  const StepRecord& last = *m_record;
  ++m_frame;
  if (m_diverged) {  // stands still at its last finite state, so that the other panes go on beside it
    *record = last;
    m_world.time = frameStart + m_dt;
    record->frame = m_frame;
    record->time = m_world.time;
    m_record = record;
    return record;
  }

  releaseBodies(m_world);
  for (int substep = 0; substep < m_settings.substeps && !m_diverged; ++substep) {
    const StepRecord before = substep > 0 ? *record : StepRecord();
    const World lastFinite = m_world;
    record->contacts.clear();
    record->iterations.clear();
    record->status = StepStatus::Ok;
    record->statusText.clear();
    oneStep(m_dt / m_settings.substeps, 0, *record, detail);
    keepWorst(before, *record);
    const int body = divergedBody(m_world);
    if (body < 0) continue;
    char speed[32];
    std::snprintf(speed, sizeof speed, "%.3g", m_world.linearVelocity[body].norm());
    m_diverged = true;
    record->status = StepStatus::Diverged;
    record->statusText = "body '" + m_scene->bodies[body].name + "' reached " + speed +
                         " m/s; the pane stands at its last finite state. Use a smaller step, more substeps "
                         "or a lower stiffness";
    m_world = lastFinite;
  }
  m_world.time = frameStart + m_dt;  // the same sum in every pane, whatever its substeps

  publishState(*record);
  PhaseClock clock(record->times);
  m_referee->measure(m_world, m_dt, *record);
  clock.endOf(Phase::Measure);
  dropRepeated(record->warnings);
  record->quantities[Quantity::Solves] = record->solves;
  record->quantities[Quantity::StepParts] = record->parts;
  if (!record->iterations.empty())
    record->quantities[Quantity::Iterations] = static_cast<double>(record->iterations.size());
  stampTimes(*record);
  m_record = record;
  return record;
}

void Simulation::setParameter(const std::string& key, const ParameterValue& value) {
  PaneSettings settings = m_settings;
  settings.parameters[key] = value;
  m_values = resolvedParameters(*findMethod(m_settings.method), *m_scene, settings.parameters);
  m_settings = settings;
  m_method->setParameters(m_values);
}

void Simulation::setSubsteps(int substeps) {
  if (substeps < 1) throw std::invalid_argument("substeps must be at least 1");
  m_settings.substeps = substeps;
}

void Simulation::pull(const std::optional<Spring>& spring) {
  if (spring && (spring->body < 0 || spring->body >= static_cast<int>(m_scene->bodies.size())))
    throw std::invalid_argument("there is no body " + std::to_string(spring->body) + " to pull");
  m_world.spring = spring;
}

void Simulation::setDt(double dt) {
  if (!(dt > 0)) throw std::invalid_argument("dt must be positive");
  m_dt = dt;
}

}  // namespace touchstone
