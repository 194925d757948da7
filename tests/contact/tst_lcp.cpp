#include <QtTest>
#include <cmath>

#include "core/contact/lcp/lcp.h"
#include "core/contact/manifold/constraint_sets.h"
#include "core/geometry/polytope_overlap.h"
#include "core/math/count.h"
#include "core/run/simulation.h"
#include "tests/contact/method_run.h"
#include "tests/support/near.h"
#include "tests/support/pair_constraints.h"

using namespace touchstone;
using test::MethodRun;

class LcpTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void aBouncingBoxLeavesWithETimesItsSpeed_data();
  void aBouncingBoxLeavesWithETimesItsSpeed();
  void aRestingBoxIsCarriedByItsWeightInEveryStep_data();
  void aRestingBoxIsCarriedByItsWeightInEveryStep();
  void aFallingBoxFeelsNothingUntilItTouches();
  void whatTouchesAThinPlateFeelsOneSideOfIt();
  void aCollisionIsPerfectlyInelasticAndKeepsMomentum();
  void aBlockOnASlopeSlidesExactlyBeyondTheFrictionAngle_data();
  void aBlockOnASlopeSlidesExactlyBeyondTheFrictionAngle();
  void frictionStopsASlidingBlockAfterTheRightDistance();
  void frictionIsTheGeometricMeanOfBothMaterials();
  void baumgarteUndoesTheAskedShareOfAnOverlap_data();
  void baumgarteUndoesTheAskedShareOfAnOverlap();
  void theCapLimitsTheSpeedOfCorrection();
  void contradictingRowsAreReportedAndTheRunGoesOn();
  void theMarginDecidesFromHowFarAContactIsSeen();
  void rowsOfSeparateBodiesAreSolvedApart();
  void normalsPointFromTheLowerBodyIntoTheHigher();
  void meshesWithoutPiecesAreRefusedByName();
  void lemkeSolvesEveryFrameOfHeavyStack_data();
  void lemkeSolvesEveryFrameOfHeavyStack();
  void contactsLieWhereTheBodiesAre_data();
  void contactsLieWhereTheBodiesAre();
};

static const double kWeight = 9.81;  // N, of 1 kg

static std::shared_ptr<Scene> onPlane(double mass, double friction = 0) {
  auto scene =
      test::scene({test::ground(), test::box("box", Vec3(0.2, 0.1, 0.3), mass, Vec3(0, 0.05, 0))}, friction);
  scene->dt = 0.01;
  return scene;
}

void LcpTest::aRestingBoxIsCarriedByItsWeightInEveryStep_data() {
  QTest::addColumn<QString>("solver");
  QTest::addColumn<bool>("onPiece");
  for (const std::string& solver : lcp::Info::describe().solvers)
    for (bool onPiece : {false, true})
      QTest::newRow((solver + (onPiece ? " on a block" : " on the plane")).c_str())
          << QString::fromStdString(solver) << onPiece;
}

void LcpTest::aRestingBoxIsCarriedByItsWeightInEveryStep() {
  QFETCH(QString, solver);
  QFETCH(bool, onPiece);
  const double mass = 2.5;
  auto scene = onPlane(mass);
  if (onPiece) scene->bodies[0] = test::block("block", Vec3(2, 1, 2), Vec3(0, -0.5, 0));
  MethodRun run(scene, lcp::Info::describe(), {}, solver.toStdString());
  for (int step = 0; step < 300; ++step) {
    run.step();
    QVERIFY2(run.record.status == StepStatus::Ok, run.record.statusText.c_str());
    QVERIFY_NEAR(run.normalImpulse() / run.world.dt, mass * kWeight, 1e-7);
    QCOMPARE(run.record.contacts.size(), std::size_t(4));
  }
  // 300 steps at the solver's tolerance of 1e-10 m/s add up to nanometres.
  QVERIFY_NEAR(run.world.position[1].y(), 0.05, 1e-8);
  QVERIFY_NEAR(run.world.position[1].x(), 0, 1e-8);
  QVERIFY_NEAR(run.world.linearVelocity[1].norm(), 0, 1e-8);
  QVERIFY_NEAR(run.record.quantities[Quantity::MethodDepth], 0, 1e-8);
  QVERIFY(run.record.quantities[Quantity::Residual] <= run.record.solverTolerance);
  QCOMPARE(run.record.quantities[Quantity::UnilateralSets], 4.0);
  QCOMPARE(run.record.quantities[Quantity::Traps], 0.0);
  const std::string delivered = run.record.deliveredBy;
  QVERIFY2(
      solver == "auto" ? delivered == "newton-fb" || delivered == "lemke" : delivered == solver.toStdString(),
      delivered.c_str());
}

