#include <QDir>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

/// The installed program works without its source tree.
class InstallTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase();
  void everythingIsWhereDesktopsAndShellsLook();
  void theInstalledProgramFindsItsScenes();
  void theInstalledProgramWritesAKit();
  void versionsNameTheBackends();

 private:
  QString run(const QString& program, const QStringList& arguments);
  QString at(const char* path) const { return m_prefix.filePath(QLatin1String(path)); }
  QTemporaryDir m_prefix;
};

QString InstallTest::run(const QString& program, const QStringList& arguments) {
  QProcess process;
  process.setProcessChannelMode(QProcess::MergedChannels);
  process.setWorkingDirectory(m_prefix.path());
  process.start(program, arguments);
  process.waitForFinished(60000);
  return process.exitStatus() == QProcess::NormalExit && process.exitCode() == 0
             ? QString::fromUtf8(process.readAll())
             : QStringLiteral("FAILED: ") + QString::fromUtf8(process.readAll()) + process.errorString();
}

void InstallTest::initTestCase() {
  const QString build = QCoreApplication::applicationDirPath() + QStringLiteral("/..");
  const QString said = run(QStringLiteral("cmake"), {"--install", build, "--prefix", m_prefix.path()});
  QVERIFY2(!said.startsWith(QLatin1String("FAILED")), qPrintable(said));
}

void InstallTest::everythingIsWhereDesktopsAndShellsLook() {
  for (const char* path :
       {"bin/touchstone", "bin/touchstone-cli", "share/applications/touchstone.desktop",
        "share/icons/hicolor/scalable/apps/touchstone.svg", "share/mime/packages/touchstone.xml",
        "share/touchstone/datasets/scenes/pour.json", "share/touchstone/datasets/thumbnails/pour.png",
        "share/touchstone/datasets/meshes/torus/torus.obj", "share/touchstone/datasets/published.json",
        "share/touchstone/datasets/study.schema.json", "share/touchstone/datasets/claims.json",
        "share/touchstone/datasets/claim-results.json", "share/touchstone/datasets/battery/expected.csv"})
    QVERIFY2(QFileInfo::exists(at(path)), path);
  QCOMPARE(QDir(at("share/man/man1")).entryList(QDir::Files).size(), 2);
  QFile desktop(at("share/applications/touchstone.desktop"));
  QVERIFY(desktop.open(QIODevice::ReadOnly));
  const QByteArray text = desktop.readAll();
  for (const char* line : {"Type=Application", "Exec=touchstone %f", "Icon=touchstone"})
    QVERIFY2(text.contains(line), line);
}

void InstallTest::theInstalledProgramFindsItsScenes() {
  const QString list = run(at("bin/touchstone-cli"), {"list"});
  QVERIFY2(list.contains(QStringLiteral("Scenes in ") + QDir(m_prefix.path()).canonicalPath() +
                         QStringLiteral("/share/touchstone/datasets")),
           qPrintable(list));
  const QString result =
      run(at("bin/touchstone-cli"), {"run", "meshes", "--methods", "dpf", "--time", "0.01"});
  QVERIFY2(result.contains(QStringLiteral("dpf")), qPrintable(result));  // with the installed meshes
}

void InstallTest::theInstalledProgramWritesAKit() {
  const QString result = run(at("bin/touchstone-cli"), {"conform", "cradle", "--kit", "kit"});
  QVERIFY2(result.contains(QStringLiteral("1 run of 1 phenomenon")), qPrintable(result));
  QVERIFY(QFileInfo::exists(at("kit/engine.py")));
}

void InstallTest::versionsNameTheBackends() {
  for (const char* program : {"bin/touchstone", "bin/touchstone-cli"}) {
    const QString version = run(at(program), {"--version"});
    QVERIFY2(version.startsWith(QLatin1String("touchstone ")) &&
                 version.contains(QStringLiteral(" threads\ncuda: ")),
             qPrintable(version));
  }
}

QTEST_GUILESS_MAIN(InstallTest)
#include "tst_install.moc"
