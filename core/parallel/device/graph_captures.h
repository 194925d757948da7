#pragma once

#include <string>

namespace touchstone {

/// How often the program has captured a launch graph (LaunchGraph), and how often a driver has refused to.
struct GraphCaptures {
  long taken = 0;
  long refused = 0;    ///< by a driver: these launch each loop by itself, which is slower and nothing else
  std::string reason;  ///< of the first refusal
};
GraphCaptures graphCaptures();

// For backends; from any thread.
void noteGraphCapture();
void noteRefusedGraphCapture(const std::string& reason);

}  // namespace touchstone
