#pragma once

namespace touchstone::cli {

/// Since the machine and this program began [s], all processors together. NaN where the system does not tell.
struct ProcessorTime {
  double all, busy;  ///< of the machine, with and without what was idle
  double own;        ///< of this program
};
ProcessorTime processorTime();
/// Processor time of this program since it began, all threads together [s]. Finer than processorTime(): a
/// frame of some microseconds has one.
double processorSeconds();
/// Share of the processors' time that other programs took between two moments; NaN where it is not known.
double shareOfOthers(const ProcessorTime& begin, const ProcessorTime& end);

}  // namespace touchstone::cli
