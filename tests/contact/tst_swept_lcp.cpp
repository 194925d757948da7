#include <QtTest>
#include <set>

#include "core/contact/contact_story.h"
#include "core/contact/step_detail.h"
#include "core/contact/sweep_plan.h"
#include "core/parallel/parallel_for.h"
#include "core/run/simulation.h"
#include "core/scene/replicate.h"
#include "tests/support/near.h"
#include "tests/support/scenes.h"
#include "tests/support/use_separate_device.h"

using namespace touchstone;

namespace {

PaneSettings pane(BackendKind backend = BackendKind::Cpu, int sweeps = 100, double tolerance = 1e-10) {
  PaneSettings settings;
  settings.method = "lcp";
  settings.solver = "pgs";
  settings.backend = backend;
  settings.parameters["max_iterations"] = double(sweeps);
  settings.parameters["tolerance"] = tolerance;
  return settings;
}

/// A cube on the ground, with gravity leaning by `angle` towards `direction` in the plane [rad].
std::shared_ptr<Scene> incline(double friction, double angle, double direction) {
  auto scene =
      test::scene({test::ground(), test::box("cube", Vec3(0.2, 0.2, 0.2), 3, Vec3(0, 0.1, 0))}, friction);
  scene->dt = 2e-3;
  scene->size = 1;
  const double along = 9.81 * std::sin(angle);
  scene->gravity = Vec3(along * std::cos(direction), -9.81 * std::cos(angle), along * std::sin(direction));
  return scene;
}

bool sameBits(const BodyState& a, const BodyState& b) {
  return a.position == b.position && a.orientation.coeffs() == b.orientation.coeffs() &&
         a.linearVelocity == b.linearVelocity && a.angularVelocity == b.angularVelocity;
}

}  // namespace

class SweptLcpTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { test::useSeparateDevice(); }
  void pairsOfOneColourShareNoBody();
  void islandsDoNotReachThroughTheGround();
  void aCubeSticksOrSlidesAsCoulombSays_data();
  void aCubeSticksOrSlidesAsCoulombSays();
  void restingForceIsWeight();
  void sweepsAreThoseOfTheProblemsMatrix_data();
  void sweepsAreThoseOfTheProblemsMatrix();
  void theInspectorTellsTheRowsOfTheCone();
  void tooFewSweepsAreSaid();
  void anIslandStopsOnItsOwn();
  void aCopyMovesAsItWouldAlone();
  void anyNumberOfThreadsGivesTheSameBits();
  void aDeviceGivesTheSameBits_data();
  void aDeviceGivesTheSameBits();
  void continuesExactlyFromItsMemory();
  void nothingTouchesNothing();
  void manyCoupledRowsAreAdvisedToUseSweeps();
  void aProblemTooLargeToShowIsNamed();
};

void SweptLcpTest::pairsOfOneColourShareNoBody() {
  // A plate under 100 boxes: more colours than bits in a word; beside it a chain.
  auto scene = test::scene({test::ground(), test::box("plate", Vec3(2, 0.1, 2), 5, Vec3::Zero())});
  for (int k = 0; k < 110; ++k)
    scene->bodies.push_back(test::box("box", Vec3(0.1, 0.1, 0.1), 1, Vec3(0, k, 0)));
  const World world = makeWorld(scene);
  std::vector<std::array<int, 2>> pairs = {{0, 1}};
  for (int k = 0; k < 100; ++k) pairs.push_back({1, 2 + k});
  for (int k = 100; k + 1 < 110; ++k) pairs.push_back({2 + k, 3 + k});
  for (int k = 100; k < 110; ++k) pairs.push_back({0, 2 + k});
  const SweepPlan plan = planSweeps(world, pairs);
  QCOMPARE(plan.order.size(), pairs.size());
  QCOMPARE(std::set<int>(plan.order.begin(), plan.order.end()).size(), pairs.size());
  QCOMPARE(plan.firstOfColour.size(), std::size_t(102));  // the plate has 101 pairs
  for (std::size_t colour = 0; colour + 1 < plan.firstOfColour.size(); ++colour) {
    std::set<int> taken;
    for (int place = plan.firstOfColour[colour]; place < plan.firstOfColour[colour + 1]; ++place)
      for (int body : pairs[plan.order[place]]) QVERIFY(body == 0 || taken.insert(body).second);
  }
}

