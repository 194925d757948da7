#include <QtTest>
#include <algorithm>
#include <limits>
#include <random>

#include "core/math/count.h"
#include "core/solver/rows/law.h"
#include "tests/support/near.h"

using namespace touchstone;

/// Failures of laws and impulses that they allow, against values by hand.
class RowLawTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void failuresOfIntervals_data();
  void failuresOfIntervals();
  void failuresOfDisks_data();
  void failuresOfDisks();
  void adjacentDisksOfTwoLeadersAreSeparate();
  void failuresOfSets_data();
  void failuresOfSets();
  void membersAndTransientRowsDoNotFail();
  void notANumberFails_data();
  void notANumberFails();
  void impulsesAreMovedToTheNearestAllowed_data();
  void impulsesAreMovedToTheNearestAllowed();
  void allowedImpulsesStay();
};

constexpr double kScale = 4;  // r of the rows whose failures are computed by hand
constexpr double kNone = -1;  // failure of a row that eachFailure() leaves out
using Numbers = std::vector<double>;

static Row ofLaw(RowLaw law, double bound = 0, short leader = 0) { return {0, 0, bound, 1, leader, law, 0}; }

/// Failures of the rows of a unit; kNone of those without a call, NaN of those with two.
static Numbers failuresOf(const std::vector<Row>& rows, const Numbers& z, const Numbers& w) {
  Numbers failures(rows.size(), kNone);
  const Numbers scales(rows.size(), kScale), inverses(rows.size(), 1 / kScale);
  eachFailure(rows.data(), countOf(rows), z.data(), w.data(), scales.data(), inverses.data(),
              [&](int row, double failure) { failures[row] = failures[row] == kNone ? failure : NAN; });
  return failures;
}

void RowLawTest::failuresOfIntervals_data() {
  QTest::addColumn<int>("law");
  QTest::addColumn<double>("bound");
  QTest::addColumn<double>("z");
  QTest::addColumn<double>("w");
  QTest::addColumn<double>("expected");
  const auto add = [](const char* name, RowLaw law, double bound, double z, double w, double expected) {
    QTest::newRow(name) << static_cast<int>(law) << bound << z << w << expected;
  };
  add("free at rest", RowLaw::Free, 0, -7, 0, 0);
  add("free and moving", RowLaw::Free, 0, 7, 0.5, 0.5);
  add("free and moving back", RowLaw::Free, 0, 7, -0.5, 0.5);
  add("unilateral that separates", RowLaw::Unilateral, 0, 0, 3, 0);
  add("unilateral that presses", RowLaw::Unilateral, 0, 2, 0, 0);
  add("unilateral that touches", RowLaw::Unilateral, 0, 0, 0, 0);
  add("unilateral that presses and separates slowly", RowLaw::Unilateral, 0, 2, 0.5, 0.5);
  add("unilateral that presses little and separates", RowLaw::Unilateral, 0, 0.25, 3, 1);
  add("unilateral that approaches", RowLaw::Unilateral, 0, 0, -3, 3);
  add("unilateral that pulls", RowLaw::Unilateral, 0, -1, 3, 4);
  add("unilateral that pulls and approaches", RowLaw::Unilateral, 0, -1, -5, 5);
  add("symmetric within", RowLaw::Symmetric, 2, -1, 0, 0);
  add("symmetric at the upper bound", RowLaw::Symmetric, 2, 2, -5, 0);
  add("symmetric at the lower bound", RowLaw::Symmetric, 2, -2, 5, 0);
  add("symmetric at the upper bound at rest", RowLaw::Symmetric, 2, 2, 0, 0);
  add("symmetric at the lower bound at rest", RowLaw::Symmetric, 2, -2, 0, 0);
  add("symmetric within, moving", RowLaw::Symmetric, 2, 1, 0.5, 0.5);
  add("symmetric within, moving to the lower bound", RowLaw::Symmetric, 2, -1, 20, 4);
  add("symmetric within, moving to the upper bound", RowLaw::Symmetric, 2, 1, -20, 4);
  add("symmetric at the wrong bound", RowLaw::Symmetric, 2, 2, 5, 5);
  add("symmetric at the wrong bound, fast", RowLaw::Symmetric, 2, -2, -20, 16);
  add("symmetric beyond its upper bound", RowLaw::Symmetric, 2, 3, -5, 4);
  add("symmetric beyond its lower bound", RowLaw::Symmetric, 2, -3, 5, 4);
  add("symmetric with a bound of 0", RowLaw::Symmetric, 0, 0, -3, 0);
  add("fixed", RowLaw::Fixed, 1.5, 1.5, -3, 0);
  add("fixed, negative", RowLaw::Fixed, -1.5, -1.5, 3, 0);
  add("fixed, too small", RowLaw::Fixed, 1.5, 1, 0, 2);
  add("fixed, too large", RowLaw::Fixed, 1.5, 2, -9, 2);
}

