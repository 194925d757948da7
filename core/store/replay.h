#pragma once

#include <functional>
#include <optional>
#include <string>

#include "core/store/recording.h"

namespace touchstone {

/// First difference between a run and its recording.
struct ReplayDifference {
  long frame;
  std::string pane;   ///< label
  std::string array;  ///< "position of body 'cube 3'", "quantity energy_total"
  double largest;     ///< absolute difference, in the array's unit
};

struct ReplayResult {
  long frames = 0;  ///< compared frames, over all panes
  std::optional<ReplayDifference> first;
  std::string missing;  ///< what the recording should contain and does not, or the reverse; empty: nothing
};

/// Runs the recorded commands again from the start and compares every state and every quantity except times,
/// bit for bit. Stops at the first difference, and at the first frame of a pane that only one side has.
/// @param progress  called with the completed share
ReplayResult replay(const Recording& recording, const std::function<void(double)>& progress = nullptr);

}  // namespace touchstone
