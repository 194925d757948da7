#include <QtTest>
#include <sstream>

#include "core/run/history.h"
#include "core/store/csv.h"

using namespace touchstone;

class HistoryTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void givesBackTheFrameThatWasAsked();
  void oldFramesThinOutWhenTheBudgetIsSpent();
  void truncationDropsOnlyLaterFrames();
  void csvHoldsEveryQuantityWithFullDigits();
};

static RecordPtr record(long frame) {
  auto record = std::make_shared<StepRecord>();
  record->frame = frame;
  record->time = 0.1 * static_cast<double>(frame);
  record->method = "cpf";
  record->quantities[Quantity::PenetrationMax] = 1.0 / 3;
  record->bodies.resize(10);
  return record;
}

void HistoryTest::givesBackTheFrameThatWasAsked() {
  History history;
  for (long frame = 5; frame < 15; ++frame) history.append(record(frame));
  QCOMPARE(history.at(7)->frame, 7L);
  QVERIFY(!history.at(4));
  QVERIFY(!history.at(15));
}

void HistoryTest::oldFramesThinOutWhenTheBudgetIsSpent() {
  const std::size_t one = bytesOf(*record(0));
  History history(40 * one);
  for (long frame = 0; frame < 10000; ++frame) {
    history.append(record(frame), frame == 0 || frame == 77);
    QVERIFY(history.bytes() <= 40 * one);
  }
  QCOMPARE(history.lastFrame(), 9999L);
  for (long frame = 9990; frame < 10000; ++frame)
    QVERIFY(history.at(frame) != nullptr);   // the newest are complete
  QVERIFY(history.at(0) && history.at(77));  // pinned
  QVERIFY(history.spacing() > 100);
  std::size_t bytes = 0;
  long before = -1;
  for (const RecordPtr& kept : history.frames()) {
    QVERIFY(kept->frame > before);
    QVERIFY(history.at(kept->frame) == kept);
    before = kept->frame;
    bytes += bytesOf(*kept);
  }
  QCOMPARE(bytes, history.bytes());
  QVERIFY(!history.at(4001));
}

void HistoryTest::truncationDropsOnlyLaterFrames() {
  History history;
  for (long frame = 0; frame < 10; ++frame) history.append(record(frame));
  history.truncateAfter(4);
  QCOMPARE(history.lastFrame(), 4L);
  QCOMPARE(history.firstFrame(), 0L);
  history.append(record(5));
  QCOMPARE(history.at(5)->frame, 5L);
}

void HistoryTest::csvHoldsEveryQuantityWithFullDigits() {
  History history;
  history.append(record(0));
  history.append(record(1));
  std::ostringstream out;
  writeQuantities(out, {"a"}, {&history});
  const QStringList lines = QString::fromStdString(out.str()).split('\n');
  const QStringList header = lines[0].split(','), row = lines[2].split(',');
  QCOMPARE(header[0], QStringLiteral("time_s"));
  QCOMPARE(header.size(), 6 + kQuantityCount);
  QCOMPARE(row.size(), header.size());
  const int column = header.indexOf(QStringLiteral("penetration_max_m"));
  QVERIFY(column > 0);
  QVERIFY(row[column].toDouble() == 1.0 / 3);
  QVERIFY(row[header.indexOf(QStringLiteral("jitter_m_per_s"))].isEmpty());  // NaN: does not apply
}

QTEST_APPLESS_MAIN(HistoryTest)
#include "tst_history.moc"
