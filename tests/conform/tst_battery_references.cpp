#include <QtTest>
#include <array>
#include <cmath>
#include <functional>

#include "core/conform/phenomenon.h"
#include "core/conform/references.h"
#include "tests/support/near.h"

using namespace touchstone;

/// Answers of the phenomena from number 21 on, computed again here: time integrations, impacts one after the
/// other and 2 × 2 systems of impulses, where the files hold closed forms and quadratures.
class BatteryReferencesTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase();
  void aDraggedBoxHoldsInEveryDirection();
  void pyramidsAndSquaresHoldWhatTheirShapeSays();
  void aTripodThatSlidesAndSpins();
  void aBoxThatBouncesToRest();
  void aBlockThatRocks();
  void aTopThatPrecesses();
  void cornersThatStrikeAslant();

 private:
  const Measure& measure(const char* phenomenon, const std::string& id) const;
  double shipped(const char* phenomenon, const std::string& id) const {
    return measure(phenomenon, id).exact.value_or(NAN);
  }
  /// The answer that a file gives for columns of this model.
  double ofModel(const char* phenomenon, const std::string& id, const ColumnModel& model,
                 const char* word) const;
  std::vector<Phenomenon> m_phenomena;
};

namespace {

constexpr double kGravity = 9.81, kDegree = M_PI / 180;

ColumnModel facetsOf(int facets) {
  ColumnModel model;
  model.words = {"pyramid"};
  model.facets = facets;
  return model;
}
ColumnModel square() {
  ColumnModel model;
  model.words = {"box"};
  return model;
}

/// A step of the classical Runge–Kutta scheme of order 4.
template <std::size_t n>
using Vector = std::array<double, n>;
template <std::size_t n>
void advance(Vector<n>& y, double h, const std::function<Vector<n>(const Vector<n>&)>& rate) {
  const auto moved = [&](const Vector<n>& by, double share) {
    Vector<n> next = y;
    for (std::size_t k = 0; k < n; ++k) next[k] += share * by[k];
    return next;
  };
  const Vector<n> a = rate(y), b = rate(moved(a, h / 2)), c = rate(moved(b, h / 2)), d = rate(moved(c, h));
  for (std::size_t k = 0; k < n; ++k) y[k] += h / 6 * (a[k] + 2 * b[k] + 2 * c[k] + d[k]);
}

std::string text(double value) { return QByteArray::number(value).toStdString(); }

}  // namespace

void BatteryReferencesTest::initTestCase() { m_phenomena = loadPhenomena(TS_SOURCE_DIR "/datasets/battery"); }

const Measure& BatteryReferencesTest::measure(const char* phenomenon, const std::string& id) const {
  for (const Phenomenon& candidate : m_phenomena)
    for (const Measure& measure : candidate.measures)
      if (candidate.name == phenomenon && measure.id == id) return measure;
  static const Measure none;
  return none;
}

double BatteryReferencesTest::ofModel(const char* phenomenon, const std::string& id, const ColumnModel& model,
                                      const char* word) const {
  const Measure& asked = measure(phenomenon, id);
  const auto answer = asked.models.find(word);
  if (answer == asked.models.end()) return NAN;
  return findClosedForm(answer->second.closedForm)->value(answer->second.arguments, model);
}

void BatteryReferencesTest::aDraggedBoxHoldsInEveryDirection() {
  const double slope = std::atan(0.3);
  for (const double direction : {0.0, 22.5, 45.0})
    for (const double ratio : {0.72, 0.9, 0.98, 1.02, 1.1}) {
      const double friction = std::tan(slope) / ratio;
      const double excess = kGravity * (std::sin(slope) - friction * std::cos(slope));
      const std::string id = text(ratio) + " at " + text(direction);
      QVERIFY_NEAR(shipped("drag", id), std::max(0.0, excess), 1e-8);
    }
}

