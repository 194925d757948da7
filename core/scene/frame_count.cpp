#include "core/scene/frame_count.h"

#include <cmath>
#include <stdexcept>

#include "core/scene/parameter.h"

namespace touchstone {

std::string frameCountProblem(double time, double dt) {
  const auto seconds = [](double number) { return toString(ParameterValue(number)) + " s"; };
  if (!(dt > 0 && dt <= kLongestStep)) return "a frame of " + seconds(dt) + " is none";
  const double frames = std::round(time / dt);
  const std::string asked = seconds(time) + " in frames of " + seconds(dt);
  if (!(frames >= 1)) return asked + " is less than one frame";
  if (!(frames <= static_cast<double>(kMostFrames)))
    return asked + " is more than " + std::to_string(kMostFrames) + " frames";
  return {};
}

long frameCount(double time, double dt) {
  const std::string problem = frameCountProblem(time, dt);
  if (!problem.empty()) throw std::invalid_argument(problem + "; " + kFrameCountRemedy);
  return std::lround(time / dt);
}

}  // namespace touchstone
