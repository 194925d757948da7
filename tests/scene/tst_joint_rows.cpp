#include <QtTest>

#include "core/scene/joint_rows.h"
#include "tests/support/near.h"
#include "tests/support/vectors.h"

using namespace touchstone;
using nlohmann::json;
Q_DECLARE_METATYPE(const nlohmann::json*)

class JointRowsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { m_files = test::referenceFiles(QStringLiteral("bodies-vectors")); }
  void hasTheErrorsAndRowsOfTheReference_data();
  void hasTheErrorsAndRowsOfTheReference();
  void rowsAreTheRatesOfTheErrors_data();
  void rowsAreTheRatesOfTheErrors();
  void aTwistCountsTurns();
  void aRopePullsOnly();

 private:
  std::vector<json> m_files;
};

static Vec3 vec(const json& v) { return {v[0].get<double>(), v[1].get<double>(), v[2].get<double>()}; }
static Quaternion quaternion(const json& q) {
  return {q[0].get<double>(), q[1].get<double>(), q[2].get<double>(), q[3].get<double>()};
}

static JointKind kindOf(const std::string& name) {
  const std::pair<const char*, JointKind> kinds[] = {
      {"ball", JointKind::Ball},   {"revolute", JointKind::Revolute}, {"prismatic", JointKind::Prismatic},
      {"fixed", JointKind::Fixed}, {"beam", JointKind::Beam},         {"distance", JointKind::Distance}};
  for (const auto& [key, kind] : kinds)
    if (name == key) return kind;
  throw std::runtime_error("unknown kind " + name);
}

struct Reference {
  explicit Reference(const json& c)
      : kind(kindOf(c["kind"])),
        frames{vec(c["anchorA"]), vec(c["anchorB"]), quaternion(c["frameA"]), quaternion(c["frameB"])},
        length(c.value("length", 0.0)),
        a{vec(c["xA"]), quaternion(c["qA"])},
        b{vec(c["xB"]), quaternion(c["qB"])} {}
  JointRows rows() const { return jointRows(kind, frames, length, a, b); }

  JointKind kind;
  JointFrames frames;
  double length;
  BodyPose a, b;
};

static double differenceOf(const JacobianRow& row, const json& expected) {
  double largest = 0;
  const Vec3* parts[] = {&row.linearA, &row.angularA, &row.linearB, &row.angularB};
  for (int k = 0; k < 12; ++k)
    largest = std::max(largest, std::abs((*parts[k / 3])[k % 3] - expected[k].get<double>()));
  return largest;
}

void JointRowsTest::hasTheErrorsAndRowsOfTheReference_data() {
  QTest::addColumn<const json*>("reference");
  for (std::size_t file = 0; file < m_files.size(); ++file) {
    int index = 0;
    if (!m_files[file].contains("joints")) continue;
    for (const json& c : m_files[file]["joints"])
      QTest::newRow(qPrintable(
          QStringLiteral("%1 %2 %3").arg(file).arg(index++).arg(QString::fromStdString(c["kind"]))))
          << &c;
  }
}

void JointRowsTest::hasTheErrorsAndRowsOfTheReference() {
  QFETCH(const json*, reference);
  const json& c = *reference;
  const Reference joint(c);
  const JointRows rows = joint.rows();
  QCOMPARE(rows.count, static_cast<int>(c["rows"].size()));
  for (int row = 0; row < rows.count; ++row) {
    QVERIFY_NEAR(rows.error[row], c["error"][row].get<double>(), 1e-12);
    QVERIFY_NEAR(differenceOf(rows.row[row], c["rows"][row]), 0, 1e-12);
  }
  if (!c.contains("coordinate")) return;
  const JointCoordinate coordinate = jointCoordinate(joint.kind, joint.frames, joint.a, joint.b);
  QVERIFY_NEAR(coordinate.value, c["coordinate"].get<double>(), 1e-12);
  QVERIFY_NEAR(differenceOf(coordinate.row, c["coordinate_row"]), 0, 1e-12);
}

void JointRowsTest::rowsAreTheRatesOfTheErrors_data() { hasTheErrorsAndRowsOfTheReference_data(); }

static BodyPose moved(const BodyPose& pose, const Vec3& velocity, const Vec3& omega, double time) {
  const double angle = omega.norm() * time;
  const Vec3 axis = std::sin(0.5 * angle) * omega.normalized();
  const Quaternion rotation(std::cos(0.5 * angle), axis.x(), axis.y(), axis.z());
  return {pose.position + time * velocity, product(rotation, pose.orientation)};
}

// Central differences; with the rope, and the twist of frames that are turned against each other.
void JointRowsTest::rowsAreTheRatesOfTheErrors() {
  QFETCH(const json*, reference);
  const Reference joint(*reference);
  const Vec3 va(0.3, -0.7, 0.2), wa(1.1, 0.4, -0.6), vb(-0.5, 0.1, 0.9), wb(-0.3, 0.8, 0.5);
  const double h = 1e-6;
  const auto rateOf = [&](const JacobianRow& row) {
    return row.linearA.dot(va) + row.angularA.dot(wa) + row.linearB.dot(vb) + row.angularB.dot(wb);
  };
  for (const JointKind kind : {joint.kind, JointKind::Rope, JointKind::Beam}) {
    const auto rowsAt = [&](double time) {
      return jointRows(kind, joint.frames, joint.length, moved(joint.a, va, wa, time),
                       moved(joint.b, vb, wb, time));
    };
    const JointRows now = rowsAt(0), before = rowsAt(-h), after = rowsAt(h);
    for (int row = 0; row < now.count; ++row)
      QVERIFY_NEAR(rateOf(now.row[row]), (after.error[row] - before.error[row]) / (2 * h), 1e-7);
  }
  for (const JointKind kind : {JointKind::Revolute, JointKind::Prismatic}) {
    const auto coordinateAt = [&](double time) {
      return jointCoordinate(kind, joint.frames, moved(joint.a, va, wa, time), moved(joint.b, vb, wb, time));
    };
    QVERIFY_NEAR(rateOf(coordinateAt(0).row), (coordinateAt(h).value - coordinateAt(-h).value) / (2 * h),
                 1e-7);
  }
}

void JointRowsTest::aTwistCountsTurns() {
  double twist = 0;
  const JointFrames frames;
  for (int k = 1; k <= 40; ++k) {
    const BodyPose b = moved({}, Vec3(0, 0, 0), Vec3(1, 0, 0), 0.5 * k);
    twist = unwrapped(twist, jointTwist(frames, {}, b).value);
    QVERIFY_NEAR(twist, 0.5 * k, 1e-12);
  }
}

void JointRowsTest::aRopePullsOnly() {
  const JointFrames frames;
  const auto slack = [&](double apart) {
    return jointRows(JointKind::Rope, frames, 1, {}, {Vec3(apart, 0, 0), Quaternion(1, 0, 0, 0)});
  };
  QVERIFY_NEAR(slack(0.25).error[0], 0.75, 1e-15);
  QVERIFY(slack(0.25).row[0].linearB == Vec3(-1, 0, 0));  // a force λ ≥ 0 pulls B towards A
  QCOMPARE(slack(0).count, 0);
}

QTEST_APPLESS_MAIN(JointRowsTest)
#include "tst_joint_rows.moc"
