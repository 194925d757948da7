#pragma once

#include <string>
#include <vector>

#include "core/contact/contact_method.h"

namespace touchstone::cli {

struct BenchRow {
  std::string name, unit;
  double value;
};

/// A method's steps on a backend: piles of 100, 1000 and 10 000 boxes in contact (steps per second without
/// the Referee, time by phase, launches per step), broad phase alone, and many worlds at once.
/// @param wanted  true for the groups of rows to measure: "pile", "worlds"
std::vector<BenchRow> measureBackend(BackendKind backend, bool piles, bool worlds);

}  // namespace touchstone::cli
