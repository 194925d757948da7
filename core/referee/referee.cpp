#include "core/referee/referee.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/math/not_a_number.h"
#include "core/scene/scale.h"

namespace touchstone {

namespace {

// Time constant of the low-pass that separates slow motion from jitter. If it is larger, slow settling counts
// as jitter; if it is smaller, rattling at a few hertz does not.
constexpr double kJitterTime = 0.25;  // s

/// Momenta of a body when it is released, from its state in the scene file.
Momenta momentaAtRelease(const Scene& scene, std::size_t index, double halfStep) {
  const Body& body = scene.bodies[index];
  return momentaOf(body.mass, body.inertia, scene.gravity, body.position, body.orientation,
                   body.linearVelocity, body.angularVelocity, halfStep);
}

/// Momenta of a particle when its body is released.
Momenta momentaAtRelease(const World& world, std::size_t carrier, double halfStep) {
  const std::size_t bodyCount = world.orientation.size();
  if (carrier < bodyCount) return momentaAtRelease(*world.scene, carrier, halfStep);
  const Body& body = world.scene->bodies[world.carrierBody[carrier]];
  return momentaOfParticle(world.elastic->particleMass[carrier - bodyCount], world.scene->gravity,
                           world.position[carrier], body.linearVelocity, halfStep);
}

/// [bodyCount] 1 for bodies that a contact of the record pushes.
std::vector<unsigned char> touchedBodies(std::size_t bodyCount, const StepRecord& record) {
  std::vector<unsigned char> touches(bodyCount, 0);
  for (const Contact& contact : record.contacts)
    if (contact.normalImpulse > 0) touches[contact.bodyA] = touches[contact.bodyB] = 1;
  return touches;
}

/// Energy scale of the bodies of a scene [J]: Σ m (g ℓ + ½ v²) with their initial velocities.
double energyScaleOf(const Scene& scene) {
  const double perMass = scene.gravity.norm() * lengthOf(scene);
  double sum = 0;
  for (const Body& body : scene.bodies)
    if (body.motion == Motion::Dynamic)
      sum += body.mass * (perMass + 0.5 * body.linearVelocity.squaredNorm()) +
             0.5 * body.angularVelocity.dot(
                       body.orientation *
                       Vec3(body.inertia * Vec3(body.orientation.conjugate() * body.angularVelocity)));
  return sum;
}

/// Work that may separate overlapping bodies in a frame: they part no faster than the parting speed, and
/// within no less than a step.
double overlapWorkOf(const Scene& scene, const std::vector<Overlap>& overlaps, double dt, double frameDt) {
  const double maxDepenetrationSpeed = depenetrationSpeedOf(scene), g = scene.gravity.norm();
  double sum = 0;
  for (const Overlap& overlap : overlaps) {
    const auto massOf = [&](int body) {
      const Body& sceneBody = scene.bodies[body];
      return sceneBody.motion == Motion::Dynamic ? sceneBody.mass : 0.0;
    };
    const double speed = std::min(maxDepenetrationSpeed, overlap.depth / dt);
    sum += (massOf(overlap.bodyA) + massOf(overlap.bodyB)) *
           (g * std::min(overlap.depth, maxDepenetrationSpeed * frameDt) + 0.5 * speed * speed);
  }
  return sum;
}

}  // namespace

AbsentMeasures absentMeasuresOf(const World& world) {
  std::vector<unsigned char> hasInside(world.orientation.size(), 0);
  for (const int body : world.pieces->body) hasInside[body] = 1;
  for (std::size_t surface = 0; surface < world.surface->surfaceBody.size(); ++surface)
    if (world.surface->surfaceClosed[surface]) hasInside[world.surface->surfaceBody[surface]] = 1;
  long bodies[2] = {}, moving[2] = {}, planes = 0;  // [hasInside]
  for (std::size_t body = 0; body < hasInside.size(); ++body) {
    const Body& sceneBody = world.scene->bodies[body];
    const bool isPlane = sceneBody.shape->kind == Shape::Kind::Plane;
    planes += isPlane;
    const int kind = isPlane || hasInside[body] ? 1 : 0;
    ++bodies[kind];
    moving[kind] += sceneBody.motion == Motion::Dynamic;
  }
  const auto canMeet = [](long movers, long others) { return movers > 0 && others > 0; };
  const bool isSolid = canMeet(moving[1], bodies[1] - 1);
  const bool isOpen = canMeet(moving[0], bodies[0] - 1 + bodies[1]) || canMeet(moving[1], bodies[0]);
  const bool isOnPlane = canMeet(moving[0] + moving[1], planes);
  return {isOpen && !isSolid && !isOnPlane, isOpen && !isSolid};
}

Referee::Referee(BackendKind backend, const World& world, const std::shared_ptr<DeviceWorld>& deviceWorld)
    : m_overlaps(makeOverlapMeasurement(backend, world, deviceWorld)),
      m_motion(makeMotionMeasurement(backend, world, deviceWorld)),
      m_crossings(world),
      m_absent(absentMeasuresOf(world)) {
  m_history.wasDynamic.assign(world.position.size(), 0);
}

void Referee::begin(const World& world, double dt) {
  const std::size_t carriers = world.position.size();
  std::vector<Vec3> velocities(carriers, Vec3::Zero());
  for (std::size_t carrier = 0; carrier < carriers; ++carrier) {
    m_history.wasDynamic[carrier] = isDynamic(world, static_cast<int>(carrier));
    if (m_history.wasDynamic[carrier]) velocities[carrier] = world.linearVelocity[carrier];
  }
  m_motion->setSlowVelocities(velocities);
  const Momenta start = momentaOf(world, dt);
  m_motion->keep();
  m_history.dt = dt;
  m_history.drives = driveStates(world, {});
  m_history.startEnergy = start.kinetic + start.potential + driveEnergy(world, m_history.drives) +
                          elasticSumsOf(*world.elastic, world.position.data(), world.time).energy;
  m_history.expectedLinear = start.linear;
  m_history.expectedAngular = start.angular;
}

Momenta Referee::momentaOf(const World& world, double dt) {
  m_motion->start(world, std::vector<unsigned char>(world.orientation.size(), 0), 0, 0.5 * dt);
  return m_motion->finish().momenta;
}

void Referee::useStep(const World& world, double dt) {
  if (dt == m_history.dt) return;
  const Momenta before = momentaOf(world, m_history.dt), after = momentaOf(world, dt);
  m_history.startEnergy += after.kinetic + after.potential - (before.kinetic + before.potential);
  m_history.dt = dt;
}

RefereeHistory Referee::history() const {
  RefereeHistory history = m_history;
  const Vec3* slow = m_motion->slowVelocities();
  history.slowVelocity.assign(slow, slow + history.wasDynamic.size());
  return history;
}

void Referee::goOn(const RefereeHistory& history) {
  m_motion->setSlowVelocities(history.slowVelocity);
  m_history = history;
}

void Referee::measure(const World& world, double frameDt, StepRecord& record,
                      const std::function<void()>& whenFound) {
  enterReleased(world, record.dt);
  const double share = 1 - std::exp(-frameDt / kJitterTime);
  m_motion->start(world, touchedBodies(world.orientation.size(), record), share, 0.5 * record.dt);
  measurePenetration(world, record);  // runs concurrently with the sums
  const MotionSums sums = m_motion->finish();
  if (whenFound) whenFound();
  m_motion->keep();
  measureBalances(world, sums.momenta, frameDt, record);
  QuantityValues& q = record.quantities;
  q[Quantity::Jitter] = sums.touching > 0 ? std::sqrt(sums.unrest / sums.touching) : 0;
  q[Quantity::NormalForce] = frameDt > 0 ? record.normalImpulseSum / frameDt : 0;
  q[Quantity::FrictionForce] = frameDt > 0 ? record.frictionImpulseSum / frameDt : 0;
  q[Quantity::Contacts] = static_cast<double>(record.contacts.size());
  measureCrossings(world, record);
  if (record.frame > 0 && frameDt > 0) judgeJoints(world, record);
  judgeEnergy(world, frameDt > 0, record);
}

void Referee::measureCrossings(const World& world, StepRecord& record) {
  if (m_crossings.isEmpty()) return;
  const std::vector<Crossing> crossings = m_crossings.find(world);
  int count = 0;
  for (const Crossing& crossing : crossings) count += crossing.edges;
  record.quantities[Quantity::Crossings] = count;
  if (!crossings.empty()) record.warnings.push_back(textOf(*world.scene, crossings));
}

void Referee::judgeJoints(const World& world, StepRecord& record) const {
  if (record.status != StepStatus::Ok) return;
  const std::string text = tornJoint(world, m_joints);
  if (text.empty()) return;
  record.status = StepStatus::NotConverged;
  record.statusText = text;
}

/// Checks that energy enters only through the mouse, drives, releases and the separation of overlaps. The
/// elastic energy of springs is known at an instant only, and a discrete spring that oscillates at ω keeps
/// its energy only to a share of ω h. With springs a rise counts from half of the moving energy on, without
/// them from a hundredth. The moving energy is that of the last frame, or of this frame without the rise: a
/// body at the top of its path in the last frame is fast when it lands.
void Referee::judgeEnergy(const World& world, bool isLedTo, StepRecord& record) {
  // Larger shares let methods create energy unnoticed; smaller ones report the error of discrete springs or
  // of the integration. kNoise does the same for scenes at rest, relative to the energy scale of the scene.
  constexpr double kWithSprings = 0.5, kWithout = 0.01, kNoise = 1e-4;
  if (world.elastic->isDriven) return;  // held particles and activation bring energy in
  const QuantityValues& q = record.quantities;
  const double elastic = q[Quantity::EnergyElastic], drift = q[Quantity::EnergyDrift],
               lively = q[Quantity::EnergyKinetic] + elastic;
  if (record.frame > 0 && isLedTo) {
    const double share = elastic > 0 || m_history.elastic > 0 ? kWithSprings : kWithout;
    const double rise = drift - m_history.drift;
    double allowed =
        std::max(share * std::max(m_history.lively, lively - rise), kNoise * energyScaleOf(*world.scene)) +
        m_history.overlapWork;
    // The work of a pull is computed before contact and the other half of gravity have changed the velocity.
    allowed += record.dt * world.scene->gravity.norm() * record.pullImpulse.norm() + m_unknownSupply;
    if (rise > allowed && record.status == StepStatus::Ok) {
      char text[160];
      std::snprintf(text, sizeof text,
                    "the energy rose by %.3g J in this frame, and nothing brought it in: the method made it",
                    rise);
      record.status = StepStatus::Energy;
      record.statusText = text;
    }
  }
  m_history.drift = drift;
  m_history.elastic = elastic;
  m_history.lively = lively;
  m_history.overlapWork =
      overlapWorkOf(*world.scene, record.overlaps, record.dt, record.dt * record.substeps);
}

std::string Referee::overlapNote(const World& world, const std::vector<unsigned char>& bodies) {
  // Relative to the scene's length. A larger value hides initial overlaps; a smaller one reports bodies that
  // only touch.
  constexpr double kOverlap = 1e-6;
  bool sampled = false;
  const double least = kOverlap * lengthOf(*world.scene);
  std::vector<Overlap> found;
  for (const Overlap& overlap : m_overlaps->find(world, sampled))
    if (overlap.depth > least && (bodies.empty() || bodies[overlap.bodyA] || bodies[overlap.bodyB]))
      found.push_back(overlap);
  if (found.empty()) return {};
  const Overlap& deepest = *std::max_element(
      found.begin(), found.end(), [](const Overlap& a, const Overlap& b) { return a.depth < b.depth; });
  char depth[32];
  std::snprintf(depth, sizeof depth, "%.3g m", deepest.depth);
  std::string text = "'" + world.scene->bodies[deepest.bodyA].name + "' and '" +
                     world.scene->bodies[deepest.bodyB].name + "' begin " + depth + " inside each other";
  if (found.size() > 1) text += ", pairs that overlap less: " + std::to_string(found.size() - 1);
  return text + "; methods part them slowly (max_depenetration_speed)";
}

/// Enters the bodies that were released at the start of this frame, with their initial state before gravity
/// acted.
void Referee::enterReleased(const World& world, double dt) {
  std::vector<std::size_t> released;  // carriers
  for (std::size_t carrier = 0; carrier < world.position.size(); ++carrier)
    if (!m_history.wasDynamic[carrier] && isDynamic(world, static_cast<int>(carrier)))
      released.push_back(carrier);
  if (released.empty()) return;
  std::vector<Vec3> slow = history().slowVelocity;
  for (const std::size_t carrier : released)
    slow[carrier] = world.scene->bodies[world.carrierBody[carrier]].linearVelocity;
  m_motion->setSlowVelocities(slow);
  for (const std::size_t carrier : released) {
    m_history.wasDynamic[carrier] = 1;
    const Momenta momenta = momentaAtRelease(world, carrier, 0.5 * dt);
    m_history.startEnergy += momenta.kinetic + momenta.potential;
    m_history.expectedLinear += momenta.linear;
    m_history.expectedAngular += momenta.angular;
  }
}

void Referee::measurePenetration(const World& world, StepRecord& record) {
  bool sampled = false;
  record.overlaps = m_overlaps->find(world, sampled);
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
  QuantityValues& q = record.quantities;
  if (m_absent.volume) q[Quantity::Overlap] = kNaN;
  if (m_absent.depth) q[Quantity::PenetrationMax] = q[Quantity::PenetrationMean] = kNaN;
}

void Referee::measureBalances(const World& world, const Momenta& total, double frameDt, StepRecord& record) {
  if (record.frame > 0 && frameDt > 0) {
    // gravityMoment has x at the start of each step: x⁺ × m v⁺ = (x + h v⁺) × m v⁺ = x × m v⁺. A step
    // therefore adds exactly h x × m g and point × J.
    m_history.expectedLinear +=
        frameDt * total.mass * world.scene->gravity + record.groundImpulse + record.pullImpulse;
    m_history.expectedAngular += record.gravityMoment + record.groundAngularImpulse +
                                 record.pullAngularImpulse + record.pushOutAngularMomentum;
    m_history.startEnergy += record.pullWork + record.pushOutWork;
  }
  m_unknownSupply = 0;
  const std::vector<DriveState> drives = driveStates(world, m_history.drives);
  if (record.frame > 0 && frameDt > 0 && !m_history.drives.empty()) {
    const DriveWork work = driveWork(world, m_history.drives, drives, record, frameDt);
    m_history.startEnergy += work.supplied;
    m_unknownSupply = work.unknown;
  }
  m_history.drives = drives;
  QuantityValues& q = record.quantities;
  q[Quantity::EnergyKinetic] = total.kinetic;
  q[Quantity::EnergyPotential] = total.potential;
  if (std::isnan(q[Quantity::EnergyElastic])) q[Quantity::EnergyElastic] = 0;
  const ElasticSums elastic = elasticSumsOf(*world.elastic, world.position.data(), world.time);
  q[Quantity::EnergyElastic] += elastic.energy;
  const bool isSolid = !world.elastic->tetrahedra.empty();
  if (isSolid || !world.elastic->edges.empty()) q[Quantity::StrainMax] = elastic.strain;
  if (isSolid) q[Quantity::VolumeError] = elastic.volumeError;
  if (elastic.inverted > 0)
    record.warnings.push_back(std::to_string(elastic.inverted) + " of " +
                              std::to_string(world.elastic->tetrahedra.size()) + " tetrahedra are inverted");
  if (!world.scene->joints.empty()) {
    m_joints = measureJoints(world);
    q[Quantity::JointError] = m_joints.error;
    q[Quantity::EnergyElastic] += m_joints.energy + driveEnergy(world, drives);
  }
  q[Quantity::EnergyTotal] = total.kinetic + total.potential + q[Quantity::EnergyElastic];
  q[Quantity::EnergyDrift] = q[Quantity::EnergyTotal] - m_history.startEnergy;
  q[Quantity::MomentumLinear] = total.linear.norm();
  q[Quantity::MomentumLinearError] = (total.linear - m_history.expectedLinear).norm();
  q[Quantity::MomentumAngular] = total.angular.norm();
  q[Quantity::MomentumAngularError] = (total.angular - m_history.expectedAngular).norm();
  if (world.elastic->hasUnknownForces)
    q[Quantity::MomentumLinearError] = q[Quantity::MomentumAngularError] = NAN;
}

}  // namespace touchstone
