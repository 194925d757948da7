#pragma once

namespace touchstone {

/// Parameter of methods with rows: how far the solver `auto` goes in large islands.
inline constexpr const char* kAccuracy = "accuracy";
inline constexpr const char *kInteractive = "interactive", *kAccurate = "accurate";

/// Tolerance of `auto` [1].
inline double toleranceOf(bool isAccurate) { return isAccurate ? 1e-6 : 1e-4; }
/// Tolerance of the solvers that a user chooses by name, as published programs have it.
inline constexpr double kTightTolerance = 1e-10;

}  // namespace touchstone
