#include <QtTest>
#include <functional>

#include "core/elasticity/cloth.h"
#include "core/elasticity/element_rows.inl"
#include "core/solver/product/row_product.inl"
#include "tests/support/constrained_world.h"
#include "tests/support/near.h"

using namespace touchstone;
using test::ConstrainedWorld;

/// Rows of the kinds of constraints: gradients, constants and laws.
class ConstraintRowsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void blocksHaveMovingCarriersOnly_data() { seeds(); }
  void blocksHaveMovingCarriersOnly();
  void gradientsAreThoseOfTheErrors_data() { seeds(); }
  void gradientsAreThoseOfTheErrors();
  void rowsAtVelocitiesMeasureWhereTheyLead_data() { seeds(); }
  void rowsAtVelocitiesMeasureWhereTheyLead();
  void aSlipIsADisplacement_data() { seeds(); }
  void aSlipIsADisplacement();
  void jointsHaveTheirErrorsLawsAndBounds_data() { seeds(); }
  void jointsHaveTheirErrorsLawsAndBounds();
  void jointsBalanceTheGround_data() { seeds(); }
  void jointsBalanceTheGround();
  void anErrorWithoutDirectionHasAnIdleRow();
  void strainsPushAsTheEnergyFalls_data() { seeds(); }
  void strainsPushAsTheEnergyFalls();
  void strainsAndFlipsAreTheStiffnessAtRest();
  void strainsAreMeasuredInMetres_data() { seeds(); }
  void strainsAreMeasuredInMetres();
  void edgesAndHingesHaveTheirStiffness();
  void edgesOfTensionPullOnly();
  void contactsHaveGapsAndSlips_data() { seeds(); }
  void contactsHaveGapsAndSlips();
  void contactsInThePlaneHaveOneTangent();
  void contactsThatTurnHaveExactGradients_data() { seeds(); }
  void contactsThatTurnHaveExactGradients();
  void contactsOfAKeyAreOneBlock();

 private:
  static void seeds() {
    QTest::addColumn<unsigned>("seed");
    for (unsigned seed = 1; seed <= 8; ++seed) QTest::addRow("seed %u", seed) << seed;
  }
};

namespace {

constexpr int kCarriers = ConstrainedWorld::kBodies + ConstrainedWorld::kParticles;

/// J u of a row of a unit, by its entries.
double rateOf(const RowsView& rows, const RowUnit& unit, int row, const test::MovedVelocities& u) {
  const RowBlock& block = rows.blocks[unit.block];
  double sum = 0;
  for (int k = 0; k < block.carrierCount; ++k) {
    const int carrier = rows.carriersOf(block)[k];
    const RowTerm term = termOf(rows, unit, row, k);
    sum += term.linear.dot(u.linear[carrier]) + term.angular.dot(u.angular[carrier]);
  }
  return sum;
}

/// Calls use(block, unit, row of the unit, row) for each row.
template <class Use>
void eachRow(const RowBuffer& rows, const Use& use) {
  for (const RowUnit& unit : rows.units)
    for (int row = 0; row < unit.rowCount; ++row)
      use(rows.blocks[unit.block], unit, row, rows.rows[unit.firstRow + row]);
}

/// The part of J u in the constant of a row, as (2) with damping: 1/s, and e k of a drive.
double shareOf(const ConstrainedWorld& world, const RowBlock& block, const Row& row) {
  if (row.law == RowLaw::Fixed || row.law == RowLaw::Disk) return 0;
  if (block.key.kind == kTetrahedronBlock) {
    if (row.flags & kTransient) return 1;
    const ElasticBodies& elastic = *world.elastic;
    return 1 / (1 + elastic.materials[elastic.tetrahedra[block.key.first].material].dampingTime / world.h);
  }
  if (block.key.kind != kJointBlock) return 1;
  const Joint& joint = world.scene->joints[block.key.first];
  if (row.law != RowLaw::Symmetric) return row.compliance > 0 ? 1 / (1 + joint.dampingTime / world.h) : 1;
  if (row.bound == world.h * joint.dryFriction) return 0;
  return joint.drive.stiffness * world.h / (joint.drive.stiffness * world.h + joint.drive.damping);
}

/// A world with a carrier displaced along an axis. @param axis  0 … 2 along, 3 … 5 about
World displaced(const World& start, int carrier, int axis, double distance) {
  World world = start;
  const Vec3 along = distance * Vec3::Unit(axis % 3);
  if (axis < 3)
    world.position[carrier] += along;
  else
    world.orientation[carrier] = product(rotationBy(along), world.orientation[carrier]);
  return world;
}

double entryOf(const RowTerm& term, int axis) {
  return axis < 3 ? term.linear[axis] : term.angular[axis - 3];
}

const RowBlock* blockOf(const RowBuffer& rows, int kind, int first) {
  for (const RowBlock& block : rows.blocks)
    if (block.key.kind == kind && block.key.first == first) return &block;
  return nullptr;
}

}  // namespace

