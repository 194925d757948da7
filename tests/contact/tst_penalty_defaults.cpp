#include <QtTest>
#include <cmath>
#include <random>

#include "core/run/pane_settings.h"
#include "core/run/simulation.h"
#include "core/world/world.h"
#include "tests/scene/scene_folder.h"
#include "tests/support/near.h"

using namespace touchstone;

/// Penalty methods with the values that they choose by themselves.
class PenaltyDefaultsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void everyShapeStands_data();
  void everyShapeStands();
  void aGivenStiffnessStaysOnManyCorners();
  void legsOfGramsUnderATrunkAreWarnedOf_data();
  void legsOfGramsUnderATrunkAreWarnedOf();
  void legsStandAsStiffAsTheirTrunkAllows_data();
  void legsStandAsStiffAsTheirTrunkAllows();
  void aRigidGroupRestsAsOneBody_data();
  void aRigidGroupRestsAsOneBody();
  void substepsFollowTheClosingSpeed_data();
  void substepsFollowTheClosingSpeed();
  void givenSpringsAndSubstepsStay();
  void fastBallsStopWithinAPlate_data();
  void fastBallsStopWithinAPlate();
  void aFoldingSheetKeepsApart_data();
  void aFoldingSheetKeepsApart();

 private:
  test::SceneFolder m_folder;
};

namespace {

constexpr double kGravity = 9.81, kStep = 1.0 / 120;

const char kMaterial[] =
    "\"dt\": 0.008333333333333333, \"materials\": [{\"name\": \"m\", \"density\": 1000, \"friction\": "
    "0.5}], ";

QByteArray cone(int sides, double radius, double height) {
  QByteArray points;
  for (int k = 0; k < sides; ++k) {
    const double angle = 2 * M_PI * k / sides;
    points += "[" + QByteArray::number(radius * std::cos(angle), 'g', 17) + ", 0, " +
              QByteArray::number(radius * std::sin(angle), 'g', 17) + "], ";
  }
  return "{\"type\": \"hull\", \"points\": [" + points + "[0, " + QByteArray::number(height) + ", 0]]}";
}
QByteArray cylinder(int sides, double radius, double height) {
  return "{\"type\": \"cylinder\", \"radius\": " + QByteArray::number(radius) +
         ", \"height\": " + QByteArray::number(height) + ", \"segments\": " + QByteArray::number(sides) + "}";
}

struct Standing {
  const char* name;
  QByteArray shape;
  double height;  ///< of the origin above the floor [m]
};
std::vector<Standing> gallery() {
  std::vector<Standing> all = {
      {"cube", "{\"type\": \"box\", \"size\": [0.1, 0.1, 0.1]}", 0.05},
      {"plate", "{\"type\": \"box\", \"size\": [0.3, 0.01, 0.3]}", 0.005},
      {"tower", "{\"type\": \"box\", \"size\": [0.05, 0.3, 0.05]}", 0.15},
      {"coin", cylinder(64, 0.012, 0.002), 0.001},
      {"disc", cylinder(256, 0.5, 0.02), 0.01},
      {"cone", cone(48, 0.05, 0.4), 0},
      {"flat cone", cone(64, 0.1, 0.1), 0},
  };
  for (int sides : {3, 24, 48, 64, 128, 256}) all.push_back({"can", cylinder(sides, 0.033, 0.12), 0.06});
  return all;
}

}  // namespace

void PenaltyDefaultsTest::everyShapeStands_data() {
  QTest::addColumn<QString>("method");
  QTest::addColumn<QString>("floor");
  for (const char* method : {"dpf", "dpf-ccd", "cpf"})
    for (const char* floor : {"plane", "box"})
      QTest::addRow("%s on a %s", method, floor) << QString::fromLatin1(method) << QString::fromLatin1(floor);
}

