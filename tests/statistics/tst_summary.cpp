#include <QtTest>

#include "core/statistics/summary.h"

using namespace touchstone;

/// Output of `touchstone-cli run` for a whole run.
class SummaryTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void warningsOfTheStepsAreCountedOnce();
  void theStartIsNoFrame();
  void solversThatDeliveredAreNamedIfTheyAreOthers();
  void aRunWithoutWarningsHasNoSuchPart();
  void columnsStandBelowTheirHeads();
  void mediansAndMaximaAreOfAllFrames();
  void framesAreCountedByTheirStatus();
  void aVeryLongRunIsSummedUpInBoundedMemory();
};

namespace {

StepRecord record(long frame) {
  StepRecord record;
  record.method = "cpf";
  record.frame = frame;
  record.time = 0.25 * static_cast<double>(frame);
  return record;
}

PaneSummary run(const std::vector<std::vector<std::string>>& warningsOfFrames) {
  RunCourse summary;
  summary.add(record(0));
  for (std::size_t frame = 1; frame <= warningsOfFrames.size(); ++frame) {
    StepRecord next = record(static_cast<long>(frame));
    next.warnings = warningsOfFrames[frame - 1];
    summary.add(next);
  }
  return summaryOf(summary, 1);
}

}  // namespace

void SummaryTest::warningsOfTheStepsAreCountedOnce() {
  const PaneSummary summary = run({{},
                                   {"40 rows are too many", "7 rows are too many"},
                                   {"the device is lost", "9.5e+04 rows are too many"}});
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

void SummaryTest::theStartIsNoFrame() {
  RunCourse summary;
  for (long frame = 0; frame <= 3; ++frame) {
    StepRecord next = record(frame);
    next.warnings = {"too stiff"};
    if (frame == 0) next.warnings.push_back("bodies overlap");
    summary.add(next);
  }
  const QString table = QString::fromStdString(summaryTable({summaryOf(summary, 1)}));
  QVERIFY2(table.contains("cpf, at the start and in 3 of 3 frames: too stiff\n"), qPrintable(table));
  QVERIFY2(table.contains("cpf, at the start: bodies overlap\n"), qPrintable(table));
}

void SummaryTest::solversThatDeliveredAreNamedIfTheyAreOthers() {
  const auto tableOf = [](const std::vector<std::string>& delivered) {
    RunCourse summary;
    for (std::size_t frame = 0; frame <= delivered.size(); ++frame) {
      StepRecord next = record(static_cast<long>(frame));
      next.solver = "pgs";
      if (frame > 0) next.deliveredBy = delivered[frame - 1];
      summary.add(next);
    }
    return QString::fromStdString(summaryTable({summaryOf(summary, 1)}));
  };
  QVERIFY(!tableOf({"pgs", "", "pgs"}).contains("Answers"));
  const QString table = tableOf({"pgs", "lemke", "lemke"});
  QVERIFY2(table.contains("  cpf-pgs: pgs in 1 of 3 frames; lemke in 2 of 3 frames\n"), qPrintable(table));
}

void SummaryTest::aRunWithoutWarningsHasNoSuchPart() {
  QVERIFY(!QString::fromStdString(summaryTable({run({{}, {}})})).contains("Warnings"));
}

void SummaryTest::columnsStandBelowTheirHeads() {
  PaneSummary brief, lengthy;
  brief.method = "cpf";
  lengthy.method = "dpf-ccd";
  lengthy.solver = "newton-min-gauss-seidel";
  brief.energy = lengthy.energy = 1234567;
  const QStringList lines = QString::fromStdString(summaryTable({brief, lengthy})).split('\n');
  const QString* row =
      std::find_if(lines.begin(), lines.end(),
                   [](const QString& line) { return line.startsWith("Frames with energy made"); })
          .
          operator->();
  QCOMPARE(row->indexOf("1234567") + 7, lines[0].indexOf("cpf") + 3);
  QCOMPARE(row->lastIndexOf("1234567") + 7, lines[0].indexOf("gauss-seidel") + 12);
}

void SummaryTest::mediansAndMaximaAreOfAllFrames() {
  RunCourse summary;
  for (long frame = 0; frame < 11; ++frame) {
    StepRecord next = record(frame);
    next.quantities[Quantity::Overlap] = static_cast<double>((frame * 7) % 11);
    next.quantities[Quantity::EnergyKinetic] = static_cast<double>(frame);
    next.status = frame == 4 ? StepStatus::NotConverged : StepStatus::Ok;
    summary.add(next);
  }
  const PaneSummary result = summaryOf(summary, 1);
  QCOMPARE(result.frames, 10L);
  QCOMPARE(result.notConverged, 1L);
  QCOMPARE(result.overlapMedian, 5.0);
  QCOMPARE(result.overlapMax, 10.0);
  QCOMPARE(result.endKineticEnergy, 9.5);  // mean of the last two of eleven
  QVERIFY(std::isnan(result.residualMax));
}

void SummaryTest::framesAreCountedByTheirStatus() {
  const StepStatus statuses[] = {StepStatus::NotConverged, StepStatus::Energy,       StepStatus::NoSolution,
                                 StepStatus::NotConverged, StepStatus::NotConverged, StepStatus::Diverged,
                                 StepStatus::Diverged};
  RunCourse summary;
  long frame = 0;
  for (const StepStatus status : statuses) {
    StepRecord next = record(frame++);
    next.status = status;
    summary.add(next);
  }
  const PaneSummary result = summaryOf(summary, 1);
  QCOMPARE(result.frames, 6L);  // the start is no frame
  QCOMPARE(result.notConverged, 2L);
  QCOMPARE(result.energy, 1L);
  QCOMPARE(result.noSolution, 1L);
  QCOMPARE(result.frozenFrom, 1.25);  // the first of them
}

void SummaryTest::aVeryLongRunIsSummedUpInBoundedMemory() {
  constexpr long kFrames = 1'000'000;
  RunCourse summary;
  StepRecord next = record(0);
  for (long frame = 0; frame <= kFrames; ++frame) {
    next.frame = frame;
    next.quantities[Quantity::Overlap] = static_cast<double>(frame);
    next.quantities[Quantity::EnergyKinetic] = frame > kFrames * 4 / 5 ? 1 : 2;
    summary.add(next);
  }
  const PaneSummary result = summaryOf(summary, 1);
  QCOMPARE(result.frames, kFrames);
  QCOMPARE(result.overlapMax, static_cast<double>(kFrames));
  QVERIFY(std::abs(result.overlapMedian / (0.5 * kFrames) - 1) < 1e-4);
  QVERIFY(std::abs(result.endKineticEnergy - 1) < 1e-3);
}

QTEST_APPLESS_MAIN(SummaryTest)
#include "tst_summary.moc"
