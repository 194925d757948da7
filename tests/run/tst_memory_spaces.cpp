#include <QtTest>
#include <functional>

#include "core/contact/step_detail.h"
#include "core/math/count.h"
#include "core/parallel/parallel_for.h"
#include "core/run/pane_name.h"
#include "core/run/simulation.h"
#include "core/scene/replicate.h"
#include "tests/support/scenes.h"
#include "tests/support/separate_backend.h"
#include "tests/support/separate_device.h"

#if defined(__linux__)
#include <sys/wait.h>
#include <unistd.h>
#endif

using namespace touchstone;

/// On a device a loop that reads the host's memory fails, and so does the host if it reads the device's. Here
/// the processor's page tables separate both memories (tests/support/device_memory.h).
class MemorySpacesTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase();
  void aLoopThatReadsTheHostsMemoryIsCaught();
  void aHostThatReadsTheDevicesMemoryIsCaught();
  void aLoopThatWritesBehindAnArrayIsCaught();
  void stepsStayInTheirMemory_data();
  void stepsStayInTheirMemory();
  void manyWorldsStayInTheirMemory();
};

namespace {

/// On the last body: at a point beside its centre, or where it deforms at an edge of its surface.
Spring pullOf(const Scene& scene) {
  Spring spring{countOf(scene.bodies) - 1, Vec3(0.01, 0, 0), Vec3(0, 0.3, 0), 20, 1};
  if (scene.bodies.back().deformable) spring.surface = {{0, 1, -1}, {0.25, 0.75, 0}};
  return spring;
}

constexpr int kInclineSubsteps = 10;  // required by its stiff springs

/// Runs in a separate process with one thread. @return its message and its stderr; empty on success
std::string inOwnProcess(const std::function<std::string()>& run) {
  std::string said;
#if defined(__linux__)
  int ends[2];
  if (pipe(ends) != 0) return "no pipe";
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    std::string result;
    try {
      result = run();
    } catch (const std::exception& error) {
      result = error.what();
    }
    setReach(test::Reach::Both, "the end");
    if (!result.empty()) std::fprintf(stderr, "%s\n", result.c_str());
    _exit(result.empty() ? 0 : 1);
  }
  close(ends[1]);
  char text[512];
  for (ssize_t count = 1; (count = read(ends[0], text, sizeof text)) > 0;) said.append(text, count);
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (said.empty() && status != 0) said = "ended with status " + std::to_string(status);
#endif
  return said;
}

struct CopyNumber {
  const double* from;
  double* to;
  void operator()(int index) const { to[index] = from[index]; }
};

/// State some time after bodies have met.
Checkpoint inContact(const std::shared_ptr<const Scene>& scene, const PaneSettings& settings) {
  Simulation simulation(scene, settings, scene->dt);
  int contacts = 0;
  for (int frame = 0; frame < 2000 && contacts < 20; ++frame)
    contacts = simulation.step()->contacts.empty() ? 0 : contacts + 1;
  return simulation.checkpoint();
}

/// Calls everything that a running pane offers.
std::string runBoth(const std::shared_ptr<const Scene>& scene, PaneSettings settings, int frames) {
  const ThreadLimit one(1);
  std::vector<RecordPtr> expected;
  const Checkpoint start = inContact(scene, settings);
  std::string memory;
  std::size_t contacts = 0;
  for (const bool onDevice : {false, true}) {
    settings.backend = onDevice ? BackendKind::Cuda : BackendKind::Cpu;
    if (onDevice && !test::watchReach()) return "reach cannot be watched";
    Simulation simulation(scene, settings, scene->dt);
    simulation.restore(start.state);
    simulation.restoreContactMemory(start.memory);
    for (int frame = 0; frame < frames; ++frame) {
      if (frame == frames / 4) simulation.restore(simulation.snapshot());
      if (frame == frames / 3) simulation.setDt(0.5 * scene->dt);
      if (frame == frames / 2) simulation.pull(pullOf(*scene));
      if (frame == 3 * frames / 4) simulation.pull(std::nullopt);
      simulation.setStatesOnly(frame % 16 > 12);
      StepDetail detail;
      const RecordPtr record = frame % 8 == 7 ? simulation.step(detail) : simulation.step();
      if (!onDevice) {
        expected.push_back(record);
        contacts += record->contacts.size();
        continue;
      }
      if (simulation.backend() != BackendKind::Cuda) return simulation.backendNote();
      const StepRecord& other = *expected[frame];
      if (record->stateHash != other.stateHash) return "other bits in frame " + std::to_string(frame);
      if (record->contacts.size() != other.contacts.size())
        return "other contacts in frame " + std::to_string(frame);
    }
    if (onDevice && simulation.contactMemory() != memory) return "other contact memory";
    memory = simulation.contactMemory();
    simulation.restoreContactMemory(memory);
    simulation.step();
  }
  return contacts > 0 ? "" : "there were no contacts";
}

}  // namespace

