#include <QtTest>
#include <functional>
#include <set>

#include "core/run/pane_name.h"
#include "core/run/simulation.h"
#include "core/scene/replicate.h"
#include "tests/support/scenes.h"
#include "tests/support/separate_device.h"

using namespace touchstone;

/// The first body whose state differs by a bit from that of the same body in a replica; or −1.
static int firstDifference(const StepRecord& alone, const StepRecord& together, int replica) {
  const std::size_t bodies = alone.bodies.size();
  for (std::size_t body = 0; body < bodies; ++body) {
    const BodyState &a = alone.bodies[body], &b = together.bodies[replica * bodies + body];
    if (a.position != b.position || a.orientation.coeffs() != b.orientation.coeffs() ||
        a.linearVelocity != b.linearVelocity || a.angularVelocity != b.angularVelocity)
      return static_cast<int>(body);
  }
  return -1;
}

using ChangeBody = std::function<void(int replica, Body&)>;

/// The replicas as one scene.
static std::shared_ptr<const Scene> allAtOnce(const Scene& original, int replicas, const ChangeBody& change) {
  return replicated(original, replicas, [&change](int replica) {
    ReplicaVariation variation;
    variation.change = [&change, replica](Body& body) { change(replica, body); };
    return variation;
  });
}
/// Each replica in its own simulation.
static std::vector<std::unique_ptr<Simulation>> eachAlone(const Scene& original, int replicas,
                                                          const ChangeBody& change,
                                                          const PaneSettings& settings, double dt) {
  std::vector<std::unique_ptr<Simulation>> alone;
  for (int replica = 0; replica < replicas; ++replica) {
    auto scene = std::make_shared<Scene>(original);
    for (Body& body : scene->bodies) change(replica, body);
    alone.push_back(std::make_unique<Simulation>(scene, settings, dt));
  }
  return alone;
}

/// Replicas of a scene that run as one, on the host and, with the host backend in the role of CUDA, on a
/// device.
class ManyWorldsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { test::useSeparateDevice(); }
  void aReplicaMovesAsItWouldAlone_data();
  void aReplicaMovesAsItWouldAlone();
  void aReplicaOfPegDecidesAlone_data();
  void aReplicaOfPegDecidesAlone();
  void aLargeIslandIsFrozenWhileAnotherReplicaIsLinearisedAgain_data();
  void aLargeIslandIsFrozenWhileAnotherReplicaIsLinearisedAgain();
  void aDivergingReplicaIsFrozenWhileTheOthersGoOn();
};

void ManyWorldsTest::aReplicaMovesAsItWouldAlone_data() {
  QTest::addColumn<QString>("method");
  QTest::addColumn<int>("backend");
  for (const char* method : {"dpf", "dpf-ccd", "cpf", "lcp", "lcp-pgs", "peg-pgs", "peg-newton-fb-pcr"}) {
    QTest::addRow("%s, host", method) << method << 0;
    QTest::addRow("%s, device", method) << method << 1;
  }
}

void ManyWorldsTest::aReplicaMovesAsItWouldAlone() {
  QFETCH(QString, method);
  QFETCH(int, backend);
  constexpr int kReplicas = 5;
  const std::string name = method.toStdString(), key = paneNamed(name).method;
  const bool penalty = findMethod(key)->penalty.has_value();
  const std::string number = penalty ? "stiffness" : "baumgarte";
  const auto original = test::tumblingBox();
  original->bodies.push_back(test::box("second", Vec3(0.2, 0.2, 0.2), 1, Vec3(0.05, 0.45, 0.02)));
  const auto heightOf = [](int replica) { return 0.01 * replica; };
  const auto numberOf = [&](int replica) { return (penalty ? 5e3 : 0.2) * (1 + replica); };
  const auto iterationsOf = [](int replica) { return 2.0 + 20 * replica; };
  const auto all = replicated(*original, kReplicas, [&](int replica) {
    ReplicaVariation variation;
    variation.parameters[key][number] = numberOf(replica);
    if (!penalty) variation.parameters[key]["max_iterations"] = iterationsOf(replica);
    variation.change = [&, replica](Body& body) {
      if (body.motion == Motion::Dynamic) body.position.y() += heightOf(replica);
    };
    return variation;
  });
  const PaneSettings settings = test::pane(name, backend ? BackendKind::Cuda : BackendKind::Cpu);
  Simulation together(all, settings, all->dt);
  std::vector<std::unique_ptr<Simulation>> alone;
  for (int replica = 0; replica < kReplicas; ++replica) {
    auto scene = std::make_shared<Scene>(*original);
    for (Body& body : scene->bodies)
      if (body.motion == Motion::Dynamic) body.position.y() += heightOf(replica);
    PaneSettings own = settings;
    own.parameters[number] = numberOf(replica);
    if (!penalty) own.parameters["max_iterations"] = iterationsOf(replica);
    alone.push_back(std::make_unique<Simulation>(scene, own, scene->dt));
  }
  std::size_t contacts = 0;
  for (int frame = 0; frame < 120; ++frame) {
    const RecordPtr record = together.step();
    std::size_t sum = 0;
    for (int replica = 0; replica < kReplicas; ++replica) {
      const RecordPtr own = alone[replica]->step();
      sum += own->contacts.size();
      const int differs = firstDifference(*own, *record, replica);
      QVERIFY2(differs < 0,
               qPrintable(QStringLiteral("frame %1 copy %2 body %3").arg(frame).arg(replica).arg(differs)));
    }
    QCOMPARE(record->contacts.size(), sum);
    contacts += sum;
  }
  QVERIFY(contacts > 0);
}

