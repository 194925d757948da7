#include <QtTest>
#include <cmath>

#include "core/contact/penalty/penalty_friction.h"
#include "tests/support/near.h"

using namespace touchstone;

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
  void slidesWithTheWeightedDynamicForce();
  void neverReversesTheSlip();
  void ignoresWhatIsNormal();
  void weightingIsSmoothThroughZero();
  void returnMapKeepsTheForceOfTheSpring();
  void withoutNormalForceThereIsNone();
};

void PenaltyFrictionTest::springAndDamperHoldInsideTheCone() {
  const FrictionResult result =
      yamaneFriction(contactOf(Vec3(2e-4, 0, 0), Vec3(0, 0, 0.01)), settingsOf(1e4, 100, 1e3));
  QVERIFY(result.mode == ContactMode::Sticking && !result.resetAnchors);
  QVERIFY_NEAR((result.impulse - 1e-3 * Vec3(2, 0, -1)).norm(), 0, 1e-15);  // 1e4 · 2e-4, −100 · 0.01 N
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

/// The force is −μ_d f_n k_ω v for k_ω v → 0, on both sides of the switch to the series.
void PenaltyFrictionTest::weightingIsSmoothThroughZero() {
  for (double slip : {0.0, 0.5e-11, 0.99e-11, 1.01e-11, 2e-11}) {
    const FrictionResult result =
        yamaneFriction(contactOf(Vec3(1, 0, 0), Vec3(slip, 0, 0)), settingsOf(1e4, 0, 100));
    QVERIFY_NEAR(result.impulse.x(), -1e-3 * 4 * 100 * slip, 1e-8 * 1e-3 * 4 * 100 * slip);
  }
}

void PenaltyFrictionTest::returnMapKeepsTheForceOfTheSpring() {
  FrictionSettings settings = settingsOf(1e4, 50, 1e4);
  settings.law = FrictionLaw::ReturnMap;
  const Vec3 slip(0.01, 0, 0);
  const FrictionResult result = yamaneFriction(contactOf(Vec3(-1e-2, 0, 0), slip), settings);
  QVERIFY(result.resetAnchors);
  // k_FP e − k_FD v_s equals the sliding force.
  QVERIFY_NEAR((1e4 * result.anchorOffset - 50 * slip - result.impulse / 1e-3).norm(), 0, 1e-12);
  QVERIFY(1e4 * result.anchorOffset.norm() <= 0.5 * 10 * (1 + 1e-15));
}

void PenaltyFrictionTest::withoutNormalForceThereIsNone() {
  FrictionInput input = contactOf(Vec3(1, 0, 0), Vec3(1, 0, 0));
  input.normalForce = 0;
  QVERIFY_NEAR(yamaneFriction(input, settingsOf(1e4, -1, 1e3)).impulse.norm(), 0, 0);
}

QTEST_APPLESS_MAIN(PenaltyFrictionTest)
#include "tst_penalty_friction.moc"