/// At most as deep as on four corners, 3 g h² and as much again where it lands; nothing throws it, and no
/// warning speaks of stability.
void PenaltyDefaultsTest::everyShapeStands() {
  QFETCH(QString, method);
  QFETCH(QString, floor);
  constexpr double kGap = 1e-4;
  const std::vector<Standing> shapes = gallery();
  QByteArray bodies = "{\"name\": \"floor\", \"motion\": \"static\", \"material\": \"m\", ";
  bodies += floor == "plane"
                ? "\"shape\": {\"type\": \"plane\"}}"
                : "\"position\": [0, -0.5, 0], \"shape\": {\"type\": \"box\", \"size\": [60, 1, 4]}}";
  for (std::size_t k = 0; k < shapes.size(); ++k)
    bodies += ", {\"name\": \"" + QByteArray::number(static_cast<int>(k)) +
              "\", \"material\": \"m\", \"position\": [" + QByteArray::number(2.0 * k - 14) + ", " +
              QByteArray::number(shapes[k].height + kGap, 'g', 17) + ", 0], \"shape\": " + shapes[k].shape +
              "}";
  const auto scene = m_folder.load(bodies, kMaterial);
  Simulation run(scene, suggestedPane(*scene, method.toStdString()), scene->dt);
  std::vector<Vec3> start;
  for (std::size_t k = 1; k <= shapes.size(); ++k) start.push_back(run.world().position[k]);
  for (int frame = 0; frame < 90; ++frame) {
    const RecordPtr record = run.step();
    for (const std::string& warning : record->warnings)
      QVERIFY2(warning.find("stability") == std::string::npos, warning.c_str());
    for (std::size_t k = 0; k < shapes.size(); ++k) {
      const Vec3 moved = run.world().position[k + 1] - start[k];
      QVERIFY2(moved.y() < 1e-6 && moved.y() > -kGap - 6 * kGravity * kStep * kStep &&
                   std::hypot(moved.x(), moved.z()) < 1e-4,
               qPrintable(QString("%1: %2 m after %3 frames").arg(shapes[k].name).arg(moved.y()).arg(frame)));
    }
  }
  for (std::size_t k = 1; k <= shapes.size(); ++k) QVERIFY(run.world().linearVelocity[k].norm() < 2e-3);
}

/// Twenty-four springs and dampers as they are given carry m g. The dampers see the speed g h that gravity
/// gives in the step, so that the depth is (1 − 24 c h / m) m g / 24 k.
void PenaltyDefaultsTest::aGivenStiffnessStaysOnManyCorners() {
  const auto scene = m_folder.load(
      "{\"name\": \"floor\", \"motion\": \"static\", \"material\": \"m\", \"shape\": {\"type\": \"plane\"}}, "
      "{\"name\": \"can\", \"material\": \"m\", \"mass\": 1, \"position\": [0, 0.06, 0], \"shape\": " +
          cylinder(24, 0.033, 0.12) + "}",
      kMaterial);
  PaneSettings settings = suggestedPane(*scene, "dpf");
  constexpr double kStiffness = 200;  // σ = 24 k h² / m = 0.33
  constexpr double kDamping = 2;
  settings.parameters = {{"stiffness", kStiffness}, {"damping", kDamping}};
  Simulation run(scene, settings, scene->dt);
  for (int frame = 0; frame < 240; ++frame) run.step();
  const RecordPtr record = run.current();
  QCOMPARE(record->contacts.size(), std::size_t(24));
  for (const Contact& contact : record->contacts) QCOMPARE(contact.stiffness, kStiffness);
  QVERIFY_NEAR(0.06 - run.world().position[1].y(), (1 - 24 * kDamping * kStep) * kGravity / (24 * kStiffness),
               1e-6);
}

void PenaltyDefaultsTest::legsOfGramsUnderATrunkAreWarnedOf_data() {
  QTest::addColumn<QByteArray>("joint");
  QTest::addColumn<double>("leg");  // kg
  QTest::addColumn<bool>("fixed");  // to the world
  QTest::addColumn<bool>("warned");
  QTest::newRow("grams that turn below kilograms") << QByteArray("ball") << 5e-5 << false << true;
  QTest::newRow("grams fixed to kilograms") << QByteArray("fixed") << 5e-5 << false << false;
  QTest::newRow("kilograms that turn below kilograms") << QByteArray("ball") << 5.0 << false << false;
  QTest::newRow("a trunk that the world holds") << QByteArray("ball") << 5e-5 << true << false;
}

