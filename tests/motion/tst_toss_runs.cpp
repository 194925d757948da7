#include <QtTest>

#include "core/math/quantile.h"
#include "core/motion/motion_file.h"
#include "core/motion/toss_statistics.h"
#include "core/robot/scene_readers.h"
#include "tests/support/near.h"
#include "tests/support/tosses.h"

using namespace touchstone;

/// Starts from the flight and errors against a recording, with tosses whose truth is known.
class TossRunsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase();
  void theStartIsFittedToTheFlight();
  void shearIsRemovedFromTheStart();
  void shortFlightsOfAGroupShareTheirShear();
  void groupsOfAFileAreKept();
  void groupsAreFoundWhereTheShearTurns();
  void aTossWithoutNeighboursKeepsItsOwnShear();
  void distancesAreCountedInTheWidthOfTheScene();
  void aSpinningBoxOfUnequalInertiaTurnsFreely();
  void aRunAgainstItselfHasNoError();
  void aRunFromItsOwnRecordingStaysClose();
  void aKnownOffsetIsTheError();
  void recordedTimesBetweenFramesAreInterpolated();
  void aCopyWithZUpOrInAnotherUnitGivesTheSameErrors();
  void aMirroredCopyGivesTheSameErrors();
  void tossesWithoutAFlightAreLeftOutWithTheReason();
  void bodiesThatTheSceneDoesNotHaveAreRefused();
  void tossesAreDrawnTheSameForASeed();
  void mediansAndIntervalsAreThoseOfTheTextbook();
  void theTableComparesPanesOverTheSameTosses();
  void theTableHasQuartilesInTheirOrder();
  void turnedIsMoreThanHalfOfAQuarterTurn();

 private:
  std::vector<TossError> errorsOf(const RecordedMotion& motion, const Scene& scene,
                                  const char* pane = "lcp") const {
    PaneSettings settings = suggestedPane(scene, pane);
    return tossErrors(scene, settings, scene.dt, comparedTosses(motion, scene).tosses, 1, {});
  }
  test::SceneFolder m_folder;
  std::shared_ptr<const Scene> m_scene;
  RecordedMotion m_motion;
};

void TossRunsTest::initTestCase() {
  m_scene = loadScene(m_folder.write("scene.json", test::tossScene(0.3, "[0, 0.004, 0.008]")));
  m_motion = test::simulatedTosses(*m_scene, 6);
}

void TossRunsTest::theStartIsFittedToTheFlight() {
  // The flight by hand: a parabola of the centre of mass and a constant spin, 60 frames, with noise of 0.1
  // mm.
  const Body& box = m_scene->bodies[1];
  const Vec3 centre(0.1, 2, -0.2), velocity(1, 0.5, -0.3), spin(3, -2, 4);
  MotionTrack track;
  const double sign[] = {1e-4, -1e-4};
  for (int frame = 0; frame < 60; ++frame) {
    const double time = 0.005 * frame;
    BodyState state;
    state.orientation = Quaternion(Eigen::AngleAxisd(spin.norm() * time, spin.normalized()));
    state.position = centre + time * velocity + 0.5 * time * time * m_scene->gravity;
    track.samples.push_back(test::sampleOf(box, state, 7 + time));
    track.samples.back().position += Vec3::Constant(sign[frame % 2]);
  }
  MotionSample touch = track.samples.back();
  touch.time += 0.005;
  touch.position.y() = 0.01;
  track.samples.push_back(touch);
  const Flight flight = flightOf(track, *m_scene, box);
  QVERIFY2(flight.problem.empty(), flight.problem.c_str());
  QCOMPARE(flight.firstContact, std::size_t(59));  // one frame before the touch
  QCOMPARE(flight.frames, 59);
  // The noise leaves the shear unknown to 2e-4, and the start is 2 m above the place of rest.
  QVERIFY_NEAR((flight.start.position - centre).norm(), 0, 5e-4);
  QVERIFY_NEAR((flight.start.linearVelocity - velocity).norm(), 0, 5e-4);
  QVERIFY_NEAR((flight.start.angularVelocity - spin).norm(), 0, 1e-9);
  QVERIFY_NEAR(flight.residual, std::sqrt(3) * 1e-4, 1e-5);
  QVERIFY_NEAR(flight.turnResidual, 0, 1e-9);
}

