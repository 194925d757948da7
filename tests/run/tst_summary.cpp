#include <QtTest>

#include "core/run/summary.h"

using namespace touchstone;

/// What `touchstone-cli run` prints of a whole run.
class SummaryTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void warningsOfTheStepsAreCountedOnce();
  void aRunWithoutWarningsHasNoSuchPart();
  void columnsStandBelowTheirHeads();
};

namespace {

History run(const std::vector<std::vector<std::string>>& warningsOfFrames) {
  History history;
  for (std::size_t frame = 0; frame <= warningsOfFrames.size(); ++frame) {
    auto record = std::make_shared<StepRecord>();
    record->method = "cpf";
    record->frame = static_cast<long>(frame);
    record->time = 0.25 * static_cast<double>(frame);
    if (frame > 0) record->warnings = warningsOfFrames[frame - 1];
    history.append(record);
  }
  return history;
}

}  // namespace

void SummaryTest::warningsOfTheStepsAreCountedOnce() {
  const PaneSummary summary = summarise(run({{},
                                             {"40 rows are too many", "7 rows are too many"},
                                             {"the device is lost", "9.5e+04 rows are too many"}}));
  QCOMPARE(summary.warnings.size(), std::size_t(2));
  QCOMPARE(summary.warnings[0].text, std::string("40 rows are too many"));
  QCOMPARE(summary.warnings[0].frames, 2L);
  QCOMPARE(summary.warnings[0].since, 0.5);
  QCOMPARE(summary.warnings[1].text, std::string("the device is lost"));
  QCOMPARE(summary.warnings[1].frames, 1L);
  const QString table = QString::fromStdString(summaryTable({summary}));
  QVERIFY(table.contains("cpf, 2 of 3 frames, first at 0.500 s: 40 rows are too many\n"));
  QVERIFY(table.contains("cpf, 1 of 3 frames, first at 0.750 s: the device is lost\n"));
}

void SummaryTest::aRunWithoutWarningsHasNoSuchPart() {
  QVERIFY(!QString::fromStdString(summaryTable({summarise(run({{}, {}}))})).contains("Warnings"));
}

void SummaryTest::columnsStandBelowTheirHeads() {
  PaneSummary brief, lengthy;
  brief.method = "cpf";
  lengthy.method = "dpf-ccd";
  lengthy.solver = "newton-min-gauss-seidel";
  brief.frames = lengthy.frames = 1234567;
  const QStringList lines = QString::fromStdString(summaryTable({brief, lengthy})).split('\n');
  const int end = lines[0].indexOf("frames") + 6;
  QCOMPARE(lines[2].indexOf("1234567") + 7, end);
  QCOMPARE(lines[3].indexOf("1234567") + 7, end);
}

QTEST_APPLESS_MAIN(SummaryTest)
#include "tst_summary.moc"
