#include "core/statistics/ensemble.h"

#include <QTemporaryDir>
#include <QtTest>
#include <fstream>

#include "core/robot/scene_readers.h"
#include "core/run/pane_name.h"
#include "core/scene/replicate.h"
#include "core/statistics/ensemble_tables.h"
#include "tests/support/near.h"
#include "tests/support/scenes.h"

using namespace touchstone;

/// Many copies of a scene that differ by nearly nothing, in one run.
class EnsembleTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void copiesDifferByTheSameNumbersForEveryMethod();
  void everyCopyMovesAndIsMeasuredAsItWouldBeAlone();
  void aSeparationThatGrowsHasAHorizon();
  void whatDoesNotGrowHasNone();
  void theSeparationIsAMeanOverTheBodiesOfBoth();
  void aCopyThatDivergesHasNoNumberAndIsCounted();
  void bodiesThatLeaveAreCounted_data();
  void bodiesThatLeaveAreCounted();
  void aStepWithoutSolutionIsCountedForItsCopy();
  void quantitiesAreParsed();
  void badQuantitiesSayWhatWouldBeRight_data();
  void badQuantitiesSayWhatWouldBeRight();
  void marginsAreLengthsOrShares();
  void coursesBecomeOneNumber();
  void aCopyAsAFileIsTheCopy();
  void moreFrictionIsDifferent();
  void copiesOfAnEngineAreMeasuredLikeOurs();
  void trajectoriesThatDoNotFitAreRefused();
  void ensemblesOfNothingOrTooMuchAreRefused();
  void tablesHaveALineForEachCopyTimeAndPair();
};

namespace {

constexpr double kDt = 5e-3;  // s

std::vector<EnsembleQuantity> quantitiesOf(const Scene& scene, const std::vector<std::string>& texts) {
  std::vector<EnsembleQuantity> quantities;
  for (const std::string& text : texts) quantities.push_back(ensembleQuantityOf(text, scene));
  return quantities;
}

EnsembleMember run(const std::shared_ptr<const Scene>& scene, const std::string& method,
                   const std::vector<std::string>& texts, const Perturbation& start, double time) {
  EnsembleMember member =
      runEnsemble(scene, paneFor(method, *scene), quantitiesOf(*scene, texts), start, kDt, time);
  member.label = method;
  return member;
}

/// The scene with the start of one copy.
std::shared_ptr<Scene> startOf(const Scene& scene, const Perturbation& start, int copy) {
  auto one = std::make_shared<Scene>(scene);
  for (std::size_t body = 0; body < one->bodies.size(); ++body)
    if (one->bodies[body].motion == Motion::Dynamic)
      one->bodies[body].position += offsetOf(start, copy, static_cast<int>(body), scene.planar);
  return one;
}

}  // namespace

void EnsembleTest::copiesDifferByTheSameNumbersForEveryMethod() {
  const Perturbation start{4, 1e-3, 9};
  const auto scene = test::tower();
  const auto all = perturbedCopies(*scene, start);
  const std::size_t n = scene->bodies.size();
  QCOMPARE(all->replicas, 4);
  for (std::size_t body = 0; body < n; ++body)
    QVERIFY(all->bodies[body].position == scene->bodies[body].position);
  double largest = 0;
  for (int copy = 1; copy < 4; ++copy)
    for (std::size_t body = 0; body < n; ++body) {
      const Vec3 moved =
          all->bodies[static_cast<std::size_t>(copy) * n + body].position - scene->bodies[body].position;
      if (scene->bodies[body].motion == Motion::Static) QCOMPARE(moved.norm(), 0.0);
      QVERIFY_NEAR((moved - (scene->bodies[body].motion == Motion::Static
                                 ? Vec3::Zero()
                                 : offsetOf(start, copy, static_cast<int>(body), false)))
                       .norm(),
                   0, 1e-15);
      largest = std::max(largest, moved.norm());
    }
  QVERIFY(largest > 1e-3 && largest < 1e-2);
  QVERIFY(offsetOf(start, 1, 2, false) != offsetOf(start, 2, 1, false));
  QVERIFY(offsetOf(start, 1, 2, false) != offsetOf({4, 1e-3, 10}, 1, 2, false));
  QCOMPARE(offsetOf(start, 1, 2, true).z(), 0.0);
}

