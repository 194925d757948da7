#include <QtTest>

#include "core/constraints/joint_velocity_rows.h"
#include "core/contact/nsn/newton_equations.h"
#include "core/elasticity/element_rows.inl"
#include "tests/support/constrained_world.h"
#include "tests/support/near.h"

using namespace touchstone;
using test::ConstrainedWorld;

/// Rows of constraint kinds against those of the code that they replace: jointVelocityRows(), to the bit, and
/// nsn::Equations. To be deleted with that code.
class FormerRowsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void jointsAtTheStart_data() { seeds(); }
  void jointsAtTheStart();
  void totalsOfJoints_data() { seeds(); }
  void totalsOfJoints();
  void equationsAtAnIterate_data() { seeds(); }
  void equationsAtAnIterate();

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

namespace {

/// All of a world as one island of nsn, with forces of which those of limits are large.
class NsnIsland {
 public:
  NsnIsland(const ConstrainedWorld& world, const test::MovedVelocities& u, unsigned seed)
      : m_world(world), m_random(seed) {
    for (int carrier = 0; carrier < countOf(world.world.position); ++carrier) addCarrier(carrier, u);
    island.h = world.h;
    addJoints();
    addAttachments();
    addElements();
    addContacts();
  }

  nsn::Island island;
  nsn::Unknowns unknowns{Motions(), {}, {}, {}, {}};
  std::vector<int> place;  ///< [carriers] in the island; −1: it does not move
  std::vector<int> carriers;

 private:
  int placeOf(int carrier) const { return carrier < 0 ? -1 : place[carrier]; }

  void addCarrier(int carrier, const test::MovedVelocities& u) {
    const World& world = m_world.world;
    place.push_back(-1);
    if (!isDynamic(world, carrier)) return;
    place.back() = countOf(carriers);
    carriers.push_back(carrier);
    nsn::IslandBody body;
    body.isParticle = carrier >= world.bodyCount();
    body.pose.position = world.position[carrier];
    body.inverseMass = world.inverseMass[carrier];
    if (!body.isParticle) {
      body.pose.orientation = world.orientation[carrier];
      body.constants = (*world.constants)[carrier];
      body.inverseInertia = world.inverseInertia[carrier];
    }
    island.bodies.push_back(body);
    unknowns.u.linear.push_back(u.linear[carrier]);
    unknowns.u.angular.push_back(u.angular[carrier]);
  }

  void addJoints() {
    const World& world = m_world.world;
    for (int index = 0; index < countOf(world.scene->joints); ++index) {
      const Joint& joint = world.scene->joints[index];
      nsn::IslandJoint islandJoint;
      islandJoint.joint = &joint;
      islandJoint.a = placeOf(joint.bodyA);
      islandJoint.b = placeOf(joint.bodyB);
      islandJoint.fixedA = poseOf(world, joint.bodyA);
      islandJoint.fixedB = poseOf(world, joint.bodyB);
      islandJoint.mimicked = joint.mimic.joint;
      islandJoint.coordinate = world.jointCoordinate[index];
      islandJoint.aim = driveAim(world, index, world.time + m_world.h);
      island.joints.push_back(islandJoint);
      nsn::JointForces forces;
      for (double& force : forces.rows) force = m_random.number();
      for (const int slot : {JointConstraint::Lower, JointConstraint::Upper})
        if (joint.upper - joint.lower > 1e-9) forces.rows[slot] = 1e9;  // min(C, λ) = C
      if (joint.kind == JointKind::Rope) forces.rows[0] = 1e9;
      unknowns.joints.push_back(forces);
    }
  }

  void addAttachments() {
    const World& world = m_world.world;
    for (const ElasticBodies::Attachment& source : world.elastic->attachments) {
      if (!isDynamic(world, source.carrier)) continue;
      nsn::IslandAttachment attachment;
      attachment.particle = place[source.carrier];
      attachment.body = place[source.body];
      attachment.point = source.local;
      const BodyPose pose = poseOf(world, source.body);
      if (attachment.body < 0) attachment.point = pose.position + pose.orientation * source.local;
      island.attachments.push_back(attachment);
      unknowns.attachments.push_back(m_random.vector());
    }
  }

