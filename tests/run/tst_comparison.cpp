#include <QtTest>

#include "core/contact/step_detail.h"
#include "core/files/scene_error.h"
#include "core/parallel/parallel_for.h"
#include "core/record/record_bytes.h"
#include "core/run/comparison.h"
#include "core/run/pane_name.h"
#include "core/scene/replicate.h"
#include "core/world/world.h"
#include "tests/support/near.h"
#include "tests/support/scenes.h"

using namespace touchstone;

class ComparisonTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void panesMeetAtTheSameTimesWhateverTheirSubsteps();
  void everyMethodGivesTheSameBitsOnOneThreadAndOnMany_data();
  void everyMethodGivesTheSameBitsOnOneThreadAndOnMany();
  void panesAtTheSameTimeGiveTheSameRecordsAsOneAfterTheOther();
  void manyIslandsGiveTheSameRecordOnOneThreadAndOnMany_data();
  void manyIslandsGiveTheSameRecordOnOneThreadAndOnMany();
  void everyMethodCarriesTheWeightOfARestingBox_data();
  void everyMethodCarriesTheWeightOfARestingBox();
  void everyMethodKeepsTheMomentumOfACollision_data();
  void everyMethodKeepsTheMomentumOfACollision();
  void everyMethodFallsFreelyAlike();
  void aDivergedPaneStandsStillAndTheOthersGoOn();
  void aPaneWhoseStepCannotBeTakenStandsStillAndTheOthersGoOn();
  void forkGivesAllPanesOneState();
  void swappingTheMethodKeepsTheState();
  void theMouseSpringIsCountedInEveryBalance_data();
  void theMouseSpringIsCountedInEveryBalance();
  void aSpringThatIsLetGoPullsNoMore();
  void framesThatWereThinnedOutAreRebuiltBitForBit_data();
  void framesThatWereThinnedOutAreRebuiltBitForBit();
  void refusesWhatCannotRunWithTheReason();
};

static PaneSettings pane(const char* method, int substeps = 1) {
  PaneSettings settings;
  settings.method = method;
  settings.substeps = substeps;
  return settings;
}

static StepRecord withoutTimes(StepRecord record) {
  record.times = {};
  return record;
}

static void methodColumn() {
  QTest::addColumn<QString>("method");
  for (const MethodInfo& method : methodTable())
    QTest::newRow(method.key.c_str()) << QString::fromStdString(method.key);
}

static std::shared_ptr<Scene> restingBox() {
  auto scene = test::scene({test::ground(), test::box("box", Vec3(0.2, 0.1, 0.3), 1, Vec3(0, 0.05, 0))});
  scene->dt = 2e-3;
  return scene;
}

void ComparisonTest::panesMeetAtTheSameTimesWhateverTheirSubsteps() {
  Comparison comparison(restingBox(), {pane("dpf", 7), pane("cpf"), pane("lcp", 3)});
  for (int frame = 0; frame < 20; ++frame) {
    const auto records = comparison.step(true);
    for (const RecordPtr& record : records) {
      QVERIFY(record->time == records.front()->time);
      QCOMPARE(record->frame, static_cast<long>(frame + 1));
    }
  }
}

void ComparisonTest::everyMethodGivesTheSameBitsOnOneThreadAndOnMany_data() { methodColumn(); }
void ComparisonTest::everyMethodGivesTheSameBitsOnOneThreadAndOnMany() {
  QFETCH(QString, method);
  const auto hashes = [&](int threads) {
    const ThreadLimit limit(threads);
    Comparison comparison(test::tower(), {pane(method.toUtf8().constData())});
    std::vector<unsigned long long> result;
    for (int frame = 0; frame < 200; ++frame) result.push_back(comparison.step(false)[0]->stateHash);
    return result;
  };
  const auto one = hashes(1), many = hashes(4);
  for (std::size_t frame = 0; frame < one.size(); ++frame)
    QVERIFY2(one[frame] == many[frame], qPrintable(QStringLiteral("frame %1").arg(frame + 1)));
}