// What the Referee measures of a pane is what it measures of each copy.
void EnsembleTest::everyCopyMovesAndIsMeasuredAsItWouldBeAlone() {
  const auto scene = test::tower();
  const Perturbation start{3, 1e-3, 1};
  std::vector<std::string> keys;
  for (const QuantityInfo& info : quantityTable())
    if (isMeasuredPerCopy(info.quantity)) keys.push_back(info.key);
  QVERIFY(keys.size() >= 10);
  const double time = 0.4;
  for (const char* method : {"cpf", "lcp"}) {
    const EnsembleMember member = run(scene, method, keys, start, time);
    for (int copy = 0; copy < start.copies; ++copy) {
      Simulation alone(startOf(*scene, start, copy), paneFor(method, *scene), kDt);
      alone.recordAllContacts();
      for (std::size_t sample = 0; sample < member.times.size(); ++sample) {
        const RecordPtr record = sample == 0 ? alone.current() : alone.step();
        QCOMPARE(record->time, member.times[sample]);
        for (std::size_t key = 0; key < keys.size(); ++key) {
          const double expected = record->quantities[findQuantity(keys[key])->quantity],
                       found = member.values[key][copy][sample];
          if (std::isnan(expected)) {
            QVERIFY2(std::isnan(found), keys[key].c_str());
            continue;
          }
          // Sums of a pane and of a slice of records add in other orders.
          QVERIFY2(std::abs(found - expected) <= 1e-9 * std::max(1.0, std::abs(expected)),
                   qPrintable(QStringLiteral("%1 %2 at %3 s: %4, alone %5")
                                  .arg(QLatin1String(method), QString::fromStdString(keys[key]))
                                  .arg(record->time)
                                  .arg(found)
                                  .arg(expected)));
        }
      }
    }
  }
}

void EnsembleTest::aSeparationThatGrowsHasAHorizon() {
  std::vector<double> times, d;
  for (int frame = 0; frame <= 600; ++frame) {
    times.push_back(0.01 * frame);
    d.push_back(std::min(0.3, 1e-9 * std::exp(5 * times.back())));
  }
  const Horizon horizon = horizonOf(times, d, 1e-9);
  QVERIFY_NEAR(horizon.growth, 5, 1e-9);
  QVERIFY_NEAR(horizon.time, std::log(1e7) / 5, 0.01);  // the next frame
}

void EnsembleTest::whatDoesNotGrowHasNone() {
  const std::vector<double> times = {0, 1, 2, 3, 4};
  const Horizon still = horizonOf(times, std::vector<double>(5, 2e-9), 1e-9);  // below 10 ε
  QVERIFY(std::isnan(still.growth) && std::isnan(still.time));
  const Horizon falling = horizonOf(times, {1e-4, 1e-5, 1e-6, 1e-7, 2e-8}, 1e-9);
  QVERIFY(std::isnan(falling.growth) && std::isnan(falling.time));
  const Horizon few = horizonOf(times, {1e-9, 1e-8, 1e-6, 1e-4, 2e-3}, 1e-9);  // three frames
  QVERIFY(std::isnan(few.growth) && std::isnan(few.time));
}

void EnsembleTest::theSeparationIsAMeanOverTheBodiesOfBoth() {
  const auto scene = test::scene({test::ground(), test::box("a", Vec3(1, 1, 1), 1, Vec3(0, 1, 0)),
                                  test::box("b", Vec3(1, 1, 1), 1, Vec3(5, 1, 0))});
  std::vector<BodyState> one(3), other(3);
  other[0].position = Vec3(9, 9, 9);  // static
  other[1].position = Vec3(3, 0, 0);
  other[2].position = Vec3(0, 0, 4);
  QVERIFY_NEAR(separationOf(*scene, one, other), std::sqrt((9 + 16) / 2.0), 1e-15);
  other[2].active = false;
  QVERIFY_NEAR(separationOf(*scene, one, other), 3, 1e-15);
  one[1].active = false;
  QVERIFY(std::isnan(separationOf(*scene, one, other)));
}

