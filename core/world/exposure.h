#pragma once

namespace touchstone {

// Lengths relative to lengthOf() the scene:

/// Pieces closer than this are flush: their seam is no edge. If it is larger, gaps that a corner could enter
/// count as closed; if it is smaller, rounding of coordinates opens seams.
inline constexpr double kFlush = 2e-6;
/// Distance from a feature at which its surface is examined. If it is larger, steps of the surface below that
/// height count as flush; if it is smaller, rounding decides which side a probe is on.
inline constexpr double kBesideFeature = 1e-5;

}  // namespace touchstone
