#include "core/record/replica_note.h"

#include <cstdlib>

namespace touchstone {

namespace {

constexpr char kReplica[] = "replica ";

}  // namespace

std::string replicaNote(const ReplicaNote& note, const std::string& text) {
  return kReplica + std::to_string(note.replica) + ": " + toString(note.status) + ": " + text;
}

std::optional<ReplicaNote> replicaNoteOf(const std::string& warning) {
  if (warning.rfind(kReplica, 0) != 0) return std::nullopt;
  char* end = nullptr;
  ReplicaNote note;
  note.replica = static_cast<int>(std::strtol(warning.c_str() + sizeof kReplica - 1, &end, 10));
  const std::string rest = end;
  if (rest.rfind(": ", 0) != 0) return std::nullopt;
  for (const StepStatus status : {StepStatus::NotConverged, StepStatus::NoSolution, StepStatus::Diverged})
    if (rest.rfind(std::string(": ") + toString(status) + ": ", 0) == 0) note.status = status;
  return note;
}

}  // namespace touchstone
