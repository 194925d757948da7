#include <QtTest>
#include <cmath>

#include "core/run/comparison.h"
#include "core/run/pane_name.h"
#include "core/statistics/summary.h"
#include "tests/support/scenes.h"

using namespace touchstone;

/// Verdict on a comparison: which pane is better in which quantity, and by how much.
class VerdictTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void timeToRestIsTheFirstTimeAfterWhichTheEnergyStaysLow();
  void aBodyThatNeverRestsHasNoJitter();
  void jitterIsTheRootMeanSquareSpeedAtRest();
  void energyMadeIsTheLargestRise();
  void theBestIsMarkedWhereDifferencesCount_data();
  void theBestIsMarkedWhereDifferencesCount();
  void aFrozenPaneIsNeverTheBest();
  void aRangeHasItsFramesOnly();
  void truncatedFramesCountNoMore();
  void aCourseKeepsTheFramesThatAHistoryDrops();
  void theStatusOfARunNamesItsWorstFrames_data();
  void theStatusOfARunNamesItsWorstFrames();
  void differenceAndRatioReferToTheReference();
  void copiesParseBack();
};

namespace {

StepRecord frameOf(long frame, double kinetic) {
  StepRecord record;
  record.method = "cpf";
  record.frame = frame;
  record.time = 0.1 * static_cast<double>(frame);
  record.quantities[Quantity::EnergyKinetic] = kinetic;
  return record;
}

RunCourse courseOf(const std::vector<double>& kinetic) {
  RunCourse course;
  for (std::size_t frame = 0; frame < kinetic.size(); ++frame)
    course.add(frameOf(static_cast<long>(frame), kinetic[frame]));
  return course;
}

const VerdictRow& rowOf(const VerdictTable& table, const std::string& key) {
  for (const VerdictRow& row : table.rows)
    if (row.key == key) return row;
  throw std::runtime_error(key + " is no row");
}

VerdictTable tableOf(const std::vector<double>& depths) {
  std::vector<PaneSummary> panes;
  for (const double depth : depths) {
    PaneSummary pane;
    pane.label = "pane" + std::to_string(panes.size());
    pane.penetrationMax = depth;
    panes.push_back(pane);
  }
  return verdictOf(panes);
}

}  // namespace

// The largest value is 4 J: 3e-6 J is below 1e-6 of it, and rises above it once more before it stays.
void VerdictTest::timeToRestIsTheFirstTimeAfterWhichTheEnergyStaysLow() {
  const PaneSummary rests = summaryOf(courseOf({1, 4, 3e-6, 5e-6, 3e-6, 1e-7}), 1);
  QCOMPARE(rests.timeToRest, 0.4);
  QCOMPARE(summaryOf(courseOf({0, 0, 0}), 1).timeToRest, 0.0);
}

void VerdictTest::aBodyThatNeverRestsHasNoJitter() {
  const PaneSummary moves = summaryOf(courseOf({1, 4, 1e-7, 1}), 1);
  QVERIFY(std::isinf(moves.timeToRest));
  QVERIFY(std::isnan(moves.jitter));
  const VerdictTable table = verdictOf({moves});
  QCOMPARE(verdictCell(rowOf(table, "time_to_rest"), 0), std::string("never"));
}

// v = √(2 Ē / M), Ē = (4e-8 + 1.2e-7) / 2 J.
void VerdictTest::jitterIsTheRootMeanSquareSpeedAtRest() {
  QCOMPARE(summaryOf(courseOf({4, 4e-8, 1.2e-7}), 2).jitter, std::sqrt(2 * 8e-8 / 2));
}

void VerdictTest::energyMadeIsTheLargestRise() {
  RunCourse course;
  const double drifts[] = {0, -3, 1.5, -2};
  for (long frame = 0; frame < 4; ++frame) {
    StepRecord record = frameOf(frame, 1);
    record.quantities[Quantity::EnergyDrift] = drifts[frame];
    course.add(record);
  }
  QCOMPARE(summaryOf(course, 1).energyMade, 1.5);
  QCOMPARE(summaryOf(course, 1, {0, 1}).energyMade, 0.0);
}