void RowLawTest::failuresOfIntervals() {
  QFETCH(int, law);
  QFETCH(double, bound);
  QFETCH(double, z);
  QFETCH(double, w);
  QFETCH(double, expected);
  // The row stands between others, whose numbers must not count.
  const std::vector<Row> rows = {ofLaw(RowLaw::Free), ofLaw(static_cast<RowLaw>(law), bound),
                                 ofLaw(RowLaw::Free)};
  QCOMPARE(failuresOf(rows, {9, z, 9}, {11, w, 13}), (Numbers{11, expected, 13}));
}

void RowLawTest::failuresOfDisks_data() {
  QTest::addColumn<double>("normal");  // impulse of the leader; μ is 1/2
  QTest::addColumn<Numbers>("beta");
  QTest::addColumn<Numbers>("w");
  QTest::addColumn<double>("expected");
  QTest::newRow("within") << 10.0 << Numbers{3, -1} << Numbers{0, 0} << 0.0;
  QTest::newRow("within, sliding") << 10.0 << Numbers{1, 0} << Numbers{3, 4} << 5.0;
  QTest::newRow("on the cone at rest") << 10.0 << Numbers{3, 4} << Numbers{0, 0} << 0.0;
  QTest::newRow("on the cone, slip against it") << 10.0 << Numbers{3, 4} << Numbers{-12, -16} << 0.0;
  QTest::newRow("on the cone, slip along it") << 10.0 << Numbers{3, 4} << Numbers{6, 8} << 10.0;
  QTest::newRow("on the cone, slip across it")
      << 10.0 << Numbers{0, 5} << Numbers{-48, 0} << kScale * std::hypot(60 / 13.0, 5 - 25 / 13.0);
  QTest::newRow("beyond the cone") << 10.0 << Numbers{6, 8} << Numbers{0, 0} << 20.0;
  QTest::newRow("beyond the cone, sliding") << 10.0 << Numbers{6, 8} << Numbers{-24, -32} << 20.0;
  QTest::newRow("leader at 0") << 0.0 << Numbers{0, 0} << Numbers{-3, 7} << 0.0;
  QTest::newRow("friction with the leader at 0") << 0.0 << Numbers{3, 4} << Numbers{-12, -16} << 20.0;
  QTest::newRow("friction with a leader that pulls") << -10.0 << Numbers{3, 4} << Numbers{0, 0} << 20.0;
  QTest::newRow("leader that pulls") << -10.0 << Numbers{0, 0} << Numbers{1, 2} << 0.0;
  QTest::newRow("one row within") << 10.0 << Numbers{-3} << Numbers{0} << 0.0;
  QTest::newRow("one row within, sliding") << 10.0 << Numbers{-3} << Numbers{2} << 2.0;
  QTest::newRow("one row on the cone, slip against it") << 10.0 << Numbers{-5} << Numbers{12} << 0.0;
  QTest::newRow("one row on the cone, slip along it") << 10.0 << Numbers{5} << Numbers{12} << 12.0;
  QTest::newRow("one row beyond the cone") << 10.0 << Numbers{8} << Numbers{0} << 12.0;
  QTest::newRow("one row, leader at 0") << 0.0 << Numbers{0} << Numbers{-3} << 0.0;
  QTest::newRow("one row with the leader at 0") << 0.0 << Numbers{-2} << Numbers{0} << 8.0;
}

