#include <QtTest>
#include <cmath>
#include <cstdlib>
#include <map>
#include <random>
#include <set>

#include "core/contact/lcp/lcp.h"
#include "core/contact/manifold/constraint_sets.h"
#include "core/contact/peg/peg.h"
#include "core/geometry/polytope_overlap.h"
#include "core/math/count.h"
#include "core/run/pane_name.h"
#include "tests/contact/method_run.h"
#include "tests/support/near.h"
#include "tests/support/pair_constraints.h"

using namespace touchstone;
using test::MethodRun;

class PegTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void aRestingBoxIsCarriedByItsWeightInEveryStep_data();
  void aRestingBoxIsCarriedByItsWeightInEveryStep();
  void aBoxFallsFreelyPastACornerThatStopsTheStandardModel_data() { solverRows(); }
  void aBoxFallsFreelyPastACornerThatStopsTheStandardModel();
  void twoTrapsHaveAPegSolutionAndNoStandardOne();
  void anEdgeBesideACornerIsStoppedWithoutAGainOfEnergy_data() { solverRows(); }
  void anEdgeBesideACornerIsStoppedWithoutAGainOfEnergy();
  void aStackCarriesItsWeightLevelByLevel();
  void aBoxSlidesIntoAnInnerCornerAndStays_data();
  void aBoxSlidesIntoAnInnerCornerAndStays();
  void aBlockOnASlopeSlidesExactlyBeyondTheFrictionAngle_data();
  void aBlockOnASlopeSlidesExactlyBeyondTheFrictionAngle();
  void aCollisionOfTumblingBoxesKeepsMomentum();
  void relinearisingLeavesNoOverlapWherePlainLeavesTheRotation_data() { solverRows(); }
  void relinearisingLeavesNoOverlapWherePlainLeavesTheRotation();
  void theRecordNamesSetsPrimariesAndTraps_data() { solverRows(); }
  void theRecordNamesSetsPrimariesAndTraps();
  void eachCornerOfAPairHasASetWithItsForce();
  void aThinPlateHasNoContactWithItsBack();
  void contradictingSetsAreReportedAndTheRunGoesOn();
  void meshesWithoutPiecesAreRefusedByName();

 private:
  /// Rows with matrices and without; "newton-fb-pcr" with that linear solver.
  static void solverRows() {
    QTest::addColumn<QString>("solver");
    for (const char* solver : kSolvers) QTest::newRow(solver) << solver;
  }
  static constexpr const char* kSolvers[] = {"auto", "pgs", "newton-fb-pcr"};
  static MethodRun runOf(const std::shared_ptr<const Scene>& scene, ParameterValues values = {}) {
    QFETCH(QString, solver);
    const PaneSettings named = paneNamed("peg-" + solver.toStdString());
    values.insert(named.parameters.begin(), named.parameters.end());
    return MethodRun(scene, peg::Info::describe(), values, named.solver);
  }
};

static double supportOf(const StepRecord& record, int bodyA, int bodyB) {
  double sum = 0;
  for (const Contact& contact : record.contacts)
    if (contact.bodyA == bodyA && contact.bodyB == bodyB) sum += contact.normalImpulse * contact.normal.y();
  return sum;
}

void PegTest::aRestingBoxIsCarriedByItsWeightInEveryStep_data() {
  QTest::addColumn<QString>("solver");
  QTest::addColumn<QString>("step");
  std::vector<std::string> solvers = peg::Info::describe().solvers;
  solvers.push_back("newton-fb-pcr");
  for (const std::string& solver : solvers)
    for (const char* step : {"plain", "relinearise"})
      QTest::newRow((solver + ' ' + step).c_str()) << QString::fromStdString(solver) << step;
}

void PegTest::aRestingBoxIsCarriedByItsWeightInEveryStep() {
  QFETCH(QString, step);
  auto scene = test::scene({test::block("block", Vec3(2, 1, 2), Vec3(0, -0.5, 0)),
                            test::box("box", Vec3(0.2, 0.1, 0.3), 2.5, Vec3(0, 0.05, 0))});
  MethodRun run = runOf(scene, {{"step", step.toStdString()}});
  for (int count = 0; count < 300; ++count) {
    run.step();
    QVERIFY2(run.record.status == StepStatus::Ok, run.record.statusText.c_str());
    QVERIFY_NEAR(run.normalImpulse() / run.world.dt, 2.5 * 9.81, 1e-7);
  }
  QVERIFY_NEAR(run.world.position[1].y(), 0.05, 1e-8);
  QVERIFY_NEAR(run.world.linearVelocity[1].norm(), 0, 1e-8);
  QVERIFY(run.record.quantities[Quantity::Residual] <= run.record.solverTolerance);
}

