#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/study/study_results.h"

namespace touchstone {

/// A study as a report shows it.
struct ReportedStudy {
  StudyResults results;
  std::optional<StudyVerdict> verdict;  ///< none: runs are missing
  std::string command;                  ///< that repeats it
};

/// A page (Markdown) of studies: the question of each, what it says of claims, its numbers, published values
/// beside ours, and its figures, which lie in NAME/PLOT.png.
std::string studyReport(const std::vector<ReportedStudy>& studies, const PublishedValues& published);

}  // namespace touchstone