void SweptLcpTest::islandsDoNotReachThroughTheGround() {
  auto scene = test::scene({test::ground()});
  for (int k = 0; k < 600; ++k)
    scene->bodies.push_back(test::box("box", Vec3(0.1, 0.1, 0.1), 1, Vec3(0, k, 0)));
  const World world = makeWorld(scene);
  std::vector<std::array<int, 2>> pairs = {{0, 600}};
  for (int k = 1; k < 400; ++k) pairs.push_back({k, k + 1});
  pairs.push_back({0, 1});
  const SweepPlan plan = planSweeps(world, pairs);
  QCOMPARE(plan.islandCount, 2);
  QCOMPARE(plan.islandOfBody[600], 0);
  QCOMPARE(plan.islandOfBody[0], -1);
  QCOMPARE(plan.islandOfBody[500], -1);
  for (int body = 1; body <= 400; ++body) QCOMPARE(plan.islandOfBody[body], 1);
  // Chunks hold every place once, each those of one island.
  std::set<int> places;
  for (int island = 0; island < plan.islandCount; ++island)
    for (int chunk = plan.firstChunk[island]; chunk < plan.firstChunk[island + 1]; ++chunk)
      for (int k = plan.firstOfChunk[chunk]; k < plan.firstOfChunk[chunk + 1]; ++k) {
        QCOMPARE(plan.island[plan.chunkPlaces[k]], island);
        places.insert(plan.chunkPlaces[k]);
      }
  QCOMPARE(places.size(), pairs.size());
  QVERIFY(plan.firstChunk[2] - plan.firstChunk[1] > 1);
}

void SweptLcpTest::aCubeSticksOrSlidesAsCoulombSays_data() {
  QTest::addColumn<double>("share");
  QTest::addColumn<double>("direction");
  for (double share : {0.95, 1.05, 1.5})
    for (double direction : {0.0, 0.3, 0.785})
      QTest::addRow("%g x the friction angle towards %g", share, direction) << share << direction;
}

// The cone knows no direction: a pyramid would be off by up to 30 % between its facets.
void SweptLcpTest::aCubeSticksOrSlidesAsCoulombSays() {
  QFETCH(double, share);
  QFETCH(double, direction);
  constexpr double kFriction = 0.4;
  const double angle = share * std::atan(kFriction);
  const auto scene = incline(kFriction, angle, direction);
  Simulation simulation(scene, pane(BackendKind::Cpu, 500), scene->dt);
  constexpr int kFrames = 100;
  for (int frame = 0; frame < kFrames; ++frame) {
    const RecordPtr record = simulation.step();
    QVERIFY(record->status == StepStatus::Ok);
    for (const Contact& contact : record->contacts)
      if (contact.normalImpulse > 1e-6 && frame > 0)
        QCOMPARE(contact.mode == ContactMode::Sticking, share < 1);
  }
  const double pull = 9.81 * (std::sin(angle) - kFriction * std::cos(angle));
  const double speed = std::max(0.0, pull) * kFrames * scene->dt;
  const Vec3 velocity = simulation.current()->bodies[1].linearVelocity;
  QVERIFY_NEAR((velocity - speed * Vec3(std::cos(direction), 0, std::sin(direction))).norm(), 0, 1e-7);
  QVERIFY_NEAR(simulation.current()->bodies[1].position.y(), 0.1, 1e-9);
}

