#include <QtTest>

#include "core/contact/penalty/penalty_detail.h"
#include "core/detect/candidates.h"
#include "core/geometry/convex_hull.h"
#include "core/math/count.h"
#include "core/run/comparison.h"
#include "core/shape/primitives.h"
#include "tests/support/near.h"
#include "tests/support/scenes.h"
#include "tests/support/separate_backend.h"
#include "tests/support/separate_device.h"
#include "tests/support/wrapped_method.h"

using namespace touchstone;

/// The device's step, run by the host backend: the same loop bodies as in CUDA, in the same order. Tests
/// register it in the role of CUDA, so that all other code is that of a real device.
class DeviceStepperTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init();
  void givesTheBitsOfTheHost_data();
  void givesTheBitsOfTheHost();
  void tellsTheInsideOfAStepAsTheHostDoes();
  void launchesEachLoopOfAStepThatIsLookedInto_data();
  void launchesEachLoopOfAStepThatIsLookedInto();
  void countsTheSpringAndTheGroundAsTheHostDoes();
  void aFrameBringsTheContactsOfItsLastStepOnly_data();
  void aFrameBringsTheContactsOfItsLastStepOnly();
  void aFrameThatDivergesShowsTheContactsOfThatStep_data();
  void aFrameThatDivergesShowsTheContactsOfThatStep();
  void theNextStepBeginsBeforeItIsAskedFor_data();
  void theNextStepBeginsBeforeItIsAskedFor();
  void contactsOfTheNextStepAreSoughtBeforeItIsAskedFor_data();
  void contactsOfTheNextStepAreSoughtBeforeItIsAskedFor();
  void changesTakeEffectWhileStepsRepeat_data();
  void changesTakeEffectWhileStepsRepeat();
  void takesStepsThatTheDriverWillNotRecord_data();
  void takesStepsThatTheDriverWillNotRecord();
  void growsWhileMoreBodiesComeIn_data();
  void growsWhileMoreBodiesComeIn();
  void goesOnFromItsMemoryOnAnotherBackend();
  void statesAreTheSameWithoutRecords_data();
  void statesAreTheSameWithoutRecords();
};

namespace {

bool sameContacts(const std::vector<Contact>& a, const std::vector<Contact>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Contact& own, const Contact& other) {
    return own.featureA == other.featureA && own.featureB == other.featureB && own.gap == other.gap &&
           own.normalImpulse == other.normalImpulse && own.frictionImpulse == other.frictionImpulse &&
           own.normal == other.normal && own.pointA == other.pointA && own.mode == other.mode;
  });
}

/// Number of answers that a device gives until `use` is done.
long answersTo(const std::function<void()>& use) {
  constexpr long kMany = 1000000000;
  long& left = test::SeparateBackend::answersLeft();
  left = kMany;
  use();
  return kMany - std::exchange(left, -1);
}

/// A flat regular prism.
Body disc(const char* name, int corners, const Vec3& position) {
  Body body = test::box(name, Vec3(0.2, 0.05, 0.2), 1, position);
  auto shape = std::make_shared<Shape>(*body.shape);
  if (!convexHull(cylinderPoints(0.1, 0.05, corners), shape->pieces.front()).empty()) std::abort();
  shape->surfaces = {triangulated(shape->pieces.front())};
  body.shape = shape;
  return body;
}

/// Counts the answers of the device.
class CountingStepper : public test::WrappedStepper {
 public:
  using WrappedStepper::WrappedStepper;
  void step(World& world, double dt, Recorded recorded, StepRecord& record, StepDetail* detail) override {
    inStep = answersTo([&] { WrappedStepper::step(world, dt, recorded, record, detail); });
  }
  void prelaunch(World& world, double dt) override {
    ahead = answersTo([&] { WrappedStepper::prelaunch(world, dt); });
  }
  inline static long inStep = 0, ahead = 0;  // of the last stepper
};

/// Counts the searches for contacts, and whether they wait for anything.
class CountingMethod : public test::WrappedMethod {
 public:
  using WrappedMethod::WrappedMethod;
  void begin(const test::SeparateLoops& backend, const WorldView& world) override {
    ++begins;
    const std::size_t before = test::SeparateBackend::bytesHome();
    WrappedMethod::begin(backend, world);
    bytesHome += test::SeparateBackend::bytesHome() - before;
  }
  inline static int begins = 0;
  inline static std::size_t bytesHome = 0;
};

}  // namespace

