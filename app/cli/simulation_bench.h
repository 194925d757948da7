#pragma once

#include <string>
#include <vector>

#include "core/contact/contact_method.h"

namespace touchstone::cli {

struct BenchRow {
  std::string name, unit;
  double value;
};

struct BenchGroups {
  bool piles = false, worlds = false, sets = false, overlaps = false, pcr = false;
};

/// What a backend does: piles of 100, 1000 and 10 000 boxes in contact (steps per second of states
/// alone and with contacts and Referee, time by phase, launches per step), many worlds at once, constraint
/// sets and overlaps of 10 000 boxes, and conjugate residuals against the speed of the memory.
std::vector<BenchRow> measureBackend(BackendKind backend, const BenchGroups& groups);

}  // namespace touchstone::cli
