#include <QFileInfo>
#include <QImage>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

/// `touchstone SCENE --screenshot F …`: the window runs without user interaction, writes files and ends.
class BatchExportTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { QVERIFY(m_folder.isValid()); }
  void writesWhatIsAskedForAndNamesIt();
  void theVerdictIsWrittenInEachForm();
  void aRecordingShowsTheTimeThatIsAskedFor();
  void whatCannotBeWrittenIsNamed_data();
  void whatCannotBeWrittenIsNamed();
  void badInputIsRefusedBeforeAnythingRuns_data();
  void badInputIsRefusedBeforeAnythingRuns();
  void aFileThatCannotBeOpenedEndsTheProgram_data();
  void aFileThatCannotBeOpenedEndsTheProgram();
  void namesOfFilesDoNotActOnATerminal();
  void aFileWithoutAWindowOfItsOwnIsRefused_data();
  void aFileWithoutAWindowOfItsOwnIsRefused();
  void aDeviceThatCannotBeUsedIsNotReplacedInSilence();

 private:
  QString at(const char* name) const { return m_folder.filePath(QLatin1String(name)); }
  /// @return exit code, −1 if it did not end by itself
  int run(const QStringList& arguments, const QString& scene = QStringLiteral("particle")) {
    QProcess process;
    process.setProcessChannelMode(QProcess::MergedChannels);
    QStringList all{scene};
    if (!arguments.contains(QLatin1String("--measure")))
      all << "--time"
          << "0.01";
    if (arguments.contains(QLatin1String("--screenshot")))
      all << "--size"
          << "800x600";
    process.start(QCoreApplication::applicationDirPath() + QStringLiteral("/../app/touchstone"),
                  all + arguments);
    process.waitForFinished(120000);
    m_said = QString::fromUtf8(process.readAll());
    return process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
  }

  QTemporaryDir m_folder;
  QString m_said;
};

void BatchExportTest::writesWhatIsAskedForAndNamesIt() {
  QVERIFY2(run({"--screenshot", at("new/window.png"), "--csv", at("data")}) == 0, qPrintable(m_said));
  QVERIFY(QFileInfo(at("new/window.png")).size() > 1000);
  QCOMPARE(QDir(at("data")).entryList({QStringLiteral("particle_all_quantities_*.csv")}).size(), 1);
  QVERIFY2(m_said.contains(QStringLiteral("wrote ") + at("new/window.png")), qPrintable(m_said));
}

void BatchExportTest::theVerdictIsWrittenInEachForm() {
  const std::pair<const char*, const char*> forms[] = {{"v.txt", "Deepest penetration [m]"},
                                                       {"v.md", "| Deepest penetration [m] |"},
                                                       {"v.tex", "\\begin{tabular}"},
                                                       {"v.csv", "penetration_max,"}};
  for (const auto& [name, begin] : forms) {
    QVERIFY2(run({"--verdict", at(name)}) == 0, qPrintable(m_said));
    QFile file(at(name));
    QVERIFY(file.open(QIODevice::ReadOnly));
    QVERIFY2(file.readAll().contains(begin), name);
  }
}

/// The particle falls: 0.01 s after the start a recording of 0.1 s looks as a run of 0.01 s does.
void BatchExportTest::aRecordingShowsTheTimeThatIsAskedFor() {
  const QString cli = QCoreApplication::applicationDirPath() + QStringLiteral("/../app/touchstone-cli");
  for (const char* time : {"0.01", "0.1"})
    QCOMPARE(QProcess::execute(cli, {"run", "particle", "--time", time, "--record",
                                     at(time) + QStringLiteral(".touchstone")}),
             0);
  QImage pictures[2];
  const char* names[] = {"short.png", "long.png"};
  const char* recordings[] = {"0.01.touchstone", "0.1.touchstone"};
  for (int each : {0, 1}) {
    QVERIFY2(run({"--view", at(names[each])}, at(recordings[each])) == 0, qPrintable(m_said));
    QVERIFY(pictures[each].load(at(names[each])));
    // The legend below has the ranges of the whole recording.
    constexpr int kLegend = 40;
    pictures[each] = pictures[each].copy(0, 0, pictures[each].width(), pictures[each].height() - kLegend);
  }
  QVERIFY(pictures[0] == pictures[1]);
}

void BatchExportTest::whatCannotBeWrittenIsNamed_data() {
  QTest::addColumn<QString>("option");
  QTest::addColumn<QString>("name");
  QTest::newRow("screenshot") << "--screenshot"
                              << "file/window.png";
  QTest::newRow("view") << "--view"
                        << "file/view.png";
  QTest::newRow("plots") << "--plots"
                         << "file/plots";
  QTest::newRow("quantities") << "--csv"
                              << "file/data";
  QTest::newRow("movie") << "--export-movie"
                         << "file/movie.mp4";
}