void TossRunsTest::shearIsRemovedFromTheStart() {
  const RecordedMotion sheared = test::changed(m_motion, [](MotionSample& sample, std::size_t) {
    sample.position += Vec3(0.015, 0, -0.01) * (sample.position.y() - 0.05);
  });
  const ComparedTosses clean = comparedTosses(m_motion, *m_scene), found = comparedTosses(sheared, *m_scene);
  QCOMPARE(found.tosses.size(), std::size_t(6));
  for (std::size_t toss = 0; toss < 6; ++toss) {
    const Flight &own = found.tosses[toss].parts[0].flight, &other = clean.tosses[toss].parts[0].flight;
    QVERIFY_NEAR((own.shear - Vec3(0.015, 0, -0.01)).norm(), 0, 1e-3);
    QVERIFY_NEAR((own.start.linearVelocity - other.start.linearVelocity).norm(), 0, 2e-3);
    QVERIFY_NEAR((own.start.position - other.start.position).norm(), 0, 2e-4);
    QVERIFY_NEAR(other.shear.norm(), 0, 1e-9);
  }
}

namespace {

/// Numbers of about a normal distribution, the same everywhere.
class Noise {
 public:
  double operator()() {
    double sum = -6;
    for (int part = 0; part < 12; ++part) sum += static_cast<double>(m_random() >> 11) * 0x1p-53;
    return sum;
  }

 private:
  std::mt19937_64 m_random{5};
};

/// Four times the tosses, begun ten frames before they touch, with noise of 0.02 mm and a shear of each.
RecordedMotion shortTosses(const RecordedMotion& motion, const Scene& scene,
                           const std::function<Vec3(std::size_t toss)>& shearOf) {
  RecordedMotion all = motion;
  all.tosses.clear();
  Noise noise;
  for (std::size_t copy = 0; copy < 4; ++copy)
    for (Toss toss : motion.tosses) {
      auto& samples = toss.tracks[0].samples;
      const std::size_t touch = flightOf(toss.tracks[0], scene, scene.bodies[1]).firstContact;
      samples.erase(samples.begin(), samples.begin() + static_cast<std::ptrdiff_t>(touch - 10));
      const double rest = samples.back().position.y();
      for (MotionSample& sample : samples) {
        sample.position += shearOf(all.tosses.size()) * (sample.position.y() - rest);
        sample.position += 2e-5 * Vec3(noise(), noise(), noise());
      }
      toss.name = std::to_string(all.tosses.size());
      all.tosses.push_back(std::move(toss));
    }
  return all;
}

/// Largest errors of the shears.
struct ShearErrors {
  double found = 0, alone = 0;
};

ShearErrors shearErrors(const RecordedMotion& motion, const Scene& scene,
                        const std::function<Vec3(std::size_t toss)>& shearOf) {
  ShearErrors errors;
  const auto flights = flightsOf(motion, scene);
  for (std::size_t toss = 0; toss < flights.size(); ++toss) {
    const Flight& found = flights[toss][0];
    errors.found = std::max(errors.found, (found.shear - shearOf(toss)).norm());
    errors.alone = std::max(
        errors.alone,
        (flightOf(motion.tosses[toss].tracks[0], scene, scene.bodies[1]).shear - shearOf(toss)).norm());
  }
  return errors;
}

}  // namespace

void TossRunsTest::shortFlightsOfAGroupShareTheirShear() {
  const auto shearOf = [](std::size_t) { return Vec3(0.012, 0, -0.009); };
  const RecordedMotion motion = shortTosses(m_motion, *m_scene, shearOf);
  const ShearErrors errors = shearErrors(motion, *m_scene, shearOf);
  QVERIFY2(errors.found < 3e-3, qPrintable(QString::number(errors.found)));
  QVERIFY2(errors.alone > 8e-3, qPrintable(QString::number(errors.alone)));
  // The start is that of the toss without shear, by the same least squares.
  const RecordedMotion straight =
      shortTosses(m_motion, *m_scene, [](std::size_t) { return Vec3(Vec3::Zero()); });
  const auto found = flightsOf(motion, *m_scene), clean = flightsOf(straight, *m_scene);
  for (std::size_t toss = 0; toss < found.size(); ++toss)
    QVERIFY_NEAR((found[toss][0].start.linearVelocity - clean[toss][0].start.linearVelocity).norm(), 0, 1e-3);
}