/// Rotated a little, so that no two faces are parallel: its nearest edge is 3 mm away from the block x ≤ 0.
static Body boxBesideTheBlock(double height) {
  constexpr double kTurn = 0.02;
  Body box = test::box("box", Vec3(0.2, 0.2, 0.2), 1,
                       Vec3(0.003 + 0.1 * (std::cos(kTurn) + std::sin(kTurn)), height, 0));
  box.orientation = Quaternion(Eigen::AngleAxisd(kTurn, Vec3(0, 1, 0)));
  return box;
}

/// A box falls at 3 mm from a block: vertices near the block's edge are outside its side, which satisfies
/// PEG. The standard model also requires each of them to stay above the block's top plane.
void PegTest::aBoxFallsFreelyPastACornerThatStopsTheStandardModel() {
  auto scene =
      test::scene({test::block("block", Vec3(1, 1, 1), Vec3(-0.5, -0.5, 0)), boxBesideTheBlock(0.11)});
  scene->dt = 0.005;
  MethodRun peg = runOf(scene), lcp(scene, lcp::Info::describe());
  int traps = 0;
  for (int step = 1; step <= 60; ++step) {
    peg.step();
    lcp.step();
    QVERIFY2(peg.record.status == StepStatus::Ok, peg.record.statusText.c_str());
    QVERIFY_NEAR(peg.normalImpulse(), 0, 1e-9);
    QVERIFY_NEAR(peg.world.position[1].y(), 0.11 - 9.81 * 2.5e-5 * step * (step + 1) / 2, 1e-9);
    traps += peg.record.quantities[Quantity::Traps] > 0;
    QCOMPARE(lcp.record.quantities[Quantity::Traps], 0.0);
  }
  QVERIFY2(traps >= 2, qPrintable(QString::number(traps)));
  QVERIFY2(lcp.world.position[1].y() > peg.world.position[1].y() + 0.1,
           "the standard model must have held the box");
}

/// A wedge's tip between two blocks, at the side of one and below the other (the plane case `two-traps` of
/// the reference vectors, extruded). The standard model requires it to rise and to sink at the same time.
void PegTest::twoTrapsHaveAPegSolutionAndNoStandardOne() {
  auto shape = std::make_shared<Shape>();
  Polytope wedge;
  for (double z : {-0.1, 0.1})
    for (const Vec3& corner : {Vec3(-0.8 / 3, 0.4, 0), Vec3(0.31 / 3, -0.22, 0), Vec3(0.49 / 3, -0.18, 0)})
      wedge.vertices.push_back(corner + Vec3(0, 0, z));
  for (const std::vector<int>& face :
       std::vector<std::vector<int>>{{0, 2, 1}, {3, 4, 5}, {0, 1, 4, 3}, {1, 2, 5, 4}, {2, 0, 3, 5}})
    wedge.faces.push_back({face, Vec3::Zero(), 0});
  const std::string problem = buildTopology(wedge);
  QVERIFY2(problem.empty(), problem.c_str());
  shape->pieces.push_back(wedge);
  shape->surfaces.push_back(triangulated(wedge));
  shape->radius = 0.5;
  Body body = test::box("wedge", Vec3(1, 1, 1), 0.026, Vec3(0.8 / 3, -0.4, 0));
  body.shape = shape;
  body.inertia = Vec3(1e-3, 1e-3, 7.567e-4).asDiagonal();
  body.linearVelocity = Vec3(0, 0.5, 0);
  auto scene = test::scene({body, test::block("left", Vec3(1, 1, 1), Vec3(-0.55, -0.45, 0)),
                            test::block("right", Vec3(1, 1, 1), Vec3(0.55, 0.45, 0))});
  const ParameterValues values = {
      {"margin", 0.08}, {"eps_theta", 2.0}, {"push_out", std::string("published")}};
  MethodRun peg(scene, peg::Info::describe(), values), lcp(scene, lcp::Info::describe(), values);
  peg.step();
  lcp.step();
  QVERIFY(lcp.record.status == StepStatus::NoSolution);
  QVERIFY2(peg.record.status == StepStatus::Ok, peg.record.statusText.c_str());
  QVERIFY(peg.record.quantities[Quantity::InequalitySets] > 0);
  QVERIFY(peg.record.quantities[Quantity::CrossSets] > 0);
}

