#include <QtTest>
#include <algorithm>
#include <cmath>

#include "core/math/count.h"
#include "core/referee/referee.h"
#include "tests/scene/scene_folder.h"
#include "tests/support/near.h"
#include "tests/support/scenes.h"

using namespace touchstone;

/// Faults of a frame that are seen in its geometry and its energy, whatever the method says.
class RefereeStatusTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void aFlatSheetCrossesNothing();
  void aFoldThatPassesThroughIsCounted();
  void aSheetThatMayPassThroughItselfIsNotCounted();
  void twoSheetsThatPassThroughEachOtherAreNamed();
  void aTornJointIsNamed_data();
  void aTornJointIsNamed();
  void aCompliantJointIsNotTorn();
  void aWorseStatusStays();
  void aTwentiethOfTheEnergyIsFound();
};

namespace {

constexpr double kStep = 0.01;

/// A world with its Referee, which has seen the start.
struct Measured {
  World world;
  std::shared_ptr<DeviceWorld> deviceWorld;
  Referee referee;
  explicit Measured(const std::shared_ptr<const Scene>& scene)
      : world(makeWorld(scene)),
        deviceWorld(makeDeviceWorld(BackendKind::Cpu, world)),
        referee(BackendKind::Cpu, world, deviceWorld) {
    referee.begin(world, kStep);
    StepRecord start;
    start.dt = kStep;
    referee.measure(world, 0, start);
  }
  StepRecord next(StepStatus status = StepStatus::Ok) {
    deviceWorld->changed(world);
    StepRecord record;
    record.frame = 1;
    record.dt = kStep;
    record.status = status;
    referee.measure(world, kStep, record);
    return record;
  }
};

QByteArray sheet(const char* name, bool touchesItself, const char* place) {
  return QByteArray(R"({"name": ")") + name + R"(", "position": )" + place +
         R"(, "shape": {"type": "cloth", "size": [0.4, 0.4], "cells": [8, 8], "grid": "alternating"},
             "deformable": {"area_density": 0.3, "edge_stiffness": 300, "bending": 2e-5, "self": )" +
         (touchesItself ? "true" : "false") + "}}";
}

/// The axis across which a flat sheet has no extent, and another one besides x.
std::pair<int, int> axesOf(const World& world) {
  double extent = 0;
  for (int carrier = world.bodyCount(); carrier < countOf(world.position); ++carrier)
    extent = std::max(extent, std::abs(world.position[carrier].y() - world.position[world.bodyCount()].y()));
  return extent > 0.15 ? std::make_pair(2, 1) : std::make_pair(1, 2);
}

/// Folds the last two rows of a sheet over, the last one through it.
void fold(World& world) {
  const auto [across, along] = axesOf(world);
  for (std::size_t carrier = world.bodyCount(); carrier < world.position.size(); ++carrier) {
    Vec3& place = world.position[carrier];
    const bool isLast = place.x() > 0.19;
    if (place.x() < 0.14) continue;
    place.x() = isLast ? -0.02 : 0.003;
    place[across] += isLast ? -0.05 : 0.05;
    place[along] += 0.013;
  }
}

/// Edges through triangles, one by one, from the definition.
int crossingsByHand(const World& world) {
  const SurfaceTopology& surface = *world.surface;
  const WorldView view = viewOf(world);
  const auto at = [&](int vertex) { return placedVertex(view, vertex, view.position, view.orientation); };
  int count = 0;
  for (const auto& triangle : surface.triangles)
    for (const auto& [tail, head] : surface.edges) {
      if (std::find(triangle.begin(), triangle.end(), tail) != triangle.end() ||
          std::find(triangle.begin(), triangle.end(), head) != triangle.end())
        continue;
      const Vec3 a = at(triangle[0]), p = at(tail), q = at(head);
      Mat3 axes;
      axes << at(triangle[1]) - a, at(triangle[2]) - a, p - q;
      if (std::abs(axes.determinant()) < 1e-14) continue;
      const Vec3 where = axes.inverse() * (p - a);  // weights of the corners, and the place along the edge
      count += where[0] > 0.01 && where[1] > 0.01 && where[0] + where[1] < 0.99 && where[2] > 1e-3 &&
               where[2] < 1 - 1e-3;
    }
  return count;
}

}  // namespace

void RefereeStatusTest::aFlatSheetCrossesNothing() {
  test::SceneFolder folder;
  Measured measured(folder.load(sheet("sheet", true, "[0, 1, 0]")));
  QVERIFY(CrossingFinder(measured.world).find(measured.world).empty());
  const StepRecord record = measured.next();
  QVERIFY(record.warnings.empty());
  QCOMPARE(record.quantities[Quantity::Crossings], 0.0);
}

void RefereeStatusTest::aFoldThatPassesThroughIsCounted() {
  test::SceneFolder folder;
  Measured measured(folder.load(sheet("sheet", true, "[0, 1, 0]")));
  fold(measured.world);
  const int expected = crossingsByHand(measured.world);
  QVERIFY(expected > 8);
  const std::vector<Crossing> found = CrossingFinder(measured.world).find(measured.world);
  QCOMPARE(found.size(), std::size_t(1));
  QCOMPARE(found[0].edges, expected);
  QVERIFY(found[0].bodyA == 0 && found[0].bodyB == 0);
  const StepRecord record = measured.next();
  QCOMPARE(record.warnings.size(), std::size_t(1));
  QCOMPARE(QString::fromStdString(record.warnings[0]),
           QStringLiteral("the surface of 'sheet' passes through itself: %1 edges go through triangles")
               .arg(expected));
  QCOMPARE(record.quantities[Quantity::Crossings], double(expected));
}

void RefereeStatusTest::aSheetThatMayPassThroughItselfIsNotCounted() {
  test::SceneFolder folder;
  Measured measured(folder.load(sheet("sheet", false, "[0, 1, 0]")));
  fold(measured.world);
  QVERIFY(CrossingFinder(measured.world).find(measured.world).empty());
  QCOMPARE(measured.next().quantities[Quantity::Crossings], 0.0);
}

void RefereeStatusTest::twoSheetsThatPassThroughEachOtherAreNamed() {
  test::SceneFolder folder;
  const QByteArray both =
      sheet("lower", false, "[0, 1, 0]") + ", " + sheet("upper", false, "[0.013, 1.1, 0.017]");
  Measured measured(folder.load(both));
  QVERIFY(measured.next().warnings.empty());
  // The middle of the upper sheet hangs through the lower one.
  const auto [across, along] = axesOf(measured.world);
  const int bodies = measured.world.bodyCount(), particles = countOf(measured.world.position) - bodies;
  for (int particle = particles / 2; particle < particles; ++particle) {
    Vec3& place = measured.world.position[bodies + particle];
    if (std::abs(place.x()) < 0.1 && std::abs(place[along]) < 0.1) place[across] -= 0.13;
  }
  const int expected = crossingsByHand(measured.world);
  QVERIFY(expected > 0);
  const StepRecord record = measured.next();
  QCOMPARE(record.warnings.size(), std::size_t(1));
  QCOMPARE(QString::fromStdString(record.warnings[0]),
           QStringLiteral("the surfaces of 'lower' and 'upper' pass through each other: %1 edges go through "
                          "triangles")
               .arg(expected));
  QCOMPARE(record.quantities[Quantity::Crossings], double(expected));
}

void RefereeStatusTest::aTornJointIsNamed_data() {
  QTest::addColumn<double>("apart");  // shares of the scene's length
  QTest::addColumn<double>("turned");
  QTest::addColumn<bool>("isTorn");
  QTest::newRow("holds") << 0.0 << 0.0 << false;
  QTest::newRow("within the bound") << 0.0099 << 0.0 << false;
  QTest::newRow("apart") << 0.0101 << 0.0 << true;
  QTest::newRow("turned within the bound") << 0.0 << 0.0099 << false;
  QTest::newRow("turned") << 0.0 << 0.0101 << true;
}

void RefereeStatusTest::aTornJointIsNamed() {
  QFETCH(double, apart);
  QFETCH(double, turned);
  QFETCH(bool, isTorn);
  const auto scene = test::scene({test::box("a", Vec3(0.1, 0.1, 0.1), 1, Vec3(0, 0, 0)),
                                  test::box("b", Vec3(0.1, 0.1, 0.1), 1, Vec3(1, 0, 0))});
  scene->gravity = Vec3::Zero();
  scene->length = 0.2;
  Joint weld;
  weld.name = "weld";
  weld.kind = JointKind::Fixed;
  weld.bodyA = 0;
  weld.bodyB = 1;
  weld.frames.anchorA = Vec3(1, 0, 0);
  scene->joints.push_back(weld);
  Measured measured(scene);
  measured.world.position[1].y() += 0.2 * apart;
  measured.world.orientation[1] = Quaternion(std::cos(0.5 * turned), std::sin(0.5 * turned), 0, 0);
  const StepRecord record = measured.next();
  QVERIFY((record.status == StepStatus::NotConverged) == isTorn);
  QCOMPARE(record.statusText.find("joint 'weld' is 0.00202 m apart") == 0, isTorn);
}

void RefereeStatusTest::aCompliantJointIsNotTorn() {
  const auto scene = test::scene({test::box("a", Vec3(0.1, 0.1, 0.1), 1, Vec3(0, 0, 0))});
  scene->gravity = Vec3::Zero();
  Joint spring;
  spring.name = "spring";
  spring.kind = JointKind::Ball;
  spring.bodyB = 0;
  spring.compliance = 1;
  scene->joints.push_back(spring);
  Measured measured(scene);
  measured.world.position[0].x() += 0.05;
  const StepRecord record = measured.next();
  QVERIFY(record.status != StepStatus::NotConverged);
  QVERIFY(std::isnan(record.quantities[Quantity::Crossings]));  // closed solids have no such surface
}

void RefereeStatusTest::aWorseStatusStays() {
  const auto scene = test::pendulum(0.3, 1e-4);
  Measured measured(scene);
  measured.world.position[0].x() += 0.05;
  QVERIFY(measured.next(StepStatus::NoSolution).status == StepStatus::NoSolution);
  QVERIFY(measured.next().statusText.find("joint 'hinge'") == 0);
}

/// Without springs a hundredth of the moving energy is noise, and five are not.
void RefereeStatusTest::aTwentiethOfTheEnergyIsFound() {
  for (const bool hasDrive : {false, true})
    for (const double share : {0.005, 0.05}) {
      const auto scene = test::pendulum(0.3, 1e-4);
      scene->gravity = Vec3::Zero();
      scene->bodies[0].linearVelocity = Vec3(2 * std::cos(0.3), 2 * std::sin(0.3), 0);
      scene->bodies[0].angularVelocity = Vec3(0, 0, 2);
      if (hasDrive) scene->joints[0].drive.damping = 1e-3;
      Measured measured(scene);
      measured.world.linearVelocity[0] *= std::sqrt(1 + share);
      const StepRecord record = measured.next();
      QVERIFY((record.status == StepStatus::Energy) == (share > 0.01));
      QVERIFY_NEAR(record.quantities[Quantity::EnergyDrift], 2 * share, 1e-3);
    }
}

QTEST_APPLESS_MAIN(RefereeStatusTest)
#include "tst_referee_status.moc"
