#pragma once

#include <memory>

#include "core/scene/scene.h"

namespace touchstone::test {

/// Kinds of narrow gaps, in the order in which narrowGap() takes turns.
enum class GapKind { TipOnTip, EdgeOnEdge, WedgeInGap, TipBetweenTips, WedgeInNotch, CornerOnEdge, Count };

/// One or two bodies of up to some tonnes that meet with their tips, edges or wedges at 0.5 to 5 m/s: a fixed
/// one or two below, one that falls above, about 1 mm to 2 cm apart, without friction.
/// @param number  its kind is that modulo the number of kinds   @param seed  of sizes, angles, offsets and
/// velocities
std::shared_ptr<const Scene> narrowGap(int number, unsigned seed);

}  // namespace touchstone::test
