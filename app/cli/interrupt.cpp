#include "app/cli/interrupt.h"

#include <unistd.h>

#include <csignal>
#include <cstring>

#include "app/cli/commands.h"

namespace touchstone::cli {

namespace {

volatile std::sig_atomic_t g_signal = 0;

const char* signalName(int signal) {
  return signal == SIGINT ? "SIGINT" : signal == SIGTERM ? "SIGTERM" : "SIGHUP";
}

void note(int signal) { g_signal = signal; }

/// Calls only what a signal may call.
void endNow(int signal) {
  for (const char* text : {"touchstone-cli: interrupted by ", signalName(signal), "; it is not complete\n"})
    if (::write(STDERR_FILENO, text, std::strlen(text)) < 0) break;
  _exit(kSimulationFailed);
}

void handleSignals(void (*handler)(int), int flags) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before = {};
    sigaction(signal, nullptr, &before);
    if (before.sa_handler == SIG_IGN) continue;  // set by nohup and by shells for background jobs
    struct sigaction action = {};
    action.sa_handler = handler;
    action.sa_flags = flags;
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, nullptr);
  }
}

}  // namespace

void endOnInterrupts() {
  handleSignals(endNow, SA_RESTART);
  std::signal(SIGXFSZ, SIG_IGN);
}

void noteInterrupts() { handleSignals(note, static_cast<int>(SA_RESETHAND) | SA_RESTART); }

std::string interruption() {
  const int signal = g_signal;
  return signal == 0 ? std::string() : signalName(signal);
}

void throwIfInterrupted() {
  if (const std::string signal = interruption(); !signal.empty()) throw Interrupted{signal};
}

}  // namespace touchstone::cli
