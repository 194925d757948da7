#include "app/cli/interrupt.h"

#include <unistd.h>

#include <csignal>
#include <cstring>

#include "app/work/exit_codes.h"
#include "core/parallel/frame_clock.h"

namespace touchstone::cli {

namespace {

// Seconds from a signal, or from the last sign that the command has seen it. A larger value makes others send
// SIGKILL; a smaller one ends frames, and the program, that would have come to their end.
constexpr unsigned kFrameMayTake = 2, kProgramMayTake = 3;

volatile std::sig_atomic_t g_signal = 0;
volatile std::sig_atomic_t g_areFramesEnded = 0;

const char* signalName(int signal) {
  return signal == SIGINT ? "SIGINT" : signal == SIGTERM ? "SIGTERM" : "SIGHUP";
}

/// Calls only what a signal may call.
void end(int signal, const char* remark, int code) {
  for (const char* text :
       {"touchstone-cli: interrupted by ", signalName(signal), remark, "; it is not complete\n"})
    if (::write(STDERR_FILENO, text, std::strlen(text)) < 0) break;
  _exit(code);
}

void endNow(int signal) { end(signal, "", kSimulationFailed); }

void note(int signal) {
  if (g_signal != 0) end(signal, " while it ended", kEndedBySignal + signal);
  g_signal = signal;
  alarm(kFrameMayTake);
}

/// The command did not see the signal: its frame is long, or something does not return.
void runOut(int) {
  if (g_areFramesEnded) end(g_signal, " and did not end by itself", kEndedBySignal + g_signal);
  g_areFramesEnded = 1;
  endFrames();
  alarm(kProgramMayTake);
}

void handle(int signal, void (*handler)(int)) {
  struct sigaction before = {};
  sigaction(signal, nullptr, &before);
  if (before.sa_handler == SIG_IGN) return;  // set by nohup and by shells for background jobs
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, nullptr);
}

void handleSignals(void (*handler)(int)) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) handle(signal, handler);
}

}  // namespace

void endOnInterrupts() {
  throwIfInterrupted();
  handleSignals(endNow);
  std::signal(SIGXFSZ, SIG_IGN);
}

void noteInterrupts() {
  std::signal(SIGALRM, SIG_DFL);  // if it was ignored by whoever started the program
  handle(SIGALRM, runOut);
  handleSignals(note);
}

std::string interruption() {
  const int signal = g_signal;
  if (signal == 0) return {};
  alarm(kProgramMayTake);
  return signalName(signal);
}

void throwIfInterrupted() {
  if (const std::string signal = interruption(); !signal.empty()) throw Interrupted{signal};
}

void takeTimeToWrite() { alarm(0); }

}  // namespace touchstone::cli