void ManyWorldsTest::aReplicaOfPegDecidesAlone_data() {
  QTest::addColumn<QString>("step");
  QTest::addColumn<QString>("solver");
  QTest::addColumn<int>("backend");
  for (const char* step : {"plain", "relinearise", "exact"})
    for (const char* backend : {"host", "device"})
      QTest::addRow("%s, %s", step, backend) << step << "peg" << (backend == std::string("device") ? 1 : 0);
  QTest::addRow("relinearise, pgs, device") << "relinearise"
                                            << "peg-pgs" << 1;
  for (const char* backend : {"host", "device"})
    QTest::addRow("exact, newton-fb-pcr, %s", backend)
        << "exact"
        << "peg-newton-fb-pcr" << (backend == std::string("device") ? 1 : 0);
}

/// Each replica decides alone whether a problem is solved again, linearised again, replaced by the exact form
/// or bisected.
void ManyWorldsTest::aReplicaOfPegDecidesAlone() {
  QFETCH(QString, step);
  QFETCH(QString, solver);
  QFETCH(int, backend);
  constexpr int kReplicas = 3;
  constexpr double kDt = 0.02;  // long enough that some steps fail
  const auto original = test::shipped("pour-2d");
  const auto raise = [](int replica, Body& body) {
    if (body.motion == Motion::Dynamic) body.position.y() += 0.013 * replica;
  };
  PaneSettings settings = test::pane(solver.toStdString(), backend ? BackendKind::Cuda : BackendKind::Cpu);
  settings.parameters["step"] = step.toStdString();
  if (step == "plain") settings.parameters["eps_theta"] = 2.0;  // makes contacts contradict each other
  Simulation together(allAtOnce(*original, kReplicas, raise), settings, kDt);
  const auto alone = eachAlone(*original, kReplicas, raise, settings, kDt);
  int differing = 0;  // frames in which replicas decided differently
  for (int frame = 0; frame < 160; ++frame) {
    const RecordPtr record = together.step();
    StepRecord sum;
    std::set<std::string> decisions;
    for (int replica = 0; replica < kReplicas; ++replica) {
      const RecordPtr own = alone[replica]->step();
      const int differs = firstDifference(*own, *record, replica);
      QVERIFY2(differs < 0,
               qPrintable(QStringLiteral("frame %1 copy %2 body %3").arg(frame).arg(replica).arg(differs)));
      sum.contacts.insert(sum.contacts.end(), own->contacts.begin(), own->contacts.end());
      sum.solves += own->solves;
      sum.unsolved += own->unsolved;
      // The energy of all replicas together is judged by their sum.
      if (own->status != StepStatus::Energy) sum.status = std::max(sum.status, own->status);
      sum.normalImpulseSum += own->normalImpulseSum;
      for (const Quantity quantity : {Quantity::Traps, Quantity::InequalitySets}) {
        const double before = replica == 0 ? 0 : sum.quantities[quantity];
        sum.quantities[quantity] = before + own->quantities[quantity];
      }
      decisions.insert(std::to_string(own->parts) + " " + std::to_string(own->unsolved) +
                       (own->warnings.empty() ? "" : own->warnings.back()));
    }
    differing += decisions.size() > 1;
    QCOMPARE(record->contacts.size(), sum.contacts.size());
    QCOMPARE(record->solves, sum.solves);
    QCOMPARE(record->unsolved, sum.unsolved);
    QVERIFY(record->status == sum.status ||
            (record->status == StepStatus::Energy && sum.status == StepStatus::Ok));
    QVERIFY(std::abs(record->normalImpulseSum - sum.normalImpulseSum) <= 1e-9 * (1 + sum.normalImpulseSum));
    for (const Quantity quantity : {Quantity::Traps, Quantity::InequalitySets})
      QCOMPARE(record->quantities[quantity], sum.quantities[quantity]);
  }
  QVERIFY(differing > 0);
}

