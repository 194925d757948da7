#pragma once

#include "core/solver/rows/law.h"
#include "core/solver/rows/ncp_function.h"

namespace touchstone {

/// φ of a row that belongs to no disk, and its derivatives, in units in which r = 1.
/// @param y, v  impulse and rate in these units; of a Maximum the largest of its rates
/// @param forms  FixedForms, …   @param root  √r: y = √r z
template <class Forms>
TS_HD NcpValue linearise(const Row& row, const Forms& forms, double root, double y, double v) {
  switch (row.law) {
    case RowLaw::Free:
      return {v, 0, 1};
    case RowLaw::Unilateral:
    case RowLaw::Maximum:
      return forms.ncp(y, v);
    default:
      break;
  }
  const RowInterval allowed = intervalOf(row);
  const double lower = root * allowed.lower, upper = root * allowed.upper;
  if (lower == upper) return {y - upper, 1, 0};
  if (y - v < lower) return {y - lower, 1, 0};
  if (y - v > upper) return {y - upper, 1, 0};
  return {v, 0, 1};
}

}  // namespace touchstone
