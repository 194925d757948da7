#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/cli/bench_table.h"
#include "core/parallel/backend_kind.h"

namespace touchstone::cli {

/// How often something is done: at least so many times and so long, and no more than `most`.
struct Effort {
  int fewest = 1;
  double seconds = 0;
  int most = 1000;
};

/// Before measuring, and measured.
struct Efforts {
  Effort before, measured;
};
/// A device has to load its kernels, to learn its graphs and to raise its clock; afterwards a repetition
/// takes it a millisecond or less.
Efforts effortsOn(BackendKind backend);

/// Does it again and again. @return how long it took each time [ms]
std::vector<double> repeated(const Effort& effort, const std::function<void()>& work);
/// The same with an effort before, of which nobody wants to know.
std::vector<double> timesOf(const Efforts& efforts, const std::function<void()>& work);

/// Median, least and largest.
BenchRow medianRow(const std::string& name, const std::string& unit, const std::vector<double>& values);
/// What is done per time: amount / time. @param unit  of that
BenchRow rateRow(const std::string& name, const std::string& unit, double amount,
                 const std::vector<double>& times);
/// The same of all times together: steps differ, and some are taken twice.
BenchRow throughputRow(const std::string& name, const std::string& unit, double amount,
                       const std::vector<double>& times);

}  // namespace touchstone::cli
