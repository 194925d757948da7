#include <QtTest>

#include "core/trajectory/contact_laws.h"
#include "core/trajectory/convex_area.h"
#include "core/trajectory/needed_impulse.h"
#include "core/trajectory/state_referee.h"
#include "tests/support/near.h"
#include "tests/support/scenes.h"

using namespace touchstone;

/// How well impulses and motions keep the laws of rigid contact, with numbers from hand.
class ContactLawsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void coulombIsZeroOnTheCone();
  void signoriniIsZeroWhereImpulseOrGapIsZero();
  void aContactTakesOrMakesEnergy();
  void effectiveMassesOfABoxOnItsGround();
  void aSlidingBlockKeepsAllLaws();
  void whatIsMissingIsTheResidual();
  void theGapIsThatOfFacesAndPlanes();
  void facesMeetWhereTheyCoverEachOther();
  void allFeetOfABodyCount();
  void slipIsAcrossTheNormal();
  void aFreeGroupNeedsNothing();
  void aBlockAtRestStandsOnItsFoot();
  void whatPushesBesideTheContactIsFound();
  void aVanishingImpulseHasNoFoot();
  void whatJointsPassOnIsNoContact();
  void aPairHasTheGeometricMeansOfBothMaterials();
  void bothBodiesOfAPairCount();
  void aGroupWithABodyThatEntersIsNotJudged();
  void hullsMayBePointsAndLines();
};

namespace {

constexpr double kH = 0.01;

/// A cube of 1 m and 2 kg on the ground, friction 0.3 on both.
std::shared_ptr<Scene> cubeOnGround() {
  return test::scene({test::ground(), test::box("cube", {1, 1, 1}, 2, {0, 0.5, 0})}, 0.3);
}

std::vector<BodyState> statesOf(const Scene& scene) {
  std::vector<BodyState> states;
  for (const Body& body : scene.bodies) {
    BodyState state;
    state.position = body.position;
    state.orientation = body.orientation;
    states.push_back(state);
  }
  return states;
}

/// Measures two states, so that the world is in the second.
struct Interval {
  StateReferee referee;
  std::vector<NearPair> pairsBefore, pairs;
  Interval(const std::shared_ptr<const Scene>& scene, const std::vector<BodyState>& before,
           const std::vector<BodyState>& after)
      : referee(scene) {
    StepRecord record;
    referee.measure(before, {}, 0, 0, record);
    pairsBefore = nearPairs(referee.world());
    StepRecord next;
    next.frame = 1;
    referee.measure(after, {}, kH, kH, next);
    pairs = nearPairs(referee.world());
  }
};

Contact groundContact(const Vec3& point, double normal, const Vec3& friction) {
  Contact contact;
  contact.bodyA = 0;
  contact.bodyB = 1;
  contact.pointA = contact.pointB = point;
  contact.normal = Vec3(0, 1, 0);
  contact.normalImpulse = normal;
  contact.frictionImpulse = friction;
  return contact;
}

}  // namespace

void ContactLawsTest::coulombIsZeroOnTheCone() {
  // h = 10 ms, w = 1/kg, μ = 0.3, j_n = 0.0981 N·s, v_t = 1 m/s: the cone ends at 0.02943.
  const Vec3 slip(1, 0, 0);
  QVERIFY_NEAR(coulombResidual(Vec3(-0.02943, 0, 0), slip, 0.0981, 0.3, 1), 0, 1e-15);
  QVERIFY_NEAR(coulombResidual(Vec3(-0.02, 0, 0), slip, 0.0981, 0.3, 1), 0.00943, 1e-15);
  QVERIFY_NEAR(coulombResidual(Vec3(0, 0, 0.01), Vec3::Zero(), 0.0981, 0.3, 1), 0, 1e-17);  // sticks
  QVERIFY_NEAR(coulombResidual(Vec3(0, 0, 0.03943), Vec3::Zero(), 0.0981, 0.3, 2), 0.02, 1e-15);
}

void ContactLawsTest::signoriniIsZeroWhereImpulseOrGapIsZero() {
  QVERIFY_NEAR(signoriniResidual(1e-6, 0.01, 1, 0.0981), 1e-4, 1e-18);
  QCOMPARE(signoriniResidual(0, 0.01, 1, 0.0981), 0.0);
  QCOMPARE(signoriniResidual(0.2, 0.01, 1, 0), 0.0);
  QVERIFY_NEAR(signoriniResidual(-1e-3, 0.01, 1, 0.0981), 0.1, 1e-16);
  QVERIFY_NEAR(signoriniResidual(1, 0.01, 2, -0.1), 0.2, 1e-16);  // it pulls
}

