#include <QtTest>
#include <set>

#include "core/world/world.h"
#include "tests/support/near.h"
#include "tests/support/scenes.h"

using namespace touchstone;

class MotionTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void freeFallIsSymplecticEuler();
  void torqueFreeSpinKeepsAngularMomentumToRounding();
  void torqueFreeSpinConvergesToConstantEnergy();
  void anImpulseThroughTheCentreDoesNotTurn();
  void bodiesWaitForTheirRelease();
  void verticesEndWhereTheNextStepStarts();
  void theStartOfAWorldKeepsItsTables();
  void theHashSeesTheLastBitOfEveryNumber();
};

static World stepped(World world, double dt, int steps) {
  for (int step = 0; step < steps; ++step) {
    predict(world, dt);
    integrate(world);
  }
  return world;
}

static Vec3 angularMomentum(const World& world, int body) {
  const Mat3 r = world.orientation[body].toRotationMatrix();
  return r * (world.scene->bodies[body].inertia * (r.transpose() * world.angularVelocity[body]));
}

void MotionTest::freeFallIsSymplecticEuler() {
  const double dt = 0.01;
  const int n = 100;
  const World world =
      stepped(makeWorld(test::scene({test::box("b", Vec3(1, 1, 1), 2, Vec3(0, 5, 0))})), dt, n);
  // v_n = n g dt and y_n = y_0 − g dt² n(n + 1)/2: the closed form of the scheme, not of the ideal fall.
  QVERIFY_NEAR(world.linearVelocity[0].y(), -9.81 * dt * n, 1e-12);
  QVERIFY_NEAR(world.position[0].y(), 5 - 9.81 * dt * dt * n * (n + 1) / 2, 1e-12);
  QVERIFY_NEAR(world.time, 1, 1e-12);
}

void MotionTest::torqueFreeSpinKeepsAngularMomentumToRounding() {
  Body body = test::box("b", Vec3(0.2, 0.1, 0.3), 1, Vec3::Zero());
  body.angularVelocity = Vec3(3, 8, -5);
  World world = makeWorld(test::scene({body}));
  const Vec3 start = angularMomentum(world, 0);
  world = stepped(world, 1e-3, 2000);
  QVERIFY_NEAR((angularMomentum(world, 0) - start).norm() / start.norm(), 0, 1e-12);
}

void MotionTest::torqueFreeSpinConvergesToConstantEnergy() {
  Body body = test::box("b", Vec3(0.2, 0.1, 0.3), 1, Vec3::Zero());
  body.angularVelocity = Vec3(0.1, 8, 0.1);  // about the axis of the middle moment: tumbles
  const auto drift = [&](double dt) {
    World world = makeWorld(test::scene({body}));
    const double start = 0.5 * angularMomentum(world, 0).dot(world.angularVelocity[0]);
    world = stepped(world, dt, static_cast<int>(std::lround(1 / dt)));
    return std::abs(0.5 * angularMomentum(world, 0).dot(world.angularVelocity[0]) / start - 1);
  };
  const double coarse = drift(2e-3), fine = drift(5e-4);
  QVERIFY(coarse < 0.1);
  QVERIFY2(fine < 0.4 * coarse,
           qPrintable(QStringLiteral("%1 %2").arg(coarse).arg(fine)));  // first order or better
}

void MotionTest::anImpulseThroughTheCentreDoesNotTurn() {
  World world = makeWorld(test::scene({test::box("b", Vec3(1, 2, 3), 4, Vec3(1, 2, 3))}));
  predict(world, 0.01);
  const Vec3 before = world.nextLinearVelocity[0];
  applyImpulse(world, 0, world.position[0], Vec3(8, 0, 0));
  QCOMPARE(world.nextAngularVelocity[0].norm(), 0.0);
  QVERIFY_NEAR((world.nextLinearVelocity[0] - before - Vec3(2, 0, 0)).norm(), 0, 1e-15);
}

void MotionTest::bodiesWaitForTheirRelease() {
  Body body = test::box("b", Vec3(1, 1, 1), 1, Vec3(0, 5, 0));
  body.releaseTime = 0.05;
  World world = makeWorld(test::scene({body}));
  int waited = 0;
  while (!world.active[0] && waited < 20) {
    predict(world, 0.01);
    integrate(world);
    releaseBodies(world);
    ++waited;
  }
  QCOMPARE(waited, 5);
  QCOMPARE(world.position[0].y(), 5.0);
}

void MotionTest::verticesEndWhereTheNextStepStarts() {
  Body body = test::box("b", Vec3(0.2, 0.1, 0.3), 1, Vec3(1, 2, 3));
  body.angularVelocity = Vec3(3, 8, -5);
  World world = makeWorld(test::scene({body}));
  predict(world, 1e-3);
  integrate(world);
  std::vector<Vec3> ends;
  for (std::size_t vertex = 0; vertex < world.vertexStart.size(); ++vertex)
    ends.push_back(worldPoint(world.position[0], world.orientation[0], world.surface->vertexLocal[vertex]));
  predict(world, 1e-3);
  for (std::size_t vertex = 0; vertex < ends.size(); ++vertex)
    QVERIFY(ends[vertex] == world.vertexStart[vertex]);
}

void MotionTest::theStartOfAWorldKeepsItsTables() {
  Body late = test::box("late", Vec3(1, 1, 1), 2, Vec3(0, 9, 0));
  late.releaseTime = 0.05;
  const World fresh = makeWorld(test::scene({test::box("b", Vec3(1, 1, 1), 2, Vec3(0, 5, 0)), late}));
  World world = stepped(fresh, 0.01, 10);
  QVERIFY(releaseBodies(world));
  QVERIFY(stateHash(world) != stateHash(fresh));
  const World again = atStart(world);
  QCOMPARE(stateHash(again), stateHash(fresh));
  QVERIFY(again.active == fresh.active && again.inverseMass == fresh.inverseMass);
  QVERIFY(again.surface == world.surface && again.pieces == world.pieces &&
          again.constants == world.constants);
}

void MotionTest::theHashSeesTheLastBitOfEveryNumber() {
  World world = makeWorld(test::scene(
      {test::box("a", Vec3(1, 1, 1), 2, Vec3(0, 5, 0)), test::box("b", Vec3(1, 1, 1), 2, Vec3(0, 9, 0))}));
  const unsigned long long hash = stateHash(world);
  std::vector<double*> numbers{&world.time};
  for (int body : {0, 1}) {
    for (std::vector<Vec3>* vectors : {&world.position, &world.linearVelocity, &world.angularVelocity})
      for (int axis = 0; axis < 3; ++axis) numbers.push_back(&(*vectors)[body][axis]);
    for (int axis = 0; axis < 4; ++axis) numbers.push_back(&world.orientation[body].coeffs()[axis]);
  }
  std::set<unsigned long long> seen{hash};
  for (double* number : numbers) {
    const double before = *number;
    *number = std::nextafter(before, 1e9);
    QVERIFY(seen.insert(stateHash(world)).second);
    *number = before;
  }
  QCOMPARE(stateHash(world), hash);
  std::swap(world.position[0], world.position[1]);
  QVERIFY(stateHash(world) != hash);
}

QTEST_APPLESS_MAIN(MotionTest)
#include "tst_motion.moc"
