#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "core/run/history.h"
#include "core/scene/scene.h"
#include "core/store/body_quantity.h"

namespace touchstone {

// Tables of records: UTF-8, one header line, full round-trip digits, empty cells where a value does not
// apply. Every line begins with time_s, frame, method, solver and pane; the pane's label distinguishes two
// panes of one method. A header and the lines of a record end with a line break.

/// All quantities of a frame and the requested quantities of bodies, in one line.
std::string quantityHeader(bool planar, const std::vector<BodyQuantity>& ofBodies = {});
std::string quantityLines(const StepRecord& record, const std::string& pane,
                          const std::vector<BodyQuantity>& ofBodies = {});

/// Contacts of a frame: points [m], normal (from A into B), gap [m], impulses on B [N·s], mode and type.
/// Those of the last substep, or all that the record has.
enum class Substeps { Last, All };
std::string contactHeader();
std::string contactLines(const StepRecord& record, const std::string& pane, const Scene& scene,
                         Substeps substeps);

/// Residuals of the solver in a frame, one line per iteration.
std::string convergenceHeader();
std::string convergenceLines(const StepRecord& record, const std::string& pane);

/// All quantities of all frames in the histories, by frame, then in pane order.
/// @param panes  labels   @param histories  [paneCount]
void writeQuantities(std::ostream& out, const std::vector<std::string>& panes,
                     const std::vector<const History*>& histories);

}  // namespace touchstone
