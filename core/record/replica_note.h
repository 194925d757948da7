#pragma once

#include <optional>
#include <string>

#include "core/record/step_record.h"

namespace touchstone {

/// Status of a step for one replica of a scene of several: the status of a record is that of all.
struct ReplicaNote {
  int replica = 0;
  StepStatus status = StepStatus::Ok;
};

/// A line for StepRecord::warnings: "replica 3: no solution: the rows contradict each other".
std::string replicaNote(const ReplicaNote& note, const std::string& text);
/// The note of such a line; none for other warnings.
std::optional<ReplicaNote> replicaNoteOf(const std::string& warning);

}  // namespace touchstone