void TossRunsTest::groupsOfAFileAreKept() {
  // Every other toss: no cut of the sequence finds these groups.
  const auto shearOf = [](std::size_t toss) {
    return toss % 2 == 0 ? Vec3(0.012, 0, -0.009) : Vec3(-0.014, 0, 0.004);
  };
  RecordedMotion motion = shortTosses(m_motion, *m_scene, shearOf);
  const double searched = shearErrors(motion, *m_scene, shearOf).found;
  motion.hasGroups = true;
  for (std::size_t toss = 0; toss < motion.tosses.size(); ++toss)
    motion.tosses[toss].group = toss % 2 == 0 ? "morning" : "evening";
  const double told = shearErrors(motion, *m_scene, shearOf).found;
  QVERIFY2(told < 4e-3 && searched > 2 * told, qPrintable(QString::number(told)));
}

void TossRunsTest::groupsAreFoundWhereTheShearTurns() {
  // 16 mrad in a direction of each group, groups of 3 to 9 tosses, slow errors of twice the noise.
  Noise noise;
  std::vector<std::vector<Flight::Shear>> shown;
  std::vector<Vec3> truth;
  for (int group = 0; group < 20; ++group) {
    const double direction = 2.4 * group;
    for (int toss = 0; toss < 3 + group * 5 % 7; ++toss) {
      truth.push_back(0.016 * Vec3(std::cos(direction), 0, std::sin(direction)));
      Flight::Shear shear;
      shear.weight = 1e-4 * (1 + toss % 4);
      shear.freedoms = 12;
      shear.noise = shear.freedoms * 4e-5 * 4e-5;
      shear.slope = truth.back() + 8e-5 / std::sqrt(shear.weight) * Vec3(noise(), 0, noise());
      shown.push_back({shear});
    }
  }
  const std::vector<Vec3> found = shearsOfGroups({}, shown);
  std::vector<double> errors, alone;
  for (std::size_t toss = 0; toss < truth.size(); ++toss) {
    errors.push_back((found[toss] - truth[toss]).norm());
    alone.push_back((shown[toss][0].slope - truth[toss]).norm());
  }
  QVERIFY2(median(errors) < 0.55 * median(alone),
           qPrintable(QString("%1 %2").arg(median(errors)).arg(median(alone))));
  QCOMPARE(shearsOfGroups({}, shown), found);
}

void TossRunsTest::aTossWithoutNeighboursKeepsItsOwnShear() {
  Flight::Shear shear{Vec3(0.01, 0, -0.02), 1e-4, 10 * 1e-10, 10};  // noise of 0.01 mm
  const Vec3 found = shearsOfGroups({}, {{shear}}).front();
  // Σ w ŝ / (Σ w + σ²/u²) by hand: 1e-4 / (1e-4 + 1e-10 / 4e-4).
  QVERIFY_NEAR((found - shear.slope * (1e-4 / (1e-4 + 2.5e-7))).norm(), 0, 1e-12);
  shear.weight = 0;  // too short to tell
  QCOMPARE(shearsOfGroups({}, {{shear}}).front(), Vec3(Vec3::Zero()));
}

void TossRunsTest::distancesAreCountedInTheWidthOfTheScene() {
  const auto scene = loadScene(
      m_folder.write("wide.json", test::tossScene(0.3, "[0, 0.004, 0.008]", "\"recorded_width\": 0.125, ")));
  QCOMPARE(recordedWidthOf(*scene), 0.125);
  QCOMPARE(recordedWidthOf(*m_scene), 0.0);
  QCOMPARE(comparedTosses(m_motion, *scene).tosses[0].parts[0].width, 0.125);
  QCOMPARE(comparedTosses(m_motion, *m_scene).tosses[0].parts[0].width, 0.1);
}