void MemorySpacesTest::initTestCase() {
#if !defined(__linux__)
  QSKIP("Reach is watched by Linux's page protection");
#endif
#if defined(__SANITIZE_ADDRESS__)
  QSKIP("The address sanitizer keeps memory of its own where this closes the heap");
#endif
  test::useSeparateDevice();
}

void MemorySpacesTest::aLoopThatReadsTheHostsMemoryIsCaught() {
  const std::string said = inOwnProcess([] {
    const std::vector<double> host(100, 1.0);
    const test::SeparateBackend backend;
    test::SeparateBackend::Array<double> device;
    device.resize(100);
    test::watchReach();
    forEach(backend, 100, CopyNumber{host.data(), device.data()});
    return std::string("nothing was caught");
  });
  QVERIFY2(said.find("reached into the host's memory") != std::string::npos, said.c_str());
  QVERIFY2(said.find("CopyNumber") != std::string::npos, said.c_str());
}

void MemorySpacesTest::aHostThatReadsTheDevicesMemoryIsCaught() {
  const std::string said = inOwnProcess([] {
    test::SeparateBackend::Array<double> device;
    device.resize(1);
    test::watchReach();
    const volatile double* number = device.data();
    return "read " + std::to_string(*number);
  });
  QVERIFY2(said.find("the host's code reached into the device's memory") != std::string::npos, said.c_str());
}

void MemorySpacesTest::aLoopThatWritesBehindAnArrayIsCaught() {
  const std::string said = inOwnProcess([] {
    const test::SeparateBackend backend;
    const std::vector<double> numbers(101, 1.0);
    test::SeparateBackend::Array<double> from, to;
    backend.upload(numbers.data(), numbers.size(), from);
    to.resize(100);
    forEach(backend, 101, CopyNumber{from.data(), to.data()});
    return std::string();
  });
  QVERIFY2(said.find("behind the end of an array") != std::string::npos, said.c_str());
}

void MemorySpacesTest::stepsStayInTheirMemory_data() {
  QTest::addColumn<QString>("scene");
  QTest::addColumn<QString>("pane");
  QTest::addColumn<int>("frames");
  for (const char* pane : {"dpf", "dpf-ccd", "cpf", "lcp", "peg", "lcp-pgs", "peg-pgs"}) {
    QTest::addRow("pour %s", pane) << "pour" << pane << 20;
    QTest::addRow("incline %s", pane) << "incline" << pane << 8;
  }
  for (const char* pane : {"lcp", "peg", "lcp-pgs", "peg-pgs"})
    QTest::addRow("pour-2d %s", pane) << "pour-2d" << pane << 20;
  for (const char* pane : {"dpf", "dpf-ccd", "cpf"})
    QTest::addRow("meshes %s", pane) << "meshes" << pane << 8;
  for (const char* pane : {"dpf", "dpf-ccd", "cpf", "nsn"})
    QTest::addRow("soft-block %s", pane) << "soft-block" << pane << 4;
  for (const char* scene : {"heavy-stack", "incline"})
    QTest::addRow("%s lcp-newton-fb-pcr", scene) << scene << "lcp-newton-fb-pcr" << 8;
  for (const char* scene : {"heavy-stack", "pour-2d", "humanoid"})
    QTest::addRow("%s nsn", scene) << scene << "nsn" << 4;
  for (const char* pane :
       {"peg-pgs relinearise", "peg-newton-fb-pcr relinearise", "peg exact", "peg-newton-fb-pcr exact"})
    QTest::addRow("pour-2d %s", pane) << "pour-2d" << pane << 20;
}

void MemorySpacesTest::stepsStayInTheirMemory() {
  QFETCH(QString, scene);
  QFETCH(QString, pane);
  QFETCH(int, frames);
  const std::string said = inOwnProcess([&] {
    const auto loaded = test::shipped(scene.toStdString());
    PaneSettings settings = paneWithStep(pane.toStdString());
    if (scene == QLatin1String("soft-block"))
      settings.substeps = suggestedPane(*loaded, settings.method).substeps;
    if (scene == QLatin1String("incline")) settings.substeps = kInclineSubsteps;
    return runBoth(loaded, settings, frames);
  });
  QVERIFY2(said.empty(), said.c_str());
}

void MemorySpacesTest::manyWorldsStayInTheirMemory() {
  const std::string said = inOwnProcess([] {
    PaneSettings settings = paneNamed("cpf");
    settings.substeps = kInclineSubsteps;
    return runBoth(replicated(*test::shipped("incline"), 8), settings, 16);
  });
  QVERIFY2(said.empty(), said.c_str());
}

QTEST_APPLESS_MAIN(MemorySpacesTest)
#include "tst_memory_spaces.moc"