void DeviceStepperTest::init() {
  test::useSeparateDevice();
  test::SeparateBackend::recorder() = test::SeparateBackend::Recorder::Works;
}

void DeviceStepperTest::givesTheBitsOfTheHost_data() {
  QTest::addColumn<QString>("scene");
  QTest::addColumn<QString>("method");
  QTest::addColumn<int>("frames");
  for (const char* method : {"dpf", "dpf-ccd", "cpf"}) {
    QTest::addRow("pour %s", method) << "pour" << method << 150;
    QTest::addRow("incline %s", method) << "incline" << method << 200;
    QTest::addRow("resting-box %s", method) << "resting-box" << method << 300;
  }
  for (const char* scene : {"pour", "pour-2d", "incline", "chain"})
    QTest::addRow("%s lcp-pgs", scene) << scene << "lcp-pgs" << 150;
  QTest::newRow("open meshes") << "meshes"
                               << "dpf" << 90;
  QTest::newRow("thin plate") << "thin-plate"
                              << "cpf" << 300;
}

void DeviceStepperTest::givesTheBitsOfTheHost() {
  QFETCH(QString, scene);
  QFETCH(QString, method);
  QFETCH(int, frames);
  const auto loaded = test::shipped(scene.toStdString());
  PaneSettings settings = test::pane(method.toStdString(), BackendKind::Cpu);
  settings.substeps = 2;
  Simulation host(loaded, settings, loaded->dt);
  settings.backend = BackendKind::Cuda;
  Simulation device(loaded, settings, loaded->dt);
  QVERIFY(device.backend() == BackendKind::Cuda);
  long contacts = 0;
  const long before = graphCaptures().taken;
  for (int frame = 0; frame < frames; ++frame) {
    const RecordPtr a = host.step(), b = device.step();
    QCOMPARE(a->stateHash, b->stateHash);
    QVERIFY(sameContacts(a->contacts, b->contacts));
    QCOMPARE(QString::fromStdString(b->backend), QStringLiteral("cuda"));
    QVERIFY(a->normalImpulseSum == b->normalImpulseSum && a->frictionImpulseSum == b->frictionImpulseSum);
    QVERIFY(a->groundImpulse == b->groundImpulse && a->groundAngularImpulse == b->groundAngularImpulse);
    QVERIFY_NEAR((a->gravityMoment - b->gravityMoment).norm(), 0, 1e-12 * (1 + a->gravityMoment.norm()));
    contacts += static_cast<long>(a->contacts.size());
  }
  QVERIFY(contacts > 0);
  QVERIFY(host.contactMemory() == device.contactMemory());
  QVERIFY(graphCaptures().taken > before);
}

void DeviceStepperTest::tellsTheInsideOfAStepAsTheHostDoes() {
  const auto scene = test::shipped("incline");
  Simulation host(scene, test::pane("cpf", BackendKind::Cpu), scene->dt);
  Simulation device(scene, test::pane("cpf", BackendKind::Cuda), scene->dt);
  StepDetail a, b;
  for (int frame = 0; frame < 500 && penaltyDetail(a).pairs.empty(); ++frame) {
    host.step(a);
    device.step(b);
  }
  QVERIFY(!penaltyDetail(a).pairs.empty());
  QCOMPARE(penaltyDetail(a).pairs.size(), penaltyDetail(b).pairs.size());
  for (std::size_t k = 0; k < penaltyDetail(a).pairs.size(); ++k) {
    QVERIFY(penaltyDetail(a).pairs[k].pair == penaltyDetail(b).pairs[k].pair);
    QCOMPARE(penaltyDetail(a).pairs[k].result.intervalCount, penaltyDetail(b).pairs[k].result.intervalCount);
  }
  QVERIFY(a.start.position == b.start.position && a.end.position == b.end.position &&
          a.predicted.position == b.predicted.position);
}

void DeviceStepperTest::launchesEachLoopOfAStepThatIsLookedInto_data() {
  QTest::addColumn<QString>("method");
  for (const char* method : {"dpf", "cpf", "lcp-pgs", "peg-pgs", "lcp", "peg"})
    QTest::newRow(method) << method;
}

