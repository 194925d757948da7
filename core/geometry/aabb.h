#pragma once

#include "core/math/vec.h"

namespace touchstone {

/// Axis-aligned box [m]. Empty until something is added.
struct Aabb {
  Vec3 low = Vec3::Constant(1e300), high = Vec3::Constant(-1e300);
  TS_HD void add(const Vec3& point) {
    low = low.cwiseMin(point);
    high = high.cwiseMax(point);
  }
  TS_HD void add(const Aabb& box) {
    low = low.cwiseMin(box.low);
    high = high.cwiseMax(box.high);
  }
  TS_HD void grow(double margin) {
    low -= Vec3::Constant(margin);
    high += Vec3::Constant(margin);
  }
};

/// True if the box contains a point. False for empty boxes and boxes with NaN.
TS_HD inline bool isSome(const Aabb& box) {
  return box.low.x() <= box.high.x() && box.low.y() <= box.high.y() && box.low.z() <= box.high.z();
}

/// True if the closed boxes share a point.
TS_HD inline bool overlap(const Aabb& a, const Aabb& b) {
  return a.low.x() <= b.high.x() && b.low.x() <= a.high.x() && a.low.y() <= b.high.y() &&
         b.low.y() <= a.high.y() && a.low.z() <= b.high.z() && b.low.z() <= a.high.z();
}

/// The corner of a box with the least normal · x.
TS_HD inline Vec3 lowestCorner(const Aabb& box, const Vec3& normal) {
  Vec3 corner;
  for (int axis = 0; axis < 3; ++axis) corner[axis] = normal[axis] > 0 ? box.low[axis] : box.high[axis];
  return corner;
}

}  // namespace touchstone
