#include <QTemporaryDir>
#include <QtTest>
#include <cmath>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "core/conform/conformance.h"
#include "core/conform/kit.h"
#include "core/run/comparison.h"
#include "core/run/pane_name.h"
#include "core/scene/frame_count.h"
#include "core/scene/scene_file.h"
#include "core/store/poses.h"

using namespace touchstone;
using Json = nlohmann::ordered_json;

/// Deliberate errors of an engine, each in all scenes of the battery: phenomena that agree under LCP must
/// notice them. A change that no longer turns what it turned makes the battery blind.
class NegativeControlsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase();
  void aChangeOfTheScenesTurns_data();
  void aChangeOfTheScenesTurns();
  void aChangeOfTheMotionTurns_data();
  void aChangeOfTheMotionTurns();

 private:
  QStringList turned(const Card& before, const Card& after) const;
  Card cardOf(const std::vector<Phenomenon>& phenomena, const CardColumn& column) const;
  std::vector<Phenomenon> m_battery;
  Card m_right;
};

namespace {

/// Not among them: 20 s of creep, and the wheel and the arch, which take most of the time of the battery.
const QStringList kSlow = {"creep", "rolling", "arch"};

constexpr double kGravity = 1.02, kFriction = 1.02, kVelocity = 1.02, kSpin = 1.02, kSize = 1.01,
                 kInertia = 1.05, kMass = 1.2;

Json times(const Json& value, double factor) {
  if (value.is_number()) return factor * value.get<double>();
  Json scaled = Json::array();
  for (const Json& item : value) scaled.push_back(times(item, factor));
  return scaled;
}

Json vectorOf(const Vec3& v) { return {v.x(), v.y(), v.z()}; }

/// A shape with all its lengths larger.
Json larger(Json shape) {
  for (const char* key : {"size", "radius", "height", "length", "points", "position"})
    if (shape.contains(key)) shape[key] = times(shape[key], kSize);
  if (shape.contains("pieces"))
    for (Json& piece : shape["pieces"]) piece = larger(piece);
  return shape;
}

using Change = std::function<void(Json& file, const Scene& scene)>;

/// Scales a member of all bodies, or of all materials.
Change scaling(const char* list, std::vector<const char*> members, double factor) {
  return [=](Json& file, const Scene&) {
    if (!file.contains(list)) return;
    for (Json& item : file[list])
      for (const char* member : members)
        if (item.contains(member)) item[member] = times(item[member], factor);
  };
}

/// Gives every dynamic body a mass and an inertia, times factors.
Change withInertia(double mass, double inertia) {
  return [=](Json& file, const Scene& scene) {
    for (std::size_t index = 0; index < scene.bodies.size(); ++index) {
      const Body& body = scene.bodies[index];
      if (body.motion == Motion::Static) continue;
      Json& item = file["bodies"][index];
      item.erase("density");
      item["mass"] = mass * body.mass;
      item["inertia"] = Json::array();
      for (int row = 0; row < 3; ++row)
        item["inertia"].push_back(times(vectorOf(Vec3(body.inertia.row(row))), inertia));
    }
  };
}

const std::map<QString, Change>& changes() {
  static const std::map<QString, Change> table = {
      {"gravity",
       [](Json& file, const Scene& scene) { file["gravity"] = times(vectorOf(scene.gravity), kGravity); }},
      {"friction", scaling("materials", {"friction", "static_friction", "dynamic_friction"}, kFriction)},
      {"velocity", scaling("bodies", {"velocity"}, kVelocity)},
      {"spin", scaling("bodies", {"angular_velocity"}, kSpin)},
      {"size",
       [](Json& file, const Scene&) {
         for (Json& body : file["bodies"]) body["shape"] = larger(body["shape"]);
       }},
      {"inertia", withInertia(1, kInertia)},
      {"mass", withInertia(kMass, kMass)}};
  return table;
}

/// A phenomenon whose scenes are changed: each member of a file that differs becomes an edit.
Phenomenon changed(Phenomenon phenomenon, const Change& change) {
  for (PhenomenonRun& run : phenomenon.runs) {
    const SourceFile source = sceneSourceOf(run);
    const Json before = Json::parse(*source.bytes);
    Json after = before;
    change(after, *readScene(run.scene, source));
    for (const auto& [key, value] : after.items())
      if (!before.contains(key) || before[key] != value) run.edits.push_back({key, value.dump()});
  }
  return phenomenon;
}

/// Overlaps are undone by the velocities: a scene with larger bodies begins with overlaps, which then shows.
constexpr char kColumn[] = "lcp:push_out=published";

/// Trajectories of LCP in all runs.
/// @param step  of the engine, in frames of the run   @param isFrozen  poses stay those of the start
void writeMotion(const QString& folder, const std::vector<Phenomenon>& phenomena, double step,
                 bool isFrozen) {
  for (const Phenomenon& phenomenon : phenomena)
    for (const PhenomenonRun& run : phenomenon.runs) {
      const SourceFile source = sceneSourceOf(run);
      const std::shared_ptr<const Scene> scene = readScene(run.scene, source);
      PaneSettings settings = paneFor("lcp", *scene);
      takePublishedForms(settings);  // a file of a motion cannot tell what displacements add
      if (run.substeps > 0) settings.substeps = run.substeps;
      for (const auto& [key, value] : run.parameters) settings.parameters[key] = value;
      Comparison comparison(scene, {settings}, History::kNewestOnly);
      const double dt = step * (run.dt > 0 ? run.dt : scene->dt);
      if (dt != comparison.dt()) comparison.setDt(dt);
      std::ofstream out(folder.toStdString() + "/" + trajectoryNames(phenomenon, run).front());
      out << poseHeader(*scene, "lcp", dt);
      const std::vector<BodyState> start = comparison.pane(0).current()->bodies;
      const long frames = frameCount(run.time > 0 ? run.time : scene->duration, dt);
      for (long frame = 0; frame <= frames; ++frame) {
        if (frame > 0) comparison.step(false);
        StepRecord record = *comparison.pane(0).current();
        for (std::size_t body = 0; isFrozen && body < start.size(); ++body) {
          record.bodies[body].position = start[body].position;
          record.bodies[body].orientation = start[body].orientation;
        }
        out << poseLines(record, *scene);
      }
    }
}

}  // namespace

