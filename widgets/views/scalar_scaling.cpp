#include "widgets/views/scalar_scaling.h"

#include <algorithm>
#include <cmath>

#include "widgets/palette.h"

namespace touchstone {

double deepestOverlap(const StepRecord& record) {
  double deepest = 0;
  for (const Overlap& overlap : record.overlaps) deepest = std::max(deepest, overlap.depth);
  return deepest;
}

double largestDistance(const StepRecord& record, const StepRecord& reference) {
  double largest = 0;
  for (std::size_t body = 0; body < std::min(record.bodies.size(), reference.bodies.size()); ++body)
    if (record.bodies[body].active)
      largest = std::max(largest, (record.bodies[body].position - reference.bodies[body].position).norm());
  return largest;
}

Vec3 contactForce(const Contact& contact, double dt) {
  if (!(dt > 0)) return Vec3::Zero();
  return (contact.normalImpulse * contact.normal + contact.frictionImpulse) / dt;
}

double largestForce(const StepRecord& record) {
  double largest = 0;
  for (const Contact& contact : record.contacts)
    largest = std::max(largest, contactForce(contact, record.dt).norm());
  for (const JointState& joint : record.joints) largest = std::max(largest, joint.force.norm());
  return largest;
}

double niceCeiling(double value) {
  if (!(value > 0) || !std::isfinite(value)) return 0;
  const double decade = std::pow(10.0, std::floor(std::log10(value)));
  // 1e-9: a value that is a nice number up to rounding is not raised.
  for (double step : {1.0, 2.0, 5.0})
    if (value <= step * decade * (1 + 1e-9)) return step * decade;
  return 10 * decade;
}

void SharedRanges::join(const SharedRanges& other, double ofColours, double ofForces) {
  depth = std::max(depth, ofColours * other.depth);
  force = std::max(force, ofForces * other.force);
  distance = std::max(distance, ofColours * other.distance);
  volumeChange = std::max(volumeChange, ofColours * other.volumeChange);
  strain = std::max(strain, ofColours * other.strain);
  pressure = std::max(pressure, ofForces * other.pressure);
}

SharedRanges niceCeiling(const SharedRanges& ranges) {
  return {niceCeiling(ranges.depth),        niceCeiling(ranges.force),  niceCeiling(ranges.distance),
          niceCeiling(ranges.volumeChange), niceCeiling(ranges.strain), niceCeiling(ranges.pressure)};
}

double deformationMaximum(double sharedRange, double largest) {
  // Below it the scale would amplify rounding and the last digits of a solver. A larger value hides small
  // deformations of stiff bodies.
  constexpr double kLeast = 1e-6;
  return std::max(sharedRange > 0 ? sharedRange : niceCeiling(largest), kLeast);
}

double weightOf(const Scene& scene) {
  const double gravity = scene.gravity.norm() > 0 ? scene.gravity.norm() : 9.81;
  double weight = 0;
  for (const Body& body : scene.bodies)
    if (body.motion == Motion::Dynamic) weight += body.mass * gravity;
  return weight;
}

double arrowLength(double force, const ViewSettings& settings, double sceneSize, double forceRange) {
  if (!(force > 0) || !(sceneSize > 0) || !(forceRange > 0)) return 0;
  const double longest = kLongestArrow * sceneSize;
  double length = longest * force / forceRange;
  if (settings.logArrows)
    length = longest * std::log1p(1000 * force / forceRange) / std::log(1001.0);
  else if (settings.metresPerNewton > 0)
    length = settings.metresPerNewton * force;
  return std::min(length, sceneSize);
}

double scalarMaximum(const ViewSettings& settings, double sharedRange, double deepest, double threshold) {
  if (settings.scalarMaximum > 0) return settings.scalarMaximum;
  // A shorter ramp would give the tolerance of a solver the colour of a deep overlap.
  constexpr double kDecade = 10;
  return std::max(sharedRange > 0 ? sharedRange : niceCeiling(deepest), niceCeiling(kDecade * threshold));
}

LengthUnit lengthUnit(double largest) {
  if (largest >= 1) return {1, QStringLiteral("m")};
  if (largest >= 1e-3) return {1e3, QStringLiteral("mm")};
  if (largest >= 1e-6) return {1e6, QStringLiteral("µm")};
  return {1e9, QStringLiteral("nm")};
}

PressureUnit pressureUnit(double largest) {
  if (largest >= 1e6) return {1e-6, QStringLiteral("MPa")};
  if (largest >= 1e3) return {1e-3, QStringLiteral("kPa")};
  return {1, QStringLiteral("Pa")};
}

DeformationScale deformationScale(DeformationColour colour, double range) {
  constexpr double kPerCent = 100;
  switch (colour) {
    case DeformationColour::Volume:
      return {QStringLiteral("volume J − 1"), QStringLiteral("%"), kPerCent, true};
    case DeformationColour::Pressure: {
      const PressureUnit unit = pressureUnit(range);
      return {QStringLiteral("pressure"), unit.symbol, unit.perPascal, false};
    }
    default:
      return {QStringLiteral("strain"), QStringLiteral("%"), kPerCent, false};
  }
}

std::array<double, 3> deformationColour(bool isSigned, double t) {
  return coolToWarm(isSigned ? 2 * t - 1 : t);  // another map means depth
}

QString engineering(double value, const QString& unit) {
  if (value == 0 || !std::isfinite(value)) return QStringLiteral("%1 %2").arg(value).arg(unit);
  static const char* const prefixes[] = {"p", "n", "µ", "m", "", "k", "M", "G", "T"};
  constexpr int kNone = 4, kLast = 8;
  // Rounds first, so that 999.9 becomes 1.00 k and not 1000.
  const double rounded = QString::number(value, 'e', 2).toDouble();
  const int exponent = static_cast<int>(std::floor(std::log10(std::abs(rounded)) + 1e-9));
  const int third = std::clamp(static_cast<int>(std::floor(exponent / 3.0)), -kNone, kLast - kNone);
  const double scaled = rounded / std::pow(1000.0, third);
  return QStringLiteral("%1 %2%3").arg(QString::number(scaled, 'g', 3),
                                       QString::fromUtf8(prefixes[third + kNone]), unit);
}

}  // namespace touchstone
