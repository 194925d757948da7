#pragma once

#include <vector>

#include "core/run/history.h"

namespace touchstone {

/// Meaning of a mark on the timeline, from least to most severe.
enum class TimelineEventKind { FirstContact, Trap, Energy, NotConverged, NoSolution, Diverged, Stopped };
/// "first contact", "standard-model trap", …
const char* toString(TimelineEventKind kind);

/// The first frame of a period in which the records of a pane have a condition.
struct TimelineEvent {
  long frame = 0;
  double time = 0;  ///< s
  TimelineEventKind kind = TimelineEventKind::FirstContact;
  int pane = 0;
  std::string method;  ///< key
};

/// Appends the events of `record`, which follows `before` (null for the first of a history). A lasting
/// condition is marked once, at its begin.
void appendEvents(const StepRecord* before, const StepRecord& record, int pane, bool& hadContact,
                  std::vector<TimelineEvent>& events);

/// Events of all recorded frames of all panes, by frame, then pane.
std::vector<TimelineEvent> findEvents(const std::vector<History>& panes);

}  // namespace touchstone
