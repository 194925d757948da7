#pragma once

#include <string>

namespace touchstone {

/// Longest frame [s]. A larger value accepts frames that no method can compute sensibly; a smaller one
/// refuses slow scenes.
constexpr double kLongestStep = 1;
/// Most frames of a run. A larger value accepts runs that never end; a smaller one refuses long runs.
constexpr long kMostFrames = 1'000'000'000L;

constexpr char kFrameCountRemedy[] = "give a time of one frame or more, and frames of at most 1 s";

/// Why `time` in frames of `dt` [s] is not a valid run, or empty.
std::string frameCountProblem(double time, double dt);
/// Number of frames of a run. @throws std::invalid_argument with the text of frameCountProblem()
long frameCount(double time, double dt);

}  // namespace touchstone
