#pragma once

#include <string>

#include "app/cli/bench_table.h"
#include "core/parallel/backend_kind.h"

namespace touchstone::cli {

/// Towers of 100, 1000 and 10 000 boxes under every method that a device takes whole: steps per second of
/// states alone and with contacts and Referee, time by phase, launches per step.
void benchPiles(BackendKind backend, BenchTable& table);
/// The same of 1000 boxes in one island, under LCP and PEG with pgs.
void benchWalls(BackendKind backend, BenchTable& table);
/// Boxes straight on each other and boxes dropped into a bin, on the host with default settings: time per
/// frame, share of the frames that were not solved, deepest penetration.
void benchStacks(BenchTable& table);
/// Many replicas of 20 boxes as one scene.
void benchWorlds(BackendKind backend, BenchTable& table);
/// What a device's worlds come to against a hundred cores of which each does what one was measured to do.
void compareWorlds(BenchTable& table);
/// Frames of a shipped scene under its methods, side by side on the host. @param time  simulated [s]
void benchScene(const std::string& name, double time, BenchTable& table);

}  // namespace touchstone::cli
