#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "core/run/history.h"
#include "core/scene/scene.h"

namespace touchstone {

/// Writes every quantity of every frame: UTF-8, one header line, `time_s,frame,method,solver,status,…`, full
/// round-trip digits, empty cells where a quantity does not apply. Rows by frame, then in pane order.
void writeQuantities(std::ostream& out, const std::vector<const History*>& panes);

/// Contacts of every frame: points [m], normal (from A into B), gap [m], impulses on B [N·s], mode and type.
void writeContacts(std::ostream& out, const std::vector<const History*>& panes, const Scene& scene);

/// Solver residuals of every frame: time_s, method, solver, iteration, residual_m_per_s, merit.
void writeConvergence(std::ostream& out, const std::vector<const History*>& panes);

/// Shortest decimal text that reads back to the same double; empty for NaN.
std::string csvNumber(double value);

}  // namespace touchstone