void ConstraintRowsTest::blocksHaveMovingCarriersOnly() {
  QFETCH(unsigned, seed);
  ConstrainedWorld world(seed);
  const RowBuffer rows = world.rows();
  int before = -1;
  for (const RowBlock& block : rows.blocks) {
    QVERIFY(block.key.kind >= before);  // in the order of the kinds
    before = block.key.kind;
    QVERIFY(block.carrierCount > 0 && block.rowCount > 0);
    for (int k = 0; k < block.carrierCount; ++k) {
      const int carrier = rows.carriers[block.firstCarrier + k];
      QVERIFY(isDynamic(world.world, carrier));
      QVERIFY(k == 0 || rows.carriers[block.firstCarrier + k - 1] < carrier);
    }
  }
  // Held: a tetrahedron, an edge, a particle that is attached, a contact.
  QVERIFY(!blockOf(rows, kTetrahedronBlock, 4) && !blockOf(rows, kEdgeBlock, 3));
  QVERIFY(!blockOf(rows, kAttachmentBlock, 3) && !blockOf(rows, kSurfaceBlock, 5));
  QCOMPARE(countOf(rows.blocks), 10 + 3 + 4 + 3 + 2 + 5);
  QCOMPARE(blockOf(rows, kJointBlock, 7)->carrierCount, 4);  // those of the joint that it follows, too
  QCOMPARE(blockOf(rows, kJointBlock, 9)->carrierCount, 3);
  QCOMPARE(blockOf(rows, kSurfaceBlock, 1)->carrierCount, 12);
}

/// Central differences of constants over each carrier's place and turn, of the rows whose constant is an
/// error.
void ConstraintRowsTest::gradientsAreThoseOfTheErrors() {
  QFETCH(unsigned, seed);
  ConstrainedWorld world(seed);
  const RowBuffer rows = world.rows();
  constexpr double kDistance = 1e-6;  // m, rad: cubes of it and rounding of constants by 1/h are below 1e-9
  std::vector<RowBuffer> before, after;
  for (int carrier = 0; carrier < kCarriers; ++carrier)
    for (int axis = 0; axis < 6; ++axis) {
      const int some = carrier < ConstrainedWorld::kBodies ? axis : axis % 3;
      before.push_back(world.rows(displaced(world.world, carrier, some, -kDistance)));
      after.push_back(world.rows(displaced(world.world, carrier, some, kDistance)));
    }
  double largest = 0;
  int compared = 0;
  eachRow(rows, [&](const RowBlock& block, const RowUnit& unit, int row, const Row& ask) {
    if (block.key.kind == kTetrahedronBlock || ask.law == RowLaw::Fixed || ask.law == RowLaw::Disk) return;
    const double share = shareOf(world, block, ask);
    for (int k = 0; k < block.carrierCount; ++k) {
      const int carrier = rows.carriers[block.firstCarrier + k];
      for (int axis = 0; axis < (carrier < ConstrainedWorld::kBodies ? 6 : 3); ++axis) {
        const int place = unit.firstRow + row;
        const double difference =
            after[6 * carrier + axis].rows[place].constant - before[6 * carrier + axis].rows[place].constant;
        const double expected = share * entryOf(termOf(rows.view(), unit, row, k), axis);
        largest = std::fmax(largest, std::abs(world.h * difference / (2 * kDistance) - expected));
        ++compared;
      }
    }
  });
  QVERIFY(compared > 500);
  QVERIFY_NEAR(largest, 0, 1e-7);
}

/// Equation (2): constant + share J u at u is the constant at the start q⁻ ⊕ h u, along the same gradients.
void ConstraintRowsTest::rowsAtVelocitiesMeasureWhereTheyLead() {
  QFETCH(unsigned, seed);
  ConstrainedWorld world(seed);
  for (const double size : {0.0, 0.5, 10.0}) {
    test::MovedVelocities u = world.velocities(size);
    const CarrierVelocities view = u.view();
    const RowBuffer written = world.rows(world.world, &view), moved = world.rows(world.movedBy(u));
    QCOMPARE(countOf(written.rows), countOf(moved.rows));
    QCOMPARE(countOf(written.units), countOf(moved.units));
    QVERIFY(written.carriers == moved.carriers);
    QCOMPARE(countOf(written.packed), countOf(moved.packed));
    for (int k = 0; k < countOf(written.packed); ++k) QCOMPARE(written.packed[k], moved.packed[k]);
    eachRow(written, [&](const RowBlock& block, const RowUnit& unit, int row, const Row& ask) {
      const Row& expected = moved.rows[unit.firstRow + row];
      const double rate = rateOf(written.view(), unit, row, u);
      QVERIFY_NEAR(ask.constant + shareOf(world, block, ask) * rate, expected.constant,
                   1e-12 * (100 + std::abs(rate)));
      QVERIFY(ask.law == expected.law && ask.compliance == expected.compliance &&
              ask.flags == expected.flags);
      QVERIFY(ask.bound == expected.bound && ask.length == expected.length && ask.leader == expected.leader);
      for (int k = 0; k < block.carrierCount; ++k) {
        const RowTerm one = termOf(written.view(), unit, row, k), other = termOf(moved.view(), unit, row, k);
        QVERIFY(one.linear == other.linear && one.angular == other.angular);
      }
    });
  }
}

