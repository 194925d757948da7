#pragma once

#include "app/bench/bench_table.h"

namespace touchstone::cli {

/// Growth of cost on the host: memory of 1000 boxes, two threads against one, four panes at once against one
/// after the other, and many small scenes as one.
/// @param mostSteps  largest number of steps of a run; 0: as many as each run has
void benchScale(int mostSteps, BenchTable& table);

}  // namespace touchstone::cli
