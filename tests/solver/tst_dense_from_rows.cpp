#include <QtTest>
#include <cmath>
#include <stdexcept>

#include "tests/support/near.h"
#include "tests/support/row_models.h"

using namespace touchstone;
using namespace touchstone::test;

/// The dense problem of rows of a table against pushes and rates that are measured without it.
class DenseFromRowsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void columnsOfContactsAreMeasuredPushes_data();
  void columnsOfContactsAreMeasuredPushes();
  void withoutFrictionContactsHaveOneUnknown();
  void aSetHasSlacks();
  void jointRowsFollowTheirFiniteDifferences();
  void equationsComeFirstAndLimitsLast();
  void givenImpulsesArePartOfTheOffset();
  void transientRowsAreLeftOut();
  void anotherGradientOfImpulsesIsUsedForColumns();
  void compliantTangentsBecomeCompliantFacets();
  void impulsesBecomeUnknownsAndReturn();
  void slacksAreTheRunningMaximum();
  void facetsAddUpToTangents();
  void tooManyRowsAreRefused();
};

void DenseFromRowsTest::columnsOfContactsAreMeasuredPushes_data() {
  QTest::addColumn<int>("facets");
  QTest::addColumn<bool>("planar");
  QTest::newRow("disk") << 0 << false;
  QTest::newRow("disk in the plane") << 0 << true;
  QTest::newRow("pyramid of 4") << 4 << false;
  QTest::newRow("pyramid of 8") << 8 << false;
  QTest::newRow("pyramid in the plane") << 2 << true;
}

void DenseFromRowsTest::columnsOfContactsAreMeasuredPushes() {
  QFETCH(int, facets);
  QFETCH(bool, planar);
  constexpr double kFriction = 0.3;
  Model model(2);
  const std::vector<Touch> touches = touchesOfBoxes(planar);
  addTouches(touches, kFriction, planar, model);
  ModelSettings settings;
  settings.planar = planar;
  settings.velocityUnit = 2;
  if (facets > 0) {
    settings.friction = FrictionShape::Pyramid;
    settings.facets = facets;
  }
  const DenseProblem dense = model.dense(settings);

  std::vector<Expected> unknowns;
  std::vector<int> normals, sigmas;
  for (const Touch& touch : touches) {
    normals.push_back(countOf(unknowns));
    unknowns.push_back(along(model, touch, touch.constant, touch.normal));
    Vec3 first, second;
    contactTangents(touch.normal, planar, first, second);
    for (int k = 0; k < (facets > 0 ? facets : planar ? 1 : 2); ++k) {
      const double angle = facets > 0 ? 2 * M_PI * (k / 2) / facets : M_PI / 2 * k;
      const Vec3 direction =
          (facets > 0 && k % 2 == 1 ? -1 : 1) * (std::cos(angle) * first + std::sin(angle) * second);
      unknowns.push_back(along(model, touch, 0, direction));
    }
    sigmas.push_back(countOf(unknowns));
    if (facets > 0) unknowns.push_back({0, [](const Motion&) { return 0.0; }, [](Motion&) {}});
  }
  Measured measured(model, unknowns);
  const int n = countOf(unknowns);
  std::vector<int> scaledBy(n, -1);
  for (int contact = 0; contact < countOf(touches); ++contact) {
    const int p = normals[contact], sigma = sigmas[contact];
    if (facets == 0) {
      const FrictionDisk& disk = dense.problem.disks[contact];
      QCOMPARE(disk.normal, p);
      QCOMPARE(disk.first, p + 1);
      QCOMPARE(disk.count, planar ? 1 : 2);
      QCOMPARE(disk.friction, kFriction);
      continue;
    }
    scaledBy[sigma] = p;
    for (int beta = p + 1; beta < sigma; ++beta) {
      measured.A(beta, sigma) = 1;
      measured.A(sigma, beta) = -1;
    }
    measured.A(sigma, p) = kFriction;
  }
  QVERIFY_NEAR(largestDifference(dense.problem.A, measured.A), 0, 1e-14);
  QVERIFY_NEAR(largestDifference(dense.problem.b, measured.b), 0, 1e-14);
  QCOMPARE(dense.first, normals);
  QCOMPARE(dense.problem.scaledBy, scaledBy);
  QCOMPARE(dense.problem.symmetric, facets == 0);
  QCOMPARE(dense.problem.freeCount, 0);
  QCOMPARE(dense.problem.velocityUnit, 2.0);
  QCOMPARE(unknownCount(model.table.view(), model.units(), settings), n);
  QCOMPARE(unknownsOfContact(0, kFriction, settings) * countOf(touches), n);
}

