#pragma once

#include <string>

#include "core/run/simulation.h"

namespace touchstone {

/// What a pane runs as one word, as command line, recordings and lessons have it: "peg", or with a solver
/// "lcp-pgs".
std::string paneName(const PaneSettings& settings);
/// The reverse, with default parameters. An unknown name becomes the method, which refusal() then names.
PaneSettings paneNamed(const std::string& name);

}  // namespace touchstone
