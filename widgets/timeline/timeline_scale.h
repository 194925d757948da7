#pragma once

#include <algorithm>
#include <cmath>

namespace touchstone {

/// Maps recorded frames to pixels of the timeline and back. Linear; the first frame is at `left`, the last at
/// `right`. If there is only one frame, everything is at `left`.
struct TimelineScale {
  long first = 0, last = 0;
  double left = 0, right = 1;  ///< px, left < right

  double xOf(long frame) const {
    if (last <= first) return left;
    return left + (right - left) * static_cast<double>(frame - first) / static_cast<double>(last - first);
  }
  /// Nearest recorded frame; pixels outside give the first or last frame.
  long frameAt(double x) const {
    if (last <= first || right <= left) return first;
    const double fraction = std::clamp((x - left) / (right - left), 0.0, 1.0);
    return first + std::lround(fraction * static_cast<double>(last - first));
  }
};

}  // namespace touchstone