/// Launches loops one by one, so that verify can compare graphs with loops.
void DeviceStepperTest::launchesEachLoopOfAStepThatIsLookedInto() {
  QFETCH(QString, method);
  const auto scene = test::tumblingBox();
  const PaneSettings settings = test::pane(method.toStdString(), BackendKind::Cuda);
  constexpr int kFrames = 60;
  std::vector<std::uint64_t> hashes;
  const auto recordingsOf = [&](const std::function<RecordPtr(Simulation&)>& step) {
    Simulation simulation(scene, settings, scene->dt);
    const long before = graphCaptures().taken;
    for (int frame = 0; frame < kFrames; ++frame) hashes.push_back(step(simulation)->stateHash);
    return graphCaptures().taken - before;
  };
  StepDetail inside;
  QVERIFY(recordingsOf([](Simulation& simulation) { return simulation.step(); }) >= 2);
  QCOMPARE(recordingsOf([&](Simulation& simulation) { return simulation.step(inside); }), 0L);
  QVERIFY(std::equal(hashes.begin(), hashes.begin() + kFrames, hashes.begin() + kFrames));
}

void DeviceStepperTest::countsTheSpringAndTheGroundAsTheHostDoes() {
  const auto scene = test::tumblingBox();
  Simulation host(scene, test::pane("cpf", BackendKind::Cpu), scene->dt);
  Simulation device(scene, test::pane("cpf", BackendKind::Cuda), scene->dt);
  const Spring spring{1, Vec3(0.1, 0, 0), Vec3(0.4, 0.1, 0), 40, 1};
  host.pull(spring);
  device.pull(spring);
  bool grounded = false;
  for (int frame = 0; frame < 100; ++frame) {
    const RecordPtr a = host.step(), b = device.step();
    QCOMPARE(a->stateHash, b->stateHash);
    QVERIFY(a->pullImpulse == b->pullImpulse && a->pullWork == b->pullWork);
    QVERIFY(a->groundImpulse == b->groundImpulse);
    QVERIFY(a->pull && b->pull && a->pull->force == b->pull->force && a->pull->force > 0);
    grounded = grounded || a->groundImpulse.norm() > 0;
  }
  QVERIFY(grounded);
}

void DeviceStepperTest::aFrameBringsTheContactsOfItsLastStepOnly_data() {
  QTest::addColumn<QString>("method");
  for (const char* method : {"dpf", "dpf-ccd", "cpf", "lcp-pgs", "peg-pgs"}) QTest::newRow(method) << method;
}

/// Compares one frame of many steps with as many frames of one step.
void DeviceStepperTest::aFrameBringsTheContactsOfItsLastStepOnly() {
  QFETCH(QString, method);
  constexpr int kSteps = 8, kFrames = 12;
  const auto scene = test::pile(9, 1);  // more contacts than are summed at a time
  for (Body& body : scene->bodies)
    if (body.motion == Motion::Dynamic) body.position.y() -= 5e-4;
  for (const BackendKind backend : {BackendKind::Cpu, BackendKind::Cuda}) {
    PaneSettings settings = test::pane(method.toStdString(), backend);
    if (method.contains("pf"))
      settings.parameters["stiffness"] = 1e4;  // soft, so that they touch for many steps
    Simulation single(scene, settings, 1e-3);
    settings.substeps = kSteps;
    Simulation many(scene, settings, kSteps * 1e-3);
    std::size_t most = 0;
    for (int frame = 0; frame < kFrames; ++frame) {
      StepRecord sums;
      double depth = 0, traps = 0;
      std::size_t bytes = test::SeparateBackend::bytesHome();
      for (int step = 0; step < kSteps; ++step) {
        const RecordPtr own = single.step();
        depth = std::max(depth, own->quantities[Quantity::MethodDepth]);
        traps = std::max(traps, own->quantities[Quantity::Traps]);
        for (const Contact& contact : own->contacts) {
          sums.normalImpulseSum += contact.normalImpulse;
          sums.frictionImpulseSum += contact.frictionImpulse.norm();
          if (contact.bodyA != 0) continue;  // the ground
          const Vec3 impulse = contact.normalImpulse * contact.normal + contact.frictionImpulse;
          sums.groundImpulse += impulse;
          sums.groundAngularImpulse += contact.pointB.cross(impulse);
        }
      }
      const std::size_t ofSingle = test::SeparateBackend::bytesHome() - bytes;
      bytes = test::SeparateBackend::bytesHome();
      const RecordPtr a = single.current(), b = many.step();
      const std::size_t ofMany = test::SeparateBackend::bytesHome() - bytes;
      const double scale = 1e-13 * (1 + sums.normalImpulseSum);  // orders of sums differ
      QVERIFY_NEAR(b->normalImpulseSum, sums.normalImpulseSum, scale);
      QVERIFY_NEAR(b->frictionImpulseSum, sums.frictionImpulseSum, scale);
      QVERIFY_NEAR((b->groundImpulse - sums.groundImpulse).norm(), 0, scale);
      QVERIFY_NEAR((b->groundAngularImpulse - sums.groundAngularImpulse).norm(), 0, scale);
      QCOMPARE(b->quantities[Quantity::MethodDepth], depth);  // the largest of the frame
      QVERIFY(!(traps > 0) || b->quantities[Quantity::Traps] == traps);
      QCOMPARE(b->contacts.size(), a->contacts.size());
      for (std::size_t k = 0; k < a->contacts.size(); ++k) {
        QCOMPARE(b->contacts[k].normalImpulse, a->contacts[k].normalImpulse);
        QVERIFY(b->contacts[k].pointA == a->contacts[k].pointA);
      }
      if (backend == BackendKind::Cuda && frame > 5) QVERIFY(ofMany < ofSingle / (kSteps / 2));
      most = std::max(most, a->contacts.size());
    }
    QVERIFY2(most > 256, qPrintable(QString::number(most)));
  }
}

