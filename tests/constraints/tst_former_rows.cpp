#include <QtTest>

#include "core/constraints/joint_velocity_rows.h"
#include "tests/support/constrained_world.h"
#include "tests/support/near.h"

using namespace touchstone;
using test::ConstrainedWorld;

/// Rows of joints against those of the code that they replace, jointVelocityRows(), to the bit. To be deleted
/// with that code.
class FormerRowsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void jointsAtTheStart_data() { seeds(); }
  void jointsAtTheStart();
  void totalsOfJoints_data() { seeds(); }
  void totalsOfJoints();

 private:
  static void seeds() {
    QTest::addColumn<unsigned>("seed");
    for (unsigned seed = 1; seed <= 8; ++seed) QTest::addRow("seed %u", seed) << seed;
  }
};

namespace {

RowBuffer rowsOfJoints(const ConstrainedWorld& world) {
  RowBuffer rows;
  const JointBlocks kind{world.world};
  for (int joint = 0; joint < kind.count(); ++joint) kind.write(joint, {world.world, world.h, nullptr}, rows);
  return rows;
}

JointVelocityRows formerRows(const ConstrainedWorld& world) {
  std::vector<Vec3> linear = world.world.nextLinearVelocity, angular = world.world.nextAngularVelocity;
  return jointVelocityRows(
      world.world,
      placedAt({world.world.position.begin(), world.world.position.begin() + ConstrainedWorld::kBodies},
               world.world.orientation),
      {linear.data(), angular.data()}, world.h);
}

}  // namespace

void FormerRowsTest::jointsAtTheStart() {
  QFETCH(unsigned, seed);
  const ConstrainedWorld world(seed);
  const RowBuffer rows = rowsOfJoints(world);
  const JointVelocityRows former = formerRows(world);
  QCOMPARE(countOf(rows.rows), countOf(former.rows.rows));
  int index = 0;
  for (const RowBlock& block : rows.blocks)
    for (int row = 0; row < block.rowCount; ++row, ++index) {
      const Row &expected = former.rows.rows[index], &ask = rows.rows[block.firstRow + row];
      QCOMPARE(former.sources[index].joint, block.key.first);
      QVERIFY(ask.constant == expected.constant && ask.compliance == expected.compliance);
      QVERIFY(ask.law == expected.law || !std::isfinite(ask.bound));  // a drive without a largest force
      if (ask.law == RowLaw::Symmetric && std::isfinite(ask.bound)) QVERIFY(ask.bound == expected.bound);
    }
  QCOMPARE(countOf(rows.terms), countOf(former.rows.terms));
  QVERIFY(rows.carriers == former.rows.carriers);
  for (int term = 0; term < countOf(rows.terms); ++term)
    QVERIFY(rows.terms[term].linear == former.rows.terms[term].linear &&
            rows.terms[term].angular == former.rows.terms[term].angular);
}

void FormerRowsTest::totalsOfJoints() {
  QFETCH(unsigned, seed);
  const ConstrainedWorld world(seed);
  const RowBuffer rows = rowsOfJoints(world);
  std::vector<double> z;
  for (int row = 0; row < countOf(rows.rows); ++row) z.push_back(std::sin(7.0 * row + seed));
  const JointTotals totals =
      totalsOf(rows.view(), countOf(rows.blocks), z.data(), {world.world, world.h, nullptr}, {});
  const JointTotals expected = totalsOf(formerRows(world), z, world.world, {});
  QVERIFY(totals.groundImpulse == expected.groundImpulse);
  QVERIFY(totals.groundAngularImpulse == expected.groundAngularImpulse);
  QCOMPARE(totals.joints.size(), expected.joints.size());
  for (std::size_t joint = 0; joint < totals.joints.size(); ++joint) {
    const JointState &one = totals.joints[joint], &other = expected.joints[joint];
    QVERIFY(one.force == other.force && one.torque == other.torque && one.drive == other.drive);
    QVERIFY(one.friction == other.friction && one.limit == other.limit && one.isLargest == other.isLargest);
  }
}

QTEST_APPLESS_MAIN(FormerRowsTest)
#include "tst_former_rows.moc"
