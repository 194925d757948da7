#pragma once

#include "app/bench/bench_table.h"
#include "core/parallel/backend_kind.h"

namespace touchstone::cli {

/// One pair of features on one core of the host.
void benchKernel(BenchTable& table);
/// Feature pairs from the broad phase: CCD and impulses of all, and of possibly crossing pairs only.
void benchPairs(BackendKind backend, BenchTable& table);
/// Broad and narrow phase of the complementarity models on 10 000 boxes.
void benchSets(BackendKind backend, BenchTable& table);
/// Overlaps of these boxes, as the Referee measures them after a frame.
void benchOverlaps(BackendKind backend, BenchTable& table);
/// Conjugate residuals on a large dense system: the share of the memory's bandwidth that its matrix products
/// reach.
void benchPcr(BackendKind backend, BenchTable& table);

}  // namespace touchstone::cli
