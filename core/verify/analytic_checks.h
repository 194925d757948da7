#pragma once

#include <functional>
#include <string>
#include <vector>

namespace touchstone {

/// One method on a scene with a known solution.
struct AnalyticCheck {
  std::string test, pane;  ///< pane: paneName() including PEG's step
  std::string unit;
  double exact = 0, measured = 0;
  double tolerance = 0;  ///< on the difference, in the unit
  bool passed() const { return measured - exact <= tolerance && exact - measured <= tolerance; }
};

/// Runs all checks: free fall, free rotation, sliding, weight and depth at rest, impacts. Creates its scenes
/// itself.
/// @param report  called with each finished check
std::vector<AnalyticCheck> analyticChecks(const std::function<void(const AnalyticCheck&)>& report = {});

}  // namespace touchstone
