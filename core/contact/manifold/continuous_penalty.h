#pragma once

#include "core/geometry/closest_points.h"
#include "core/geometry/pair_motion.h"
#include "core/math/quadrature.h"

namespace touchstone {

/// One feature pair over one straight path, with what contact memory knows of it.
struct PairPath {
  FeaturePairKind kind = FeaturePairKind::VertexFace;
  Vec3 x0[4], x1[4];        ///< rows at t = 0 and t = 1 (see PairMotion) [m]
  Vec3 planeNormal;         ///< VertexPlane: unit, outward
  double planeOffset = 0;   ///< VertexPlane: planeNormal · x = offset [m]
  bool oneSided = true;     ///< contacts begin only from the outside (gap > 0)
  bool testFaces = false;   ///< edge–edge of closed surfaces: an entry must look away from both solids
  Vec3 faceSumA, faceSumB;  ///< sums of the outward normals of the faces at edge A and edge B
  bool tracked = false;     ///< in memory, with:
  int side = 1;
  double weights[4] = {0, 0, 0, 0};
  double stiffness = 0;     ///< k [N/m]
  double damping = 0;       ///< c [N·s/m]
  double dt = 0;            ///< h [s]
  bool quadrature = false;  ///< impulse with the exact normal instead of the closed form
  /// T: features of one surface act where they are closer than this, on the side that they are on [m]. 0: of
  /// two bodies, which act where they overlap.
  double shell = 0;
};

/// One maximal part of the step in which the pair penetrates.
struct PenetrationInterval {
  double start = 0, end = 0;  ///< step fractions
  bool entered = false;       ///< began at a root (or at t = 0 from outside) and not from memory
  int side = 1;
  double weights[4] = {};      ///< at entry
  double meanTime = 0;         ///< t̄ = ∫ t G dt / ∫ G dt
  double meanWeights[4] = {};  ///< at t̄, unclamped
  Vec3 impulseClosed,
      impulseExact;     ///< on A (vertex, first edge) [N·s]; the exact one only where it was asked for
  double depthMax = 0;  ///< of 5 samples and the mean time [m]
  double depthStart = 0, depthEnd = 0;  ///< of a pair of one surface [m]
};

/// The result of a PairPath. It holds no PairMotion: to compute that again costs less than to load it.
struct PairImpulse {
  int intervalCount = 0;
  PenetrationInterval intervals[2];
  bool activeAtEnd = false;
  int endSide = 1;
  double endWeights[4] = {};
  Vec3 endImpulse =
      Vec3(0, 0, 0);    ///< DPF on tracked features: −h k G(1) m(1) / |m(1)|² if active at the end [N·s]
  double endDepth = 0;  ///< depth at t = 1 if active then [m]
  bool fellBack = false;  ///< quadrature was asked for, but the normal nearly vanishes: closed form used
  double turning = 1;  ///< max |m| / min |m| over samples of the step; the closed form errs when it is large

