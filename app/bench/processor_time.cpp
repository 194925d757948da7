#include "app/bench/processor_time.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <limits>
#include <string>

namespace touchstone::cli {

namespace {

double secondsOf(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

}  // namespace

ProcessorTime processorTime() {
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  // user nice system idle iowait irq softirq steal, in ticks: proc(5)
  std::ifstream file("/proc/stat");
  std::string word;
  double ticks[8];
  file >> word;
  for (double& part : ticks) file >> part;
  rusage usage{};
  if (!file || word != "cpu" || getrusage(RUSAGE_SELF, &usage) != 0) return {kUnknown, kUnknown, kUnknown};
  const double second = static_cast<double>(sysconf(_SC_CLK_TCK));
  ProcessorTime time{0, 0, secondsOf(usage.ru_utime) + secondsOf(usage.ru_stime)};
  for (const double part : ticks) time.all += part / second;
  time.busy = time.all - (ticks[3] + ticks[4]) / second;
  return time;
}

double processorSeconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double shareOfOthers(const ProcessorTime& begin, const ProcessorTime& end) {
  const double total = end.all - begin.all, others = (end.busy - begin.busy) - (end.own - begin.own);
  if (!(total > 0)) return std::numeric_limits<double>::quiet_NaN();
  return std::clamp(others / total, 0.0, 1.0);
}

}  // namespace touchstone::cli
