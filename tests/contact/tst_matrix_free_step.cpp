#include <QtTest>
#include <set>

#include "core/parallel/parallel_for.h"
#include "core/run/simulation.h"
#include "core/scene/replicate.h"
#include "tests/contact/method_run.h"
#include "tests/support/near.h"
#include "tests/support/scenes.h"
#include "tests/support/separate_backend.h"
#include "tests/support/separate_device.h"

using namespace touchstone;

namespace {

const QString kSmooth = QStringLiteral("smooth");

bool sameBits(const BodyState& a, const BodyState& b) {
  return a.position == b.position && a.orientation.coeffs() == b.orientation.coeffs() &&
         a.linearVelocity == b.linearVelocity && a.angularVelocity == b.angularVelocity;
}

void addSolvers(std::initializer_list<const char*> panes) {
  QTest::addColumn<QString>("pane");
  for (const char* pane : panes) QTest::newRow(pane) << pane;
}

void addAll() {
  addSolvers({"lcp-pgs", "peg-pgs", "peg-pgs relinearise", "lcp-newton-fb-pcr", "lcp-newton-fb-pcr smooth",
              "peg-newton-fb-pcr", "peg-newton-fb-pcr smooth"});
}

}  // namespace

/// Common properties of all matrix-free solvers.
class MatrixFreeStepTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { test::useSeparateDevice(); }
  void restingForceIsWeight_data() {
    addSolvers({"lcp-pgs", "peg-pgs", "lcp-newton-fb-pcr", "lcp-newton-min-pcg", "lcp-newton-min-pcg smooth",
                "peg-newton-fb-pcr", "peg-newton-fb-jacobi"});
  }
  void restingForceIsWeight();
  void tooFewIterationsAreSaid_data() {
    addSolvers({"lcp-pgs", "peg-pgs", "lcp-newton-fb-pcr", "lcp-newton-fb-pcr smooth", "peg-newton-fb-pcr"});
  }
  void tooFewIterationsAreSaid();
  void anIslandStopsOnItsOwn_data() { addAll(); }
  void anIslandStopsOnItsOwn();
  void aReplicaMovesAsItWouldAlone_data() { addAll(); }
  void aReplicaMovesAsItWouldAlone();
  void anyNumberOfThreadsGivesTheSameBits_data() { addAll(); }
  void anyNumberOfThreadsGivesTheSameBits();
  void largeAndSmallIslandsAreTheSameOnADevice_data() { addAll(); }
  void largeAndSmallIslandsAreTheSameOnADevice();
  void aDeviceGivesTheSameBits_data();
  void aDeviceGivesTheSameBits();
  void aStepBringsHomeWhatIslandsCameToOnly_data() { addAll(); }
  void aStepBringsHomeWhatIslandsCameToOnly();
  void otherPrimariesAndTheirRecordAreTheSameOnADevice_data() {
    addSolvers({"peg-pgs", "peg-newton-fb-pcr"});
  }
  void otherPrimariesAndTheirRecordAreTheSameOnADevice();
  void relinearisedStepsAreTheSameOnADevice_data() {
    addSolvers({"peg-pgs relinearise", "peg-newton-fb-pcr relinearise"});
  }
  void relinearisedStepsAreTheSameOnADevice();
  void contactsThatGoLeaveNoRowsOnADevice();
  void continuesExactlyFromItsMemory_data() { addAll(); }
  void continuesExactlyFromItsMemory();
  void nothingTouchesNothing_data() {
    addSolvers({"lcp-pgs", "peg-pgs", "lcp-newton-fb-pcr", "lcp-newton-fb-pcr smooth", "peg-newton-fb-pcr"});
  }
  void nothingTouchesNothing();

 private:
  /// The pane of the row: "peg-pgs relinearise".
  static PaneSettings pane(BackendKind backend = BackendKind::Cpu) {
    QFETCH(QString, pane);
    return test::pane(pane.remove(" " + kSmooth).toStdString(), backend);
  }
  /// A pile for the pane: "lcp-newton-fb-pcr smooth" is without friction.
  static std::shared_ptr<Scene> pile(int side, int layers) {
    QFETCH(QString, pane);
    return test::pile(side, layers, pane.endsWith(kSmooth) ? 0 : 0.5);
  }
};

void MatrixFreeStepTest::restingForceIsWeight() {
  PaneSettings settings = pane();
  settings.parameters["max_iterations"] = 2000.0;
  const auto scene = pile(1, 3);
  Simulation simulation(scene, settings, scene->dt);
  for (int frame = 0; frame < 40; ++frame) simulation.step();
  const RecordPtr record = simulation.current();
  QVERIFY(record->status == StepStatus::Ok);
  QVERIFY(record->quantities[Quantity::Residual] <= record->solverTolerance);
  double onGround = 0;
  for (const Contact& contact : record->contacts)
    if (contact.bodyA == 0) onGround += contact.normalImpulse / record->dt;
  QVERIFY_NEAR(onGround, 3 * 9.81, 1e-6);
}

