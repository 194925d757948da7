#pragma once

#include <string>
#include <vector>

#include "core/record/step_record.h"

namespace touchstone {

/// When a run pauses: where an event begins, or a quantity rises above a threshold.
struct StopCondition {
  enum class Kind { FirstContact, Trap, Energy, NotConverged, NoSolution, Diverged, Stopped, Above };
  Kind kind = Kind::Diverged;
  Quantity quantity = Quantity::PenetrationMax;  ///< Above
  double threshold = 0;                          ///< Above, in the quantity's unit
};

/// Names of the events: "first-contact, trap, …".
std::string stopConditionNames();
/// One of these names, or "<quantity key>><number>" such as "penetration_max>1e-3".
/// @throws std::invalid_argument saying what would be right
StopCondition stopConditionOf(const std::string& text);
std::string toString(const StopCondition& condition);

/// True if the condition begins with this record, which follows `before` (null: the first).
bool begins(const StopCondition& condition, const StepRecord* before, const StepRecord& record);

}  // namespace touchstone
