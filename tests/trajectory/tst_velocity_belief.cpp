#include <QtTest>

#include "core/trajectory/velocity_belief.h"
#include "tests/support/near.h"
#include "tests/support/scenes.h"

using namespace touchstone;

/// Which velocities of a file are believed: those that some scheme of integration, or a correction of
/// positions, brings together with the poses.
class VelocityBeliefTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void everySchemeIsBelieved_data();
  void everySchemeIsBelieved();
  void anImpactIsBelieved_data();
  void anImpactIsBelieved();
  void otherVelocitiesAreReplacedByThoseOfThePoses_data();
  void otherVelocitiesAreReplacedByThoseOfThePoses();
  void aPushOutOfAnOverlapIsBelievedAndMeasured();
  void aShiftAlongTheContactIsNot();
  void aPushWithoutAContactIsNot();
  void aFalseSpinIsReplaced();
  void aSpinOfWholeTurnsIsBelieved();
};

namespace {

constexpr double kStep = 0.01;
const Vec3 kGravity(0, -9.81, 0);

struct Samples {
  std::vector<TrajectorySample> samples;
  void add(const Vec3& position, const Vec3& velocity, const Vec3& spin = Vec3::Zero(),
           const Quaternion& orientation = Quaternion::Identity()) {
    BodyState floor, box;
    floor.active = box.active = true;
    box.position = position;
    box.orientation = orientation;
    box.linearVelocity = velocity;
    box.angularVelocity = spin;
    TrajectorySample sample;
    sample.time = kStep * static_cast<double>(samples.size());
    sample.states = {floor, box};
    samples.push_back(sample);
  }
  const BodyState& operator[](std::size_t index) const { return samples[index].states[1]; }
};

/// A box of 0.2 m above the plane y = 0.
std::shared_ptr<const Scene> scene() {
  return test::scene({test::ground(), test::box("box", {0.2, 0.2, 0.2}, 1, {0, 1, 0})});
}

/// The samples as they are believed, from what the file has.
Samples believed(const Samples& file, BeliefSums& sums) {
  VelocityBelief belief(scene(), true, true);
  Samples result = file;
  for (std::size_t k = 0; k < file.samples.size(); ++k)
    belief.check(k > 0 ? &file.samples[k - 1] : nullptr, result.samples[k],
                 k + 1 < file.samples.size() ? &file.samples[k + 1] : nullptr);
  sums = belief.sums();
  return result;
}

}  // namespace

void VelocityBeliefTest::everySchemeIsBelieved_data() {
  QTest::addColumn<double>("theta");  // x += h (θ v⁺ + (1 − θ) v)
  QTest::newRow("semi-implicit Euler") << 1.0;
  QTest::newRow("explicit Euler") << 0.0;
  QTest::newRow("trapezoids") << 0.5;
}

void VelocityBeliefTest::everySchemeIsBelieved() {
  QFETCH(double, theta);
  Samples file;
  Vec3 x(0, 1, 0), v(3, 2, 0);
  for (int step = 0; step < 40; ++step) {
    file.add(x, v);
    const Vec3 next = v + kStep * kGravity;
    x += kStep * (theta * next + (1 - theta) * v);
    v = next;
  }
  BeliefSums sums;
  const Samples result = believed(file, sums);
  QCOMPARE(sums.replaced, 0L);
  QCOMPARE(sums.velocities, 40L);
  for (std::size_t k = 0; k < 40; ++k) QVERIFY(result[k].linearVelocity == file[k].linearVelocity);
}

void VelocityBeliefTest::anImpactIsBelieved_data() { everySchemeIsBelieved_data(); }

void VelocityBeliefTest::anImpactIsBelieved() {
  QFETCH(double, theta);
  Samples file;
  Vec3 x(0, 0.4, 0), v(0, -2, 0);
  for (int step = 0; step < 40; ++step) {
    file.add(x, v);
    const Vec3 next = x.y() <= 0.1 && v.y() < 0 ? Vec3(-0.8 * v) : Vec3(v + kStep * kGravity);
    x += kStep * (theta * next + (1 - theta) * v);
    v = next;
  }
  BeliefSums sums;
  believed(file, sums);
  QCOMPARE(sums.replaced, 0L);
}