// A stiffness that no step of this length holds, in a scene where one copy alone gets an overlap.
void EnsembleTest::aCopyThatDivergesHasNoNumberAndIsCounted() {
  auto scene = test::scene({test::ground(), test::box("a", Vec3(1, 1, 1), 1, Vec3(0, 0.52, 0))});
  PaneSettings settings = paneFor("dpf", *scene);
  settings.substeps = 1;
  settings.parameters["stiffness"] = 1e9;
  const Perturbation start{8, 1e-6, 1};
  EnsembleMember member =
      runEnsemble(scene, settings, quantitiesOf(*scene, {"mean_height"}), start, kDt, 0.5);
  const EventCount diverged = member.count(SampleEvent::Diverged);
  QVERIFY2(diverged.happened > 0, "choose a larger stiffness");
  for (std::size_t copy = 0; copy < 8; ++copy)
    QCOMPARE(std::isnan(member.values[0][copy].back()), member.events[copy].has(SampleEvent::Diverged));
  Ensemble ensemble;
  ensemble.quantities = quantitiesOf(*scene, {"mean_height"});
  ensemble.perturbation = start;
  ensemble.members = {member, member};
  const std::vector<EnsembleVerdict> verdicts = verdictsOf(ensemble);
  QCOMPARE(verdicts.size(), std::size_t(1));
  QVERIFY(QString::fromStdString(verdicts[0].problem).contains("at least 8 copies"));
  QCOMPARE(eventVerdictsOf(ensemble).front().p, 1.0);
}

void EnsembleTest::bodiesThatLeaveAreCounted_data() {
  QTest::addColumn<double>("x");
  QTest::addColumn<double>("y");
  QTest::addColumn<bool>("thrown");
  QTest::addColumn<bool>("fell");
  QTest::newRow("stays") << 0.0 << 1.0 << false << false;
  QTest::newRow("leans out") << 2.0 << 1.0 << false << false;
  QTest::newRow("upwards") << 0.0 << 81.0 << true << false;
  QTest::newRow("to the side") << 40.0 << 0.5 << true << false;
  QTest::newRow("through the plane") << 0.0 << -0.1 << false << true;
  QTest::newRow("far below") << 0.0 << -30.0 << false << true;
}

void EnsembleTest::bodiesThatLeaveAreCounted() {
  QFETCH(double, x);
  QFETCH(double, y);
  auto scene = test::scene({test::ground(), test::box("a", Vec3(1, 1, 1), 1, Vec3(0, 1, 0))});
  scene->size = 3;
  const EscapeFinder finder(*scene);
  std::vector<BodyState> bodies(2);
  bodies[1].position = Vec3(x, y, 0);
  SampleEvents events;
  finder.note(bodies, 0.5, events);
  QTEST(events.has(SampleEvent::Thrown), "thrown");
  QTEST(events.has(SampleEvent::FellThrough), "fell");
  bodies[1].active = false;
  SampleEvents none;
  finder.note(bodies, 0.5, none);
  QVERIFY(!none.has(SampleEvent::Thrown) && !none.has(SampleEvent::FellThrough));
}

// A box between a floor and a ceiling that are closer than its height has contradicting rows; a copy that
// starts beside them has none.
void EnsembleTest::aStepWithoutSolutionIsCountedForItsCopy() {
  Body floor = test::box("floor", Vec3(1, 1, 1), 1, Vec3(0, -0.5, 0)),
       ceiling = test::box("ceiling", Vec3(1, 1, 1), 1, Vec3(0, 0.598, 0));
  floor.motion = ceiling.motion = Motion::Static;
  const std::shared_ptr<const Scene> scene =
      test::scene({floor, ceiling, test::box("box", Vec3(0.2, 0.1, 0.2), 1, Vec3(0.55, 0.049, 0))});
  const Perturbation start{8, 0.1, 3};
  const EnsembleMember member = run(scene, "lcp-lemke", {"mean_height"}, start, 3 * kDt);
  const EventCount count = member.count(SampleEvent::NoSolution);
  QVERIFY2(count.happened > 0 && count.happened < count.of, qPrintable(QString::number(count.happened)));
  for (int copy = 0; copy < start.copies; ++copy) {
    Simulation alone(startOf(*scene, start, copy), paneFor("lcp-lemke", *scene), kDt);
    double since = -1;
    for (int frame = 0; frame < 3; ++frame) {
      const RecordPtr record = alone.step();
      if (record->status == StepStatus::NoSolution && since < 0) since = record->time;
    }
    QCOMPARE(member.events[copy].since[static_cast<int>(SampleEvent::NoSolution)], since);
  }
}

