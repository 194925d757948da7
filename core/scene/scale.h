#pragma once

#include "core/scene/scene.h"

namespace touchstone {

/// The length ℓ [m] that tolerances of a scene are relative to: the one that its file gives (`length_scale`),
/// else the median diameter 2 × Shape::radius of its dynamic bodies, of all bounded bodies where none is
/// dynamic, and 1 m where none is bounded. A scene that is scaled as a whole runs as before: no method
/// compares a length with a constant.
double lengthOf(const Scene& scene);

/// The farthest coordinate of a bounded body at the start [m], no less than lengthOf(): positions are rounded
/// to 1e-16 of it.
double extentOf(const Scene& scene);

/// ℓ / (100 h) with the step h of the scene file [m/s]: the velocity that tolerances of solvers are relative
/// to. 1 m/s for bodies of a metre and steps of 10 ms.
double velocityUnitOf(const Scene& scene);

/// The speed at which bodies that overlap at the start part by default, under every method [m/s]: 0.2 √(g ℓ),
/// a fifth of the speed of a fall over the scene's length; without gravity velocityUnitOf().
double partingSpeedOf(const Scene& scene);
/// It and its formula, for what a parameter shows.
AutomaticValue automaticPartingSpeed(const Scene& scene);

}  // namespace touchstone