/// Two legs and a trunk of 5 kg put 5 kg / 3 on each body, and h = 1 ms. A leg of 0.05 g on a ball joint
/// turns away under a corner of its foot: n·W n is about 0.0002 m² / I with I = m ℓ² / 3, so that it counts
/// by 3 g and rests 3 g h² · 560 = 17 mm deep; 1 % of its size is 1.2 mm. Fixed it counts by 1.6 kg.
void PenaltyDefaultsTest::legsOfGramsUnderATrunkAreWarnedOf() {
  QFETCH(QByteArray, joint);
  QFETCH(double, leg);
  QFETCH(bool, fixed);
  QFETCH(bool, warned);
  QByteArray bodies =
      "{\"name\": \"floor\", \"motion\": \"static\", \"shape\": {\"type\": \"plane\"}},"
      "{\"name\": \"trunk\", \"mass\": 5, \"position\": [0, 0.25, 0], \"shape\": {\"type\": \"box\", "
      "\"size\": "
      "[0.4, 0.1, 0.4]}}";
  QByteArray joints;
  for (const char* x : {"-0.17", "0.17"}) {
    bodies += QByteArray(",{\"name\": \"leg ") + x + "\", \"mass\": " + QByteArray::number(leg) +
              ", \"position\": [" + x +
              ", 0.1, 0], \"shape\": {\"type\": \"box\", \"size\": [0.02, 0.2, 0.02]}}";
    joints += QByteArray(joints.isEmpty() ? "" : ",") + "{\"name\": \"j" + x + "\", \"type\": \"" + joint +
              "\", \"body_a\": \"trunk\", \"body_b\": \"leg " + x + "\", \"position\": [" + x + ", 0.2, 0]}";
  }
  if (fixed)
    joints += ",{\"name\": \"hook\", \"type\": \"fixed\", \"body_b\": \"trunk\", \"position\": [0, 0.3, 0]}";
  const auto scene = m_folder.load(bodies, "\"dt\": 0.001, \"joints\": [" + joints + "], ");
  for (const char* method : {"dpf", "dpf-ccd", "cpf"}) {
    PaneSettings settings;
    settings.method = method;
    Simulation simulation(scene, settings, scene->dt);
    const std::vector<std::string>& warnings = simulation.step()->warnings;
    const bool isWarned = std::any_of(warnings.begin(), warnings.end(), [](const std::string& text) {
      return text.find("lets 'leg") != std::string::npos;
    });
    QCOMPARE(isWarned, warned);
  }
}

namespace {

/// A table of seed's make, whose legs have links of a mass that is the top's divided by `ratio`. Its feet
/// touch a plane.
struct Table {
  QByteArray bodies, joints;
  double leg = 0, top = 0;  ///< length, height of the top's centre [m]
  int feet = 0;
};
Table tableOf(int seed, const QByteArray& joint, double ratio, int links) {
  std::mt19937 random(static_cast<unsigned>(seed));
  const auto between = [&random](double low, double high) {
    return low + (high - low) * std::generate_canonical<double, 53>(random);
  };
  const auto box = [](const QByteArray& name, double mass, const Vec3& at, const Vec3& size) {
    const auto list = [](const Vec3& v) {
      return "[" + QByteArray::number(v.x(), 'g', 17) + ", " + QByteArray::number(v.y(), 'g', 17) + ", " +
             QByteArray::number(v.z(), 'g', 17) + "]";
    };
    return ", {\"name\": \"" + name +
           "\", \"material\": \"m\", \"mass\": " + QByteArray::number(mass, 'g', 17) +
           ", \"position\": " + list(at) + ", \"shape\": {\"type\": \"box\", \"size\": " + list(size) + "}}";
  };
  Table table;
  const double mass = between(1, 20), width = between(0.02, 0.05), a = between(0.3, 0.8),
               b = between(0.3, 0.8);
  table.leg = between(0.15, 0.6);
  table.top = table.leg + 0.025;
  table.feet = 4;
  table.bodies =
      "{\"name\": \"floor\", \"motion\": \"static\", \"material\": \"m\", \"shape\": {\"type\": \"plane\"}}" +
      box("top", mass, {0, table.top, 0}, {a, 0.05, b});
  for (int foot = 0; foot < table.feet; ++foot) {
    const double x = (foot % 2 == 0 ? -0.5 : 0.5) * (a - width), z = (foot < 2 ? -0.5 : 0.5) * (b - width),
                 length = table.leg / links;
    QByteArray above = "top";
    for (int link = 0; link < links; ++link) {
      const QByteArray name = "leg " + QByteArray::number(foot) + " " + QByteArray::number(link);
      const double end = table.leg - link * length;
      table.bodies += box(name, mass / ratio, {x, end - 0.5 * length, z}, {width, length, width});
      const QByteArray type = link == 0 ? joint : QByteArray("fixed");
      table.joints += QByteArray(table.joints.isEmpty() ? "" : ", ") + "{\"name\": \"j " + name +
                      "\", \"type\": \"" + type + "\", \"body_a\": \"" + above + "\", \"body_b\": \"" + name +
                      "\"" + (type == "revolute" ? ", \"axis\": [0, 1, 0]" : "") + ", \"position\": [" +
                      QByteArray::number(x, 'g', 17) + ", " + QByteArray::number(end, 'g', 17) + ", " +
                      QByteArray::number(z, 'g', 17) + "]}";
      above = name;
    }
  }
  return table;
}

/// Materials, joints and a step, for SceneFolder::load().
QByteArray jointedScene(const QByteArray& joints, double step) {
  return "\"dt\": " + QByteArray::number(step, 'g', 17) +
         ", \"materials\": [{\"name\": \"m\", \"density\": 1000, \"friction\": 0.5}], \"joints\": [" +
         joints + "], ";
}

}  // namespace