void EnsembleTest::quantitiesAreParsed() {
  const auto scene = test::tower();
  const EnsembleQuantity height = ensembleQuantityOf("mean_height@max", *scene);
  QVERIFY(height.reduction == EnsembleQuantity::Reduction::Max);
  QCOMPARE(height.key, std::string("mean_height"));
  QCOMPARE(height.unit, std::string("m"));
  const EnsembleQuantity depth = ensembleQuantityOf("penetration_max@0.25", *scene);
  QVERIFY(depth.quantity == Quantity::PenetrationMax);
  QCOMPARE(depth.time, 0.25);
  QVERIFY(std::isnan(ensembleQuantityOf("overlap", *scene).time));
  int dynamic = -1;
  for (std::size_t body = 0; body < scene->bodies.size(); ++body)
    if (scene->bodies[body].motion == Motion::Dynamic) dynamic = static_cast<int>(body);
  const EnsembleQuantity named = ensembleQuantityOf("body_height:" + scene->bodies[dynamic].name, *scene);
  QVERIFY(named.bodies == std::vector<int>{dynamic});
}

void EnsembleTest::badQuantitiesSayWhatWouldBeRight_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("says");
  QTest::newRow("unknown") << "mean_hight"
                           << "did you mean 'mean_height'";
  QTest::newRow("of the method") << "residual"
                                 << "not measured in each copy";
  QTest::newRow("a clock") << "time_step"
                           << "not measured in each copy";
  QTest::newRow("a balance") << "energy_drift@max"
                             << "not measured in each copy";
  QTest::newRow("no time") << "mean_height@late"
                           << "@max, @mean, @median or a time";
  QTest::newRow("nothing after @") << "mean_height@"
                                   << "is no time";
  QTest::newRow("before the start") << "mean_height@-1"
                                    << "is no time";
  QTest::newRow("no body") << "body_height:nobody"
                           << "is no body";
}

void EnsembleTest::badQuantitiesSayWhatWouldBeRight() {
  QFETCH(QString, text);
  QFETCH(QString, says);
  try {
    ensembleQuantityOf(text.toStdString(), *test::tower());
    QFAIL("taken");
  } catch (const std::invalid_argument& error) {
    QVERIFY2(QString::fromUtf8(error.what()).contains(says), error.what());
  }
}

void EnsembleTest::marginsAreLengthsOrShares() {
  const auto quantities = quantitiesOf(*test::tower(), {"mean_height@max", "overlap"});
  const EnsembleMargin share = ensembleMarginOf("mean_height=2%", quantities);
  QVERIFY_NEAR(share.of(-0.382485), 0.0076497, 1e-12);
  QVERIFY(std::isnan(share.of(0)));
  QCOMPARE(ensembleMarginOf("overlap=1e-3", quantities).of(7), 1e-3);
  for (const char* bad : {"overlap", "jitter=1", "overlap=0", "overlap=-1%", "overlap=much", "overlap="})
    QVERIFY_EXCEPTION_THROWN(ensembleMarginOf(bad, quantities), std::invalid_argument);
}

void EnsembleTest::coursesBecomeOneNumber() {
  const auto scene = test::tower();
  const std::vector<double> times = {0, 0.1, 0.2, 0.3}, values = {4, 1, 2, 3};
  const auto number = [&](const char* text) {
    return reduced(ensembleQuantityOf(text, *scene), times, values);
  };
  QCOMPARE(number("mean_height"), 3.0);
  QCOMPARE(number("mean_height@0.11"), 1.0);
  QCOMPARE(number("mean_height@0.19"), 2.0);
  QVERIFY(std::isnan(number("mean_height@9")));
  QCOMPARE(number("mean_height@0.3000001"), 3.0);
  QCOMPARE(number("mean_height@max"), 4.0);
  QCOMPARE(number("mean_height@mean"), 2.5);
  QCOMPARE(number("mean_height@median"), 2.5);
  const double none = std::nan("");
  QVERIFY(std::isnan(reduced(ensembleQuantityOf("mean_height@max", *scene), times, {4, 1, 2, none})));
  QCOMPARE(reduced(ensembleQuantityOf("mean_height@0.1", *scene), times, {4, 1, 2, none}), 1.0);
}

void EnsembleTest::aCopyAsAFileIsTheCopy() {
  const QTemporaryDir folder;
  const Perturbation start{3, 1e-4, 5};
  for (const char* name : {"pour", "meshes", "pour-2d"}) {
    const auto scene = test::shipped(name);
    const CopyFiles files = copyFiles(*scene, start, 2);
    const auto write = [&](const std::string& path, const std::string& bytes) {
      const QString file = folder.filePath(QString::fromStdString(path));
      QDir().mkpath(QFileInfo(file).path());
      std::ofstream(file.toStdString(), std::ios::binary) << bytes;
    };
    write("copy.json", files.scene);
    for (const auto& [path, bytes] : files.meshes) write(path, bytes);
    const auto again = loadScene(folder.filePath("copy.json").toStdString());
    QCOMPARE(again->bodies.size(), scene->bodies.size());
    for (std::size_t body = 0; body < scene->bodies.size(); ++body) {
      const Vec3 offset = scene->bodies[body].motion == Motion::Static
                              ? Vec3::Zero()
                              : offsetOf(start, 2, static_cast<int>(body), scene->planar);
      QVERIFY_NEAR((again->bodies[body].position - scene->bodies[body].position - offset).norm(), 0, 1e-14);
      QCOMPARE(again->bodies[body].mass, scene->bodies[body].mass);
    }
  }
}

