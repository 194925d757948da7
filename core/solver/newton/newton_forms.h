#pragma once

#include "core/solver/newton/linearise.h"
#include "core/solver/rows/rewriting.h"

namespace touchstone {

/// W̃ = W/r of the published friction in units in which r = 1, so that v + W̃ y = 0 at the next iterate
/// (Macklin 2019, eqs. 35, 99, 101, 102, 104 and 105, corrected): 0 sticks.
/// @param slip  |v|   @param impulse  |y|   @param limit  of |y|, > 0
TS_HD inline double frictionWeight(NcpFunction function, double slip, double impulse, double limit) {
  const double remainder = limit - impulse;
  if (function == NcpFunction::MinimumMap) return slip <= remainder ? 0 : (slip - remainder) / limit;
  const double root = std::sqrt(slip * slip + remainder * remainder);
  if (root == 0) return slip == 0 && impulse == 0 ? 0 : 1;
  const double above = remainder > 0 ? slip * slip / (root + remainder) : root - remainder;
  double below = slip + limit - root;
  // Far beyond its limit an impulse would get a weight of the wrong sign.
  const double least = 1e-9 * limit;
  if (below < least) below = least;
  return above / below;
}

/// Equations of rows that are written once.
struct FixedForms {
  NcpFunction function;
  static constexpr bool kAreRewritten = false;

  TS_HD NcpValue ncp(double y, double v) const { return ncpValue(function, y, v); }
  TS_HD DiskRows disk(double limit, double y1, double y2, double v1, double v2) const {
    return diskRows(limit, y1, y2, v1, v2);
  }
  TS_HD double merit(const DiskRows&, double limit, double y1, double y2, double v1, double v2) const {
    return diskMerit(limit, y1, y2, v1, v2);
  }
};

/// Equations of rows that are written again.
struct RewrittenForms {
  EquationForms forms;
  double h;  ///< length of the step [s]
  static constexpr bool kAreRewritten = true;

  TS_HD NcpValue ncp(double y, double v) const {
    if (forms.function == NcpFunction::FischerBurmeister && y == 0 && v == 0)
      return forms.isTouchingClosed ? NcpValue{0, 0, 1} : NcpValue{0, 1, 0};
    return ncpValue(forms.function, y, v);
  }
  TS_HD DiskRows disk(double limit, double y1, double y2, double v1, double v2) const {
    // Also where nothing slips: at rest, before contacts carry, no impulse may hold (Macklin 2019, eq. 106).
    if (!(limit > 0)) return {1, 0, {y1, 1, 0}, {y2, 1, 0}};
    if (forms.friction != FrictionForm::W) return diskRows(limit, y1, y2, v1, v2);
    const double weight = frictionWeight(forms.function, lengthOf(v1, v2), lengthOf(y1, y2), limit);
    return {1, 0, {v1 + weight * y1, weight, 1}, {v2 + weight * y2, weight, 1}};
  }
  TS_HD double merit(const DiskRows& rows, double, double, double, double, double) const {
    return rows.along.value * rows.along.value + rows.across.value * rows.across.value;
  }
  /// r that the equations use. @param r  of residuals: A_ii, diskScale()
  TS_HD double scaleOf(RowLaw law, double r) const {
    if (forms.scaling == RowScaling::Mass || (law != RowLaw::Unilateral && law != RowLaw::Disk)) return r;
    if (forms.scaling == RowScaling::H2) return 1;
    return law == RowLaw::Disk ? 1 / h : 1 / (h * h);
  }
};

}  // namespace touchstone