void VerdictTest::theBestIsMarkedWhereDifferencesCount_data() {
  QTest::addColumn<QVector<double>>("depths");
  QTest::addColumn<QString>("best");
  QTest::newRow("one is less") << QVector<double>{2e-3, 1e-3, 3e-3} << "010";
  QTest::newRow("two within 5 %") << QVector<double>{1.04e-3, 1e-3, 3e-3} << "110";
  QTest::newRow("all within 5 %") << QVector<double>{1.04e-3, 1e-3} << "00";
  QTest::newRow("all below the floor of 1e-9 m") << QVector<double>{5e-10, 1e-12, 0} << "000";
  QTest::newRow("some below the floor") << QVector<double>{5e-10, 1e-12, 1e-6} << "110";
  QTest::newRow("one without a value") << QVector<double>{std::nan(""), 2e-3, 1e-3} << "001";
  QTest::newRow("a single pane") << QVector<double>{1e-3} << "0";
}

void VerdictTest::theBestIsMarkedWhereDifferencesCount() {
  QFETCH(QVector<double>, depths);
  QFETCH(QString, best);
  const VerdictTable table = tableOf(std::vector<double>(depths.begin(), depths.end()));
  QString marks;
  for (const unsigned char mark : bestOf(table, rowOf(table, "penetration_max"))) marks += mark ? '1' : '0';
  QCOMPARE(marks, best);
}

void VerdictTest::aFrozenPaneIsNeverTheBest() {
  VerdictTable table = tableOf({1e-6, 2e-3, 3e-3});
  table.frozen[0] = 1;
  const std::vector<unsigned char> best = bestOf(table, rowOf(table, "penetration_max"));
  QCOMPARE(int(best[0]), 0);
  QCOMPARE(int(best[1]), 1);
}

void VerdictTest::aRangeHasItsFramesOnly() {
  RunCourse course;
  for (long frame = 0; frame <= 9; ++frame) {
    StepRecord record = frameOf(frame, 1);
    record.quantities[Quantity::PenetrationMax] = static_cast<double>(frame);
    record.status = frame >= 5 ? StepStatus::NotConverged : StepStatus::Ok;
    if (frame >= 7) record.warnings = {"late"};
    course.add(record);
  }
  const PaneSummary part = summaryOf(course, 1, {2, 6});
  QCOMPARE(part.frames, 5L);
  QCOMPARE(part.notConverged, 2L);
  QCOMPARE(part.penetrationMax, 6.0);
  QCOMPARE(part.penetrationMedian, 4.0);
  QVERIFY(part.warnings.empty());
}

void VerdictTest::truncatedFramesCountNoMore() {
  RunCourse course;
  for (long frame = 0; frame <= 9; ++frame) {
    StepRecord record = frameOf(frame, 1);
    record.quantities[Quantity::PenetrationMax] = static_cast<double>(frame);
    record.status = frame >= 5 ? StepStatus::Energy : StepStatus::Ok;
    record.statusText = frame >= 5 ? "energy rose" : "";
    record.deliveredBy = frame >= 3 ? "pgs" : "lemke";
    if (frame >= 4) record.warnings = {"warm"};
    course.add(record);
  }
  course.truncateAfter(5);
  const PaneSummary part = summaryOf(course, 1);
  QCOMPARE(part.frames, 5L);
  QCOMPARE(part.energy, 1L);
  QCOMPARE(part.penetrationMax, 5.0);
  QCOMPARE(part.warnings.at(0).frames, 2L);
  QCOMPARE(part.delivered.at(1).second, 3L);
  course.truncateAfter(3);
  QVERIFY(summaryOf(course, 1).warnings.empty());
  QCOMPARE(course.statuses().size(), std::size_t(1));
}

void VerdictTest::aCourseKeepsTheFramesThatAHistoryDrops() {
  History all, newest(History::kNewestOnly);
  for (long frame = 0; frame <= 50; ++frame)
    for (History* history : {&all, &newest}) {
      StepRecord record = frameOf(frame, std::exp(-static_cast<double>(frame)));
      record.quantities[Quantity::PenetrationMax] = static_cast<double>((7 * frame) % 51);
      history->append(std::make_shared<const StepRecord>(record));
    }
  QVERIFY(newest.size() < 3);
  const PaneSummary whole = summaryOf(all.course(), 1), kept = summaryOf(newest.course(), 1);
  QCOMPARE(kept.penetrationMedian, whole.penetrationMedian);
  QCOMPARE(kept.penetrationMedian, 25.0);
  QCOMPARE(kept.timeToRest, whole.timeToRest);
  QCOMPARE(kept.timeToRest, 1.4);  // e⁻¹⁴ is the first below 10⁻⁶
}

