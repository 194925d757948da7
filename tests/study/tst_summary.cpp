#include <QtTest>

#include "core/study/summary.h"

using namespace touchstone;

/// Output of `touchstone-cli run` for a whole run.
class SummaryTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void warningsOfTheStepsAreCountedOnce();
  void aRunWithoutWarningsHasNoSuchPart();
  void columnsStandBelowTheirHeads();
  void mediansAndMaximaAreOfAllFrames();
  void aVeryLongRunIsSummedUpInBoundedMemory();
  void claimsAreJudgedOnlyWhereTheRunCanJudgeThem();
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
  RunSummary summary{Scene()};
  summary.add(record(0));
  for (std::size_t frame = 1; frame <= warningsOfFrames.size(); ++frame) {
    StepRecord next = record(static_cast<long>(frame));
    next.warnings = warningsOfFrames[frame - 1];
    summary.add(next);
  }
  return summary.result();
}

/// A pane of a run of ten seconds in a scene of 1 m and 1 kg, in which bodies touch and no problem occurs.
PaneSummary good(const char* method) {
  PaneSummary pane;
  pane.method = method;
  pane.frames = pane.touching = 1000;
  pane.endTime = 10;
  pane.scale = {9.81, 9.81e-6, 1.8};
  pane.endKineticEnergy = 1e-9;
  pane.timeMedian = 1;
  pane.trapShare = 0.25;
  return pane;
}

/// "holds", "fails" or why the claim is not judged.
std::string verdictOn(const char* claim, const std::vector<PaneSummary>& panes) {
  for (const Claim& each : checkClaims(panes))
    if (each.text.rfind(claim, 0) == 0)
      return each.verdict == Claim::Verdict::Holds         ? "holds"
             : each.verdict == Claim::Verdict::DoesNotHold ? "fails"
                                                           : each.measured;
  return "no such claim";
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

void SummaryTest::aRunWithoutWarningsHasNoSuchPart() {
  QVERIFY(!QString::fromStdString(summaryTable({run({{}, {}})})).contains("Warnings"));
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

void SummaryTest::mediansAndMaximaAreOfAllFrames() {
  RunSummary summary{Scene()};
  for (long frame = 0; frame < 11; ++frame) {
    StepRecord next = record(frame);
    next.quantities[Quantity::Overlap] = static_cast<double>((frame * 7) % 11);
    next.quantities[Quantity::EnergyKinetic] = static_cast<double>(frame);
    next.status = frame == 4 ? StepStatus::NotConverged : StepStatus::Ok;
    summary.add(next);
  }
  const PaneSummary result = summary.result();
  QCOMPARE(result.frames, 10L);
  QCOMPARE(result.notConverged, 1L);
  QCOMPARE(result.overlapMedian, 5.0);
  QCOMPARE(result.overlapMax, 10.0);
  QCOMPARE(result.endKineticEnergy, 9.5);  // mean of the last two of eleven
  QVERIFY(std::isnan(result.residualMax) && std::isnan(result.trapShare));
}

void SummaryTest::aVeryLongRunIsSummedUpInBoundedMemory() {
  constexpr long kFrames = 1'000'000;
  RunSummary summary{Scene()};
  StepRecord next = record(0);
  for (long frame = 0; frame <= kFrames; ++frame) {
    next.frame = frame;
    next.quantities[Quantity::Overlap] = static_cast<double>(frame);
    next.quantities[Quantity::EnergyKinetic] = frame > kFrames * 4 / 5 ? 1 : 2;
    summary.add(next);
  }
  const PaneSummary result = summary.result();
  QCOMPARE(result.frames, kFrames);
  QCOMPARE(result.overlapMax, static_cast<double>(kFrames));
  QVERIFY(std::abs(result.overlapMedian / (0.5 * kFrames) - 1) < 1e-4);
  QVERIFY(std::abs(result.endKineticEnergy - 1) < 1e-3);
}

void SummaryTest::claimsAreJudgedOnlyWhereTheRunCanJudgeThem() {
  PaneSummary dpf = good("dpf"), cpf = good("cpf"), lcp = good("lcp"), peg = good("peg");
  dpf.endKineticEnergy = 1e-3;
  const char* const rest = "bodies come to rest";
  QCOMPARE(verdictOn(rest, {dpf, cpf}), std::string("holds"));
  PaneSummary moving = cpf;
  moving.endKineticEnergy = 1e-4;  // a hundredth of DPF's is not enough: it does not rest
  PaneSummary wild = dpf;
  wild.endKineticEnergy = 1;
  QCOMPARE(verdictOn(rest, {wild, moving}), std::string("fails"));
  moving.endTime = 0.5;
  QVERIFY(verdictOn(rest, {wild, moving}).find("too short") != std::string::npos);
  for (const char* claim : {rest, "CPF costs"}) {
    PaneSummary diverged = cpf;
    diverged.frozenFrom = 1;
    QVERIFY(verdictOn(claim, {dpf, diverged}).find("is frozen from") != std::string::npos);
    PaneSummary gained = cpf;
    gained.energyGain = 100;
    QVERIFY(verdictOn(claim, {dpf, gained}).find("gained") != std::string::npos);
    PaneSummary untouched = cpf;
    untouched.touching = 0;
    QVERIFY(verdictOn(claim, {dpf, untouched}).find("touch") != std::string::npos);
  }
  QCOMPARE(verdictOn("PEG does not lose", {peg}), std::string("holds"));
  QCOMPARE(verdictOn("PEG keeps overlap", {peg}), std::string("holds"));
  QCOMPARE(verdictOn("about 25 %", {peg}), std::string("holds"));
  QCOMPARE(verdictOn("PEG costs", {lcp, peg}), std::string("holds"));
  peg.touching = 10;
  QVERIFY(verdictOn("about 25 %", {peg}).find("10 frames") != std::string::npos);
  peg.frozenFrom = 2;
  QCOMPARE(verdictOn("PEG does not lose", {peg}), std::string("fails"));
  QVERIFY(verdictOn("PEG keeps overlap", {peg}).find("frozen") != std::string::npos);
}

QTEST_APPLESS_MAIN(SummaryTest)
#include "tst_summary.moc"