void PenaltyDefaultsTest::legsStandAsStiffAsTheirTrunkAllows_data() {
  QTest::addColumn<QString>("method");
  QTest::addColumn<QByteArray>("joint");
  QTest::addColumn<double>("ratio");
  QTest::addColumn<int>("links");
  for (const char* method : {"dpf", "dpf-ccd", "cpf"}) {
    const auto add = [method](const char* joint, double ratio, int links) {
      QTest::addRow("%s, %s, 1 : %g, %d", method, joint, ratio, links)
          << QString::fromLatin1(method) << QByteArray(joint) << ratio << links;
    };
    for (double ratio : {10.0, 1000.0, 10000.0}) {
      add("fixed", ratio, 1);
      add("fixed", ratio, 2);
      add("revolute", ratio, 1);  // about the leg
    }
    add("ball", 10, 1);
  }
}

/// Tables of random size at the default step, its half and its double: they rest about as deep as a box by
/// itself, 3 g h², at most three times that; as much again where they land. Nothing throws them.
void PenaltyDefaultsTest::legsStandAsStiffAsTheirTrunkAllows() {
  QFETCH(QString, method);
  QFETCH(QByteArray, joint);
  QFETCH(double, ratio);
  QFETCH(int, links);
  int seed = 0;
  for (const double step : {2 * kStep, kStep, 0.5 * kStep}) {
    const Table table = tableOf(++seed, joint, ratio, links);
    const auto scene = m_folder.load(table.bodies, jointedScene(table.joints, step));
    Simulation run(scene, suggestedPane(*scene, method.toStdString()), scene->dt);
    const int frames = static_cast<int>(std::ceil(1.0 / step));
    double deepest = 0, last = 0;
    for (int frame = 0; frame < frames; ++frame) {
      const RecordPtr record = run.step();
      QVERIFY2(record->status == StepStatus::Ok, record->statusText.c_str());
      const double sunk = table.top - run.world().position[1].y();
      QVERIFY2(sunk > -1e-6, qPrintable(QString("seed %1 rises by %2 m").arg(seed).arg(-sunk)));
      deepest = std::max(deepest, sunk);
      last = sunk;
    }
    // DPF-CCD bears two thirds of the stiffness, see PenaltyImpulses::fit().
    const double unit = kGravity * step * step, most = method == "dpf-ccd" ? 13.5 : 9;
    QVERIFY2(deepest < 2 * most * unit && last < most * unit,
             qPrintable(QString("seed %1: %2 and %3 g h²").arg(seed).arg(deepest / unit).arg(last / unit)));
    QVERIFY(run.world().linearVelocity[1].norm() < 0.02);
  }
}

void PenaltyDefaultsTest::aRigidGroupRestsAsOneBody_data() {
  QTest::addColumn<QString>("method");
  for (const char* method : {"dpf", "dpf-ccd", "cpf"}) QTest::newRow(method) << QString::fromLatin1(method);
}

/// How deep a table rests does not depend on the mass of its legs, where they are light: with 1 : 100 000 as
/// with 1 : 1000, to one part in a hundred. By their own mass alone it would be a hundred times as deep.
void PenaltyDefaultsTest::aRigidGroupRestsAsOneBody() {
  QFETCH(QString, method);
  double depth[2] = {};
  for (const int which : {0, 1}) {
    const Table table = tableOf(5, "fixed", which == 0 ? 1e3 : 1e5, 1);
    const auto scene = m_folder.load(table.bodies, jointedScene(table.joints, 0.5 * kStep));
    Simulation run(scene, suggestedPane(*scene, method.toStdString()), scene->dt);
    for (int frame = 0; frame < 480; ++frame) run.step();
    depth[which] = table.top - run.world().position[1].y();
  }
  QVERIFY(depth[0] > 0);
  QVERIFY2(std::abs(depth[1] / depth[0] - 1) < 0.02,
           qPrintable(QString("%1, %2 m").arg(depth[0]).arg(depth[1])));
}