void ManyWorldsTest::aLargeIslandIsFrozenWhileAnotherReplicaIsLinearisedAgain_data() {
  QTest::addColumn<int>("backend");
  QTest::newRow("host") << 0;
  QTest::newRow("device") << 1;
}

/// More pairs than a group of threads takes: the loops over all islands also reach islands that have ended.
void ManyWorldsTest::aLargeIslandIsFrozenWhileAnotherReplicaIsLinearisedAgain() {
  QFETCH(int, backend);
  constexpr int kSide = 12, kReplicas = 2;
  const auto original =
      test::scene({test::ground(), test::box("slab", Vec3(2.6, 0.1, 2.6), 50, Vec3(0, 0.05, 0))});
  for (int k = 0; k < kSide * kSide; ++k)
    original->bodies.push_back(test::box("box", Vec3(0.1, 0.1, 0.1), 1,
                                         Vec3(0.2 * (k % kSide) - 1.1, 0.15, 0.2 * (k / kSide) - 1.1)));
  const auto spin = [](int replica, Body& body) {
    if (body.motion == Motion::Dynamic && body.mass < 50) body.angularVelocity = replica * Vec3(2, 4, -6);
  };
  const PaneSettings settings =
      test::pane("peg-newton-fb-pcr exact", backend ? BackendKind::Cuda : BackendKind::Cpu);
  constexpr double kDt = 0.01;
  Simulation together(allAtOnce(*original, kReplicas, spin), settings, kDt);
  const auto alone = eachAlone(*original, kReplicas, spin, settings, kDt);
  bool differ = false;  // in their number of linearisations
  for (int frame = 0; frame < 4; ++frame) {
    const RecordPtr record = together.step();
    std::vector<int> solves;
    double residual = 0;
    for (int replica = 0; replica < kReplicas; ++replica) {
      const RecordPtr own = alone[replica]->step();
      QCOMPARE(firstDifference(*own, *record, replica), -1);
      solves.push_back(own->solves);
      residual = std::max(residual, own->quantities[Quantity::Residual]);
    }
    QCOMPARE(record->solves, solves[0] + solves[1]);
    QCOMPARE(record->quantities[Quantity::Residual], residual);
    differ = differ || solves[0] != solves[1];
  }
  QVERIFY(differ);
}

void ManyWorldsTest::aDivergingReplicaIsFrozenWhileTheOthersGoOn() {
  const auto original = test::tumblingBox();
  const auto all = replicated(*original, 3, [](int replica) {
    ReplicaVariation variation;
    // h k δ / m of the first contact exceeds any speed that a valid run reaches.
    variation.parameters["dpf"]["stiffness"] = replica == 1 ? 1e13 : 1e4;
    return variation;
  });
  for (const BackendKind backend : {BackendKind::Cpu, BackendKind::Cuda}) {
    Simulation simulation(all, test::pane("dpf", backend), all->dt);
    bool said = false;
    for (int frame = 0; frame < 400; ++frame) {
      const RecordPtr record = simulation.step();
      QVERIFY(record->status != StepStatus::Diverged);
      for (const std::string& warning : record->warnings) said = said || warning.find("replica 1: ") == 0;
    }
    QVERIFY(said);
    const RecordPtr last = simulation.current();
    QVERIFY(!last->bodies[3].active && last->bodies[3].position.allFinite());
    QVERIFY(last->bodies[1].active && last->bodies[5].active);
    QVERIFY(last->bodies[1].position == last->bodies[5].position);
    for (const Contact& contact : last->contacts) QVERIFY(contact.bodyA != 3 && contact.bodyB != 3);
    // A checkpoint contains it too, so that rebuilt frames equal the original ones.
    Simulation again(all, simulation.checkpoint());
    for (int frame = 0; frame < 20; ++frame) QCOMPARE(again.step()->stateHash, simulation.step()->stateHash);
    QVERIFY(!again.current()->bodies[3].active);
  }
}

QTEST_APPLESS_MAIN(ManyWorldsTest)
#include "tst_many_worlds.moc"