void ContactLawsTest::aContactTakesOrMakesEnergy() {
  // 2 kg thrown back at the speed with which it came, at 3 m/s, and at 5 m/s.
  QCOMPARE(energyOfContact(Vec3(0, 12, 0), Vec3(0, -3, 0), Vec3(0, 3, 0)), 0.0);
  QCOMPARE(energyOfContact(Vec3(0, 16, 0), Vec3(0, -3, 0), Vec3(0, 5, 0)), 16.0);
  QCOMPARE(energyOfContact(Vec3(0, 6, 0), Vec3(0, -3, 0), Vec3(0, 0, 0)), -9.0);
}

void ContactLawsTest::effectiveMassesOfABoxOnItsGround() {
  const auto scene = cubeOnGround();
  StateReferee referee(scene);
  StepRecord record;
  referee.measure(statesOf(*scene), {}, 0, 0, record);
  // A cube of 1 m: I = m/6. Below the middle: no arm along the normal, ½ m across.
  const EffectiveMass middle = effectiveMass(referee.world(), 0, 1, Vec3(0, 0, 0), Vec3(0, 1, 0));
  QVERIFY_NEAR(middle.normal, 0.5, 1e-15);
  QVERIFY_NEAR(middle.tangential, 0.5 * (1 + 6 * 0.25), 1e-14);
  // At a corner: |r × n|² = ½; across, the largest of 1 + 6 |r × t|² is that along the diagonal's normal.
  const EffectiveMass corner = effectiveMass(referee.world(), 0, 1, Vec3(0.5, 0, 0.5), Vec3(0, 1, 0));
  QVERIFY_NEAR(corner.normal, 0.5 * (1 + 6 * 0.5), 1e-14);
  QVERIFY_NEAR(corner.tangential, 0.5 * (1 + 6 * 0.75), 1e-14);
}

void ContactLawsTest::aSlidingBlockKeepsAllLaws() {
  const auto scene = cubeOnGround();
  const double jn = 2 * 9.81 * kH, jt = 0.3 * jn;
  std::vector<BodyState> before = statesOf(*scene), after = before;
  before[1].linearVelocity = Vec3(3, 0, 0);
  after[1].linearVelocity = Vec3(3 - jt / 2, 0, 0);
  after[1].position += kH * after[1].linearVelocity;
  const Interval interval(scene, before, after);
  // Without turning, the resultant acts below and before the middle: x = h_c μ.
  const LawResiduals laws = residualsOf(interval.referee.world(), before,
                                        {groundContact(Vec3(0.15, 0, 0), jn, Vec3(-jt, 0, 0))}, kH);
  QVERIFY_NEAR(laws.newton, 0, 1e-15);
  QVERIFY_NEAR(laws.euler, 0, 1e-15);
  QVERIFY_NEAR(laws.signorini, 0, 1e-13);
  QVERIFY_NEAR(laws.coulomb, 0, 1e-13);
  QVERIFY_NEAR(laws.energyMade, -jt * (3 - jt / 4), 1e-14);
}

void ContactLawsTest::whatIsMissingIsTheResidual() {
  const auto scene = cubeOnGround();
  const double jn = 2 * 9.81 * kH;
  const std::vector<BodyState> rest = statesOf(*scene);
  std::vector<BodyState> raised = rest;
  raised[1].position.y() += 1e-6;
  const Interval interval(scene, rest, raised);
  const World& world = interval.referee.world();
  QVERIFY_NEAR(residualsOf(world, rest, {}, kH).newton, jn, 1e-15);
  const LawResiduals beside =
      residualsOf(world, rest, {groundContact(Vec3(0.2, 0, 0), jn, Vec3::Zero())}, kH);
  QVERIFY_NEAR(beside.newton, 0, 1e-15);
  QVERIFY_NEAR(beside.euler, 0.2 * jn, 1e-15);
  QVERIFY_NEAR(beside.signorini, 1e-4, 1e-11);  // a gap of 1 µm with an impulse
}

