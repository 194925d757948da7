#include <QtTest>
#include <cmath>

#include "core/run/pane_settings.h"
#include "core/run/simulation.h"
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
  QTest::addColumn<double>("leg");  // kg
  QTest::addColumn<bool>("fixed");  // to the world
  QTest::addColumn<bool>("warned");
  QTest::newRow("grams under kilograms") << 0.005 << false << true;
  QTest::newRow("kilograms under kilograms") << 5.0 << false << false;
  QTest::newRow("a trunk that the world holds") << 0.005 << true << false;
}

/// A spring that is stable for a leg of 5 g carries hardly more. Two legs and a trunk of 5 kg put 5.01 kg / 3
/// on each body. With k = m / (12 h²) and h = 1 ms the leg rests 9.8 mm deep; 1 % of its size is 1.2 mm.
void PenaltyDefaultsTest::legsOfGramsUnderATrunkAreWarnedOf() {
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
    joints += QByteArray(joints.isEmpty() ? "" : ",") + "{\"name\": \"j" + x +
              "\", \"type\": \"fixed\", \"body_a\": \"trunk\", \"body_b\": \"leg " + x +
              "\", \"position\": [" + x + ", 0.2, 0]}";
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
