#include <QtTest>
#include <cmath>

#include "core/referee/missed_contacts.h"
#include "core/run/simulation.h"
#include "tests/support/scenes.h"

using namespace touchstone;

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

QTEST_APPLESS_MAIN(MissedContactsTest)
#include "tst_missed_contacts.moc"
