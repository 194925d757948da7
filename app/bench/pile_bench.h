#pragma once

#include "app/bench/bench_table.h"

namespace touchstone::cli {

/// Pours, stacks, piles of boxes, an arch and tables under every method and beside other engines, on one
/// thread of the host. Steps return states only: nothing is recorded, and the Referee is off. Overlaps are
/// measured between timed steps. Runs are bounded by counts of steps, so that each machine takes the same
/// steps.
/// @param mostSteps  largest number of steps of a run; 0: as many as the table of scenes has
void benchPilesBesideEngines(int mostSteps, BenchTable& table);

}  // namespace touchstone::cli
