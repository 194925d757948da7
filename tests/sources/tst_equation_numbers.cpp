#include <QDirIterator>
#include <QMap>
#include <QRegularExpression>
#include <QSet>
#include <QtTest>

/// Equations of the papers are found by their numbers: a number in a help page, a lesson or another text must
/// be in the doc comment of the function that implements the equation.
class EquationNumbersTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void readsWhatATextCites_data();
  void readsWhatATextCites();
  void findsNumbersWithoutAPaper_data();
  void findsNumbersWithoutAPaper();
  void tellsDocCommentsFromOtherText();
  void everyNumberFollowsItsPaper();
  void everyCitedEquationIsInADocComment();
  void everyImplementedEquationIsInADocComment();
  void docCommentsNameNoOtherEquation();
};

namespace {

/// Equations implemented by functions under core/. Of 3 to 18 of Tang 2012, 5 and 15 match no
/// function.
const QString kImplemented = QStringLiteral(
    "Tang 2012, eqs. 3, 4, 6 to 14 and 16 to 18;"
    "Williams 2017, eqs. 6 to 10, 20, 24, 35, 36, 39, 40, 48 and 49;"
    "Macklin 2019, eqs. 13, 16, 35, 53, 56, 57, 59, 60, 66, 71 to 75, 82, 92, 99, 101, 102 and 104 to 107");
/// Equations that doc comments name because something else replaces them.
const QString kReplaced = QStringLiteral("Williams 2017, eq. 38; Macklin 2019, eqs. 26 and 27");

/// `Author YEAR, eq. N` or `Author YEAR, eqs. N, N and N to N`. Further authors may follow the first (`et
/// al.` or by name), and a supplement, sections, appendices and figures the year.
const QRegularExpression kCitation(
    QStringLiteral(
        R"((\p{Lu}\p{L}+)(?: et al\.|(?:, \p{Lu}\p{L}+)* and \p{Lu}\p{L}+)? (\d{4}(?:, supplement)?))"
        R"((?:,? (?:section|appendix|figure) [\w.]*\w)*,? )"
        R"((?:eq\. (?<one>\d+)|eqs\. (?<list>\d+(?:(?:, and |, | and | to |–)\d+)*))(?!\w))"),
    QRegularExpression::UseUnicodePropertiesOption);
const QRegularExpression kMention(QStringLiteral(R"(\b(?:[Ee]qs?\.|[Ee]quations?) ?\(?\d+)"));

/// "Tang 2012, eq. 12" for each cited equation of a text.
QSet<QString> equationsCitedBy(const QString& text) {
  static const QRegularExpression part(QStringLiteral(R"((\D*)(\d+))"));
  QSet<QString> result;
  auto citations = kCitation.globalMatch(text.simplified());
  while (citations.hasNext()) {
    const auto citation = citations.next();
    const QString paper = citation.captured(1) + ' ' + citation.captured(2);
    auto parts = part.globalMatch(citation.captured("one") + citation.captured("list"));
    int last = 0;
    while (parts.hasNext()) {
      const auto each = parts.next();
      const QString between = each.captured(1);
      const int number = each.captured(2).toInt();
      const bool isRange = between == " to " || between == QStringLiteral("–");
      for (int k = isRange ? last + 1 : number; k <= number; ++k)
        result << QStringLiteral("%1, eq. %2").arg(paper).arg(k);
      last = number;
    }
  }
  return result;
}

/// Numbers of equations in another form, without the paper.
QStringList numbersWithoutAPaper(const QString& text) {
  QString rest = text.simplified();
  rest.replace(kCitation, QStringLiteral("…"));
  QStringList result;
  auto mentions = kMention.globalMatch(rest);
  while (mentions.hasNext()) result << mentions.next().captured();
  return result;
}

/// A source's doc comments, and the rest with adjacent string literals joined.
struct SourceText {
  QString doc, other;
};
SourceText textOf(const QString& source) {
  static const QRegularExpression docComment(QStringLiteral("^(.*?)///<? ?(.*)$")),
      comment(QStringLiteral("^\\s*// ?")), literals(QStringLiteral("\"\\s*\"")),
      listed(QStringLiteral("\"\\s*,\\s*\""));
  SourceText text;
  for (QString line : source.split('\n')) {
    const auto match = docComment.match(line);
    text.doc += (match.hasMatch() ? match.captured(2) : QStringLiteral("|")) + '\n';
    text.other += (match.hasMatch() ? match.captured(1) : line.remove(comment)) + '\n';
  }
  text.other.remove(literals).replace(listed, QStringLiteral(" "));
  return text;
}

/// Texts by the path of their file.
using Texts = QMap<QString, QString>;

QMap<QString, SourceText> filesIn(const QStringList& folders, const QStringList& names) {
  QMap<QString, SourceText> result;
  for (const QString& folder : folders) {
    QDirIterator files(QStringLiteral(TS_SOURCE_DIR "/") + folder, names, QDir::Files,
                       QDirIterator::Subdirectories);
    while (files.hasNext()) {
      QFile file(files.next());
      if (file.open(QIODevice::ReadOnly))
        result[QDir(TS_SOURCE_DIR).relativeFilePath(file.fileName())] =
            textOf(QString::fromUtf8(file.readAll()));
    }
  }
  return result;
}

Texts docComments() {
  Texts result;
  const auto sources = filesIn({"core"}, {"*.h", "*.inl", "*.cpp"});
  for (auto source = sources.begin(); source != sources.end(); ++source)
    result[source.key()] = source.value().doc;
  return result;
}

/// Help pages, lessons, and texts of sources for users and in comments that are not doc comments.
Texts otherTexts() {
  Texts result;
  const auto files = filesIn({"app", "core", "gpu", "widgets", "datasets/scenes"},
                             {"*.md", "*.json", "*.h", "*.inl", "*.cpp", "*.cu"});
  for (auto file = files.begin(); file != files.end(); ++file) result[file.key()] = file.value().other;
  return result;
}

QSet<QString> equationsInDocComments() {
  QSet<QString> result;
  for (const QString& text : docComments()) result += equationsCitedBy(text);
  return result;
}

QString sorted(const QSet<QString>& equations) {
  QStringList list(equations.begin(), equations.end());
  list.sort();
  return list.join(QStringLiteral("; "));
}

}  // namespace

