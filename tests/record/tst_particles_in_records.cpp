#include <QtTest>

#include "core/record/record_bytes.h"
#include "core/record/record_check.h"
#include "core/run/history.h"
#include "tests/support/deformables.h"
#include "tests/support/scenes.h"

using namespace touchstone;

/// Particles in the bytes of a record, in its check and in the memory of the history.
class ParticlesInRecordsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void comeBackBitForBit_data();
  void comeBackBitForBit();
  void recordsWithoutThemKeepTheirBytes();
  void cutOffBytesAreRefused();
  void aCountThatIsTooLargeIsRefused();
  void recordsThatDoNotFitTheSceneAreRefused();
  void countInTheMemoryOfTheHistory();
  void thinnedHistoriesKeepThem();

 private:
  std::shared_ptr<Scene> m_scene =
      test::scene({test::elasticBar("bar", {3, 1, 1}, 0.1, Vec3(0, 0.2, 0)), test::ground()});
  StepRecord record() const {
    return *test::recordOf(*m_scene, [](const Vec3& X) { return Vec3(1.3 * X.x(), X.y() / 3, X.z()); });
  }
};

static bool isSame(const Vec3& a, const Vec3& b) { return a == b; }

void ParticlesInRecordsTest::comeBackBitForBit_data() {
  QTest::addColumn<bool>("joints");
  QTest::addColumn<bool>("iterations");
  for (bool joints : {false, true})
    for (bool iterations : {false, true})
      QTest::addRow("%s, %s", joints ? "joints" : "none", iterations ? "iterations" : "none")
          << joints << iterations;
}

void ParticlesInRecordsTest::comeBackBitForBit() {
  QFETCH(bool, joints);
  QFETCH(bool, iterations);
  StepRecord written = record();
  written.particleVelocities[5] = Vec3(1, 2, 3);
  if (joints) written.joints.resize(2);
  if (iterations) {
    written.iterations.resize(2);
    written.iterations[1].residual = 0.5;
    written.limitingAccuracy = 3;
  }
  StepRecord read;
  readDetail(detailBytes(written), read);
  QVERIFY(std::equal(read.particles.begin(), read.particles.end(), written.particles.begin(),
                     written.particles.end(), isSame));
  QCOMPARE(read.particles.size(), std::size_t(16));
  QVERIFY(std::equal(read.particleVelocities.begin(), read.particleVelocities.end(),
                     written.particleVelocities.begin(), written.particleVelocities.end(), isSame));
  QCOMPARE(read.joints.size(), written.joints.size());
  QCOMPARE(read.iterations.size(), written.iterations.size());
  QCOMPARE(read.limitingAccuracy, written.limitingAccuracy);
  if (iterations) QVERIFY(std::isnan(read.iterations[1].momentum));
  QCOMPARE(detailBytes(read), detailBytes(written));
}

/// Records of rigid bodies are as those of earlier versions, which have nothing after their stiffnesses.
void ParticlesInRecordsTest::recordsWithoutThemKeepTheirBytes() {
  StepRecord rigid = record(), with = record();
  rigid.particles.clear();
  rigid.particleVelocities.clear();
  const std::string bytes = detailBytes(rigid), longer = detailBytes(with);
  QCOMPARE(longer.substr(0, bytes.size()), bytes);
  // no joints, the accuracy, then a count and the places, and a count and the velocities
  QCOMPARE(longer.size(), bytes.size() + 8 + 8 + 2 * (8 + 16 * 24));
  StepRecord read;
  readDetail(bytes, read);
  QVERIFY(read.particles.empty());
}

void ParticlesInRecordsTest::cutOffBytesAreRefused() {
  const std::string bytes = detailBytes(record());
  for (std::size_t size :
       {bytes.size() - 1, bytes.size() - 24, bytes.size() - 16 * 24, bytes.size() - 16 * 24 - 3}) {
    StepRecord read;
    QVERIFY_EXCEPTION_THROWN(readDetail(bytes.substr(0, size), read), std::runtime_error);
  }
  StepRecord read;
  QVERIFY_EXCEPTION_THROWN(readDetail(bytes + '\0', read), std::runtime_error);
}

void ParticlesInRecordsTest::aCountThatIsTooLargeIsRefused() {
  std::string bytes = detailBytes(record());
  bytes[bytes.size() - 16 * 24 - 1] = 0x7f;  // highest byte of the count
  StepRecord read;
  QVERIFY_EXCEPTION_THROWN(readDetail(bytes, read), std::runtime_error);
}

void ParticlesInRecordsTest::recordsThatDoNotFitTheSceneAreRefused() {
  const RecordCheck check(m_scene),
      ofRigid(test::scene({test::box("box", Vec3(1, 1, 1), 1, Vec3(0, 1, 0)), test::ground()}));
  QCOMPARE(check.problemOf(record()), std::string());
  StepRecord damaged = record();
  damaged.particles.pop_back();
  QVERIFY(!check.problemOf(damaged).empty());
  damaged = record();
  damaged.particleVelocities.pop_back();
  QVERIFY(!check.problemOf(damaged).empty());
  damaged.particleVelocities.clear();
  damaged.particles.clear();
  QVERIFY(!check.problemOf(damaged).empty());
  QCOMPARE(ofRigid.problemOf(damaged), std::string());
  QVERIFY(!ofRigid.problemOf(record()).empty());
  for (double value : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    damaged = record();
    damaged.particles[7].y() = value;
    QVERIFY(!check.problemOf(damaged).empty());
    damaged = record();
    damaged.particleVelocities[7].y() = value;
    QVERIFY(!check.problemOf(damaged).empty());
  }
}

void ParticlesInRecordsTest::countInTheMemoryOfTheHistory() {
  StepRecord with = record(), without = record();
  with.particles.shrink_to_fit();
  with.particleVelocities.shrink_to_fit();
  for (std::vector<Vec3>* each : {&without.particles, &without.particleVelocities}) {
    each->clear();
    each->shrink_to_fit();
  }
  QCOMPARE(bytesOf(with) - bytesOf(without), 2 * 16 * sizeof(Vec3));
}

void ParticlesInRecordsTest::thinnedHistoriesKeepThem() {
  History history(40 * bytesOf(record()));
  for (long frame = 0; frame < 200; ++frame) {
    auto each = std::make_shared<StepRecord>(record());
    each->frame = frame;
    history.append(each);
  }
  QVERIFY(history.spacing() > 1);
  QVERIFY(history.bytes() <= 40 * bytesOf(record()));
  for (const RecordPtr& kept : history.frames()) QCOMPARE(kept->particles.size(), std::size_t(16));
}

QTEST_APPLESS_MAIN(ParticlesInRecordsTest)
#include "tst_particles_in_records.moc"
