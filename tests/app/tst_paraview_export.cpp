#include <signal.h>

#include <QDir>
#include <QProcess>
#include <QTemporaryDir>
#include <QXmlStreamReader>
#include <QtTest>

#include "app/exports/paraview_export.h"
#include "core/store/recorder.h"
#include "core/store/recording.h"
#include "tests/support/scenes.h"

using namespace touchstone;

/// An export for ParaView leaves complete files or none, only in its folder.
class ParaviewExportTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase();
  void everyFrameOfEveryPaneIsNamedAndThere();
  void aSecondExportTakesThePlaceOfTheFirst();
  void whatIsCancelledLeavesWhatWasThere();
  void aKillLeavesWholeFiles();

 private:
  std::string recording() const { return m_folder.filePath("r.touchstone").toStdString(); }
  QStringList below(const QString& folder) const;
  QTemporaryDir m_folder;
};

void ParaviewExportTest::initTestCase() {
  PaneSettings plain, fine;
  fine.substeps = 3;
  Comparison comparison(test::shipped("corner-trap"), {plain, fine});
  Recorder recorder(recording(), comparison, "test");
  for (int frame = 0; frame < 20; ++frame) comparison.step(false);
}

QStringList ParaviewExportTest::below(const QString& folder) const {
  QStringList files;
  QDirIterator each(m_folder.filePath(folder), QDir::Files, QDirIterator::Subdirectories);
  while (each.hasNext()) files << QDir(m_folder.filePath(folder)).relativeFilePath(each.next());
  files.sort();
  return files;
}

/// The files that a .pvd names; none if it is not XML.
static QStringList namedBy(const QString& pvd) {
  QFile file(pvd);
  if (!file.open(QIODevice::ReadOnly)) return {};
  QXmlStreamReader xml(&file);
  QStringList names;
  while (!xml.atEnd())
    if (xml.readNext() == QXmlStreamReader::StartElement && xml.name() == QLatin1String("DataSet"))
      names << xml.attributes().value("file").toString();
  return xml.hasError() ? QStringList() : names;
}

void ParaviewExportTest::everyFrameOfEveryPaneIsNamedAndThere() {
  QVERIFY(exportForParaview(Recording(recording()), m_folder.filePath("pv").toStdString(), nullptr));
  const QStringList series = QDir(m_folder.filePath("pv")).entryList({"*.pvd"});
  QCOMPARE(series, (QStringList{"1-cpf-substeps-1-bodies.pvd", "1-cpf-substeps-1-contacts.pvd",
                                "2-cpf-substeps-3-bodies.pvd", "2-cpf-substeps-3-contacts.pvd"}));
  for (const QString& pvd : series) {
    const QStringList names = namedBy(m_folder.filePath("pv/" + pvd));
    QCOMPARE(names.size(), 21);
    for (const QString& name : names) QVERIFY(QFileInfo::exists(m_folder.filePath("pv/" + name)));
  }
  QCOMPARE(below("pv").size(), 4 * 22);
}

void ParaviewExportTest::aSecondExportTakesThePlaceOfTheFirst() {
  const std::string folder = m_folder.filePath("twice").toStdString();
  QVERIFY(exportForParaview(Recording(recording()), folder, nullptr));
  QFile mine(m_folder.filePath("twice/1-cpf-substeps-1-bodies/notes.txt"));
  QVERIFY(mine.open(QIODevice::WriteOnly));
  mine.close();
  QVERIFY(exportForParaview(Recording(recording()), folder, nullptr));
  QCOMPARE(below("twice").size(), 4 * 22 + 1);
  QVERIFY(mine.exists());
}

void ParaviewExportTest::whatIsCancelledLeavesWhatWasThere() {
  const std::string folder = m_folder.filePath("cancelled").toStdString();
  QVERIFY(exportForParaview(Recording(recording()), folder, nullptr));
  const QStringList before = below("cancelled");
  int calls = 0;
  QVERIFY(!exportForParaview(Recording(recording()), folder, [&calls](double) { return ++calls < 15; }));
  QCOMPARE(below("cancelled"), before);
}

void ParaviewExportTest::aKillLeavesWholeFiles() {
  for (int files : {1, 5, 30}) {
    const QString folder = QStringLiteral("killed-%1").arg(files);
    QProcess process;
    process.start(QCoreApplication::applicationDirPath() + "/../app/touchstone-cli",
                  {"export", QString::fromStdString(recording()), "--paraview", m_folder.filePath(folder)});
    QTRY_VERIFY_WITH_TIMEOUT(below(folder).size() >= files || process.state() == QProcess::NotRunning, 60000);
    process.kill();
    process.waitForFinished();
    for (const QString& name : below(folder)) {
      QFile file(m_folder.filePath(folder + '/' + name));
      QVERIFY(file.open(QIODevice::ReadOnly));
      if (!name.contains(".part"))
        QVERIFY2(file.readAll().trimmed().endsWith("</VTKFile>"), qPrintable(name));
    }
  }
}

QTEST_GUILESS_MAIN(ParaviewExportTest)
#include "tst_paraview_export.moc"