void VerdictTest::theStatusOfARunNamesItsWorstFrames_data() {
  QTest::addColumn<QString>(
      "letters");  // a frame each: . ok, n not converged, t torn joint, e energy, d diverged
  QTest::addColumn<QString>("text");
  QTest::addColumn<bool>("serious");
  QTest::addColumn<int>("first");
  const QString many(298, '.');
  QTest::newRow("ok") << "...."
                      << "ok" << false << -1;
  QTest::newRow("few are not converged") << "n" + many + "n"
                                         << "ok · 2 of 300 frames not converged" << false << 1;
  QTest::newRow("one in a hundred") << "n" + many + "nn"
                                    << "ok · 3 of 301 frames not converged" << false << 1;
  QTest::newRow("at least 1 %") << "nn" + many + "nn"
                                << "4 of 302 frames not converged" << true << 1;
  QTest::newRow("one made energy") << many + "e."
                                   << "1 of 300 frames made energy" << true << 299;
  QTest::newRow("a torn joint") << many + ".t"
                                << "1 of 300 frames missed a contact or tore a joint" << true << 300;
  QTest::newRow("the worst first") << "n.e.n.e" + many
                                   << "2 of 305 frames made energy; 2 of 305 frames not converged" << true
                                   << 3;
  QTest::newRow("diverged") << "..e.ddd"
                            << "diverged at 0.500 s; 1 of 7 frames made energy" << true << 5;
}

void VerdictTest::theStatusOfARunNamesItsWorstFrames() {
  QFETCH(QString, letters);
  QFETCH(QString, text);
  QFETCH(bool, serious);
  QFETCH(int, first);
  RunCourse course;
  course.add(frameOf(0, 1));
  for (int index = 0; index < letters.size(); ++index) {
    StepRecord record = frameOf(index + 1, 1);
    const QChar letter = letters[index];
    record.solverTolerance = 1e-9;
    record.quantities[Quantity::Residual] = letter == 'n' ? 1e-3 : 1e-12;
    record.status = letter == 'n' || letter == 't' ? StepStatus::NotConverged
                    : letter == 'e'                ? StepStatus::Energy
                    : letter == 'd'                ? StepStatus::Diverged
                                                   : StepStatus::Ok;
    record.statusText = "frame " + std::to_string(index + 1);
    course.add(record);
  }
  const RunStatus status = runStatusOf(course);
  QCOMPARE(QString::fromStdString(status.text), text);
  QCOMPARE(status.isSerious, serious);
  QCOMPARE(status.isOk, letters.count('.') == letters.size());
  QCOMPARE(int(status.firstFrame), first);
  if (first > 0) QCOMPARE(QString::fromStdString(status.reason), QStringLiteral("frame %1").arg(first));
}

void VerdictTest::differenceAndRatioReferToTheReference() {
  const VerdictTable table = tableOf({2e-3, 5e-3});
  const VerdictRow& row = rowOf(table, "penetration_max");
  QCOMPARE(verdictCell(row, 1, VerdictForm::Difference, 0), std::string("+0.003"));
  QCOMPARE(verdictCell(row, 0, VerdictForm::Difference, 1), std::string("-0.003"));
  QCOMPARE(verdictCell(row, 1, VerdictForm::Ratio, 0), std::string("× 2.5"));
  QCOMPARE(verdictCell(row, 0, VerdictForm::Ratio, 0), std::string("0.002"));
}

void VerdictTest::copiesParseBack() {
  VerdictTable table = tableOf({1.0 / 3, 2e-3});
  table.panes[0] = "peg:step=exact,a|b_c";
  const QStringList csv = QString::fromStdString(verdictCsv(table)).split('\n');
  QCOMPARE(csv[0], QString("key,quantity,unit,\"peg:step=exact,a|b_c\",pane1"));
  bool found = false;
  for (const QString& line : csv)
    if (line.startsWith("penetration_max,")) {
      found = true;
      QCOMPARE(line.split(',')[3].toDouble(), 1.0 / 3);
    }
  QVERIFY(found);
  // As many cells in each line as in the head.
  const auto cells = [](const QString& line, const QRegularExpression& between) {
    return line.split(between).size();
  };
  const QStringList markdown = QString::fromStdString(verdictMarkdown(table)).trimmed().split('\n');
  for (const QString& line : markdown) QCOMPARE(cells(line, QRegularExpression("(?<!\\\\)\\|")), 5);
  QVERIFY(markdown.filter("Deepest").first().contains("**0.002**"));
  for (const QString& line : QString::fromStdString(verdictLatex(table)).split('\n'))
    if (line.endsWith("\\\\")) QCOMPARE(cells(line, QRegularExpression("(?<!\\\\)&")), 3);
  QVERIFY(QString::fromStdString(verdictLatex(table)).contains("a\\textbar{}b\\_c"));
}

QTEST_APPLESS_MAIN(VerdictTest)
#include "tst_verdict.moc"
