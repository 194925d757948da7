#pragma once

#include <map>
#include <vector>

#include "core/run/command.h"

namespace touchstone {

/// Settings of a pane from a frame on, until its next span begins.
struct SettingsSpan {
  long after = -1;  ///< the first frame under these settings is the next one
  PaneSettings settings;
  double dt = 0;  ///< frame length [s]
};

/// Spans by pane id, of all panes that a branch has or had, in the order of time: who computed which frame. A
/// change of the backend alone (PaneSettings::backend) begins no span.
std::map<int, std::vector<SettingsSpan>> settingsSpans(const command::SetAll& start,
                                                       const std::vector<LoggedCommand>& log);

/// Ids of the panes that a log leaves, by place.
std::vector<int> paneIds(const command::SetAll& start, const std::vector<LoggedCommand>& log);

/// The span that a frame was computed under, of at least one.
const SettingsSpan& spanAt(const std::vector<SettingsSpan>& spans, long frame);

}  // namespace touchstone