void DenseFromRowsTest::withoutFrictionContactsHaveOneUnknown() {
  Model model(2);
  const std::vector<Touch> touches = touchesOfBoxes(false);
  addTouches(touches, 0, false, model);
  for (const FrictionShape shape : {FrictionShape::Disk, FrictionShape::Pyramid}) {
    ModelSettings settings;
    settings.friction = shape;
    const DenseProblem dense = model.dense(settings);
    QCOMPARE(countOf(dense.problem.b), countOf(touches));
    QVERIFY(dense.problem.disks.empty());
    QVERIFY(dense.problem.symmetric);
  }
}

void DenseFromRowsTest::aSetHasSlacks() {
  Model model(2);
  addTouches({{-1, 0, Vec3(0, 1, 0), Vec3(0, -0.5, 0), -0.1}}, 0, false, model);
  const std::vector<Touch> members = addSet(0.4, model);
  const DenseProblem dense = model.dense();

  const auto normal = [&](const Touch& touch) { return along(model, touch, touch.constant, touch.normal); };
  Vec3 first, second;
  contactTangents(members[0].normal, false, first, second);
  Measured measured(model, {alongPoint(model, -0.1, -1, 0, Vec3(0, -0.5, 0), Vec3(0, 1, 0)),
                            normal(members[0]), difference(normal(members[0]), normal(members[1])),
                            difference(normal(members[0]), normal(members[2])),
                            along(model, members[0], 0, first), along(model, members[0], 0, second)});
  measured.A.block<1, 2>(1, 2).setOnes();
  measured.A(2, 2) = measured.A(3, 2) = measured.A(3, 3) = 1;
  QVERIFY_NEAR(largestDifference(dense.problem.A, measured.A), 0, 1e-14);
  QVERIFY_NEAR(largestDifference(dense.problem.b, measured.b), 0, 1e-14);
  QCOMPARE(dense.first, (std::vector<int>{0, 1}));
  QCOMPARE(dense.problem.scaledBy, (std::vector<int>{-1, -1, 1, 1, -1, -1}));
  QCOMPARE(countOf(dense.problem.maxima), 1);
  QCOMPARE(dense.problem.maxima[0].row, 1);
  QCOMPARE(dense.problem.maxima[0].slacks, 2);
  QCOMPARE(dense.problem.disks[0].normal, 1);
  QCOMPARE(dense.problem.disks[0].first, 4);
  QVERIFY(!dense.problem.symmetric);
  QCOMPARE(unknownsOfContact(2, 0.4, ModelSettings()), 5);
}

/// c of a point of body 0 that is held at a point of body 1, after small motions of both.
static Vec3 gapOfJoint(const Model& model, const Vec3& anchor, const Motion& motion, double time) {
  const auto moved = [&](int body) {
    const Vec3 turn = time * motion.angular[body], arm = anchor - model.position[body];
    const double angle = turn.norm();
    const Vec3 rotated =
        angle > 0 ? Vec3(Eigen::AngleAxisd(angle, Eigen::Vector3d(turn / angle)) * arm) : arm;
    return Vec3(model.position[body] + time * motion.linear[body] + rotated);
  };
  return moved(1) - moved(0);
}

void DenseFromRowsTest::jointRowsFollowTheirFiniteDifferences() {
  Model model(2);
  const Vec3 anchor(0.3, 0.4, -0.2);
  model.table.addBlock({kJointBlock, 0, 0}, RowForm::General, {0, 1});
  for (int axis = 0; axis < 3; ++axis) {
    RowTerm* terms = model.table.addRow(rowOf(RowLaw::Free, 0.01 * axis));
    for (int body = 0; body < 2; ++body) {
      const double sign = body == 0 ? -1 : 1;
      terms[body].linear[axis] = sign;
      terms[body].angular = sign * (anchor - model.position[body]).cross(Vec3::Unit(axis));
    }
  }
  constexpr double kStep = 1e-5;  // s; the second difference is below rounding / kStep
  const Vec3 rates =
      (gapOfJoint(model, anchor, model.free, kStep) - gapOfJoint(model, anchor, model.free, -kStep)) /
      (2 * kStep);
  const DenseProblem dense = model.dense();
  QCOMPARE(dense.problem.freeCount, 3);
  for (int axis = 0; axis < 3; ++axis) QVERIFY_NEAR(dense.problem.b[axis], 0.01 * axis + rates[axis], 1e-9);

  // A column of A is the change of the gap's rate by a unit impulse along its row.
  for (int column = 0; column < 3; ++column) {
    Motion pushed(2);
    alongPoint(model, 0, 0, 1, anchor, Vec3::Unit(column)).push(pushed);
    const Vec3 response =
        (gapOfJoint(model, anchor, pushed, kStep) - gapOfJoint(model, anchor, pushed, -kStep)) / (2 * kStep);
    for (int row = 0; row < 3; ++row) QVERIFY_NEAR(dense.problem.A(row, column), response[row], 1e-8);
  }
}