void EquationNumbersTest::readsWhatATextCites_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("cited");
  const QString third = QStringLiteral("Tang 2012, eq. 3"), thirdAndFourth = third + "; Tang 2012, eq. 4";
  QTest::newRow("nothing") << "the 3 equations of 2012" << QString();
  QTest::newRow("paper alone") << "Tang 2012, section 3" << QString();
  QTest::newRow("one") << "F = k d (Tang 2012, eq. 3)." << third;
  QTest::newRow("one, a number behind it") << "Tang 2012, eq. 3, 8 points" << third;
  QTest::newRow("two") << "see Tang 2012, eqs. 3 and 4, with n constant" << thirdAndFourth;
  QTest::newRow("list") << "Tang 2012, eqs. 3, 4 and 5" << thirdAndFourth + "; Tang 2012, eq. 5";
  QTest::newRow("list, comma before and")
      << "Tang 2012, eqs. 3, 4, and 5" << thirdAndFourth + "; Tang 2012, eq. 5";
  QTest::newRow("range") << "Tang 2012, eqs. 3 to 5" << thirdAndFourth + "; Tang 2012, eq. 5";
  QTest::newRow("range with a dash") << QStringLiteral("Tang 2012, eqs. 3–4") << thirdAndFourth;
  QTest::newRow("list and range") << "Tang 2012, eqs. 1, 3 to 4 and 7"
                                  << "Tang 2012, eq. 1; " + thirdAndFourth + "; Tang 2012, eq. 7";
  QTest::newRow("et al.") << "After Tang et al. 2012, eq. 3" << third;
  QTest::newRow("authors by name") << "by Williams, Lu and Trinkle 2017, eq. 48"
                                   << "Williams 2017, eq. 48";
  QTest::newRow("two authors") << "Yamane and Nakamura 2006, eq. 2"
                               << "Yamane 2006, eq. 2";
  QTest::newRow("section") << "Tang 2012, section 3.1, eqs. 3 and 4" << thirdAndFourth;
  QTest::newRow("appendix") << "Macklin 2019, appendix A, eq. 106"
                            << "Macklin 2019, eq. 106";
  QTest::newRow("supplement") << "Tang 2012, supplement, eq. 3"
                              << "Tang 2012, supplement, eq. 3";
  QTest::newRow("two papers") << "Tang 2012, eq. 3; Macklin 2019, eq. 13"
                              << "Macklin 2019, eq. 13; " + third;
  QTest::newRow("over lines") << "(Tang 2012,\n  eqs. 3\n  and 4)" << thirdAndFourth;
  QTest::newRow("not a number") << "Tang 2012, eq. 3b" << QString();
}

void EquationNumbersTest::readsWhatATextCites() {
  QFETCH(QString, text);
  QFETCH(QString, cited);
  QCOMPARE(sorted(equationsCitedBy(text)), cited);
}

