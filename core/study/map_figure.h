#pragma once

#include <vector>

#include "core/statistics/parameter_map.h"
#include "core/study/figure.h"

namespace touchstone {

/// Figures of a map: `overlap`, the deepest overlap of the run [m], and `end-speed`, the speed of the fastest
/// body at its end [m/s]. Of two axes they are heat maps, in which the worlds that diverged are grey behind a
/// border; of one axis curves with crosses where they diverged. An axis that is spaced by factors is
/// logarithmic, and so are colours over more than two decades.
///
/// If the stiffness of a penalty method or the frame length is on an axis and the other of both is known, a
/// line shows the limit of an undamped contact, see undampedStepLimit(), with m of the lightest dynamic body
/// and h = dt / substeps. The caption says its formula and where it lies.
/// @param dt  frame length [s] of all worlds, unless an axis varies it
std::vector<Figure> figuresOf(const ParameterMap& map, const Scene& scene, double dt);

}  // namespace touchstone
