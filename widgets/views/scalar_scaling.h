#pragma once

#include <QString>
#include <array>
#include <vector>

#include "core/record/step_record.h"
#include "core/scene/scene.h"
#include "widgets/views/view_settings.h"

namespace touchstone {

/// Upper ends of the scales that all views share; 0 if there is nothing to show.
struct SharedRanges {
  double depth = 0;         ///< [m]
  double force = 0;         ///< of the longest arrow [N]
  double distance = 0;      ///< of bodies from their place in the reference pane [m]
  double volumeChange = 0;  ///< |J − 1| of bodies that deform
  double strain = 0;        ///< likewise
  double pressure = 0;      ///< of contacts on bodies that deform [Pa]
  /// Raises each value to the other's value times the share; a pressure is a force.
  void join(const SharedRanges& other, double ofColours = 1, double ofForces = 1);
};
/// Each raised to a nice number.
SharedRanges niceCeiling(const SharedRanges& ranges);

/// Deepest overlap of all bodies [m].
double deepestOverlap(const StepRecord& record);

/// Largest distance of a released body from its place in another record of the same scene [m].
double largestDistance(const StepRecord& record, const StepRecord& reference);

/// Force on body B [N] of a recorded contact: (normalImpulse normal + frictionImpulse) / dt.
/// 0 for a record without time step (the initial state).
Vec3 contactForce(const Contact& contact, double dt);

/// Largest force of a contact or a joint in the record [N].
double largestForce(const StepRecord& record);

/// Smallest 1, 2 or 5 times a power of ten that is ≥ value; 0 for values that are not positive and finite.
double niceCeiling(double value);

/// Weight of all dynamic bodies [N] (with 9.81 m/s² in a scene without gravity): the force of the longest
/// arrow. It is the same in every pane and frame, so that lengths can be compared.
double weightOf(const Scene& scene);

/// Length [m] of an arrow for a force. Linear: metresPerNewton × force; if that is 0, a scale that gives
/// `forceRange` the length kLongestArrow times the scene's size. Logarithmic: kLongestArrow × log(1 + 1000 f)
/// / log 1001 with f = force / forceRange, which shows three decades. Never longer than the scene's size.
/// @param force  [N], ≥ 0   @param sceneSize  [m]   @param forceRange  [N], > 0
double arrowLength(double force, const ViewSettings& settings, double sceneSize, double forceRange);
/// Relative to the scene's size. A larger value covers the bodies with arrows; a smaller one makes small
/// forces invisible.
constexpr double kLongestArrow = 0.22;

/// Upper end of the depth scale [m] of a view: the fixed one, else the shared one, else that of the record,
/// rounded up to a nice number; no automatic one is less than a decade above the threshold of the scale.
double scalarMaximum(const ViewSettings& settings, double sharedRange, double deepest, double threshold);

/// Upper end of the scale of a deformation without unit, or of a pressure [Pa]: the shared one, else that of
/// the record, rounded up to a nice number; never 0.
double deformationMaximum(double sharedRange, double largest);

/// A unit for a range of lengths that gives readable numbers: factor from metres and symbol ("mm").
struct LengthUnit {
  double perMetre;
  QString symbol;
};
LengthUnit lengthUnit(double largest);

/// The same for a range of pressures: factor from pascals and symbol ("kPa").
struct PressureUnit {
  double perPascal;
  QString symbol;
};
PressureUnit pressureUnit(double largest);

/// Title and unit of a colour of bodies that deform.
struct DeformationScale {
  QString title, unit;
  double perUnit = 1;     ///< from SI
  bool isSigned = false;  ///< from −range to range, else from 0
};
/// @param range  upper end [SI]
DeformationScale deformationScale(DeformationColour colour, double range);
/// Colour at t in 0 … 1 of its ramp. The range of a change of volume is symmetric, so that its middle colour
/// is no change; the others have the upper half of the same map. Components 0 … 1, sRGB.
std::array<double, 3> deformationColour(bool isSigned, double t);

/// The least upper end of the scale of distances from the reference pane [m].
constexpr double kLeastDistance = 1e-3;

/// A number with three significant digits and an SI prefix: "1.25 kN", "340 µN".
QString engineering(double value, const QString& unit);

}  // namespace touchstone