void EquationNumbersTest::findsNumbersWithoutAPaper_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("found");
  QTest::newRow("none") << "eqs. of Tang 2012" << QString();
  QTest::newRow("cited") << "Tang 2012, eqs. 3, 4 and 8" << QString();
  QTest::newRow("no paper") << "see eq. 3"
                            << "eq. 3";
  QTest::newRow("behind another") << "Tang 2012, eq. 3, and eq. 4"
                                  << "eq. 4";
  QTest::newRow("before the paper") << "eq. 3 of Tang 2012"
                                    << "eq. 3";
  QTest::newRow("in brackets") << "Tang 2012, eq. (3)"
                               << "eq. (3";
  QTest::newRow("as a word") << "Tang 2012, equation 3"
                             << "equation 3";
}

void EquationNumbersTest::findsNumbersWithoutAPaper() {
  QFETCH(QString, text);
  QFETCH(QString, found);
  QCOMPARE(numbersWithoutAPaper(text).join(QStringLiteral("; ")), found);
}

void EquationNumbersTest::tellsDocCommentsFromOtherText() {
  const SourceText text =
      textOf(QStringLiteral("/// A gap (Tang 2012, eqs. 3\n"
                            "/// and 4).\n"
                            "double gap;  ///< m (Tang 2012, eq. 5)\n"
                            "// not (Tang 2012,\n"
                            "// eq. 6)\n"
                            "const char* help = \"see (Tang 2012, \"\n"
                            "                   \"eq. 7)\";\n"));
  QCOMPARE(sorted(equationsCitedBy(text.doc)),
           QStringLiteral("Tang 2012, eq. 3; Tang 2012, eq. 4; Tang 2012, eq. 5"));
  QCOMPARE(sorted(equationsCitedBy(text.other)), QStringLiteral("Tang 2012, eq. 6; Tang 2012, eq. 7"));
  const SourceText lesson = textOf(QStringLiteral("[\"After Tang et al. 2012,\",\n \"eq. 8.\"]"));
  QCOMPARE(sorted(equationsCitedBy(lesson.other)), QStringLiteral("Tang 2012, eq. 8"));
}

void EquationNumbersTest::everyNumberFollowsItsPaper() {
  QStringList strays;
  for (const Texts& texts : {docComments(), otherTexts()})
    for (auto text = texts.begin(); text != texts.end(); ++text)
      for (const QString& number : numbersWithoutAPaper(text.value())) strays << text.key() + ": " + number;
  QVERIFY2(strays.isEmpty(), qPrintable("write `Author YEAR, eq. N`: " + strays.join(QStringLiteral("; "))));
}

void EquationNumbersTest::everyCitedEquationIsInADocComment() {
  const QSet<QString> known = equationsInDocComments();
  const Texts texts = otherTexts();
  QVERIFY(texts.contains(QStringLiteral("app/help/cpf.md")));
  QVERIFY(texts.contains(QStringLiteral("datasets/scenes/chain.json")));
  QStringList missing;
  int count = 0;
  for (auto text = texts.begin(); text != texts.end(); ++text)
    for (const QString& equation : equationsCitedBy(text.value())) {
      ++count;
      if (!known.contains(equation)) missing << text.key() + " cites " + equation;
    }
  QVERIFY2(count > 0, "no text cites an equation");
  QVERIFY2(missing.isEmpty(),
           qPrintable("in no doc comment of core/: " + missing.join(QStringLiteral("; "))));
}

void EquationNumbersTest::everyImplementedEquationIsInADocComment() {
  const QSet<QString> missing = equationsCitedBy(kImplemented) - equationsInDocComments();
  QVERIFY2(missing.isEmpty(), qPrintable("in no doc comment of core/: " + sorted(missing)));
}

void EquationNumbersTest::docCommentsNameNoOtherEquation() {
  const QSet<QString> listed = equationsCitedBy(kImplemented) + equationsCitedBy(kReplaced);
  const Texts texts = docComments();
  QStringList unknown;
  for (auto text = texts.begin(); text != texts.end(); ++text) {
    const QSet<QString> others = equationsCitedBy(text.value()) - listed;
    if (!others.isEmpty()) unknown << text.key() + ": " + sorted(others);
  }
  QVERIFY2(unknown.isEmpty(), qPrintable("a wrong number, or one for the lists of this test: " +
                                         unknown.join(QStringLiteral("; "))));
}

QTEST_APPLESS_MAIN(EquationNumbersTest)
#include "tst_equation_numbers.moc"