void RowLawTest::failuresOfDisks() {
  QFETCH(double, normal);
  QFETCH(Numbers, beta);
  QFETCH(Numbers, w);
  QFETCH(double, expected);
  const int count = countOf(beta);
  const double ofNormal = normal < 0 ? -kScale * normal : 0;
  // The leader is the row before the disk, the first of two normals, or the second.
  struct Place {
    std::vector<Row> normals;
    Numbers z, failures;
    short leader;
  };
  const Row unilateral = ofLaw(RowLaw::Unilateral), maximum = ofLaw(RowLaw::Maximum);
  const Place places[] = {{{unilateral}, {normal}, {ofNormal}, 1},
                          {{maximum}, {normal}, {ofNormal}, 1},
                          {{unilateral, unilateral}, {normal, 999}, {ofNormal, 0}, 2},
                          {{unilateral, unilateral}, {normal, 0}, {ofNormal, 0}, 2},
                          {{unilateral, unilateral}, {999, normal}, {0, ofNormal}, 1},
                          {{unilateral, unilateral}, {0, normal}, {0, ofNormal}, 1}};
  for (const Place& place : places) {
    std::vector<Row> rows = place.normals;
    Numbers z = place.z, rates(rows.size(), 0.0), failures = place.failures;
    for (int row = 0; row < count; ++row) {
      rows.push_back(ofLaw(RowLaw::Disk, 0.5, static_cast<short>(place.leader + row)));
      z.push_back(beta[row]);
      rates.push_back(w[row]);
      failures.push_back(row == 0 ? expected : kNone);
    }
    // Friction of another contact follows, which must not be part of this disk.
    rows.push_back(ofLaw(RowLaw::Unilateral));
    rows.push_back(ofLaw(RowLaw::Disk, 0.5, 1));
    z.insert(z.end(), {2, 1});
    rates.insert(rates.end(), {0, -7});
    failures.insert(failures.end(), {0, 0});
    const Numbers actual = failuresOf(rows, z, rates);
    for (int row = 0; row < countOf(rows); ++row)
      QVERIFY_NEAR(actual[row], failures[row], failures[row] > 0 ? 1e-14 : 0);
  }
}

void RowLawTest::adjacentDisksOfTwoLeadersAreSeparate() {
  const std::vector<Row> rows = {ofLaw(RowLaw::Unilateral), ofLaw(RowLaw::Unilateral),
                                 ofLaw(RowLaw::Disk, 0.5, 2), ofLaw(RowLaw::Disk, 0.5, 2)};
  QCOMPARE(failuresOf(rows, {10, 0, 3, 0}, {0, 0, 0, -7}), (Numbers{0, 0, 0, 0}));
  Numbers z = {10, 0, 3, 4};
  allow(rows.data(), countOf(rows), z.data());
  QCOMPARE(z, (Numbers{10, 0, 3, 0}));
}

void RowLawTest::failuresOfSets_data() {
  QTest::addColumn<double>("z");
  QTest::addColumn<double>("w");
  QTest::addColumn<Numbers>("ofMembers");
  QTest::addColumn<double>("expected");
  QTest::newRow("separates by its primary") << 0.0 << 3.0 << Numbers{-1, -2} << 0.0;
  QTest::newRow("separates by its first member") << 0.0 << -3.0 << Numbers{1, -2} << 0.0;
  QTest::newRow("separates by its last member") << 0.0 << -3.0 << Numbers{-1, 2} << 0.0;
  QTest::newRow("presses at its primary") << 2.0 << 0.0 << Numbers{-1, -2} << 0.0;
  QTest::newRow("presses at a member") << 2.0 << -3.0 << Numbers{-1, 0} << 0.0;
  QTest::newRow("presses and separates by a member") << 2.0 << 0.0 << Numbers{-1, 0.5} << 0.5;
  QTest::newRow("presses little, separates by a member") << 0.25 << -1.0 << Numbers{3, 0.5} << 1.0;
  QTest::newRow("approaches") << 0.0 << -3.0 << Numbers{-1, -2} << 1.0;
  QTest::newRow("approaches least at its primary") << 0.0 << -1.0 << Numbers{-3, -2} << 1.0;
  QTest::newRow("pulls") << -1.0 << 0.0 << Numbers{-1, -2} << 4.0;
  QTest::newRow("without members") << 2.0 << -3.0 << Numbers{} << 3.0;
}

