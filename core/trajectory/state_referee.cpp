#include "core/trajectory/state_referee.h"

#include <algorithm>
#include <cmath>

#include "core/contact/contact_sums.h"
#include "core/world/joint_coordinates.h"

namespace touchstone {

StateReferee::StateReferee(std::shared_ptr<const Scene> scene, Contacts given)
    : m_scene(std::move(scene)), m_given(given), m_world(makeWorld(m_scene)) {
  m_deviceWorld = makeDeviceWorld(BackendKind::Cpu, m_world);
  m_referee = std::make_unique<Referee>(BackendKind::Cpu, m_world, m_deviceWorld);
}

StateReferee::~StateReferee() = default;

void StateReferee::place(const std::vector<BodyState>& states, double time) {
  m_world.time = time;
  for (std::size_t body = 0; body < states.size(); ++body) {
    const BodyState& state = states[body];
    m_world.position[body] = state.position;
    m_world.orientation[body] = state.orientation;
    m_world.linearVelocity[body] = state.linearVelocity;
    m_world.angularVelocity[body] = state.angularVelocity;
    m_world.active[body] = state.active;
    const Body& sceneBody = m_scene->bodies[body];
    m_world.inverseMass[body] = state.active && sceneBody.motion == Motion::Dynamic ? 1 / sceneBody.mass : 0;
  }
  m_hasPairs = false;
  updateJointCoordinates(m_world);
  m_deviceWorld->changed(m_world);
}

const std::vector<NearPair>& StateReferee::pairs() {
  if (!m_hasPairs) m_pairs = nearPairs(m_world);
  m_hasPairs = true;
  return m_pairs;
}

/// Contacts that say no more than that bodies touch.
std::vector<Contact> StateReferee::touches() {
  std::vector<Contact> contacts;
  for (const NearPair& pair : pairs()) {
    Contact contact;
    contact.bodyA = pair.bodyA;
    contact.bodyB = pair.bodyB;
    contact.normalImpulse = 1;
    contacts.push_back(contact);
  }
  return contacts;
}

/// Bodies that enter at another time than that of the scene, and bodies that leave, change the balances by
/// what they bring and take.
void StateReferee::balanceReleases(const std::vector<BodyState>& states, double interval, double halfStep) {
  bool isChanged = false;
  RefereeHistory history;
  const auto momenta = [&](std::size_t body, const BodyState& state) {
    const Body& sceneBody = m_scene->bodies[body];
    return momentaOf(sceneBody.mass, sceneBody.inertia, m_scene->gravity, state.position, state.orientation,
                     state.linearVelocity, state.angularVelocity, halfStep);
  };
  const auto add = [&](const Momenta& bodyMomenta, double sign) {
    history.startEnergy += sign * (bodyMomenta.kinetic + bodyMomenta.potential);
    history.expectedLinear += sign * bodyMomenta.linear;
    history.expectedAngular += sign * bodyMomenta.angular;
  };
  const double time = m_timeBefore + interval, tolerance = kReleaseTolerance * m_scene->dt;
  for (std::size_t body = 0; body < states.size(); ++body) {
    const Body& sceneBody = m_scene->bodies[body];
    if (sceneBody.motion == Motion::Static || states[body].active == m_before[body].active) continue;
    const bool isReleasedByScene = sceneBody.releaseTime > 0 &&
                                   sceneBody.releaseTime >= m_timeBefore - tolerance &&
                                   sceneBody.releaseTime <= time + tolerance;
    if (states[body].active && isReleasedByScene) continue;  // the Referee has its start
    if (!isChanged) history = m_referee->history();
    isChanged = true;
    if (states[body].active) {
      add(momenta(body, states[body]), 1);
      history.slowVelocity[body] = states[body].linearVelocity;
    } else {
      add(momenta(body, m_before[body]), -1);
    }
    history.wasDynamic[body] = states[body].active;
  }
  if (isChanged) m_referee->goOn(history);
}

/// Expectations of the Referee for a step: sums of its contacts, and the moment of gravity.
void StateReferee::sumContacts(double interval, StepRecord& record) {
  record.normalImpulseSum = record.frictionImpulseSum = 0;
  record.groundImpulse = record.groundAngularImpulse = record.gravityMoment = Vec3::Zero();
  addSumsOfContacts(m_world, record);
  for (std::size_t body = 0; body < m_before.size(); ++body) {
    const Body& sceneBody = m_scene->bodies[body];
    if (!isDynamic(m_world, static_cast<int>(body))) continue;
    const Vec3& start = m_before[body].active ? m_before[body].position : sceneBody.position;
    record.gravityMoment += interval * start.cross(sceneBody.mass * m_scene->gravity);
  }
}

void StateReferee::measure(const std::vector<BodyState>& states, const std::vector<Contact>& contacts,
                           double time, double interval, StepRecord& record) {
  record.time = time;
  record.planar = m_scene->planar;
  record.bodies = states;
  record.contacts = contacts;
  place(states, time);
  if (!m_hasBegun) {
    m_referee->begin(m_world, record.dt);
    m_before = states;
  } else {
    balanceReleases(states, interval, 0.5 * record.dt);
  }
  m_hasBegun = true;
  sumContacts(interval, record);
  if (m_given == Contacts::None) record.contacts = touches();  // for jitter
  m_referee->measure(m_world, interval, record);
  record.contacts = contacts;
  record.status = StepStatus::Ok;  // how the step went is not known
  record.statusText.clear();
  dropUnknown(record);
  m_before = states;
  m_timeBefore = time;
}

void StateReferee::dropUnknown(StepRecord& record) const {
  QuantityValues& q = record.quantities;
  const auto drop = [&q](std::initializer_list<Quantity> quantities) {
    for (const Quantity quantity : quantities) q[quantity] = NAN;
  };
  if (m_given != Contacts::All)
    drop({Quantity::NormalForce, Quantity::FrictionForce, Quantity::MomentumLinearError,
          Quantity::MomentumAngularError});
  if (m_given == Contacts::None) drop({Quantity::Contacts});
  if (record.substeps > 1) drop({Quantity::MomentumAngularError});
  const auto isSpring = [](const Joint& joint) {
    return joint.compliance > 0 || joint.angularCompliance > 0 || joint.drive.stiffness > 0;
  };
  if (std::none_of(m_scene->joints.begin(), m_scene->joints.end(), isSpring)) drop({Quantity::EnergyElastic});
}

}  // namespace touchstone
