#include <QtTest>
#include <cstring>

#include "core/parallel/host_backend.h"
#include "core/world/device_world.inl"
#include "tests/support/deformables.h"
#include "tests/support/scenes.h"
#include "tests/support/separate_backend.h"

using namespace touchstone;

/// The arrays of a world in a backend's memory.
class DeviceArraysTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void noPointerIsLeftToTheHostsArrays();
  void theStateGoesToTheDeviceAndBack();
  void oneReplicaIsRolledBackAndTheOthersStay();
  void aStepOnTheDeviceIsThatOfTheHost();
  void aPullOfParticlesIsThatOfTheHost();
  void theStateStaysOnTheDeviceBetweenSteps();

 private:
  static std::shared_ptr<Scene> twoReplicas() {
    auto scene = test::scene({test::ground(), test::box("a", Vec3(1, 1, 1), 1, Vec3(0, 2, 0)), test::ground(),
                              test::box("b", Vec3(1, 1, 1), 1, Vec3(0, 3, 0))});
    scene->bodies[2].replica = scene->bodies[3].replica = 1;
    scene->replicas = 2;
    return scene;
  }
};

// On a device a pointer into host memory is a crash, which a test on the host would not notice.
void DeviceArraysTest::noPointerIsLeftToTheHostsArrays() {
  World world = makeWorld(twoReplicas());
  predict(world, 0.01);
  const HostBackend backend;
  DeviceArrays<HostBackend> arrays(backend, world);
  const WorldView host = viewOf(world), device = arrays.view(0.01);
  static_assert(sizeof(WorldView) % sizeof(void*) == 0);
  constexpr std::size_t kWords = sizeof(WorldView) / sizeof(void*);
  std::array<std::uintptr_t, kWords> a{}, b{};
  std::memcpy(a.data(), &host, sizeof host);
  std::memcpy(b.data(), &device, sizeof device);
  int pointers = 0;
  for (std::size_t word = 0; word < kWords; ++word) {
    double number;
    std::memcpy(&number, &a[word], sizeof number);
    if (a[word] < (std::uintptr_t(1) << 42) || number == host.dt) continue;  // counts and dt
    ++pointers;
    QVERIFY2(a[word] != b[word], qPrintable(QStringLiteral("word %1 of the view").arg(word)));
  }
  QVERIFY2(pointers >= 30, qPrintable(QString::number(pointers)));
}

void DeviceArraysTest::theStateGoesToTheDeviceAndBack() {
  World world = makeWorld(twoReplicas());
  const HostBackend backend;
  DeviceArrays<HostBackend> arrays(backend, world);
  world.position[1] = Vec3(1, 2, 3);
  world.angularVelocity[3] = Vec3(4, 5, 6);
  arrays.upload(backend, world);
  World other = makeWorld(twoReplicas());
  arrays.download(backend, other);
  QVERIFY(stateHash(other) == stateHash(world));
}

void DeviceArraysTest::oneReplicaIsRolledBackAndTheOthersStay() {
  World world = makeWorld(twoReplicas());
  const HostBackend backend;
  DeviceArrays<HostBackend> arrays(backend, world);
  arrays.remember(backend);
  const WorldView view = arrays.view(0.01);
  for (int body : {1, 3}) view.position[body] = Vec3(9, 9, 9);
  arrays.rollBack(backend, 1);
  arrays.download(backend, world);
  QVERIFY(world.position[1] == Vec3(9, 9, 9));
  QVERIFY(world.position[3] == Vec3(0, 3, 0));
}

