#pragma once

#include <string>
#include <vector>

namespace touchstone::cli {

/// Memory that one pane needs beyond the scene, which all panes share.
struct MemoryRow {
  std::string name;  ///< "memory/contact/lcp"
  double bytes = 0;  ///< of the process at its highest during the steps, per contact or surface triangle
};

/// Runs a field of 800 boxes at rest (for contacts) and one of finely tessellated spheres in free fall (for
/// triangles) under every method, and reads the process's high-water mark. Empty where the system does not
/// tell it.
std::vector<MemoryRow> measureMemory();

}  // namespace touchstone::cli
