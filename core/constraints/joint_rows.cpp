#include "core/constraints/joint_rows.h"

#include <cmath>
#include <optional>

#include "core/constraints/moving_carriers.h"
#include "core/constraints/row_rates.h"
#include "core/solver/product/row_product.inl"

namespace touchstone {

namespace {

/// The row of a distance that is 0 and has no direction: no impulse, without a gradient.
JointConstraint idleConstraint() {
  JointConstraint idle;
  idle.kind = JointConstraint::Kind::Force;
  idle.bound = 0;
  return idle;
}

/// Calls use(JointConstraint) for each row of a joint at a state. The rows of a joint are the same at every
/// state.
template <class Use>
void eachRowOf(int index, const StateView& state, const Use& use) {
  const Joint& joint = state.world.scene->joints[index];
  bool isHeld = joint.kind != JointKind::Distance && joint.kind != JointKind::Rope;
  const auto useRow = [&](const JointConstraint& constraint) {
    isHeld = true;
    use(constraint);
  };
  eachJointConstraint(
      state.world, index, state.world.time + state.h, [&state](int body) { return state.poseOf(body); },
      useRow);
  if (!isHeld) use(idleConstraint());
}

/// The share of J u that a row's constant has, and s.
struct Shares {
  double ofRate = 1, ofDamping = 1;
};

Shares sharesOf(const JointConstraint& constraint, double h) {
  if (constraint.kind == JointConstraint::Kind::Drive)
    return {constraint.driveCompliance(h) * constraint.stiffness, 1};
  if (constraint.kind == JointConstraint::Kind::Force) return {0, 1};
  const double s = constraint.compliance > 0 ? 1 + constraint.dampingTime / h : 1;
  return {1 / s, s};
}

/// A row for u = 0.
Row rowOfConstraint(const JointConstraint& constraint, double h) {
  const double s = sharesOf(constraint, h).ofDamping;
  Row row{0, 0, 0, static_cast<float>(s), 0, RowLaw::Free, 0};
  if (constraint.kind == JointConstraint::Kind::Force) {
    row.bound = constraint.bound * h;
    row.law = RowLaw::Fixed;
  } else if (constraint.kind == JointConstraint::Kind::Drive) {
    const double e = constraint.driveCompliance(h);
    row.constant = e / h *
                   (constraint.stiffness * (constraint.c + constraint.springLead) -
                    constraint.damping * constraint.rate);
    row.compliance = e / (h * h);
    row.bound = constraint.bound * h;
    row.law = RowLaw::Symmetric;
  } else {
    row.constant = constraint.c / (h * s);
    row.compliance = constraint.compliance / (h * h * s);
    if (constraint.kind == JointConstraint::Kind::Unilateral) row.law = RowLaw::Unilateral;
  }
  return row;
}

/// Adds a gradient of two bodies to the terms of a row.
void addTerms(const Joint& joint, const JacobianRow& row, const MovingCarriers& carriers, RowTerm* terms) {
  const auto addTo = [&](int body, const Vec3& linear, const Vec3& angular) {
    const int place = carriers.placeOf(body);
    if (place < 0) return;
    terms[place].linear += linear;
    terms[place].angular += angular;
  };
  addTo(joint.bodyA, row.linearA, row.angularA);
  addTo(joint.bodyB, row.linearB, row.angularB);
}

/// J M⁻¹ Jᵀ and J ν⁻ of a row of a joint, of its own bodies.
struct Motion {
  double mobility = 0, rate = 0;
  Motion(const World& world, const Joint& joint, const JacobianRow& row) {
    add(world, joint.bodyA, row.linearA, row.angularA);
    add(world, joint.bodyB, row.linearB, row.angularB);
  }

