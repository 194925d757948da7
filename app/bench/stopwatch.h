#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/bench/bench_table.h"
#include "core/parallel/backend_kind.h"

namespace touchstone::cli {

/// Number of repetitions: at least so many and so long, at most `maxCount`.
struct Effort {
  int fewest = 1;
  double seconds = 0;
  int maxCount = 1000;
};

/// Efforts for the warm-up and for the measurement.
struct Efforts {
  Effort before, measured;
};
/// A device has to load its kernels, capture its graphs and raise its clock first; a repetition then takes a
/// millisecond or less.
Efforts effortsOn(BackendKind backend);

/// Repeats the work. @return time of each repetition [ms]
std::vector<double> repeated(const Effort& effort, const std::function<void()>& work);
/// The same after a warm-up that is not measured.
std::vector<double> timesOf(const Efforts& efforts, const std::function<void()>& work);

/// Processor time of the work, all threads of the program together [ms]. Other programs that share the
/// machine do not change it much.
double processorTimeOf(const std::function<void()>& work);

/// Mean of values, of which there is at least one.
double meanOf(const std::vector<double>& values);

/// Shares of the values below and above the spread of a row: its least value is the 5th percentile and its
/// largest the 95th. The extremes themselves belong to the scheduler of the machine.
constexpr double kSpreadBegin = 0.05, kSpreadEnd = 0.95;

/// Median, 5th and 95th percentile.
BenchRow medianRow(const std::string& name, const std::string& unit, const std::vector<double>& values);
/// Rate: amount / time. @param unit  unit of the rate
BenchRow rateRow(const std::string& name, const std::string& unit, double amount,
                 const std::vector<double>& times);
/// Rate over the sum of all times, because steps differ and some are repeated.
BenchRow throughputRow(const std::string& name, const std::string& unit, double amount,
                       const std::vector<double>& times);
/// Adds the 50th, 95th and 99th percentiles as columns of a row.
void addPercentiles(const std::string& name, const std::string& unit, const std::vector<double>& values,
                    BenchTable& table);

}  // namespace touchstone::cli