void BatteryReferencesTest::pyramidsAndSquaresHoldWhatTheirShapeSays() {
  const double slope = std::atan(0.3), pull = kGravity * std::sin(slope);
  const auto limit = [&](double ratio) { return pull / ratio; };
  for (const double direction : {0.0, 22.5, 45.0}) {
    const double angle = direction * kDegree;
    const double sum = std::cos(angle) + std::sin(angle);
    for (const double ratio : {0.72, 0.9, 0.98, 1.02, 1.1}) {
      const std::string id = text(ratio) + " at " + text(direction);
      // |f_x| + |f_z| ≤ μ N: the box slides along the normal of the facet, and at 0° along the axis.
      const double off = std::max(0.0, pull * sum - limit(ratio)) / std::sqrt(2);
      const double four = direction == 0 ? std::max(0.0, pull - limit(ratio)) : off;
      const double part = direction == 0 ? 1 : std::cos(45 * kDegree - angle);
      // |f_x| ≤ μ N and |f_z| ≤ μ N.
      const double x = std::max(0.0, pull * std::cos(angle) - limit(ratio));
      const double z = std::max(0.0, pull * std::sin(angle) - limit(ratio));
      // From rest: x(2) − x(1) = a (2² − 1²)/2.
      const bool holds = ratio < 1;
      QVERIFY_NEAR(ofModel("drag", id, facetsOf(4), "pyramid"), holds ? 1.5 * four : part * four, 1e-9);
      QVERIFY_NEAR(ofModel("drag", id, square(), "box"),
                   holds ? 1.5 * std::hypot(x, z) : x * std::cos(angle) + z * std::sin(angle), 1e-9);
      // Many facets are a cone.
      const double cone = std::max(0.0, pull - limit(ratio));
      QVERIFY_NEAR(ofModel("drag", id, facetsOf(3600), "pyramid"), holds ? 1.5 * cone : cone, 1e-5);
    }
  }
}

void BatteryReferencesTest::aTripodThatSlidesAndSpins() {
  constexpr double kInertia = 0.005, kFriction = 0.3, kRadius = 0.1, kHeight = 0.03, kStep = 1e-5;
  double least = kGravity;
  // vx, vz, spin, turned, x, z
  const auto rate = [&](const Vector<6>& y) {
    double ux[3], uz[3], px[3], pz[3];
    for (int foot = 0; foot < 3; ++foot) {
      const double angle = 0.2 + 2 * M_PI * foot / 3;
      const double x = kRadius * std::cos(angle), z = kRadius * std::sin(angle);
      px[foot] = std::cos(y[3]) * x + std::sin(y[3]) * z;
      pz[foot] = -std::sin(y[3]) * x + std::cos(y[3]) * z;
      const double vx = y[0] + y[2] * pz[foot], vz = y[1] - y[2] * px[foot], speed = std::hypot(vx, vz);
      ux[foot] = -kFriction * vx / speed;
      uz[foot] = -kFriction * vz / speed;
    }
    // Weights by elimination: the third is what the first two leave of g.
    const auto aboutX = [&](int k) { return -kHeight * uz[k] - pz[k]; };
    const auto aboutZ = [&](int k) { return px[k] + kHeight * ux[k]; };
    const double a = aboutX(0) - aboutX(2), b = aboutX(1) - aboutX(2), p = -kGravity * aboutX(2);
    const double c = aboutZ(0) - aboutZ(2), d = aboutZ(1) - aboutZ(2), q = -kGravity * aboutZ(2);
    const double first = (p * d - b * q) / (a * d - b * c), second = (a * q - p * c) / (a * d - b * c);
    const double weight[3] = {first, second, kGravity - first - second};
    double fx = 0, fz = 0, torque = 0;
    for (int foot = 0; foot < 3; ++foot) {
      least = std::min(least, weight[foot]);
      fx += weight[foot] * ux[foot];
      fz += weight[foot] * uz[foot];
      torque += weight[foot] * (pz[foot] * ux[foot] - px[foot] * uz[foot]);
    }
    return Vector<6>{fx, fz, torque / kInertia, y[2], y[0], y[1]};
  };
  Vector<6> y = {1, 0, 20, 0, 0, 0};
  double slow = 0;
  for (double time = 0; std::hypot(y[0], y[1]) + kRadius * y[2] > 3e-4; time += kStep) {
    if (y[2] >= 0.2) slow = time;
    advance<6>(y, kStep, rate);
  }
  QVERIFY_NEAR(shipped("slide-spin", "path"), y[4], 1e-6);
  QVERIFY_NEAR(shipped("slide-spin", "sideways"), y[5], 1e-6);
  QVERIFY_NEAR(shipped("slide-spin", "angle"), y[3], 1e-5);
  QVERIFY_NEAR(shipped("slide-spin", "time"), slow, 2 * kStep);
  QVERIFY_NEAR(least, 2.76, 0.01);  // no foot lifts
  // The form of the models, as a cone; and without spin the distance of a puck.
  const SlideAndSpin cone = slideAndSpin(0, kInertia, 1, 20, kFriction, kRadius, kHeight, kGravity, 0.2);
  QVERIFY_NEAR(cone.path, y[4], 1e-5);
  QVERIFY_NEAR(cone.angle, y[3], 1e-4);
  QVERIFY_NEAR(slideAndSpin(0, kInertia, 1, 0, kFriction, kRadius, 0, kGravity, 0).path,
               stoppingDistance(1, kFriction, kGravity), 1e-5);
  // Without sliding, the tripod of the battery under four facets.
  const SpinDown alone = pyramidSpinDown(4, kInertia, 20, kFriction, 1, kGravity, kRadius, 0.02);
  QVERIFY_NEAR(slideAndSpin(4, kInertia, 0, 20, kFriction, kRadius, 0, kGravity, 0.02).angle, alone.angle,
               1e-3);
  QVERIFY_NEAR(ofModel("slide-spin", "path", facetsOf(64), "pyramid"), y[4], 1e-3);
}