namespace {

/// A box of 0.2 m at a speed along a direction, 1 m before a static plate 0.01 m thick, and more members of
/// the box and of the scene.
QByteArray shot(const QByteArray& velocity, const QByteArray& more = "") {
  return "{\"name\": \"plate\", \"motion\": \"static\", \"material\": \"m\", \"shape\": {\"type\": \"box\", "
         "\"size\": [4, 0.01, 4]}}, {\"name\": \"box\", \"material\": \"m\", \"position\": [0, 1, 0], "
         "\"velocity\": " +
         velocity + more + ", \"shape\": {\"type\": \"box\", \"size\": [0.2, 0.2, 0.2]}}";
}

}  // namespace

void PenaltyDefaultsTest::substepsFollowTheClosingSpeed_data() {
  QTest::addColumn<QByteArray>("bodies");
  QTest::addColumn<double>("speed");  // that closes [m/s]
  QTest::newRow("at rest") << shot("[0, 0, 0]") << 0.0;
  QTest::newRow("straight") << shot("[0, -30, 0]") << 30.0;
  QTest::newRow("aslant: what runs along does not close") << shot("[15, -30, 0]") << 30.0;
  QTest::newRow("away") << shot("[0, 30, 0]") << 0.0;
  QTest::newRow("along") << shot("[30, 0, 0]") << 0.0;
  QTest::newRow("released later") << shot("[0, -30, 0]", ", \"release_time\": 1") << 30.0;
}

/// One spring m / (12 h²) stops a mass in √12 v h, which is to be half of the plate: 5 mm.
void PenaltyDefaultsTest::substepsFollowTheClosingSpeed() {
  QFETCH(QByteArray, bodies);
  QFETCH(double, speed);
  const auto scene = m_folder.load(bodies, kMaterial);
  const int expected = std::max(1, static_cast<int>(std::ceil(std::sqrt(12.0) * speed * kStep / 0.005)));
  for (const char* method : {"dpf", "dpf-ccd", "cpf"})
    QCOMPARE(suggestedPane(*scene, method).substeps, expected);
  QCOMPARE(suggestedPane(*scene, "lcp").substeps, 1);
}

void PenaltyDefaultsTest::givenSpringsAndSubstepsStay() {
  const QByteArray bodies = shot("[0, -30, 0]");
  PaneSettings words;
  words.method = "cpf";
  words.substeps = kAsSuggested;
  const auto automatic = m_folder.load(bodies, kMaterial);
  QVERIFY(completed(words, *automatic).substeps > 1);
  words.parameters["stiffness"] = 1e4;
  QCOMPARE(completed(words, *automatic).substeps, 1);
  words.parameters.clear();
  words.substeps = 3;
  QCOMPARE(completed(words, *automatic).substeps, 3);
  words.substeps = kAsSuggested;
  const auto withSprings =
      m_folder.load(bodies, QByteArray(kMaterial) + "\"parameters\": {\"cpf\": {\"stiffness\": 10000}}, ");
  QCOMPARE(completed(words, *withSprings).substeps, 1);
  const auto withSubsteps =
      m_folder.load(bodies, QByteArray(kMaterial) + "\"parameters\": {\"cpf\": {\"substeps\": 2}}, ");
  QCOMPARE(completed(words, *withSubsteps).substeps, 2);
  const auto apart =
      m_folder.load(bodies, QByteArray(kMaterial) + "\"no_contact\": [[\"plate\", \"box\"]], ");
  QCOMPARE(completed(words, *apart).substeps, 1);
}

void PenaltyDefaultsTest::fastBallsStopWithinAPlate_data() { aRigidGroupRestsAsOneBody_data(); }

