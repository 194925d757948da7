#include <QtTest>

#include "core/run/comparison.h"
#include "core/scene/replicate.h"
#include "core/world/world.h"
#include "tests/support/scenes.h"

using namespace touchstone;

class ReplicateTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void replicasStandOneBehindTheOther();
  void aReplicaMayRubInItsOwnWay();
  void bodiesOfDifferentReplicasPassThroughEachOther();
  void theRefereeSeesNoOverlapBetweenReplicas();
  void whatCannotBeReplicatedIsRefused();
};

static std::shared_ptr<Scene> boxOnGround() {
  auto scene = test::scene({test::ground(), test::box("box", Vec3(1, 1, 1), 1, Vec3(0, 0.5, 0))});
  scene->dt = 0.002;
  return scene;
}

void ReplicateTest::replicasStandOneBehindTheOther() {
  const auto scene = boxOnGround();
  const auto copy = replicated(*scene, 3, [](int replica) {
    ReplicaVariation variation;
    variation.parameters["cpf"]["stiffness"] = 100.0 * replica;
    variation.change = [replica](Body& body) { body.linearVelocity.x() = replica; };
    return variation;
  });
  QCOMPARE(copy->replicas, 3);
  QCOMPARE(copy->bodies.size(), std::size_t(6));
  for (int replica = 0; replica < 3; ++replica) {
    QCOMPARE(copy->bodies[2 * replica + 1].replica, replica);
    QCOMPARE(copy->bodies[2 * replica + 1].linearVelocity.x(), double(replica));
    QVERIFY(copy->bodies[2 * replica + 1].shape == scene->bodies[1].shape);
    QCOMPARE(std::get<double>(copy->replicaParameters[replica].at("cpf").at("stiffness")), 100.0 * replica);
  }
  QCOMPARE(scene->replicas, 1);
}

void ReplicateTest::aReplicaMayRubInItsOwnWay() {
  const auto scene = boxOnGround();
  scene->materials[0].staticFriction = 0.5;
  const auto copy = replicated(*scene, 3, [](int replica) {
    ReplicaVariation variation;
    if (replica > 0)
      variation.changeMaterial = [replica](Material& material) { material.staticFriction = replica; };
    return variation;
  });
  const World world = makeWorld(copy);
  for (std::size_t body = 0; body < 6; ++body) {
    const int replica = static_cast<int>(body) / 2;
    QCOMPARE((*world.constants)[body].staticFriction, replica == 0 ? 0.5 : replica);
    QCOMPARE(copy->bodies[body].mass, scene->bodies[body % 2].mass);
  }
}

void ReplicateTest::bodiesOfDifferentReplicasPassThroughEachOther() {
  const auto copy = replicated(*boxOnGround(), 2);  // two boxes in one place
  for (const char* method : {"dpf", "dpf-ccd", "cpf", "lcp", "peg"}) {
    PaneSettings settings;
    settings.method = method;
    Simulation simulation(copy, settings, copy->dt);
    for (int frame = 0; frame < 50; ++frame)
      for (const Contact& contact : simulation.step()->contacts)
        QCOMPARE(copy->bodies[contact.bodyA].replica, copy->bodies[contact.bodyB].replica);
    QVERIFY(!simulation.current()->contacts.empty());
  }
}

void ReplicateTest::theRefereeSeesNoOverlapBetweenReplicas() {
  const auto copy = replicated(*boxOnGround(), 2);
  PaneSettings settings;
  settings.method = "lcp";
  Simulation simulation(copy, settings, copy->dt);
  QVERIFY(simulation.step()->quantities[Quantity::Overlap] < 1e-9);  // the boxes cover each other entirely
}

void ReplicateTest::whatCannotBeReplicatedIsRefused() {
  QVERIFY_EXCEPTION_THROWN(replicated(*boxOnGround(), 0), std::invalid_argument);
  QVERIFY_EXCEPTION_THROWN(replicated(*replicated(*boxOnGround(), 2), 2), std::invalid_argument);
}

QTEST_APPLESS_MAIN(ReplicateTest)
#include "tst_replicate.moc"