void LcpTest::aFallingBoxFeelsNothingUntilItTouches() {
  auto scene = onPlane(1);
  scene->bodies[1].position.y() = 0.55;
  MethodRun run(scene, lcp::Info::describe());
  for (int step = 1; step <= 30; ++step) {
    run.step();
    QCOMPARE(run.normalImpulse(), 0.0);
    QVERIFY_NEAR(run.world.position[1].y(), 0.55 - 9.81 * 1e-4 * step * (step + 1) / 2, 1e-14);
  }
  for (int step = 0; step < 5; ++step) run.step();
  QVERIFY_NEAR(run.world.position[1].y(), 0.05, 1e-9);  // touches after 0.319 s and is held there
}

void LcpTest::aCollisionIsPerfectlyInelasticAndKeepsMomentum() {
  Body left = test::box("left", Vec3(0.2, 0.2, 0.2), 1, Vec3(-0.15, 0, 0));
  Body right = test::box("right", Vec3(0.2, 0.2, 0.2), 3, Vec3(0.15, 0, 0));
  left.linearVelocity = Vec3(2, 0.1, 0);
  right.linearVelocity = Vec3(-1, 0.1, 0);
  auto scene = test::scene({left, right});
  scene->gravity = Vec3::Zero();
  MethodRun run(scene, lcp::Info::describe());
  for (int step = 0; step < 12; ++step) run.step();
  // Common normal velocity (1·2 − 3·1)/4; the tangential one is untouched without friction.
  for (int body = 0; body < 2; ++body) {
    QVERIFY_NEAR(run.world.linearVelocity[body].x(), -0.25, 1e-9);
    QVERIFY_NEAR(run.world.linearVelocity[body].y(), 0.1, 1e-9);
    QVERIFY_NEAR(run.world.angularVelocity[body].norm(), 0, 1e-9);
  }
  QVERIFY_NEAR(run.world.position[1].x() - run.world.position[0].x(), 0.2, 1e-9);
}

void LcpTest::aBlockOnASlopeSlidesExactlyBeyondTheFrictionAngle_data() {
  QTest::addColumn<double>("slope");  // tan of the angle, μ = 0.5
  QTest::newRow("well below") << 0.25;
  QTest::newRow("just below") << 0.49;
  QTest::newRow("just beyond") << 0.51;
  QTest::newRow("well beyond") << 0.8;
}

void LcpTest::aBlockOnASlopeSlidesExactlyBeyondTheFrictionAngle() {
  QFETCH(double, slope);
  const double mu = 0.5, angle = std::atan(slope), g = 9.81;
  auto scene = onPlane(1, mu);
  // The slope is the plane y = 0 with rotated gravity, down the slope along +x, which is a direction of the
  // pyramid.
  scene->gravity = g * Vec3(std::sin(angle), -std::cos(angle), 0);
  MethodRun run(scene, lcp::Info::describe());
  const int steps = 50;
  for (int step = 0; step < steps; ++step) {
    run.step();
    QVERIFY2(run.record.status == StepStatus::Ok, run.record.statusText.c_str());
  }
  const double acceleration = std::max(0.0, g * (std::sin(angle) - mu * std::cos(angle)));
  QVERIFY_NEAR(run.world.linearVelocity[1].x(), acceleration * steps * run.world.dt, 1e-7);
  QVERIFY_NEAR(run.world.linearVelocity[1].z(), 0, 1e-7);
  Vec3 friction = Vec3::Zero();
  bool sliding = true, sticking = true;
  for (const Contact& contact : run.record.contacts) {
    friction += contact.frictionImpulse;  // on B, the box
    if (!(contact.normalImpulse > 1e-9)) continue;
    sliding = sliding && contact.mode == ContactMode::Sliding;
    sticking = sticking && contact.mode == ContactMode::Sticking;
  }
  const double expected = std::min(g * std::sin(angle), mu * g * std::cos(angle));
  QVERIFY_NEAR(-friction.x() / run.world.dt, expected, 1e-6);
  QVERIFY(acceleration > 0 ? sliding : sticking);
}