  void addElement(nsn::IslandElement element, const int* elementCarriers, int count) {
    bool isMoving = false;
    for (int k = count; k < 4; ++k) element.held[k] = element.heldVelocities[k] = Vec3(0, 0, 0);
    for (int k = 0; k < count; ++k) {
      const int carrier = elementCarriers[k];
      element.bodies[k] = place[carrier];
      isMoving = isMoving || place[carrier] >= 0;
      element.heldVelocities[k] = m_world.world.nextLinearVelocity[carrier];
      element.held[k] = m_world.world.position[carrier] + m_world.h * element.heldVelocities[k];
    }
    if (!isMoving) return;
    island.elements.push_back(element);
    unknowns.elements.emplace_back();
    for (double& force : unknowns.elements.back()) force = m_random.number();
  }
  void addElements() {
    const ElasticBodies& elastic = *m_world.world.elastic;
    for (const TetrahedronElement& tetrahedron : elastic.tetrahedra) {
      nsn::IslandElement element;
      element.tetrahedron = &tetrahedron;
      element.material = &m_world.world.materials[tetrahedron.material];
      addElement(element, tetrahedron.carriers, 4);
    }
    for (const EdgeElement& edge : elastic.edges) {
      nsn::IslandElement element;
      element.edge = &edge;
      addElement(element, edge.carriers, 2);
    }
    for (const HingeElement& hinge : elastic.hinges) {
      nsn::IslandElement element;
      element.hinge = &hinge;
      addElement(element, hinge.carriers, 4);
    }
  }

  void setSide(const SurfaceSide& source, int& body, Vec3& point, nsn::DeformedSide& side) const {
    const World& world = m_world.world;
    if (source.particles.count == 0) {
      const BodyPose pose = poseOf(world, source.body);
      body = placeOf(source.body);
      point = body >= 0 ? source.point : Vec3(pose.position + pose.orientation * source.point);
      return;
    }
    side.isUsed = true;
    for (int k = 0; k < source.particles.count; ++k) {
      const int carrier = source.particles.carriers[k];
      const double weight = source.particles.weights[k];
      if (place[carrier] >= 0) {
        side.shares.push_back({place[carrier], weight});
        continue;
      }
      const Vec3& velocity = world.nextLinearVelocity[carrier];
      side.heldVelocity += weight * velocity;
      side.held += weight * Vec3(world.position[carrier] + m_world.h * velocity);
    }
  }
  void addContacts() {
    for (int index = 0; index < 5; ++index) {  // the last one is held
      const SurfaceContactPoint& source = m_world.contacts[index];
      nsn::IslandContact contact;
      setSide(source.a, contact.a, contact.pointA, contact.sideA);
      setSide(source.b, contact.b, contact.pointB, contact.sideB);
      contact.normal = source.normal;
      contact.thickness = source.thickness;
      island.contacts.push_back(contact);
      unknowns.contacts.push_back(Vec3(1e9, 0, 0));
    }
  }

  const ConstrainedWorld& m_world;
  test::Random m_random;
};

}  // namespace

