#include <QRegularExpression>
#include <QtTest>

#include "tests/support/command_folder.h"

using namespace touchstone;

/// The page that `touchstone-cli bench --markdown` writes, and the one that is shipped: BENCHMARKS.md.
class BenchPageTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void aSmallBenchmarkGivesAWellFormedPage();
  void theShippedPageIsWellFormed();
  void aPageIsNotAlsoJson();
};

static QString problemOf(const QByteArray& text) {
  const QStringList lines = QString::fromUtf8(text).split('\n');
  if (!text.startsWith("# Benchmarks\n\n")) return QStringLiteral("it has no heading");
  if (!text.endsWith("\n") || text.endsWith("\n\n")) return QStringLiteral("its end is not one line feed");
  for (const char* row : {"command", "date", "version", "built with", "cpu", "other programs"})
    if (!text.contains("\n| " + QByteArray(row) + " | "))
      return QStringLiteral("it does not tell: %1").arg(row);
  int cells = 0;  // of the table that is being read
  for (int line = 0; line < lines.size(); ++line) {
    if (!lines[line].startsWith('|')) {
      cells = 0;
      continue;
    }
    const int count = lines[line].count('|') - lines[line].count(QStringLiteral("\\|"));
    if (cells == 0 && (line == 0 || !lines[line - 1].isEmpty())) return "no empty line before " + lines[line];
    if (cells == 0 && !QRegularExpression("^(\\| --- )+\\|$").match(lines.value(line + 1)).hasMatch())
      return "no line of dashes below " + lines[line];
    if (cells != 0 && cells != count) return "another number of cells: " + lines[line];
    cells = count;
  }
  for (int line = 0; line + 2 < lines.size(); ++line)
    if (lines[line].startsWith("## ") && (lines[line + 2].isEmpty() || lines[line + 2].startsWith('|')))
      return "no sentence below " + lines[line];
  return {};
}

void BenchPageTest::aSmallBenchmarkGivesAWellFormedPage() {
  const test::CommandFolder folder;
  const auto bench = folder.started({"bench", "resting-box,heavy", "--markdown"});
  QCOMPARE(test::endOf(*bench, 60000), 0);
  const QByteArray page = bench->readAllStandardOutput();
  QVERIFY2(problemOf(page).isEmpty(), qPrintable(problemOf(page) + "\n" + page));
  QVERIFY(page.contains("| command | `touchstone-cli bench resting-box,heavy --markdown` |\n"));
  QCOMPARE(page.count("\n## "), 2);
  for (const char* row :
       {"step/resting-box/dpf", "step/resting-box/peg exact", "ratio/resting-box/cpf over dpf"})
    QVERIFY2(page.contains("\n| " + QByteArray(row) + " | "), page);
}

void BenchPageTest::theShippedPageIsWellFormed() {
  QFile file(QStringLiteral(TS_SOURCE_DIR "/BENCHMARKS.md"));
  QVERIFY(file.open(QIODevice::ReadOnly));
  const QByteArray page = file.readAll();
  QVERIFY2(problemOf(page).isEmpty(), qPrintable(problemOf(page)));
  QVERIFY(!page.contains(" failed: "));
  // The largest wall time of a frame is that of the machine's scheduler; a page has percentiles.
  QVERIFY(!page.contains("| least … largest |"));
  for (const char* row : {"piles/pour/lcp interactive", "piles/1000 boxes/nsn", "piles/tables/peg",
                          "scale/four panes of pour at once"})
    QVERIFY2(page.contains("\n| " + QByteArray(row) + " | "), row);
  QVERIFY(page.count("\n## ") > 5);
}

void BenchPageTest::aPageIsNotAlsoJson() {
  const test::CommandFolder folder;
  const auto bench = folder.started({"bench", "resting-box", "--markdown", "--json"});
  QCOMPARE(test::endOf(*bench, 60000), 2);
}

QTEST_GUILESS_MAIN(BenchPageTest)
#include "tst_bench_page.moc"
