#pragma once

#include "core/solver/rows/unit_match.h"

namespace touchstone {

/// Units of the last step that a block starts from.
struct UnitsBefore {
  int first, count;
};

/// Input and output of writing the rows of a step. Blocks lie in the order of the sweeps.
struct RowWriting {
  RowArrays to;
  int blockCount;
  const int* running;         ///< [islands] those whose impulses start
  bool ofAll;                 ///< rows of the other islands are written as well
  const UnitsBefore* before;  ///< [blockCount]
  const RowKey* keysBefore;
  const Vec3* impulsesBefore;  ///< on B [N·s]
  const UnitPlace* placesBefore;
  RowKey* keys;  ///< [units]
  double* z;     ///< [rows] the start
};

/// Who writes blocks of a table: the contacts of a step, its joints, … Solvers know no kinds, and kinds no
/// solvers.
template <class Backend>
class ConstraintKind {
 public:
  virtual ~ConstraintKind() = default;
  /// Numbers of its items in this step.
  virtual RowCounts counts() const = 0;
  /// Writes blocks, their carriers and their units, whose blocks count from `first`.
  virtual void writeStructure(const Backend& backend, const RowCounts& first, const RowArrays& to) const = 0;
  /// Writes rows, gradients and start of its blocks, wherever these lie now.
  virtual void writeRows(const Backend& backend, const RowWriting& writing) = 0;
};

}  // namespace touchstone