/// Tangents times the displacement of both points against each other over h, whatever the bodies turn by.
void ConstraintRowsTest::aSlipIsADisplacement() {
  QFETCH(unsigned, seed);
  ConstrainedWorld world(seed);
  int compared = 0;
  for (const double size : {0.0, 0.5, 10.0}) {
    test::MovedVelocities u = world.velocities(size);
    const CarrierVelocities view = u.view();
    const StateView end{world.world, world.h, &view}, start{world.world, 0, nullptr};
    const GapContactRows kind(world.contacts, GapContactForm::PointsOfStart);
    RowBuffer rows;
    for (int block = 0; block < kind.count(); ++block) kind.write(block, end, rows);
    for (int index = 0; index < countOf(world.contacts); ++index) {
      const RowBlock* const block = blockOf(rows, kSurfaceBlock, index);
      if (!block) continue;
      const GapContact& contact = world.contacts[index];
      const PlacedGap placed = placedAt(contact, end);
      Vec3 arm;
      const Vec3 moved = (contact.b.positionAt(end, arm) - contact.b.positionAt(start, arm)) -
                         (contact.a.positionAt(end, arm) - contact.a.positionAt(start, arm));
      const RowUnit& unit = rows.units[block->firstUnit];
      for (int row = 1; row < block->rowCount; ++row, ++compared) {
        const double slip = rows.rows[unit.firstRow + row].constant + rateOf(rows.view(), unit, row, u);
        QVERIFY_NEAR(slip, (row == 1 ? placed.first : placed.second).dot(moved) / world.h, 1e-9);
      }
    }
  }
  QVERIFY(compared >= 12);
}

void ConstraintRowsTest::jointsHaveTheirErrorsLawsAndBounds() {
  QFETCH(unsigned, seed);
  ConstrainedWorld world(seed);
  RowBuffer rows;
  JointSlots slots;
  const StateView start{world.world, world.h, nullptr};
  const JointBlocks kind{world.world, &slots};
  for (int joint = 0; joint < kind.count(); ++joint) kind.write(joint, start, rows);
  const auto rowOf = [&](int joint, int slot) -> const Row& {
    const RowBlock& block = *blockOf(rows, kJointBlock, joint);
    for (int row = 0; row < block.rowCount; ++row)
      if (slots[joint][row] == slot) return rows.rows[block.firstRow + row];
    qFatal("joint %d has no row in slot %d", joint, slot);
  };
  const double h = world.h;
  int held = 0;
  for (int index = 0; index < kind.count(); ++index) {
    const Joint& joint = world.scene->joints[index];
    int slot = JointConstraint::Hold;
    const auto compare = [&](double c, bool isAngle) {
      const Row& row = rowOf(index, slot++);
      const double E = joint.complianceOf(isAngle), s = E > 0 ? 1 + joint.dampingTime / h : 1;
      const bool isRope = joint.kind == JointKind::Rope;
      QVERIFY(row.law == (isRope ? RowLaw::Unilateral : RowLaw::Free));
      if (!isRope || c < 0) QVERIFY_NEAR(row.constant, c / (h * s), 1e-12 * 100);
      QVERIFY_NEAR(row.compliance, E / (h * h * s), 1e-12);
      QVERIFY_NEAR(row.length, s, 1e-6);
      ++held;
    };
    eachJointError(joint, start.poseOf(joint.bodyA), start.poseOf(joint.bodyB), compare);
  }
  QCOMPARE(held, 3 + 5 + 5 + 6 + 6 + 1 + 1 + 5 + 5 + 5);

  // The revolute joint 1: limits, drive, dry friction and a given force along its twist.
  const Joint& driven = world.scene->joints[1];
  const double twist = jointTwist(driven.frames, start.poseOf(2), start.poseOf(3)).value,
               theta = twist + (twist < 3.05 ? 6.283185307179586 : 0),  // nearest to 6.2
      k = driven.drive.stiffness, d = driven.drive.damping, e = h / (k * h + d);
  const Row &lower = rowOf(1, JointConstraint::Lower), &upper = rowOf(1, JointConstraint::Upper),
            &drive = rowOf(1, JointConstraint::Driven), &friction = rowOf(1, JointConstraint::DryFriction),
            &given = rowOf(1, JointConstraint::Given);
  QVERIFY(lower.law == RowLaw::Unilateral && upper.law == RowLaw::Unilateral);
  QVERIFY_NEAR(lower.constant, (theta + 0.3) / h, 1e-10);
  QVERIFY_NEAR(upper.constant, (0.2 - theta) / h, 1e-10);
  QVERIFY(drive.law == RowLaw::Symmetric && friction.law == RowLaw::Symmetric);
  QVERIFY_NEAR(drive.constant, e / h * (k * (theta - 0.4) - d * 0.7), 1e-10);
  QVERIFY_NEAR(drive.compliance, e / (h * h), 1e-12);
  QVERIFY_NEAR(drive.bound, 5 * h, 1e-16);
  QVERIFY_NEAR(friction.constant, 0, 0);
  QVERIFY_NEAR(friction.bound, 0.6 * h, 1e-16);
  QVERIFY(given.law == RowLaw::Fixed);
  QVERIFY_NEAR(given.bound, 1.5 * h, 1e-16);
  // Equal limits are one row that holds.
  const Joint& locked = world.scene->joints[2];
  const double slide = jointSlide(locked.frames, start.poseOf(4), start.poseOf(3)).value;
  QVERIFY(rowOf(2, JointConstraint::Lower).law == RowLaw::Free);
  QVERIFY_NEAR(rowOf(2, JointConstraint::Lower).constant, (slide - 0.1) / h, 1e-10);
  // Joint 7 follows joint 1 with its turns.
  const Joint& follower = world.scene->joints[7];
  const double followed = jointTwist(follower.frames, start.poseOf(4), start.poseOf(1)).value;
  QVERIFY_NEAR(rowOf(7, JointConstraint::Mimic).constant, (followed - (-1.5 * theta + 0.2)) / h, 1e-9);
}

