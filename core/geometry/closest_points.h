#pragma once

#include "core/math/vec.h"

namespace touchstone {

/// Barycentric weights of the point of the triangle (a, b, c) that is closest to p; all in [0, 1], sum 1.
/// Weights are exactly 0 on the edges and corners that the region test names, so that a caller can tell
/// faces, edges and vertices.
TS_HD inline Vec3 closestOnTriangle(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 ab = b - a, ac = c - a, ap = p - a;
  const double d1 = ab.dot(ap), d2 = ac.dot(ap);
  if (d1 <= 0 && d2 <= 0) return Vec3(1, 0, 0);
  const Vec3 bp = p - b;
  const double d3 = ab.dot(bp), d4 = ac.dot(bp);
  if (d3 >= 0 && d4 <= d3) return Vec3(0, 1, 0);
  const double vc = d1 * d4 - d3 * d2;
  if (vc <= 0 && d1 >= 0 && d3 <= 0) {
    const double v = d1 / (d1 - d3);
    return Vec3(1 - v, v, 0);
  }
  const Vec3 cp = p - c;
  const double d5 = ab.dot(cp), d6 = ac.dot(cp);
  if (d6 >= 0 && d5 <= d6) return Vec3(0, 0, 1);
  const double vb = d5 * d2 - d1 * d6;
  if (vb <= 0 && d2 >= 0 && d6 <= 0) {
    const double w = d2 / (d2 - d6);
    return Vec3(1 - w, 0, w);
  }
  const double va = d3 * d6 - d5 * d4;
  if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
    const double w = (d4 - d3) / ((d4 - d3) + (d5 - d6));
    return Vec3(0, 1 - w, w);
  }
  const double sum = va + vb + vc;
  return Vec3(va / sum, vb / sum, vc / sum);
}

}  // namespace touchstone