void ComparisonTest::panesAtTheSameTimeGiveTheSameRecordsAsOneAfterTheOther() {
  std::vector<PaneSettings> panes;
  for (const MethodInfo& method : methodTable()) panes.push_back(pane(method.key.c_str()));
  for (const char* name : {"lcp-pgs", "peg-pgs"}) panes.push_back(paneNamed(name));
  const auto scene = replicated(*test::tower(), 30);
  Comparison together(scene, panes), inTurn(scene, panes);
  for (int frame = 0; frame < 50; ++frame) {
    const auto some = together.step(true), others = inTurn.step(false);
    for (std::size_t index = 0; index < panes.size(); ++index) {
      QCOMPARE(some[index]->stateHash, others[index]->stateHash);
      QVERIFY(detailBytes(withoutTimes(*some[index])) == detailBytes(withoutTimes(*others[index])));
    }
  }
}

void ComparisonTest::manyIslandsGiveTheSameRecordOnOneThreadAndOnMany_data() {
  QTest::addColumn<QString>("method");
  QTest::addColumn<QString>("step");
  QTest::newRow("lcp") << "lcp"
                       << "";
  for (const char* step : {"plain", "relinearise", "exact"}) QTest::addRow("peg %s", step) << "peg" << step;
}
void ComparisonTest::manyIslandsGiveTheSameRecordOnOneThreadAndOnMany() {
  QFETCH(QString, method);
  QFETCH(QString, step);
  PaneSettings settings = pane(method.toUtf8().constData());
  settings.parameters["max_iterations"] = 3.0;  // some islands end here and report it
  if (!step.isEmpty()) settings.parameters["step"] = step.toStdString();
  const auto scene = replicated(*test::tower(), 12, [](int replica) {
    ReplicaVariation variation;
    variation.change = [replica](Body& body) { body.angularVelocity *= 0.3 * replica; };
    return variation;
  });
  const auto records = [&](int threads) {
    const ThreadLimit limit(threads);
    Simulation simulation(scene, settings, scene->dt);
    std::vector<std::string> result;
    for (int frame = 0; frame < 40; ++frame) {
      const StepRecord record = withoutTimes(*simulation.step());
      result.push_back(std::to_string(record.stateHash) + detailBytes(record));
    }
    return result;
  };
  QVERIFY(records(1) == records(4));
}

void ComparisonTest::everyMethodCarriesTheWeightOfARestingBox_data() { methodColumn(); }
void ComparisonTest::everyMethodCarriesTheWeightOfARestingBox() {
  QFETCH(QString, method);
  Comparison comparison(restingBox(), {pane(method.toUtf8().constData())});
  const int frames = 2000;
  double impulse = 0;
  for (int frame = 0; frame < frames; ++frame) impulse += comparison.step(false)[0]->normalImpulseSum;
  // Over any time without a net gain of momentum the mean contact force is the box's weight. The bound is the
  // momentum that the box may still have, m v with v ≤ 0.1 m/s, over that time.
  const double time = frames * comparison.dt();
  QVERIFY_NEAR(impulse / time, 9.81, 0.1 / time);
  QVERIFY(comparison.pane(0).current()->status == StepStatus::Ok);
}

