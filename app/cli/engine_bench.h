#pragma once

#include "app/cli/bench_table.h"
#include "core/parallel/backend_kind.h"

namespace touchstone::cli {

/// A pair of features by itself on one core of the host.
void benchKernel(BenchTable& table);
/// Feature pairs as broad phase delivers them: CCD and impulses of all, and of those that may cross alone.
void benchPairs(BackendKind backend, BenchTable& table);
/// Broad and narrow phase of the complementarity models on 10 000 boxes.
void benchSets(BackendKind backend, BenchTable& table);
/// What the Referee does with them after a frame.
void benchOverlaps(BackendKind backend, BenchTable& table);
/// Conjugate residuals on a large dense system: what of the memory's own speed its matrix products reach.
void benchPcr(BackendKind backend, BenchTable& table);

}  // namespace touchstone::cli