Card NegativeControlsTest::cardOf(const std::vector<Phenomenon>& phenomena, const CardColumn& column) const {
  ConformOptions options;
  options.columns = {column};
  options.jobs = 2;
  return conform(phenomena, options, false);
}

/// Phenomena of which a number agreed and does not any more.
QStringList NegativeControlsTest::turned(const Card& before, const Card& after) const {
  QStringList names;
  for (std::size_t index = 0; index < before.numbers.size(); ++index) {
    const CardNumber &was = before.numbers[index], &is = after.numbers[index];
    const QString name = QString::fromStdString(was.phenomenon);
    // Files have no contacts: their forces are n/a.
    const bool isTurned = is.verdict != Verdict::Agrees && is.verdict != Verdict::NotApplicable;
    if (was.verdict == Verdict::Agrees && isTurned && !names.contains(name)) names << name;
  }
  names.sort();
  return names;
}

void NegativeControlsTest::initTestCase() {
  for (const Phenomenon& phenomenon : loadPhenomena(TS_SOURCE_DIR "/datasets/battery"))
    if (!kSlow.contains(QString::fromStdString(phenomenon.name))) m_battery.push_back(phenomenon);
  m_right = cardOf(m_battery, {kColumn, ""});
}

void NegativeControlsTest::aChangeOfTheScenesTurns_data() {
  QTest::addColumn<QStringList>("expected");
  const auto row = [](const char* name, const QStringList& expected) { QTest::newRow(name) << expected; };
  row("gravity", {"drag", "isotropy", "ladder", "mass-ratio", "order", "painleve", "rocking", "slide-spin",
                  "stick-slip", "table", "tipping", "top", "tripod"});
  row("friction", {"drag", "isotropy", "ladder", "oblique", "order", "painleve", "slide-spin", "stick-slip",
                   "tipping", "tripod"});
  row("velocity",
      {"cradle", "crossed-edges", "internal-edges", "isotropy", "oblique", "order", "slide-spin"});
  row("spin", {"free-spin", "slide-spin", "top", "tripod"});
  row("size", {"crossed-edges", "flush", "internal-edges", "isotropy", "ladder", "mass-ratio", "oblique",
               "order", "painleve", "rocking", "stick-slip", "table", "tipping", "top", "tripod", "zeno"});
  row("inertia", {"crossed-edges", "ladder", "oblique", "painleve", "slide-spin", "top", "tripod"});
  row("mass", {"mass-ratio", "painleve", "table"});
}

void NegativeControlsTest::aChangeOfTheScenesTurns() {
  QFETCH(QStringList, expected);
  const Change& change = changes().at(QTest::currentDataTag());
  std::vector<Phenomenon> phenomena;
  for (const Phenomenon& phenomenon : m_battery) phenomena.push_back(changed(phenomenon, change));
  const QStringList names = turned(m_right, cardOf(phenomena, {kColumn, ""}));
  for (const QString& name : expected)
    QVERIFY2(names.contains(name), qPrintable(name + " does not notice it, but " + names.join(", ")));
}

void NegativeControlsTest::aChangeOfTheMotionTurns_data() {
  QTest::addColumn<double>("step");
  QTest::addColumn<bool>("isFrozen");
  QTest::addColumn<QStringList>("expected");
  QTest::newRow("none") << 1.0 << false << QStringList{};
  QTest::newRow("four times the step")
      << 4.0 << false << QStringList{"ladder", "oblique", "order", "rocking", "tipping", "top", "zeno"};
  QTest::newRow("frozen poses")
      << 1.0 << true
      << QStringList{
             "bounce",     "cradle",  "crossed-edges", "drag",   "flush",    "free-spin", "internal-edges",
             "isotropy",   "ladder",  "oblique",       "order",  "painleve", "rocking",   "slide-spin",
             "stick-slip", "tipping", "top",           "tripod", "zeno"};
}

void NegativeControlsTest::aChangeOfTheMotionTurns() {
  QFETCH(double, step);
  QFETCH(bool, isFrozen);
  QFETCH(QStringList, expected);
  const QTemporaryDir folder;
  writeMotion(folder.path(), m_battery, step, isFrozen);
  const QStringList names = turned(m_right, cardOf(m_battery, {"changed", folder.path().toStdString()}));
  if (expected.isEmpty()) QVERIFY2(names.isEmpty(), qPrintable(names.join(", ")));
  for (const QString& name : expected)
    QVERIFY2(names.contains(name), qPrintable(name + " does not notice it, but " + names.join(", ")));
}

QTEST_GUILESS_MAIN(NegativeControlsTest)
#include "tst_negative_controls.moc"
