#pragma once

#include <string>

namespace touchstone {

constexpr double kLongestStep = 1;            ///< s, of a frame
constexpr long kMostFrames = 1'000'000'000L;  ///< of a run

constexpr char kFrameCountRemedy[] = "give a time of one frame or more, and frames of at most 1 s";

/// Why `time` in frames of `dt` [s] is no run, or empty.
std::string frameCountProblem(double time, double dt);
/// Frames of a run. @throws std::invalid_argument where frameCountProblem() says why not
long frameCount(double time, double dt);

}  // namespace touchstone
