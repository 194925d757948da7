#pragma once

#include <string>

#include "app/bench/bench_table.h"

namespace touchstone::cli {

/// Speed of the window while it computes and shows a scene.
struct WindowSpeed {
  double framesPerSecond = 0;    ///< shown to the user [1/s]
  double simulated = 0;          ///< time of the scene [s]
  double medianStall = 0;        ///< time without an answer of the window, median [ms]
  double stallOf99 = 0;          ///< its 99th percentile [ms]
  double longestStall = 0;       ///< [ms]
  double lateAnswers = 0;        ///< share of the answers that took longer than 50 ms [%]
  double processorPerFrame = 0;  ///< processor time of the whole program per shown frame [ms]
  double memory = 0;             ///< resident set [MiB]
};

/// Table of a speed, a quantity per line, as `touchstone SCENE --measure` prints it.
std::string windowSpeedText(const WindowSpeed& speed);
/// Reads such a table. @throws std::runtime_error if a line is missing
WindowSpeed windowSpeedOf(const std::string& text);

/// Runs the workbench beside this program with four panes of `pour` at 1920 x 1080, for 20 s of real time.
/// Without a display it takes a virtual one from xvfb-run.
/// @throws std::runtime_error if the workbench or a display is missing, or if the workbench fails
void benchWindow(BenchTable& table);

}  // namespace touchstone::cli