// Pucks that slide on a plane: a fifth more friction shows in their speed, and not in their height.
void EnsembleTest::moreFrictionIsDifferent() {
  const auto scene = loadScene(TS_SOURCE_DIR "/datasets/battery/scenes/isotropy.json");
  auto rougher = std::make_shared<Scene>(*scene);
  for (Material& material : rougher->materials) {
    material.staticFriction *= 1.2;
    material.dynamicFriction *= 1.2;
  }
  const std::vector<std::string> texts = {"energy_kinetic", "mean_height"};
  const Perturbation start{8, 1e-6, 1};
  Ensemble ensemble;
  ensemble.quantities = quantitiesOf(*scene, texts);
  ensemble.perturbation = start;
  ensemble.margins = {ensembleMarginOf("energy_kinetic=2%", ensemble.quantities),
                      ensembleMarginOf("mean_height=2%", ensemble.quantities)};
  ensemble.members = {run(scene, "lcp", texts, start, 0.1), run(rougher, "lcp", texts, start, 0.1)};
  const std::vector<EnsembleVerdict> verdicts = verdictsOf(ensemble);
  QCOMPARE(verdicts.size(), std::size_t(2));
  QVERIFY(verdicts[0].verdict.verdict == Decision::Different);
  QVERIFY(verdicts[0].ranks.shift > 0);
  QVERIFY(verdicts[0].pHolm.different >= verdicts[0].ranks.p);
  QVERIFY(verdicts[1].pHolm.equal >= verdicts[1].ranks.pEqual);
  QVERIFY(verdicts[1].verdict.verdict == Decision::Equal);
}

namespace {

/// The copies of a run as if an engine had written them.
std::vector<Trajectory> trajectoriesOf(const std::shared_ptr<const Scene>& scene, const char* method,
                                       const Perturbation& start, double time) {
  std::vector<Trajectory> copies(start.copies);
  for (std::size_t copy = 0; copy < copies.size(); ++copy) {
    copies[copy].scene = scene;
    copies[copy].name = "copy " + std::to_string(copy);
    copies[copy].step = kDt;
  }
  EnsembleProgress progress;
  progress.copy = [&copies](int copy, const StepRecord& record) {
    Trajectory& own = copies[copy];
    own.times.push_back(record.time);
    own.states.push_back(record.bodies);
  };
  runEnsemble(scene, paneFor(method, *scene), {}, start, kDt, time, progress);
  return copies;
}

}  // namespace

void EnsembleTest::copiesOfAnEngineAreMeasuredLikeOurs() {
  const std::shared_ptr<const Scene> scene = test::tower();
  const Perturbation start{3, 1e-3, 1};
  const std::vector<std::string> texts = {"mean_height", "penetration_max", "energy_kinetic"};
  std::vector<Trajectory> copies = trajectoriesOf(scene, "cpf", start, 0.3);
  const auto quantities = quantitiesOf(*scene, texts);
  const EnsembleMember ours = run(scene, "cpf", texts, start, 0.3),
                       theirs = ensembleOf(copies, quantities, start.size);
  QVERIFY(ours.times == theirs.times);
  QVERIFY(ours.values == theirs.values);
  for (std::size_t sample = 0; sample < ours.times.size(); ++sample)
    QCOMPARE(theirs.separation[sample], ours.separation[sample]);
  copies[1].times.resize(10);
  copies[1].states.resize(10);
  const EnsembleMember shorter = ensembleOf(copies, quantities, start.size);
  QCOMPARE(shorter.times.size(), ours.times.size());
  QCOMPARE(shorter.values[0][1][9], ours.values[0][1][9]);
  QVERIFY(std::isnan(shorter.values[0][1][10]));
  QVERIFY(!std::isnan(shorter.values[0][2].back()));
}