/// Impulses of all joints on bodies that move are those of the ground; and so are the moments about the
/// origin of joints with the ground. (Others turn two bodies whose anchors are apart.)
void ConstraintRowsTest::jointsBalanceTheGround() {
  QFETCH(unsigned, seed);
  ConstrainedWorld world(seed);
  RowBuffer rows;
  const StateView start{world.world, world.h, nullptr};
  const JointBlocks kind{world.world};
  for (int joint = 0; joint < kind.count(); ++joint) kind.write(joint, start, rows);
  std::vector<double> z;
  for (int row = 0; row < countOf(rows.rows); ++row) z.push_back(std::sin(7.0 * row + seed));
  const JointTotals totals = totalsOf(rows.view(), countOf(rows.blocks), z.data(), start, {});
  Vec3 linear(0, 0, 0), angular(0, 0, 0);
  eachRow(rows, [&](const RowBlock& block, const RowUnit& unit, int row, const Row&) {
    for (int k = 0; k < block.carrierCount; ++k) {
      const RowTerm term = termOf(rows.view(), unit, row, k);
      const double impulse = z[unit.firstRow + row];
      linear += impulse * term.linear;
      if (block.carrierCount > 1) continue;
      const Vec3& place = world.world.position[rows.carriers[block.firstCarrier + k]];
      angular += impulse * Vec3(term.angular + place.cross(term.linear));
    }
  });
  QVERIFY_NEAR((linear - totals.groundImpulse).norm(), 0, 1e-12);
  QVERIFY_NEAR((angular - totals.groundAngularImpulse).norm(), 0, 1e-12);
  QVERIFY(totals.groundImpulse.norm() > 0.1);
  QCOMPARE(countOf(totals.joints), 10);
  QVERIFY(totals.joints[1].drive != 0 && totals.joints[1].friction != 0);
  const ReplicaSet none(1, 1);
  QVERIFY(totalsOf(rows.view(), countOf(rows.blocks), z.data(), start, none).joints.empty());
}