void ContactLawsTest::theGapIsThatOfFacesAndPlanes() {
  const auto scene = test::scene({test::ground(), test::box("a", {1, 1, 1}, 1, {0, 0.5004, 0}),
                                  test::box("b", {1, 1, 1}, 1, {1.3, 0.7, 0})});
  StateReferee referee(scene);
  StepRecord record;
  referee.measure(statesOf(*scene), {}, 0, 0, record);
  Vec3 normal;
  QVERIFY_NEAR(gapBetween(referee.world(), 0, 1, &normal), 4e-4, 1e-15);
  QCOMPARE(normal, Vec3(0, 1, 0));
  QVERIFY_NEAR(gapBetween(referee.world(), 1, 2, &normal), 0.3, 1e-15);
  QCOMPARE(normal, Vec3(1, 0, 0));
  QVERIFY_NEAR(nearReach(*scene, 0, 1), 1e-3 * std::sqrt(3.0), 1e-15);
  const std::vector<NearPair> pairs = nearPairs(referee.world());
  QCOMPARE(pairs.size(), std::size_t(1));
  QCOMPARE(pairs[0].points.size(), std::size_t(4));
}

void ContactLawsTest::facesMeetWhereTheyCoverEachOther() {
  const auto scene =
      test::scene({test::box("a", {1, 1, 1}, 1, {0, 0, 0}), test::box("b", {1, 1, 1}, 1, {0.6, 1, 0.7})});
  StateReferee referee(scene);
  StepRecord record;
  referee.measure(statesOf(*scene), {}, 0, 0, record);
  const std::vector<NearPair> pairs = nearPairs(referee.world());
  QCOMPARE(pairs.size(), std::size_t(1));
  QCOMPARE(pairs[0].points.size(), std::size_t(4));
  QVERIFY_NEAR((pairs[0].middle() - Vec3(0.3, 0.5, 0.35)).norm(), 0, 2e-9);  // edges give way by 1e-9
}

void ContactLawsTest::allFeetOfABodyCount() {
  // A table whose two feet, pieces of one shape, stand on a slab.
  auto shape = std::make_shared<Shape>(*test::boxShape({0.2, 0.2, 0.2}));
  const auto moved = [](const Polytope& piece, double x) {
    Polytope copy;
    for (const Vec3& vertex : piece.vertices) copy.vertices.push_back(vertex + Vec3(x, 0, 0));
    for (const Polytope::Face& face : piece.faces) copy.faces.push_back({face.vertices, Vec3::Zero(), 0});
    if (!buildTopology(copy).empty()) qFatal("no polytope");
    return copy;
  };
  const Polytope foot = shape->pieces[0];
  shape->pieces = {moved(foot, -1), moved(foot, 1)};
  shape->surfaces = {triangulated(shape->pieces[0]), triangulated(shape->pieces[1])};
  shape->radius = 1.2;
  Body table = test::box("table", {0.2, 0.2, 0.2}, 5, {0, 0.6, 0});
  table.shape = shape;
  Body slab = test::box("slab", {9, 1, 9}, 1, {0, 0, 0});
  slab.motion = Motion::Static;
  const auto scene = test::scene({slab, table});
  StateReferee referee(scene);
  StepRecord record;
  referee.measure(statesOf(*scene), {}, 0, 0, record);
  const std::vector<NearPair> pairs = nearPairs(referee.world());
  QCOMPARE(pairs.size(), std::size_t(1));
  QCOMPARE(pairs[0].points.size(), std::size_t(8));
  QVERIFY(pairs[0].isFlat);
  QCOMPARE(distanceFromHull({0.9, 0, 0}, pairs[0].points, {0, 1, 0}), 0.0);
  QVERIFY_NEAR(distanceFromHull({1.4, 0, 0}, pairs[0].points, {0, 1, 0}), 0.3, 1e-8);
}

void ContactLawsTest::slipIsAcrossTheNormal() {
  const auto scene = cubeOnGround();
  StateReferee referee(scene);
  std::vector<BodyState> states = statesOf(*scene);
  states[1].linearVelocity = Vec3(0.3, -2, 0);
  states[1].angularVelocity = Vec3(0, 0, 0.2);  // adds 0.5 · 0.2 below the middle
  StepRecord record;
  referee.measure(states, {}, 0, 0, record);
  QVERIFY_NEAR(largestSlip(referee.world(), nearPairs(referee.world())), 0.4, 1e-14);
}

