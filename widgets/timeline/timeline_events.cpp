#include "widgets/timeline/timeline_events.h"

#include <algorithm>
#include <tuple>

namespace touchstone {

namespace {

bool hasTrap(const StepRecord& record) { return record.quantities[Quantity::Traps] > 0; }

TimelineEventKind kindOf(StepStatus status) {
  switch (status) {
    case StepStatus::Energy:
      return TimelineEventKind::Energy;
    case StepStatus::NotConverged:
      return TimelineEventKind::NotConverged;
    case StepStatus::NoSolution:
      return TimelineEventKind::NoSolution;
    case StepStatus::Diverged:
      return TimelineEventKind::Diverged;
    default:
      return TimelineEventKind::Stopped;
  }
}

}  // namespace

const char* toString(TimelineEventKind kind) {
  switch (kind) {
    case TimelineEventKind::FirstContact:
      return "first contact";
    case TimelineEventKind::Trap:
      return "standard-model trap";
    case TimelineEventKind::Energy:
      return "energy rises";
    case TimelineEventKind::NotConverged:
      return "not converged";
    case TimelineEventKind::NoSolution:
      return "no solution";
    case TimelineEventKind::Diverged:
      return "diverged";
    default:
      return "stopped";
  }
}

void appendEvents(const StepRecord* before, const StepRecord& record, int pane, bool& hadContact,
                  std::vector<TimelineEvent>& events) {
  const auto add = [&](TimelineEventKind kind) {
    events.push_back({record.frame, record.time, kind, pane, record.method});
  };
  if (!hadContact && !record.contacts.empty()) {
    hadContact = true;
    add(TimelineEventKind::FirstContact);
  }
  if (hasTrap(record) && !(before && hasTrap(*before))) add(TimelineEventKind::Trap);
  if (record.status != StepStatus::Ok && !(before && before->status == record.status))
    add(kindOf(record.status));
}

std::vector<TimelineEvent> findEvents(const std::vector<History>& panes) {
  std::vector<TimelineEvent> events;
  for (std::size_t pane = 0; pane < panes.size(); ++pane) {
    const StepRecord* before = nullptr;
    bool hadContact = false;
    for (const RecordPtr& record : panes[pane].frames()) {
      appendEvents(before, *record, static_cast<int>(pane), hadContact, events);
      before = record.get();
    }
  }
  std::sort(events.begin(), events.end(), [](const TimelineEvent& a, const TimelineEvent& b) {
    return std::tie(a.frame, a.pane, a.kind) < std::tie(b.frame, b.pane, b.kind);
  });
  return events;
}

}  // namespace touchstone