/// A distance of 0, and cloth whose corners coincide, have a row all the same: an impulse keeps its row.
void ConstraintRowsTest::anErrorWithoutDirectionHasAnIdleRow() {
  ConstrainedWorld world(3);
  Joint& distance = world.scene->joints[5];
  distance.frames.anchorA = Vec3(0.1, 0.2, 0.3);
  const StateView start{world.world, world.h, nullptr};
  const BodyPose a = start.poseOf(0), b = start.poseOf(3);
  distance.frames.anchorB =
      b.orientation.conjugate() * Vec3(a.position + a.orientation * distance.frames.anchorA - b.position);
  const int first = ConstrainedWorld::kBodies;
  world.world.position[first + 3] = world.world.position[first + 1];  // edge 0
  world.world.position[first + 9] = world.world.position[first + 2];  // hinge 0
  const RowBuffer rows = world.rows();
  const std::pair<int, int> idle[] = {{kJointBlock, 5}, {kEdgeBlock, 0}, {kHingeBlock, 0}};
  for (const auto& [kind, index] : idle) {
    const RowBlock& block = *blockOf(rows, kind, index);
    QCOMPARE(block.rowCount, 1);
    const Row& row = rows.rows[block.firstRow];
    QVERIFY(row.law == RowLaw::Fixed && row.bound == 0 && row.constant == 0);
    for (int k = 0; k < block.carrierCount; ++k) {
      const RowTerm term = termOf(rows.view(), rows.units[block.firstUnit], 0, k);
      QVERIFY(term.linear.norm() == 0 && term.angular.norm() == 0);
    }
  }
}

namespace {

/// The corners of a tetrahedron at the start; held ones at the end of the step.
void placeCorners(const ConstrainedWorld& world, const TetrahedronElement& element, Vec3 x[4]) {
  for (int corner = 0; corner < 4; ++corner) {
    const int carrier = element.carriers[corner];
    x[corner] = world.world.position[carrier];
    if (!isDynamic(world.world, carrier)) x[corner] += world.h * world.world.nextLinearVelocity[carrier];
  }
}

}  // namespace

/// Forces ∂U/∂s = E⁻¹ r of the strains along their gradients are the differences of elasticEnergy(), and
/// gradients of stretches are those of signedStretches().
void ConstraintRowsTest::strainsPushAsTheEnergyFalls() {
  QFETCH(unsigned, seed);
  ConstrainedWorld world(seed);
  const RowBuffer rows = world.rows();
  const RowsView view = rows.view();
  for (int index = 0; index < 4; ++index) {
    const TetrahedronElement& element = world.elastic->tetrahedra[index];
    const ElasticMaterial& material = world.elastic->materials[element.material];
    const RowBlock& block = *blockOf(rows, kTetrahedronBlock, index);
    const bool isPacked = material.model == ElasticModel::NeoHookean;
    const int strains = isPacked ? 3 : 6;
    QCOMPARE(block.rowCount, 6);
    QCOMPARE(static_cast<int>(block.packedCount), isPacked ? 3 : 0);
    QCOMPARE(block.unitCount, 1);
    const double t = 1 + material.dampingTime / world.h;
    Eigen::MatrixXd E(strains, strains);
    Eigen::VectorXd r(strains);
    for (int row = 0; row < strains; ++row) {
      r[row] = rows.rows[block.firstRow + row].constant * world.h * t;
      for (int corner = 0; corner < 4; ++corner)  // β J u of held particles
        if (!isDynamic(world.world, element.carriers[corner])) {
          Vec3 x[4];
          placeCorners(world, element, x);
          const double none[6] = {};
          const Vec3 gradient =
              isPacked ? stretchRows(material, element.rest, x).gradient[row][corner]
                       : elementRows(material, element.rest, ElasticRows::Six, x, none).gradient[row][corner];
          r[row] -=
              material.dampingTime * gradient.dot(world.world.nextLinearVelocity[element.carriers[corner]]);
        }
      for (int column = 0; column < strains; ++column)
        E(row, column) = view.complianceOf(block, row, column) * world.h * world.h * t;
    }
    const Eigen::VectorXd force = E.fullPivLu().solve(r);
    constexpr double kDistance = 1e-6;
    for (int corner = 0; corner < 4; ++corner) {
      int place = -1;
      for (int k = 0; k < block.carrierCount; ++k)
        if (rows.carriers[block.firstCarrier + k] == element.carriers[corner]) place = k;
      QCOMPARE(place >= 0, isDynamic(world.world, element.carriers[corner]));
      if (place < 0) continue;
      for (int axis = 0; axis < 3; ++axis) {
        Vec3 x[4];
        placeCorners(world, element, x);
        x[corner][axis] += kDistance;
        const Mat3 after = deformationGradient(element.rest, x);
        x[corner][axis] -= 2 * kDistance;
        const Mat3 before = deformationGradient(element.rest, x);
        const double slope =
            (elasticEnergy(material, element.rest, after) - elasticEnergy(material, element.rest, before)) /
            (2 * kDistance);
        double sum = 0;
        for (int row = 0; row < strains; ++row)
          sum += force[row] * view.termsOf(block, row)[place].linear[axis];
        QVERIFY_NEAR(sum, slope, 1e-7 * (material.young * element.rest.volume / 0.5));
        for (int row = 0; row < 3 && isPacked; ++row)
          QVERIFY_NEAR(view.termsOf(block, row)[place].linear[axis],
                       (signedStretches(after).s[row] - signedStretches(before).s[row]) / (2 * kDistance),
                       1e-7);
      }
    }
    for (int row = strains; row < 6; ++row) {
      const Row& flip = rows.rows[block.firstRow + row];
      QVERIFY(flip.flags == kTransient && flip.constant == 0 && flip.compliance > 0);
    }
  }
}