void BatteryReferencesTest::aBoxThatBouncesToRest() {
  struct Case {
    double restitution, threshold;
    std::vector<int> bounces;
  };
  for (const Case& one : {Case{0.5, 0.14, {1, 2}}, Case{0.8, 0.14, {1, 3, 5}}}) {
    const std::string e = "e" + text(one.restitution);
    double speed = std::sqrt(2 * kGravity * 0.2), time = speed / kGravity, last = 0;
    for (int bounce = 1; bounce <= 400; ++bounce) {
      const double away = one.restitution * speed;
      if (speed + away > one.threshold) last = time;
      if (std::count(one.bounces.begin(), one.bounces.end(), bounce)) {
        const std::string id = e + " apex " + std::to_string(bounce);
        QVERIFY_NEAR(shipped("zeno", id), away * away / (2 * kGravity), 1e-9);
        // The apex lies in the window of the measure, and the impacts do not.
        const QuantityQuery& query = measure("zeno", id).query;
        const double flight = 2 * away / kGravity;
        QVERIFY(query.from > time && query.to < time + flight);
        QVERIFY(query.from < time + flight / 2 && query.to > time + flight / 2);
      }
      time += 2 * away / kGravity;
      speed = away;
    }
    QVERIFY_NEAR(shipped("zeno", e + " last impact"), last, 1e-8);
    QCOMPARE(measure("zeno", e + " last impact").query.value, one.threshold);
    QVERIFY(measure("zeno", e + " rest").query.from > time && measure("zeno", e + " energy").query.at > time);
  }
}

void BatteryReferencesTest::aBlockThatRocks() {
  constexpr double kWidth = 0.2, kHeight = 0.6, kMass = 10, kStep = 1e-5;
  const double half = 0.5 * std::hypot(kWidth, kHeight), slender = std::atan(kWidth / kHeight);
  const double centre = kMass * (kWidth * kWidth + kHeight * kHeight) / 12;
  const double about = centre + kMass * half * half;
  // Angular momentum about the new edge before and after: m v × r of the centre moving about the old one.
  const double kept = (centre + kMass * half * half * std::cos(2 * slender)) / about;
  QVERIFY_NEAR(kept, 0.85, 1e-12);
  QVERIFY_NEAR(kept, 1 - 1.5 * std::pow(std::sin(slender), 2), 1e-12);
  // The lean from upright, positive to either side, falls back by −m g R sin (α − lean).
  const auto rate = [&](const Vector<2>& y) {
    return Vector<2>{y[1], -kMass * kGravity * half * std::sin(slender - y[0]) / about};
  };
  Vector<2> y = {0.6 * slender, 0};
  const double start = y[0], asked = measure("rocking", "rate").query.value * kDegree;
  double time = 0, found = 0;
  std::vector<double> reversals;
  int strikes = 0;
  while (reversals.size() < 2) {
    const Vector<2> before = y;
    advance<2>(y, kStep, rate);
    time += kStep;
    if (y[0] < 0) {
      y = {0, -kept * before[1]};
      ++strikes;
    }
    if (strikes == 1 && found == 0 && y[0] >= asked - start) found = y[1];
    if (strikes > 0 && before[1] > 0 && y[1] <= 0) reversals.push_back(time);
  }
  QVERIFY_NEAR(shipped("rocking", "rate"), found, 1e-4);
  QVERIFY_NEAR(shipped("rocking", "first"), reversals[0], 1e-4);
  QVERIFY_NEAR(shipped("rocking", "second"), reversals[1], 1e-4);
}

