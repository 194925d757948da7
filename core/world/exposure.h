#pragma once

namespace touchstone {

// Of lengthOf() the scene:
/// Pieces that are closer than this are flush: their seam is no edge. Larger: gaps that a corner could enter
/// count as closed; smaller: rounding of coordinates opens seams.
inline constexpr double kFlush = 2e-6;
/// How far beside a feature its surface is looked at. A step that is lower than this counts as flush.
inline constexpr double kBesideFeature = 1e-5;

}  // namespace touchstone