void PegTest::anEdgeBesideACornerIsStoppedWithoutAGainOfEnergy() {
  MethodRun run = runOf(test::edgeBesideACorner(), {{"x_sets", std::string("impulse")}});
  run.step();
  QVERIFY2(run.record.status == StepStatus::Ok, run.record.statusText.c_str());
  QVERIFY_NEAR(run.world.linearVelocity[1].y(), 0, 1e-9);
  const double energy = 0.5 * run.world.linearVelocity[1].squaredNorm() +
                        0.5 * (0.01 / 6) * run.world.angularVelocity[1].squaredNorm();
  QVERIFY(energy < 0.5 * 9);
  for (const Contact& contact : run.record.contacts)
    if (contact.normalImpulse > 0) QVERIFY(contact.normal.x() > 0.99);
}

void PegTest::aStackCarriesItsWeightLevelByLevel() {
  auto scene = test::scene({test::block("block", Vec3(2, 1, 2), Vec3(0, -0.5, 0)),
                            test::box("a", Vec3(0.4, 0.2, 0.4), 4, Vec3(0, 0.1, 0)),
                            test::box("b", Vec3(0.3, 0.2, 0.2), 2, Vec3(0.02, 0.3, 0.01)),
                            test::box("c", Vec3(0.1, 0.2, 0.3), 1, Vec3(0.0, 0.5, -0.02))});
  MethodRun run(scene, peg::Info::describe());
  for (int step = 0; step < 200; ++step) {
    run.step();
    QVERIFY2(run.record.status == StepStatus::Ok, run.record.statusText.c_str());
  }
  const double g = 9.81 * run.world.dt;
  QVERIFY_NEAR(supportOf(run.record, 0, 1), 7 * g, 1e-6);
  QVERIFY_NEAR(supportOf(run.record, 1, 2), 3 * g, 1e-6);
  QVERIFY_NEAR(supportOf(run.record, 2, 3), 1 * g, 1e-6);
  QVERIFY_NEAR(run.world.position[3].y(), 0.5, 1e-6);
  QVERIFY_NEAR(run.world.position[3].x(), 0, 1e-6);
}

void PegTest::aBoxSlidesIntoAnInnerCornerAndStays_data() {
  QTest::addColumn<double>("speed");
  QTest::newRow("slow") << 0.3;
  QTest::newRow("fast") << 3.0;
}

/// Floor and wall of one body, overlapping pieces: no vertex of a piece lies in the inner corner.
void PegTest::aBoxSlidesIntoAnInnerCornerAndStays() {
  QFETCH(double, speed);
  Body box = test::box("box", Vec3(0.2, 0.2, 0.2), 1, Vec3(0, 0.1, 0));
  box.linearVelocity = Vec3(speed, 0, 0);
  auto scene = test::scene(
      {test::container("corner", {{Vec3(4, 1, 2), Vec3(0, -0.5, 0)}, {Vec3(1, 3, 2), Vec3(0.8, 0.5, 0)}}),
       box});
  MethodRun run(scene, peg::Info::describe());
  for (int step = 0; step < 150; ++step) {
    run.step();
    QVERIFY2(run.record.status == StepStatus::Ok, run.record.statusText.c_str());
    QVERIFY(run.world.position[1].x() + 0.1 <= 0.3 + 1e-6);
    QVERIFY_NEAR(supportOf(run.record, 0, 1) / run.world.dt, 9.81, 1e-5);
  }
  QVERIFY_NEAR(run.world.position[1].y(), 0.1, 1e-6);
  QVERIFY_NEAR(run.world.position[1].x(), 0.2, 1e-6);
  QVERIFY_NEAR(run.world.linearVelocity[1].norm(), 0, 1e-6);
}

