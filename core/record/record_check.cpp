#include "core/record/record_check.h"

#include <cmath>

#include "core/math/count.h"
#include "core/record/placed_surface.h"

namespace touchstone {

namespace {

bool isFinite(const BodyState& body) {
  return body.position.allFinite() && body.orientation.coeffs().allFinite() &&
         body.linearVelocity.allFinite() && body.angularVelocity.allFinite();
}

/// True for a unit quaternion up to rounding.
bool isRotation(const Quaternion& q) {
  // Tolerance of |q|². A larger value accepts damaged orientations; a smaller one may refuse valid ones with
  // accumulated rounding.
  constexpr double kRounding = 1e-6;
  return std::abs(q.squaredNorm() - 1) <= kRounding;
}

bool isLength(double value) { return value >= 0 && std::isfinite(value); }

}  // namespace

bool isFinite(const Contact& contact) {
  return contact.pointA.allFinite() && contact.pointB.allFinite() && contact.normal.allFinite() &&
         contact.frictionImpulse.allFinite() && std::isfinite(contact.gap) &&
         std::isfinite(contact.normalImpulse) && std::isfinite(contact.intervalStart) &&
         std::isfinite(contact.intervalEnd);
}

RecordCheck::RecordCheck(std::shared_ptr<const Scene> scene) : m_scene(scene), m_features(std::move(scene)) {}

bool RecordCheck::isBody(int body) const { return body >= 0 && body < countOf(m_scene->bodies); }

std::string RecordCheck::problemOf(const Overlap& overlap) const {
  if (!isBody(overlap.bodyA) || !isBody(overlap.bodyB) || overlap.bodyA == overlap.bodyB)
    return "an overlap is of bodies that the scene has not";
  if (!isLength(overlap.depth) || !isLength(overlap.volume)) return "an overlap has no size";
  for (const Vec3& vertex : overlap.vertices)
    if (!vertex.allFinite()) return "a corner of an overlap is not finite";
  const int corners = countOf(overlap.vertices);
  for (const auto& triangle : overlap.triangles)
    for (int corner : triangle)
      if (corner < 0 || corner >= corners) return "an overlap names a corner that it has not";
  return {};
}

std::string RecordCheck::problemOf(const StepRecord& record) const {
  if (record.bodies.size() != m_scene->bodies.size()) return "it has not all bodies";
  for (const BodyState& body : record.bodies)
    if (!isFinite(body) || !isRotation(body.orientation)) return "the state of a body is no state";
  for (const std::vector<Vec3>* vectors : {&record.particles, &record.particleVelocities}) {
    if (countOf(*vectors) != particleCount(*m_scene))
      return "it has not the particles of the bodies that deform";
    for (const Vec3& particle : *vectors)
      if (!particle.allFinite()) return "a particle has a place or velocity that is not finite";
  }
  if (!record.joints.empty() && record.joints.size() != m_scene->joints.size())
    return "it has not all joints";
  for (const JointState& joint : record.joints)
    if (!isLength(joint.error) || !isLength(joint.angle) || !joint.force.allFinite() ||
        !joint.torque.allFinite() || !std::isfinite(joint.drive) || !std::isfinite(joint.friction) ||
        std::isinf(joint.coordinate))
      return "the state of a joint is no state";
  if (!(std::isfinite(record.time) && record.time >= 0)) return "its time is none";
  if (!(std::isfinite(record.dt) && record.dt > 0) || record.substeps < 1) return "its step has no length";
  for (const Contact& contact : record.contacts) {
    if (!m_features.has(contact)) return "a contact is of bodies or features that the scene has not";
    if (!isFinite(contact)) return "a contact has a number that is not finite";
    if (contact.set < -1) return "a contact is of no set";
  }
  for (const Overlap& overlap : record.overlaps)
    if (const std::string problem = problemOf(overlap); !problem.empty()) return problem;
  if (record.pull) {
    const PullRecord& pull = *record.pull;
    if (!isBody(pull.body)) return "a pull is at a body that the scene has not";
    if (!pull.point.allFinite() || !pull.target.allFinite() || !std::isfinite(pull.force))
      return "a pull is not finite";
  }
  return {};
}

}  // namespace touchstone
