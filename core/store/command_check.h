#pragma once

#include <string>
#include <vector>

#include "core/run/command.h"

namespace touchstone {

/// Why these panes cannot run the scene, or empty: a frame length, ids that differ, settings that none
/// refuses.
std::string problemOf(const Scene& scene, const command::SetAll& all);

/// Why a log that another author may have written cannot be applied, one command after the other, or empty:
/// every pane, place, id, frame and body that it names is there when it is named, every setting is accepted,
/// frames ascend to `lastFrame`, and the panes at its end are those of `now`.
std::string problemOf(const Scene& scene, const command::SetAll& start, const std::vector<LoggedCommand>& log,
                      const command::SetAll& now, long lastFrame);

}  // namespace touchstone
