#include "app/bench/window_bench.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <sstream>
#include <stdexcept>

#include "app/work/program_info.h"

namespace touchstone::cli {

namespace {

struct SpeedLine {
  const char* label;
  const char* unit;
  double WindowSpeed::*value;
};

constexpr SpeedLine kSpeedLines[] = {{"frames shown", "a second", &WindowSpeed::framesPerSecond},
                                     {"simulated", "s", &WindowSpeed::simulated},
                                     {"window deaf, median", "ms", &WindowSpeed::medianStall},
                                     {"window deaf, 99 %", "ms", &WindowSpeed::stallOf99},
                                     {"window deaf, most", "ms", &WindowSpeed::longestStall},
                                     {"answers above 50 ms", "%", &WindowSpeed::lateAnswers},
                                     {"processor per frame", "ms", &WindowSpeed::processorPerFrame},
                                     {"memory", "MiB", &WindowSpeed::memory}};

/// A word of a shell command that the shell does not read.
std::string quoted(const std::string& text) {
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

/// Output of a command, errors included. @throws std::runtime_error if it cannot be started
std::string outputOf(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen((command + " 2>&1").c_str(), "r"),
                                                   [](FILE* file) { return pclose(file); });
  if (!pipe) throw std::runtime_error("the workbench cannot be started: popen failed");
  std::string text;
  std::array<char, 4096> part;
  while (const std::size_t read = std::fread(part.data(), 1, part.size(), pipe.get()))
    text.append(part.data(), read);
  return text;
}

}  // namespace

std::string windowSpeedText(const WindowSpeed& speed) {
  std::string text;
  for (const SpeedLine& line : kSpeedLines) {
    char shown[80];
    std::snprintf(shown, sizeof shown, "%-20s %10.3f %s\n", line.label, speed.*line.value, line.unit);
    text += shown;
  }
  return text;
}

WindowSpeed windowSpeedOf(const std::string& text) {
  WindowSpeed speed;
  for (const SpeedLine& line : kSpeedLines) {
    const std::size_t place = text.find(line.label);
    const std::size_t behind = place + std::string(line.label).size();
    if (place == std::string::npos || !(std::istringstream(text.substr(behind)) >> speed.*line.value))
      throw std::runtime_error("the workbench prints no '" + std::string(line.label) + "': " + text);
  }
  return speed;
}

void benchWindow(BenchTable& table) {
  std::error_code ignored;
  const std::filesystem::path workbench = programFolder() / "touchstone";
  if (!std::filesystem::exists(workbench, ignored))
    throw std::runtime_error("the workbench is missing beside this program; build it with TS_WORKBENCH=ON");
  const bool hasDisplay = std::getenv("DISPLAY") || std::getenv("WAYLAND_DISPLAY");
  if (!hasDisplay && std::system("command -v xvfb-run >/dev/null 2>&1") != 0)
    throw std::runtime_error("there is no display; start it on one, or install xvfb");
  const std::string command = (hasDisplay ? "" : "xvfb-run -a -s '-screen 0 1920x1080x24 -noreset' ") +
                              quoted(workbench.string()) +
                              " pour --methods dpf,cpf,lcp,peg --measure 20 --size 1920x1080";
  const WindowSpeed speed = windowSpeedOf(outputOf(command));
  table.add({"window/pour/frames shown", "frames per s", speed.framesPerSecond});
  table.add({"window/pour/stall, 99 %", "ms", speed.stallOf99});
  table.add({"window/pour/answers above 50 ms", "%", speed.lateAnswers});
  table.add({"window/pour/processor per frame", "ms", speed.processorPerFrame});
  table.add({"window/pour/memory", "bytes", speed.memory * (1 << 20)});
}

}  // namespace touchstone::cli
