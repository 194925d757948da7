#include <QTemporaryDir>
#include <QtTest>

#include "app/work/export_names.h"

using namespace touchstone;

class ExportNamesTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void nameSaysSceneMethodQuantityAndTime();
  void charactersThatAFileSystemRefusesAreReplaced();
  void existingFilesAreNeverChosen();
};

void ExportNamesTest::nameSaysSceneMethodQuantityAndTime() {
  const QDateTime when(QDate(2031, 2, 3), QTime(4, 5, 6));
  QCOMPARE(exportName("pour", "lcp-lemke", "penetration_max", when, "svg"),
           QString("pour_lcp-lemke_penetration_max_20310203-040506.svg"));
}

void ExportNamesTest::charactersThatAFileSystemRefusesAreReplaced() {
  const QDateTime when(QDate(2031, 2, 3), QTime(4, 5, 6));
  QCOMPARE(exportName("../a b:c", "CPF · x", "δ/δ", when, "png"),
           QString("a-b-c_CPF-x_x_20310203-040506.png"));
}

void ExportNamesTest::existingFilesAreNeverChosen() {
  QTemporaryDir folder;
  const QString path = folder.filePath("a.csv");
  QCOMPARE(freePath(path), path);
  QFile(path).open(QIODevice::WriteOnly);
  QCOMPARE(freePath(path), folder.filePath("a-2.csv"));
  QFile(folder.filePath("a-2.csv")).open(QIODevice::WriteOnly);
  QCOMPARE(freePath(path), folder.filePath("a-3.csv"));
}

QTEST_APPLESS_MAIN(ExportNamesTest)
#include "tst_export_names.moc"