void ComparisonTest::everyMethodKeepsTheMomentumOfACollision_data() { methodColumn(); }
void ComparisonTest::everyMethodKeepsTheMomentumOfACollision() {
  QFETCH(QString, method);
  Body left = test::box("left", Vec3(0.2, 0.2, 0.2), 1, Vec3(-0.15, 0, 0));
  Body right = test::box("right", Vec3(0.2, 0.3, 0.2), 2.5, Vec3(0.15, 0.07, 0.02));
  left.linearVelocity = Vec3(1, 0, 0);
  right.linearVelocity = Vec3(-0.5, 0.1, 0);
  auto scene = test::scene({left, right}, 0.2);
  scene->gravity = Vec3::Zero();
  scene->dt = 1e-3;
  Comparison comparison(scene, {pane(method.toUtf8().constData())});
  Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();
  const auto sum = [&] {
    linear = angular = Vec3::Zero();
    const World& world = comparison.pane(0).world();
    for (int body = 0; body < 2; ++body) {
      const Mat3 r = world.orientation[body].toRotationMatrix();
      const Vec3 p = scene->bodies[body].mass * world.linearVelocity[body];
      linear += p;
      angular += world.position[body].cross(p) +
                 r * (scene->bodies[body].inertia * (r.transpose() * world.angularVelocity[body]));
    }
  };
  sum();
  const Vec3 linearStart = linear, angularStart = angular;
  double impulse = 0;
  for (int frame = 0; frame < 300; ++frame) impulse += comparison.step(false)[0]->normalImpulseSum;
  sum();
  QVERIFY2(impulse > 0.1, "the bodies must have met");
  QVERIFY_NEAR((linear - linearStart).norm(), 0, 1e-12);
  // NSN's forces act where the step ends: it keeps the angular momentum to the order of the step only.
  if (method == "nsn") {
    QVERIFY_NEAR((angular - angularStart).norm(), 0, 1e-3 * impulse);
    return;
  }
  // Complementarity models push at p_a on A and p_b on B, which are a gap apart along the normal: no couple.
  // Penalty methods push at one common point. Both conserve the angular momentum up to rounding; friction of
  // the former up to gap × impulse.
  const bool complementarity = method == "lcp" || method == "peg";
  QVERIFY_NEAR((angular - angularStart).norm(), 0, complementarity ? 5e-3 : 1e-12);
}

void ComparisonTest::everyMethodFallsFreelyAlike() {
  auto scene = test::scene({test::ground(-100), test::box("box", Vec3(0.2, 0.1, 0.3), 1, Vec3(0, 0, 0))});
  std::vector<PaneSettings> panes;
  for (const MethodInfo& method : methodTable()) panes.push_back(pane(method.key.c_str()));
  Comparison comparison(scene, panes);
  std::vector<RecordPtr> records;
  for (int frame = 0; frame < 50; ++frame) records = comparison.step(false);
  const double dt = scene->dt;
  for (const RecordPtr& record : records) {
    QVERIFY_NEAR(record->bodies[1].position.y(), -9.81 * dt * dt * 50 * 51 / 2, 1e-12);
    QVERIFY(record->stateHash == records.front()->stateHash);
  }
}

void ComparisonTest::aDivergedPaneStandsStillAndTheOthersGoOn() {
  auto scene = restingBox();
  scene->bodies[1].linearVelocity = Vec3(0, -5, 0);
  scene->dt = 0.01;
  PaneSettings stiff = pane("dpf");
  stiff.parameters["stiffness"] = 1e8;  // h² k / m = 1e4: far beyond the limit of 4
  Comparison comparison(scene, {stiff, pane("peg")});
  std::vector<RecordPtr> records;
  for (int frame = 0; frame < 200; ++frame) records = comparison.step(false);
  QVERIFY(records[0]->status == StepStatus::Diverged);
  QVERIFY(!records[0]->statusText.empty());
  QVERIFY(records[0]->bodies[1].position.allFinite());
  QVERIFY(records[1]->status == StepStatus::Ok);
  QVERIFY_NEAR(records[1]->bodies[1].position.y(), 0.05, 1e-3);
}

void ComparisonTest::aPaneWhoseStepCannotBeTakenStandsStillAndTheOthersGoOn() {
  auto scene = test::scene({test::ground()}, 0.5);
  for (int box = 0; box < 512; ++box)
    scene->bodies.push_back(
        test::box("box", Vec3(0.1, 0.1, 0.1), 1,
                  Vec3(0.1001 * (box % 8), 0.05 + 0.1001 * (box / 64), 0.1001 * (box / 8 % 8))));
  scene->dt = 2e-3;
  PaneSettings rows = pane("lcp");
  rows.solver = "lemke";  // with a pyramid of ten rows per contact
  Comparison comparison(scene, {rows, pane("dpf")});
  const std::vector<RecordPtr> first = comparison.step(false), second = comparison.step(false);
  for (const std::vector<RecordPtr>& records : {first, second}) {
    QVERIFY(records[0]->status == StepStatus::Stopped);
    QVERIFY(records[0]->statusText.find("use a solver that makes none (pgs") != std::string::npos);
    QVERIFY(records[0]->bodies[1].position == scene->bodies[1].position);
    QVERIFY(records[1]->status == StepStatus::Ok);
    QVERIFY(records[1]->bodies[1].position != scene->bodies[1].position);
  }
  QCOMPARE(second[0]->frame, 2L);
  QCOMPARE(second[0]->time, second[1]->time);
  PaneSettings sweeps = pane("lcp");
  sweeps.solver = "pgs";
  comparison.setPane(0, sweeps);
  QVERIFY(!isFrozen(comparison.step(false)[0]->status));
}