void DeviceStepperTest::aFrameThatDivergesShowsTheContactsOfThatStep_data() {
  QTest::addColumn<QString>("method");
  for (const char* method : {"dpf", "lcp-pgs", "peg-pgs"}) QTest::newRow(method) << method;
}

void DeviceStepperTest::aFrameThatDivergesShowsTheContactsOfThatStep() {
  QFETCH(QString, method);
  auto scene = test::tumblingBox();
  scene->bodies[1].position.y() = 0.02;
  if (method != "dpf") {  // methods without stiffness cannot be made unstable by it
    scene = test::scene({test::ground(), test::box("cube", Vec3(0.2, 0.2, 0.2), 3, Vec3(0, 0.1, 0))}, 0);
    scene->gravity.x() = 1.3e6;
  }
  for (const BackendKind backend : {BackendKind::Cpu, BackendKind::Cuda}) {
    PaneSettings settings = test::pane(method.toStdString(), backend);
    settings.substeps = 16;
    // Half of the box is in the ground: 8 cm on four springs at once throw it out at 8e5 m/s per substep.
    if (method == "dpf") settings.parameters = {{"stiffness", 1e10}, {"max_depenetration_speed", 0.0}};
    const auto lastOf = [&](bool statesOnly) {
      Simulation simulation(scene, settings, scene->dt);
      simulation.setStatesOnly(statesOnly);
      for (int frame = 0; frame < 200 && simulation.current()->status != StepStatus::Diverged; ++frame)
        simulation.step();
      return simulation.current();
    };
    const RecordPtr last = lastOf(false);
    QVERIFY(last->status == StepStatus::Diverged);
    QVERIFY(last->parts < settings.substeps);
    QVERIFY(!last->contacts.empty());
    double normal = 0;
    for (const Contact& contact : last->contacts) normal += contact.normalImpulse;
    QVERIFY(normal > 0 && normal <= last->normalImpulseSum * (1 + 1e-12));  // of one step of the frame
    QVERIFY(lastOf(true)->status == StepStatus::Diverged);
  }
}

void DeviceStepperTest::theNextStepBeginsBeforeItIsAskedFor_data() {
  QTest::addColumn<QString>("method");
  for (const char* method : {"dpf", "dpf-ccd", "cpf"}) QTest::newRow(method) << method;
}

