#include <QtTest>

#include "core/contact/step_detail.h"
#include "core/run/simulation.h"
#include "tests/support/scenes.h"
#include "tests/support/separate_device.h"

using namespace touchstone;

/// Methods whose steps are controlled by the host, with engines on a device: the host backend in the role of
/// CUDA.
class DeviceEnginesTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { test::useSeparateDevice(); }
  void findsContactsAndSetsAsTheHostDoes_data();
  void findsContactsAndSetsAsTheHostDoes();
  void growsForAPairWithManyContacts();
  void solvesLinearSystemsOfTheCpusMethodsOnTheDevice();
};

void DeviceEnginesTest::findsContactsAndSetsAsTheHostDoes_data() {
  QTest::addColumn<QString>("scene");
  QTest::addColumn<QString>("method");
  QTest::addColumn<int>("frames");
  for (const char* method : {"lcp", "peg"}) {
    QTest::addRow("pour %s", method) << "pour" << method << 250;
    QTest::addRow("pour-2d %s", method) << "pour-2d" << method << 150;
    QTest::addRow("corner-trap %s", method) << "corner-trap" << method << 100;
    QTest::addRow("dual-trap %s", method) << "dual-trap" << method << 60;
  }
  for (const char* pane : {"peg exact", "peg-newton-fb-pcr exact"}) {
    QTest::addRow("pour %s", pane) << "pour" << pane << 250;
    QTest::addRow("pour-2d %s", pane) << "pour-2d" << pane << 150;
    QTest::addRow("chain %s", pane) << "chain" << pane << 8;
  }
}

void DeviceEnginesTest::findsContactsAndSetsAsTheHostDoes() {
  QFETCH(QString, scene);
  QFETCH(QString, method);
  QFETCH(int, frames);
  const auto loaded = test::shipped(scene.toStdString());
  PaneSettings settings = test::pane(method.toStdString(), BackendKind::Cpu);
  Simulation host(loaded, settings, loaded->dt);
  settings.backend = BackendKind::Cuda;
  Simulation device(loaded, settings, loaded->dt);
  QVERIFY(device.backend() == BackendKind::Cuda);
  std::size_t contacts = 0, pairs = 0;
  for (int frame = 0; frame < frames; ++frame) {
    StepDetail own, other;
    const RecordPtr a = host.step(own), b = device.step(other);
    QCOMPARE(b->stateHash, a->stateHash);
    QCOMPARE(b->contacts.size(), a->contacts.size());
    QCOMPARE(other.pieces.size(), own.pieces.size());
    QCOMPARE(QString::fromStdString(b->backend), QStringLiteral("cuda"));
    contacts += a->contacts.size();
    pairs += own.pieces.size();
  }
  QVERIFY(contacts > 0 && pairs > 0);
}

void DeviceEnginesTest::growsForAPairWithManyContacts() {
  // A regular prism of 80 sides flat on the ground and another on top: more contacts than the initial
  // capacity of a list.
  constexpr int kSides = 80;
  Polytope prism;
  for (double y : {-0.1, 0.1})
    for (int k = 0; k < kSides; ++k)
      prism.vertices.push_back(Vec3(std::cos(2 * M_PI * k / kSides), y, std::sin(2 * M_PI * k / kSides)));
  Polytope::Face bottom, top;
  for (int k = 0; k < kSides; ++k) {
    bottom.vertices.push_back(k);
    top.vertices.insert(top.vertices.begin(), kSides + k);
    const int next = (k + 1) % kSides;
    prism.faces.push_back({{k, kSides + k, kSides + next, next}, Vec3::Zero(), 0});
  }
  prism.faces.push_back(bottom);
  prism.faces.push_back(top);
  QCOMPARE(QString::fromStdString(buildTopology(prism)), QString());
  auto shape = std::make_shared<Shape>();
  shape->kind = Shape::Kind::Convex;
  shape->pieces.push_back(prism);
  shape->surfaces.push_back(triangulated(prism));
  shape->radius = 1.005;
  Body lower = test::box("lower", Vec3(1.4, 0.2, 1.4), 1, Vec3(0, 0.1, 0));
  Body upper = test::box("upper", Vec3(1.4, 0.2, 1.4), 1, Vec3(0, 0.3, 0));
  Body beside = test::box("beside", Vec3(1.4, 0.2, 1.4), 1, Vec3(3, 0.1, 0));
  lower.shape = upper.shape = beside.shape = shape;
  const auto stacked = test::scene({test::ground(), lower, upper, beside});
  for (const BackendKind backend : {BackendKind::Cpu, BackendKind::Cuda}) {
    PaneSettings settings = test::pane("lcp", backend);
    settings.parameters["contacts"] = std::string("all");
    Simulation simulation(stacked, settings, 1e-3);
    const RecordPtr record = simulation.step();
    long onGround = 0;
    for (const Contact& contact : record->contacts) onGround += contact.kind == FeaturePairKind::VertexPlane;
    QCOMPARE(onGround, long(2 * kSides));
    QVERIFY(record->contacts.size() > std::size_t(2 * kSides));
  }
}

void DeviceEnginesTest::solvesLinearSystemsOfTheCpusMethodsOnTheDevice() {
  static int made = 0;
  registerBatchedKrylov(BackendKind::Cuda, [] {
    ++made;
    return test::separateBatchedKrylov();
  });
  const auto scene = test::pile(2, 2, 0);  // without friction: symmetric
  PaneSettings settings = test::pane("lcp-auto-pcr", BackendKind::Cpu);
  Simulation host(scene, settings, scene->dt);
  settings.backend = BackendKind::Cuda;
  Simulation device(scene, settings, scene->dt);
  int linearIterations = 0;
  for (int frame = 0; frame < 200; ++frame) {
    const RecordPtr a = host.step(), b = device.step();
    QCOMPARE(a->stateHash, b->stateHash);
    for (const SolverIteration& iteration : b->iterations) linearIterations += iteration.linearIterations;
  }
  QVERIFY(linearIterations > 0 && made > 0);
}

QTEST_APPLESS_MAIN(DeviceEnginesTest)
#include "tst_device_engines.moc"