void ContactLawsTest::aFreeGroupNeedsNothing() {
  // Two cubes that touch in the air and push each other away.
  const auto scene =
      test::scene({test::box("a", {1, 1, 1}, 1, {0, 5, 0}), test::box("b", {1, 1, 1}, 3, {1, 5, 0})});
  std::vector<BodyState> before = statesOf(*scene), after = before;
  const Vec3 gravity = kH * scene->gravity;
  after[0].linearVelocity = gravity + Vec3(-3, 0, 0);
  after[1].linearVelocity = gravity + Vec3(1, 0, 0);
  const Interval interval(scene, before, after);
  const auto groups =
      neededImpulses(interval.referee.world(), before, interval.pairsBefore, interval.pairs, kH);
  QCOMPARE(groups.size(), std::size_t(1));
  QCOMPARE(groups[0].bodies, (std::vector<int>{0, 1}));
  const WorstNeeded worst = worstOf(groups);
  QVERIFY_NEAR(worst.free, 0, 1e-14);
  QVERIFY_NEAR(worst.freeCouple, 0, 1e-14);
  QVERIFY(std::isnan(worst.outsideCone) && std::isnan(worst.outsideHull));
  // Pushed by nothing: 4 kg gain 0.5 m/s.
  after[1].linearVelocity.z() = 0.5;
  const Interval pushed(scene, before, after);
  QVERIFY_NEAR(
      worstOf(neededImpulses(pushed.referee.world(), before, pushed.pairsBefore, pushed.pairs, kH)).free, 1.5,
      1e-14);
}

void ContactLawsTest::aBlockAtRestStandsOnItsFoot() {
  const auto scene = cubeOnGround();
  const std::vector<BodyState> rest = statesOf(*scene);
  const Interval interval(scene, rest, rest);
  const auto groups =
      neededImpulses(interval.referee.world(), rest, interval.pairsBefore, interval.pairs, kH);
  QCOMPARE(groups.size(), std::size_t(1));
  QCOMPARE(groups[0].statics, std::vector<int>{0});
  QVERIFY_NEAR((groups[0].impulse - Vec3(0, 2 * 9.81 * kH, 0)).norm(), 0, 1e-15);
  QVERIFY_NEAR(groups[0].outsideCone, 0, 1e-15);
  QVERIFY_NEAR(groups[0].outsideHull, 0, 1e-15);
  QVERIFY(std::isnan(worstOf(groups).free));
}

void ContactLawsTest::whatPushesBesideTheContactIsFound() {
  const auto scene = cubeOnGround();
  const double jn = 2 * 9.81 * kH;
  std::vector<BodyState> before = statesOf(*scene), after = before;
  after[1].linearVelocity = Vec3(0.5 * jn / 2, 0, 0);            // friction of 0.5 j_n where 0.3 is allowed
  after[1].angularVelocity = Vec3(0, 0, 0.35 * jn / (2.0 / 6));  // about z: 0.5 (friction) + foot · j_n
  const Interval interval(scene, before, after);
  const auto groups =
      neededImpulses(interval.referee.world(), before, interval.pairsBefore, interval.pairs, kH);
  QCOMPARE(groups.size(), std::size_t(1));
  QVERIFY_NEAR(groups[0].outsideCone, 0.2 * jn, 1e-14);
  // K_z = x j_n − y j_x with y = −0.5 below the middle: 0.35 = x + 0.25, so x = 0.1, within the face.
  QVERIFY_NEAR(groups[0].outsideHull, 0, 1e-12);
  after[1].angularVelocity = Vec3(0, 0, 0.95 * jn / (2.0 / 6));  // x = 0.7, 0.2 beyond the edge
  const Interval beside(scene, before, after);
  QVERIFY_NEAR(
      neededImpulses(beside.referee.world(), before, beside.pairsBefore, beside.pairs, kH)[0].outsideHull,
      0.2, 1e-12);
}