void LcpTest::frictionStopsASlidingBlockAfterTheRightDistance() {
  auto scene = onPlane(1, 0.4);
  scene->bodies[1].linearVelocity = Vec3(1, 0, 0);
  scene->dt = 0.001;
  MethodRun run(scene, lcp::Info::describe());
  for (int step = 0; step < 400; ++step) run.step();
  QVERIFY_NEAR(run.world.linearVelocity[1].norm(), 0, 1e-8);
  // v²/(2 μ g) = 0.12742 m; the implicit step stops up to v h / 2 earlier.
  QVERIFY_NEAR(run.world.position[1].x(), 1 / (2 * 0.4 * 9.81), 1e-3);
}

void LcpTest::frictionIsTheGeometricMeanOfBothMaterials() {
  auto scene = onPlane(1);
  scene->materials.resize(2);
  scene->materials[0].dynamicFriction = scene->materials[0].staticFriction = 0.9;
  scene->materials[1].dynamicFriction = scene->materials[1].staticFriction = 0.1;
  scene->bodies[1].material = 1;
  scene->bodies[1].linearVelocity = Vec3(10, 0, 0);
  MethodRun run(scene, lcp::Info::describe());
  run.step();
  QVERIFY_NEAR(run.world.linearVelocity[1].x(), 10 - std::sqrt(0.9 * 0.1) * 9.81 * 0.01, 1e-8);
}

void LcpTest::baumgarteUndoesTheAskedShareOfAnOverlap_data() {
  QTest::addColumn<double>("share");
  for (double share : {0.0, 0.25, 1.0}) QTest::newRow(qPrintable(QString::number(share))) << share;
}

void LcpTest::baumgarteUndoesTheAskedShareOfAnOverlap() {
  QFETCH(double, share);
  auto scene = onPlane(1);
  scene->bodies[1].position.y() = 0.05 - 2e-3;
  MethodRun run(scene, lcp::Info::describe(), {{"baumgarte", share}, {"push_out", std::string("published")}});
  run.step();
  QVERIFY_NEAR(run.record.quantities[Quantity::MethodDepth], 2e-3, 1e-12);
  QVERIFY_NEAR(run.world.position[1].y(), 0.05 - (1 - share) * 2e-3, 1e-10);
}

void LcpTest::theCapLimitsTheSpeedOfCorrection() {
  auto scene = onPlane(1);
  scene->bodies[1].position.y() = 0.05 - 2e-3;
  MethodRun run(scene, lcp::Info::describe(),
                {{"max_depenetration_speed", 0.05}, {"push_out", std::string("published")}});
  run.step();
  QVERIFY_NEAR(run.world.linearVelocity[1].y(), 0.05, 1e-9);
}

/// A box between a floor and a ceiling that are closer than its height has contradicting rows.
void LcpTest::contradictingRowsAreReportedAndTheRunGoesOn() {
  auto scene = test::scene({test::block("floor", Vec3(2, 1, 2), Vec3(0, -0.5, 0)),
                            test::block("ceiling", Vec3(2, 1, 2), Vec3(0, 0.598, 0)),
                            test::box("box", Vec3(0.2, 0.1, 0.2), 1, Vec3(0, 0.049, 0))});
  for (const char* solver : {"auto", "lemke"}) {
    MethodRun run(scene, lcp::Info::describe(), {{"push_out", std::string("published")}}, solver);
    for (int step = 0; step < 20; ++step) {
      run.step();
      QVERIFY(run.record.status == StepStatus::NoSolution);
      QVERIFY(QString::fromStdString(run.record.statusText).contains("contradict"));
      QVERIFY(run.world.position[2].allFinite());
    }
    // The substitute divides the missing 2 mm equally between both sides.
    QVERIFY_NEAR(run.world.position[2].y(), 0.049, 2e-4);
  }
}

