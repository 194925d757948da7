#pragma once

#include <cmath>

#include "core/math/host_device.h"

namespace touchstone {

/// c[0] + c[1] t + c[2] t² + c[3] t³.
struct Cubic {
  double c[4] = {0, 0, 0, 0};
  TS_HD double operator()(double t) const { return c[0] + t * (c[1] + t * (c[2] + t * c[3])); }
  TS_HD double slope(double t) const { return c[1] + t * (2 * c[2] + t * 3 * c[3]); }
};

/// Real roots in (0, 1) of a t² + b t + c, ascending, without cancellation. @return their number, 0 to 2
TS_HD inline int quadraticRootsInside(double a, double b, double c, double roots[2]) {
  double candidates[2];
  int count = 0;
  const double discriminant = b * b - 4 * a * c;
  if (a == 0) {
    if (b != 0) candidates[count++] = -c / b;
  } else if (discriminant >= 0) {
    const double q = -0.5 * (b + (b >= 0 ? std::sqrt(discriminant) : -std::sqrt(discriminant)));
    candidates[count++] = q / a;
    if (q != 0) candidates[count++] = c / q;
  }
  int inside = 0;
  for (int k = 0; k < count; ++k)
    if (candidates[k] > 0 && candidates[k] < 1) roots[inside++] = candidates[k];
  if (inside == 2 && roots[0] > roots[1]) {
    const double first = roots[1];
    roots[1] = roots[0];
    roots[0] = first;
  }
  return inside;
}

/// Root of p in [low, high], where p is monotone and rises or falls through zero. Newton's method inside a
/// shrinking bracket.
TS_HD inline double bracketedRoot(const Cubic& p, double low, double high, bool rising) {
  double t = 0.5 * (low + high);
  for (int iteration = 0; iteration < 100; ++iteration) {
    const double value = p(t);
    if (value == 0) return t;
    if ((value < 0) == rising) {
      low = t;
    } else {
      high = t;
    }
    const double slope = p.slope(t);
    double next = slope != 0 ? t - value / slope : low;
    if (next == t) return t;  // t is an end of the bracket, which the next test would reject
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (next == low || next == high) return next;
    t = next;
  }
  return t;
}

/// Places where p changes sign strictly inside (0, 1), ascending: real roots of odd multiplicity. A zero
/// without a sign change does not count. The roots of the derivative split [0, 1] into monotone parts, so
/// that no threshold for a leading coefficient is needed.
/// @param valueAtOne  p(1), for callers that know it more exactly than the sum of the coefficients
/// @return their number, 0 to 3
TS_HD inline int signChanges(const Cubic& p, double valueAtOne, double roots[3]) {
  double nodes[4] = {0, 0, 0, 0};
  int nodeCount = 1 + quadraticRootsInside(3 * p.c[3], 2 * p.c[2], p.c[1], nodes + 1);
  nodes[nodeCount++] = 1;
  int count = 0;
  int lastSigned = -1;  // last node with p ≠ 0
  bool lastPositive = false;
  for (int node = 0; node < nodeCount; ++node) {
    const double value = node == nodeCount - 1 ? valueAtOne : p(nodes[node]);
    if (value == 0) continue;
    const bool positive = value > 0;
    if (lastSigned >= 0 && positive != lastPositive)
      roots[count++] = lastSigned == node - 1 ? bracketedRoot(p, nodes[lastSigned], nodes[node], positive)
                                              : nodes[node - 1];
    lastSigned = node;
    lastPositive = positive;
  }
  return count;
}

TS_HD inline int signChanges(const Cubic& p, double roots[3]) { return signChanges(p, p(1), roots); }

/// Sign of p just after t = 0: that of the first coefficient that is not zero; 0 for the zero polynomial.
TS_HD inline int signAfterZero(const Cubic& p) {
  for (int k = 0; k < 4; ++k)
    if (p.c[k] != 0) return p.c[k] > 0 ? 1 : -1;
  return 0;
}

}  // namespace touchstone