void BatteryReferencesTest::aTopThatPrecesses() {
  constexpr double kArm = 0.05, kAxial = 0.002, kSpin = 100, kStep = 1e-4;
  const double across = 0.0015 + kArm * kArm, lean = 20 * kDegree;
  const double a = across * std::cos(lean), b = kAxial * kSpin, c = kGravity * kArm;
  const double slow = (b - std::sqrt(b * b - 4 * a * c)) / (2 * a);
  // The axis n and the angular momentum L about the tip: L = A n × ṅ + C ω₃ n, L̇ = l n × m g.
  // ω₃ = L · n / C, ṅ = (L × n) / A.
  const auto rate = [&](const Vector<6>& y) {
    const double nx = y[0], ny = y[1], nz = y[2], lx = y[3], ly = y[4], lz = y[5];
    return Vector<6>{(ly * nz - lz * ny) / across,
                     (lz * nx - lx * nz) / across,
                     (lx * ny - ly * nx) / across,
                     kArm * nz * kGravity,
                     0,
                     -kArm * nx * kGravity};
  };
  const double sine = std::sin(lean), cosine = std::cos(lean);
  // n × ṅ of a precession about y with the rate `slow`.
  const double along = kAxial * kSpin;
  Vector<6> y = {sine,
                 cosine,
                 0,
                 along * sine - across * slow * sine * cosine,
                 along * cosine + across * slow * sine * sine,
                 0};
  double azimuth = 0, before = 0, nutation = 0;
  for (int step = 0; step < 10'000; ++step) {
    advance<6>(y, kStep, rate);
    const double now = std::atan2(y[2], y[0]);
    azimuth += std::remainder(now - before, 2 * M_PI);
    before = now;
    nutation = std::max(nutation, std::abs(y[1] - cosine));
  }
  QVERIFY(nutation < 1e-9);  // steady
  QVERIFY_NEAR(shipped("top", "precession"), azimuth / kDegree, 1e-5);
  QVERIFY_NEAR(shipped("top", "fine"), azimuth / kDegree, 1e-5);
  QVERIFY_NEAR(shipped("top", "axis"), azimuth / kDegree, 1e-5);
  QVERIFY_NEAR(shipped("top", "height"), kArm * cosine, 1e-10);
  // The rule of thumb is out of the tolerance.
  QVERIFY(c / b < slow * (1 - measure("top", "precession").tolerance.relative));
}

void BatteryReferencesTest::cornersThatStrikeAslant() {
  constexpr double kMass = 1, kInertia = 0.004, kArm = 0.1, kDown = 2, kAlong = 1;
  for (const double restitution : {0.0, 0.5})
    for (const auto& [lane, friction] : {std::pair{"slides", 0.05}, std::pair{"sticks", 0.5}})
      for (const double direction : {0.0, 45.0}) {
        // The point below the centre: v_n = p_n / m − 2, v_t = 1 + p_t (1/m + d²/I). It sticks if that is
        // within the cone.
        const double normal = kMass * (1 + restitution) * kDown;
        const double stop = -kAlong / (1 / kMass + kArm * kArm / kInertia);
        const double impulse = std::abs(stop) <= friction * normal ? stop : -friction * normal;
        const std::string id = "e" + text(restitution) + " " + lane + " " + text(direction);
        QVERIFY_NEAR(shipped("oblique", id), impulse / kMass, 1e-9);
        QVERIFY_NEAR(shipped("oblique", id + " spin"), -impulse * kArm / kInertia, 1e-8);
        // Along the diagonal four facets have 1/√2 of the friction, and the square √2 of it.
        const double share = direction == 0 ? 1 : std::sqrt(0.5);
        const double four = -std::min(std::abs(stop), share * friction * normal);
        QVERIFY_NEAR(ofModel("oblique", id, facetsOf(4), "pyramid"), four / kMass, 1e-9);
        QVERIFY_NEAR(ofModel("oblique", id + " spin", facetsOf(4), "pyramid"), -four * kArm / kInertia, 1e-8);
        const double wide = -std::min(std::abs(stop), friction * normal / share);
        QVERIFY_NEAR(ofModel("oblique", id, square(), "box"), wide / kMass, 1e-9);
      }
  // A spring at the start of the step gives all back: twice the normal impulse of e = 0.
  ColumnModel spring;
  spring.words = {"elastic"};
  spring.stiffness = 1e8;
  spring.step = 5e-6;
  QVERIFY_NEAR(ofModel("oblique", "e0 slides 0", spring, "elastic"), -0.2, 1e-4);
}

QTEST_APPLESS_MAIN(BatteryReferencesTest)
#include "tst_battery_references.moc"
