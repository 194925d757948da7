#include <QCryptographicHash>
#include <QtTest>

#include "core/files/csv_reader.h"
#include "core/files/nearest_names.h"
#include "core/files/sha256.h"
#include "tests/scene/scene_folder.h"

using namespace touchstone;

/// Tables that are longer than what is read at once.
class CsvReaderTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void rowsAreWholeAcrossReads();
  void quotedCellsHoldCommasQuotesAndLines();
  void commentsMayHoldQuotes();
  void numbersAreThoseOfTheCLocale_data();
  void numbersAreThoseOfTheCLocale();
  void theHashIsThatOfAllBytes_data();
  void theHashIsThatOfAllBytes();
  void nearestNamesComeFirst();

 private:
  test::SceneFolder m_folder;
};

void CsvReaderTest::rowsAreWholeAcrossReads() {
  // 5 MB of rows of uneven length; some cells are quoted, some lines empty, the last has no end.
  QByteArray text = "\xef\xbb\xbf";
  const int count = 60'000;
  for (int row = 0; row < count; ++row) {
    const QByteArray name(row % 97, static_cast<char>('a' + row % 26));
    text += QByteArray::number(row) + (row % 5 == 0 ? ",\"" + name + ",\n\"\"" + "\"" : "," + name) + "," +
            QByteArray::number(0.5 * row) + (row % 3 == 0 ? "\r\n" : "\n");
    if (row % 11 == 0) text += "\n";
  }
  text.chop(1);
  CsvReader file(m_folder.write("long.csv", text), "");
  long line = 1;
  for (int row = 0; row < count; ++row) {
    QVERIFY(file.next());
    QVERIFY(!file.isComment());
    QCOMPARE(file.cells().size(), std::size_t(3));
    QCOMPARE(file.number(file.cells()[0]), double(row));
    QCOMPARE(file.number(file.cells()[2]), 0.5 * row);
    std::string name(row % 97, static_cast<char>('a' + row % 26));
    if (row % 5 == 0) name += ",\n\"";
    QVERIFY(file.cells()[1].text == name);
    QCOMPARE(file.line(), line);
    line += 1 + (row % 5 == 0) + (row % 11 == 0);
  }
  QVERIFY(!file.next());
  QVERIFY(!file.next());
}

void CsvReaderTest::quotedCellsHoldCommasQuotesAndLines() {
  CsvReader file(m_folder.write("quoted.csv", "\"a,b\",\"say \"\"no\"\"\",\"\",x\n\"two\nlines\",1\n"), "");
  QVERIFY(file.next());
  QCOMPARE(file.cells().size(), std::size_t(4));
  QVERIFY(file.cells()[0].text == "a,b" && file.cells()[1].text == "say \"no\"" &&
          file.cells()[2].text.empty());
  QCOMPARE(file.cells()[1].column, 7);
  QCOMPARE(file.cells()[3].column, 23);
  QVERIFY(file.next());
  QVERIFY(file.cells()[0].text == "two\nlines");
  QCOMPARE(file.cells()[1].column, 8);  // in its own line
  QVERIFY(!file.next());
}

void CsvReaderTest::commentsMayHoldQuotes() {
  CsvReader file(m_folder.write("comments.csv", "# 3\" nail\na,b"), "");
  QVERIFY(file.next() && file.isComment());
  QVERIFY(file.comment() == "# 3\" nail");
  QVERIFY(file.next() && !file.isComment());
  QCOMPARE(file.cells().size(), std::size_t(2));
}

void CsvReaderTest::numbersAreThoseOfTheCLocale_data() {
  QTest::addColumn<QByteArray>("text");
  QTest::addColumn<double>("value");
  QTest::newRow("plus") << QByteArray("+1.5") << 1.5;
  QTest::newRow("blanks") << QByteArray(" 2e3\t") << 2000.0;
  QTest::newRow("no leading zero") << QByteArray("-.25") << -0.25;
  QTest::newRow("denormal") << QByteArray("5e-324") << 5e-324;
  QTest::newRow("too small") << QByteArray("-1e-999") << 0.0;
  QTest::newRow("too large") << QByteArray("1e999") << double(NAN);
  QTest::newRow("infinite") << QByteArray("inf") << double(NAN);
  QTest::newRow("not a number") << QByteArray("nan") << double(NAN);
  QTest::newRow("text behind") << QByteArray("1.5m") << double(NAN);
  QTest::newRow("decimal comma") << QByteArray("\"1,5\"") << double(NAN);
  QTest::newRow("only a sign") << QByteArray("+") << double(NAN);
  QTest::newRow("two signs") << QByteArray("+-1") << double(NAN);
}

void CsvReaderTest::numbersAreThoseOfTheCLocale() {
  QFETCH(QByteArray, text);
  QFETCH(double, value);
  CsvReader file(m_folder.write("number.csv", "x," + text), "");
  QVERIFY(file.next());
  try {
    QCOMPARE(file.number(file.cells().at(1)), value);
    QVERIFY(!std::isnan(value));
  } catch (const SceneError& error) {
    QVERIFY(std::isnan(value));
    QVERIFY(QByteArray(error.what()).contains(":1:3: '"));
  }
}

void CsvReaderTest::theHashIsThatOfAllBytes_data() {
  QTest::addColumn<int>("size");
  for (const int size : {0, 1, 55, 56, 64, 65536, 65537, 131072 + 63}) QTest::addRow("%d", size) << size;
}

void CsvReaderTest::theHashIsThatOfAllBytes() {
  QFETCH(int, size);
  QByteArray bytes(size, 'x');
  for (int k = 0; k < size; ++k) bytes[k] = static_cast<char>(k * 7 + k / 251);
  const QByteArray expected = QCryptographicHash::hash(bytes, QCryptographicHash::Sha256).toHex();
  QCOMPARE(QByteArray::fromStdString(sha256OfFile(m_folder.write("bytes", bytes))), expected);
  QCOMPARE(QByteArray::fromStdString(sha256(bytes.toStdString())), expected);
}

void CsvReaderTest::nearestNamesComeFirst() {
  const std::vector<std::string> known = {"floor", "stone 01", "stone 02", "box"};
  QCOMPARE(nearestNames("stone 1", known, 3), (std::vector<std::string>{"stone 01", "stone 02", "floor"}));
  QCOMPARE(nearestNames("bix", known, 1), std::vector<std::string>{"box"});
  QCOMPARE(editDistance("", "abc"), std::size_t(3));
}

QTEST_APPLESS_MAIN(CsvReaderTest)
#include "tst_csv_reader.moc"
