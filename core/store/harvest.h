#pragma once

#include <functional>
#include <string>

#include "core/store/recording.h"

namespace touchstone {

/// Runs a recording again and writes the complementarity problems of every step that has one:
/// FOLDER/PANE-FRAME.json as problemText(), with the numbers of pane and frame. @param progress  called with
/// the completed share
/// @return how many files   @throws std::runtime_error with the file that cannot be written
long harvest(const Recording& recording, const std::string& folder,
             const std::function<void(double)>& progress = nullptr);

}  // namespace touchstone
