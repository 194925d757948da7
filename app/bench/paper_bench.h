#pragma once

#include "app/bench/bench_table.h"

namespace touchstone::cli {

/// The scenes of Macklin 2019, table 2, under NSN on the host: time of a step, residual at its end and
/// deepest penetration, with the paper's counts of iterations and with ours, and the paper's times.
void benchNsn(BenchTable& table);

/// The deforming scenes of Tang et al. 2012 under CPF, small and at full size: frames per second beside the
/// paper's.
void benchSoft(BenchTable& table);

}  // namespace touchstone::cli