/// At rest the rows with their compliances are the whole stiffness: Σ J E⁻¹ Jᵀ = −∂f/∂x of elasticForces().
void ConstraintRowsTest::strainsAndFlipsAreTheStiffnessAtRest() {
  for (const ElasticModel model : {ElasticModel::Corotational, ElasticModel::NeoHookean}) {
    ConstrainedWorld world(5);
    TetrahedronElement& element = world.elastic->tetrahedra[0];
    ElasticMaterial& material = world.world.materials[element.material];
    material.model = model;
    Vec3 x[4];
    gatherCorners(element.carriers, world.world.position.data(), x);
    element.rest = restOf(x);
    RowBuffer rows;
    TetrahedronRows{world.world}.write(0, {world.world, world.h, nullptr}, rows);
    const RowBlock& block = rows.blocks.front();
    const double squareOfStep = world.h * world.h;
    Eigen::MatrixXd J = Eigen::MatrixXd::Zero(6, 12), C(6, 6);
    for (int row = 0; row < 6; ++row) {
      QVERIFY_NEAR(rows.rows[row].constant, 0, 1e-12);
      for (int k = 0; k < 4; ++k)
        for (int corner = 0; corner < 4; ++corner)
          if (rows.carriers[k] == element.carriers[corner])
            J.block<1, 3>(row, 3 * corner) = rows.view().termsOf(block, row)[k].linear.transpose();
      for (int column = 0; column < 6; ++column)
        C(row, column) = rows.view().complianceOf(block, row, column) * squareOfStep;
    }
    const Eigen::MatrixXd stiffness = J.transpose() * C.fullPivLu().solve(J);
    constexpr double kDistance = 1e-6;
    for (int column = 0; column < 12; ++column) {
      Vec3 moved[4], before[4], after[4];
      std::copy(x, x + 4, moved);
      moved[column / 3][column % 3] += kDistance;
      elasticForces(material, element.rest, moved, nullptr, after);
      moved[column / 3][column % 3] -= 2 * kDistance;
      elasticForces(material, element.rest, moved, nullptr, before);
      for (int row = 0; row < 12; ++row)
        QVERIFY_NEAR(stiffness(row, column),
                     (before[row / 3][row % 3] - after[row / 3][row % 3]) / (2 * kDistance),
                     1e-6 * stiffness.cwiseAbs().maxCoeff());
    }
  }
}

/// Row::length brings strains and angles to metres: t over the largest gradient of a corner.
void ConstraintRowsTest::strainsAreMeasuredInMetres() {
  QFETCH(unsigned, seed);
  ConstrainedWorld world(seed);
  for (ElasticMaterial& material : world.world.materials) material.dampingTime = 0.03;
  const RowBuffer rows = world.rows();
  for (const auto& [kind, index] :
       {std::pair<int, int>{kTetrahedronBlock, 0}, {kTetrahedronBlock, 1}, {kHingeBlock, 0}}) {
    const RowBlock& block = *blockOf(rows, kind, index);
    const double t = kind == kTetrahedronBlock ? 1 + 0.03 / world.h : 1;
    for (int row = 0; row < block.rowCount; ++row) {
      const Row& ask = rows.rows[block.firstRow + row];
      if (ask.flags & kTransient) continue;
      double largest = 0;
      for (int k = 0; k < block.carrierCount; ++k)
        largest = std::fmax(largest, rows.view().termsOf(block, row)[k].linear.norm());
      QVERIFY_NEAR(ask.length * largest, t, 1e-6);  // single precision
    }
  }
}

