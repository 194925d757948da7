#include "app/bench/stopwatch.h"

#include <algorithm>
#include <chrono>
#include <numeric>

#include "app/bench/processor_time.h"
#include "core/math/count.h"
#include "core/math/quantile.h"

namespace touchstone::cli {

namespace {

using Clock = std::chrono::steady_clock;

double millisecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

}  // namespace

std::vector<double> repeated(const Effort& effort, const std::function<void()>& work) {
  std::vector<double> times;
  const Clock::time_point start = Clock::now();
  const auto isEnough = [&] {
    const int count = countOf(times);
    return count >= effort.maxCount ||
           (count >= effort.fewest && millisecondsSince(start) >= 1e3 * effort.seconds);
  };
  while (!isEnough()) {
    const Clock::time_point before = Clock::now();
    work();
    times.push_back(millisecondsSince(before));
  }
  return times;
}

Efforts effortsOn(BackendKind backend) {
  if (backend == BackendKind::Cuda) return {{20, 0.5, 1000}, {20, 0.5, 1000}};
  return {{1, 0, 1}, {7, 0, 7}};
}

std::vector<double> timesOf(const Efforts& efforts, const std::function<void()>& work) {
  repeated(efforts.before, work);
  return repeated(efforts.measured, work);
}

double meanOf(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / countOf(values);
}

double processorTimeOf(const std::function<void()>& work) {
  const double before = processorSeconds();
  work();
  return 1e3 * (processorSeconds() - before);
}

BenchRow medianRow(const std::string& name, const std::string& unit, const std::vector<double>& values) {
  return {name, unit, median(values), interpolatedQuantile(values, kSpreadBegin),
          interpolatedQuantile(values, kSpreadEnd)};
}

BenchRow rateRow(const std::string& name, const std::string& unit, double amount,
                 const std::vector<double>& times) {
  return {name, unit, amount / median(times), amount / interpolatedQuantile(times, kSpreadEnd),
          amount / interpolatedQuantile(times, kSpreadBegin)};
}

BenchRow throughputRow(const std::string& name, const std::string& unit, double amount,
                       const std::vector<double>& times) {
  BenchRow row = rateRow(name, unit, amount, times);
  row.value = amount * static_cast<double>(times.size()) / std::accumulate(times.begin(), times.end(), 0.0);
  return row;
}

void addPercentiles(const std::string& name, const std::string& unit, const std::vector<double>& values,
                    BenchTable& table) {
  for (const int percent : {50, 95, 99})
    table.add(
        {name + "/" + std::to_string(percent) + " %", unit, interpolatedQuantile(values, 0.01 * percent)});
}

}  // namespace touchstone::cli
