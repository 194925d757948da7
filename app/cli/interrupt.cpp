#include "app/cli/interrupt.h"

#include <csignal>

namespace touchstone::cli {

namespace {

volatile std::sig_atomic_t g_signal = 0;

void note(int signal) { g_signal = signal; }

}  // namespace

void noteInterrupts() {
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before = {};
    sigaction(signal, nullptr, &before);
    if (before.sa_handler == SIG_IGN) continue;  // set by nohup and by shells for background jobs
    struct sigaction action = {};
    action.sa_handler = note;
    action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, nullptr);
  }
  std::signal(SIGXFSZ, SIG_IGN);
}

std::string interruption() {
  switch (g_signal) {
    case 0:
      return {};
    case SIGINT:
      return "SIGINT";
    case SIGTERM:
      return "SIGTERM";
    default:
      return "SIGHUP";
  }
}

void throwIfInterrupted() {
  if (const std::string signal = interruption(); !signal.empty()) throw Interrupted{signal};
}

}  // namespace touchstone::cli
