#pragma once

#include <string>

namespace touchstone::cli {

/// From now on a signal that asks the program to end (SIGINT, SIGTERM, SIGHUP) is only noted, so that what
/// was computed is written; a second one ends it at once. A file that grows beyond what the system allows is
/// an error of writing.
void noteInterrupts();
/// "SIGTERM" once it has come, else empty.
std::string interruption();

/// Ends a command without a result of its own. what() says so.
struct Interrupted {
  std::string signal;
};
/// @throws Interrupted once a signal has come
void throwIfInterrupted();

}  // namespace touchstone::cli