void DenseFromRowsTest::equationsComeFirstAndLimitsLast() {
  Model model(5);
  const Touch touch{0, 1, Vec3(0, 1, 0), Vec3(0.1, 0.5, 0.2), -0.2};
  addGeneralRow(rowOf(RowLaw::Unilateral, -0.4, 0.01), 1, kJointBlock, {1, 2, 4}, model);  // a limit
  addTouches({touch}, 0.5, false, model);
  addGeneralRow(rowOf(RowLaw::Free, 0.3, 0.02), 2, kJointBlock, {0, 1, 2, 3, 4}, model);  // a joint
  addGeneralRow(rowOf(RowLaw::Symmetric, 0.2, 0.03, 5), 3, kJointBlock + 1, {3}, model);  // a drive
  addGeneralRow(rowOf(RowLaw::Free, -0.1), 4, kPieceBlock, {0, 2}, model);                // a lock
  const DenseProblem dense = model.dense();

  Vec3 first, second;
  contactTangents(touch.normal, false, first, second);
  Measured measured(model, {ofGeneralRow(model, 2), ofGeneralRow(model, 3), ofGeneralRow(model, 4),
                            along(model, touch, touch.constant, touch.normal), along(model, touch, 0, first),
                            along(model, touch, 0, second), ofGeneralRow(model, 0)});
  for (const auto& [row, compliance] : {std::pair(0, 0.02), std::pair(1, 0.03), std::pair(6, 0.01)})
    measured.A(row, row) = (1 + kRedundantRows) * measured.A(row, row) + compliance;
  QVERIFY_NEAR(largestDifference(dense.problem.A, measured.A), 0, 1e-14);
  QVERIFY_NEAR(largestDifference(dense.problem.b, measured.b), 0, 1e-14);
  QCOMPARE(dense.problem.freeCount, 3);
  QCOMPARE(dense.first, std::vector<int>{3});
  QCOMPARE(dense.problem.disks[0].normal, 3);
  QVERIFY(dense.problem.symmetric);
}

void DenseFromRowsTest::givenImpulsesArePartOfTheOffset() {
  Model model(3);
  addGeneralRow(rowOf(RowLaw::Free, 0.3), 1, kJointBlock, {0, 1, 2}, model);
  addGeneralRow(rowOf(RowLaw::Fixed, 7, 0, 1.5), 2, kJointBlock, {1, 2}, model);
  addGeneralRow(rowOf(RowLaw::Symmetric, 0.2, 0.1, 5), 3, kJointBlock, {0, 2}, model);
  addGeneralRow(rowOf(RowLaw::Symmetric, 0.2, 0.1, 0), 4, kJointBlock, {0, 2}, model);  // without force
  const Motion before = model.free;
  const DenseProblem dense = model.dense(ModelSettings(), {{2, -5}});
  QCOMPARE(countOf(dense.problem.b), 1);
  QCOMPARE(model.free.linear[2], before.linear[2]);

  Motion pushed = model.free;
  Motion byFixed(3), byHeld(3);
  ofGeneralRow(model, 1).push(byFixed);
  ofGeneralRow(model, 2).push(byHeld);
  for (int carrier = 0; carrier < 3; ++carrier) {
    pushed.linear[carrier] += 1.5 * byFixed.linear[carrier] - 5 * byHeld.linear[carrier];
    pushed.angular[carrier] += 1.5 * byFixed.angular[carrier] - 5 * byHeld.angular[carrier];
  }
  QVERIFY_NEAR(dense.problem.b[0], 0.3 + ofGeneralRow(model, 0).rate(pushed), 1e-13);

  std::vector<double> z(4, 99.0);
  writeImpulses(model.table.view(), dense, Eigen::VectorXd::Constant(1, 0.7), z.data());
  QCOMPARE(z, (std::vector<double>{0.7, 1.5, -5, 0}));
}

