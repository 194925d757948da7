#pragma once

#include <string>

namespace touchstone {

/// What has become of the sequences of loops that devices learn by heart (LaunchGraph), in the whole
/// program so far.
struct Recordings {
  long taken = 0;
  long refused = 0;    ///< by a driver: these launch each loop by itself, which is slower and nothing else
  std::string reason;  ///< of the first refusal
};
Recordings recordings();

// For backends; from any thread.
void noteRecording();
void noteRefusedRecording(const std::string& reason);

}  // namespace touchstone