void MatrixFreeStepTest::tooFewIterationsAreSaid() {
  PaneSettings settings = pane();
  settings.parameters["max_iterations"] = 2.0;
  const auto scene = pile(2, 3);
  Simulation simulation(scene, settings, scene->dt);
  for (int frame = 0; frame < 5; ++frame) simulation.step();
  const RecordPtr record = simulation.current();
  QVERIFY(record->status == StepStatus::NotConverged);
  QVERIFY(record->statusText.find(settings.solver == "pgs" ? "Gauss–Seidel" : "Newton") != std::string::npos);
  QVERIFY(record->unsolved > 0 && record->unsolved <= record->solves);
  QCOMPARE(record->iterations.size(), std::size_t(3));
  QVERIFY(record->quantities[Quantity::Residual] > record->solverTolerance);
}

void MatrixFreeStepTest::anIslandStopsOnItsOwn() {
  const PaneSettings settings = pane();
  const auto near = pile(1, 1), far = pile(1, 6);
  auto both = std::make_shared<Scene>(*near);
  for (std::size_t body = 1; body < far->bodies.size(); ++body) {
    both->bodies.push_back(far->bodies[body]);
    both->bodies.back().position.x() += 5;
  }
  Simulation alone(near, settings, near->dt), together(both, settings, both->dt);
  std::size_t own = 0, all = 0;
  for (int frame = 0; frame < 50; ++frame) {
    const RecordPtr a = alone.step(), b = together.step();
    QVERIFY(sameBits(a->bodies[1], b->bodies[1]));
    own += a->iterations.size();
    all += b->iterations.size();
  }
  const RecordPtr last = together.current();
  const bool tried = !last->warnings.empty();  // with other primaries
  if (settings.parameters.count("step"))
    QVERIFY(last->solves > 2);  // in each linearisation
  else
    QCOMPARE(last->solves > 2, tried);
  QVERIFY(own < all);
}

void MatrixFreeStepTest::aReplicaMovesAsItWouldAlone() {
  constexpr int kReplicas = 4;
  const PaneSettings settings = pane();
  const auto original = pile(2, 2);
  const auto change = [](int replica, Body& body) {
    if (body.motion == Motion::Dynamic) body.position.y() += 0.003 * replica;
  };
  const auto all = replicated(*original, kReplicas, [&](int replica) {
    ReplicaVariation variation;
    variation.change = [&change, replica](Body& body) { change(replica, body); };
    return variation;
  });
  Simulation together(all, settings, all->dt);
  std::vector<std::unique_ptr<Simulation>> alone;
  for (int replica = 0; replica < kReplicas; ++replica) {
    auto scene = std::make_shared<Scene>(*original);
    for (Body& body : scene->bodies) change(replica, body);
    alone.push_back(std::make_unique<Simulation>(scene, settings, scene->dt));
  }
  for (int frame = 0; frame < 20; ++frame) {
    const RecordPtr record = together.step();
    for (int replica = 0; replica < kReplicas; ++replica) {
      const RecordPtr own = alone[replica]->step();
      for (std::size_t body = 0; body < own->bodies.size(); ++body)
        QVERIFY(sameBits(own->bodies[body], record->bodies[replica * own->bodies.size() + body]));
    }
  }
}

void MatrixFreeStepTest::anyNumberOfThreadsGivesTheSameBits() {
  PaneSettings settings = pane();
  settings.parameters["max_iterations"] = settings.solver == "pgs" ? 20.0 : 3.0;
  const auto scene = pile(14, 2);  // colours above the size at which loops use threads
  std::uint64_t hashes[2];
  for (int run = 0; run < 2; ++run) {
    std::unique_ptr<ThreadLimit> one;
    if (run == 0) one = std::make_unique<ThreadLimit>(1);
    Simulation simulation(scene, settings, scene->dt);
    for (int frame = 0; frame < 3; ++frame) simulation.step();
    hashes[run] = simulation.current()->stateHash;
    QVERIFY(simulation.current()->contacts.size() > 2000);
  }
  QCOMPARE(hashes[0], hashes[1]);
}

