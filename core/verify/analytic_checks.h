#pragma once

#include <functional>
#include <string>
#include <vector>

namespace touchstone {

/// One method on one scene whose answer is known.
struct AnalyticCheck {
  std::string test, pane;  ///< the pane as paneName() has it, with PEG's step
  std::string unit;
  double exact = 0, measured = 0;
  double tolerance = 0;  ///< on the difference, in the unit
  bool passed() const { return measured - exact <= tolerance && exact - measured <= tolerance; }
};

/// Runs all of them: free fall, free rotation, sliding, weight and depth at rest, impacts. Scenes are made
/// here.
/// @param told  called with each when it is there
std::vector<AnalyticCheck> analyticChecks(const std::function<void(const AnalyticCheck&)>& told = {});

}  // namespace touchstone
