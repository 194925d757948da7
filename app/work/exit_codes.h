#pragma once

namespace touchstone {

/// Exit codes of both programs. Errors go to stderr as `file:field: problem; remedy`.
constexpr int kDone = 0;
constexpr int kSimulationFailed = 1;
constexpr int kBadInput = 2;     ///< or wrong usage
constexpr int kEnvironment = 3;  ///< no GPU, a full disk
/// The exit code of a program that a signal ends in the middle of its work, without the number of the signal.
constexpr int kEndedBySignal = 128;

}  // namespace touchstone
