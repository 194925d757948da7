#pragma once

namespace touchstone {

/// The parameter of lcp and peg that says what a pane does after a frame in which a problem had no solution
/// or a solver did not converge. Simulation acts on it; the methods only list it.
inline constexpr char kOnFailure[] = "on_failure";
/// Its values: the pane goes on with the best iterate (default), or keeps that frame from then on.
inline constexpr char kFailureGoesOn[] = "go-on", kFailureStops[] = "stop";

}  // namespace touchstone
