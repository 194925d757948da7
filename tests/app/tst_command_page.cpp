#include <QDir>
#include <QProcess>
#include <QRegularExpression>
#include <QSet>
#include <QtTest>

/// The guide names all commands and options of both programs, and no others.
class CommandPageTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase();
  void everyCommandIsInTheTable();
  void everyOptionIsOnAPageThatNamesItsCommand();
  void theGuideNamesNoOtherOption();
  void everyOptionIsExplainedByHelp();

 private:
  QMap<QString, QString> m_helps;  ///< texts of --help by command; "": that of the window
  QMap<QString, QString> m_pages;  ///< of the guide, by name
};

namespace {

QString helpOf(const QString& program, const QStringList& command) {
  QProcess process;
  process.start(QCoreApplication::applicationDirPath() + "/../app/" + program,
                command + QStringList("--help"));
  return process.waitForFinished(60000) && process.exitCode() == 0
             ? QString::fromUtf8(process.readAllStandardOutput())
             : QString();
}

/// First words of the lines below a heading.
QStringList entriesBelow(const QString& help, const QString& heading) {
  QStringList entries;
  bool isBelow = false;
  for (const QString& line : help.split('\n')) {
    if (!line.startsWith(' ')) isBelow = line == heading;
    static const QRegularExpression kEntry("^  (\\S+)");
    const QRegularExpressionMatch match = kEntry.match(line);
    if (isBelow && match.hasMatch()) entries << match.captured(1);
  }
  return entries;
}

QStringList optionsOf(const QString& help) {
  QStringList options;
  for (const QString& entry : entriesBelow(help, "Options:"))
    if (entry.startsWith("--") && entry != "--version") options << entry;
  return options;
}

bool names(const QString& page, const QString& option) {
  return page.contains(QRegularExpression(QRegularExpression::escape(option) + "(?![\\w-])"));
}

}  // namespace

void CommandPageTest::initTestCase() {
  const QString all = helpOf("touchstone-cli", {});
  m_helps[QString()] = helpOf("touchstone", {});
  for (const QString& command : entriesBelow(all, "Subcommands:")) {
    m_helps[command] = helpOf("touchstone-cli", {command});
    for (const QString& below : entriesBelow(m_helps[command], "Subcommands:"))
      m_helps[command + ' ' + below] = helpOf("touchstone-cli", {command, below});
  }
  QVERIFY(m_helps.contains("check") && m_helps.contains("study merge"));
  for (const QString& help : qAsConst(m_helps)) QVERIFY(!help.isEmpty());
  const QDir guide(QStringLiteral(TS_SOURCE_DIR "/app/help"));
  for (const QString& name : guide.entryList({"*.md"})) {
    QFile page(guide.filePath(name));
    QVERIFY(page.open(QIODevice::ReadOnly));
    m_pages[name] = QString::fromUtf8(page.readAll());
  }
}

void CommandPageTest::everyCommandIsInTheTable() {
  QSet<QString> missing;
  for (const QString& command : m_helps.keys())
    if (!command.isEmpty() &&
        !m_pages["command-line.md"].contains(QRegularExpression("\\| `" + command + "[ `]")))
      missing << command;
  QVERIFY2(missing.isEmpty(), qPrintable(QStringList(missing.values()).join(", ")));
}

void CommandPageTest::everyOptionIsOnAPageThatNamesItsCommand() {
  QStringList missing;
  for (auto help = m_helps.cbegin(); help != m_helps.cend(); ++help)
    for (const QString& option : optionsOf(help.value())) {
      const QRegularExpression command(help.key().isEmpty() ? QStringLiteral("touchstone ")
                                                            : "(touchstone-cli |`)" + help.key() + "\\b");
      bool isNamed = false;
      for (const QString& page : qAsConst(m_pages))
        isNamed = isNamed || (page.contains(command) && names(page, option));
      if (!isNamed) missing << help.key() + ' ' + option;
    }
  QVERIFY2(missing.isEmpty(), qPrintable(missing.join(", ")));
}

void CommandPageTest::theGuideNamesNoOtherOption() {
  QSet<QString> known = {"--help", "--version", "--array"};  // the last one of Slurm
  for (const QString& help : qAsConst(m_helps))
    for (const QString& option : optionsOf(help)) known << option;
  QStringList others;
  static const QRegularExpression kOption("(?<![\\w-])--[a-z][a-z-]+");
  for (auto page = m_pages.cbegin(); page != m_pages.cend(); ++page)
    for (const QString& line : page.value().split('\n')) {
      // Lines that start another program.
      if (line.contains(QRegularExpression("(cmake|ctest|python3|sbatch|srun|mpirun|git|apt|run\\.sh) ")))
        continue;
      for (auto match = kOption.globalMatch(line); match.hasNext();) {
        const QString option = match.next().captured();
        if (!known.contains(option)) others << page.key() + ' ' + option;
      }
    }
  QVERIFY2(others.isEmpty(), qPrintable(others.join(", ")));
}

void CommandPageTest::everyOptionIsExplainedByHelp() {
  for (auto help = m_helps.cbegin(); help != m_helps.cend(); ++help) {
    QString text = help.value();
    text.replace(QRegularExpression("\n {10,}"), "   ");  // a long name has its text in the next line
    for (const QString& line : text.split('\n'))
      if (line.startsWith("  --"))
        QVERIFY2(line.contains(QRegularExpression("^  \\S+ .*[a-z;] \\S+")), qPrintable(help.key() + line));
  }
}

QTEST_GUILESS_MAIN(CommandPageTest)
#include "tst_command_page.moc"