/// Balls of 100 m/s, of random radius and direction, against plates of 5 to 50 mm: their centres stay before
/// the plate, and none leaves faster than it came.
void PenaltyDefaultsTest::fastBallsStopWithinAPlate() {
  QFETCH(QString, method);
  std::mt19937 random(3);
  const auto between = [&random](double low, double high) {
    return low + (high - low) * std::generate_canonical<double, 53>(random);
  };
  for (int ball = 0; ball < 6; ++ball) {
    const double radius = between(0.03, 0.1), thickness = between(0.005, 0.05), angle = between(0, 0.7),
                 height = between(0.3, 0.6);
    const auto number = [](double value) { return QByteArray::number(value, 'g', 17); };
    const auto scene = m_folder.load(
        "{\"name\": \"plate\", \"motion\": \"static\", \"material\": \"m\", \"position\": [0, " +
            number(-0.5 * thickness) + ", 0], \"shape\": {\"type\": \"box\", \"size\": [4, " +
            number(thickness) + ", 4]}}, {\"name\": \"ball\", \"material\": \"m\", \"position\": [0, " +
            number(height) + ", 0], \"velocity\": [" + number(100 * std::sin(angle)) + ", " +
            number(-100 * std::cos(angle)) + ", 0], \"shape\": {\"type\": \"sphere\", \"radius\": " +
            number(radius) + ", \"subdivisions\": 1}}",
        kMaterial);
    Simulation run(scene, suggestedPane(*scene, method.toStdString()), scene->dt);
    for (int frame = 0; frame < 4; ++frame) {
      run.step();
      QVERIFY2(run.world().position[1].y() > 0, qPrintable(QString("ball %1").arg(ball)));
    }
    const double speed = run.world().linearVelocity[1].norm();
    QVERIFY2(run.world().linearVelocity[1].y() > 0 && speed < 101, qPrintable(QString::number(speed)));
  }
}

void PenaltyDefaultsTest::aFoldingSheetKeepsApart_data() {
  QTest::addColumn<QString>("method");
  QTest::addColumn<int>("cells");
  for (const char* method : {"dpf-ccd", "cpf"})
    for (int cells : {5, 8}) QTest::addRow("%s, %d", method, cells) << QString::fromLatin1(method) << cells;
}

/// A sheet falls on its edge and folds: no edge of it goes through a triangle of it.
void PenaltyDefaultsTest::aFoldingSheetKeepsApart() {
  QFETCH(QString, method);
  QFETCH(int, cells);
  const QByteArray count = QByteArray::number(cells);
  const auto scene = m_folder.load(
      "{\"name\": \"floor\", \"motion\": \"static\", \"shape\": {\"type\": \"plane\"}}, {\"name\": "
      "\"sheet\", "
      "\"position\": [0, 0.25, 0], \"orientation\": {\"axis\": [1, 0, 0], \"angle_deg\": 85}, \"shape\": "
      "{\"type\": \"cloth\", \"size\": [0.4, 0.4], \"cells\": [" +
          count + ", " + count +
          "], \"grid\": \"alternating\"}, \"deformable\": {\"area_density\": 0.3, \"edge_stiffness\": 300, "
          "\"bending\": 2e-5, \"self\": true}}",
      "\"dt\": 0.004166666666666667, ");
  Simulation run(scene, suggestedPane(*scene, method.toStdString()), scene->dt);
  const TriangleMesh& mesh = scene->bodies[1].shape->surfaces.front();
  int touched = 0;
  for (int frame = 1; frame <= 120; ++frame) {
    const RecordPtr record = run.step();
    for (const Contact& contact : record->contacts) touched += contact.bodyA == contact.bodyB;
    if (frame % 10 != 0) continue;
    const auto at = [&](int vertex) -> const Vec3& {
      return run.world().position[scene->bodies.size() + static_cast<std::size_t>(vertex)];
    };
    for (const auto& face : mesh.triangles) {
      const Vec3 u = at(face[1]) - at(face[0]), w = at(face[2]) - at(face[0]), m = u.cross(w);
      for (const TriangleMesh::Edge& edge : mesh.edges) {
        const auto isOf = [&](int vertex) {
          return vertex == face[0] || vertex == face[1] || vertex == face[2];
        };
        if (isOf(edge.tail) || isOf(edge.head)) continue;
        const Vec3 p = at(edge.tail) - at(face[0]), q = at(edge.head) - at(face[0]);
        const double below = p.dot(m), above = q.dot(m);
        if (below * above >= 0) continue;
        const Vec3 r = p + below / (below - above) * (q - p);
        const double b = r.cross(w).dot(m) / m.squaredNorm(), c = u.cross(r).dot(m) / m.squaredNorm();
        QVERIFY2(!(b > 0.01 && c > 0.01 && b + c < 0.99), qPrintable(QString("frame %1").arg(frame)));
      }
    }
  }
  QVERIFY(touched > 0);
}

QTEST_APPLESS_MAIN(PenaltyDefaultsTest)
#include "tst_penalty_defaults.moc"