void DenseFromRowsTest::transientRowsAreLeftOut() {
  Model model(2);
  addGeneralRow(rowOf(RowLaw::Free, 0.3), 1, kJointBlock, {0, 1}, model);
  addGeneralRow(rowOf(RowLaw::Free, 0.3), 2, kJointBlock, {0, 1}, model);
  model.table.rows[1].flags = kTransient;
  const DenseProblem dense = model.dense();
  QCOMPARE(countOf(dense.problem.b), 1);
  std::vector<double> z(2, 99.0);
  writeImpulses(model.table.view(), dense, Eigen::VectorXd::Constant(1, 0.7), z.data());
  QCOMPARE(z, (std::vector<double>{0.7, 0}));
}

void DenseFromRowsTest::anotherGradientOfImpulsesIsUsedForColumns() {
  Model model(2);
  addGeneralRow(rowOf(RowLaw::Free, 0.3), 1, kPieceBlock, {0, 1}, model);
  addGeneralRow(rowOf(RowLaw::Free, 0.1), 2, kPieceBlock, {0, 1}, model);
  std::vector<Expected> unknowns = {ofGeneralRow(model, 0), ofGeneralRow(model, 1)};
  // The second row's impulse acts along the terms of a third.
  addGeneralRow(rowOf(RowLaw::Free, 0), 3, kPieceBlock, {0, 1}, model);
  unknowns[1].push = ofGeneralRow(model, 2).push;
  model.table.blocks[1].firstForce = model.table.blocks[2].firstTerm;
  const DenseProblem dense =
      denseProblem(model.table.view(), model.metric(), model.free.view(), {0, 1}, ModelSettings());
  const Measured measured(model, unknowns);
  QVERIFY_NEAR(largestDifference(dense.problem.A, measured.A), 0, 1e-14);
  QVERIFY(std::abs(measured.A(0, 1) - measured.A(1, 0)) > 0.01);
  QVERIFY(!dense.problem.symmetric);

  const std::vector<double> z = {0.5, -2, 0};
  Motion pushed(2);
  addImpulses(model.table.view(), model.metric(), {0, 1}, z.data(), pushed.view());
  const Eigen::Vector2d rates = measured.A * Eigen::Vector2d(0.5, -2);
  QVERIFY_NEAR(unknowns[0].rate(pushed), rates[0], 1e-13);
  QVERIFY_NEAR(unknowns[1].rate(pushed), rates[1], 1e-13);
}

void DenseFromRowsTest::compliantTangentsBecomeCompliantFacets() {
  Model model(2);
  addTouches({{0, 1, Vec3(0, 1, 0), Vec3(0.1, 0.5, 0.2), -0.2}}, 0.5, false, model);
  ModelSettings settings;
  settings.friction = FrictionShape::Pyramid;
  settings.facets = 6;
  const Eigen::MatrixXd rigid = model.dense(settings).problem.A;
  model.table.rows[0].compliance = 0.3;
  model.table.rows[1].compliance = 0.1;
  model.table.rows[2].compliance = 0.2;
  const Eigen::MatrixXd added = model.dense(settings).problem.A - rigid;
  QVERIFY_NEAR(added(0, 0), 0.3, 1e-15);
  const double c = std::cos(M_PI / 3), s = std::sin(M_PI / 3);  // of the second pair of facets
  QVERIFY_NEAR(added(1, 1), 0.1, 1e-15);
  QVERIFY_NEAR(added(1, 3), 0.1 * c, 1e-15);
  QVERIFY_NEAR(added(3, 4), -(0.1 * c * c + 0.2 * s * s), 1e-15);
  QVERIFY_NEAR(added(0, 1), 0, 1e-15);
}

void DenseFromRowsTest::impulsesBecomeUnknownsAndReturn() {
  Model model(2);
  addTouches(touchesOfBoxes(false), 0.5, false, model);
  addSet(0.4, model);
  addGeneralRow(rowOf(RowLaw::Free, 0.3), 1, kJointBlock, {0, 1}, model);
  addGeneralRow(rowOf(RowLaw::Unilateral, 0.3), 2, kJointBlock, {0, 1}, model);
  const DenseProblem dense = model.dense();
  std::vector<double> impulses;
  for (int row = 0; row < countOf(model.table.rows); ++row)
    impulses.push_back(model.table.rows[row].law == RowLaw::Member ? 0 : 0.1 + 0.01 * row);
  const Eigen::VectorXd z = unknownsOf(model.table.view(), dense, impulses.data());
  std::vector<double> returned(impulses.size(), 99.0);
  writeImpulses(model.table.view(), dense, z, returned.data());
  QCOMPARE(returned, impulses);
  QCOMPARE(z[0], impulses[model.table.units[countOf(model.table.units) - 2].firstRow]);
  QCOMPARE(z[z.size() - 1], impulses.back());
}