void ContactLawsTest::aVanishingImpulseHasNoFoot() {
  // In free fall beside the ground nothing presses but rounding; its foot would lie anywhere.
  const auto scene = cubeOnGround();
  const double weight = 2 * 9.81 * kH;
  for (const auto& [share, isKnown] : {std::pair(1e-9, false), std::pair(1e-3, true)}) {
    std::vector<BodyState> before = statesOf(*scene), after = before;
    after[1].linearVelocity = kH * scene->gravity + Vec3(0, share * weight / 2, 0);
    after[1].angularVelocity = Vec3(0, 0, 1e-3);
    const Interval falling(scene, before, after);
    const auto groups =
        neededImpulses(falling.referee.world(), before, falling.pairsBefore, falling.pairs, kH);
    QCOMPARE(groups.size(), std::size_t(1));
    QCOMPARE(std::isnan(groups[0].outsideHull), !isKnown);
    QCOMPARE(std::isnan(worstOf(groups).outsideHull), !isKnown);
  }
}

void ContactLawsTest::whatJointsPassOnIsNoContact() {
  // A bob that a pin holds stays where it is: the pin carries its weight.
  const auto scene =
      test::scene({test::box("pin", {1, 1, 1}, 1, {0, 8, 0}), test::box("bob", {1, 1, 1}, 2, {0, 5, 0}),
                   test::box("link", {1, 1, 1}, 3, {0, 2, 0})});
  scene->bodies[0].motion = Motion::Static;
  Joint pin;
  pin.bodyA = 0;
  pin.bodyB = 1;
  scene->joints = {pin};
  const auto worst = [&] {
    std::vector<BodyState> states = statesOf(*scene), after = states;
    after[2].linearVelocity = kH * scene->gravity;
    const Interval interval(scene, states, after);
    return worstOf(
        neededImpulses(interval.referee.world(), states, interval.pairsBefore, interval.pairs, kH));
  };
  QVERIFY_NEAR(worst().free, 0, 1e-15);  // the link falls freely; the bob is held
  // Without the pin the weight of the bob is made up: 2 kg.
  scene->joints.clear();
  QVERIFY_NEAR(worst().free, 2 * 9.81 * kH, 1e-14);
  // Bob and link on a rod are one free group: what one gives the other takes.
  Joint rod;
  rod.bodyA = 1;
  rod.bodyB = 2;
  scene->joints = {rod};
  std::vector<BodyState> states = statesOf(*scene), after = states;
  after[1].linearVelocity = kH * scene->gravity + Vec3(0, 0.3, 0);
  after[2].linearVelocity = kH * scene->gravity - Vec3(0, 0.2, 0);
  const Interval interval(scene, states, after);
  const auto groups =
      neededImpulses(interval.referee.world(), states, interval.pairsBefore, interval.pairs, kH);
  QCOMPARE(groups.size(), std::size_t(1));
  QCOMPARE(groups[0].bodies, (std::vector<int>{1, 2}));
  QVERIFY_NEAR(worstOf(groups).free, 0, 1e-14);
}

void ContactLawsTest::aPairHasTheGeometricMeansOfBothMaterials() {
  // Static √(0.8 · 0.2) = 0.4, dynamic √(0.45 · 0.2) = 0.3.
  const auto scene = cubeOnGround();
  scene->materials = {{"ground", 1000, 0.8, 0.45, 0}, {"cube", 1000, 0.2, 0.2, 0}};
  scene->bodies[0].material = 0;
  scene->bodies[1].material = 1;
  const double jn = 2 * 9.81 * kH, jt = 0.3 * jn;
  std::vector<BodyState> before = statesOf(*scene), after = before;
  before[1].linearVelocity = Vec3(3, 0, 0);
  after[1].linearVelocity = Vec3(3 - jt / 2, 0, 0);
  const Interval sliding(scene, before, after);
  const auto coulomb = [&](double share) {
    return residualsOf(sliding.referee.world(), before,
                       {groundContact(Vec3(0.15, 0, 0), jn, Vec3(-share * jn, 0, 0))}, kH)
        .coulomb;
  };
  QVERIFY_NEAR(coulomb(0.3), 0, 1e-13);
  QVERIFY(coulomb(0.4) > 0.1 * jn);  // 0.1 j_n beyond the cone, times an inverse mass above 1 / kg
  before[1].linearVelocity = Vec3::Zero();
  after[1].linearVelocity = Vec3(0.5 * jn / 2, 0, 0);  // pushed by 0.5 j_n where 0.4 is allowed
  const Interval pushed(scene, before, after);
  const auto groups = neededImpulses(pushed.referee.world(), before, pushed.pairsBefore, pushed.pairs, kH);
  QCOMPARE(groups.size(), std::size_t(1));
  QVERIFY_NEAR(groups[0].outsideCone, 0.1 * jn, 1e-14);
}

