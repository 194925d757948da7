#include <QtTest>
#include <set>

#include "core/world/free_rotation.h"
#include "core/world/world.h"
#include "tests/support/near.h"
#include "tests/support/scenes.h"

using namespace touchstone;

Q_DECLARE_METATYPE(Vec3)

class MotionTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void freeFallIsSymplecticEuler();
  void freeSpinKeepsAngularMomentumToRounding();
  void freeSpinKeepsItsEnergy_data();
  void freeSpinKeepsItsEnergy();
  void theErrorOfFreeSpinFallsWithTheSquareOfTheStep();
  void aTumblingBoxFlipsWhenEulersEquationsSay();
  void bodiesWithEqualMomentsTurnExactly_data();
  void bodiesWithEqualMomentsTurnExactly();
  void freeSpinRunsBackwards();
  void aPolygonStaysInItsPlane();
  void rotationVectorsOfAnySizeTurnByTheirLength();
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

static double kineticEnergy(const World& world, int body) {
  return 0.5 * angularMomentum(world, body).dot(world.angularVelocity[body]);
}

static Body spinning(const Vec3& size, const Vec3& omega) {
  Body body = test::box("b", size, 1, Vec3::Zero());
  body.angularVelocity = omega;
  return body;
}

void MotionTest::freeSpinKeepsAngularMomentumToRounding() {
  World world = makeWorld(test::scene({spinning(Vec3(0.2, 0.1, 0.3), Vec3(8, 0.1, 0))}));
  const Vec3 start = angularMomentum(world, 0);
  for (int step = 0; step < 5000; ++step) {
    world = stepped(std::move(world), 2e-3, 1);
    QVERIFY_NEAR((angularMomentum(world, 0) - start).norm() / start.norm(), 0, 1e-12);
  }
}

void MotionTest::freeSpinKeepsItsEnergy_data() {
  QTest::addColumn<Vec3>("size");
  QTest::addColumn<Vec3>("omega");
  QTest::addColumn<double>("dt");
  QTest::addColumn<double>("tolerance");  // relative, over 10 s
  QTest::newRow("box about its middle axis, 2 ms") << Vec3(0.2, 0.1, 0.3) << Vec3(8, 0.1, 0) << 2e-3 << 1e-3;
  for (const double dt : {2e-3, 1e-2}) {
    const QByteArray step = QByteArray::number(1000 * dt) + " ms";
    QTest::newRow("rod, " + step) << Vec3(1, 0.01, 0.01) << Vec3(3, 5, 6) << dt << 1e-2;
    QTest::newRow("plank, " + step) << Vec3(1, 0.05, 0.1) << Vec3(3, 5, 6) << dt << 1e-2;
    QTest::newRow("brick, " + step) << Vec3(0.2, 0.1, 0.06) << Vec3(8, 1, 2) << dt << 1e-2;
  }
  QTest::newRow("plank, a tenth of a turn in a step")
      << Vec3(1, 0.05, 0.1) << Vec3(30, 50, 60) << 1e-2 << 0.1;
}

void MotionTest::freeSpinKeepsItsEnergy() {
  QFETCH(Vec3, size);
  QFETCH(Vec3, omega);
  QFETCH(double, dt);
  QFETCH(double, tolerance);
  World world = makeWorld(test::scene({spinning(size, omega)}));
  const double start = kineticEnergy(world, 0);
  for (int step = 0; step < std::lround(10 / dt); ++step) {
    world = stepped(std::move(world), dt, 1);
    QVERIFY_NEAR(kineticEnergy(world, 0) / start, 1, tolerance);
  }
}

/// ω after one second, for a box that rotates about no principal axis.
static Vec3 omegaAfterASecond(double dt) {
  World world = makeWorld(test::scene({spinning(Vec3(0.2, 0.1, 0.3), Vec3(3, 8, -5))}));
  return stepped(std::move(world), dt, static_cast<int>(std::lround(1 / dt))).angularVelocity[0];
}

void MotionTest::theErrorOfFreeSpinFallsWithTheSquareOfTheStep() {
  const Vec3 best = omegaAfterASecond(1.0 / 16000);
  const double coarse = (omegaAfterASecond(1.0 / 500) - best).norm(),
               fine = (omegaAfterASecond(1.0 / 1000) - best).norm();
  QVERIFY(coarse > 1e-6);  // otherwise there is nothing to compare
  QVERIFY_NEAR(std::log2(coarse / fine), 2, 0.05);
}