void TossRunsTest::aSpinningBoxOfUnequalInertiaTurnsFreely() {
  // About the axis of the largest moment ω precesses in the body at (I₃ − I₁)/I₁ ω₃ for I₁ = I₂.
  const Mat3 inertia = Vec3(1, 1, 1.5).asDiagonal();
  Quaternion orientation = Quaternion::Identity();
  Vec3 spin(0.3, 0, 4);
  turnFreely(inertia, 1.7, orientation, spin);
  const double phase = 0.5 * 4 * 1.7;
  const Vec3 inBody = orientation.conjugate() * spin;
  QVERIFY_NEAR((inBody - Vec3(0.3 * std::cos(phase), 0.3 * std::sin(phase), 4)).norm(), 0, 1e-8);
  // The angular momentum stays.
  QVERIFY_NEAR((orientation * (inertia * inBody) - Vec3(0.3, 0, 6)).norm(), 0, 1e-8);
}

void TossRunsTest::aRunAgainstItselfHasNoError() {
  const ComparedTosses all = comparedTosses(m_motion, *m_scene);
  for (std::size_t number = 0; number < all.tosses.size(); ++number) {
    TossComparison comparison(*m_scene, all.tosses[number]);
    const auto& samples = m_motion.tosses[number].tracks[0].samples;
    for (const MotionSample& sample : samples) {
      const BodyState states[] = {BodyState(), stateOf(sample, m_scene->bodies[1])};
      comparison.add(sample.time, states);
    }
    const TossError error = comparison.result();
    QVERIFY_NEAR(error.centreMean, 0, 1e-9);  // less the shear of 1e-10 that is fitted to rounding
    QVERIFY_NEAR(error.centreEnd, 0, 1e-9);
    QVERIFY_NEAR(error.turnMean, 0, 1e-5);
    QVERIFY_NEAR(error.turnEnd, 0, 1e-5);
  }
}

void TossRunsTest::aRunFromItsOwnRecordingStaysClose() {
  std::vector<double> centres, turns;
  for (const TossError& error : errorsOf(m_motion, *m_scene)) {
    QVERIFY(error.failedAt < 0);
    centres.push_back(error.centreMean);
    turns.push_back(error.turnMean);
  }
  // The step falls by g h t/2 = 0.4 mm more than the fitted parabola, and impacts make more of it.
  QVERIFY2(median(centres) < 0.03, qPrintable(QString::number(median(centres))));
  QVERIFY2(median(turns) < 3, qPrintable(QString::number(median(turns))));
}

void TossRunsTest::aKnownOffsetIsTheError() {
  ComparedToss toss = comparedTosses(m_motion, *m_scene).tosses[0];
  TossComparison comparison(*m_scene, toss);
  const double angle = 10 * M_PI / 180;
  for (const MotionSample& sample : toss.parts[0].track.samples) {
    MotionSample moved = sample;
    const bool isFlying = sample.time < toss.firstContact;  // no part of the mean
    moved.position += Vec3(0, isFlying ? 5 : 0.02, 0);
    moved.orientation =
        product(Quaternion(std::cos(0.5 * angle), 0, std::sin(0.5 * angle), 0), sample.orientation);
    const BodyState states[] = {BodyState(), stateOf(moved, m_scene->bodies[1])};
    comparison.add(sample.time, states);
  }
  const TossError error = comparison.result();
  QVERIFY_NEAR(error.centreMean, 0.2, 1e-12);  // 20 mm of 100 mm
  QVERIFY_NEAR(error.centreEnd, 0.2, 1e-12);
  QVERIFY_NEAR(error.turnMean, 10, 1e-6);
  QVERIFY(!error.isTurned());
}

