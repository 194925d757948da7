#include <QtTest>

#include "core/contact/complementarity/problem_detail.h"
#include "core/contact/peg/peg.h"
#include "core/geometry/polytope_overlap.h"
#include "core/run/pane_name.h"
#include "core/run/simulation.h"
#include "core/scene/scene.h"
#include "tests/contact/method_run.h"
#include "tests/support/near.h"
#include "tests/support/scenes.h"

using namespace touchstone;
using test::MethodRun;

/// PEG's exact step: no overlap at the end of any step, in the plane and in space.
class ExactStepTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void aPourEndsEveryStepWithoutOverlap_data();
  void aPourEndsEveryStepWithoutOverlap();
  void aBoxThatRollsOverItsCornerNeverOverlapsTheGround();
  void aBoxIsCarriedByItsWeight();
  void aBoxSlidesOverTheJointOfFlushPieces();
  void crossedEdgesHoldEachOther();
  void impactsOfFreeBodiesKeepMomentumAndGainNoEnergy();
  void anOverlapAtTheStartIsUndoneAtMostAtTheCappedSpeed();
  void withoutAMatrixItsProblemsHaveTheSameAnswers_data();
  void withoutAMatrixItsProblemsHaveTheSameAnswers();
  void towersStartFromTheirLastImpulses();
};

void ExactStepTest::aPourEndsEveryStepWithoutOverlap_data() {
  QTest::addColumn<QString>("scene");
  QTest::addColumn<double>("dt");
  QTest::addColumn<double>("bound");  // m² or m³
  QTest::newRow("plane, 5 ms") << "pour-2d" << 5e-3 << 1e-13;
  QTest::newRow("plane, 20 ms") << "pour-2d" << 20e-3 << 1e-13;
  QTest::newRow("space, 10 ms") << "pour" << 10e-3 << 1e-12;
  QTest::newRow("space, 20 ms") << "pour" << 20e-3 << 1e-12;
}

void ExactStepTest::aPourEndsEveryStepWithoutOverlap() {
  QFETCH(QString, scene);
  QFETCH(double, dt);
  QFETCH(double, bound);
  PaneSettings settings;
  settings.method = "peg";
  settings.parameters["step"] = std::string("exact");
  Simulation simulation(test::shipped(scene.toStdString()), settings, dt);
  int rose = 0;  // frames with a warning that a body passes a corner
  while (simulation.current()->time < 4) {
    const RecordPtr record = simulation.step();
    rose += record->status == StepStatus::Energy;
    QVERIFY2(record->status == StepStatus::Ok || record->status == StepStatus::Energy,
             record->statusText.c_str());
    QVERIFY2(record->quantities[Quantity::Overlap] <= bound, qPrintable(QString::number(record->time)));
  }
  QVERIFY(simulation.current()->contacts.size() > 10);  // bodies have landed
  QVERIFY2(rose <= 2, qPrintable(QString::number(rose)));
}

/// The error of linearisation is ½ h² ω² r: millimetres at 12 rad/s and 20 ms.
void ExactStepTest::aBoxThatRollsOverItsCornerNeverOverlapsTheGround() {
  Body box = test::box("box", Vec3(0.3, 0.2, 0.25), 2, Vec3(0, 0.25, 0));
  box.orientation = Quaternion(Eigen::AngleAxisd(0.6, Vec3(0.3, 0.5, 1).normalized()));
  box.linearVelocity = Vec3(1, -3, 0.2);
  box.angularVelocity = Vec3(2, 1, -12);
  auto scene = test::scene({test::ground(), box});
  scene->dt = 0.02;
  MethodRun run(scene, peg::Info::describe(), {{"step", std::string("exact")}});
  double lowest = 1e300;
  for (int step = 0; step < 100; ++step) {
    run.step();
    const PlacedPolytope piece =
        placed(scene->bodies[1].shape->pieces[0], run.world.position[1], run.world.orientation[1]);
    for (const Vec3& vertex : piece.vertices) lowest = std::min(lowest, vertex.y());
    QVERIFY(run.wantsBisection.empty());
  }
  QVERIFY2(lowest >= -1e-13, qPrintable(QString::number(lowest)));
  QVERIFY2(lowest < 1e-6, "the box never touched the ground");
}

