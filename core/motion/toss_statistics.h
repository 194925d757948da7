#pragma once

#include <string>
#include <vector>

#include "core/motion/toss_runs.h"

namespace touchstone {

/// The median of a sample and how well it is known.
struct MedianWithInterval {
  double median = 0, lowerQuartile = 0, upperQuartile = 0;
  double low = 0, high = 0;  ///< 95 % interval of the median, by bootstrap over the sample
};
/// @param values  finite. The same values give the same interval everywhere.
MedianWithInterval medianWithInterval(const std::vector<double>& values);

/// Errors of one pane over tosses.
struct PaneErrors {
  std::string pane;               ///< label
  std::vector<TossError> errors;  ///< [tosses]
};

/// Which of the four numbers of a TossError.
struct TossMeasure {
  const char* column;  ///< of motion.csv: "centre_mean_widths"
  const char* title;   ///< of the table: "centre, mean"
  double TossError::*value;
};
const std::vector<TossMeasure>& tossMeasures();

/// Medians, quartiles and intervals of each pane, how many tosses ended turned by more than 45°, means with
/// standard deviations, and for each two panes the median of the differences over the same tosses. Tosses
/// that failed in a pane are in none of its numbers, and are counted.
std::string tossTable(const std::vector<PaneErrors>& panes);

/// CSV with a header and a line per toss and pane.   @param tosses  their names
std::string tossCsv(const std::vector<std::string>& tosses, const std::vector<PaneErrors>& panes);

}  // namespace touchstone
