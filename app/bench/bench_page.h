#pragma once

#include <string>

#include "app/bench/bench_table.h"

namespace touchstone::cli {

/// Facts about a measurement for the head of its page.
struct BenchPageHead {
  std::string command, date;
  double shareOfOthers = 0;  ///< of the processors' time, that other programs took; NaN: not known
};

/// All rows and failures as a page of Markdown: how it was measured, then a section for each benchmark. A row
/// whose name begins with that of another and '/' is a column of it.
std::string benchPage(const BenchPageHead& head, const BenchTable& table);

}  // namespace touchstone::cli