void ExactStepTest::aBoxIsCarriedByItsWeight() {
  auto scene = test::scene({test::block("block", Vec3(2, 1, 2), Vec3(0, -0.5, 0)),
                            test::box("box", Vec3(0.2, 0.1, 0.3), 2.5, Vec3(0, 0.05, 0))});
  MethodRun run(scene, peg::Info::describe(), {{"step", std::string("exact")}});
  for (int step = 0; step < 100; ++step) run.step();
  QVERIFY_NEAR(run.normalImpulse() / run.world.dt, 2.5 * 9.81, 1e-7);
  QVERIFY_NEAR(run.world.position[1].y(), 0.05, 1e-9);
}

void ExactStepTest::aBoxSlidesOverTheJointOfFlushPieces() {
  Body box = test::box("box", Vec3(0.2, 0.1, 0.2), 1, Vec3(-0.5, 0.05, 0));
  box.linearVelocity = Vec3(1, 0, 0);
  auto scene = test::scene({test::container("plate", {{Vec3(1, 0.2, 1), Vec3(-0.5, -0.1, 0)},
                                                      {Vec3(1, 0.2, 1), Vec3(0.5, -0.1, 0)}}),
                            box});
  MethodRun run(scene, peg::Info::describe(), {{"step", std::string("exact")}});
  for (int step = 0; step < 100; ++step) run.step();
  QVERIFY_NEAR(run.world.position[1].x(), -0.5 + 100 * scene->dt, 1e-9);
  QVERIFY_NEAR(run.world.linearVelocity[1].x(), 1, 1e-9);
}

/// Two bars whose edges face each other (turned by 45° about their lengths), crossed at a right angle.
void ExactStepTest::crossedEdgesHoldEachOther() {
  const double half = 0.05 * std::sqrt(2.0);
  Body lower = test::block("lower", Vec3(1, 0.1, 0.1), Vec3(0, -half, 0));
  lower.orientation = Quaternion(Eigen::AngleAxisd(M_PI / 4, Vec3::UnitX()));
  Body upper = test::box("upper", Vec3(0.1, 0.1, 1), 1, Vec3(0, half + 1e-4, 0));
  upper.orientation = Quaternion(Eigen::AngleAxisd(M_PI / 4, Vec3::UnitZ()));
  auto scene = test::scene({lower, upper});
  MethodRun run(scene, peg::Info::describe(), {{"step", std::string("exact")}});
  for (int step = 0; step < 20; ++step) {
    run.step();
    QVERIFY(run.wantsBisection.empty());
  }
  QVERIFY_NEAR(run.world.position[1].y(), half, 1e-6);
  bool edges = false;
  for (const Contact& contact : run.record.contacts)
    edges = edges || (contact.kind == FeaturePairKind::EdgeEdge && contact.normalImpulse > 0);
  QVERIFY(edges);
}

void ExactStepTest::impactsOfFreeBodiesKeepMomentumAndGainNoEnergy() {
  Body first = test::box("first", Vec3(0.2, 0.3, 0.1), 1, Vec3(-0.3, 0, 0));
  first.linearVelocity = Vec3(2, 0.1, 0);
  first.angularVelocity = Vec3(1, 5, -3);
  Body second = test::box("second", Vec3(0.2, 0.2, 0.4), 3, Vec3(0.3, 0.03, 0.02));
  second.linearVelocity = Vec3(-1, 0, 0);
  second.angularVelocity = Vec3(-2, 1, 4);
  auto scene = test::scene({first, second});
  scene->gravity = Vec3::Zero();
  scene->dt = 5e-3;
  MethodRun run(scene, peg::Info::describe(), {{"step", std::string("exact")}});
  const Vec3 before = 2 * Vec3(1, 0.05, 0) + 3 * Vec3(-1, 0, 0);
  const auto energy = [&] {
    double sum = 0;
    for (int body = 0; body < 2; ++body) {
      const Mat3 rotation = run.world.orientation[body].toRotationMatrix();
      const Vec3 spin = rotation.transpose() * run.world.angularVelocity[body];
      sum += 0.5 * scene->bodies[body].mass * run.world.linearVelocity[body].squaredNorm() +
             0.5 * spin.dot(scene->bodies[body].inertia * spin);
    }
    return sum;
  };
  bool touched = false;
  for (int step = 0; step < 100; ++step) {
    const double kinetic = energy();
    run.step();
    touched = touched || run.normalImpulse() > 0;
    // Free rotation itself drifts by O(h²) per step; an impact must not add to it.
    QVERIFY(energy() <= kinetic * (1 + 1e-3));
  }
  QVERIFY(touched);
  Vec3 after = Vec3::Zero();
  for (int body = 0; body < 2; ++body) after += scene->bodies[body].mass * run.world.linearVelocity[body];
  QVERIFY_NEAR((after - before).norm(), 0, 1e-12);
}