/// Times at which a component of ω in the body's frame passes zero: Jacobi's solution (Landau and Lifshitz,
/// section 37) has them at K(m)/q and every 2 K(m)/q after it.
void MotionTest::aTumblingBoxFlipsWhenEulersEquationsSay() {
  const double dt = 2e-3;
  World world = makeWorld(test::scene({spinning(Vec3(0.2, 0.1, 0.3), Vec3(8, 0.1, 0))}));
  std::vector<double> zeros;
  double before = 8;
  for (int step = 1; step <= 5000; ++step) {
    world = stepped(std::move(world), dt, 1);
    const double now = (world.orientation[0].conjugate() * world.angularVelocity[0]).x();
    if (before * now < 0) zeros.push_back(dt * (step - now / (now - before)));
    before = now;
  }
  QCOMPARE(zeros.size(), std::size_t(4));
  const double first = 1.405588, period = 2.811175;  // s
  for (std::size_t k = 0; k < zeros.size(); ++k)
    QVERIFY_NEAR(zeros[k] / (first + static_cast<double>(k) * period), 1, 1e-2);
}

void MotionTest::bodiesWithEqualMomentsTurnExactly_data() {
  QTest::addColumn<Vec3>("size");
  QTest::addColumn<Vec3>("omega");
  QTest::addColumn<int>("odd");  // the axis of the different moment, or of the rotation
  QTest::newRow("cube") << Vec3(0.3, 0.3, 0.3) << Vec3(1, 2, 3) << 0;
  QTest::newRow("rod") << Vec3(1, 0.02, 0.02) << Vec3(1, 2, 3) << 0;
  QTest::newRow("plate") << Vec3(1, 0.02, 1) << Vec3(1, 2, 3) << 1;
  QTest::newRow("box about its middle axis") << Vec3(0.2, 0.1, 0.3) << Vec3(3, 0, 0) << 0;
}

void MotionTest::bodiesWithEqualMomentsTurnExactly() {
  QFETCH(Vec3, size);
  QFETCH(Vec3, omega);
  QFETCH(int, odd);
  const double dt = 0.1, time = 2;
  const Body body = spinning(size, omega);
  const World world = stepped(makeWorld(test::scene({body})), dt, static_cast<int>(std::lround(time / dt)));
  // About L in the world by |L|/I₁, then about the axis of the odd moment I₃ of the body by l₃ (1/I₃ − 1/I₁).
  const Vec3 l = body.inertia * omega;
  const int other = (odd + 1) % 3;
  const double moment = body.inertia(other, other), own = l[odd] * (1 / body.inertia(odd, odd) - 1 / moment);
  const Quaternion exact =
      Quaternion(Eigen::AngleAxisd(time * l.norm() / moment, Eigen::Vector3d(l.normalized()))) *
      Quaternion(Eigen::AngleAxisd(time * own, Eigen::Vector3d::Unit(odd)));
  QVERIFY_NEAR(std::abs(exact.dot(world.orientation[0])), 1, 1e-13);
}

void MotionTest::freeSpinRunsBackwards() {
  World world = makeWorld(test::scene({spinning(Vec3(0.2, 0.1, 0.3), Vec3(3, 8, -5))}));
  const World start = world;
  world = stepped(std::move(world), 1e-2, 300);
  QVERIFY(std::abs(world.orientation[0].dot(start.orientation[0])) < 0.99);
  world.angularVelocity[0] = -world.angularVelocity[0];
  world = stepped(std::move(world), 1e-2, 300);
  QVERIFY_NEAR(std::abs(world.orientation[0].dot(start.orientation[0])), 1, 1e-11);
  QVERIFY_NEAR((world.angularVelocity[0] + start.angularVelocity[0]).norm(), 0, 1e-9);
}

void MotionTest::aPolygonStaysInItsPlane() {
  const auto polygons = test::shipped("pour-2d");
  Body body;
  for (const Body& each : polygons->bodies)
    if (each.motion == Motion::Dynamic) body = each;
  body.releaseTime = 0;
  body.orientation = Quaternion::Identity();
  body.angularVelocity = Vec3(0, 0, 7);
  const World world = stepped(makeWorld(test::scene({body})), 1e-2, 100);
  QCOMPARE(world.orientation[0].x(), 0.0);
  QCOMPARE(world.orientation[0].y(), 0.0);
  QVERIFY_NEAR((world.angularVelocity[0] - Vec3(0, 0, 7)).norm(), 0, 1e-12);
  const double turned = 2 * std::atan2(world.orientation[0].z(), world.orientation[0].w());
  QVERIFY_NEAR(std::remainder(turned - 7, 2 * M_PI), 0, 1e-12);
}

void MotionTest::rotationVectorsOfAnySizeTurnByTheirLength() {
  const Vec3 axis = Vec3(2, -1, 2) / 3;
  for (const double angle : {0.0, 1e-9, 0.1, 0.249, 0.251, 1.0, 3.0, 6.0, 50.0}) {
    const Quaternion own = rotationBy(angle * axis);
    QVERIFY_NEAR(own.norm(), 1, 1e-13);
    QVERIFY_NEAR(own.w(), std::cos(0.5 * angle), 1e-13);
    QVERIFY_NEAR((own.vec() - std::sin(0.5 * angle) * axis).norm(), 0, 1e-13);
  }
  QVERIFY(std::isnan(rotationBy(Vec3(std::nan(""), 0, 0)).w()));
  QVERIFY(!std::isfinite(rotationBy(Vec3(1e200, 0, 0)).norm() * 0));
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