void SweptLcpTest::restingForceIsWeight() {
  const auto scene = test::pile(1, 3);
  Simulation simulation(scene, pane(BackendKind::Cpu, 2000), scene->dt);
  for (int frame = 0; frame < 40; ++frame) simulation.step();
  const RecordPtr record = simulation.current();
  QVERIFY(record->status == StepStatus::Ok);
  QVERIFY(record->quantities[Quantity::Residual] <= record->solverTolerance);
  double onGround = 0;
  for (const Contact& contact : record->contacts)
    if (contact.bodyA == 0) onGround += contact.normalImpulse / record->dt;
  QVERIFY_NEAR(onGround, 3 * 9.81, 1e-6);
}

void SweptLcpTest::sweepsAreThoseOfTheProblemsMatrix_data() {
  QTest::addColumn<double>("friction");
  QTest::newRow("with friction") << 0.5;
  QTest::newRow("without") << 0.0;
}

// The problem that the inspector shows, with its matrix, solved by the solver for matrices.
void SweptLcpTest::sweepsAreThoseOfTheProblemsMatrix() {
  QFETCH(double, friction);
  const auto scene = test::pile(2, 2, friction);
  Simulation simulation(scene, pane(BackendKind::Cpu, 30), scene->dt);
  int sweeps = 0;
  for (int frame = 0; frame < 12; ++frame) {
    StepDetail detail;
    const RecordPtr record = simulation.step(detail);
    std::size_t largest = 0;
    for (const ProblemDetail& each : detail.problems) {
      const SolverResult again =
          makeSolver("pgs")->solve(each.answer.island.problem, each.start, detail.solverSettings);
      const double size = 1 + again.z.norm();
      QVERIFY_NEAR((again.z - each.answer.result.z).norm() / size, 0, 1e-11);
      QVERIFY(again.status == each.answer.result.status);
      QVERIFY_NEAR(again.residual, each.answer.result.residual, 1e-9 * (1 + again.residual));
      if (again.z.size() <= static_cast<Eigen::Index>(largest)) continue;
      largest = static_cast<std::size_t>(again.z.size());
      QCOMPARE(record->iterations.size(), again.iterations.size());
      for (std::size_t k = 0; k < again.iterations.size(); ++k)
        QVERIFY_NEAR(record->iterations[k].residual, again.iterations[k].residual,
                     1e-9 * (1 + again.iterations[k].residual));
      sweeps += static_cast<int>(again.iterations.size()) - 1;
    }
  }
  QVERIFY(sweeps > 30);
}

void SweptLcpTest::theInspectorTellsTheRowsOfTheCone() {
  const auto scene = incline(0.4, 0.5, 0.3);
  Simulation simulation(scene, pane(), scene->dt);
  for (int frame = 0; frame < 5; ++frame) simulation.step();
  StepDetail detail;
  const RecordPtr record = simulation.step(detail);
  const ContactTeller teller(scene);
  for (const Contact& contact : record->contacts) {
    const ContactStory story = teller.tell(contact, detail, "lcp", 0, "pgs");
    QCOMPARE(story.rows.size(), std::size_t(3));
    QCOMPARE(story.rows[0].multiplier, contact.normalImpulse);
    QVERIFY_NEAR(std::hypot(story.rows[1].multiplier, story.rows[2].multiplier),
                 contact.frictionImpulse.norm(), 1e-15);
    QVERIFY(story.rows[2].meaning.find("tangent 2") != std::string::npos);
    QCOMPARE(story.problemRows, 12);
    for (const StoryRow& row : story.rows) {
      QCOMPARE(static_cast<int>(row.residuals.size()), story.iterations);
      QVERIFY(row.residual <= record->solverTolerance);
    }
  }
  QCOMPARE(record->contacts.size(), std::size_t(4));
}

void SweptLcpTest::tooFewSweepsAreSaid() {
  const auto scene = test::pile(2, 3);
  Simulation simulation(scene, pane(BackendKind::Cpu, 2), scene->dt);
  for (int frame = 0; frame < 5; ++frame) simulation.step();
  const RecordPtr record = simulation.current();
  QVERIFY(record->status == StepStatus::NotConverged);
  QVERIFY(record->statusText.find("Gauss–Seidel") != std::string::npos);
  QVERIFY(record->unsolved > 0 && record->unsolved <= record->solves);
  QCOMPARE(record->iterations.size(), std::size_t(3));
  QVERIFY(record->quantities[Quantity::Residual] > record->solverTolerance);
}