void ComparisonTest::forkGivesAllPanesOneState() {
  Comparison comparison(test::tower(), {pane("dpf"), pane("cpf"), pane("peg")});
  for (int frame = 0; frame < 100; ++frame) comparison.step(false);
  QVERIFY(comparison.pane(0).current()->stateHash != comparison.pane(1).current()->stateHash);
  const unsigned long long hash = comparison.history(1).at(60)->stateHash;
  QVERIFY(comparison.fork(1, 60));
  for (int index = 0; index < 3; ++index) {
    QVERIFY(comparison.pane(index).current()->stateHash == hash);
    QCOMPARE(comparison.history(index).lastFrame(), 60L);
  }
  QVERIFY(!comparison.fork(0, 90));
  QCOMPARE(comparison.step(false)[0]->frame, 61L);
}

void ComparisonTest::swappingTheMethodKeepsTheState() {
  Comparison comparison(test::tower(), {pane("dpf"), pane("cpf")});
  for (int frame = 0; frame < 50; ++frame) comparison.step(false);
  const unsigned long long hash = comparison.pane(0).current()->stateHash;
  comparison.setPane(0, pane("peg"));
  QVERIFY(comparison.pane(0).current()->stateHash == hash);
  QVERIFY(comparison.step(false)[0]->method == "peg");
  QCOMPARE(comparison.history(0).lastFrame(), 51L);
}

void ComparisonTest::theMouseSpringIsCountedInEveryBalance_data() { methodColumn(); }
void ComparisonTest::theMouseSpringIsCountedInEveryBalance() {
  QFETCH(QString, method);
  auto scene = test::scene({test::ground(), test::box("box", Vec3(0.2, 0.1, 0.3), 1, Vec3(0, 2, 0))});
  scene->dt = 1e-3;
  Comparison comparison(scene, {pane(method.toUtf8().constData(), 2), pane(method.toUtf8().constData(), 8)});
  comparison.pull(Spring{1, Vec3(0.1, 0.05, 0.15), Vec3(0.4, 3, 0.2), 60, 5});
  for (int frame = 0; frame < 200; ++frame) comparison.step(false);
  const StepRecord& record = *comparison.pane(0).current();
  QVERIFY(record.pull.has_value());
  QCOMPARE(record.pull->body, 1);
  QVERIFY(record.quantities[Quantity::MomentumLinear] > 0.1);
  QVERIFY(record.quantities[Quantity::MomentumLinearError] < 1e-12);
  QVERIFY(record.quantities[Quantity::MomentumAngularError] < 1e-12);
  // The rest is the error of the step itself, first order in dt: a quarter of the step gives a quarter.
  const double coarse = record.quantities[Quantity::EnergyDrift];
  const double fine = comparison.pane(1).current()->quantities[Quantity::EnergyDrift];
  QVERIFY(record.pullWork != 0);
  QVERIFY2(std::abs(fine / coarse - 0.25) < 0.03, qPrintable(QStringLiteral("%1 %2").arg(coarse).arg(fine)));
}

void ComparisonTest::aSpringThatIsLetGoPullsNoMore() {
  Comparison comparison(restingBox(), {pane("cpf"), pane("lcp")});
  comparison.pull(Spring{1, Vec3::Zero(), Vec3(0, 1, 0), 60, 5});
  QVERIFY(comparison.step(false)[1]->pull.has_value());
  comparison.addPane(pane("peg"));
  QVERIFY(comparison.step(false)[2]->pull.has_value());
  comparison.pull(std::nullopt);
  for (const RecordPtr& record : comparison.step(false)) QVERIFY(!record->pull.has_value());
  QVERIFY_EXCEPTION_THROWN(comparison.pull(Spring{7, Vec3::Zero(), Vec3::Zero(), 1, 1}),
                           std::invalid_argument);
}