/// Measured by the answers of the device in a step, and before it.
void DeviceStepperTest::theNextStepBeginsBeforeItIsAskedFor() {
  QFETCH(QString, method);
  using Recorder = test::SeparateBackend::Recorder;
  test::useStepper<CountingStepper>();
  const auto scene = test::tumblingBox();
  Simulation device(scene, test::pane(method.toStdString(), BackendKind::Cuda), scene->dt);
  test::SeparateBackend::recorder() = Recorder::FailsInTheMiddle;  // so that each launch counts
  for (int frame = 0; frame < 5; ++frame) device.step();
  const long ahead = CountingStepper::ahead, inStep = CountingStepper::inStep;
  device.setParameter("stiffness", 2e4);
  device.step();
  const long inWholeStep = CountingStepper::inStep;
  device.step();
  const long inNextStep = CountingStepper::inStep;
  device.pull(Spring{1, Vec3(0.1, 0, 0), Vec3(0.4, 0.1, 0), 40, 1});
  device.step();
  test::SeparateBackend::recorder() = Recorder::Works;
  QVERIFY(ahead > 10);
  QVERIFY(inWholeStep >= inStep + ahead);
  QVERIFY(inNextStep < inWholeStep);
  QCOMPARE(CountingStepper::ahead, 0L);  // no prelaunch while the mouse pulls
}

void DeviceStepperTest::contactsOfTheNextStepAreSoughtBeforeItIsAskedFor_data() {
  QTest::addColumn<QString>("method");
  for (const char* method : {"lcp-pgs", "peg-pgs", "lcp", "peg"}) QTest::newRow(method) << method;
}

void DeviceStepperTest::contactsOfTheNextStepAreSoughtBeforeItIsAskedFor() {
  QFETCH(QString, method);
  test::wrapMethods<CountingMethod>();
  const auto scene = test::tumblingBox();
  Simulation device(scene, test::pane(method.toStdString(), BackendKind::Cuda), scene->dt);
  device.step();
  CountingMethod::bytesHome = 0;
  const auto beginsAfter = [&](const std::function<void()>& change) {
    CountingMethod::begins = 0;
    change();
    device.step();
    return CountingMethod::begins;
  };
  const auto nothing = [] {};
  for (int frame = 0; frame < 5; ++frame) QCOMPARE(beginsAfter(nothing), 1);  // for the next frame
  QCOMPARE(CountingMethod::bytesHome, std::size_t(0));
  QCOMPARE(beginsAfter([&] { device.setParameter("margin", 4e-3); }), 2);  // one was discarded
  QCOMPARE(beginsAfter(nothing), 1);
  QCOMPARE(beginsAfter([&] { device.setDt(1e-3); }), 2);
  QCOMPARE(beginsAfter([&] { device.setSubsteps(2); }), 3);
  QCOMPARE(beginsAfter(nothing), 2);
  device.setSubsteps(1);
  device.step();
  QCOMPARE(beginsAfter([&] { device.restore(device.snapshot()); }), 2);
  QCOMPARE(beginsAfter([&] { device.pull(Spring{1, Vec3(0.1, 0, 0), Vec3(0.4, 0.1, 0), 40, 1}); }), 1);
  QCOMPARE(beginsAfter(nothing), 1);  // no prelaunch while the mouse pulls
  QCOMPARE(beginsAfter([&] { device.pull({}); }), 2);
  QCOMPARE(beginsAfter(nothing), 1);
}

void DeviceStepperTest::changesTakeEffectWhileStepsRepeat_data() {
  QTest::addColumn<QString>("method");
  for (const char* method : {"dpf", "dpf-ccd", "cpf", "lcp-pgs", "peg-pgs", "lcp", "peg"})
    QTest::newRow(method) << method;
}

