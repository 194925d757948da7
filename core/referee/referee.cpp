#include "core/referee/referee.h"

#include <algorithm>
#include <cmath>

namespace touchstone {

namespace {

// Jitter is what a low-pass with this time constant leaves over: slow settling is no jitter, rattling at a
// few hertz is.
constexpr double kJitterTime = 0.25;  // s

struct Momenta {
  Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();
  double kinetic = 0, potential = 0, mass = 0;
};

/// Of one body; angular momentum about the world's origin.
Momenta momentaOf(const Body& body, const Vec3& gravity, const Vec3& position, const Quaternion& orientation,
                  const Vec3& velocity, const Vec3& angularVelocity) {
  Momenta result;
  const Mat3 rotation = orientation.toRotationMatrix();
  const Vec3 spin = rotation * (body.inertia * (rotation.transpose() * angularVelocity));
  result.mass = body.mass;
  result.linear = body.mass * velocity;
  result.angular = position.cross(result.linear) + spin;
  result.kinetic = 0.5 * result.linear.dot(velocity) + 0.5 * spin.dot(angularVelocity);
  result.potential = -body.mass * gravity.dot(position);
  return result;
}

Momenta momentaOf(const World& world, std::size_t body) {
  return momentaOf(world.scene->bodies[body], world.scene->gravity, world.position[body],
                   world.orientation[body], world.linearVelocity[body], world.angularVelocity[body]);
}

/// With the state of the scene file: what a body brings along when it is released.
Momenta momentaAtRelease(const Scene& scene, std::size_t index) {
  const Body& body = scene.bodies[index];
  return momentaOf(body, scene.gravity, body.position, body.orientation, body.linearVelocity,
                   body.angularVelocity);
}

}  // namespace

Referee::Referee(const World& initial)
    : m_wasActive(initial.position.size(), 0), m_slowVelocity(initial.position.size(), Vec3::Zero()) {
  for (std::size_t body = 0; body < initial.position.size(); ++body) {
    if (!isDynamic(initial, static_cast<int>(body))) continue;
    const Momenta own = momentaOf(initial, body);
    m_wasActive[body] = 1;
    m_startEnergy += own.kinetic + own.potential;
    m_expectedLinear += own.linear;
    m_expectedAngular += own.angular;
    m_slowVelocity[body] = initial.linearVelocity[body];
  }
}

void Referee::measure(const World& world, OverlapEngine& overlaps, double frameDt, StepRecord& record) {
  QuantityValues& q = record.quantities;
  q[Quantity::NormalForce] = record.normalImpulseSum / frameDt;
  q[Quantity::FrictionForce] = record.frictionImpulseSum / frameDt;
  q[Quantity::Contacts] = static_cast<double>(record.contacts.size());
  measurePenetration(world, overlaps, record);
  measureBalances(world, frameDt, record);
  measureJitter(world, frameDt, record);
}

void Referee::measurePenetration(const World& world, OverlapEngine& overlaps, StepRecord& record) {
  bool sampled = false;
  record.overlaps = overlaps.find(world, sampled);
  if (sampled)
    record.warnings.push_back("overlap volumes of meshes without convex pieces are sampled on a 24³ grid");
  double deepest = 0, sum = 0, volume = 0;
  for (const Overlap& overlap : record.overlaps) {
    deepest = std::max(deepest, overlap.depth);
    sum += overlap.depth;
    volume += overlap.volume;
  }
  record.quantities[Quantity::PenetrationMax] = deepest;
  record.quantities[Quantity::PenetrationMean] =
      record.overlaps.empty() ? 0 : sum / static_cast<double>(record.overlaps.size());
  record.quantities[Quantity::Overlap] = volume;
}

void Referee::measureBalances(const World& world, double frameDt, StepRecord& record) {
  Momenta total;
  for (std::size_t body = 0; body < world.position.size(); ++body) {
    if (!isDynamic(world, static_cast<int>(body))) continue;
    const Momenta own = momentaOf(world, body);
    total.linear += own.linear;
    total.angular += own.angular;
    total.kinetic += own.kinetic;
    total.potential += own.potential;
    total.mass += own.mass;
    if (m_wasActive[body]) continue;
    // Released at the start of this frame with its initial state, before gravity acted on it.
    m_wasActive[body] = 1;
    m_slowVelocity[body] = world.scene->bodies[body].linearVelocity;
    const Momenta released = momentaAtRelease(*world.scene, body);
    m_startEnergy += released.kinetic + released.potential;
    m_expectedLinear += released.linear;
    m_expectedAngular += released.angular;
  }
  if (record.frame > 0) {
    // gravityMoment has x at the start of each step: x⁺ × m v⁺ = (x + h v⁺) × m v⁺ = x × m v⁺, so that a step
    // adds exactly h x × m g and point × J.
    m_expectedLinear +=
        frameDt * total.mass * world.scene->gravity + record.groundImpulse + record.pullImpulse;
    m_expectedAngular += record.gravityMoment + record.groundAngularImpulse + record.pullAngularImpulse;
    m_startEnergy += record.pullWork;
  }
  QuantityValues& q = record.quantities;
  q[Quantity::EnergyKinetic] = total.kinetic;
  q[Quantity::EnergyPotential] = total.potential;
  if (std::isnan(q[Quantity::EnergyElastic])) q[Quantity::EnergyElastic] = 0;
  q[Quantity::EnergyTotal] = total.kinetic + total.potential + q[Quantity::EnergyElastic];
  q[Quantity::EnergyDrift] = q[Quantity::EnergyTotal] - m_startEnergy;
  q[Quantity::MomentumLinear] = total.linear.norm();
  q[Quantity::MomentumLinearError] = (total.linear - m_expectedLinear).norm();
  q[Quantity::MomentumAngular] = total.angular.norm();
  q[Quantity::MomentumAngularError] = (total.angular - m_expectedAngular).norm();
}

void Referee::measureJitter(const World& world, double frameDt, StepRecord& record) {
  std::vector<unsigned char> touches(world.position.size(), 0);
  for (const Contact& contact : record.contacts)
    if (contact.normalImpulse > 0) touches[contact.bodyA] = touches[contact.bodyB] = 1;
  double sum = 0;
  int count = 0;
  const double share = 1 - std::exp(-frameDt / kJitterTime);
  for (std::size_t body = 0; body < world.position.size(); ++body) {
    if (!isDynamic(world, static_cast<int>(body))) continue;
    m_slowVelocity[body] += share * (world.linearVelocity[body] - m_slowVelocity[body]);
    if (!touches[body]) continue;
    sum += (world.linearVelocity[body] - m_slowVelocity[body]).squaredNorm();
    ++count;
  }
  record.quantities[Quantity::Jitter] = count > 0 ? std::sqrt(sum / count) : 0;
}

}  // namespace touchstone
