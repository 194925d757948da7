#include <QDirIterator>
#include <QProcess>
#include <QRegularExpression>
#include <QtTest>

/// Rules of language that a program can check, and the format of the sources. Exceptions of each folder are
/// in plain_words.csv; their numbers may only become smaller.
class PlainWordsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase();
  void theRulesSeeWhatTheyForbid_data();
  void theRulesSeeWhatTheyForbid();
  void exceptionsBecomeFewer_data();
  void exceptionsBecomeFewer();
  void indicesAreNotCast();
  void sourcesHaveTheirFormat();

 private:
  struct Finding {
    QString place, text;  ///< file:line, the line
  };
  using Findings = QMap<QString, QVector<Finding>>;  ///< by folder

  static bool breaks(const QString& rule, const QString& line, bool isFirstOfComment);
  static Findings findingsOf(const QString& rule);

  QMap<QString, QMap<QString, int>> m_allowed;  ///< by rule and folder
};

namespace {

const char* const kRules[] = {"doc comment without a subject", "forbidden words", "pronoun as a name"};

const QRegularExpression& pattern(const QString& rule) {
  static const QMap<QString, QRegularExpression> patterns = {
      // The first line of a comment for a reader of the interface.
      {kRules[0], QRegularExpression(QStringLiteral(
                      "^\\s*///\\s+(Of|What|Whether|Where|How|Likewise|As|Those|By|With)\\b"))},
      // Words that say less than the field's own, in comments and in the guide.
      {kRules[1], QRegularExpression(QStringLiteral(
                      "\\b(bring(s|ing)? home|c[oa]me(s)? (near|along)|go(es)? round|stands? beside|lies? in "
                      "wait|for ever|"
                      "such a one|such an one|what is left|as (it|they) likes?|the whole of|wants? to be|"
                      "(is|are) told|tells? of|takes? no part|comes? to an end)\\b"))},
      // A declaration: a type, then the name, then what follows the name of a variable.
      {kRules[2],
       QRegularExpression(QStringLiteral(
           "[A-Za-z0-9_>][&*]{0,2} (?<!return )(?<!delete )(?<!else )(?<!case )(?<!goto )(?<!typename )"
           "(own|at|each|all|most|left|there|here|of|told|those)(?= ?(=(?!=)|;|\\{|:(?!:)|,(?= ?\\*?&?"
           "[a-z]\\w*( =|;|,|\\())))"))}};
  return *patterns.find(rule);
}

/// The part of a line that a rule reads: comments for words, code for names.
QString partFor(const QString& rule, const QString& line) {
  const int comment = line.indexOf(QStringLiteral("//"));
  if (rule == QLatin1String(kRules[0])) return line;
  if (rule == QLatin1String(kRules[1])) return comment < 0 ? QString() : line.mid(comment);
  QString code = comment < 0 ? line : line.left(comment);
  static const QRegularExpression text(QStringLiteral("\"([^\"\\\\]|\\\\.)*\""));
  return code.contains('"') ? code.remove(text) : code;
}

QStringList sourceFiles() {
  QStringList files;
  for (const char* top : {"core", "gpu", "widgets", "app"}) {
    QDirIterator found(QStringLiteral(TS_SOURCE_DIR "/%1").arg(top), {"*.h", "*.cpp", "*.inl", "*.cu"},
                       QDir::Files, QDirIterator::Subdirectories);
    while (found.hasNext()) files << QDir(TS_SOURCE_DIR).relativeFilePath(found.next());
  }
  files.sort();
  return files;
}

QStringList linesOf(const QString& path) {
  QFile file(QStringLiteral(TS_SOURCE_DIR "/") + path);
  if (!file.open(QIODevice::ReadOnly)) return {};
  return QString::fromUtf8(file.readAll()).split('\n');
}

}  // namespace

bool PlainWordsTest::breaks(const QString& rule, const QString& line, bool isFirstOfComment) {
  if (rule == QLatin1String(kRules[0]) && !isFirstOfComment) return false;
  static const QRegularExpression sides(QStringLiteral("\\bleft\\b.*\\bright\\b"));
  if (rule == QLatin1String(kRules[2]) && line.contains(sides)) return false;
  return pattern(rule).match(partFor(rule, line)).hasMatch();
}

PlainWordsTest::Findings PlainWordsTest::findingsOf(const QString& rule) {
  Findings findings;
  for (const QString& path : sourceFiles()) {
    const QStringList lines = linesOf(path);
    for (int number = 0; number < lines.size(); ++number) {
      const bool isFirst = number == 0 || !lines[number - 1].trimmed().startsWith(QLatin1String("///"));
      if (breaks(rule, lines[number], isFirst))
        findings[QFileInfo(path).path()].push_back(
            {QStringLiteral("%1:%2").arg(path).arg(number + 1), lines[number].trimmed()});
    }
  }
  return findings;
}

void PlainWordsTest::initTestCase() {
  const QStringList lines = linesOf("tests/sources/plain_words.csv");
  QVERIFY(lines.size() > 1);
  for (const QString& line : lines.mid(1)) {
    const QStringList cells = line.split(',');
    if (cells.size() == 3) m_allowed[cells[0]][cells[1]] = cells[2].toInt();
  }
}