void VelocityBeliefTest::otherVelocitiesAreReplacedByThoseOfThePoses_data() {
  QTest::addColumn<double>("speed");  // of the poses, where the file says 2 m/s along x
  QTest::newRow("frozen poses") << 0.0;
  QTest::newRow("millimetres") << 0.002;
  QTest::newRow("a tenth more") << 2.2;
  QTest::newRow("the other way") << -2.0;
}

void VelocityBeliefTest::otherVelocitiesAreReplacedByThoseOfThePoses() {
  QFETCH(double, speed);
  Samples file;
  for (int step = 0; step < 10; ++step) file.add(Vec3(kStep * step * speed, 1, 0), Vec3(2, 0, 0));
  BeliefSums sums;
  const Samples result = believed(file, sums);
  QCOMPARE(sums.replaced, 10L);
  for (std::size_t k = 0; k < 10; ++k) QVERIFY_NEAR(result[k].linearVelocity.x(), speed, 1e-12);
}

void VelocityBeliefTest::aPushOutOfAnOverlapIsBelievedAndMeasured() {
  // At rest 3 mm deep in the floor, then pushed out by 1.5 mm a step, without velocity.
  Samples file;
  for (int step = 0; step < 6; ++step) file.add(Vec3(0, 0.097 + 0.0015 * std::min(step, 2), 0), Vec3::Zero());
  BeliefSums sums;
  const Samples result = believed(file, sums);
  QCOMPARE(sums.replaced, 0L);
  QCOMPARE(sums.correctedBody, 1);
  QVERIFY_NEAR(sums.correction, 0.0015, 1e-9);
  QVERIFY(result[1].linearVelocity == Vec3(0, 0, 0));
}

void VelocityBeliefTest::aShiftAlongTheContactIsNot() {
  Samples file;
  for (int step = 0; step < 6; ++step) file.add(Vec3(0.0015 * step, 0.097, 0), Vec3::Zero());
  BeliefSums sums;
  const Samples result = believed(file, sums);
  QVERIFY(sums.replaced > 0);
  QVERIFY_NEAR(result[3].linearVelocity.x(), 0.15, 1e-12);
}

void VelocityBeliefTest::aPushWithoutAContactIsNot() {
  Samples file;
  for (int step = 0; step < 6; ++step) file.add(Vec3(0, 1 + 0.0015 * step, 0), Vec3::Zero());
  BeliefSums sums;
  believed(file, sums);
  QVERIFY(sums.replaced > 0);
  QCOMPARE(sums.correctedBody, -1);
}

void VelocityBeliefTest::aFalseSpinIsReplaced() {
  Samples file;
  for (int step = 0; step < 10; ++step)
    file.add(Vec3(0, 1, 0), Vec3::Zero(), Vec3(0, 0, 9),
             Quaternion(Eigen::AngleAxisd(kStep * step * 6, Vec3(0, 0, 1))));
  BeliefSums sums;
  const Samples result = believed(file, sums);
  QCOMPARE(sums.replaced, 10L);
  for (std::size_t k = 0; k < 10; ++k) QVERIFY_NEAR(result[k].angularVelocity.z(), 6, 1e-12);
}

void VelocityBeliefTest::aSpinOfWholeTurnsIsBelieved() {
  Samples file;
  for (int step = 0; step < 10; ++step)
    file.add(Vec3(0, 1, 0), Vec3::Zero(), Vec3(0, 0, 900),
             Quaternion(Eigen::AngleAxisd(kStep * step * 900, Vec3(0, 0, 1))));
  BeliefSums sums;
  believed(file, sums);
  QCOMPARE(sums.replaced, 0L);
}

QTEST_APPLESS_MAIN(VelocityBeliefTest)
#include "tst_velocity_belief.moc"
