#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/motion/toss_statistics.h"
#include "core/statistics/parameter_map.h"

namespace touchstone {

/// Which numbers make a method move most like a recording.
struct TossFit {
  std::vector<MapAxis> axes;
  TossMeasure measure{};           ///< what is made small
  int fitted = 0, keptAside = 0;   ///< tosses
  std::vector<double> score;       ///< [cells] median over the fitted tosses
  std::vector<double> scoreAside;  ///< [cells] over those kept aside; NaN without any
  std::vector<int> failures;       ///< [cells] tosses whose run failed; they count as worst
  std::vector<char> isAsGood;  ///< [cells] 1: a bootstrap over the fitted tosses cannot tell it from the best
  std::size_t best = 0;        ///< cell with the smallest score
  MedianWithInterval bestFitted, bestAside;
};

/// Checks that no axis has frame lengths, which all tosses share.   @throws std::invalid_argument
void requireOneFrameLength(const std::vector<MapAxis>& axes);

/// Runs all tosses with all values. Half of the tosses, drawn by the seed, are fitted, the others are kept
/// aside. A cell is as good as the best one if the 95 % interval of the difference of their medians, over
/// resampled tosses, includes 0.
/// @param measure  a member of tossMeasures()
/// @throws std::invalid_argument if the settings or an axis are refused, or there is no toss
TossFit tossFit(const Scene& scene, const PaneSettings& settings, const std::vector<MapAxis>& axes, double dt,
                const std::vector<ComparedToss>& tosses, const TossMeasure& measure, int seed,
                const std::function<void(double share)>& progress = {});

/// The values along each axis through the best one, with their scores, and the region that is as good.
std::string fitTable(const TossFit& fit);
/// CSV with a header and a line per cell.
std::string csvOf(const TossFit& fit);

}  // namespace touchstone