  /// That of a pair that does nothing. What intervals hold beyond their count is left as it is, but for
  /// truth values: they are copied with it, and not every byte is one.
  TS_HD void clear() {
    intervalCount = 0;
    intervals[0].entered = intervals[1].entered = false;
    activeAtEnd = fellBack = false;
    endSide = 1;
    for (int k = 0; k < 4; ++k) endWeights[k] = 0;
    endImpulse = Vec3(0, 0, 0);
    endDepth = 0;
    turning = 1;
  }
};

TS_HD inline PairMotion motionOf(const PairPath& input) {
  return input.kind == FeaturePairKind::VertexPlane
             ? planeMotion(input.x0[0], input.x1[0], input.planeNormal, input.planeOffset)
             : motionOf(input.kind, input.x0, input.x1);
}

/// No sign change in [0, 1], cheaply: all Bernstein coefficients of G on one side of zero.
TS_HD inline bool cannotCross(const PairMotion& motion) {
  const Cubic& g = motion.gap;
  const double b0 = g.c[0], b1 = b0 + g.c[1] / 3, b2 = b0 + (2 * g.c[1] + g.c[2]) / 3, b3 = motion.gapEnd;
  return (b0 > 0 && b1 > 0 && b2 > 0 && b3 > 0) || (b0 < 0 && b1 < 0 && b2 < 0 && b3 < 0);
}

/// Memory holds the pair, and it still penetrates.
TS_HD inline bool isActiveAtStart(bool tracked, int side, const PairMotion& motion) {
  return tracked && side * motion.gap.c[0] < 0;
}

/// Depth [m] of the pair at time t on side s: max(0, −s G / |m|). Tang 2012, eq. 4, prints the gap
/// n·(p − q) = G / |m| itself, which is negative inside: its force would push p further in.
TS_HD inline double depthAt(const PairMotion& motion, int side, double t) {
  const double length = motion.kind == FeaturePairKind::VertexPlane ? 1 : motion.m(t).norm();
  const double gap = length > 0 ? side * motion.gap(t) / length : 0;
  return gap < 0 ? -gap : 0;
}

/// ∫ t^power G(t) dt over [start, end].
TS_HD inline double gapMoment(const Cubic& gap, int power, double start, double end) {
  double sum = 0, a = 1, b = 1;
  for (int k = 0; k < power; ++k) a *= start, b *= end;
  for (int k = 0; k < 4; ++k) {
    a *= start;
    b *= end;
    sum += gap.c[k] * (b - a) / (k + 1 + power);
  }
  return sum;
}

/// Closed-form impulse on A over one interval, of a vertex and a face (Tang 2012, eq. 12) or of two edges
/// (Tang 2012, eq. 16), with constant L_k, the sign of depthAt() and the factor h. The degree-6 polynomial of
/// the supplement, with its errors mended:
///
///     I = −(h k / L_k²) ∫ G(t) m(t) dt = −(h k / L_k²) Σ_j P_j (t_b^{j+1} − t_a^{j+1}) / (j + 1),  P_j =
///     Σ_{i+l=j} G_i M_l
TS_HD inline Vec3 closedImpulse(const PairMotion& motion, double stiffness, double dt, double start,
                                double end) {
  const Vec3* M[3] = {&motion.m0, &motion.m1, &motion.m2};
  Vec3 sum(0, 0, 0);
  double a = 1, b = 1;
  for (int j = 0; j < 6; ++j) {
    a *= start;
    b *= end;
    Vec3 P(0, 0, 0);
    for (int l = 0; l < 3; ++l)
      if (j - l >= 0 && j - l < 4) P += motion.gap.c[j - l] * *M[l];
    sum += (b - a) / (j + 1) * P;
  }
  return -(stiffness * dt / motion.meanSquare) * sum;
}

/// ∫ G m / |m|² dt over [start, end] by the 16-point rule.
TS_HD inline Vec3 gaussIntegral(const PairMotion& motion, double start, double end) {
  Vec3 sum(0, 0, 0);
  for (int k = 0; k < kGaussPoints; ++k) {
    const GaussNode node = gaussNode(k);
    const double t = 0.5 * (start + end) + 0.5 * (end - start) * node.position;
    const Vec3 m = motion.m(t);
    sum += (0.5 * (end - start) * node.weight * motion.gap(t) / m.squaredNorm()) * m;
  }
  return sum;
}

/// Impulse with the exact unit normal, I = −h k ∫ G m / |m|² dt: bisects while the halves disagree with the
/// whole.
TS_HD inline Vec3 exactImpulse(const PairMotion& motion, double stiffness, double dt, double start,
                               double end) {
  constexpr double kTolerance = 1e-10;  // relative; what the 16-point rule reaches on nearly all motions
  constexpr int kLevels = 6;  // fewer: a normal that turns within 1/100 of the step is missed; more cost time
  struct Part {
    double start, end;
    int level;
  } stack[kLevels + 2];
  int top = 0;
  stack[top++] = {start, end, 0};
  Vec3 sum(0, 0, 0);
  while (top > 0) {
    const Part part = stack[--top];
    const double middle = 0.5 * (part.start + part.end);
    const Vec3 whole = gaussIntegral(motion, part.start, part.end);
    const Vec3 halves = gaussIntegral(motion, part.start, middle) + gaussIntegral(motion, middle, part.end);
    if (part.level >= kLevels || (whole - halves).norm() <= kTolerance * halves.norm()) {
      sum += halves;
    } else {
      stack[top++] = {part.start, middle, part.level + 1};
      stack[top++] = {middle, part.end, part.level + 1};
    }
  }
  return -(stiffness * dt) * sum;
}

namespace detail {

/// Tolerance of weights at entry. Larger: a face acts beyond its edges, by this share of its size. Smaller
/// than rounding, 1e-15: what meets a shared edge may belong to neither face and pass.
constexpr double kEntryTolerance = 1e-9;
/// (min |m| / L_k)² below which the exact normal is noise. Larger: normals that only turn fast get the closed
/// form, which errs by their turn. Smaller: an impulse has the direction of rounding.
constexpr double kVanishing = 1e-12;

TS_HD inline bool entryAllowed(const PairPath& input, const PairMotion& motion, double t, int side,
                               double weights[4]) {
  if (!weightsAt(motion, t, weights) || !areInside(input.kind, weights, kEntryTolerance)) return false;
  if (!input.testFaces) return true;
  const Vec3 normal = side * motion.m(t);
  return normal.dot(input.faceSumB) > 0 && normal.dot(input.faceSumA) < 0;
}

/// State of an interval at its beginning.
struct Entry {
  double start;
  bool entered;
  int side;
  double weights[4];
};

TS_HD inline void finishInterval(const PairPath& input, const PairMotion& motion, PairImpulse& result,
                                 const Entry& entry, double end) {
  if (result.intervalCount == 2) return;
  PenetrationInterval& interval = result.intervals[result.intervalCount++];
  const double start = entry.start;
  interval.start = start;
  interval.end = end;
  interval.entered = entry.entered;
  interval.side = entry.side;
  for (int k = 0; k < 4; ++k) interval.weights[k] = entry.weights[k];
  const double whole = gapMoment(motion.gap, 0, start, end);
  double mean = whole != 0 ? gapMoment(motion.gap, 1, start, end) / whole : 0.5 * (start + end);
  if (!(mean >= start && mean <= end)) mean = 0.5 * (start + end);
  interval.meanTime = mean;
  double weights[4];
  const bool exist = weightsAt(motion, mean, weights);
  for (int k = 0; k < 4; ++k) interval.meanWeights[k] = exist ? weights[k] : entry.weights[k];
  const Vec3 closed = closedImpulse(motion, input.stiffness, input.dt, start, end);
  interval.impulseClosed = closed;
  interval.impulseExact = input.quadrature && !result.fellBack
                              ? exactImpulse(motion, input.stiffness, input.dt, start, end)
                              : closed;
  double deepest = 0;
  for (int k = 0; k <= 4; ++k) {
    const double depth = depthAt(motion, entry.side, start + 0.25 * k * (end - start));
    deepest = depth > deepest ? depth : deepest;
  }
  const double depth = depthAt(motion, entry.side, mean);
  interval.depthMax = depth > deepest ? depth : deepest;
}

/// Largest over smallest |m| over samples of the step, and whether m nearly vanishes (the exact normal is
/// then noise).
TS_HD inline void sampleTurning(const PairMotion& motion, PairImpulse& result) {
  if (motion.kind == FeaturePairKind::VertexPlane) return;
  double smallest = 1e300, largest = 0;
  for (int k = 0; k <= 8; ++k) {
    const double square = motion.m(k / 8.0).squaredNorm();
    smallest = square < smallest ? square : smallest;
    largest = square > largest ? square : largest;
  }
  result.turning = smallest > 0 ? std::sqrt(largest / smallest) : 1e300;
  result.fellBack = smallest < kVanishing * motion.meanSquare;
}

/// Coplanar throughout: G vanishes to rounding of the pair's own size.
TS_HD inline bool isCoplanar(const PairMotion& motion) {
  if (motion.kind == FeaturePairKind::VertexPlane) return false;
  double length = 0;
  const Vec3* vectors[6] = {&motion.u0, &motion.u1, &motion.w0, &motion.w1, &motion.r0, &motion.r1};
  for (const Vec3* vector : vectors)
    for (int axis = 0; axis < 3; ++axis) length = std::fmax(length, std::fabs((*vector)[axis]));
  double largest = 0;
  for (int k = 0; k < 4; ++k) largest = std::fmax(largest, std::fabs(motion.gap.c[k]));
  return largest <= 1e-15 * length * length * length;
}

/// Begins at t = 0: an untracked pair that touches there and goes inside.
TS_HD inline bool entersAtStart(const PairPath& input, const PairMotion& motion, double weights[4]) {
  return motion.gap.c[0] == 0 && input.oneSided && signAfterZero(motion.gap) < 0 &&
         entryAllowed(input, motion, 0, 1, weights);
}

/// Begins at a root. @param sign  of G before it: the side from which it comes
TS_HD inline bool entersAt(const PairPath& input, const PairMotion& motion, double root, int sign,
                           double weights[4]) {
  return !(input.oneSided && sign < 0) && entryAllowed(input, motion, root, sign, weights);
}

/// The rest of an interval that the step does not end.
TS_HD inline void staysActive(const PairPath& input, const PairMotion& motion, const Entry& entry,
                              PairImpulse& result) {
  result.activeAtEnd = true;
  result.endSide = entry.side;
  for (int k = 0; k < 4; ++k) result.endWeights[k] = entry.weights[k];
  result.endDepth = depthAt(motion, entry.side, 1);
  const Vec3 m = motion.m(1);
  const double square = motion.kind == FeaturePairKind::VertexPlane ? 1 : m.squaredNorm();
  if (square > 0) result.endImpulse = -(input.stiffness * input.dt * motion.gap(1) / square) * m;
}

/// Action of a pair of one surface along the normal at the start of the path, between the points that are
/// nearest there.
struct ShellContact {
  int side = 1;
  Vec3 normal;  ///< unit, towards A
  double start = 0,
         end = 0;  ///< T − gap along the normal at both ends of the path; it acts if one is > 0 [m]
  double weights[4] = {};
  TS_HD bool acts() const { return start > 0 || end > 0; }
};

/// Finds that of features that lie over each other at the start, and of a vertex beside a triangle with the
/// nearest point of its rim. A pair of memory keeps its side, so that one that has gone through is brought
/// back.
TS_HD inline ShellContact nearShell(const PairPath& input, const PairMotion& motion) {
  ShellContact contact;
  const bool isFace = input.kind == FeaturePairKind::VertexFace;
  double* w = contact.weights;
  contact.side = input.tracked ? input.side : motion.gap.c[0] > 0 ? 1 : -1;
  const bool isOver = weightsAt(motion, 0, w) && areInside(input.kind, w, kEntryTolerance);
  if (!isOver && !isFace) return contact;
  if (!isOver) {
    const Vec3 nearest = closestOnTriangle(input.x0[0], input.x0[1], input.x0[2], input.x0[3]);
    for (int k = 0; k < 3; ++k) w[k] = nearest[k];
    contact.side = motion.gap.c[0] > 0 ? 1 : -1;
  }
  if (isFace && input.oneSided && contact.side < 0) return contact;
  const auto apart = [&](const Vec3* x) {
    return isFace ? Vec3(x[0] - (w[0] * x[1] + w[1] * x[2] + w[2] * x[3]))
                  : Vec3(w[0] * x[0] + w[1] * x[1] - (w[2] * x[2] + w[3] * x[3]));
  };
  const Vec3 direction = isOver ? Vec3(contact.side * motion.m(0)) : apart(input.x0);
  const double length = direction.norm();
  if (!(length > 0)) return contact;
  contact.normal = direction / length;
  contact.start = input.shell - contact.normal.dot(apart(input.x0));
  contact.end = input.shell - contact.normal.dot(apart(input.x1));
  return contact;
}

/// Finds that of features that go through each other on the path and do not lie over each other at its start.
TS_HD inline ShellContact crossingShell(const PairPath& input, const PairMotion& motion) {
  ShellContact contact;
  if (cannotCross(motion)) return contact;
  double roots[3];
  const int rootCount = signChanges(motion.gap, motion.gapEnd, roots);
  int sign = signAfterZero(motion.gap);
  for (int root = 0; root < rootCount; ++root, sign = -sign) {
    if (!entersAt(input, motion, roots[root], sign, contact.weights)) continue;
    const Vec3 m = sign * motion.m(roots[root]);
    const double lengths[2] = {motion.m(0).norm(), motion.m(1).norm()};
    if (!(m.norm() > 0) || !(lengths[0] > 0) || !(lengths[1] > 0)) continue;
    contact.side = sign;
    contact.normal = m.normalized();
    contact.start = input.shell - sign * motion.gap.c[0] / lengths[0];
    contact.end = input.shell - sign * motion.gapEnd / lengths[1];
    return contact;
  }
  return contact;
}

TS_HD inline ShellContact shellContact(const PairPath& input, const PairMotion& motion) {
  const ShellContact contact = nearShell(input, motion);
  return contact.acts() ? contact : crossingShell(input, motion);
}

/// evaluatePair() of features of one surface: a spring pushes them apart where they are closer than the shell
/// is thick. Their depth changes in proportion to time:
///
///     I = h k (d_a + d_b)/2 (t_b − t_a) n
TS_HD inline void evaluateShell(const PairPath& input, const PairMotion& motion, PairImpulse& result) {
  const ShellContact contact = shellContact(input, motion);
  if (!contact.acts()) return;
  const double crossing = contact.start / (contact.start - contact.end);
  const double start = contact.start > 0 ? 0 : crossing, end = contact.end > 0 ? 1 : crossing;
  const double first = std::fmax(0.0, contact.start), last = std::fmax(0.0, contact.end);
  sampleTurning(motion, result);
  PenetrationInterval& interval = result.intervals[result.intervalCount++];
  interval.start = start;
  interval.end = end;
  interval.entered = !input.tracked || !(contact.start > 0);
  interval.side = contact.side;
  interval.meanTime = start + (end - start) * (first + 2 * last) / (3 * (first + last));
  for (int k = 0; k < 4; ++k)
    interval.weights[k] = interval.meanWeights[k] = result.endWeights[k] = contact.weights[k];
  interval.impulseClosed = interval.impulseExact =
      (input.dt * input.stiffness * 0.5 * (first + last) * (end - start)) * contact.normal;
  interval.depthMax = std::fmax(first, last);
  interval.depthStart = first;
  interval.depthEnd = last;
  if (!(contact.end > 0)) return;
  result.activeAtEnd = true;
  result.endSide = contact.side;
  result.endDepth = contact.end;
  result.endImpulse = (input.dt * input.stiffness * contact.end) * contact.normal;
}

}  // namespace detail

/// True if evaluatePair() gives anything: an interval, or a pair that stays in memory. Costs the roots and
/// the tests of entry.
TS_HD inline bool touches(const PairPath& input) {
  const PairMotion motion = motionOf(input);
  if (input.shell > 0) return detail::shellContact(input, motion).acts();
  const bool active = isActiveAtStart(input.tracked, input.side, motion);
  if (!active && cannotCross(motion)) return false;
  if (!(motion.meanSquare > 0)) return false;
  if (active || detail::isCoplanar(motion)) return active;
  double weights[4], roots[3];
  if (detail::entersAtStart(input, motion, weights)) return true;
  const int rootCount = signChanges(motion.gap, motion.gapEnd, roots);
  int sign = signAfterZero(motion.gap);
  for (int root = 0; root < rootCount; ++root, sign = -sign)
    if (detail::entersAt(input, motion, roots[root], sign, weights)) return true;
  return false;
}

/// Runs the state machine of a pair over its path: sign changes of G, penetration intervals with their own
/// side and weights, impulses, and the memory after it (Tang 2012, section 3.2).
///
/// At t = 0 the pair is active if memory holds it and it still penetrates. At a sign change an active pair
/// ends; an inactive one begins if it comes from an allowed side and the weights are inside both features. At
/// t = 1 an active pair stays in memory. A pair that starts behind its face without memory is no contact.
/// @param result  out; written in place, since it is large
TS_HD inline void evaluatePair(const PairPath& input, PairImpulse& result) {
  result.clear();
  const PairMotion motion = motionOf(input);
  if (input.shell > 0) return detail::evaluateShell(input, motion, result);
  const Cubic& gap = motion.gap;
  bool active = isActiveAtStart(input.tracked, input.side, motion);
  if (!active && cannotCross(motion)) return;
  if (!(motion.meanSquare > 0)) return;
  if (detail::isCoplanar(motion)) {  // slides in its plane: no event, the state is kept
    result.activeAtEnd = active;
    result.endSide = input.side;
    for (int k = 0; k < 4; ++k) result.endWeights[k] = input.weights[k];
    return;
  }
  detail::sampleTurning(motion, result);

  detail::Entry entry{0, false, input.side, {0, 0, 0, 0}};
  if (active) {
    for (int k = 0; k < 4; ++k) entry.weights[k] = input.weights[k];
  } else if (detail::entersAtStart(input, motion, entry.weights)) {
    active = true;
    entry.entered = true;
    entry.side = 1;
  }
  double roots[3];
  const int rootCount = signChanges(gap, motion.gapEnd, roots);
  int sign = signAfterZero(gap);
  for (int root = 0; root <= rootCount; ++root) {  // the last: the end of the step
    if (active) {
      detail::finishInterval(input, motion, result, entry, root < rootCount ? roots[root] : 1);
      active = root == rootCount;
    } else if (root < rootCount && detail::entersAt(input, motion, roots[root], sign, entry.weights)) {
      active = true;
      entry.start = roots[root];
      entry.entered = true;
      entry.side = sign;
    }
    sign = -sign;
  }
  if (active) detail::staysActive(input, motion, entry, result);
}

/// evaluatePair() of features that are known to meet on side `input.side`: the pair penetrates wherever its
/// gap is negative there, from a time of the step on. Neither the place of the entry nor memory matters.
TS_HD inline void evaluatePairFrom(const PairPath& input, double start, PairImpulse& result) {
  result.clear();
  const PairMotion motion = motionOf(input);
  if (!(motion.meanSquare > 0) || detail::isCoplanar(motion)) return;
  detail::sampleTurning(motion, result);
  double roots[3];
  const int rootCount = signChanges(motion.gap, motion.gapEnd, roots);
  int sign = signAfterZero(motion.gap);
  detail::Entry entry{start, false, input.side, {0, 0, 0, 0}};
  bool active = false;
  for (int root = 0; root <= rootCount; ++root, sign = -sign) {
    const double end = root < rootCount ? roots[root] : 1;
    if (end <= start && root < rootCount) continue;
    active = input.side * sign < 0;
    if (active) {
      entry.entered = entry.start > start || !input.tracked;
      weightsAt(motion, entry.start, entry.weights);
      detail::finishInterval(input, motion, result, entry, end);
    }
    entry.start = end;
  }
  if (active) detail::staysActive(input, motion, entry, result);
}

TS_HD inline PairImpulse evaluatePair(const PairPath& input) {
  PairImpulse result;
  evaluatePair(input, result);
  return result;
}

}  // namespace touchstone
