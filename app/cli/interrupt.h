#pragma once

#include <string>

namespace touchstone::cli {

/// Makes a signal that ends the program (SIGINT, SIGTERM, SIGHUP) end it at once, with a sentence and the
/// exit code of an interruption. This is right while files are read: nothing is lost. Writing beyond the
/// system's limit of file size becomes a write error.
void endOnInterrupts();
/// Makes such a signal only set a flag, so that computed data is written. A second signal ends the program at
/// once. Commands call this when all that they were given is read.
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
