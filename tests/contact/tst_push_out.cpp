#include <QtTest>
#include <cmath>

#include "core/contact/push_out_form.h"
#include "core/record/record_bytes.h"
#include "core/run/pane_name.h"
#include "core/run/simulation.h"
#include "tests/contact/method_run.h"
#include "tests/support/near.h"
#include "tests/support/scenes.h"

using namespace touchstone;

namespace {

constexpr double kDepth = 0.002;  // m, of the overlap at the start

PaneSettings pane(const QString& name, const char* form) {
  PaneSettings settings = paneNamed(name.toStdString());
  settings.parameters[kPushOut] = std::string(form);
  return settings;
}

/// A box that begins in the ground.
std::shared_ptr<Scene> sunkBox() {
  auto scene =
      test::scene({test::ground(), test::box("box", Vec3(0.2, 0.2, 0.2), 2, Vec3(0, 0.1 - kDepth, 0))}, 0.5);
  scene->dt = 0.01;
  scene->size = 1;
  return scene;
}

/// A box that begins in both walls of a slot, with more friction than a push-out along their normals can
/// overcome while it is in the rows: the walls lean towards each other at the top by 1 in 5.
std::shared_ptr<Scene> jammedBox() {
  Body left = test::block("left", Vec3(0.2, 1, 1), Vec3(-0.198, 0, 0)),
       right = test::block("right", Vec3(0.2, 1, 1), Vec3(0.198, 0, 0));
  left.orientation = Quaternion(Eigen::AngleAxisd(-0.2, Vec3::UnitZ()));
  right.orientation = Quaternion(Eigen::AngleAxisd(0.2, Vec3::UnitZ()));
  auto scene = test::scene({left, right, test::box("box", Vec3(0.2, 0.2, 0.2), 1, Vec3(0, 0, 0))}, 0.9);
  scene->dt = 0.01;
  scene->size = 1;
  scene->gravity = Vec3::Zero();
  return scene;
}

}  // namespace

/// Overlaps that are undone apart from the velocities (push_out = split), or by them (published).
class PushOutTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void anOverlapLeavesWithoutSpeed_data() { addPanes(); }
  void anOverlapLeavesWithoutSpeed();
  void thePublishedFormLeavesWithSpeed_data() { addPanes(); }
  void thePublishedFormLeavesWithSpeed();
  void balancesKnowTheDisplacement_data() { addPanes(); }
  void balancesKnowTheDisplacement();
  void frictionDoesNotLockIt();
  void recordsKeepIt();

 private:
  static void addPanes() {
    QTest::addColumn<QString>("name");
    for (const char* name : {"lcp", "lcp-pgs", "lcp-pgs-conjugate", "lcp-newton-carrier", "lcp-newton-fb-pcr",
                             "lcp-lemke", "peg", "peg-pgs", "nsn"})
      QTest::newRow(name) << name;
  }
};

/// The box rises by 2 mm at 0.2 √(g ℓ) at most, with velocities of rounding all the way.
void PushOutTest::anOverlapLeavesWithoutSpeed() {
  QFETCH(QString, name);
  const auto scene = sunkBox();
  Simulation simulation(scene, pane(name, kSplitPushOut), scene->dt);
  double risen = 0;
  for (int frame = 0; frame < 30; ++frame) {
    const RecordPtr record = simulation.step();
    // Larger: what a published push-out leaves passes; smaller: sweeps that end at their tolerance fail.
    QVERIFY_NEAR(record->bodies[1].linearVelocity.norm(), 0, 1e-6);
    if (!record->pushOut.empty()) risen += record->pushOut[1].y();
  }
  QVERIFY_NEAR(risen, kDepth, 1e-7);
  QVERIFY_NEAR(simulation.step()->bodies[1].position.y(), 0.1, 1e-7);
}

void PushOutTest::thePublishedFormLeavesWithSpeed() {
  QFETCH(QString, name);
  const auto scene = sunkBox();
  Simulation simulation(scene, pane(name, kPublishedPushOut), scene->dt);
  const RecordPtr record = simulation.step();
  QVERIFY(record->pushOut.empty());
  QVERIFY_NEAR(record->bodies[1].linearVelocity.y(), kDepth / scene->dt, 1e-6);
}

/// It lifts a weight, and it moves what flies: neither is energy or momentum that a method has made.
void PushOutTest::balancesKnowTheDisplacement() {
  QFETCH(QString, name);
  auto scene = sunkBox();
  scene->bodies[1].linearVelocity = Vec3(1, 0, 0.5);
  scene->bodies[1].angularVelocity = Vec3(0, 2, 0);
  Simulation simulation(scene, pane(name, kSplitPushOut), scene->dt);
  double work = 0;
  for (int frame = 0; frame < 10; ++frame) {
    const RecordPtr record = simulation.step();
    work += record->pushOutWork;
    QVERIFY(record->quantities[Quantity::EnergyDrift] <= 1e-9);
    // The rows of nsn turn in a step, so that its angular momentum is of first order in any form.
    if (findMethod(paneNamed(name.toStdString()).method)->balances)
      QVERIFY_NEAR(record->quantities[Quantity::MomentumAngularError], 0, 1e-9);
    QVERIFY_NEAR(record->quantities[Quantity::MomentumLinearError], 0, 1e-9);
  }
  QVERIFY_NEAR(work, 2 * 9.81 * kDepth, 1e-5);
}

/// Rows that ask a jammed box to part from both walls have no solution with friction; without that demand all
/// bodies at rest are one.
void PushOutTest::frictionDoesNotLockIt() {
  const auto scene = jammedBox();
  Simulation split(scene, pane("lcp", kSplitPushOut), scene->dt),
      published(scene, pane("lcp", kPublishedPushOut), scene->dt);
  for (int frame = 0; frame < 20; ++frame) {
    const RecordPtr record = split.step();
    QVERIFY2(record->status == StepStatus::Ok, record->statusText.c_str());
    QVERIFY_NEAR(record->bodies[2].linearVelocity.norm(), 0, 1e-6);
  }
  const RecordPtr record = published.step();
  QVERIFY(record->status == StepStatus::NoSolution);
  QVERIFY2(record->statusText.find("split") != std::string::npos, record->statusText.c_str());
}

void PushOutTest::recordsKeepIt() {
  const auto scene = sunkBox();
  Simulation simulation(scene, pane("lcp", kSplitPushOut), scene->dt);
  const RecordPtr record = simulation.step();
  QCOMPARE(record->pushOut.size(), scene->bodies.size());
  StepRecord read;
  readDetail(detailBytes(*record), read);
  QCOMPARE(read.pushOut.size(), record->pushOut.size());
  QVERIFY(read.pushOut[1] == record->pushOut[1]);
  QCOMPARE(read.pushOutWork, record->pushOutWork);
  QVERIFY(read.pushOutAngularMomentum == record->pushOutAngularMomentum);
}

QTEST_GUILESS_MAIN(PushOutTest)
#include "tst_push_out.moc"
