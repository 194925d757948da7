#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/record/placed_surface.h"
#include "widgets/views/camera_state.h"

namespace touchstone {

/// A camera in the same direction whose frame just holds some points [m, world], with a margin.
inline CameraState framing(const CameraState& camera, const std::vector<Vec3>& points) {
  // Share of the frame that the points fill. A larger value puts them under bars and texts; a smaller one
  // makes them small.
  constexpr double kFilled = 0.8, kShape = 4.0 / 3, kDegree = EIGEN_PI / 180;
  if (points.empty()) return camera;
  const Vec3 forward = (camera.target - camera.eye).normalized();
  const Vec3 right = forward.cross(camera.up).normalized(), up = right.cross(forward);
  const double high = kFilled * std::tan(0.5 * camera.angle * kDegree), wide = kShape * high;
  // A point is inside if |x − cx| ≤ wide (D + z), and likewise for y: each side asks for a distance D.
  constexpr double kNone = -std::numeric_limits<double>::infinity();
  double fromRight = kNone, fromLeft = kNone, fromTop = kNone, fromBottom = kNone, farthest = kNone,
         nearest = -kNone;
  for (const Vec3& point : points) {
    const Vec3 p(right.dot(point), up.dot(point), forward.dot(point));
    fromRight = std::max(fromRight, p.x() - wide * p.z());
    fromLeft = std::max(fromLeft, -p.x() - wide * p.z());
    fromTop = std::max(fromTop, p.y() - high * p.z());
    fromBottom = std::max(fromBottom, -p.y() - high * p.z());
    farthest = std::max(farthest, p.z());
    nearest = std::min(nearest, p.z());
  }
  const double distance = std::max((fromRight + fromLeft) / (2 * wide), (fromTop + fromBottom) / (2 * high));
  const double middle = 0.5 * (nearest + farthest);
  if (!(distance + middle > 0)) return camera;
  CameraState framed = camera;
  framed.up = up;
  framed.eye = 0.5 * (fromRight - fromLeft) * right + 0.5 * (fromTop - fromBottom) * up - distance * forward;
  framed.target = framed.eye + (distance + middle) * forward;
  return framed;
}

/// A camera at the same target and distance that looks along an axis of the world.
inline CameraState lookingAlong(CameraState camera, ViewAxis axis) {
  static const Vec3 kDirections[] = {Vec3(1, 0, 0),  Vec3(-1, 0, 0), Vec3(0, 1, 0),
                                     Vec3(0, -1, 0), Vec3(0, 0, 1),  Vec3(0, 0, -1)};
  const Vec3& direction = kDirections[static_cast<int>(axis)];
  camera.eye = camera.target + (camera.eye - camera.target).norm() * direction;
  camera.up = std::abs(direction.y()) > 0.5 ? Vec3(0, 0, -1) : Vec3(0, 1, 0);
  return camera;
}

/// The camera with +y of the world upwards. One that looks up or down stays as it is.
inline CameraState straightened(CameraState camera) {
  constexpr double kSteepest = 0.999;  // beyond this cosine +y has no direction in the picture
  const Vec3 forward = (camera.target - camera.eye).normalized();
  if (std::abs(forward.y()) < kSteepest) camera.up = Vec3(0, 1, 0);
  return camera;
}

}  // namespace touchstone
