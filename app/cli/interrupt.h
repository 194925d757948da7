#pragma once

#include <string>

namespace touchstone::cli {

/// Makes a signal that ends the program (SIGINT, SIGTERM, SIGHUP) end it at once, with a sentence and the
/// exit code of an interruption. This is right while files are read: nothing is lost. Writing beyond the
/// system's limit of file size becomes a write error.   @throws Interrupted  if one was noted before
void endOnInterrupts();
/// Makes such a signal only set a flag, so that computed data is written. Commands call this when all that
/// they were given is read. A command that does not see the flag has its frames ended after two seconds
/// (FrameEnded), and the program after three more. A second signal ends the program at once. Both have the
/// exit code kEndedBySignal + the signal's number.
void noteInterrupts();
/// The name of the received signal, "SIGTERM", or empty. Asking is the sign that the command has seen it: the
/// seconds begin anew.
std::string interruption();
/// From here on the command writes what it has: only a second signal ends it.
void takeTimeToWrite();

/// Ends a command without a result. what() gives the reason.
struct Interrupted {
  std::string signal;
};
/// @throws Interrupted after a signal
void throwIfInterrupted();

}  // namespace touchstone::cli
