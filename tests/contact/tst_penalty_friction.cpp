#include <QtTest>
#include <cmath>

#include "core/contact/penalty/penalty_friction.h"
#include "tests/support/near.h"

using namespace touchstone;

Q_DECLARE_METATYPE(FrictionLaw)

/// 10 N normal force along y, 1 kg, h = 1 ms, μ_s = 0.5, μ_d = 0.4.
static FrictionInput contactOf(const Vec3& offset, const Vec3& slip) {
  FrictionInput input;
  input.normal = Vec3(0, 1, 0);
  input.normalForce = 10;
  input.staticFriction = 0.5;
  input.dynamicFriction = 0.4;
  input.anchorOffset = offset;
  input.slipVelocity = slip;
  input.inverseMass = 1;
  input.dt = 1e-3;
  return input;
}

static FrictionSettings settingsOf(double stiffness, double damping, double weighting) {
  FrictionSettings settings;
  settings.springStiffness = stiffness;
  settings.springDamping = damping;
  settings.weighting = weighting;
  settings.law = FrictionLaw::Paper;
  return settings;
}

class PenaltyFrictionTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void springAndDamperHoldInsideTheCone();
  void holdsUpToStaticFrictionAndSlidesByDynamicFriction_data();
  void holdsUpToStaticFrictionAndSlidesByDynamicFriction();
  void theDampingThatIsNotGivenIsTheSmallerOfItsTwoBounds_data();
  void theDampingThatIsNotGivenIsTheSmallerOfItsTwoBounds();
  void slidesWithTheWeightedDynamicForce();
  void neverReversesTheSlip();
  void ignoresWhatIsNormal();
  void weightingIsSmoothThroughZero();
  void returnMapKeepsTheForceOfTheSpring();
  void returnMapHoldsNoMoreThanStaticFriction();
  void withoutNormalForceThereIsNone();
};

void PenaltyFrictionTest::springAndDamperHoldInsideTheCone() {
  const FrictionResult result =
      yamaneFriction(contactOf(Vec3(2e-4, 0, 0), Vec3(0, 0, 0.01)), settingsOf(1e4, 100, 1e3));
  QVERIFY(result.mode == ContactMode::Sticking && !result.resetAnchors);
  QVERIFY_NEAR((result.impulse - 1e-3 * Vec3(2, 0, -1)).norm(), 0, 1e-15);  // 1e4 · 2e-4, −100 · 0.01 N
}

void PenaltyFrictionTest::holdsUpToStaticFrictionAndSlidesByDynamicFriction_data() {
  QTest::addColumn<FrictionLaw>("law");
  QTest::addColumn<double>("trial");
  QTest::addColumn<bool>("holds");
  const std::pair<const char*, FrictionLaw> laws[] = {{"return map", FrictionLaw::ReturnMap},
                                                      {"paper", FrictionLaw::Paper}};
  for (const auto& [name, law] : laws) {  // μ_d f_n = 4 N, μ_s f_n = 5 N
    QTest::addRow("%s: below both limits", name) << law << 3.9 << true;
    QTest::addRow("%s: just above the dynamic limit", name) << law << 4.1 << true;
    QTest::addRow("%s: just below the static limit", name) << law << 4.9 << true;
    QTest::addRow("%s: just above the static limit", name) << law << 5.1 << false;
  }
}

/// A spring of 1e4 N/m, drawn to a trial force without a slip.
void PenaltyFrictionTest::holdsUpToStaticFrictionAndSlidesByDynamicFriction() {
  QFETCH(FrictionLaw, law);
  QFETCH(double, trial);
  QFETCH(bool, holds);
  FrictionSettings settings = settingsOf(1e4, 50, 1e3);
  settings.law = law;
  const FrictionResult result = yamaneFriction(contactOf(Vec3(0, 0, trial / 1e4), Vec3(0, 0, 0)), settings);
  QCOMPARE(result.mode, holds ? ContactMode::Sticking : ContactMode::Sliding);
  QCOMPARE(result.resetAnchors, !holds);
  // The law of the paper has no force where nothing slips.
  const double force = holds ? trial : law == FrictionLaw::ReturnMap ? 4 : 0;
  QVERIFY_NEAR((result.impulse - Vec3(0, 0, 1e-3 * force)).norm(), 0, 1e-15);
}

void PenaltyFrictionTest::theDampingThatIsNotGivenIsTheSmallerOfItsTwoBounds_data() {
  QTest::addColumn<double>("stiffness");
  QTest::addColumn<double>("damping");
  QTest::newRow("soft: 2 √(k m)") << 1e4 << 200.0;
  QTest::newRow("stiff: m / (2 h)") << 1e6 << 500.0;
}