void RowLawTest::failuresOfSets() {
  QFETCH(double, z);
  QFETCH(double, w);
  QFETCH(Numbers, ofMembers);
  QFETCH(double, expected);
  std::vector<Row> rows = {ofLaw(RowLaw::Maximum), ofLaw(RowLaw::Disk, 0.5, 1), ofLaw(RowLaw::Disk, 0.5, 2)};
  Numbers impulses = {z, 0, 0}, rates = {w, 0, 0}, failures = {expected, 0, kNone};
  for (const double rate : ofMembers) {
    rows.push_back(ofLaw(RowLaw::Member, 0, static_cast<short>(rows.size())));
    impulses.push_back(0);
    rates.push_back(rate);
    failures.push_back(kNone);
  }
  QCOMPARE(failuresOf(rows, impulses, rates), failures);
}

void RowLawTest::membersAndTransientRowsDoNotFail() {
  const RowLaw laws[] = {RowLaw::Free, RowLaw::Unilateral, RowLaw::Symmetric, RowLaw::Fixed, RowLaw::Maximum};
  for (const RowLaw law : laws) {
    Row row = ofLaw(law, 1);
    row.flags = kTransient;
    for (const double number : {-5.0, 0.0, 5.0, static_cast<double>(NAN)})
      QCOMPARE(failuresOf({ofLaw(RowLaw::Free), row}, {0, number}, {2, number}), (Numbers{2, kNone}));
  }
  QCOMPARE(failuresOf({ofLaw(RowLaw::Member, 0, 0)}, {-5}, {-7}), (Numbers{kNone}));
}

void RowLawTest::notANumberFails_data() {
  QTest::addColumn<int>("law");
  QTest::addColumn<int>("row");      // whose z or w is not a number
  QTest::addColumn<bool>("isRate");  // w
  const struct {
    const char* name;
    RowLaw law;
    int rows;
  } units[] = {{"free", RowLaw::Free, 1},           {"unilateral with friction", RowLaw::Unilateral, 3},
               {"symmetric", RowLaw::Symmetric, 1}, {"fixed", RowLaw::Fixed, 1},
               {"set", RowLaw::Maximum, 5},         {"one row of friction", RowLaw::Disk, 2}};
  for (const auto& unit : units)
    for (int row = 0; row < unit.rows; ++row)
      for (const bool isRate : {false, true})
        if (isRate || row < 3)  // impulses of Members are not read
          QTest::newRow(
              qPrintable(QStringLiteral("%1, %2 of row %3").arg(unit.name, isRate ? "w" : "z").arg(row)))
              << static_cast<int>(unit.law) << row << isRate;
}

void RowLawTest::notANumberFails() {
  QFETCH(int, law);
  QFETCH(int, row);
  QFETCH(bool, isRate);
  const RowLaw first = static_cast<RowLaw>(law);
  std::vector<Row> rows = {ofLaw(first, 1)};
  if (first == RowLaw::Disk) rows = {ofLaw(RowLaw::Unilateral), ofLaw(RowLaw::Disk, 0.5, 1)};
  if (first == RowLaw::Unilateral || first == RowLaw::Maximum)
    rows.insert(rows.end(), {ofLaw(RowLaw::Disk, 0.5, 1), ofLaw(RowLaw::Disk, 0.5, 2)});
  if (first == RowLaw::Maximum)
    rows.insert(rows.end(), {ofLaw(RowLaw::Member, 0, 3), ofLaw(RowLaw::Member, 0, 4)});
  // Without the number no row fails: at rest without impulse, and pressed. A Fixed row has its bound.
  for (const double normal : {0.0, 1.0}) {
    Numbers z(rows.size(), 0.0), w(rows.size(), 0.0);
    z[0] = first == RowLaw::Fixed ? 1 : normal;
    for (const double failure : failuresOf(rows, z, w)) QVERIFY(failure <= 0);
    (isRate ? w : z)[row] = std::numeric_limits<double>::quiet_NaN();
    const Numbers failures = failuresOf(rows, z, w);
    QVERIFY(std::any_of(failures.begin(), failures.end(), [](double f) { return !std::isfinite(f); }));
  }
}

