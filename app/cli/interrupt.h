#pragma once

#include <string>

namespace touchstone::cli {

/// Makes a signal that ends the program (SIGINT, SIGTERM, SIGHUP) only set a flag, so that computed data is
/// written. A second signal ends the program at once. Writing beyond the system's limit of file size becomes
/// a write error.
void noteInterrupts();
/// The name of the received signal, "SIGTERM", or empty.
std::string interruption();

/// Ends a command without a result. what() gives the reason.
struct Interrupted {
  std::string signal;
};
/// @throws Interrupted after a signal
void throwIfInterrupted();

}  // namespace touchstone::cli