void LcpTest::theMarginDecidesFromHowFarAContactIsSeen() {
  auto scene = onPlane(1);
  scene->gravity = Vec3::Zero();  // no motion: ε is the margin
  scene->bodies[1].position.y() = 0.05 + 0.01;
  MethodRun narrow(scene, lcp::Info::describe(), {{"margin", 0.009}}),
      wide(scene, lcp::Info::describe(), {{"margin", 0.011}});
  narrow.step();
  wide.step();
  QCOMPARE(narrow.record.contacts.size(), std::size_t(0));
  QCOMPARE(wide.record.contacts.size(), std::size_t(4));
  QVERIFY_NEAR(wide.record.contacts[0].gap, 0.01, 1e-12);
}

void LcpTest::rowsOfSeparateBodiesAreSolvedApart() {
  auto pair = test::scene({test::ground(), test::box("a", Vec3(0.2, 0.1, 0.3), 1, Vec3(0, 0.0499, 0)),
                           test::box("b", Vec3(0.2, 0.1, 0.3), 5, Vec3(1, 0.0502, 0))});
  auto alone = test::scene({test::ground(), pair->bodies[1]});
  MethodRun both(pair, lcp::Info::describe()), one(alone, lcp::Info::describe());
  for (int step = 0; step < 20; ++step) {
    both.step();
    one.step();
    QVERIFY(both.world.position[1] ==
            one.world.position[1]);  // bit for bit: the other island is not part of its problem
  }
}

void LcpTest::normalsPointFromTheLowerBodyIntoTheHigher() {
  auto scene =
      test::scene({test::box("upper", Vec3(0.2, 0.1, 0.2), 1, Vec3(0, 0.15, 0)),
                   test::box("lower", Vec3(0.2, 0.1, 0.2), 1, Vec3(0.01, 0.05, 0.02)), test::ground()});
  MethodRun run(scene, lcp::Info::describe());
  run.step();
  double onGround = 0;
  for (const Contact& contact : run.record.contacts) {
    QVERIFY(contact.bodyA < contact.bodyB);
    QVERIFY(contact.type == ConstraintType::U);
    QVERIFY_NEAR((contact.pointA + contact.gap * contact.normal - contact.pointB).norm(), 0, 1e-12);
    if (contact.normalImpulse > 1e-6) QVERIFY_NEAR(contact.normal.y(), -1, 1e-12);
    if (contact.bodyB == 2) onGround += contact.normalImpulse;
  }
  QVERIFY_NEAR(onGround / run.world.dt, 2 * kWeight, 1e-6);
}

void LcpTest::meshesWithoutPiecesAreRefusedByName() {
  auto scene = onPlane(1);
  auto mesh = std::make_shared<Shape>(*scene->bodies[1].shape);
  mesh->kind = Shape::Kind::Mesh;
  QVERIFY(lcp::Info::describe().refusal(*scene).empty());
  mesh->pieces.clear();
  scene->bodies[1].shape = mesh;
  const QString text = QString::fromStdString(lcp::Info::describe().refusal(*scene));
  QVERIFY2(text.contains("bodies[1] 'box'") && text.contains("dpf"), qPrintable(text));
}

void LcpTest::aBouncingBoxLeavesWithETimesItsSpeed_data() {
  QTest::addColumn<double>("restitution");
  for (double e : {0.0, 0.3, 0.8, 1.0}) QTest::newRow(qPrintable(QString::number(e))) << e;
}

