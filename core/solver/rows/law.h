#pragma once

#include <cmath>

#include "core/solver/rows/friction_disk.h"
#include "core/solver/rows/row.h"

namespace touchstone {

/// Interval of the impulses that a law allows.
struct RowInterval {
  double lower, upper;
};

/// The interval of every law but Disk, whose bound depends on its leader.
TS_HD inline RowInterval intervalOf(const Row& row) {
  switch (row.law) {
    case RowLaw::Free:
      return {-HUGE_VAL, HUGE_VAL};
    case RowLaw::Symmetric:
      return {-row.bound, row.bound};
    case RowLaw::Fixed:
      return {row.bound, row.bound};
    case RowLaw::Member:
      return {0, 0};
    default:
      return {0, HUGE_VAL};
  }
}

/// The impulse of the row's interval that is nearest to z.
TS_HD inline double projected(const Row& row, double z) {
  const RowInterval allowed = intervalOf(row);
  return z > allowed.lower ? (z < allowed.upper ? z : allowed.upper) : allowed.lower;
}

/// Largest |β| of the rows of a disk. @param normal  impulse of their leader
TS_HD inline double diskLimit(const Row& disk, double normal) { return normal > 0 ? disk.bound * normal : 0; }

/// True if a row begins a disk of two rows. @param row, count  of the unit
TS_HD inline bool isDiskOfTwo(const Row* rows, int row, int count) {
  return row + 1 < count && rows[row + 1].law == RowLaw::Disk && rows[row + 1].leader == rows[row].leader + 1;
}

/// Brings the impulses of a unit to where their laws allow them: none pulls, friction stays within its disk.
/// @param rows, z  [count] of the unit
TS_HD inline void allow(const Row* rows, int count, double* z) {
  for (int row = 0; row < count; ++row) {
    if (rows[row].law != RowLaw::Disk) {
      z[row] = projected(rows[row], z[row]);
      continue;
    }
    const bool two = isDiskOfTwo(rows, row, count);
    double none = 0;
    projectOnDisk(diskLimit(rows[row], z[row - rows[row].leader]), z[row], two ? z[row + 1] : none);
    row += two;
  }
}

/// Calls use(row, failure) for each row of a unit, and once for each disk at its first row:
///
///     f = r |z − proj_law(z − w/r)|,   of a Maximum with the largest w of its own and its Members'
///
/// Members and transient rows do not fail.
/// @param rows, z, w, r  [count] of the unit   @param inverse  [count] 1/r
template <class Use>
TS_HD void eachFailure(const Row* rows, int count, const double* z, const double* w, const double* r,
                       const double* inverse, const Use& use) {
  for (int row = 0; row < count; ++row) {
    if (rows[row].law == RowLaw::Member || (rows[row].flags & kTransient)) continue;
    if (rows[row].law == RowLaw::Disk) {
      const bool two = isDiskOfTwo(rows, row, count);
      const double limit = diskLimit(rows[row], z[row - rows[row].leader]);
      double x = z[row] - inverse[row] * w[row], y = two ? z[row + 1] - inverse[row] * w[row + 1] : 0;
      projectOnDisk(limit, x, y);
      use(row, r[row] * lengthOf(z[row] - x, two ? z[row + 1] - y : 0));
      row += two;
      continue;
    }
    double rate = w[row];
    for (int member = row + 1; rows[row].law == RowLaw::Maximum && member < count; ++member)
      if (rows[member].law == RowLaw::Member && (w[member] > rate || w[member] != w[member]))
        rate = w[member];
    const RowInterval allowed = intervalOf(rows[row]);
    // r |z − clamp(z − w/r)| without the difference of nearly equal numbers
    const double low = r[row] * (z[row] - allowed.lower), high = r[row] * (z[row] - allowed.upper);
    // Both comparisons with a z that is no number are false; the product keeps it.
    const double failure = rate > low ? low : rate < high ? high : rate + 0 * z[row];
    use(row, std::fabs(failure));
  }
}

}  // namespace touchstone