/// Residuals and gradients of nsn with forces λ are w and J of the rows with z = h λ. Rows of Neo-Hookean
/// stretches are turned into the eigenvectors that nsn has.
void FormerRowsTest::equationsAtAnIterate() {
  QFETCH(unsigned, seed);
  ConstrainedWorld world(seed);
  for (Joint& joint : world.scene->joints) {  // nothing saturates
    joint.drive.mostForce = HUGE_VAL;
    if (joint.dryFriction > 0) joint.dryFriction = 1e12;
  }
  for (const bool isAtRest : {true, false}) {
    test::MovedVelocities u = world.velocities(isAtRest ? 0 : 2);
    NsnIsland nsnIsland(world, u, seed);
    nsn::Settings settings;
    settings.function = NcpFunction::MinimumMap;
    settings.scaling = nsn::RowScaling::Identity;
    const nsn::Equations equations(nsnIsland.island, settings, nsnIsland.unknowns);
    const std::vector<nsn::NewtonRow>& former = equations.rows();

    const CarrierVelocities view = u.view();
    const RowBuffer rows = world.rows(world.world, &view);
    const RowsView table = rows.view();
    const double h = world.h;
    int next = 0;
    for (const RowBlock& block : rows.blocks) {
      // nsn has normals alone of contacts without friction.
      const int count = block.key.kind == kSurfaceBlock ? 1 : block.rowCount;
      Eigen::MatrixXd Q = Eigen::MatrixXd::Identity(count, count);
      if (block.packedCount > 0) {
        const TetrahedronElement& element = world.elastic->tetrahedra[block.key.first];
        Vec3 x[4];
        const StateView state{world.world, h, &view};
        for (int corner = 0; corner < 4; ++corner) x[corner] = state.positionOf(element.carriers[corner]);
        const double none[ElementRows::kMost] = {};
        const ElementRows turned =
            elementRows(world.world.materials[element.material], element.rest, ElasticRows::Six, x, none);
        for (int k = 0; k < 3; ++k)
          for (int m = 0; m < 3; ++m) Q(m, k) = turned.basis[m][k];
      }
      Eigen::VectorXd z(count), rates(count), constants(count);
      Eigen::MatrixXd C(count, count);
      std::vector<Eigen::MatrixXd> J(block.carrierCount, Eigen::MatrixXd(count, 6));
      int row = 0;
      for (int unitIndex = block.firstUnit; unitIndex < block.firstUnit + block.unitCount; ++unitIndex) {
        const RowUnit& unit = rows.units[unitIndex];
        for (int k = 0; k < unit.rowCount && row < count; ++k, ++row) {
          z[row] = h * former[next + row].force;
          constants[row] = rows.rows[block.firstRow + row].constant;
          rates[row] = 0;
          for (int c = 0; c < block.carrierCount; ++c) {
            const RowTerm term = termOf(table, unit, k, c);
            const int carrier = rows.carriers[block.firstCarrier + c];
            rates[row] += term.linear.dot(u.linear[carrier]) + term.angular.dot(u.angular[carrier]);
            J[c].row(row) << term.linear.transpose(), term.angular.transpose();
          }
          for (int column = 0; column < count; ++column)
            C(row, column) = table.complianceOf(block, row, column);
        }
      }
      const Eigen::VectorXd w = Q.transpose() * (constants + rates) + Q.transpose() * C * Q * z;
      const Eigen::MatrixXd turned = Q.transpose() * C * Q;
      for (row = 0; row < count; ++row) {
        const nsn::NewtonRow& expected = former[next + row];
        if (rows.rows[block.firstRow + row].law != RowLaw::Fixed) {
          QVERIFY(!expected.equation.isPrescribed);
          QVERIFY_NEAR(w[row], expected.equation.residual,
                       1e-11 * (10 + std::abs(expected.equation.residual)));
          QVERIFY_NEAR(turned(row, row), expected.equation.compliance,
                       1e-13 * (1 + expected.equation.compliance));
          if (isAtRest && z[row] == 0) QVERIFY_NEAR(constants[row], expected.equation.residual, 0);
        } else {
          QVERIFY(expected.equation.isPrescribed);
        }
        int found = 0;
        for (const BodyTerm& term : expected.terms) {
          int c = 0;
          while (rows.carriers[block.firstCarrier + c] != nsnIsland.carriers[term.body]) ++c;
          const Eigen::VectorXd gradient = Q.col(row).transpose() * J[c];
          QVERIFY_NEAR((Vec3(gradient.head<3>()) - term.linear).norm(), 0, 1e-14);
          QVERIFY_NEAR((Vec3(gradient.tail<3>()) - term.angular).norm(), 0, 1e-14);
          ++found;
        }
        QVERIFY(found > 0 && found <= block.carrierCount);
      }
      next += count;
    }
    QCOMPARE(next, countOf(former));
  }
}

QTEST_APPLESS_MAIN(FormerRowsTest)
#include "tst_former_rows.moc"
