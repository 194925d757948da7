#pragma once

#include <QColor>
#include <array>
#include <vector>

#include "core/record/step_record.h"
#include "core/scene/scene.h"

namespace touchstone {

/// Colours of bodies, in every theme, where nothing else is shown by colour.
QColor bodyGrey(Motion motion);
/// Meaning of the ball at a contact: its role in a complementarity model, or a trap of PEG.
enum class ContactGlyph { Plain, U, I, X, Trap };
QColor contactColour(ContactGlyph glyph);
/// Colour of force arrows.
inline const QColor kArrowColour(0xD9, 0x29, 0x1A);

/// The logarithmic scale of depths. At its threshold a body has its own colour.
struct DepthScale {
  double threshold = 1e-6;  ///< [m]
  double maximum = 1e-3;    ///< [m]
  /// Place of a depth on the ramp: 0 up to the threshold, 1 from the maximum on.
  double at(double depth) const;
};

/// Depths up to a millionth of the scene's length are rounding or the tolerance of a solver: they are neither
/// coloured nor drawn. @return [m], see lengthOf()
double depthThreshold(const Scene& scene);

/// Colour at t in 0 … 1 of the ramp of depths: grey, blue, violet, crimson. The distance from grey grows with
/// t, and the lightness falls.
QColor depthColour(double t);

/// Opacity of an overlap volume, which grows with each decade of depth. Below the threshold it is 0.
double overlapOpacity(const DepthScale& scale, double depth);

/// A part of an overlap: a triangle, or a point as three equal corners.
struct DepthPlace {
  std::array<Vec3, 3> corners;  ///< [m, world]
  double depth = 0;             ///< [m]
};
/// The places at which a body overlaps with others.
struct BodyPlaces {
  std::vector<DepthPlace> places;
  std::vector<int> planes;  ///< bodies that are planes and overlap with this one
};
/// [bodyCount] the places of each dynamic body: of overlaps with a known surface its triangles, with the
/// depth of their connected part; of others the contacts of the pair that overlap, by the ratio of their
/// gaps. A pair without both has the middle and the corners of the box that both bodies share.
std::vector<BodyPlaces> depthPlaces(const Scene& scene, const StepRecord& record, double threshold);

/// Depth [m] that is shown at points of a body's surface: that of a place within reach, fading with the
/// distance, in the logarithm. A place without a point in reach has the nearest one.
/// @param points  [m, world]   @param reach  [m]   @return [points] place on the ramp, 0 … 1
std::vector<double> depthsAt(const std::vector<Vec3>& points, double reach, const BodyPlaces& places,
                             const Scene& scene, const DepthScale& scale);

}  // namespace touchstone