void PegTest::aBlockOnASlopeSlidesExactlyBeyondTheFrictionAngle_data() {
  QTest::addColumn<double>("slope");  // tan of the angle, μ = 0.5
  QTest::addColumn<QString>("solver");
  QTest::addColumn<QString>("step");
  for (const char* solver : kSolvers)
    for (const char* step : {"plain", "relinearise", "exact"}) {
      if (!peg::Info::describe().clash({{"step", std::string(step)}}, solver).empty()) continue;
      QTest::addRow("below, %s, %s", solver, step) << 0.45 << solver << step;
      QTest::addRow("beyond, %s, %s", solver, step) << 0.55 << solver << step;
    }
}

void PegTest::aBlockOnASlopeSlidesExactlyBeyondTheFrictionAngle() {
  QFETCH(double, slope);
  QFETCH(QString, step);
  const double mu = 0.5, angle = std::atan(slope), g = 9.81;
  auto scene = test::scene({test::block("block", Vec3(20, 1, 2), Vec3(0, -0.5, 0)),
                            test::box("box", Vec3(0.2, 0.1, 0.3), 1, Vec3(0, 0.05, 0))},
                           mu);
  scene->gravity = g * Vec3(std::sin(angle), -std::cos(angle), 0);
  MethodRun run = runOf(scene, {{"step", step.toStdString()}, {"max_iterations", 500.0}});
  for (int count = 0; count < 50; ++count) {
    run.step();
    QVERIFY2(run.record.status == StepStatus::Ok, run.record.statusText.c_str());
    for (const Contact& contact : run.record.contacts)
      if (contact.normalImpulse > 1e-6) QCOMPARE(contact.mode == ContactMode::Sticking, slope < mu);
  }
  const double acceleration = std::max(0.0, g * (std::sin(angle) - mu * std::cos(angle)));
  QVERIFY_NEAR(run.world.linearVelocity[1].x(), acceleration * 50 * run.world.dt, 1e-7);
}

void PegTest::aCollisionOfTumblingBoxesKeepsMomentum() {
  Body left = test::box("left", Vec3(0.2, 0.2, 0.2), 1, Vec3(-0.2, 0, 0));
  Body right = test::box("right", Vec3(0.2, 0.3, 0.2), 2.5, Vec3(0.15, 0.07, 0.02));
  left.linearVelocity = Vec3(2, 0, 0);
  left.angularVelocity = Vec3(3, 5, -4);
  right.linearVelocity = Vec3(-0.5, 0.1, 0);
  auto scene = test::scene({left, right});
  scene->gravity = Vec3::Zero();
  scene->dt = 1e-3;
  MethodRun run(scene, peg::Info::describe());
  double impulse = 0;
  const auto energy = [&] {
    double sum = 0;
    for (int body = 0; body < 2; ++body) {
      const Mat3 r = run.world.orientation[body].toRotationMatrix();
      const Vec3 omega = r.transpose() * run.world.angularVelocity[body];
      sum += 0.5 * scene->bodies[body].mass * run.world.linearVelocity[body].squaredNorm() +
             0.5 * omega.dot(scene->bodies[body].inertia * omega);
    }
    return sum;
  };
  const double before = energy();
  for (int step = 0; step < 300; ++step) {
    run.step();
    QVERIFY2(run.record.status == StepStatus::Ok, run.record.statusText.c_str());
    impulse += run.normalImpulse();
  }
  QVERIFY(impulse > 0.1);
  const Vec3 momentum = run.world.linearVelocity[0] + 2.5 * run.world.linearVelocity[1];
  QVERIFY_NEAR((momentum - Vec3(2 - 1.25, 0.25, 0)).norm(), 0, 1e-12);
  QVERIFY2(energy() < before, "an inelastic collision loses energy");
}