/// A recording has the parameters of the step in which it was made. Each of these changes has to make a new
/// one, or to reach the device in another way.
void DeviceStepperTest::changesTakeEffectWhileStepsRepeat() {
  QFETCH(QString, method);
  const auto scene = test::tumblingBox();
  Simulation host(scene, test::pane(method.toStdString(), BackendKind::Cpu), scene->dt);
  Simulation device(scene, test::pane(method.toStdString(), BackendKind::Cuda), scene->dt);
  const bool isPenalty = method.contains("pf");
  const auto change = [isPenalty](int frame, Simulation& simulation) {
    const auto set = [&](const char* ofPenalty, const char* ofGaps, double value) {
      simulation.setParameter(isPenalty ? ofPenalty : ofGaps, value);
    };
    const Spring spring{1, Vec3(0.1, 0, 0), Vec3(0.4, 0.1, 0), 40, 1};
    Spring moved = spring;
    moved.target = Vec3(-0.3, 0.2, 0.1);
    switch (frame) {
      case 20:
        set("stiffness", "baumgarte", isPenalty ? 3e4 : 0.5);
        break;
      case 40:
        simulation.setDt(1.5e-3);
        break;
      case 60:
        simulation.pull(spring);
        break;
      case 80:
        simulation.pull(moved);
        break;
      case 100:
        simulation.pull({});
        break;
      case 120:
        simulation.setStatesOnly(true);
        break;
      case 130:
        simulation.setStatesOnly(false);
        break;
      case 140:
        set("stiffness_perturbation", "margin", isPenalty ? 0.3 : 0.02);
        break;  // changes with time
      case 160:
        simulation.restore(simulation.snapshot());
        break;  // clears contact memory
      case 180:
        simulation.restoreContactMemory(simulation.contactMemory());
        break;
      case 200:
        simulation.setSubsteps(3);
        break;
      case 220:
        if (isPenalty)
          simulation.setParameter("normalise", std::string("pairs"));
        else
          simulation.setParameter("eps_theta", 0.1);
        break;
      default:
        break;
    }
  };
  const long before = graphCaptures().taken;
  for (int frame = 0; frame < 250; ++frame) {
    change(frame, host);
    change(frame, device);
    const RecordPtr a = host.step(), b = device.step();
    QCOMPARE(b->stateHash, a->stateHash);
    QCOMPARE(b->contacts.size(), a->contacts.size());
    QVERIFY(a->pullImpulse == b->pullImpulse);
  }
  QVERIFY(host.contactMemory() == device.contactMemory());
  QVERIFY(graphCaptures().taken - before >= (isPenalty ? 10 : 6));
}

void DeviceStepperTest::takesStepsThatTheDriverWillNotRecord_data() {
  QTest::addColumn<QString>("method");
  QTest::addColumn<bool>("atTheEnd");
  for (const char* method : {"dpf", "dpf-ccd", "cpf", "lcp-pgs"})
    for (const bool atTheEnd : {false, true})
      QTest::addRow("%s, %s", method, atTheEnd ? "at the end" : "in the middle") << method << atTheEnd;
}

void DeviceStepperTest::takesStepsThatTheDriverWillNotRecord() {
  QFETCH(QString, method);
  QFETCH(bool, atTheEnd);
  using Recorder = test::SeparateBackend::Recorder;
  const auto scene = test::shipped("incline");
  PaneSettings settings = test::pane(method.toStdString(), BackendKind::Cpu);
  settings.substeps = 10;
  Simulation host(scene, settings, scene->dt);
  settings.backend = BackendKind::Cuda;
  Simulation device(scene, settings, scene->dt);
  const long before = graphCaptures().refused;
  test::SeparateBackend::recorder() = atTheEnd ? Recorder::FailsAtTheEnd : Recorder::FailsInTheMiddle;
  bool isSame = true;
  for (int frame = 0; frame < 20; ++frame)
    isSame = host.step()->stateHash == device.step()->stateHash && isSame;
  test::SeparateBackend::recorder() = Recorder::Works;
  QVERIFY(isSame);
  QVERIFY(device.backend() == BackendKind::Cuda);
  QVERIFY(host.contactMemory() == device.contactMemory());
  QVERIFY(graphCaptures().refused > before);
  QVERIFY(!graphCaptures().reason.empty());
}

void DeviceStepperTest::growsWhileMoreBodiesComeIn_data() {
  QTest::addColumn<QString>("method");
  for (const char* method : {"dpf", "cpf", "lcp-pgs", "peg-pgs"}) QTest::newRow(method) << method;
}