void EnsembleTest::trajectoriesThatDoNotFitAreRefused() {
  const std::shared_ptr<const Scene> scene = test::tower();
  std::vector<Trajectory> copies = trajectoriesOf(scene, "lcp", {2, 1e-9, 1}, 0.05);
  QVERIFY_EXCEPTION_THROWN(ensembleOf(copies, quantitiesOf(*scene, {"normal_force"}), 1e-9),
                           std::invalid_argument);
  QVERIFY_EXCEPTION_THROWN(ensembleOf({copies[0]}, quantitiesOf(*scene, {"mean_height"}), 1e-9),
                           std::invalid_argument);
  Ensemble ensemble;
  ensemble.quantities = quantitiesOf(*scene, {"mean_height"});
  ensemble.members = {ensembleOf(copies, ensemble.quantities, 1e-9),
                      run(scene, "lcp", {"mean_height"}, {2, 1e-9, 1}, 0.1)};
  ensemble.members[0].label = "engine";
  const QString problem = QString::fromStdString(problemOfEnds(ensemble));
  QVERIFY2(problem.contains("lcp ends at 0.1 s and engine at 0.05 s") && problem.contains("mean_height@0.05"),
           qPrintable(problem));
  ensemble.quantities = quantitiesOf(*scene, {"mean_height@0.05"});
  QVERIFY(problemOfEnds(ensemble).empty());
  copies[1].times[3] += 1e-4;
  QVERIFY_EXCEPTION_THROWN(ensembleOf(copies, quantitiesOf(*scene, {"mean_height"}), 1e-9),
                           std::invalid_argument);
}

void EnsembleTest::ensemblesOfNothingOrTooMuchAreRefused() {
  const auto scene = test::tower();
  QVERIFY_EXCEPTION_THROWN(perturbedCopies(*scene, {0, 1e-9, 1}), std::invalid_argument);
  QVERIFY_EXCEPTION_THROWN(perturbedCopies(*scene, {kMostCopies + 1, 1e-9, 1}), std::invalid_argument);
  QVERIFY_EXCEPTION_THROWN(perturbedCopies(*scene, {2, -1, 1}), std::invalid_argument);
  QVERIFY_EXCEPTION_THROWN(perturbedCopies(*scene, {2, std::nan(""), 1}), std::invalid_argument);
  QVERIFY_EXCEPTION_THROWN(perturbedCopies(*replicated(*scene, 2), {2, 1e-9, 1}), std::invalid_argument);
}

void EnsembleTest::tablesHaveALineForEachCopyTimeAndPair() {
  const auto scene = test::tower();
  const std::vector<std::string> texts = {"mean_height", "penetration_max@max"};
  Ensemble ensemble;
  ensemble.perturbation = {8, 1e-9, 1};
  ensemble.quantities = quantitiesOf(*scene, texts);
  ensemble.margins = {ensembleMarginOf("mean_height=2%", ensemble.quantities)};
  for (const char* method : {"cpf", "lcp"})
    ensemble.members.push_back(run(scene, method, texts, ensemble.perturbation, 10 * kDt));
  const auto lines = [](const std::string& text) { return std::count(text.begin(), text.end(), '\n'); };
  QCOMPARE(lines(ensembleCsv(ensemble)), 1 + 2 * 11);
  QCOMPARE(lines(copiesCsv(ensemble)), 1 + 2 * 8);
  QCOMPARE(lines(verdictsCsv(ensemble, verdictsOf(ensemble))), 1 + 2);
  for (const std::string& csv :
       {ensembleCsv(ensemble), copiesCsv(ensemble), verdictsCsv(ensemble, verdictsOf(ensemble))}) {
    const QStringList rows = QString::fromStdString(csv).trimmed().split('\n');
    for (const QString& row : rows) QCOMPARE(row.count(','), rows.front().count(','));
  }
  QVERIFY(QString::fromStdString(ensembleCsv(ensemble))
              .startsWith("time_s,method,mean_height_median_m,mean_height_p5_m,mean_height_p95_m,"
                          "penetration_max_median_m"));
  const QString summary =
      QString::fromStdString(ensembleSummary(ensemble, verdictsOf(ensemble), "tower", 0.05));
  QVERIFY2(summary.contains("not chaotic to 0.05 s"), qPrintable(summary));
  QVERIFY2(summary.contains("cpf against lcp: equal within"), qPrintable(summary));
  QCOMPARE(summary.count("    scatter "), 2);  // one line for each quantity and pair
}

QTEST_APPLESS_MAIN(EnsembleTest)
#include "tst_ensemble.moc"