void SweptLcpTest::anIslandStopsOnItsOwn() {
  const auto near = test::pile(1, 1), far = test::pile(1, 6);
  auto both = std::make_shared<Scene>(*near);
  for (std::size_t body = 1; body < far->bodies.size(); ++body) {
    both->bodies.push_back(far->bodies[body]);
    both->bodies.back().position.x() += 5;
  }
  Simulation alone(near, pane(), near->dt), together(both, pane(), both->dt);
  for (int frame = 0; frame < 50; ++frame)
    QVERIFY(sameBits(alone.step()->bodies[1], together.step()->bodies[1]));
  QCOMPARE(together.current()->solves, 2);
  QVERIFY(alone.current()->iterations.size() < together.current()->iterations.size());
}

void SweptLcpTest::aCopyMovesAsItWouldAlone() {
  constexpr int kCopies = 4;
  const auto original = test::pile(2, 2);
  const auto all = replicated(*original, kCopies, [](int copy) {
    CopyVariation variation;
    variation.change = [copy](Body& body) {
      if (body.motion == Motion::Dynamic) body.position.y() += 0.003 * copy;
    };
    return variation;
  });
  Simulation together(all, pane(), all->dt);
  std::vector<std::unique_ptr<Simulation>> alone;
  for (int copy = 0; copy < kCopies; ++copy) {
    auto scene = std::make_shared<Scene>(*original);
    for (Body& body : scene->bodies)
      if (body.motion == Motion::Dynamic) body.position.y() += 0.003 * copy;
    alone.push_back(std::make_unique<Simulation>(scene, pane(), scene->dt));
  }
  for (int frame = 0; frame < 30; ++frame) {
    const RecordPtr record = together.step();
    for (int copy = 0; copy < kCopies; ++copy) {
      const RecordPtr own = alone[copy]->step();
      for (std::size_t body = 0; body < own->bodies.size(); ++body)
        QVERIFY(sameBits(own->bodies[body], record->bodies[copy * own->bodies.size() + body]));
    }
  }
}

void SweptLcpTest::anyNumberOfThreadsGivesTheSameBits() {
  const auto scene = test::pile(14, 2);  // colours above the size at which loops use threads
  std::uint64_t hashes[2];
  for (int run = 0; run < 2; ++run) {
    std::unique_ptr<ThreadLimit> one;
    if (run == 0) one = std::make_unique<ThreadLimit>(1);
    Simulation simulation(scene, pane(BackendKind::Cpu, 20), scene->dt);
    for (int frame = 0; frame < 5; ++frame) simulation.step();
    hashes[run] = simulation.current()->stateHash;
    QVERIFY(simulation.current()->contacts.size() > 2000);
  }
  QCOMPARE(hashes[0], hashes[1]);
}

void SweptLcpTest::aDeviceGivesTheSameBits_data() {
  QTest::addColumn<bool>("bare");
  QTest::newRow("with records") << false;
  QTest::newRow("states only") << true;
}

void SweptLcpTest::aDeviceGivesTheSameBits() {
  QFETCH(bool, bare);
  const auto scene = test::pile(2, 3);
  Simulation host(scene, pane(), scene->dt), device(scene, pane(BackendKind::Cuda), scene->dt);
  device.setStatesOnly(bare);
  for (int frame = 0; frame < 60; ++frame) {
    const RecordPtr a = host.step(), b = device.step();
    QCOMPARE(b->stateHash, a->stateHash);
    QCOMPARE(b->contacts.size(), bare ? std::size_t(0) : a->contacts.size());
    QCOMPARE(b->iterations.size(), a->iterations.size());
    for (std::size_t k = 0; k < a->iterations.size(); ++k)
      QCOMPARE(b->iterations[k].residual, a->iterations[k].residual);
    for (std::size_t k = 0; k < b->contacts.size(); ++k) {
      QCOMPARE(b->contacts[k].normalImpulse, a->contacts[k].normalImpulse);
      QVERIFY(b->contacts[k].frictionImpulse == a->contacts[k].frictionImpulse);
    }
  }
  QVERIFY(device.backend() == BackendKind::Cuda);
  QVERIFY(device.contactMemory() == host.contactMemory());
}