/// A flat box at 3 m/s: all corners touch at once, and leave once with e times 3 m/s. Then it falls again and
/// rests.
void LcpTest::aBouncingBoxLeavesWithETimesItsSpeed() {
  QFETCH(double, restitution);
  Body body = test::box("box", Vec3(0.2, 0.1, 0.2), 1, Vec3(0, 0.06, 0));
  body.linearVelocity = Vec3(0, -3, 0);
  auto scene = test::scene({test::ground(), body});
  scene->gravity = Vec3::Zero();
  scene->dt = 2e-3;
  MethodRun run(scene, lcp::Info::describe(), {{"restitution", restitution}});
  for (int step = 0; step < 20; ++step) run.step();
  QVERIFY_NEAR(run.world.linearVelocity[1].y(), 3 * restitution, 1e-6);
  QVERIFY(run.world.position[1].y() > 0.05 - 1e-9);
}

void LcpTest::lemkeSolvesEveryFrameOfHeavyStack_data() {
  QTest::addColumn<QString>("method");
  QTest::addColumn<double>("friction");
  for (const char* method : {"lcp", "peg"})
    for (const double friction : {0.0, 0.5}) QTest::addRow("%s, %g", method, friction) << method << friction;
}

/// A stack of masses of 1 to 10 000 with redundant contacts: without equilibration pivots lose digits.
void LcpTest::lemkeSolvesEveryFrameOfHeavyStack() {
  QFETCH(QString, method);
  QFETCH(double, friction);
  const auto scene = test::shipped("heavy-stack", friction);
  PaneSettings settings;
  settings.method = method.toStdString();
  settings.solver = "lemke";
  Simulation simulation(scene, settings, scene->dt);
  while (simulation.world().time < scene->duration) {
    const RecordPtr record = simulation.step();
    QVERIFY2(record->status == StepStatus::Ok, record->statusText.c_str());
    QVERIFY(record->deliveredBy.empty() || record->deliveredBy.rfind("lemke", 0) == 0);
  }
}

void LcpTest::contactsLieWhereTheBodiesAre_data() {
  QTest::addColumn<double>("tilt");
  for (double tilt : {0.0, 1e-8, 1e-6, 1e-4, 1e-2, 0.1}) QTest::addRow("%g", tilt) << tilt;
}

// Edges of two neighbouring cubes are nearly parallel: their lines may meet kilometres away.
void LcpTest::contactsLieWhereTheBodiesAre() {
  QFETCH(double, tilt);
  const auto shape = test::boxShape(Vec3(0.1, 0.1, 0.1));
  const Polytope& cube = shape->pieces[0];
  int contacts = 0;
  for (const Vec3& axis : {Vec3(1, 0.3, 0.2), Vec3(0.1, 1, -0.4), Vec3(-0.3, 0.2, 1)}) {
    const PlacedPolytope a = placed(cube, Vec3::Zero(), Quaternion::Identity());
    const PlacedPolytope b =
        placed(cube, Vec3(0.102, 0.001, -0.001), Quaternion(Eigen::AngleAxisd(tilt, axis.normalized())));
    ConstraintSettings settings;
    settings.epsilon = 0.02;
    const PairConstraints found =
        test::findConstraints(a, b, settings, [](bool, const Vec3&) { return false; });
    for (const PieceContact& contact : found.contacts) {
      QVERIFY(contact.pointA.norm() < 0.3);
      QVERIFY((contact.pointB - Vec3(0.102, 0, 0)).norm() < 0.3);
    }
    contacts += countOf(found.contacts);
  }
  QVERIFY(contacts > 10);
}

// Rounding puts the ball's lowest vertex inside the plate: constraints of both faces would contradict each
// other.
void LcpTest::whatTouchesAThinPlateFeelsOneSideOfIt() {
  MethodRun run(test::shipped("thin-plate"), lcp::Info::describe());
  int touched = 0;
  for (int step = 0; step < 100; ++step) {
    run.step();
    QVERIFY2(run.record.status == StepStatus::Ok, run.record.statusText.c_str());
    touched += run.normalImpulse() > 0;
  }
  QVERIFY(touched > 50);
  QVERIFY_NEAR(run.world.linearVelocity[1].norm(), 0, 1e-6);
  QVERIFY(run.world.position[1].y() > 0.05);
}

QTEST_APPLESS_MAIN(LcpTest)
#include "tst_lcp.moc"
