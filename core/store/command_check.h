#pragma once

#include <string>
#include <vector>

#include "core/run/command.h"

namespace touchstone {

/// Why these panes cannot run the scene, or empty. Checks the frame length, that ids differ, and that all
/// settings are valid.
std::string problemOf(const Scene& scene, const command::SetAll& configuration);

/// Why a log from an untrusted file cannot be applied command by command, or empty. Every pane, place, id,
/// frame and body in it must exist at that point, every setting must be valid, frames must ascend to
/// `lastFrame`, and the panes at its end must be those of `now`.
std::string problemOf(const Scene& scene, const command::SetAll& start, const std::vector<LoggedCommand>& log,
                      const command::SetAll& now, long lastFrame);

}  // namespace touchstone