void ComparisonTest::framesThatWereThinnedOutAreRebuiltBitForBit_data() { methodColumn(); }
void ComparisonTest::framesThatWereThinnedOutAreRebuiltBitForBit() {
  QFETCH(QString, method);
  const std::string key = method.toStdString();
  Comparison whole(test::tower(), {pane(key.c_str())});
  Comparison thinned(test::tower(), {pane(key.c_str())}, 200000);
  for (Comparison* each : {&whole, &thinned}) {
    for (int frame = 0; frame < 300; ++frame) {
      if (frame == 40) each->setSubsteps(0, 2);
      if (frame == 57) each->pull(Spring{1, Vec3(0.1, 0, 0), Vec3(0.2, 0.6, 0), 30, 3});
      if (frame == 70) each->pull(std::nullopt);
      if (frame == 90) each->setPane(0, pane(key == "cpf" ? "peg" : "cpf", 2));
      if (frame == 120) each->setPane(0, pane(key.c_str()));
      each->step(false);
    }
    QVERIFY(each->fork(0, 200));
    for (int frame = 0; frame < 100; ++frame) each->step(false);
  }
  QVERIFY(thinned.history(0).size() < 200);
  int rebuilt = 0;
  for (long frame = 1; frame <= 300; frame += 7) {
    if (thinned.history(0).at(frame)) continue;
    const RecordPtr was = whole.history(0).at(frame);
    const std::vector<RecordPtr> records = thinned.rebuilt(0, frame, frame);
    QCOMPARE(records.size(), std::size_t(1));
    QVERIFY2(records[0]->stateHash == was->stateHash, qPrintable(QStringLiteral("frame %1").arg(frame)));
    QVERIFY(detailBytes(withoutTimes(*records[0])) == detailBytes(withoutTimes(*was)));
    for (Quantity quantity :
         {Quantity::EnergyDrift, Quantity::MomentumAngularError, Quantity::Jitter, Quantity::Residual}) {
      const double a = records[0]->quantities[quantity], b = was->quantities[quantity];
      QVERIFY(a == b || (std::isnan(a) && std::isnan(b)));
    }
    StepDetail detail;
    QVERIFY(thinned.explain(0, frame, detail));
    QVERIFY(detail.end.position[1] == was->bodies[1].position);
    ++rebuilt;
  }
  QVERIFY(rebuilt > 10);
}

void ComparisonTest::refusesWhatCannotRunWithTheReason() {
  auto scene = restingBox();
  QVERIFY(refusal(*scene, pane("cpf")).empty());
  auto withCurve = std::make_shared<Scene>(*scene);
  withCurve->analytic.push_back({"kinetic", "0", {0}});
  QVERIFY_EXCEPTION_THROWN(Comparison(withCurve, {pane("cpf")}), SceneError);
  QVERIFY(refusal(*scene, pane("magic")).find("choose one of") != std::string::npos);
  PaneSettings settings = pane("cpf");
  settings.parameters["stiffness"] = -1.0;
  QVERIFY(refusal(*scene, settings).find("cpf.stiffness") != std::string::npos);
  settings = pane("peg");
  settings.solver = "pcr";
  QVERIFY(refusal(*scene, settings).find("cannot solve") != std::string::npos);
  settings.solver = "pgs";
  settings.parameters["step"] = std::string("relinearise");
  QVERIFY(refusal(*scene, settings).empty());
  Comparison comparison(scene, {settings});
  QVERIFY_EXCEPTION_THROWN(comparison.setParameter(0, "step", std::string("exact")), std::invalid_argument);
  settings.parameters["step"] = std::string("exact");
  QVERIFY(refusal(*scene, settings).find("another solver") != std::string::npos);
}

QTEST_APPLESS_MAIN(ComparisonTest)
#include "tst_comparison.moc"