// Large islands are distributed over all threads. Small ones run in a group of threads each, which continues
// in another launch if a device limits their length.
void MatrixFreeStepTest::largeAndSmallIslandsAreTheSameOnADevice() {
  PaneSettings settings = pane();
  settings.parameters["max_iterations"] = settings.solver == "pgs" ? 20.0 : 4.0;
  const auto scene = std::make_shared<Scene>(*pile(12, 1));
  scene->bodies.push_back(test::box("lid", Vec3(1.3, 0.02, 1.3), 5, Vec3(0.561, 0.1103, 0.561)));
  scene->bodies.push_back(test::box("apart", Vec3(0.1, 0.1, 0.1), 1, Vec3(3, 0.0501, 0)));
  constexpr int kRuns = 4;
  std::vector<std::uint64_t> hashes[kRuns];
  long launches[kRuns];
  const int passes = test::SeparateBackend::passesOfProgram();
  for (int run = 0; run < kRuns; ++run) {
    std::unique_ptr<ThreadLimit> one;
    if (run == 0) one = std::make_unique<ThreadLimit>(1);
    settings.backend = run >= 2 ? BackendKind::Cuda : BackendKind::Cpu;
    test::SeparateBackend::passesOfProgram() = run == 3 ? kAllPasses : passes;
    launches[run] = -test::SeparateBackend::groupLaunches();
    Simulation simulation(scene, settings, scene->dt);
    for (int frame = 0; frame < 8; ++frame) hashes[run].push_back(simulation.step()->stateHash);
    QVERIFY(simulation.backend() == settings.backend);
    QVERIFY(simulation.current()->solves >= 2);
    std::set<int> ofLid;
    for (const Contact& contact : simulation.current()->contacts)
      if (contact.bodyB == 145) ofLid.insert(contact.bodyA);
    QCOMPARE(ofLid.size(), std::size_t(144));
    launches[run] += test::SeparateBackend::groupLaunches();
  }
  test::SeparateBackend::passesOfProgram() = passes;
  for (int run = 1; run < kRuns; ++run) QVERIFY2(hashes[0] == hashes[run], qPrintable(QString::number(run)));
  QVERIFY(launches[2] > launches[3]);
}

void MatrixFreeStepTest::aDeviceGivesTheSameBits_data() {
  QTest::addColumn<QString>("pane");
  QTest::addColumn<bool>("bare");
  for (const char* pane :
       {"lcp-pgs", "peg-pgs", "lcp-newton-fb-pcr", "lcp-newton-fb-pcg", "lcp-newton-fb-jacobi",
        "lcp-newton-min-pcr", "lcp-newton-fb-pcr smooth", "lcp-newton-fb-pcg smooth",
        "lcp-newton-fb-jacobi smooth", "lcp-newton-min-pcr smooth", "peg-newton-fb-pcr",
        "peg-newton-fb-pcg smooth", "peg-newton-fb-jacobi"})
    QTest::newRow(pane) << pane << false;
  for (const char* pane : {"lcp-pgs", "peg-pgs", "lcp-newton-fb-pcr", "peg-newton-fb-pcr"})
    QTest::addRow("%s, states only", pane) << pane << true;
}

void MatrixFreeStepTest::aDeviceGivesTheSameBits() {
  QFETCH(bool, bare);
  const auto scene = pile(2, 2);
  Simulation host(scene, pane(), scene->dt), device(scene, pane(BackendKind::Cuda), scene->dt);
  device.setStatesOnly(bare);
  for (int frame = 0; frame < 20; ++frame) {
    const RecordPtr a = host.step(), b = device.step();
    QCOMPARE(b->stateHash, a->stateHash);
    QCOMPARE(b->contacts.size(), bare ? std::size_t(0) : a->contacts.size());
    QCOMPARE(b->iterations.size(), a->iterations.size());
    for (std::size_t k = 0; k < a->iterations.size(); ++k) {
      QCOMPARE(b->iterations[k].residual, a->iterations[k].residual);
      QCOMPARE(b->iterations[k].merit, a->iterations[k].merit);
      QCOMPARE(b->iterations[k].linearIterations, a->iterations[k].linearIterations);
    }
    for (std::size_t k = 0; k < b->contacts.size(); ++k) {
      QCOMPARE(b->contacts[k].normalImpulse, a->contacts[k].normalImpulse);
      QVERIFY(b->contacts[k].frictionImpulse == a->contacts[k].frictionImpulse);
    }
  }
  QVERIFY(device.backend() == BackendKind::Cuda);
  QVERIFY(device.contactMemory() == host.contactMemory());
}