 private:
  void add(const World& world, int body, const Vec3& linear, const Vec3& angular) {
    if (body < 0) return;
    rate += linear.dot(world.linearVelocity[body]) + angular.dot(world.angularVelocity[body]);
    if (canMove(world, body))
      mobility +=
          world.inverseMass[body] * linear.squaredNorm() + angular.dot(world.inverseInertia[body] * angular);
  }
};

void setTrapezoidal(const World& world, const Joint& joint, double h, JointConstraint& constraint) {
  if (constraint.kind != JointConstraint::Kind::Drive || !(constraint.stiffness > 0)) return;
  const Motion motion(world, joint, constraint.row);
  if (constraint.stiffness * h * h * motion.mobility > 1) return;
  constraint.springShare = 0.25;
  constraint.springLead = h * (constraint.rate - 0.25 * motion.rate);
}

/// The gradients of the rows of a joint at the start of a step, by slot.
struct StartGradients {
  struct Row {
    JacobianRow row, led;
  };
  std::array<Row, JointConstraint::SlotCount> ofSlot;
  StartGradients(int index, const StateView& state) {
    eachRowOf(index, {state.world, state.h, nullptr}, [this](const JointConstraint& constraint) {
      ofSlot[constraint.slot] = {constraint.row, constraint.led};
    });
  }
};

}  // namespace

void JointBlocks::write(int index, const StateView& state, RowBuffer& to) const {
  const std::vector<Joint>& joints = state.world.scene->joints;
  const Joint& joint = joints[index];
  if (!canMove(state.world, joint.bodyA) && !canMove(state.world, joint.bodyB)) return;
  const Joint* const led = joint.mimic.joint < 0 ? nullptr : &joints[joint.mimic.joint];
  const MovingCarriers carriers(state.world,
                                {joint.bodyA, joint.bodyB, led ? led->bodyA : -1, led ? led->bodyB : -1});
  to.addBlock({kJointBlock, index, 0}, RowForm::General, carriers.list());
  if (slots && countOf(*slots) < count()) slots->resize(count());
  std::optional<StartGradients> ofStart;
  if (gradients == JointGradients::OfStart && state.u) ofStart.emplace(index, state);
  eachRowOf(index, state, [&](JointConstraint constraint) {
    if (isProjection && !isProjected(constraint)) return;
    if (ofStart) {
      constraint.row = ofStart->ofSlot[constraint.slot].row;
      constraint.led = ofStart->ofSlot[constraint.slot].led;
    }
    if (drives == DriveIntegration::Trapezoidal) setTrapezoidal(state.world, joint, state.h, constraint);
    if (slots) (*slots)[index][to.blocks.back().rowCount] = static_cast<signed char>(constraint.slot);
    Row row = rowOfConstraint(constraint, state.h);
    if (hasUnitsOfRows && row.law == RowLaw::Symmetric && !std::isfinite(row.bound)) row.law = RowLaw::Free;
    const bool isUnit = hasUnitsOfRows || to.blocks.back().rowCount == 0;
    RowTerm* const terms = isUnit ? to.addRow(row) : to.addRowToUnit(row);
    addTerms(joint, constraint.row, carriers, terms);
    if (constraint.hasLed) addTerms(*led, constraint.led, carriers, terms);
    if (state.u) to.rows.back().constant -= sharesOf(constraint, state.h).ofRate * rateOfLastRow(to, state);
  });
  if (gradients == JointGradients::ForcesOfStart && !state.u) to.holdForces();
}

double gapOf(const RowsView& rows, const RowBlock& block, const CarrierVelocities& u, double h) {
  const VelocitiesOfBlock velocities{u, rows.carriersOf(block)};
  double largest = 0;
  for (int row = 0; row < block.rowCount; ++row) {
    const Row& ask = rows.rows[block.firstRow + row];
    if (ask.compliance > 0 || (ask.law != RowLaw::Free && ask.law != RowLaw::Unilateral)) continue;
    const double gap =
        h * (ask.constant + rateAlong(rows.termsOf(block, row), block.carrierCount, velocities));
    largest = std::fmax(largest, ask.law == RowLaw::Free ? std::fabs(gap) : -gap);
  }
  return largest;
}

void setSlots(const RowsView& rows, int blockCount, const JointSlots& ofJoints, std::vector<int>& slots) {
  for (int index = 0; index < blockCount; ++index) {
    const RowBlock& block = rows.blocks[index];
    for (int row = 0; block.key.kind == kJointBlock && row < block.rowCount; ++row)
      slots[block.firstRow + row] = ofJoints[block.key.first][row];
  }
}

JointTotals totalsOf(const RowsView& rows, int blockCount, const double* z, const StateView& state,
                     const ReplicaSet& without) {
  JointTotals totals;
  const World& world = state.world;
  const auto poseOfStart = [&world](int body) { return poseOf(world, body); };
  for (int index = 0; index < blockCount; ++index) {
    const RowBlock& block = rows.blocks[index];
    if (block.key.kind != kJointBlock) continue;
    const int jointIndex = block.key.first;
    const Joint& joint = world.scene->joints[jointIndex];
    if (!without.empty() && without[world.scene->bodies[joint.bodyB].replica]) continue;
    const BodyPose a = state.poseOf(joint.bodyA), b = state.poseOf(joint.bodyB);
    int row = block.firstRow;
    eachRowOf(jointIndex, state, [&](const JointConstraint& constraint) {
      const double impulse = z[row++];
      const JacobianRow wrench = constraint.row.scaled(impulse);
      totals.addWrench(world, jointIndex, a, b, wrench);
      totals.addGround(world, jointIndex, wrench, poseOfStart);
      if (constraint.hasLed)
        totals.addGround(world, joint.mimic.joint, constraint.led.scaled(impulse), poseOfStart);
      totals.addSlot(world, jointIndex, constraint.slot, impulse);
    });
  }
  return totals;
}

}  // namespace touchstone