void RowLawTest::impulsesAreMovedToTheNearestAllowed_data() {
  QTest::addColumn<Numbers>("given");
  QTest::addColumn<Numbers>("expected");
  // Free, Unilateral, Symmetric 2, Fixed 1.5; Maximum with a disk of two rows and a Member; Unilateral with a
  // disk of one row; μ is 1/2.
  QTest::newRow("allowed") << Numbers{-7, 3, -1, 1.5, 10, 1, -2, 0, 4, -1}
                           << Numbers{-7, 3, -1, 1.5, 10, 1, -2, 0, 4, -1};
  QTest::newRow("at the bounds") << Numbers{0, 0, 2, 1.5, 10, 3, -4, 0, 4, 2}
                                 << Numbers{0, 0, 2, 1.5, 10, 3, -4, 0, 4, 2};
  QTest::newRow("at the other bounds")
      << Numbers{0, 0, -2, 1.5, 0, 0, 0, 0, 4, -2} << Numbers{0, 0, -2, 1.5, 0, 0, 0, 0, 4, -2};
  QTest::newRow("beyond") << Numbers{7, -3, 5, 9, 10, 6, 8, 5, 4, 9}
                          << Numbers{7, 0, 2, 1.5, 10, 3, 4, 0, 4, 2};
  QTest::newRow("beyond on the other side")
      << Numbers{7, -1e-9, -5, -9, 10, -6, -8, -5, 4, -9} << Numbers{7, 0, -2, 1.5, 10, -3, -4, 0, 4, -2};
  QTest::newRow("leaders that pull") << Numbers{0, 1, 1, 1.5, -10, 3, 4, 0, -4, 1}
                                     << Numbers{0, 1, 1, 1.5, 0, 0, 0, 0, 0, 0};
}

static std::vector<Row> rowsOfEachLaw() {
  return {ofLaw(RowLaw::Free),         ofLaw(RowLaw::Unilateral),   ofLaw(RowLaw::Symmetric, 2),
          ofLaw(RowLaw::Fixed, 1.5),   ofLaw(RowLaw::Maximum),      ofLaw(RowLaw::Disk, 0.5, 1),
          ofLaw(RowLaw::Disk, 0.5, 2), ofLaw(RowLaw::Member, 0, 3), ofLaw(RowLaw::Unilateral),
          ofLaw(RowLaw::Disk, 0.5, 1)};
}

void RowLawTest::impulsesAreMovedToTheNearestAllowed() {
  QFETCH(Numbers, given);
  QFETCH(Numbers, expected);
  const std::vector<Row> rows = rowsOfEachLaw();
  allow(rows.data(), countOf(rows), given.data());
  QCOMPARE(given, expected);
}

void RowLawTest::allowedImpulsesStay() {
  const std::vector<Row> rows = rowsOfEachLaw();
  std::mt19937 random(9);
  std::uniform_real_distribution<double> number(-5, 5);
  int moved = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    Numbers z;
    for (int row = 0; row < countOf(rows); ++row) z.push_back(number(random));
    const Numbers given = z;
    allow(rows.data(), countOf(rows), z.data());
    QCOMPARE(z[0], given[0]);
    QVERIFY(z[1] >= 0 && std::abs(z[2]) <= 2 && z[3] == 1.5 && z[4] >= 0 && z[7] == 0 && z[8] >= 0);
    // A disk's limit is met up to the rounding of the share and of its products.
    QVERIFY(std::hypot(z[5], z[6]) <= 0.5 * z[4] * (1 + 1e-15));
    QVERIFY(std::abs(z[9]) <= 0.5 * z[8] * (1 + 1e-15));
    moved += z != given;
    z[5] *= 1 - 1e-12;
    z[6] *= 1 - 1e-12;
    z[9] *= 1 - 1e-12;
    Numbers again = z;
    allow(rows.data(), countOf(rows), again.data());
    QVERIFY(again == z);
  }
  QCOMPARE(moved, 1000);  // Fixed alone moves each
}

QTEST_APPLESS_MAIN(RowLawTest)
#include "tst_row_law.moc"