void ConstraintRowsTest::edgesAndHingesHaveTheirStiffness() {
  ConstrainedWorld world(2);
  world.elastic->hinges[0].angle = 7;
  const RowBuffer rows = world.rows();
  const auto rowOf = [&](int kind, int index) { return rows.rows[blockOf(rows, kind, index)->firstRow]; };
  const double h = world.h;
  QVERIFY_NEAR(rowOf(kEdgeBlock, 0).compliance, 1 / (300 * h * h), 1e-12);
  QVERIFY_NEAR(rowOf(kEdgeBlock, 1).compliance, 0, 0);
  QVERIFY_NEAR(rowOf(kHingeBlock, 1).compliance, 1 / (0.2 * h * h), 1e-9);
  const int first = ConstrainedWorld::kBodies;
  const Vec3 apart = world.world.position[first + 3] - world.world.position[first + 1];
  QVERIFY_NEAR(rowOf(kEdgeBlock, 0).constant, (apart.norm() - 0.4) / h, 1e-12);
  // The held end moves on by itself.
  const int held = world.elastic->edges[1].carriers[0];
  const Vec3 end = world.world.position[held] + h * world.world.nextLinearVelocity[held];
  QVERIFY_NEAR(rowOf(kEdgeBlock, 1).constant, ((world.world.position[first + 6] - end).norm() - 0.9) / h,
               1e-12);
  QCOMPARE(blockOf(rows, kEdgeBlock, 1)->carrierCount, 1);
  Vec3 x[4];
  gatherCorners(world.elastic->hinges[0].carriers, world.world.position.data(), x);
  const double turn = h * rowOf(kHingeBlock, 0).constant, expected = hingeBend(x).angle - 7;
  QVERIFY(std::abs(turn) <= 3.15);  // without whole turns
  QVERIFY_NEAR(std::cos(turn), std::cos(expected), 1e-12);
  QVERIFY_NEAR(std::sin(turn), std::sin(expected), 1e-12);
}

/// The row of a rope: L − |d| ≥ 0 against −J.
void ConstraintRowsTest::edgesOfTensionPullOnly() {
  ConstrainedWorld world(2);
  const RowBuffer both = world.rows();
  world.isTensionOnly = true;
  const RowBuffer pulling = world.rows();
  for (int edge = 0; edge < 3; ++edge) {
    const RowBlock &one = *blockOf(both, kEdgeBlock, edge), &other = *blockOf(pulling, kEdgeBlock, edge);
    const Row &row = both.rows[one.firstRow], &pull = pulling.rows[other.firstRow];
    QVERIFY(row.law == RowLaw::Free && pull.law == RowLaw::Unilateral);
    QVERIFY_NEAR(pull.constant, -row.constant, 0);
    QVERIFY_NEAR(pull.compliance, row.compliance, 0);
    for (int k = 0; k < one.carrierCount; ++k)
      QVERIFY(termOf(pulling.view(), pulling.units[other.firstUnit], 0, k).linear ==
              -termOf(both.view(), both.units[one.firstUnit], 0, k).linear);
  }
}

/// Gaps and slips against the places and velocities of both points, for all carriers that move or are held.
void ConstraintRowsTest::contactsHaveGapsAndSlips() {
  QFETCH(unsigned, seed);
  ConstrainedWorld world(seed);
  test::MovedVelocities u = world.velocities(1);
  const CarrierVelocities view = u.view();
  const RowBuffer rows = world.rows(world.world, &view);
  const StateView state{world.world, world.h, &view};
  for (int index = 0; index < 5; ++index) {
    const GapContact& contact = world.contacts[index];
    const RowBlock& block = *blockOf(rows, kSurfaceBlock, index);
    QCOMPARE(block.rowCount, contact.friction > 0 ? 3 : 1);
    QCOMPARE(block.unitCount, 1);
    // Places and velocities of the points as sums over carriers.
    Vec3 places[2], velocities[2];
    for (int side = 0; side < 2; ++side) {
      const ContactSide& one = side == 0 ? contact.a : contact.b;
      places[side] = velocities[side] = Vec3(0, 0, 0);
      for (int k = 0; k < one.particles.count; ++k) {
        const int carrier = one.particles.carriers[k];
        const Vec3 v =
            isDynamic(world.world, carrier) ? u.linear[carrier] : world.world.nextLinearVelocity[carrier];
        places[side] += one.particles.weights[k] * (world.world.position[carrier] + world.h * v);
        velocities[side] += one.particles.weights[k] * v;
      }
      if (one.particles.count > 0) continue;
      const BodyPose pose = state.poseOf(one.body);
      const Vec3 arm = pose.orientation * one.point;
      places[side] = pose.position + arm;
      if (one.body > 0) velocities[side] = u.linear[one.body] + u.angular[one.body].cross(arm);
    }
    const RowUnit& unit = rows.units[block.firstUnit];
    const Row* asks = rows.rows.data() + block.firstRow;
    QVERIFY(asks[0].law == RowLaw::Unilateral);
    QVERIFY_NEAR(asks[0].constant + rateOf(rows.view(), unit, 0, u),
                 (contact.normal.dot(places[1] - places[0]) - 0.02) / world.h, 1e-11);
    Vec3 tangents[2];
    contactTangents(contact.normal, false, tangents[0], tangents[1]);
    for (int row = 1; row < block.rowCount; ++row) {
      QVERIFY(asks[row].law == RowLaw::Disk && asks[row].leader == row &&
              asks[row].bound == contact.friction);
      QVERIFY_NEAR(asks[row].constant + rateOf(rows.view(), unit, row, u),
                   tangents[row - 1].dot(velocities[1] - velocities[0]), 1e-13);
    }
  }
}

