#pragma once

#include <vector>

#include "core/solver/rows/host_table.h"

namespace touchstone {

/// The rows of a step as they were solved, of every kind.
struct RowsDetail {
  HostTable table;               ///< with the velocities of the answer
  std::vector<double> impulses;  ///< z [rows]
  std::vector<RowKey> keys;      ///< [units] of contacts; {0, 0, 0, 0} of others
  std::vector<int> slots;        ///< [rows] of joints JointConstraint::Slot, else −1
};

}  // namespace touchstone
