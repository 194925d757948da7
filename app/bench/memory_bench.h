#pragma once

#include <string>
#include <vector>

namespace touchstone::cli {

/// Memory of one pane in addition to the scene, which all panes share.
struct MemoryRow {
  std::string name;  ///< "memory/per contact/lcp"
  double bytes = 0;  ///< peak of the process during the steps, per contact or surface triangle
};

/// Memory under every method: per contact, from 3200 boxes that touch compared with the same boxes apart; per
/// triangle, from finely tessellated spheres in free fall. Measured by the high-water mark of the process.
/// Empty if the system does not provide it.
std::vector<MemoryRow> measureMemory();

/// Memory of a pane of 1000 boxes in contact under every method, from the 3200 boxes that touch. Empty if the
/// system does not provide it.
std::vector<MemoryRow> measureMemoryOfBoxes();

}  // namespace touchstone::cli