void ConstraintRowsTest::contactsInThePlaneHaveOneTangent() {
  const ConstrainedWorld world(4, true);
  const RowBuffer rows = world.rows();
  const RowBlock& block = *blockOf(rows, kSurfaceBlock, 0);
  QCOMPARE(block.rowCount, 2);
  const Vec3 tangent = directionOf(rows.view().frameOf(block, 0), 1);
  QVERIFY_NEAR(tangent.z(), 0, 0);
  QVERIFY_NEAR(tangent.dot(world.contacts[0].normal), 0, 1e-15);
}

namespace {

/// Contacts of bodies 1 and 2, and of body 0, which does not move, with each way to turn.
std::vector<GapContact> turningContacts(unsigned seed) {
  test::Random random(seed + 100);
  std::vector<GapContact> contacts;
  for (const int other : {2, 0})
    for (const TurnsWith turnsWith :
         {TurnsWith::Nothing, TurnsWith::FaceOfA, TurnsWith::FaceOfB, TurnsWith::Edges}) {
      GapContact contact;
      contact.key = {kPieceBlock, other == 2 ? 0 : 1, 0};
      contact.a.body = 1;
      contact.b.body = other;
      contact.a.point = random.vector(0.5);
      contact.b.point = random.vector(0.5);
      contact.normal = random.vector().normalized();
      contact.turnsWith = turnsWith;
      contact.edgeA = random.vector().normalized();
      contact.edgeB = random.vector().normalized();
      contact.thickness = 0.01;
      contact.friction = 0.5;
      contacts.push_back(contact);
    }
  return contacts;
}

}  // namespace

/// Central differences of C over the velocities that lead to a state: ∂C/∂u = h J there, as freeRotation()
/// turns bodies to first order.
void ConstraintRowsTest::contactsThatTurnHaveExactGradients() {
  QFETCH(unsigned, seed);
  const ConstrainedWorld world(seed);
  const std::vector<GapContact> contacts = turningContacts(seed);
  const GapContactRows kind(contacts);
  RowBuffer rows;
  for (int block = 0; block < kind.count(); ++block) kind.write(block, {world.world, world.h, nullptr}, rows);
  QCOMPARE(countOf(rows.units), countOf(contacts));
  constexpr double kSpeed = 1e-4;
  for (int index = 0; index < countOf(contacts); ++index) {
    const RowUnit& unit = rows.units[index];
    const RowBlock& block = rows.blocks[unit.block];
    for (int k = 0; k < block.carrierCount; ++k)
      for (int axis = 0; axis < 6; ++axis) {
        double gaps[2];
        for (const int side : {0, 1}) {
          test::MovedVelocities u;
          u.linear.assign(kCarriers, Vec3(0, 0, 0));
          u.angular = u.linear;
          Vec3& moved = (axis < 3 ? u.linear : u.angular)[rows.carriers[block.firstCarrier + k]];
          moved[axis % 3] = side == 0 ? -kSpeed : kSpeed;
          const CarrierVelocities view = u.view();
          gaps[side] = placedAt(contacts[index], {world.world, world.h, &view}).gap;
        }
        QVERIFY_NEAR((gaps[1] - gaps[0]) / (2 * kSpeed * world.h),
                     entryOf(termOf(rows.view(), unit, 0, k), axis), 1e-7);
      }
    // The tangents are perpendicular to the normal, wherever it turns.
    const Vec3* const frame = rows.view().frameOf(block, unit.firstGroup);
    QVERIFY_NEAR(frame[0].dot(frame[1]), 0, 1e-14);
  }
}

void ConstraintRowsTest::contactsOfAKeyAreOneBlock() {
  const ConstrainedWorld world(3);
  const std::vector<GapContact> contacts = turningContacts(3);
  const GapContactRows kind(contacts);
  QCOMPARE(kind.count(), 2);
  RowBuffer rows;
  for (int block = 0; block < kind.count(); ++block) kind.write(block, {world.world, world.h, nullptr}, rows);
  QCOMPARE(rows.blocks[0].carrierCount, 2);
  QCOMPARE(rows.blocks[0].unitCount, 4);
  QCOMPARE(rows.blocks[1].carrierCount, 1);
  QCOMPARE(rows.blocks[1].rowCount, 12);
}

QTEST_APPLESS_MAIN(ConstraintRowsTest)
#include "tst_constraint_rows.moc"
