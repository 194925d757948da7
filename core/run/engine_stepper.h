#pragma once

#include <cmath>
#include <initializer_list>

#include "core/contact/contact_sums.h"
#include "core/contact/step_detail.h"
#include "core/engine/engine_run.h"
#include "core/record/phase_clock.h"
#include "core/run/step_sums.h"
#include "core/run/stepper.h"
#include "core/world/divergence.h"

namespace touchstone {

/// The steps of an engine, on the host. Contact memory is the journal of the engine, see EngineRun.
class EngineStepper : public Stepper {
 public:
  EngineStepper(const EngineInfo& info, const World& world, const ParameterValues& values)
      : m_run(info, world.scene, values) {}

  void place(World& world) override { m_run.place(world); }
  void worldChanged(const World&) override {}  // the engine compares states before a step
  void step(World& world, double dt, Recorded, StepRecord& record, StepDetail* detail) override {
    PhaseClock clock(record.times);
    m_before = copyOf(world);
    world.dt = dt;
    const Vec3 firstMoment = m_statesOnly ? Vec3(Vec3::Zero()) : firstMomentOf(world);
    if (detail) *detail = StepDetail();
    m_run.step(world, dt);
    if (detail) explain(world, dt, *detail);
    m_contacts.clear();
    if (!m_statesOnly) m_run.addContacts(world, m_contacts);
    record.contacts = m_contacts;
    addSumsOfContacts(world, record);
    record.gravityMoment += dt * firstMoment.cross(world.scene->gravity);
    if (!m_run.info().isPlayed) addPull(world, record);
    world.time += dt;
    ++record.parts;
    clock.endOf(Phase::Solve);
  }
  void addContacts(StepRecord& record) override { record.contacts = m_contacts; }
  void dropUnknown(StepRecord& record) const override {
    if (m_run.info().isPlayed && record.status == StepStatus::Energy) {
      record.status = StepStatus::Ok;  // how its steps went is not known
      record.statusText.clear();
    }
    if (m_run.info().isPlayed && !hasBodies(record)) {
      record.quantities = QuantityValues();
      record.statusText = "no data: the file does not have this time";
      record.warnings = {record.statusText};
      return;
    }
    if (m_run.info().tellsContacts) return;
    for (const Quantity unknown :
         {Quantity::NormalForce, Quantity::FrictionForce, Quantity::MomentumLinearError,
          Quantity::MomentumAngularError, Quantity::Contacts, Quantity::Jitter})
      record.quantities[unknown] = std::nan("");
  }
  int divergedBody(const World& world) const override {
    const WorldView view = viewOf(world);
    for (int body = 0; body < view.bodyCount; ++body)
      if (isDynamic(view, body) && hasDiverged(view, body)) return body;
    return -1;
  }
  void rollBack(World& world, int replica) override {
    for (int body = 0; body < world.bodyCount(); ++body) {
      if (replica >= 0 && world.scene->bodies[body].replica != replica) continue;
      const BodyState& state = m_before[body];
      world.position[body] = state.position;
      world.orientation[body] = state.orientation;
      world.linearVelocity[body] = state.linearVelocity;
      world.angularVelocity[body] = state.angularVelocity;
    }
  }
  void download(World&, const std::function<void()>& meanwhile) override {
    if (meanwhile) meanwhile();
  }

  void setParameters(const ParameterValues& values) override { m_run.setParameters(values); }
  void setStatesOnly(bool on) override { m_statesOnly = on; }
  void reset(const World& world) override {
    m_run.forget();
    m_world = &world;
  }
  void sendMemory() override {}
  void keepMemory() override { m_kept = m_run.journal(); }
  std::string keptMemory() override { return m_kept; }
  void restoreMemory(const std::string& bytes) override {
    if (m_world) m_run.repeat(*m_world, bytes);
  }

 private:
  static std::vector<BodyState> copyOf(const World& world) {
    std::vector<BodyState> states;
    for (int body = 0; body < world.bodyCount(); ++body)
      states.push_back({world.position[body], world.orientation[body], world.linearVelocity[body],
                        world.angularVelocity[body], world.active[body] != 0});
    return states;
  }
  /// True unless the scene has dynamic bodies and none of them takes part.
  bool hasBodies(const StepRecord& record) const {
    bool hasDynamic = false;
    for (std::size_t body = 0; m_world && body < record.bodies.size(); ++body) {
      if (m_world->scene->bodies[body].motion != Motion::Dynamic) continue;
      if (record.bodies[body].active) return true;
      hasDynamic = true;
    }
    return !hasDynamic;
  }
  /// Σ m x of dynamic bodies [kg·m].
  static Vec3 firstMomentOf(const World& world) {
    Vec3 sum = Vec3::Zero();
    for (int body = 0; body < world.bodyCount(); ++body)
      if (isDynamic(world, body)) sum += world.position[body] / world.inverseMass[body];
    return sum;
  }
  /// Writes the poses only: the step of an engine has no inside that is known here.
  void explain(const World& world, double dt, StepDetail& detail) const {
    detail.time = world.time;
    detail.dt = dt;
    for (const BodyState& state : m_before) {
      detail.start.position.push_back(state.position);
      detail.start.orientation.push_back(state.orientation);
    }
    detail.predicted = detail.start;
    detail.end.position = world.position;
    detail.end.orientation = world.orientation;
  }

  EngineRun m_run;
  const World* m_world = nullptr;   ///< of the simulation, whose state a journal must lead to
  std::vector<BodyState> m_before;  ///< [bodies] before the last step
  std::vector<Contact> m_contacts;  ///< of the last step
  std::string m_kept;
  bool m_statesOnly = false;
};

}  // namespace touchstone
