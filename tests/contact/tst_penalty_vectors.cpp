#include <QtTest>

#include "core/contact/manifold/continuous_penalty.h"
#include "tests/support/near.h"
#include "tests/support/vectors.h"

using namespace touchstone;
using nlohmann::json;

Q_DECLARE_METATYPE(const json*)

/// Every reference case of one pair over one straight path; expected values come from 60-digit arithmetic.
class PenaltyVectorsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { m_files = test::referenceFiles(QStringLiteral("penalty-vectors")); }
  void matchesTheReference_data();
  void matchesTheReference();

 private:
  std::vector<json> m_files;
};

static Vec3 vec(const json& value) {
  return {value[0].get<double>(), value[1].get<double>(), value[2].get<double>()};
}
static double size(const json& value) { return vec(value).cwiseAbs().maxCoeff(); }
static double error(const Vec3& actual, const json& expected) {
  return (actual - vec(expected)).cwiseAbs().maxCoeff();
}

static PairPath inputOf(const json& c) {
  PairPath input;
  const std::string kind = c["kind"];
  input.kind = kind == "vf"   ? FeaturePairKind::VertexFace
               : kind == "ee" ? FeaturePairKind::EdgeEdge
                              : FeaturePairKind::VertexPlane;
  for (std::size_t row = 0; row < c["x0"].size(); ++row) {
    input.x0[row] = vec(c["x0"][row]);
    input.x1[row] = vec(c["x1"][row]);
  }
  if (kind == "plane") {
    input.planeNormal = vec(c["plane_normal"]);
    input.planeOffset = c["plane_offset"];
  }
  input.oneSided = c["sided"] == "one";
  if (!c["tracked"].is_null()) {
    input.tracked = true;
    input.side = c["tracked"]["side"];
    const json& weights = c["tracked"]["weights"];
    for (std::size_t k = 0; k < weights.size(); ++k) input.weights[k] = weights[k];
  }
  input.stiffness = c["stiffness"];
  input.dt = c["time_step"];
  input.quadrature = true;
  return input;
}

void PenaltyVectorsTest::matchesTheReference_data() {
  QTest::addColumn<const json*>("reference");
  int file = 0;
  for (const json& reference : m_files) {
    for (const json& c : reference["cases"])
      QTest::newRow(qPrintable(QStringLiteral("%1 %2").arg(file).arg(QString::fromStdString(c["name"]))))
          << &c;
    ++file;
  }
}

void PenaltyVectorsTest::matchesTheReference() {
  QFETCH(const json*, reference);
  const json& c = *reference;
  const json& expect = c["expect"];
  const PairImpulse result = evaluatePair(inputOf(c));
  const PairMotion motion = motionOf(inputOf(c));

  double largest = 0;
  for (const json& value : expect["gap_numerator"])
    largest = std::max(largest, std::abs(value.get<double>()));
  const bool far = c["name"].get<std::string>().find("far") != std::string::npos;
  for (std::size_t k = 0; k < expect["gap_numerator"].size(); ++k)
    QVERIFY_NEAR(motion.gap.c[k], expect["gap_numerator"][k].get<double>(), (far ? 1e-9 : 1e-11) * largest);
  QVERIFY_NEAR(std::sqrt(motion.meanSquare), expect["Lk"].get<double>(), 1e-9 * expect["Lk"].get<double>());

  double roots[3], rootTolerance = 1e-12;
  const int count = signChanges(motion.gap, roots);
  QCOMPARE(count, static_cast<int>(expect["roots"].size()));
  for (int root = 0; root < count; ++root) {
    const double tolerance = expect["root_tolerance"][root];
    rootTolerance = std::max(rootTolerance, tolerance);
    QVERIFY_NEAR(roots[root], expect["roots"][root].get<double>(), tolerance);
  }

  const double rtol = expect["impulse_rtol"], exactRtol = std::max(rtol, 1e-9);
  QCOMPARE(result.intervalCount, static_cast<int>(expect["intervals"].size()));
  Vec3 closed(0, 0, 0), exact(0, 0, 0);
  for (int k = 0; k < result.intervalCount; ++k) {
    const PenetrationInterval& interval = result.intervals[k];
    const json& wanted = expect["intervals"][k];
    QVERIFY_NEAR(interval.start, wanted["start"].get<double>(), rootTolerance);
    QVERIFY_NEAR(interval.end, wanted["end"].get<double>(), rootTolerance);
    QCOMPARE(interval.entered, wanted["entry"] == "root");
    QCOMPARE(interval.side, wanted["side"].get<int>());
    for (std::size_t w = 0; w < wanted["weights"].size(); ++w)
      QVERIFY_NEAR(interval.weights[w], wanted["weights"][w].get<double>(), 1e-9);
    QVERIFY_NEAR(interval.meanTime, wanted["mean_time"].get<double>(), 1e-8);
    for (std::size_t w = 0; w < wanted["weights_at_mean_time"].size(); ++w)
      QVERIFY_NEAR(interval.meanWeights[w], wanted["weights_at_mean_time"][w].get<double>(), 1e-8);
    QVERIFY_NEAR(error(interval.impulseClosed, wanted["impulse_closed"]), 0,
                 rtol * size(wanted["impulse_closed"]));
    QVERIFY_NEAR(error(interval.impulseExact, wanted["impulse_exact"]), 0,
                 exactRtol * size(wanted["impulse_exact"]));
    // Ours is the largest of 6 samples, the reference that of 65: a depth like a parabola between samples of
    // a quarter interval.
    const double depth = wanted["depth_max_sampled"];
    QVERIFY_NEAR(interval.depthMax, depth, 0.1 * depth);
    closed += interval.impulseClosed;
    exact += interval.impulseExact;
  }
  QVERIFY_NEAR(error(closed, expect["impulse_closed"]), 0, rtol * size(expect["impulse_closed"]));
  QVERIFY_NEAR(error(exact, expect["impulse_exact"]), 0, exactRtol * size(expect["impulse_exact"]));

  QCOMPARE(result.activeAtEnd, expect["active_at_end"].get<bool>());
  if (result.activeAtEnd) {
    QCOMPARE(result.endSide, expect["end_state"]["side"].get<int>());
    const json& weights = expect["end_state"]["weights"];
    for (std::size_t w = 0; w < weights.size(); ++w)
      QVERIFY_NEAR(result.endWeights[w], weights[w].get<double>(), 1e-9);
  }
  QVERIFY_NEAR(error(result.endImpulse, expect["dpf_ccd_impulse"]), 0,
               rtol * size(expect["dpf_ccd_impulse"]));
}

QTEST_APPLESS_MAIN(PenaltyVectorsTest)
#include "tst_penalty_vectors.moc"
