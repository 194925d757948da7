#include <QtTest>
#include <cmath>

#include "core/referee/missed_contacts.h"
#include "core/referee/passages.h"
#include "core/run/pane_name.h"
#include "core/run/simulation.h"
#include "core/world/world.h"
#include "tests/support/scenes.h"

using namespace touchstone;

Q_DECLARE_METATYPE(Vec3)

/// Pairs that overlap without a contact are told, and no others.
class MissedContactsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void aDeepPairWithoutAContactGivesTheStatusAndItsNames();
  void whatIsNoMissedContactLeavesTheStatus_data();
  void whatIsNoMissedContactLeavesTheStatus();
  void aWorseStatusStays();
  void aMethodWithoutRowsForEdgesSaysSo();
  void bodiesThatMayNotTouchAreLeftAlone();
  void aBodyThatGoesThroughAnotherOneIsNamed_data();
  void aBodyThatGoesThroughAnotherOneIsNamed();
  void aRingAroundABarHasNotGoneThroughIt();
  void noMethodLetsABulletPassInSilence_data();
  void noMethodLetsABulletPassInSilence();

 private:
  static constexpr double kMargin = 1e-3;
  static StepRecord overlapping(double depth) {
    StepRecord record;
    record.overlaps.resize(1);
    record.overlaps[0].bodyA = 0;
    record.overlaps[0].bodyB = 1;
    record.overlaps[0].depth = depth;
    return record;
  }
  static std::shared_ptr<Scene> twoBoxes() {
    Body lower = test::box("lower", Vec3(1, 1, 1), 1, Vec3::Zero());
    lower.motion = Motion::Static;
    return test::scene({lower, test::box("upper", Vec3(1, 1, 1), 1, Vec3(0, 0.9, 0))});
  }
  /// Two bars whose edges are 7 mm in each other, so that no corner of either is inside the other.
  static std::shared_ptr<Scene> crossedBars() {
    Body lower = test::box("lower", Vec3(0.6, 0.05, 0.05), 1, Vec3::Zero());
    lower.motion = Motion::Static;
    lower.orientation = Quaternion(Eigen::AngleAxisd(M_PI / 4, Vec3::UnitX()));
    Body upper = test::box("upper", Vec3(0.05, 0.05, 0.6), 1, Vec3(0, 0.05 * std::sqrt(2.0) - 7e-3, 0));
    upper.orientation = Quaternion(Eigen::AngleAxisd(M_PI / 4, Vec3::UnitZ()));
    auto scene = test::scene({lower, upper});
    scene->gravity = Vec3::Zero();
    return scene;
  }
  static PaneSettings withoutEdges() {
    PaneSettings settings;
    settings.method = "dpf";
    settings.parameters["contacts"] = std::string("features");
    settings.parameters["edge_edge"] = 0.0;
    return settings;
  }
};

void MissedContactsTest::aDeepPairWithoutAContactGivesTheStatusAndItsNames() {
  StepRecord record = overlapping(2e-3);
  judgeContacts(*twoBoxes(), kMargin, overlapping(2e-3), record);
  QVERIFY(record.status == StepStatus::NotConverged);
  QCOMPARE(
      QString::fromStdString(record.statusText),
      QStringLiteral("'lower' and 'upper' overlap by 0.002 m, and the method has no contact between them"));
  QCOMPARE(record.warnings.size(), std::size_t(1));
}

void MissedContactsTest::whatIsNoMissedContactLeavesTheStatus_data() {
  QTest::addColumn<double>("before");
  QTest::addColumn<double>("now");
  QTest::addColumn<bool>("hasContact");
  QTest::newRow("within the margin") << 2e-3 << 1e-3 << false;
  QTest::newRow("came in within the frame") << 0.5e-3 << 2e-3 << false;
  QTest::newRow("comes apart") << 3e-3 << 2e-3 << false;
  QTest::newRow("has a contact") << 2e-3 << 2e-3 << true;
}

void MissedContactsTest::whatIsNoMissedContactLeavesTheStatus() {
  QFETCH(double, before);
  QFETCH(double, now);
  QFETCH(bool, hasContact);
  StepRecord record = overlapping(now);
  if (hasContact) {
    record.contacts.resize(1);
    record.contacts[0].bodyA = 0;
    record.contacts[0].bodyB = 1;
  }
  judgeContacts(*twoBoxes(), kMargin, overlapping(before), record);
  QVERIFY(record.status == StepStatus::Ok);
  QVERIFY(record.warnings.empty());
}

void MissedContactsTest::aWorseStatusStays() {
  StepRecord record = overlapping(2e-3);
  record.status = StepStatus::NoSolution;
  record.statusText = "why";
  judgeContacts(*twoBoxes(), kMargin, overlapping(2e-3), record);
  QVERIFY(record.status == StepStatus::NoSolution);
  QCOMPARE(record.statusText, std::string("why"));
  QCOMPARE(record.warnings.size(), std::size_t(1));  // it is told all the same
}

void MissedContactsTest::aMethodWithoutRowsForEdgesSaysSo() {
  const auto scene = crossedBars();
  Simulation simulation(scene, withoutEdges(), scene->dt);
  const RecordPtr record = simulation.step();
  QVERIFY2(record->status == StepStatus::NotConverged, toString(record->status));
  QVERIFY(record->statusText.find("'lower' and 'upper'") == 0);
}

