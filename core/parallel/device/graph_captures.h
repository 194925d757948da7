#pragma once

#include <string>

namespace touchstone {

/// Counts of captured launch graphs (LaunchGraph), and of captures that a driver refused.
struct GraphCaptures {
  long taken = 0;
  long refused = 0;    ///< by a driver; the loops are then launched one by one, which is slower but gives the
                       ///< same results
  std::string reason;  ///< of the first refusal
};
GraphCaptures graphCaptures();

// Called by backends; thread-safe.
void noteGraphCapture();
void noteRefusedGraphCapture(const std::string& reason);

}  // namespace touchstone