/// Candidates, contacts and entries of memory exceed the initial capacity of every list, and again while
/// recordings run; so do the contacts of one pair.
void DeviceStepperTest::growsWhileMoreBodiesComeIn() {
  QFETCH(QString, method);
  auto scene = test::scene({test::ground()}, 0.4);
  for (int k = 0; k < 150; ++k) {
    scene->bodies.push_back(
        test::box("box", Vec3(0.1, 0.1, 0.1), 1, Vec3(0.11 * (k % 15), 0.0499, 0.11 * (k / 15))));
    scene->bodies.back().releaseTime = 0.002 * k;
  }
  scene->bodies.push_back(disc("disc", 48, Vec3(-0.3, 0.0249, 0)));
  scene->bodies.back().releaseTime = 0.1;
  scene->dt = 2e-3;
  scene->size = 0.4;
  const auto run = [&](BackendKind backend) {
    PaneSettings settings = test::pane(method.toStdString(), backend);
    const bool hasRows = settings.method == "lcp" || settings.method == "peg";
    if (hasRows) settings.parameters["contacts"] = std::string("all");  // more than a patch keeps
    return Simulation(scene, settings, scene->dt);
  };
  Simulation host = run(BackendKind::Cpu), device = run(BackendKind::Cuda);
  std::size_t most = 0, ofDisc = 0;
  const long before = graphCaptures().taken;
  for (int frame = 0; frame < 200; ++frame) {
    const RecordPtr a = host.step(), b = device.step();
    QCOMPARE(b->stateHash, a->stateHash);
    QCOMPARE(b->contacts.size(), a->contacts.size());
    QCOMPARE(b->warnings, a->warnings);
    most = std::max(most, b->contacts.size());
    const int last = countOf(scene->bodies) - 1;
    const auto isOfDisc = [last](const Contact& contact) { return contact.bodyB == last; };
    ofDisc = std::max<std::size_t>(ofDisc, std::count_if(b->contacts.begin(), b->contacts.end(), isOfDisc));
  }
  QVERIFY2(most > 256, qPrintable(QString::number(most)));
  QCOMPARE(ofDisc, std::size_t(48));             // all of one pair
  QVERIFY(graphCaptures().taken - before >= 4);  // new recordings after lists got more capacity
}

void DeviceStepperTest::goesOnFromItsMemoryOnAnotherBackend() {
  const auto scene = test::shipped("incline");
  Comparison moved(scene, {test::pane("cpf", BackendKind::Cuda)}),
      stayed(scene, {test::pane("cpf", BackendKind::Cpu)});
  for (int frame = 0; frame < 100; ++frame) {
    moved.step(false);
    stayed.step(false);
  }
  QVERIFY(!moved.pane(0).contactMemory().empty());
  const auto isTheSame = [&moved, &stayed] {
    const RecordPtr a = moved.step(false)[0], b = stayed.step(false)[0];
    QCOMPARE(a->stateHash, b->stateHash);
    for (const Quantity quantity : {Quantity::EnergyDrift, Quantity::Jitter, Quantity::MomentumLinearError,
                                    Quantity::MomentumAngularError})  // relative to the start
      QCOMPARE(a->quantities[quantity], b->quantities[quantity]);
  };
  moved.setPane(0, test::pane("cpf", BackendKind::Cpu));
  for (int frame = 0; frame < 50; ++frame) isTheSame();
  QVERIFY(stayed.pane(0).current()->quantities[Quantity::EnergyDrift] != 0);
  moved.setPane(0, test::pane("cpf", BackendKind::Cuda));
  isTheSame();
}

void DeviceStepperTest::statesAreTheSameWithoutRecords_data() {
  QTest::addColumn<QString>("method");
  for (const char* method : {"dpf", "dpf-ccd", "cpf"}) QTest::newRow(method) << method;
}

void DeviceStepperTest::statesAreTheSameWithoutRecords() {
  QFETCH(QString, method);
  const auto scene = test::shipped("incline");
  for (const BackendKind backend : {BackendKind::Cpu, BackendKind::Cuda}) {
    Simulation full(scene, test::pane(method.toStdString(), backend), scene->dt);
    Simulation bare(scene, test::pane(method.toStdString(), backend), scene->dt);
    bare.setStatesOnly(true);
    std::size_t contacts = 0;
    for (int frame = 0; frame < 200; ++frame) {
      contacts += full.step()->contacts.size();
      QVERIFY(bare.step()->contacts.empty());
      QCOMPARE(bare.current()->stateHash, full.current()->stateHash);
    }
    QVERIFY(contacts > 0);
    QVERIFY(bare.contactMemory() == full.contactMemory());
  }
}

QTEST_APPLESS_MAIN(DeviceStepperTest)
#include "tst_device_stepper.moc"
