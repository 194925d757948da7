#include <QtTest>
#include <map>

#include "core/files/csv_reader.h"
#include "core/files/sha256.h"
#include "core/robot/scene_readers.h"
#include "tests/support/projected.h"
#include "widgets/views/camera_fit.h"

using namespace touchstone;

namespace {

constexpr char kFile[] = TS_SOURCE_DIR "/datasets/scene-extents.csv";
constexpr char kRemedy[] = "run datasets/make-gallery.sh again";

/// Outermost points of the bodies of a scene in its run, as datasets/make-gallery.sh keeps them [m].
struct SceneExtents {
  std::string sha256;
  int thrown = 0;  ///< largest number of bodies of all panes that a frame leaves out
  std::map<std::string, std::vector<Vec3>> spans;  ///< start, end, run
};

/// All kept extents, by the name of the scene.
const std::map<std::string, SceneExtents>& allExtents() {
  static const std::map<std::string, SceneExtents> kAll = [] {
    std::map<std::string, SceneExtents> all;
    CsvReader reader(kFile, kRemedy);
    reader.next();  // the header
    while (reader.next()) {
      const auto& cells = reader.cells();
      SceneExtents& scene = all[std::string(cells.at(0).text)];
      scene.sha256 = std::string(cells.at(1).text);
      scene.thrown = static_cast<int>(reader.number(cells.at(3)));
      scene.spans[std::string(cells.at(2).text)].emplace_back(
          reader.number(cells.at(4)), reader.number(cells.at(5)), reader.number(cells.at(6)));
    }
    return all;
  }();
  return kAll;
}

/// Points of a span of the scene of this row; none: the scene has not been run.
std::vector<Vec3> pointsOf(const char* span) {
  const auto scene = allExtents().find(QTest::currentDataTag());
  if (scene == allExtents().end() || scene->second.spans.count(span) == 0) return {};
  return scene->second.spans.at(span);
}

CameraState cameraOf(const Scene& scene) {
  CameraState camera;
  camera.eye = scene.view.eye;
  camera.target = scene.view.target;
  return camera;
}

QString text(const Vec3& v) {
  return QStringLiteral("[%1, %2, %3]").arg(v.x(), 0, 'g', 3).arg(v.y(), 0, 'g', 3).arg(v.z(), 0, 'g', 3);
}

}  // namespace

/// Cameras of the gallery hold what moves, by the poses of one run a scene. Panes draw nothing here: all of
/// the frame of a camera is visible in a pane of any shape.
class FramingTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void theRunIsOfThisSceneFile_data() { addScenes(); }
  void theRunIsOfThisSceneFile();
  void movingBodiesStayInsideThePane_data() { addScenes(); }
  void movingBodiesStayInsideThePane();
  void framingFillsThePane_data() { addScenes(); }
  void framingFillsThePane();
  void fewBodiesAreThrownOut();

 private:
  void addScenes();
};

void FramingTest::addScenes() {
  QTest::addColumn<QString>("file");
  for (const char* folder : {"/datasets/scenes", "/datasets/battery/scenes"})
    for (const std::string& file : findScenes(std::string(TS_SOURCE_DIR) + folder))
      QTest::newRow(loadScene(file)->name.c_str()) << QString::fromStdString(file);
}

void FramingTest::theRunIsOfThisSceneFile() {
  QFETCH(QString, file);
  const auto found = allExtents().find(QTest::currentDataTag());
  QVERIFY2(found != allExtents().end(), kRemedy);
  QVERIFY2(found->second.sha256 == sha256OfFile(file.toStdString()), kRemedy);
  for (const char* span : {"start", "end", "run"}) QVERIFY2(found->second.spans.count(span) == 1, kRemedy);
}

void FramingTest::movingBodiesStayInsideThePane() {
  QFETCH(QString, file);
  const CameraState camera = cameraOf(*loadScene(file.toStdString()));
  const std::vector<Vec3> points = pointsOf("run");
  QVERIFY2(!points.empty(), kRemedy);
  const test::Projected box = test::projected(camera, points);
  const CameraState other = framing(camera, points);
  QVERIFY2(box.isInside(), qPrintable(QStringLiteral("%1 to %2 by %3 to %4; eye %5, target %6 would hold it")
                                          .arg(box.left)
                                          .arg(box.right)
                                          .arg(box.bottom)
                                          .arg(box.top)
                                          .arg(text(other.eye), text(other.target))));
}

void FramingTest::framingFillsThePane() {
  QFETCH(QString, file);
  const CameraState camera = cameraOf(*loadScene(file.toStdString()));
  for (const char* span : {"start", "end"}) {
    const std::vector<Vec3> points = pointsOf(span);
    QVERIFY2(!points.empty(), kRemedy);
    const test::Projected box = test::projected(framing(camera, points), points);
    QVERIFY2(box.isInside(), span);
    QVERIFY2(box.share() >= 0.4, qPrintable(QStringLiteral("%1: %2").arg(span).arg(box.share())));
  }
}

/// Bodies that were thrown out are no part of a picture, so their number is counted.
void FramingTest::fewBodiesAreThrownOut() {
  int thrown = 0;
  for (const auto& [name, scene] : allExtents()) {
    if (scene.thrown > 0) qInfo("%s: %d", name.c_str(), scene.thrown);
    thrown += scene.thrown;
  }
  QVERIFY2(thrown <= 30, qPrintable(QString::number(thrown)));
}

QTEST_APPLESS_MAIN(FramingTest)
#include "tst_framing.moc"