void MissedContactsTest::bodiesThatMayNotTouchAreLeftAlone() {
  const auto scene = crossedBars();
  scene->noContact.push_back({0, 1});
  Simulation simulation(scene, withoutEdges(), scene->dt);
  QVERIFY(simulation.step()->status == StepStatus::Ok);
}

/// A plate of 1 cm whose upper face is y = 0, and a cube of 2 cm.
static std::shared_ptr<Scene> plateAndBullet(const Vec3& from) {
  Body plate = test::box("plate", Vec3(1, 0.01, 1), 1, Vec3(0, -0.005, 0));
  plate.motion = Motion::Static;
  plate.mass = 0;
  plate.inertia = Mat3::Zero();
  return test::scene({plate, test::box("bullet", Vec3(0.02, 0.02, 0.02), 0.01, from)});
}

static StepRecord recordOf(const Scene& scene) {
  StepRecord record;
  for (const Body& body : scene.bodies) {
    record.bodies.emplace_back();
    record.bodies.back().position = body.position;
    record.bodies.back().orientation = body.orientation;
  }
  return record;
}

void MissedContactsTest::aBodyThatGoesThroughAnotherOneIsNamed_data() {
  QTest::addColumn<Vec3>("to");
  QTest::addColumn<bool>("mayTouch");
  QTest::addColumn<bool>("passes");
  QTest::newRow("to the other side") << Vec3(0, -0.1, 0) << true << true;
  QTest::newRow("askew") << Vec3(0.3, -0.3, 0.2) << true << true;
  QTest::newRow("back to the same side") << Vec3(0.3, 0.1, 0) << true << false;
  QTest::newRow("into it") << Vec3(0, -0.004, 0) << true << false;
  QTest::newRow("past its rim") << Vec3(3, -0.1, 0) << true << false;
  QTest::newRow("they do not collide") << Vec3(0, -0.1, 0) << false << false;
}

void MissedContactsTest::aBodyThatGoesThroughAnotherOneIsNamed() {
  QFETCH(Vec3, to);
  QFETCH(bool, mayTouch);
  QFETCH(bool, passes);
  const auto scene = plateAndBullet(Vec3(0, 0.1, 0));
  const StepRecord before = recordOf(*scene);
  StepRecord record = before;
  record.bodies[1].position = to;
  judgePassages(*scene, before, record, [mayTouch](int, int) { return mayTouch; });
  QVERIFY(record.status == (passes ? StepStatus::NotConverged : StepStatus::Ok));
  QCOMPARE(record.statusText, std::string(passes ? "'bullet' has gone through 'plate' within this frame; "
                                                   "take a shorter step"
                                                 : ""));
  QCOMPARE(record.warnings.empty(), !passes);
}

/// Its centre of mass is in none of its pieces.
void MissedContactsTest::aRingAroundABarHasNotGoneThroughIt() {
  const auto scene = plateAndBullet(Vec3(0, 0.1, 0));
  auto ring = std::make_shared<Shape>(*scene->bodies[1].shape);
  for (Polytope& piece : ring->pieces) {
    for (Vec3& vertex : piece.vertices) vertex.x() += 0.5;
    QVERIFY(buildTopology(piece).empty());
  }
  scene->bodies[1].shape = ring;
  const StepRecord before = recordOf(*scene);
  StepRecord record = before;
  record.bodies[1].position = Vec3(0, -0.1, 0);
  judgePassages(*scene, before, record, [](int, int) { return true; });
  QVERIFY(record.status == StepStatus::Ok);
}

void MissedContactsTest::noMethodLetsABulletPassInSilence_data() {
  QTest::addColumn<QString>("method");
  for (const char* method : {"dpf", "dpf-ccd", "cpf", "lcp", "peg", "nsn"}) QTest::newRow(method) << method;
}

/// Cubes of 2 cm at 20 to 160 m/s on a plate of 1 cm, in steps of 10 ms.
void MissedContactsTest::noMethodLetsABulletPassInSilence() {
  QFETCH(QString, method);
  for (int number = 0; number < 16; ++number) {
    const auto scene = plateAndBullet(Vec3(0, 0.05 + 0.1 * (number % 4), 0));
    scene->gravity = Vec3::Zero();
    scene->dt = 0.01;
    Body& bullet = scene->bodies[1];
    bullet.linearVelocity = Vec3(3, -20.0 * (1 + number / 2), 1);
    bullet.orientation = Quaternion(Eigen::AngleAxisd(0.4 * number, Vec3(2, 1, 3).normalized()));
    Simulation simulation(scene, paneNamed(method.toStdString()), scene->dt);
    bool isReported = false;
    for (int frame = 0; frame < 6; ++frame) isReported |= simulation.step()->status != StepStatus::Ok;
    const bool isThrough = simulation.world().position[1].y() < 0;
    QVERIFY2(!isThrough || isReported, qPrintable(QString::number(number)));
  }
}

QTEST_APPLESS_MAIN(MissedContactsTest)
#include "tst_missed_contacts.moc"