// If contacts are not requested, the state of the bodies is downloaded once per frame, for any number of
// substeps.
void MatrixFreeStepTest::aStepBringsHomeWhatIslandsCameToOnly() {
  constexpr int kSteps = 6;
  PaneSettings settings = pane(BackendKind::Cuda);
  settings.parameters["max_iterations"] = 5.0;
  const auto scene = pile(10, 1);
  const auto bytesOfFrame = [&](int substeps) {
    settings.substeps = substeps;
    Simulation simulation(scene, settings, substeps * 1e-3);
    simulation.setStatesOnly(true);
    for (int frame = 0; frame < 3; ++frame) simulation.step();
    const std::size_t before = test::SeparateBackend::bytesHome();
    simulation.step();
    return test::SeparateBackend::bytesHome() - before;
  };
  const std::size_t one = bytesOfFrame(1), many = bytesOfFrame(kSteps);
  const std::size_t state = scene->bodies.size() * 13 * sizeof(double);
  QVERIFY2(one > state, qPrintable(QString::number(one)));
  QVERIFY2((many - one) / (kSteps - 1) < state / 10,
           qPrintable(QString::number((many - one) / (kSteps - 1))));
}

void MatrixFreeStepTest::otherPrimariesAndTheirRecordAreTheSameOnADevice() {
  const auto scene = test::edgeBesideACorner();
  Simulation host(scene, pane(), scene->dt), device(scene, pane(BackendKind::Cuda), scene->dt);
  for (int frame = 0; frame < 3; ++frame) {
    const RecordPtr a = host.step(), b = device.step();
    QCOMPARE(b->stateHash, a->stateHash);
    QVERIFY(b->warnings == a->warnings);
    QVERIFY(!a->contacts.empty());
    QCOMPARE(b->contacts.size(), a->contacts.size());
    for (std::size_t k = 0; k < a->contacts.size(); ++k) {
      const Contact &own = a->contacts[k], &there = b->contacts[k];
      QVERIFY(there.set == own.set && there.type == own.type && there.primary == own.primary &&
              there.trap == own.trap && there.featureA == own.featureA && there.featureB == own.featureB);
      QCOMPARE(there.normalImpulse, own.normalImpulse);
    }
    for (Quantity quantity : {Quantity::Traps, Quantity::InequalitySets, Quantity::CrossSets})
      QCOMPARE(b->quantities[quantity], a->quantities[quantity]);
  }
  QVERIFY(device.backend() == BackendKind::Cuda);
}

void MatrixFreeStepTest::relinearisedStepsAreTheSameOnADevice() {
  const auto scene = test::shipped("pour-2d");
  Simulation host(scene, pane(), scene->dt), device(scene, pane(BackendKind::Cuda), scene->dt);
  int solves = 0;
  for (int frame = 0; frame < 120; ++frame) {
    const RecordPtr a = host.step(), b = device.step();
    QCOMPARE(b->stateHash, a->stateHash);
    QCOMPARE(b->solves, a->solves);
    QVERIFY(b->warnings == a->warnings);
    solves += a->solves;
  }
  QVERIFY(solves > 200);
  QVERIFY(device.backend() == BackendKind::Cuda);
  QVERIFY(device.contactMemory() == host.contactMemory());
}

// Loops over rows run up to a capacity. Unused entries contain rows of earlier steps.
void MatrixFreeStepTest::contactsThatGoLeaveNoRowsOnADevice() {
  const auto scene = test::shipped("chain");
  const auto settings = [](BackendKind backend) {
    PaneSettings pane = test::pane("peg-newton-fb-pcr", backend);
    pane.parameters["push_out"] = std::string("published");  // contacts come and go with it
    return pane;
  };
  Simulation host(scene, settings(BackendKind::Cpu), scene->dt),
      device(scene, settings(BackendKind::Cuda), scene->dt);
  int fewer = 0;
  std::size_t before = 0;
  for (int frame = 0; frame < 20; ++frame) {
    const RecordPtr a = host.step(), b = device.step();
    QCOMPARE(b->stateHash, a->stateHash);
    fewer += a->contacts.size() < before ? 1 : 0;
    before = a->contacts.size();
  }
  QVERIFY(fewer > 1);
  QVERIFY(device.backend() == BackendKind::Cuda);
}

void MatrixFreeStepTest::continuesExactlyFromItsMemory() {
  const auto scene = pile(2, 2);
  for (const BackendKind backend : {BackendKind::Cpu, BackendKind::Cuda}) {
    Simulation first(scene, pane(backend), scene->dt);
    for (int frame = 0; frame < 15; ++frame) first.step();
    Simulation second(scene, first.checkpoint()), without(scene, first.checkpoint());
    QVERIFY(second.contactMemory() == first.contactMemory());
    without.restoreContactMemory({});
    // The kept state matters: without it the solver starts elsewhere.
    QVERIFY(without.step()->stateHash != first.step()->stateHash);
    second.step();
    for (int frame = 0; frame < 10; ++frame) QCOMPARE(second.step()->stateHash, first.step()->stateHash);
  }
}

void MatrixFreeStepTest::nothingTouchesNothing() {
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

QTEST_APPLESS_MAIN(MatrixFreeStepTest)
#include "tst_matrix_free_step.moc"
