#include <QtTest>
#include <cmath>

#include "widgets/timeline/timeline_events.h"
#include "widgets/timeline/timeline_scale.h"

using namespace touchstone;

namespace {

RecordPtr record(long frame, StepStatus status, int contacts, double traps) {
  auto made = std::make_shared<StepRecord>();
  made->frame = frame;
  made->time = 0.01 * static_cast<double>(frame);
  made->method = "lcp";
  made->status = status;
  made->contacts.resize(contacts);
  made->quantities[Quantity::Traps] = traps;
  return made;
}

std::vector<std::pair<long, TimelineEventKind>> eventsOf(const std::vector<RecordPtr>& records) {
  std::vector<History> panes(1);
  for (const RecordPtr& each : records) panes[0].append(each);
  std::vector<std::pair<long, TimelineEventKind>> events;
  for (const TimelineEvent& event : findEvents(panes)) events.emplace_back(event.frame, event.kind);
  return events;
}

}  // namespace

class TimelineTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void endsOfTheRecordLieOnTheEndsOfTheBar();
  void everyFrameIsFoundAtItsOwnPixel();
  void pixelsOutsideGiveTheEnds();
  void oneFrameLiesOnTheLeft();
  void aConditionIsMarkedWhereItBegins();
  void aChangeOfStatusIsMarked();
  void notMeasuredTrapsAreNoTraps();
  void eventsOfAllPanesAreSortedByFrame();
};

void TimelineTest::endsOfTheRecordLieOnTheEndsOfTheBar() {
  const TimelineScale scale{40, 240, 10, 410};
  QCOMPARE(scale.xOf(40), 10.0);
  QCOMPARE(scale.xOf(240), 410.0);
  QCOMPARE(scale.xOf(140), 210.0);
}

void TimelineTest::everyFrameIsFoundAtItsOwnPixel() {
  const TimelineScale scale{3, 1003, 10, 130};  // eight frames per pixel
  for (long frame = 3; frame <= 1003; ++frame) QCOMPARE(scale.frameAt(scale.xOf(frame)), frame);
}

void TimelineTest::pixelsOutsideGiveTheEnds() {
  const TimelineScale scale{5, 25, 100, 200};
  QCOMPARE(scale.frameAt(-50), 5L);
  QCOMPARE(scale.frameAt(5000), 25L);
}

void TimelineTest::oneFrameLiesOnTheLeft() {
  const TimelineScale scale{7, 7, 10, 110};
  QCOMPARE(scale.xOf(7), 10.0);
  QCOMPARE(scale.frameAt(90), 7L);
}

void TimelineTest::aConditionIsMarkedWhereItBegins() {
  const auto events = eventsOf({record(0, StepStatus::Ok, 0, 0), record(1, StepStatus::Ok, 2, 1),
                                record(2, StepStatus::Ok, 0, 2), record(3, StepStatus::Ok, 4, 0),
                                record(4, StepStatus::Ok, 4, 1)});
  const std::vector<std::pair<long, TimelineEventKind>> expected = {
      {1, TimelineEventKind::FirstContact}, {1, TimelineEventKind::Trap}, {4, TimelineEventKind::Trap}};
  QVERIFY(events == expected);
}

void TimelineTest::aChangeOfStatusIsMarked() {
  const auto events =
      eventsOf({record(0, StepStatus::NotConverged, 0, 0), record(1, StepStatus::NotConverged, 0, 0),
                record(2, StepStatus::NoSolution, 0, 0), record(3, StepStatus::Ok, 0, 0),
                record(4, StepStatus::Diverged, 0, 0), record(5, StepStatus::Diverged, 0, 0),
                record(6, StepStatus::Stopped, 0, 0), record(7, StepStatus::Stopped, 0, 0),
                record(8, StepStatus::Energy, 0, 0), record(9, StepStatus::Energy, 0, 0)});
  const std::vector<std::pair<long, TimelineEventKind>> expected = {{0, TimelineEventKind::NotConverged},
                                                                    {2, TimelineEventKind::NoSolution},
                                                                    {4, TimelineEventKind::Diverged},
                                                                    {6, TimelineEventKind::Stopped},
                                                                    {8, TimelineEventKind::Energy}};
  QVERIFY(events == expected);
}

void TimelineTest::notMeasuredTrapsAreNoTraps() {
  QVERIFY(eventsOf({record(0, StepStatus::Ok, 0, std::nan(""))}).empty());
}

void TimelineTest::eventsOfAllPanesAreSortedByFrame() {
  std::vector<History> panes(2);
  panes[0].append(record(0, StepStatus::Ok, 0, 0));
  panes[0].append(record(1, StepStatus::Ok, 0, 0));
  panes[0].append(record(2, StepStatus::Ok, 1, 0));
  panes[1].append(record(0, StepStatus::Ok, 0, 0));
  panes[1].append(record(1, StepStatus::Ok, 1, 0));
  const std::vector<TimelineEvent> events = findEvents(panes);
  QCOMPARE(events.size(), std::size_t(2));
  QCOMPARE(events[0].pane, 1);
  QCOMPARE(events[1].pane, 0);
}

QTEST_APPLESS_MAIN(TimelineTest)
#include "tst_timeline.moc"
