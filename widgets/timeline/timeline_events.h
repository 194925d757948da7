#pragma once

#include <vector>

#include "core/run/history.h"

namespace touchstone {

/// What a mark on the timeline stands for, least to most severe.
enum class TimelineEventKind { FirstContact, Trap, Energy, NotConverged, NoSolution, Diverged, Stopped };
/// "first contact", "standard-model trap", …
const char* toString(TimelineEventKind kind);

/// The first frame of a stretch in which a pane's records say so.
struct TimelineEvent {
  long frame = 0;
  double time = 0;  ///< s
  TimelineEventKind kind = TimelineEventKind::FirstContact;
  int pane = 0;
  std::string method;  ///< key
};

/// Appends the events of `record`, which follows `before` (null for the first of a history). A condition that
/// lasts is marked once, where it begins.
void appendEvents(const StepRecord* before, const StepRecord& record, int pane, bool& hadContact,
                  std::vector<TimelineEvent>& events);

/// Events of all recorded frames of all panes, by frame, then pane.
std::vector<TimelineEvent> findEvents(const std::vector<History>& panes);

}  // namespace touchstone