void ExactStepTest::anOverlapAtTheStartIsUndoneAtMostAtTheCappedSpeed() {
  auto scene = test::scene({test::block("block", Vec3(2, 1, 2), Vec3(0, -0.5, 0)),
                            test::box("box", Vec3(0.2, 0.1, 0.2), 1, Vec3(0, 0.05 - 0.02, 0))});
  scene->dt = 0.01;
  MethodRun run(scene, peg::Info::describe(),
                {{"step", std::string("exact")}, {"max_depenetration_speed", 0.5}});
  run.step();
  QVERIFY_NEAR(run.world.linearVelocity[1].y(), 0.5, 1e-6);
  for (int step = 0; step < 10; ++step) run.step();
  QVERIFY(run.world.position[1].y() >= 0.05 - 1e-9);
}

void ExactStepTest::withoutAMatrixItsProblemsHaveTheSameAnswers_data() {
  QTest::addColumn<QString>("scene");
  QTest::addColumn<QString>("pane");
  QTest::addColumn<double>("friction");
  QTest::addColumn<int>("unsolved");  // largest number of frames, for jammed heaps with friction
  for (const char* scene : {"pour", "pour-2d"})
    for (const char* pane : {"peg-newton-fb-pcr exact", "peg-newton-fb-pcg exact"})
      for (const double friction : {0.5, 0.0})
        QTest::addRow("%s, %s, friction %g", scene, pane, friction)
            << scene << pane << friction << (friction > 0 ? 10 : 0);
}

// Uses the last linearisation, whose rows have gradients that no arm gives. Without friction the velocity is
// that of Lemke's method.
void ExactStepTest::withoutAMatrixItsProblemsHaveTheSameAnswers() {
  QFETCH(QString, scene);
  QFETCH(QString, pane);
  QFETCH(double, friction);
  const auto own = test::shipped(scene.toStdString(), friction);
  Simulation simulation(own, paneWithStep(pane.toStdString()), own->dt);
  QFETCH(int, unsolved);
  int problems = 0, failed = 0, rose = 0;
  for (int frame = 0; frame < 250; ++frame) {
    StepDetail detail;
    const RecordPtr record = simulation.step(detail);
    if (record->status == StepStatus::Energy) ++rose;
    if (record->status != StepStatus::Ok && record->status != StepStatus::Energy) {
      QVERIFY2(++failed <= unsolved, record->statusText.c_str());
      QVERIFY(record->status == StepStatus::NotConverged);
      continue;
    }
    QVERIFY(record->quantities[Quantity::Overlap] <= 1e-12);
    for (const IslandAnswer& each : problemDetail(detail).problems) {
      ++problems;
      const ComplementarityProblem& problem = each.island.problem;
      const double residual = scaledResidual(problem, each.result.z);
      QVERIFY2(residual <= 1.5 * problemDetail(detail).solverSettings.tolerance,
               qPrintable(QString::number(residual)));
      if (friction > 0) continue;
      const SolverResult again =
          makeSolver("lemke")->solve(problem, each.start, problemDetail(detail).solverSettings);
      QVERIFY(again.status == SolveStatus::Solved);
      const Eigen::VectorXd push = problem.A * (again.z - each.result.z);  // redundant contacts
      QVERIFY(push.norm() <= 1e-7 * (1 + (problem.A * again.z).norm()));
    }
  }
  QVERIFY2(problems > 200, qPrintable(QString::number(problems)));
  QVERIFY2(rose <= 2, qPrintable(QString::number(rose)));
}

// Two resting faces separate equally well. If the branch alternated between them, no row would match a row of
// the step before.
void ExactStepTest::towersStartFromTheirLastImpulses() {
  Simulation simulation(test::pile(2, 8), paneWithStep("peg-newton-fb-pcr exact"), 2e-3);
  std::size_t most = 0;  // residuals per step, after all have come to rest
  for (int frame = 1; frame <= 60; ++frame) {
    const RecordPtr record = simulation.step();
    QVERIFY(record->status == StepStatus::Ok);
    if (frame > 20) most = std::max(most, record->iterations.size());
  }
  QVERIFY2(most <= 4, qPrintable(QString::number(most)));
}

QTEST_APPLESS_MAIN(ExactStepTest)
#include "tst_exact_step.moc"