void PlainWordsTest::theRulesSeeWhatTheyForbid_data() {
  QTest::addColumn<int>("rule");
  QTest::addColumn<QString>("line");
  QTest::addColumn<bool>("isBroken");
  QTest::newRow("comment that begins with Of") << 0 << "  /// Of the running step." << true;
  QTest::newRow("comment that begins with What") << 0 << "/// What a step has a row for." << true;
  QTest::newRow("comment with a subject") << 0 << "/// Rows of the running step." << false;
  QTest::newRow("a longer word") << 0 << "/// Offsets of the rows." << false;
  QTest::newRow("such a one") << 1 << "// The first such a one wins." << true;
  QTest::newRow("words in code") << 1 << "const char* text = \"for ever\";" << false;
  QTest::newRow("words in a comment") << 1 << "wait();  // for ever" << true;
  QTest::newRow("local") << 2 << "    const IslandCurve& own = islands[island];" << true;
  QTest::newRow("loop") << 2 << "  for (const Joint& each : scene.joints)" << true;
  QTest::newRow("index") << 2 << "  for (std::size_t at = 0; at < n; ++at)" << true;
  QTest::newRow("pointer") << 2 << "  const Vec3* left = corners;" << true;
  QTest::newRow("noun") << 2 << "    const IslandCurve& curve = islands[island];" << false;
  QTest::newRow("function") << 2 << "  double at(double time) const {" << false;
  QTest::newRow("call of a function") << 2 << "  return v.at(0);" << false;
  QTest::newRow("name in a text") << 2 << "  throw Error(\"file \", \"const int own = 1\");" << false;
  QTest::newRow("sides") << 2 << "  int left = -1, right = -1;" << false;
  QTest::newRow("longer name") << 2 << "  const int ofIsland = 1;" << false;
}

void PlainWordsTest::theRulesSeeWhatTheyForbid() {
  QFETCH(int, rule);
  QFETCH(QString, line);
  QFETCH(bool, isBroken);
  QCOMPARE(breaks(kRules[rule], line, true), isBroken);
}

void PlainWordsTest::exceptionsBecomeFewer_data() {
  QTest::addColumn<QString>("rule");
  for (const char* rule : kRules) QTest::newRow(rule) << QString(rule);
}

void PlainWordsTest::exceptionsBecomeFewer() {
  QFETCH(QString, rule);
  const Findings findings = findingsOf(rule);
  const QMap<QString, int> allowed = m_allowed[rule];
  QStringList faults, list;
  QStringList folders = findings.keys() + allowed.keys();
  folders.removeDuplicates();
  for (const QString& folder : folders) {
    const QVector<Finding> found = findings.value(folder);
    const int count = found.size(), limit = allowed.value(folder);
    if (count > 0) list << QStringLiteral("%1,%2,%3").arg(rule, folder).arg(count);
    if (count == limit) continue;
    faults << QStringLiteral("%1: %2 in %3, %4 in plain_words.csv%5")
                  .arg(rule)
                  .arg(count)
                  .arg(folder)
                  .arg(limit)
                  .arg(count < limit ? "; write the smaller number there" : "; new ones are not allowed:");
    if (count > limit)
      for (const Finding& finding : found) faults << "  " + finding.place + "  " + finding.text;
  }
  // The list with the present numbers, to be copied after some were mended.
  if (qEnvironmentVariableIsSet("TOUCHSTONE_PRINT_EXCEPTIONS"))
    for (const QString& line : list) std::printf("%s\n", qPrintable(line));
  QVERIFY2(faults.isEmpty(), qPrintable("\n" + faults.join('\n')));
}

/// A cast of an index hides what the line says, and the compiler asks for none.
void PlainWordsTest::indicesAreNotCast() {
  int count = 0;
  for (const QString& path : sourceFiles())
    for (const QString& line : linesOf(path)) count += line.count(QLatin1String("static_cast<std::size_t>"));
  QVERIFY2(count <= 30, qPrintable(QString::number(count)));
}

void PlainWordsTest::sourcesHaveTheirFormat() {
  // Other versions break lines in other places.
  QString program;
  for (const char* name : {"clang-format-14", "clang-format"}) {
    QProcess version;
    version.start(name, {"--version"});
    if (version.waitForFinished() && version.readAllStandardOutput().contains("version 14.")) program = name;
    if (!program.isEmpty()) break;
  }
  if (program.isEmpty()) QSKIP("clang-format 14 is not installed");
  QStringList files = sourceFiles();
  QDirIterator tests(QStringLiteral(TS_SOURCE_DIR "/tests"), {"*.h", "*.cpp", "*.inl"}, QDir::Files,
                     QDirIterator::Subdirectories);
  while (tests.hasNext()) files << QDir(TS_SOURCE_DIR).relativeFilePath(tests.next());
  QProcess format;
  format.setWorkingDirectory(TS_SOURCE_DIR);
  format.start(program, QStringList{"--dry-run", "-Werror"} + files);
  QVERIFY(format.waitForFinished(-1));
  QVERIFY2(format.exitCode() == 0, qPrintable("run clang-format -i on these files:\n" +
                                              QString::fromUtf8(format.readAllStandardError())));
}

QTEST_GUILESS_MAIN(PlainWordsTest)
#include "tst_plain_words.moc"
