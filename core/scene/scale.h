#pragma once

#include "core/scene/scene.h"

namespace touchstone {

/// The length ℓ [m] that tolerances of a scene are relative to. It is the `length_scale` of the file; else
/// the median diameter 2 × Shape::radius of its dynamic bodies, or of all bounded bodies if none is dynamic,
/// and 1 m if none is bounded. A scene that is scaled as a whole gives the same run: no method compares a
/// length with a constant.
double lengthOf(const Scene& scene);

/// The largest coordinate of a bounded body at the start [m], at least lengthOf(). Positions are rounded to
/// 1e-16 of it.
double extentOf(const Scene& scene);

/// ℓ / (100 h) with the step h of the scene file [m/s]: the velocity that tolerances of solvers are relative
/// to. It is 1 m/s for bodies of one metre and steps of 10 ms.
double velocityUnitOf(const Scene& scene);

/// The default speed at which bodies that overlap at the start are separated, for every method [m/s]: 0.2 √(g
/// ℓ), a fifth of the speed of a fall over the scene's length; without gravity velocityUnitOf().
double depenetrationSpeedOf(const Scene& scene);
/// It and its formula, for what a parameter shows.
AutomaticValue automaticDepenetrationSpeed(const Scene& scene);

}  // namespace touchstone