void SweptLcpTest::continuesExactlyFromItsMemory() {
  const auto scene = test::pile(2, 3);
  for (const BackendKind backend : {BackendKind::Cpu, BackendKind::Cuda}) {
    Simulation first(scene, pane(backend), scene->dt);
    for (int frame = 0; frame < 20; ++frame) first.step();
    Simulation second(scene, first.checkpoint());
    QVERIFY(second.contactMemory() == first.contactMemory());
    for (int frame = 0; frame < 20; ++frame) QCOMPARE(second.step()->stateHash, first.step()->stateHash);
    // What is kept matters: without it the sweeps begin elsewhere.
    Simulation without(scene, first.checkpoint());
    without.restoreContactMemory({});
    QVERIFY(without.step()->stateHash != first.step()->stateHash);
  }
}

void SweptLcpTest::nothingTouchesNothing() {
  auto scene = test::scene({test::ground(), test::box("box", Vec3(0.1, 0.1, 0.1), 1, Vec3(0, 0.5, 0))});
  scene->dt = 5e-3;
  for (const BackendKind backend : {BackendKind::Cpu, BackendKind::Cuda}) {
    Simulation simulation(scene, pane(backend), scene->dt);
    for (int frame = 0; frame < 10; ++frame) QVERIFY(simulation.step()->status == StepStatus::Ok);
    QVERIFY(simulation.backend() == backend);
    QVERIFY(simulation.current()->contacts.empty() && simulation.current()->iterations.empty());
    QVERIFY(simulation.current()->deliveredBy.empty());
    for (int frame = 0; frame < 100; ++frame) simulation.step();
    QCOMPARE(simulation.current()->contacts.size(), std::size_t(4));
  }
}

void SweptLcpTest::manyCoupledRowsAreAdvisedToUseSweeps() {
  const auto scene = test::pile(3, 3, 0);
  PaneSettings settings = pane();
  settings.solver = "newton-fb";
  settings.parameters["max_iterations"] = 1.0;
  const RecordPtr dense = Simulation(scene, settings, scene->dt).step();
  QCOMPARE(dense->warnings.size(), std::size_t(1));
  QVERIFY(dense->warnings.front().find("the solver pgs needs none") != std::string::npos);
  QVERIFY(Simulation(scene, pane(), scene->dt).step()->warnings.empty());
}

void SweptLcpTest::aProblemTooLargeToShowIsNamed() {
  for (const bool shown : {true, false}) {
    const auto scene = test::pile(shown ? 2 : 5, 2);
    Simulation simulation(scene, pane(BackendKind::Cpu, 5), scene->dt);
    StepDetail detail;
    const RecordPtr record = simulation.step(detail);
    const int rows = 3 * static_cast<int>(record->contacts.size());
    QCOMPARE(rows <= kShownRows, shown);
    QCOMPARE(detail.problems.size(), std::size_t(shown ? 1 : 0));
    QCOMPARE(detail.leftOutRows, shown ? 0 : rows);
    const ContactStory story = ContactTeller(scene).tell(record->contacts.front(), detail, "lcp", 0, "pgs");
    QCOMPARE(story.leftOutRows, detail.leftOutRows);
    QCOMPARE(story.problemRows, shown ? rows : 0);
    QCOMPARE(story.rows.empty(), !shown);
    QCOMPARE(story.solvedAgain, rows <= kSolvedAgainRows);
    QVERIFY(!story.taken.empty());
  }
}

QTEST_APPLESS_MAIN(SweptLcpTest)
#include "tst_swept_lcp.moc"
