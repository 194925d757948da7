#include <signal.h>

#include <vtkCellData.h>
#include <vtkCellType.h>
#include <vtkDataArray.h>
#include <vtkPointData.h>
#include <vtkPolyData.h>
#include <vtkUnstructuredGrid.h>
#include <vtkXMLPolyDataReader.h>
#include <vtkXMLUnstructuredGridReader.h>
#include <QDir>
#include <QProcess>
#include <QTemporaryDir>
#include <QXmlStreamReader>
#include <QtTest>

#include "app/work/paraview_export.h"
#include "core/store/recorder.h"
#include "core/store/recording.h"
#include "tests/support/deformables.h"
#include "tests/support/near.h"
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
  void bodiesThatDeformHaveSurfacesAndTetrahedra();
  void tetrahedraOfAnEarlierExportAreReplaced();

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

/// A bar that is stretched by a tenth more in each of three frames, beside a rigid box.
struct StretchedBar {
  std::shared_ptr<Scene> scene = test::scene({test::box("box", Vec3(1, 1, 1), 1, Vec3(0, 3, 0)),
                                              test::elasticBar("bar", {3, 1, 1}, 0.1, Vec3(0, 0, 0))});
  ParaviewPane pane{"cpf", {0, 1, 2}, [this](long frame) {
                      const double along = 1 + 0.1 * static_cast<double>(frame);
                      const auto record = test::recordOf(
                          *scene, [along](const Vec3& X) { return Vec3(along * X.x(), X.y(), X.z()); });
                      record->frame = frame;
                      record->time = 0.5 * static_cast<double>(frame);
                      record->dt = 0.5;
                      Contact contact;  // of the box with the last vertex of the bar
                      contact.kind = FeaturePairKind::VertexFace;
                      contact.bodyA = 0;
                      contact.bodyB = 1;
                      contact.vertexOnA = false;
                      contact.featureA = 0;
                      contact.featureB = 8 + 15;
                      contact.normalImpulse = 1;
                      record->contacts = {contact};
                      return record;
                    }};
};

void ParaviewExportTest::bodiesThatDeformHaveSurfacesAndTetrahedra() {
  const StretchedBar bar;
  const QString folder = m_folder.filePath("bar");
  QVERIFY(exportForParaview(bar.scene, {bar.pane}, folder.toStdString(), nullptr));
  QCOMPARE(QDir(folder).entryList({"*.pvd"}),
           (QStringList{"1-cpf-bodies.pvd", "1-cpf-contacts.pvd", "1-cpf-tetrahedra.pvd"}));
  const QStringList tetrahedra = namedBy(folder + "/1-cpf-tetrahedra.pvd"),
                    bodies = namedBy(folder + "/1-cpf-bodies.pvd");
  QCOMPARE(tetrahedra.size(), 3);
  QVERIFY(tetrahedra.last().endsWith(".vtu"));
  vtkNew<vtkXMLUnstructuredGridReader> grid;
  grid->SetFileName((folder + '/' + tetrahedra.last()).toUtf8().constData());
  grid->Update();
  QCOMPARE(grid->GetOutput()->GetNumberOfCells(), vtkIdType(5 * 3));
  QCOMPARE(grid->GetOutput()->GetNumberOfPoints(), vtkIdType(16));
  QCOMPARE(grid->GetOutput()->GetCellType(0), int(VTK_TETRA));
  vtkCellData* fields = grid->GetOutput()->GetCellData();
  for (const char* field : {"volume_change", "strain"}) {
    QVERIFY2(fields->GetArray(field), field);
    for (vtkIdType cell = 0; cell < 15; ++cell)
      QVERIFY_NEAR(fields->GetArray(field)->GetTuple1(cell), 0.2, 1e-12);
  }
  QCOMPARE(fields->GetArray("body")->GetTuple1(0), 1.0);
  vtkNew<vtkXMLPolyDataReader> surface;
  surface->SetFileName((folder + '/' + bodies.last()).toUtf8().constData());
  surface->Update();
  double bounds[6];
  surface->GetOutput()->GetBounds(bounds);
  QVERIFY_NEAR(bounds[0], -0.5, 1e-12);  // of the box; the bar is 0.36 m long
  vtkDataArray* changes = surface->GetOutput()->GetPointData()->GetArray("volume_change");
  QVERIFY(changes && std::isnan(changes->GetTuple1(0)));
  const vtkIdType last = surface->GetOutput()->GetNumberOfPoints() - 1;
  QVERIFY_NEAR(changes->GetTuple1(last), 0.2, 1e-12);
  vtkDataArray* pressures = surface->GetOutput()->GetPointData()->GetArray("contact_pressure_Pa");
  QVERIFY(pressures && std::isnan(pressures->GetTuple1(0)));
  QVERIFY(pressures->GetTuple1(last) > 0);
  QCOMPARE(pressures->GetTuple1(last - 1), 0.0);
  double longest = 0;
  for (vtkIdType point = 8; point <= last; ++point)
    longest = std::max(longest, surface->GetOutput()->GetPoint(point)[0]);
  QVERIFY_NEAR(longest, 0.5 * 0.3 * 1.2, 1e-12);
}

void ParaviewExportTest::tetrahedraOfAnEarlierExportAreReplaced() {
  const StretchedBar bar;
  const std::string folder = m_folder.filePath("bar-twice").toStdString();
  for (int time = 0; time < 2; ++time) {
    QVERIFY(exportForParaview(bar.scene, {bar.pane}, folder, nullptr));
    QCOMPARE(below("bar-twice").size(), 3 * (3 + 1));
  }
}

QTEST_GUILESS_MAIN(ParaviewExportTest)
#include "tst_paraview_export.moc"
