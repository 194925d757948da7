#pragma once

#include <cmath>

#include "core/math/host_device.h"
#include "core/solver/rows/friction_disk.h"

namespace touchstone {

/// Functions φ(y, v) that are 0 where 0 ≤ y ⊥ v ≥ 0, and nowhere else.
enum class NcpFunction { FischerBurmeister, MinimumMap };

/// φ and its generalised derivatives ∂φ/∂y, ∂φ/∂v.
struct NcpValue {
  double value, dy, dv;
};

/// Fischer–Burmeister in the sign y + v − √(y² + v²), without cancellation (Macklin 2019, appendix A).
/// At (0, 0) both derivatives are 1 − 1/√2, the symmetric element of the generalised Jacobian. The paper's
/// choice ∂φ/∂y = 1, ∂φ/∂v = 0 (Macklin 2019, eqs. 26 and 27) opens all contacts of bodies that rest.
TS_HD inline NcpValue fischerBurmeister(double y, double v) {
  constexpr double kAtZero = 0.29289321881345254;  // 1 − 1/√2
  // A root rounds alike on every backend, which hypot() does not; where squares underflow there is nothing to
  // gain.
  const double s = std::sqrt(y * y + v * v);
  if (s == 0) return {0, kAtZero, kAtZero};
  const double value = y + v > 0 ? 2 * y * v / (y + v + s) : y + v - s;
  const double dy = y > 0 ? v * v / (s * (s + y)) : 1 - y / s;
  const double dv = v > 0 ? y * y / (s * (s + v)) : 1 - v / s;
  return {value, dy, dv};
}

/// min(y, v). Ties belong to the active side (Macklin 2019, appendix A): touching bodies at rest stay in
/// contact.
TS_HD inline NcpValue minimumMap(double y, double v) {
  return v <= y ? NcpValue{v, 0, 1} : NcpValue{y, 1, 0};
}

TS_HD inline NcpValue ncpValue(NcpFunction function, double y, double v) {
  return function == NcpFunction::FischerBurmeister ? fischerBurmeister(y, v) : minimumMap(y, v);
}

/// Friction of one contact as Newton's method sees it, in units in which r = 1: F = y − proj(p) with
/// p = y − v, onto |y| ≤ L with L held (Alart and Curnier 1991). Where it slips, the rows are turned so that
/// the first lies along p: then no derivative couples the two, and divided by ∂F/∂v both keep the matrix
/// symmetric.
///
///     |p| ≤ L:     F = v                                             no slip
///     |p| > L:     along   F = y_1 − L              ∂/∂y 1           its unknown is L whatever v
///                  across  F = y_2   ∂/∂y 1 − L/|p|, ∂/∂v L/|p|
///     L ≤ 0:       F = y                                             (Macklin 2019, eq. 106)
///
/// Of L = μ p_n the derivative along is left out: it alone is not symmetric.
struct DiskRows {
  double x, y;  ///< unit vector of the first row; the second is (−y, x)
  NcpValue along, across;
};

TS_HD inline DiskRows diskRows(double limit, double y1, double y2, double v1, double v2) {
  const double p1 = y1 - v1, p2 = y2 - v2, length = lengthOf(p1, p2);
  if (length <= limit) return {1, 0, {v1, 0, 1}, {v2, 0, 1}};
  if (!(limit > 0)) return {1, 0, {y1, 1, 0}, {y2, 1, 0}};
  const double x = p1 / length, y = p2 / length, share = limit / length;
  return {x, y, {x * y1 + y * y2 - limit, 1, 0}, {x * y2 - y * y1, 1 - share, share}};
}

/// |F|² of the rows of a disk with this limit.
TS_HD inline double diskMerit(double limit, double y1, double y2, double v1, double v2) {
  double x = y1 - v1, y = y2 - v2;
  projectOnDisk(limit, x, y);
  return (y1 - x) * (y1 - x) + (y2 - y) * (y2 - y);
}

/// The search of Newton's method along a direction, and its end; on any backend.
namespace newton {

constexpr double kDecoupled = 1e-16;  ///< rows with ∂φ/∂v below this × ∂φ/∂y fix their own unknown
constexpr double kOpen = 1e-7;        ///< the same of rows that are written again at each iterate
constexpr int kPatience = 20;         ///< iterations …
constexpr double kProgress = 0.9;     ///< … within which the least merit must fall by this factor

/// Progress of the merits of iterates, which also increase on their way.
struct Progress {
  double least = -1;  ///< when it last fell far enough; −1: none yet
  int sinceThen = 0;  ///< iterates
  TS_HD void note(double merit) {
    const bool falls = least < 0 || merit < kProgress * least;
    if (falls) least = merit;
    sinceThen = falls ? 0 : sinceThen + 1;
  }
  TS_HD bool hasStalled() const { return sinceThen >= kPatience; }
};

/// Relative residual of iterative linear solvers. Where derivatives are left out (friction, sets) a smaller
/// one costs iterations and gains none outside. A larger one leaves its share of the residual after each
/// step.
constexpr double kLinearTolerance = 1e-6, kSymmetrisedLinearTolerance = 1e-4;
/// Share of the allowed residual that the linear solver may leave. Where contacts are redundant less of it is
/// rounding of gaps, which the shift below turns into drift along the null space; friction's limits would
/// follow without end.
constexpr double kLinearShare = 0.1;
/// Added to A, whose diagonal is 1: redundant contacts leave it singular, and a direction without bounds in
/// its null space; at rest, where the right side is rounding, as well. Larger: each step leaves about as much
/// of the residual. Smaller: what redundant contacts cancel among themselves is rounding / kShift.
constexpr double kShift = 1e-8;
/// No direction need descend: a search that insists on it stalls where rows are redundant or derivatives are
/// left out. The first of the steps 1, ½, ¼ and ⅛ that does not raise the merit is taken, else kBlindStep,
/// but where the whole step would raise it by more than kMostRise the first of ½, …, 1/32 that does not. With
/// 1 for kBlindStep some problems cycle; a smaller one leaves more of the residual.
constexpr int kFallingSteps = 4, kTriedSteps = 6;
constexpr double kBlindStep = 0.75, kMostRise = 1e4;
/// Share of a step on rows that are written again, where nothing else is asked for (Macklin 2019).
constexpr double kUsualShare = 0.75;

/// @param merits  [kTriedSteps] at the steps 1, ½, …, or their multiple by the same factor as `before`
TS_HD inline double stepThatMayRise(const double* merits, double before) {
  double step = 1;
  for (int k = 0; k < kFallingSteps; ++k, step *= 0.5)
    if (merits[k] <= before) return step;
  if (merits[0] <= kMostRise * before) return kBlindStep;
  step = 0.5;
  for (int k = 1; k + 1 < kTriedSteps && !(merits[k] <= kMostRise * before); ++k) step *= 0.5;
  return step;
}

}  // namespace newton

}  // namespace touchstone