void PegTest::relinearisingLeavesNoOverlapWherePlainLeavesTheRotation() {
  // A spinning face meets the ridge of a fixed block: the face turns into the ridge during the step.
  Body block = test::block("block", Vec3(0.2, 0.2, 0.1), Vec3(0, 0, 0));
  block.orientation = Quaternion(Eigen::AngleAxisd(0.25 * M_PI, Vec3(0, 0, 1)));
  Body box = test::box("box", Vec3(0.6, 0.1, 0.3), 1, Vec3(0.1, 0.3, 0));
  box.angularVelocity = Vec3(0, 0, 5);
  auto scene = test::scene({block, box});
  const auto deepest = [&](const char* step) {
    MethodRun run = runOf(scene, {{"step", std::string(step)}, {"max_iterations", 1000.0}});
    double depth = 0;
    for (int count = 0; count < 30; ++count) {
      run.step();
      if (run.record.status != StepStatus::Ok) return 1.0;
      std::vector<PlacedPolytope> pieces;
      for (int body = 0; body < 2; ++body)
        pieces.push_back(placed(scene->bodies[body].shape->pieces[0], run.world.position[body],
                                run.world.orientation[body]));
      depth = std::max(depth, -separation(pieces[0], pieces[1]));
    }
    return depth;
  };
  const double plain = deepest("plain"), relinearised = deepest("relinearise");
  // Second order in the rotation of a step: ½ h² ω² r = 0.1 mm for 5 1/s and 0.1 m.
  QVERIFY2(plain > 1e-5 && plain < 1e-3, qPrintable(QString::number(plain)));
  QVERIFY2(relinearised < 1e-10, qPrintable(QString::number(relinearised)));
}

void PegTest::theRecordNamesSetsPrimariesAndTraps() {
  auto scene =
      test::scene({test::block("block", Vec3(1, 1, 1), Vec3(-0.5, -0.5, 0)), boxBesideTheBlock(0.098)});
  MethodRun run = runOf(scene);
  run.step();
  std::map<int, std::vector<const Contact*>> sets;
  for (const Contact& contact : run.record.contacts) sets[contact.set].push_back(&contact);
  double counts[4] = {0, 0, 0, 0};
  int traps = 0;
  for (const auto& [number, contacts] : sets) {
    QVERIFY(number >= 0 && number < countOf(sets));
    ++counts[static_cast<int>(contacts.front()->type)];
    traps += contacts.front()->trap;
    for (const Contact* contact : contacts) {
      QCOMPARE(contact->primary, contact == contacts.front());
      QVERIFY(contact->type == contacts.front()->type);
      QCOMPARE(contact->trap, contacts.front()->trap);
      QVERIFY(contact->bodyA == 0 && contact->bodyB == 1);
      if (!contact->primary) QCOMPARE(contact->normalImpulse, 0.0);
    }
    QCOMPARE(contacts.size() == 1, contacts.front()->type == ConstraintType::U);
  }
  QVERIFY(traps > 0);
  QCOMPARE(run.record.quantities[Quantity::Traps], static_cast<double>(traps));
  QCOMPARE(run.record.quantities[Quantity::UnilateralSets], counts[static_cast<int>(ConstraintType::U)]);
  QCOMPARE(run.record.quantities[Quantity::InequalitySets], counts[static_cast<int>(ConstraintType::I)]);
  QCOMPARE(run.record.quantities[Quantity::CrossSets], counts[static_cast<int>(ConstraintType::X)]);
}

/// Two tips that face each other in the plane (Williams 2017, eq. 35): where a face of one corner is not
/// applicable, the vertex of the other one still has a set of its own that carries its force.
void PegTest::eachCornerOfAPairHasASetWithItsForce() {
  std::mt19937 random(5);
  const auto in = [&random](double low, double high) {
    return low + (high - low) * (static_cast<double>(random()) / 4294967296.0);
  };
  // A triangle whose corner of the given angle is at a point and points along (cos, sin) of a direction.
  const auto corner = [](const Vec3& at, double direction, double angle) {
    std::vector<Vec3> points{at};
    for (const double side : {-0.5, 0.5}) {
      const double way = direction + M_PI + side * angle;
      points.push_back(at + Vec3(std::cos(way), std::sin(way), 0));
    }
    Polytope polygon;
    if (!convexPolygon(points, 0.1, polygon).empty()) std::abort();
    return polygon;
  };
  ConstraintSettings settings;
  settings.epsilon = settings.reach = settings.nearby = 0.05;
  settings.feasibleDepth = 0.05;
  int left = 0;  // pairs of corners of which one keeps one contact only
  for (int pair = 0; pair < 2000; ++pair) {
    const Polytope own = corner(Vec3(0, 0, 0), in(-0.6, 0.6), in(0.5, 2.6)),
                   other =
                       corner(Vec3(in(1e-3, 0.02), in(-0.02, 0.02), 0), M_PI + in(-0.6, 0.6), in(0.5, 2.6));
    const PlacedPolytope a = placed(own, Vec3::Zero(), Quaternion::Identity()),
                         b = placed(other, Vec3::Zero(), Quaternion::Identity());
    const PairConstraints found =
        test::findConstraints(a, b, settings, [](bool, const Vec3&) { return false; });
    // [vertex on A] contacts that are in a set which has a force
    std::set<int> held, all;
    for (const ConstraintSet& set : found.sets) held.insert(set.contacts.begin(), set.contacts.end());
    for (const CrossSet& set : found.crossSets) all.insert(std::begin(set.contacts), std::end(set.contacts));
    for (const int contact : all) {
      QVERIFY2(held.count(contact), qPrintable(QString::number(pair)));
    }
    int ofVertex[2] = {0, 0};
    for (const PieceContact& contact : found.contacts) ++ofVertex[contact.vertexOnA];
    left += ofVertex[0] + ofVertex[1] == 3;
  }
  QVERIFY2(left > 100, qPrintable(QString::number(left)));
}