void BatchExportTest::whatCannotBeWrittenIsNamed() {
  QFETCH(QString, option);
  QFETCH(QString, name);
  QFile file(at("file"));  // a file at the path of the folder
  QVERIFY(file.open(QIODevice::WriteOnly));
  const QString path = m_folder.filePath(name);
  QVERIFY2(run({option, path}) == 3, qPrintable(m_said));
  QVERIFY2(m_said.contains(path), qPrintable(m_said));
}

void BatchExportTest::badInputIsRefusedBeforeAnythingRuns_data() {
  QTest::addColumn<QStringList>("arguments");
  QTest::addColumn<QString>("remedy");
  QTest::newRow("picture") << QStringList{"--view", at("a.bmp")} << ".png";
  QTest::newRow("movie") << QStringList{"--export-movie", at("a.avi")} << ".mp4 or .webm";
  QTest::newRow("section") << QStringList{"--section", "w", "--view", at("a.png")} << "z:0.5";
  QTest::newRow("offset of a section") << QStringList{"--section", "z:2", "--view", at("a.png")} << "-1 to 1";
  QTest::newRow("method") << QStringList{"--methods", "dpv", "--view", at("a.png")} << "dpf";
  QTest::newRow("time of nothing") << QStringList() << "--time has no effect without --screenshot";
  QTest::newRow("size of a view") << QStringList{"--size", "800x600", "--view", at("a.png")}
                                  << "--size has no effect without --screenshot";
  QTest::newRow("section of tables") << QStringList{"--section", "z", "--csv", at("a")}
                                     << "--section has no effect without --screenshot";
  QTest::newRow("picture of a measurement")
      << QStringList{"--measure", "1", "--view", at("a.png")} << "--view has no effect beside --measure";
}

void BatchExportTest::badInputIsRefusedBeforeAnythingRuns() {
  QFETCH(QStringList, arguments);
  QFETCH(QString, remedy);
  QVERIFY2(run(arguments) == 2, qPrintable(m_said));
  QVERIFY2(m_said.contains(remedy), qPrintable(m_said));
  QVERIFY2(!m_said.contains(QStringLiteral("running")), qPrintable(m_said));
}

void BatchExportTest::aFileThatCannotBeOpenedEndsTheProgram_data() {
  QTest::addColumn<QString>("name");
  QTest::addColumn<QByteArray>("content");
  QTest::newRow("scene") << "a.json" << QByteArray("{");
  QTest::newRow("session") << "a.session.json" << QByteArray("{\"touchstone_session\": 1}");
  QTest::newRow("mesh") << "a.obj" << QByteArray("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  QTest::newRow("recording") << "a.touchstone" << QByteArray("SQLite format 3\0 and no more", 28);
}

void BatchExportTest::aFileThatCannotBeOpenedEndsTheProgram() {
  QFETCH(QString, name);
  QFETCH(QByteArray, content);
  QFile file(m_folder.filePath(name));
  QVERIFY(file.open(QIODevice::WriteOnly) && file.write(content) == content.size());
  file.close();
  for (const QStringList& what : {QStringList{"--view", at("a.png")}, QStringList{"--measure", "1"}}) {
    QVERIFY2(run(what, file.fileName()) == 2, qPrintable(m_said));
    QVERIFY2(m_said.contains(name), qPrintable(m_said));
  }
}

void BatchExportTest::namesOfFilesDoNotActOnATerminal() {
  QFile file(m_folder.filePath(QStringLiteral("a\x1b[31m.json")));
  QVERIFY(file.open(QIODevice::WriteOnly) && file.write("{") == 1);
  file.close();
  for (const QStringList& what : {QStringList{"--view", at("a.png")}, QStringList{"--measure", "1"}}) {
    QVERIFY2(run(what, file.fileName()) == 2, qPrintable(m_said));
    QVERIFY2(!m_said.contains('\x1b') && m_said.contains(QLatin1String("a\\u001b[31m.json")),
             qPrintable(m_said));
  }
}

void BatchExportTest::aFileWithoutAWindowOfItsOwnIsRefused_data() {
  QTest::addColumn<QString>("name");
  QTest::newRow("problem") << "p.hdf5";
  QTest::newRow("problem as text") << "p.dat";
  QTest::newRow("trajectory") << "t.CSV";
}

void BatchExportTest::aFileWithoutAWindowOfItsOwnIsRefused() {
  QFETCH(QString, name);
  for (const QStringList& what : {QStringList{"--screenshot", at("a.png")}, QStringList{"--measure", "1"}}) {
    QVERIFY2(run(what, m_folder.filePath(name)) == 2, qPrintable(m_said));
    QVERIFY2(m_said.contains(name) && m_said.contains(QLatin1String("; ")), qPrintable(m_said));
  }
}

void BatchExportTest::aDeviceThatCannotBeUsedIsNotReplacedInSilence() {
  qputenv("CUDA_VISIBLE_DEVICES", "-1");  // no device, even if there is one
  QVERIFY2(run({"--backend", "cuda", "--view", at("a.png")}) == 3, qPrintable(m_said));
  QVERIFY2(m_said.contains(QStringLiteral("--backend cpu")), qPrintable(m_said));
}

QTEST_GUILESS_MAIN(BatchExportTest)
#include "tst_batch_export.moc"
