#pragma once

#include <string>

#include "app/bench/bench_table.h"
#include "core/parallel/backend_kind.h"

namespace touchstone::cli {

/// Towers of 100, 1000 and 10 000 boxes under every method that runs completely on a device: steps per second
/// without records, and with contacts and Referee; time by phase, launches per step.
void benchPiles(BackendKind backend, BenchTable& table);
/// The same for 1000 boxes in one island, under LCP and PEG with pgs.
void benchWalls(BackendKind backend, BenchTable& table);
/// Straight stacks, and boxes dropped into a bin, on the host with default settings: time per frame, share of
/// unsolved frames, deepest penetration.
void benchStacks(BenchTable& table);
/// Many replicas of 20 boxes as one scene.
void benchWorlds(BackendKind backend, BenchTable& table);
/// Compares a device's replicas with a hundred cores at the measured speed of one core.
void compareWorlds(BenchTable& table);
/// Processor time of the frames of a shipped scene under all its methods, on one thread of the host.
/// @param time  simulated [s]
void benchScene(const std::string& name, double time, BenchTable& table);

}  // namespace touchstone::cli
