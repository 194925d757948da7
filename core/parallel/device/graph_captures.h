#pragma once

#include <string>

namespace touchstone {

/// How often the program has captured a launch graph (LaunchGraph), and how often a driver has refused to.
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
