#include <QtTest>
#include <map>

#include "core/files/csv_reader.h"
#include "core/files/sha256.h"
#include "core/robot/scene_readers.h"
#include "core/run/comparison.h"
#include "core/run/pane_name.h"
#include "core/scene/frame_count.h"
#include "core/study/scene_claims.h"

using namespace touchstone;
using State = SceneClaimResult::State;

namespace {

const std::string kDatasets = std::string(TS_SOURCE_DIR) + "/datasets";
constexpr char kRemedy[] = "run datasets/make-gallery.sh again";

std::vector<std::string> galleryScenes() {
  std::vector<std::string> files;
  for (const char* folder : {"/scenes", "/battery/scenes"})
    for (const std::string& file : findScenes(kDatasets + folder)) files.push_back(file);
  return files;
}

/// Rows of a table by one of their cells; none if it has not been made.
std::multimap<std::string, std::vector<std::string>> rowsOf(const std::string& file, std::size_t key) {
  std::multimap<std::string, std::vector<std::string>> rows;
  if (!QFileInfo::exists(QString::fromStdString(file))) return rows;
  CsvReader reader(file, kRemedy);
  reader.next();  // the header
  while (reader.next()) {
    std::vector<std::string> row;
    for (const CsvReader::Cell& cell : reader.cells()) row.emplace_back(cell.text);
    rows.emplace(row.at(key), row);
  }
  return rows;
}

}  // namespace

/// Kept results and pictures are those of the scene files that are shipped, and lessons hold.
class GalleryTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void everyClaimOfEverySceneHeldInItsRun_data() { addScenes(); }
  void everyClaimOfEverySceneHeldInItsRun();
  void everyPictureIsOfThisSceneFile_data() { addScenes(); }
  void everyPictureIsOfThisSceneFile();
  void thePictureOfTheReadmeIsOfItsScene();
  void claimsHoldAgain_data();
  void claimsHoldAgain();

 private:
  void addScenes();
};

void GalleryTest::addScenes() {
  QTest::addColumn<QString>("file");
  for (const std::string& file : galleryScenes())
    QTest::newRow(QFileInfo(QString::fromStdString(file)).completeBaseName().toUtf8())
        << QString::fromStdString(file);
}

void GalleryTest::everyClaimOfEverySceneHeldInItsRun() {
  QFETCH(QString, file);
  static const auto kRows = rowsOf(kDatasets + "/scene-claims.csv", 0);
  const std::vector<SceneClaim> claims = claimsOf(*loadScene(file.toStdString()));
  const auto [first, last] = kRows.equal_range(QTest::currentDataTag());
  QVERIFY2(!claims.empty(), "the scene has no claim");
  QVERIFY2(std::distance(first, last) == static_cast<std::ptrdiff_t>(claims.size()), kRemedy);
  auto row = first;
  for (const SceneClaim& claim : claims) {
    const std::vector<std::string>& cells = row->second;
    QVERIFY2(cells.at(1) == sha256OfFile(file.toStdString()), kRemedy);
    QVERIFY2(cells.at(2) == "holds", cells.at(3).c_str());
    QVERIFY2(cells.at(3).rfind(claim.text, 0) == 0, cells.at(3).c_str());
    ++row;
  }
}

void GalleryTest::everyPictureIsOfThisSceneFile() {
  QFETCH(QString, file);
  static const auto kRows = rowsOf(kDatasets + "/thumbnails/pictures.csv", 0);
  const auto found = kRows.find(std::string(QTest::currentDataTag()) + ".png");
  QVERIFY2(found != kRows.end(), kRemedy);
  QVERIFY2(found->second.at(2) == sha256OfFile(file.toStdString()), kRemedy);
  QVERIFY(QFileInfo::exists(QString::fromStdString(kDatasets + "/thumbnails/" + found->first)));
}

void GalleryTest::thePictureOfTheReadmeIsOfItsScene() {
  const auto rows = rowsOf(kDatasets + "/thumbnails/pictures.csv", 0);
  const auto found = rows.find("../../app/screenshot.png");
  QVERIFY2(found != rows.end(), kRemedy);
  QVERIFY2(found->second.at(2) == sha256OfFile(kDatasets + "/scenes/" + found->second.at(1) + ".json"),
           kRemedy);
}

void GalleryTest::claimsHoldAgain_data() {
  QTest::addColumn<QString>("file");
  for (const char* scene : {"corner-trap", "dual-trap", "thin-plate", "stick", "cube-toss"})
    QTest::newRow(scene) << QString::fromStdString(kDatasets + "/scenes/" + scene + ".json");
  for (const char* scene : {"bounce", "corner", "cradle", "painleve-16", "thin-wall"})
    QTest::newRow(scene) << QString::fromStdString(kDatasets + "/battery/scenes/" + scene + ".json");
}

void GalleryTest::claimsHoldAgain() {
  QFETCH(QString, file);
  const auto scene = loadScene(file.toStdString());
  Comparison comparison(scene, panesFor({}, *scene), History::kNewestOnly);
  ClaimMeter meter(claimsOf(*scene));
  if (meter.needsContacts()) comparison.recordAllContacts();
  const std::vector<std::string> labels = paneLabels(*scene, comparison.settings().panes);
  const long frames = frameCount(scene->duration, scene->dt);
  for (long frame = 0; frame <= frames; ++frame) {
    for (int pane = 0; pane < comparison.paneCount(); ++pane)
      meter.add(labels[pane], *comparison.history(pane).frames().back());
    if (frame < frames) comparison.step(false);
  }
  for (const SceneClaimResult& result : meter.results(verdictOf(summariesOf(comparison, labels))))
    QVERIFY2(result.state == State::Passes, (result.claim.text + ": " + claimNumber(result)).c_str());
}

QTEST_APPLESS_MAIN(GalleryTest)
#include "tst_gallery.moc"
