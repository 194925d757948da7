#include "core/trajectory/start_check.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/files/text_forms.h"
#include "core/math/quantile.h"
#include "core/trajectory/interpolation.h"

namespace touchstone {

namespace {

// Share of a body's diameter, and of 2 rad. A larger value hides a file in other axes; a smaller one warns of
// starts that an engine rounded to single precision.
constexpr double kOffStart = 1e-3;

struct GivenPose {
  Vec3 position;
  Quaternion orientation;
};

/// Possible cause of an error in the file: the pose that was meant.
struct Cause {
  std::string text;
  std::function<GivenPose(const GivenPose& given, const Body& body)> meant;
};

std::vector<Cause> causesOf(const TrajectoryHeader& header) {
  std::vector<Cause> causes;
  if (header.isOfOrigin)
    causes.push_back(
        {"the centre of mass given as origin: '# frame: com'?", [](const GivenPose& p, const Body& b) {
           return GivenPose{p.position - p.orientation * b.centre, p.orientation};
         }});
  else
    causes.push_back(
        {"the origin given as centre of mass: '# frame: origin'?", [](const GivenPose& p, const Body& b) {
           return GivenPose{p.position + p.orientation * b.centre, p.orientation};
         }});
  const auto permuted = [](const Vec3& v, double sign) { return Vec3(v.x(), sign * v.z(), -sign * v.y()); };
  causes.push_back({header.isZUp ? "axes permuted: '# up: y'?" : "axes permuted: '# up: z'?",
                    [permuted, sign = header.isZUp ? -1.0 : 1.0](const GivenPose& p, const Body&) {
                      const Vec3 vector = permuted(p.orientation.vec(), sign);
                      return GivenPose{permuted(p.position, sign),
                                       Quaternion(p.orientation.w(), vector.x(), vector.y(), vector.z())};
                    }});
  const std::string unit = header.length.empty() ? "m" : header.length;
  for (const char* other : {"m", "cm", "mm", "in"})
    if (other != unit)
      causes.push_back({"another unit: '# length: " + std::string(other) + "'?",
                        [factor = lengthOfUnit(other) / lengthOfUnit(unit)](const GivenPose& p, const Body&) {
                          return GivenPose{factor * p.position, p.orientation};
                        }});
  causes.push_back({"the quaternion written as x, y, z, w?", [](const GivenPose& p, const Body&) {
                      const Quaternion& q = p.orientation;
                      return GivenPose{p.position, Quaternion(q.z(), q.w(), q.x(), q.y())};
                    }});
  causes.push_back({"the quaternion turns world axes into those of the body (conjugate)?",
                    [](const GivenPose& p, const Body&) {
                      return GivenPose{p.position, p.orientation.conjugate()};
                    }});
  return causes;
}

/// Offset of the bodies [1], and the body with the largest.
struct Off {
  double position = 0, orientation = 0;
  const Body* body = nullptr;
};

Off offOf(const Scene& scene, double time, const std::vector<BodyState>& states, const Cause* cause) {
  Off off;
  double largest = -1;
  for (std::size_t index = 0; index < states.size(); ++index) {
    const Body& body = scene.bodies[index];
    if (body.motion == Motion::Static || !states[index].active || body.releaseTime > time) continue;
    GivenPose pose{states[index].position, states[index].orientation};
    if (cause) pose = cause->meant(pose, body);
    const double moved = body.linearVelocity.norm() * time + scene.gravity.norm() * time * time,
                 turned = body.angularVelocity.norm() * time;
    const double position =
        std::max(0.0, (pose.position - body.position).norm() - moved) / (2 * body.shape->radius);
    const double orientation =
        std::max(0.0, rotationBetween(pose.orientation, body.orientation).norm() - turned) / 2;
    off.position = std::max(off.position, position);
    off.orientation = std::max(off.orientation, orientation);
    if (std::max(position, orientation) > largest) {
      largest = std::max(position, orientation);
      off.body = &body;
    }
  }
  return off;
}

}  // namespace

std::string startWarning(const Scene& scene, const TrajectoryHeader& header, double time,
                         const std::vector<BodyState>& states) {
  if (time < 0 || time > 2 * scene.dt) return {};
  const Off off = offOf(scene, time, states, nullptr);
  if (off.position <= kOffStart && off.orientation <= kOffStart) return {};
  std::string text = "the start is not that of the scene: '" + off.body->name +
                     "' is farthest off, positions by " + fourDigits(off.position) +
                     " of a diameter, turns by " + fourDigits(2 * off.orientation) + " rad";
  std::string ofPosition, ofOrientation;
  for (const Cause& cause : causesOf(header)) {
    const Off then = offOf(scene, time, states, &cause);
    if (off.position > kOffStart && then.position <= kOffStart && ofPosition.empty()) ofPosition = cause.text;
    if (off.orientation > kOffStart && then.orientation <= kOffStart && ofOrientation.empty())
      ofOrientation = cause.text;
  }
  if (!ofPosition.empty()) text += "; " + ofPosition;
  if (!ofOrientation.empty() && ofOrientation != ofPosition) text += "; " + ofOrientation;
  return text;
}

void VelocityCheck::add(const Scene& scene, double timeBefore, const std::vector<BodyState>& before,
                        double time, const std::vector<BodyState>& states) {
  // Intervals of bodies that are compared. More take memory of long files; fewer miss what begins late.
  constexpr std::size_t kMost = 200'000;
  const double dt = time - timeBefore;
  for (std::size_t body = 0; body < states.size() && m_linear.size() < kMost; ++body) {
    if (scene.bodies[body].motion == Motion::Static) continue;
    const BodyState &a = before[body], &b = states[body];
    if (!a.active || !b.active) continue;
    const Vec3 linear = 0.5 * (a.linearVelocity + b.linearVelocity),
               angular = 0.5 * (a.angularVelocity + b.angularVelocity),
               turn = rotationBetween(a.orientation, b.orientation) / dt;
    const Vec3 way = (b.position - a.position) / dt;
    m_linear.push_back((linear - way).norm());
    m_angular.push_back((angular - turn).norm());
    m_offLinear += dt * m_linear.back();
    m_wayLinear += dt * std::max(linear.norm(), way.norm());
    m_offAngular += dt * m_angular.back();
    m_wayAngular += dt * std::max(angular.norm(), turn.norm());
    m_asOfBody.push_back((a.orientation * angular - turn).norm());
    m_asOfWorld.push_back((a.orientation.conjugate() * angular - turn).norm());
    m_fastest = std::max(m_fastest, b.linearVelocity.norm());
    m_fastestSpin = std::max(m_fastestSpin, b.angularVelocity.norm());
  }
}

// Shares of the fastest speed, and of the way. Larger ones hide wrong units; smaller ones warn of long
// intervals.
constexpr double kContradicts = 0.1, kFarOff = 0.3;

bool VelocityCheck::contradicts(const std::vector<double>& differences, double fastest, double off,
                                double way) {
  // m/s, rad/s: what is slower stands still. More hides slow motion; less warns of rounding.
  constexpr double kSlow = 1e-6;
  if (differences.empty() || fastest < kSlow) return false;
  return median(differences) > std::max(kSlow, kContradicts * fastest) || off > kFarOff * way;
}

std::vector<std::string> VelocityCheck::warnings(const TrajectoryHeader& header, bool linear,
                                                 bool angular) const {
  std::vector<std::string> texts;
  if (linear && contradictsLinear())
    texts.push_back("velocities contradict poses: v Δt differs from Δx by " +
                    fourDigits(100 * m_offLinear / m_wayLinear) + " % of the way, the fastest body has " +
                    fourDigits(m_fastest) +
                    " m/s; are they in the unit and along the axes of the header, and of the same point?");
  if (angular && contradictsAngular()) {
    std::string text = "angular velocities contradict poses: ω Δt differs from the turn by " +
                       fourDigits(100 * m_offAngular / m_wayAngular) + " % of it, the fastest body has " +
                       fourDigits(m_fastestSpin) + " rad/s; ";
    const double other = median(header.isOmegaOfBody ? m_asOfWorld : m_asOfBody);
    text += other <= kContradicts * m_fastestSpin
                ? (header.isOmegaOfBody ? "along the axes of the world: '# omega: world'?"
                                        : "along the axes of the body: '# omega: body'?")
                : "are they in rad/s and along the axes of the header?";
    texts.push_back(text);
  }
  return texts;
}

}  // namespace touchstone
