#pragma once

#include <string>
#include <vector>

namespace touchstone::cli {

/// Memory that one pane needs beyond the scene, which all panes share.
struct MemoryRow {
  std::string name;  ///< "memory/per contact/lcp"
  double bytes = 0;  ///< of the process at its highest during the steps, per contact or surface triangle
};

/// Under every method: what 3200 boxes that touch need beyond the same boxes apart, per contact, and what
/// finely tessellated spheres in free fall need, per triangle; from the process's high-water mark. Empty
/// where the system does not tell it.
std::vector<MemoryRow> measureMemory();

}  // namespace touchstone::cli