void TossRunsTest::recordedTimesBetweenFramesAreInterpolated() {
  ComparedToss toss;
  toss.parts.resize(1);
  ComparedToss::Part& part = toss.parts[0];
  part.body = 1;
  part.width = 0.1;
  part.track.samples.resize(3);
  for (std::size_t at = 0; at < 3; ++at) part.track.samples[at].time = 0.1 * static_cast<double>(at);
  part.track.samples[1].position = Vec3(0.25, 0, 0);
  part.track.samples[1].isMissing = true;
  part.track.samples[2].position = Vec3(1, 0, 0);
  part.track.samples[2].orientation = Quaternion(std::cos(0.5), 0, 0, std::sin(0.5));
  toss.firstContact = 0.15;
  const Body& body = m_scene->bodies[1];
  const auto at = [&](double x, double angle) {
    MotionSample sample;
    sample.position = Vec3(x, 0, 0);
    sample.orientation = Quaternion(std::cos(0.5 * angle), 0, 0, std::sin(0.5 * angle));
    return stateOf(sample, body);
  };
  part.flight.start = at(0, 0);
  TossComparison comparison(*m_scene, toss);
  const BodyState first[] = {BodyState(), at(0, 0)}, second[] = {BodyState(), at(1.5, 1.5)};
  comparison.add(0, first);
  comparison.add(0.3, second);  // 0.2 s lies two thirds of the way
  const TossError error = comparison.result();
  // Both have turned by 1 rad about an axis through the origin of the shape; the centre of mass goes
  // straight, the origin is off by what its arm of 9 mm bends in between.
  QVERIFY_NEAR(error.turnEnd, 0, 1e-9);
  QVERIFY_NEAR(error.centreEnd, 0, 0.03);
  QVERIFY_NEAR(error.centreMean, error.centreEnd, 1e-12);
}

void TossRunsTest::aCopyWithZUpOrInAnotherUnitGivesTheSameErrors() {
  const std::vector<TossError> here = errorsOf(m_motion, *m_scene, "lcp");
  MotionFormat format;
  format.up = MotionFormat::Up::Z;
  format.unit = 0.001;
  format.omega = MotionFormat::SpinFrame::Body;
  format.quaternion = MotionFormat::QuaternionOrder::RealLast;
  const std::vector<TossError> there =
      errorsOf(test::readBack(m_folder, m_motion, format, format), *m_scene, "lcp");
  QCOMPARE(there.size(), here.size());
  for (std::size_t toss = 0; toss < here.size(); ++toss) {
    // Starts agree to the 1e-9 at which the fit ends; what the box tumbles over makes more of it.
    QVERIFY_NEAR(there[toss].centreMean, here[toss].centreMean, 1e-5);
    QVERIFY_NEAR(there[toss].turnEnd, here[toss].turnEnd, 0.01);
  }
}

void TossRunsTest::aMirroredCopyGivesTheSameErrors() {
  // Mirrored in x = 0: the box is its own mirror image, its centre of mass lies in that plane of the body.
  const RecordedMotion mirrored = test::changed(m_motion, [](MotionSample& sample, std::size_t) {
    sample.position.x() = -sample.position.x();
    sample.velocity.x() = -sample.velocity.x();
    sample.orientation = Quaternion(sample.orientation.w(), sample.orientation.x(), -sample.orientation.y(),
                                    -sample.orientation.z());
    sample.angularVelocity =
        Vec3(sample.angularVelocity.x(), -sample.angularVelocity.y(), -sample.angularVelocity.z());
  });
  // Of a method whose friction has no direction of its own.
  const std::vector<TossError> here = errorsOf(m_motion, *m_scene, "dpf"),
                               there = errorsOf(mirrored, *m_scene, "dpf");
  QCOMPARE(there.size(), std::size_t(6));
  for (std::size_t toss = 0; toss < here.size(); ++toss) {
    QVERIFY_NEAR(there[toss].centreMean, here[toss].centreMean, 1e-6);
    QVERIFY_NEAR(there[toss].turnEnd, here[toss].turnEnd, 1e-4);
  }
}

void TossRunsTest::tossesWithoutAFlightAreLeftOutWithTheReason() {
  RecordedMotion motion = m_motion;
  motion.tosses[1].tracks[0].samples.resize(10);  // never comes down
  auto& late = motion.tosses[2].tracks[0].samples;
  late.erase(late.begin(), late.end() - 20);  // begins at rest
  const ComparedTosses all = comparedTosses(motion, *m_scene);
  QCOMPARE(all.tosses.size(), std::size_t(4));
  QCOMPARE(all.left.size(), std::size_t(2));
  QVERIFY(all.left[0].find("Toss 1") == 0 && all.left[0].find("touches nothing") != std::string::npos);
  QVERIFY(all.left[1].find("frames of flight") != std::string::npos);
}