void DeviceArraysTest::aStepOnTheDeviceIsThatOfTheHost() {
  World host = makeWorld(twoReplicas());
  host.angularVelocity[1] = Vec3(1, 2, 3);
  host.spring = Spring{1, Vec3(0.1, 0.2, 0), Vec3(1, 1, 1), 50, 2};
  World world = host;
  const auto deviceWorld = std::make_unique<DeviceWorldOn<test::SeparateBackend>>(world);
  for (int step = 0; step < 5; ++step) {
    predict(host, 0.01);
    deviceWorld->predict(world, 0.01);
    deviceWorld->downloadStep(world);
    QVERIFY(world.nextLinearVelocity == host.nextLinearVelocity);
    QVERIFY(world.nextAngularVelocity == host.nextAngularVelocity);
    QVERIFY(world.inverseInertia == host.inverseInertia);
    QVERIFY(world.predictedPosition == host.predictedPosition);
    const SpringAction action = fetched(deviceWorld->backend(), deviceWorld->action(), 1).front();
    QVERIFY(action.impulse == host.springAction.impulse && action.work != 0);
    for (World* each : {&host, &world}) applyImpulse(*each, 3, Vec3(0.3, 2, 0.1), Vec3(0.1, 0.5, -0.2));
    integrate(host);
    deviceWorld->takeVelocities(world);
    integrateOn(deviceWorld->backend(), deviceWorld->view(world), deviceWorld->spring(),
                deviceWorld->action());
    world.time += world.dt;
    deviceWorld->downloadState(world, {});
    QCOMPARE(stateHash(world), stateHash(host));
  }
}

/// A bar whose eigenstrain changes, pulled at a point of an edge of its surface.
void DeviceArraysTest::aPullOfParticlesIsThatOfTheHost() {
  Body bar = test::elasticBar("bar", {3, 1, 1}, 0.1, Vec3(0, 1, 0));
  auto deformable = std::make_shared<Deformable>(*bar.deformable);
  deformable->material.model = ElasticModel::Corotational;
  deformable->eigenstrain = {{0, 0}, {0.002, 0.05}};
  bar.deformable = deformable;
  const auto scene = test::scene({test::ground(), bar});
  World host = makeWorld(scene);
  host.isElasticityExplicit = true;
  host.spring = Spring{1, Vec3(0, 0, 0), Vec3(1, 1, 1), 50, 2, {{0, 1, -1}, {0.25, 0.75, 0}}};
  QVERIFY(problemOf(*scene, *host.spring).empty() && isPulling(host));
  World world = host;
  const auto deviceWorld = std::make_unique<DeviceWorldOn<test::SeparateBackend>>(world);
  for (int step = 0; step < 5; ++step) {
    predict(host, 0.001);
    deviceWorld->predict(world, 0.001);
    deviceWorld->downloadStep(world);
    QVERIFY(world.nextLinearVelocity == host.nextLinearVelocity);
    QVERIFY(world.predictedPosition == host.predictedPosition);
    integrate(host);
    deviceWorld->takeVelocities(world);
    integrateOn(deviceWorld->backend(), deviceWorld->view(world), deviceWorld->spring(),
                deviceWorld->action());
    world.time += world.dt;
    deviceWorld->downloadState(world, {});
    QCOMPARE(stateHash(world), stateHash(host));
    const SpringAction action = fetched(deviceWorld->backend(), deviceWorld->action(), 1).front();
    QVERIFY(action.impulse == host.springAction.impulse && action.work == host.springAction.work);
    QVERIFY(action.work != 0);
  }
  QCOMPARE(host.materials[0].eigenstrain, 0.05);  // of the last step, which began at 4 ms
}

void DeviceArraysTest::theStateStaysOnTheDeviceBetweenSteps() {
  World world = makeWorld(twoReplicas());
  const auto deviceWorld = std::make_unique<DeviceWorldOn<test::SeparateBackend>>(world);
  world.position[1] = Vec3(7, 7, 7);  // not sent
  deviceWorld->predict(world, 0.01);
  deviceWorld->downloadStep(world);
  QVERIFY(world.predictedPosition[1].x() == 0 && world.position[1].x() == 0);
  world.position[1] = Vec3(7, 7, 7);
  deviceWorld->changed(world);
  deviceWorld->predict(world, 0.01);
  deviceWorld->downloadStep(world);
  QVERIFY(world.predictedPosition[1].x() == 7);
}

QTEST_APPLESS_MAIN(DeviceArraysTest)
#include "tst_device_arrays.moc"
