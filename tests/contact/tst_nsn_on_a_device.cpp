#include <QtTest>

#include "core/math/count.h"
#include "core/parallel/parallel_for.h"
#include "core/run/simulation.h"
#include "core/solver/rows/row_structure.inl"
#include "tests/support/near.h"
#include "tests/support/scenes.h"
#include "tests/support/separate_backend.h"
#include "tests/support/separate_device.h"

using namespace touchstone;

namespace {

constexpr LinearSolver kSolvers[] = {LinearSolver::Pcr, LinearSolver::Pcg, LinearSolver::Jacobi};

/// A lid on 144 boxes: one island of more blocks than a group of threads takes. A box by itself is another.
std::shared_ptr<Scene> lid() {
  const auto scene = test::pile(12, 1);
  scene->bodies.push_back(test::box("lid", Vec3(1.3, 0.02, 1.3), 5, Vec3(0.561, 0.1103, 0.561)));
  scene->bodies.push_back(test::box("apart", Vec3(0.1, 0.1, 0.1), 1, Vec3(3, 0.0501, 0)));
  return scene;
}

}  // namespace

/// Non-smooth Newton on a device, whose rows the host writes at every iterate.
class NsnOnADeviceTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { test::useSeparateDevice(); }
  void aDeviceGivesTheSameBits_data();
  void aDeviceGivesTheSameBits();
  void directSystemsAreSolvedOnTheHost();
  void roundsInBodySpaceGiveTheSameBits_data();
  void roundsInBodySpaceGiveTheSameBits();
};

void NsnOnADeviceTest::aDeviceGivesTheSameBits_data() {
  QTest::addColumn<QString>("scene");
  QTest::addColumn<QString>("solver");
  for (const char* scene : {"arch", "tilted-stack", "jointed-chain", "drawer", "humanoid", "lid"})
    for (const LinearSolver solver : kSolvers)
      QTest::newRow(qPrintable(QStringLiteral("%1 %2").arg(scene, toString(solver))))
          << QString(scene) << QString(toString(solver));
}

/// Also with one thread and with several.
void NsnOnADeviceTest::aDeviceGivesTheSameBits() {
  QFETCH(QString, scene);
  QFETCH(QString, solver);
  const bool isLid = scene == QLatin1String("lid");
  const std::shared_ptr<const Scene> own = isLid ? lid() : test::shipped(scene.toStdString());
  std::vector<std::uint64_t> hashes[3];
  std::vector<SolverIteration> iterations[3];
  for (int run = 0; run < 3; ++run) {
    std::unique_ptr<ThreadLimit> one;
    if (run == 0) one = std::make_unique<ThreadLimit>(1);
    PaneSettings settings = test::pane("nsn", run == 2 ? BackendKind::Cuda : BackendKind::Cpu);
    settings.parameters["newton"] = std::string("macklin");
    settings.parameters["linear_solver"] = solver.toStdString();
    settings.parameters["max_iterations"] = isLid ? 4.0 : 8.0;
    settings.parameters["linear_iterations"] = isLid ? 8.0 : 20.0;
    Simulation simulation(own, settings, own->dt);
    for (int frame = 0; frame < (isLid ? 3 : 12); ++frame) {
      hashes[run].push_back(simulation.step()->stateHash);
    }
    QVERIFY(simulation.backend() == settings.backend);
    if (isLid) QVERIFY(countOf(simulation.current()->contacts) > 4 * kBlocksOfGroup);
    iterations[run] = simulation.current()->iterations;
  }
  QVERIFY(hashes[0] == hashes[1]);
  QVERIFY(hashes[0] == hashes[2]);
  QVERIFY(iterations[0].size() > 1);
  QCOMPARE(iterations[0].size(), iterations[2].size());
  for (std::size_t k = 0; k < iterations[0].size(); ++k)
    QVERIFY(iterations[0][k].linear == iterations[2][k].linear);
}

void NsnOnADeviceTest::directSystemsAreSolvedOnTheHost() {
  const auto scene = test::shipped("drawer");
  for (const char* solver : {"direct", "gauss-seidel"}) {
    std::uint64_t hashes[2];
    for (int run = 0; run < 2; ++run) {
      PaneSettings settings = test::pane("nsn", run == 1 ? BackendKind::Cuda : BackendKind::Cpu);
      settings.parameters["linear_solver"] = std::string(solver);
      Simulation simulation(scene, settings, scene->dt);
      for (int frame = 0; frame < 5; ++frame) hashes[run] = simulation.step()->stateHash;
      QVERIFY(simulation.backend() == settings.backend);
    }
    QVERIFY(hashes[0] == hashes[1]);
  }
}

void NsnOnADeviceTest::roundsInBodySpaceGiveTheSameBits_data() {
  QTest::addColumn<QString>("scene");
  for (const char* scene : {"arch", "tilted-stack", "jointed-chain", "humanoid", "lid", "bin"})
    QTest::newRow(scene) << QString(scene);
}

/// Also with one thread and with several.
void NsnOnADeviceTest::roundsInBodySpaceGiveTheSameBits() {
  QFETCH(QString, scene);
  const auto simulated = scene == QLatin1String("lid") ? lid() : test::shipped(scene.toStdString());
  std::vector<std::uint64_t> hashes[3];
  for (int run = 0; run < 3; ++run) {
    std::unique_ptr<ThreadLimit> one;
    if (run == 0) one = std::make_unique<ThreadLimit>(1);
    PaneSettings settings = test::pane("nsn", run == 2 ? BackendKind::Cuda : BackendKind::Cpu);
    settings.parameters["newton"] = std::string("proximal");
    Simulation simulation(simulated, settings, simulated->dt);
    for (int frame = 0; frame < (scene == QLatin1String("bin") ? 60 : 4); ++frame)
      hashes[run].push_back(simulation.step()->stateHash);
  }
  QVERIFY(hashes[0] == hashes[1]);
  QVERIFY(hashes[0] == hashes[2]);
}

QTEST_APPLESS_MAIN(NsnOnADeviceTest)
#include "tst_nsn_on_a_device.moc"