/// min(2 √(k m), m / (2 h)) for 1 kg and 1 ms, of the spring of friction and, where that is not given either,
/// of the contact's.
void PenaltyFrictionTest::theDampingThatIsNotGivenIsTheSmallerOfItsTwoBounds() {
  QFETCH(double, stiffness);
  QFETCH(double, damping);
  FrictionInput input = contactOf(Vec3(0, 0, 0), Vec3(0.004, 0, 0));
  const double expected = -1e-3 * damping * 0.004;
  QVERIFY_NEAR(yamaneFriction(input, settingsOf(stiffness, -1, 1e3)).impulse.x(), expected, 1e-15);
  input.stiffness = stiffness;
  QVERIFY_NEAR(yamaneFriction(input, settingsOf(-1, -1, 1e3)).impulse.x(), expected, 1e-15);
}

void PenaltyFrictionTest::slidesWithTheWeightedDynamicForce() {
  const FrictionResult result =
      yamaneFriction(contactOf(Vec3(1, 0, 0), Vec3(0.03, 0, 0.04)), settingsOf(1e4, 0, 20));
  QVERIFY(result.mode == ContactMode::Sliding && result.resetAnchors);
  const double force = 0.4 * 10 * (1 - std::exp(-20 * 0.05));
  QVERIFY_NEAR((result.impulse + 1e-3 * force * Vec3(0.6, 0, 0.8)).norm(), 0, 1e-15);
  QVERIFY_NEAR(result.anchorOffset.norm(), 0, 0);
}

/// 1e-4 m/s and 1 kg: an impulse of 1e-4 N·s stops the slip; 4 N in 1 ms would be 40 times that.
void PenaltyFrictionTest::neverReversesTheSlip() {
  const FrictionResult result =
      yamaneFriction(contactOf(Vec3(1, 0, 0), Vec3(1e-4, 0, 0)), settingsOf(1e4, 0, 1e6));
  QVERIFY_NEAR(result.impulse.x(), -1e-4, 1e-18);
}

void PenaltyFrictionTest::ignoresWhatIsNormal() {
  const FrictionResult a =
      yamaneFriction(contactOf(Vec3(1e-4, 5, 0), Vec3(0, -3, 0.01)), settingsOf(1e4, 100, 1e3));
  const FrictionResult b =
      yamaneFriction(contactOf(Vec3(1e-4, 0, 0), Vec3(0, 0, 0.01)), settingsOf(1e4, 100, 1e3));
  QVERIFY(a.impulse == b.impulse);
  QCOMPARE(a.impulse.y(), 0.0);
}

/// −μ_d f_n ω(v) with ω = x − x²/2 + x³/6 − …, x = k_ω v: the next term is 5e-9 of the first at most.
void PenaltyFrictionTest::weightingIsSmoothThroughZero() {
  for (double x : {0.0, 5e-10, 0.99e-8, 1.01e-8, 1e-6, 1e-4, 2e-3, 5e-3}) {
    const FrictionResult result =
        yamaneFriction(contactOf(Vec3(1, 0, 0), Vec3(x / 100, 0, 0)), settingsOf(1e4, 0, 100));
    const double expected = -1e-3 * 4 * x * (1 - x / 2 + x * x / 6);
    QVERIFY_NEAR(result.impulse.x(), expected, 1e-8 * std::abs(expected));
  }
}

/// k_FP e − k_FD v is the sliding force again: −4 N = 1e4 N/m · e − 50 N·s/m · 0.01 m/s.
void PenaltyFrictionTest::returnMapKeepsTheForceOfTheSpring() {
  FrictionSettings settings = settingsOf(1e4, 50, 1e4);
  settings.law = FrictionLaw::ReturnMap;
  const FrictionResult result = yamaneFriction(contactOf(Vec3(-1e-2, 0, 0), Vec3(0.01, 0, 0)), settings);
  QVERIFY(result.resetAnchors);
  QVERIFY_NEAR((result.impulse - Vec3(-4e-3, 0, 0)).norm(), 0, 1e-15);
  QVERIFY_NEAR((result.anchorOffset - Vec3(-3.5e-4, 0, 0)).norm(), 0, 1e-18);
}

/// Where the damper pushes against a drawn spring, that of the sliding force would be 9 N long, 4 N + 50
/// N·s/m · 0.1 m/s. It is cut to the 5 N of static friction: in the next step, without the slip, the contact
/// sticks.
void PenaltyFrictionTest::returnMapHoldsNoMoreThanStaticFriction() {
  FrictionSettings settings = settingsOf(1e4, 50, 1e4);
  settings.law = FrictionLaw::ReturnMap;
  const FrictionResult result = yamaneFriction(contactOf(Vec3(1e-2, 0, 0), Vec3(0.1, 0, 0)), settings);
  QVERIFY_NEAR((result.impulse - Vec3(4e-3, 0, 0)).norm(), 0, 1e-15);
  QVERIFY_NEAR((result.anchorOffset - Vec3(5e-4, 0, 0)).norm(), 0, 1e-18);
}

void PenaltyFrictionTest::withoutNormalForceThereIsNone() {
  FrictionInput input = contactOf(Vec3(1, 0, 0), Vec3(1, 0, 0));
  input.normalForce = 0;
  QVERIFY_NEAR(yamaneFriction(input, settingsOf(1e4, -1, 1e3)).impulse.norm(), 0, 0);
}

QTEST_APPLESS_MAIN(PenaltyFrictionTest)
#include "tst_penalty_friction.moc"