void TossRunsTest::bodiesThatTheSceneDoesNotHaveAreRefused() {
  RecordedMotion motion = m_motion;
  motion.file = "a.csv";
  motion.tosses[0].tracks[0].body = "bax";
  try {
    comparedTosses(motion, *m_scene);
    QFAIL("was accepted");
  } catch (const std::exception& error) {
    QVERIFY2(QByteArray(error.what()).contains("did you mean 'box'?"), error.what());
  }
}

void TossRunsTest::tossesAreDrawnTheSameForASeed() {
  std::vector<ComparedToss> all(20);
  for (std::size_t toss = 0; toss < 20; ++toss) all[toss].name = std::to_string(toss);
  const auto names = [&](int count, int seed) {
    std::string text;
    for (const ComparedToss& toss : drawn(all, count, seed)) text += toss.name + " ";
    return text;
  };
  QCOMPARE(names(5, 3), names(5, 3));
  QVERIFY(names(5, 3) != names(5, 4));
  QCOMPARE(drawn(all, 50, 1).size(), std::size_t(20));
}

void TossRunsTest::mediansAndIntervalsAreThoseOfTheTextbook() {
  QCOMPARE(interpolatedQuantile({4, 1, 3, 2}, 0.5), 2.5);
  QCOMPARE(interpolatedQuantile({1, 2, 3, 4, 5}, 0.25), 2.0);
  QVERIFY(std::isnan(interpolatedQuantile({}, 0.5)));
  std::vector<double> values;
  for (int value = 1; value <= 99; ++value) values.push_back(value);
  const MedianWithInterval median = medianWithInterval(values);
  QCOMPARE(median.median, 50.0);
  QCOMPARE(median.lowerQuartile, 25.5);
  // By the binomial distribution with 99 trials: the 40th and the 60th value.
  QVERIFY_NEAR(median.low, 40, 1.5);
  QVERIFY_NEAR(median.high, 60, 1.5);
}

void TossRunsTest::theTableComparesPanesOverTheSameTosses() {
  PaneErrors a{"a", {}}, b{"b", {}};
  for (int toss = 0; toss < 10; ++toss) {
    a.errors.push_back({0.1 * toss, 0.2, 5, toss < 3 ? 90.0 : 10.0, -1});
    b.errors.push_back({0.1 * toss + 0.05, 0.2, 5, 10, -1});
  }
  b.errors[9].failedAt = 0.3;
  const std::string table = tossTable({a, b});
  QVERIFY2(table.find("a − b") != std::string::npos, table.c_str());
  QVERIFY2(table.find("-0.050 (-0.050 to -0.050), smaller in 100 %") != std::string::npos, table.c_str());
  QVERIFY2(table.find("b: 1 tosses failed") != std::string::npos, table.c_str());
  QVERIFY2(table.find("30 %") != std::string::npos, table.c_str());
  const std::string csv = tossCsv({"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}, {a, b});
  QVERIFY2(csv.find("\n9,b,0.95") != std::string::npos && csv.find(",0,0.3\n") != std::string::npos,
           csv.c_str());
}

void TossRunsTest::theTableHasQuartilesInTheirOrder() {
  PaneErrors pane{"a", {}};
  for (int toss = 1; toss <= 5; ++toss) pane.errors.push_back({1.0 * toss, 10.0 * toss, 2.0 * toss, 0, -1});
  const std::string table = tossTable({pane});
  for (const char* cell : {"3.000 [2.000 4.000] (", "30.000 [20.000 40.000] (", "6.0 [4.0 8.0] ("})
    QVERIFY2(table.find(cell) != std::string::npos, table.c_str());
  // Deviations of a sample: 100 √2.5 % of the width, and 2 √2.5 degrees.
  QVERIFY2(table.find("300.0 ± 158.1") != std::string::npos, table.c_str());
  QVERIFY2(table.find("6.0 ± 3.2") != std::string::npos, table.c_str());
  QCOMPARE(median({1, 2}), 1.5);
}

void TossRunsTest::turnedIsMoreThanHalfOfAQuarterTurn() {
  TossError error;
  error.turnEnd = 44.9;
  QVERIFY(!error.isTurned());
  error.turnEnd = 45.1;
  QVERIFY(error.isTurned());
}

QTEST_APPLESS_MAIN(TossRunsTest)
#include "tst_toss_runs.moc"
