#include <QRegularExpression>
#include <QtTest>

#include "tests/support/command_folder.h"

using namespace touchstone;

/// README.md and the guide tell the truth where a program can check it.
class ReadmeTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void theReadmeIsTwoScreens();
  void thePageForAuthorsIsTwoScreens();
  void everyPathExists_data() { pages(); }
  void everyPathExists();
  void everyOptionOfACommandExists_data() { pages(); }
  void everyOptionOfACommandExists();

 private:
  void pages();
};

static QString textOf(const QString& file) {
  QFile page(QStringLiteral(TS_SOURCE_DIR "/") + file);
  return page.open(QIODevice::ReadOnly) ? QString::fromUtf8(page.readAll()) : QString();
}

void ReadmeTest::pages() {
  QTest::addColumn<QString>("page");
  QStringList files = {"README.md", "datasets/README.md"};
  for (const QString& file : QDir(TS_SOURCE_DIR "/app/help").entryList({"*.md"})) files << "app/help/" + file;
  QVERIFY(files.size() > 10);
  for (const QString& file : files) QTest::newRow(qPrintable(file)) << file;
}

void ReadmeTest::theReadmeIsTwoScreens() {
  const QStringList lines = textOf("README.md").split('\n');
  QVERIFY2(lines.size() > 50 && lines.size() <= 121, qPrintable(QString::number(lines.size())));
  for (const QString& line : lines) QVERIFY2(line.size() <= 110, qPrintable(line));
}

void ReadmeTest::thePageForAuthorsIsTwoScreens() {
  const QStringList lines = textOf("app/help/for-authors.md").split('\n');
  QVERIFY2(lines.size() > 40 && lines.size() <= 90, qPrintable(QString::number(lines.size())));
  for (const QString& line : lines) QVERIFY2(line.size() <= 110, qPrintable(line));
}

void ReadmeTest::everyPathExists() {
  QFETCH(QString, page);
  const QRegularExpression path("(?<![\\w/.])(?:app|core|datasets|gpu|tests|widgets)/[\\w./-]*[\\w/]");
  auto matches = path.globalMatch(textOf(page));
  while (matches.hasNext()) {
    const QString name = matches.next().captured();
    QVERIFY2(QFileInfo::exists(QStringLiteral(TS_SOURCE_DIR "/") + name), qPrintable(name));
  }
}

void ReadmeTest::everyOptionOfACommandExists() {
  QFETCH(QString, page);
  const QRegularExpression command("touchstone-cli ([a-z]+)([^`\n]*)"), option("--[a-z][a-z-]*");
  const test::CommandFolder folder;
  auto commands = command.globalMatch(textOf(page));
  while (commands.hasNext()) {
    const QRegularExpressionMatch used = commands.next();
    const auto help = folder.started({used.captured(1), "--help"});
    QVERIFY2(test::endOf(*help, 20000) == 0, qPrintable(used.captured()));
    const QString known = QString::fromUtf8(help->readAllStandardOutput());
    auto options = option.globalMatch(used.captured(2));
    while (options.hasNext()) {
      const QRegularExpression name(options.next().captured() + "[ ,\n]");
      QVERIFY2(known.contains(name), qPrintable(used.captured()));
    }
  }
}

QTEST_GUILESS_MAIN(ReadmeTest)
#include "tst_readme.moc"