void DenseFromRowsTest::slacksAreTheRunningMaximum() {
  Model model(2);
  const std::vector<Touch> members = addSet(0, model);
  // Constants that make the members' rates larger than the primary's, ascending and descending, or smaller.
  const double constants[][2] = {{5, 9}, {9, 5}, {-9, 5}, {5, -9}, {-9, -9}};
  for (const auto& [second, third] : constants) {
    const double ofMembers[] = {members[0].constant, second, third};
    model.table.rows[3].constant = second;
    model.table.rows[4].constant = third;
    const DenseProblem dense = model.dense();
    const std::vector<double> impulses = {0.4, 0, 0, 0, 0};
    const Eigen::VectorXd z = unknownsOf(model.table.view(), dense, impulses.data());
    Motion motion = model.free;
    Motion push(2);
    along(model, members[0], 0, members[0].normal).push(push);
    for (int body = 0; body < 2; ++body) {
      motion.linear[body] += 0.4 * push.linear[body];
      motion.angular[body] += 0.4 * push.angular[body];
    }
    double rates[3], largest = -HUGE_VAL;
    for (int s = 0; s < 3; ++s)
      rates[s] = ofMembers[s] + along(model, members[s], 0, members[s].normal).rate(motion);
    for (int s = 0; s < 3; ++s) {
      largest = std::max(largest, rates[s]);
      QVERIFY_NEAR(rates[0] + z.segment(1, s).sum(), largest, 1e-13);
    }
    const Eigen::VectorXd w = dense.problem.A * z + dense.problem.b;
    QVERIFY_NEAR(w[0], largest, 1e-13);
    for (int s = 1; s < 3; ++s) QVERIFY_NEAR(std::min(w[s], z[s]), 0, 1e-13);
  }
}

void DenseFromRowsTest::facetsAddUpToTangents() {
  Model model(2);
  const Touch touch{0, 1, Vec3(0.6, 0.8, 0), Vec3(0.1, 0.5, 0.2), -0.2};
  addTouches({touch}, 0.5, false, model);
  ModelSettings settings;
  settings.friction = FrictionShape::Pyramid;
  settings.facets = 6;
  const DenseProblem dense = model.dense(settings);
  Eigen::VectorXd z(8);
  z << 2, 0.1, 0.2, 0.3, 0.05, 0.4, 0.15, 9;
  std::vector<double> impulses(3);
  writeImpulses(model.table.view(), dense, z, impulses.data());
  Vec3 first, second, sum(0, 0, 0);
  tangentBasis(touch.normal, first, second);
  for (int k = 0; k < 6; ++k) {
    const double angle = M_PI / 3 * (k / 2), sign = k % 2 == 0 ? 1 : -1;
    sum += z[1 + k] * sign * (std::cos(angle) * first + std::sin(angle) * second);
  }
  QCOMPARE(impulses[0], 2.0);
  QVERIFY_NEAR(impulses[1], sum.dot(first), 1e-15);
  QVERIFY_NEAR(impulses[2], sum.dot(second), 1e-15);
  QCOMPARE(unknownsOf(model.table.view(), dense, impulses.data()).cwiseAbs().maxCoeff(), 0.0);
}

void DenseFromRowsTest::tooManyRowsAreRefused() {
  Model model(2);
  addTouches(touchesOfBoxes(false), 0.5, false, model);
  ModelSettings settings;
  settings.largestProblem = 23;
  QString sentence;
  try {
    model.dense(settings);
  } catch (const std::length_error& error) {
    sentence = QString::fromUtf8(error.what());
  }
  QVERIFY(sentence.startsWith("24 coupled rows are more than the 23 of the parameter largest_problem"));
  settings.largestProblem = 24;
  QCOMPARE(countOf(model.dense(settings).problem.b), 24);
}

QTEST_APPLESS_MAIN(DenseFromRowsTest)
#include "tst_dense_from_rows.moc"
