#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "widgets/views/camera_state.h"

namespace touchstone::test {

/// Box of points in the frame of a camera: 1 is half its height.
struct Projected {
  double left = 1e300, right = -1e300, bottom = 1e300, top = -1e300;
  double nearest = 1e300;  ///< depth of the point that is nearest to the camera [m]

  /// The frame is 4:3, and every pane shows all of it.
  bool isInside() const {
    constexpr double kShape = 4.0 / 3;
    return nearest > 0 && left > -kShape && right < kShape && bottom > -1 && top < 1;
  }
  /// Share of the shorter side.
  double share() const { return std::max(right - left, top - bottom) / 2; }
};

inline Projected projected(const CameraState& camera, const std::vector<Vec3>& points) {
  const Vec3 forward = (camera.target - camera.eye).normalized();
  const Vec3 right = forward.cross(camera.up).normalized(), up = right.cross(forward);
  const double half = std::tan(camera.angle * EIGEN_PI / 360);
  Projected box;
  for (const Vec3& point : points) {
    const Vec3 ray = point - camera.eye;
    const double depth = ray.dot(forward);
    const double x = ray.dot(right) / depth / half, y = ray.dot(up) / depth / half;
    box = {std::min(box.left, x), std::max(box.right, x), std::min(box.bottom, y), std::max(box.top, y),
           std::min(box.nearest, depth)};
  }
  return box;
}

}  // namespace touchstone::test
