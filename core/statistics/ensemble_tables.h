#pragma once

#include <string>
#include <vector>

#include "core/statistics/ensemble.h"

namespace touchstone {

// Tables of an ensemble: UTF-8, one header line, full round-trip digits, empty cells where there is no value.

/// One line per member and time: median, 5 % and 95 % over the copies of every quantity, d [m], λ [1/s] and
/// T [s], which are the same in all lines of a member.
std::string ensembleCsv(const Ensemble& ensemble);
/// One line per member and copy: its number of each quantity, and when each event first happened [s].
std::string copiesCsv(const Ensemble& ensemble);
/// One line per pair of members: shift, interval, U, t, p, verdict and scatter of each quantity, then the p
/// of each event with both counts.
std::string verdictsCsv(const Ensemble& ensemble, const std::vector<EnsembleVerdict>& verdicts);
/// "scatter 0.005 m against 0.001 m: different, 5 to 1", "…: no difference is shown".
/// @param unit  of the quantity, or empty
std::string scatterText(const EnsembleVerdict& verdict, const std::string& unit, double alpha);
/// All of it in sentences, for a terminal. @param scene  name   @param time  simulated [s]
std::string ensembleSummary(const Ensemble& ensemble, const std::vector<EnsembleVerdict>& verdicts,
                            const std::string& scene, double time);

}  // namespace touchstone