void ContactLawsTest::bothBodiesOfAPairCount() {
  // 1 kg and 3 kg push each other apart in the air with 3 N·s.
  const auto scene =
      test::scene({test::box("a", {1, 1, 1}, 1, {0, 5, 0}), test::box("b", {1, 1, 1}, 3, {1, 5, 0})});
  std::vector<BodyState> before = statesOf(*scene), after = before;
  const Vec3 gravity = kH * scene->gravity;
  after[0].linearVelocity = gravity + Vec3(-3, 0, 0);
  after[1].linearVelocity = gravity + Vec3(1, 0, 0);
  const Interval interval(scene, before, after);
  const World& world = interval.referee.world();
  const Vec3 point(0.5, 5, 0);
  const EffectiveMass mass = effectiveMass(world, 0, 1, point, Vec3(1, 0, 0));
  QVERIFY_NEAR(mass.normal, 1 + 1.0 / 3, 1e-14);
  QVERIFY_NEAR(mass.tangential, (1 + 1.0 / 3) * (1 + 6 * 0.25), 1e-14);
  Contact contact = groundContact(point, 3, Vec3::Zero());
  contact.normal = Vec3(1, 0, 0);
  const LawResiduals laws = residualsOf(world, before, {contact}, kH);
  QVERIFY_NEAR(laws.newton, 0, 1e-14);
  QVERIFY_NEAR(laws.euler, 0, 1e-14);
  QVERIFY_NEAR(laws.energyMade, 0.5 * 3 * 4, 1e-13);  // they part at 4 m/s
  // 0.2 m beside the middle: 0.6 N·m·s about y, with I = m / 6.
  after[0].angularVelocity = Vec3(0, -3.6, 0);
  after[1].angularVelocity = Vec3(0, 1.2, 0);
  const Interval turned(scene, before, after);
  contact.pointA = contact.pointB = point + Vec3(0, 0, 0.2);
  QVERIFY_NEAR(residualsOf(turned.referee.world(), before, {contact}, kH).euler, 0, 1e-14);
}

void ContactLawsTest::aGroupWithABodyThatEntersIsNotJudged() {
  const auto scene = cubeOnGround();
  const std::vector<BodyState> rest = statesOf(*scene);
  const Interval interval(scene, rest, rest);
  std::vector<BodyState> before = rest;
  before[1].active = false;
  QVERIFY(neededImpulses(interval.referee.world(), before, interval.pairsBefore, interval.pairs, kH).empty());
}

void ContactLawsTest::hullsMayBePointsAndLines() {
  const Vec3 up(0, 1, 0);
  QVERIFY_NEAR(distanceFromHull({3, 7, 4}, {Vec3(0, 0, 0)}, up), 5, 1e-14);
  QVERIFY_NEAR(distanceFromHull({3, 7, 4}, {Vec3(0, 0, 0), Vec3(9, 0, 0), Vec3(4, 0, 0)}, up), 4, 1e-14);
  QVERIFY(std::isnan(distanceFromHull({3, 7, 4}, {}, up)));
  // Two edges that cross, a point on a face, and sets that do not meet.
  const auto crossed = commonArea({Vec3(-1, 0, 0), Vec3(1, 0, 0)}, {Vec3(0.5, 0, -1), Vec3(0.5, 0, 1)}, up);
  QCOMPARE(crossed.size(), std::size_t(1));
  QVERIFY_NEAR((crossed[0] - Vec3(0.5, 0, 0)).norm(), 0, 1e-14);
  const std::vector<Vec3> face = {{0, 2, 0}, {1, 2, 0}, {1, 2, 1}, {0, 2, 1}};
  const auto point = commonArea({Vec3(0.25, 1, 0.5)}, face, up);
  QCOMPARE(point.size(), std::size_t(1));
  QVERIFY_NEAR((point[0] - Vec3(0.25, 1, 0.5)).norm(), 0, 1e-14);
  const auto line = commonArea(face, {Vec3(0.5, 2, -3), Vec3(0.5, 2, 0.5)}, up);
  QCOMPARE(line.size(), std::size_t(2));
  QCOMPARE(commonArea({Vec3(5, 0, 5)}, face, up).size(), std::size_t(1));
}

QTEST_APPLESS_MAIN(ContactLawsTest)
#include "tst_contact_laws.moc"