/// A polygon at a place, with the topology that the place refers to.
struct PolygonAt {
  PolygonAt(const std::vector<Vec3>& points, const Vec3& at, double angle = 0) {
    if (!convexPolygon(points, 0.1, polygon).empty()) std::abort();
    pose = placed(polygon, at, Quaternion(Eigen::AngleAxisd(angle, Vec3::UnitZ())));
  }
  PolygonAt(const PolygonAt&) = delete;
  Polytope polygon;
  PlacedPolytope pose;
};

static PairConstraints constraintsOf(const PolygonAt& a, const PolygonAt& b,
                                     const ConstraintSettings& settings) {
  return test::findConstraints(a.pose, b.pose, settings, [](bool, const Vec3&) { return false; });
}

/// A blunt tip stands on a plate thinner than ε: it is near both faces, and only the upper one stops it.
void PegTest::aThinPlateHasNoContactWithItsBack() {
  const PolygonAt plate({Vec3(-1, -0.004, 0), Vec3(1, -0.004, 0), Vec3(1, 0, 0), Vec3(-1, 0, 0)},
                        Vec3::Zero());
  const PolygonAt tip({Vec3(0, 0, 0), Vec3(0.5, 0.1, 0), Vec3(-0.5, 0.1, 0)}, Vec3(0, 1e-4, 0));
  ConstraintSettings settings;
  settings.epsilon = settings.reach = settings.nearby = 0.01;
  const PairConstraints found = constraintsOf(plate, tip, settings);
  QCOMPARE(found.sets.size(), std::size_t(1));
  QCOMPARE(found.contacts.size(), std::size_t(1));
  QVERIFY_NEAR(found.contacts[0].psi, 1e-4, 1e-12);
  QVERIFY_NEAR(found.contacts[0].normal.y(), 1, 1e-12);
}

void PegTest::contradictingSetsAreReportedAndTheRunGoesOn() {
  auto scene = test::scene({test::block("floor", Vec3(2, 1, 2), Vec3(0, -0.5, 0)),
                            test::block("ceiling", Vec3(2, 1, 2), Vec3(0, 0.598, 0)),
                            test::box("box", Vec3(0.2, 0.1, 0.2), 1, Vec3(0, 0.049, 0))});
  for (const char* step : {"plain", "relinearise"}) {
    MethodRun run(scene, peg::Info::describe(),
                  {{"step", std::string(step)}, {"push_out", std::string("published")}});
    for (int count = 0; count < 20; ++count) {
      run.step();
      QVERIFY(run.record.status == StepStatus::NoSolution);
      QVERIFY(!run.record.statusText.empty());
    }
    QVERIFY_NEAR(run.world.position[2].y(), 0.049, 2e-4);
  }
}

void PegTest::meshesWithoutPiecesAreRefusedByName() {
  auto scene = test::scene({test::ground(), test::box("box", Vec3(0.2, 0.1, 0.3), 1, Vec3(0, 0.05, 0))});
  QVERIFY(peg::Info::describe().refusal(*scene).empty());
  auto mesh = std::make_shared<Shape>(*scene->bodies[1].shape);
  mesh->kind = Shape::Kind::Mesh;
  mesh->pieces.clear();
  scene->bodies[1].shape = mesh;
  const QString text = QString::fromStdString(peg::Info::describe().refusal(*scene));
  QVERIFY2(text.contains("bodies[1] 'box'") && text.contains("cpf"), qPrintable(text));
}

QTEST_APPLESS_MAIN(PegTest)
#include "tst_peg.moc"
