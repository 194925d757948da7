#include <QtTest>
#include <random>

#include "core/trajectory/passages.h"
#include "tests/support/near.h"
#include "tests/support/scenes.h"

using namespace touchstone;

/// Bodies that go through others between two samples, which both samples hide.
class PassagesTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void aJumpThroughAWallIsFound_data();
  void aJumpThroughAWallIsFound();
  void noJumpInAnyDirectionIsMissed();
  void whatStaysOnItsSideHasNotPassed_data();
  void whatStaysOnItsSideHasNotPassed();
  void twoBodiesThatChangePlacesHavePassed();
  void bodiesThatMayNotCollideArePassedOver();
};

namespace {

/// A cube of 0.1 m and a wall of this thickness that stands across x.
std::shared_ptr<Scene> cubeAndWall(double thickness) {
  Body wall = test::box("wall", {thickness, 4, 4}, 1, {0, 0, 0});
  wall.motion = Motion::Static;
  return test::scene({wall, test::box("cube", {0.1, 0.1, 0.1}, 1, {-1, 0, 0})});
}

BodyState at(const Vec3& position, const Quaternion& orientation = Quaternion::Identity()) {
  BodyState state;
  state.position = position;
  state.orientation = orientation;
  state.active = true;
  return state;
}

Quaternion turned(double angle, const Vec3& axis) {
  return Quaternion(Eigen::AngleAxisd(angle, axis.normalized()));
}

}  // namespace

void PassagesTest::aJumpThroughAWallIsFound_data() {
  QTest::addColumn<double>("thickness");
  QTest::addColumn<double>("from");
  QTest::addColumn<double>("to");
  QTest::newRow("thick") << 0.1 << -0.4 << 0.5;
  QTest::newRow("10 mm") << 0.01 << -0.4 << 0.5;
  QTest::newRow("1 mm") << 0.001 << -0.4 << 0.5;
  QTest::newRow("1 mm, 100 m in one interval") << 0.001 << -60.0 << 40.0;
  QTest::newRow("it just comes clear") << 0.01 << -0.056 << 0.056;
  QTest::newRow("from touching") << 0.01 << -0.055 << 0.3;
}

void PassagesTest::aJumpThroughAWallIsFound() {
  QFETCH(double, thickness);
  QFETCH(double, from);
  QFETCH(double, to);
  PassageFinder finder(cubeAndWall(thickness));
  const BodyState wall = at({0, 0, 0});
  const auto passages =
      finder.find({wall, at({from, 0, 0})}, {wall, at({to, 0.02, 0}, turned(0.4, {1, 2, 3}))});
  QCOMPARE(int(passages.size()), 1);
  QCOMPARE(passages[0].bodyA, 0);
  QCOMPARE(passages[0].bodyB, 1);
  QVERIFY(passages[0].depth > 0);
}

void PassagesTest::noJumpInAnyDirectionIsMissed() {
  PassageFinder finder(cubeAndWall(0.001));
  std::mt19937 random(1);
  std::uniform_real_distribution<double> share(-1, 1);
  const auto vector = [&] { return Vec3(share(random), share(random), share(random)); };
  for (int trial = 0; trial < 400; ++trial) {
    // The whole motion of the cube is seen from a wall that moves and turns too.
    const Quaternion turn = turned(3 * share(random), vector());
    const BodyState wallBefore = at(vector()),
                    wallAfter = at(vector(), turned(0.3 * share(random), vector()));
    const double before = 0.1 + std::abs(share(random)), after = 0.1 + 3 * std::abs(share(random));
    const auto beside = [&](const BodyState& wall, double x) {
      return at(wall.position + wall.orientation * Vec3(x, share(random), share(random)), turn);
    };
    const auto passage =
        finder.find(0, 1, {wallBefore, beside(wallBefore, -before)}, {wallAfter, beside(wallAfter, after)});
    QVERIFY2(passage, std::to_string(trial).c_str());
  }
}

void PassagesTest::whatStaysOnItsSideHasNotPassed_data() {
  QTest::addColumn<double>("thickness");
  QTest::addColumn<double>("fromX");
  QTest::addColumn<double>("fromY");
  QTest::addColumn<double>("toX");
  QTest::addColumn<double>("toY");
  QTest::addColumn<double>("turn");
  QTest::newRow("it bounces within the interval") << 0.01 << -0.4 << 0.0 << -0.2 << 0.0 << 0.5;
  QTest::newRow("it slides along the wall") << 0.001 << -0.0505 << -1.5 << -0.0505 << 1.5 << 0.0;
  QTest::newRow("it slides a little inside") << 0.001 << -0.0503 << -1.5 << -0.0503 << 1.5 << 0.0;
  QTest::newRow("it tips about an edge by 20°") << 0.001 << -0.0505 << 0.0 << -0.0644 << 0.0 << 0.35;
  QTest::newRow("it flies past the end of the wall") << 0.01 << -0.5 << 2.5 << 0.5 << 2.5 << 1.0;
  QTest::newRow("it ends inside, which the sample shows") << 0.1 << -0.4 << 0.0 << -0.05 << 0.0 << 0.0;
  QTest::newRow("it rests") << 0.01 << -0.055 << 0.0 << -0.055 << 0.0 << 0.0;
}

void PassagesTest::whatStaysOnItsSideHasNotPassed() {
  QFETCH(double, thickness);
  QFETCH(double, fromX);
  QFETCH(double, fromY);
  QFETCH(double, toX);
  QFETCH(double, toY);
  QFETCH(double, turn);
  PassageFinder finder(cubeAndWall(thickness));
  const BodyState wall = at({0, 0, 0});
  const auto passages =
      finder.find({wall, at({fromX, fromY, 0})}, {wall, at({toX, toY, 0}, turned(turn, {0, 0, 1}))});
  QVERIFY(passages.empty());
}

void PassagesTest::twoBodiesThatChangePlacesHavePassed() {
  PassageFinder finder(test::scene({test::box("a", {0.1, 0.1, 0.1}, 1, {0, 0, 0}),
                                    test::box("b", {0.1, 0.1, 0.1}, 1, {1, 0, 0}),
                                    test::box("c", {0.1, 0.1, 0.1}, 1, {2, 0, 0})}));
  const auto passages = finder.find({at({0, 0, 0}), at({1, 0, 0}), at({2, 0, 0})},
                                    {at({1, 0, 0}), at({0, 0.02, 0}), at({2.1, 0, 0})});
  QCOMPARE(int(passages.size()), 1);
  QCOMPARE(passages[0].bodyA, 0);
  QCOMPARE(passages[0].bodyB, 1);
}

void PassagesTest::bodiesThatMayNotCollideArePassedOver() {
  PassageFinder finder(cubeAndWall(0.01));
  const BodyState wall = at({0, 0, 0});
  BodyState absent = at({-0.5, 0, 0});
  absent.active = false;
  QVERIFY(finder.find({wall, absent}, {wall, at({0.5, 0, 0})}).empty());
  Body first = test::box("first", {0.01, 4, 4}, 1, {0, 0, 0}), second = first;
  first.motion = second.motion = Motion::Static;
  second.name = "second";
  PassageFinder fixed(test::scene({first, second}));
  QVERIFY(fixed.find({wall, at({-1, 0, 0})}, {wall, at({1, 0, 0})}).empty());
}

QTEST_APPLESS_MAIN(PassagesTest)
#include "tst_passages.moc"
