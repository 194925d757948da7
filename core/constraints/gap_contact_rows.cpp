#include "core/constraints/gap_contact_rows.h"

#include <cmath>

#include "core/constraints/moving_carriers.h"
#include "core/constraints/row_rates.h"

namespace touchstone {

namespace {

void addCarriers(const ContactSide& side, const World& world, MovingCarriers& carriers) {
  if (side.particles.count == 0) carriers.add(world, side.body);
  for (int k = 0; k < side.particles.count; ++k) carriers.add(world, side.particles.carriers[k]);
}

/// @param sign  of the side in C: −1 of A, 1 of B
void addPoints(const ContactSide& side, double sign, const Vec3& arm, const MovingCarriers& carriers,
               PointTerm* points) {
  const auto addTo = [&](int carrier, double weight, const Vec3& carrierArm) {
    const int place = carriers.placeOf(carrier);
    if (place < 0) return;
    points[place].weight += weight;
    points[place].arm = carrierArm;
  };
  if (side.particles.count == 0) addTo(side.body, sign, arm);
  for (int k = 0; k < side.particles.count; ++k)
    addTo(side.particles.carriers[k], sign * side.particles.weights[k], Vec3(0, 0, 0));
}

/// From the start of the step to a state [m].
Vec3 displacementOf(const ContactSide& side, const StateView& state) {
  Vec3 arm;
  return side.positionAt(state, arm) - side.positionAt({state.world, 0, nullptr}, arm);
}

}  // namespace

Vec3 ContactSide::positionAt(const StateView& state, Vec3& arm) const {
  arm = Vec3(0, 0, 0);
  if (particles.count == 0) {
    const BodyPose pose = state.poseOf(body);
    arm = pose.orientation * point;
    return pose.position + arm;
  }
  Vec3 sum(0, 0, 0);
  for (int k = 0; k < particles.count; ++k)
    sum += particles.weights[k] * state.positionOf(particles.carriers[k]);
  return sum;
}

Vec3 ContactSide::heldVelocity(const StateView& state) const {
  Vec3 sum(0, 0, 0);
  for (int k = 0; k < particles.count; ++k)
    if (!isDynamic(state.world, particles.carriers[k]))
      sum += particles.weights[k] * state.heldVelocityOf(particles.carriers[k]);
  return sum;
}

PlacedGap placedAt(const GapContact& contact, const StateView& state) {
  // Sine of the angle between edges below which their common perpendicular turns too fast: it is held.
  constexpr double kParallel = 0.1;
  PlacedGap placed;
  const Vec3 pointA = contact.a.positionAt(state, placed.armA),
             pointB = contact.b.positionAt(state, placed.armB), apart = pointB - pointA;
  const auto turned = [&state](const ContactSide& side, const Vec3& start) {
    if (!canMove(state.world, side.body)) return start;
    return Vec3(state.poseOf(side.body).orientation *
                Vec3(state.world.orientation[side.body].conjugate() * start));
  };
  placed.normal = contact.normal;
  if (contact.turnsWith == TurnsWith::FaceOfA) {
    placed.normal = turned(contact.a, contact.normal);
    placed.armA += apart;
  } else if (contact.turnsWith == TurnsWith::FaceOfB) {
    placed.normal = turned(contact.b, contact.normal);
    placed.armB -= apart;
  } else if (contact.turnsWith == TurnsWith::Edges) {
    const Vec3 alongA = state.poseOf(contact.a.body).orientation * contact.edgeA,
               alongB = state.poseOf(contact.b.body).orientation * contact.edgeB,
               cross = alongA.cross(alongB);
    const double square = cross.squaredNorm();
    if (square > kParallel * kParallel) {
      placed.normal = (cross.dot(contact.normal) < 0 ? -1 : 1) / std::sqrt(square) * cross;
      placed.armA += apart.cross(alongB).dot(cross) / square * alongA;
      placed.armB += apart.cross(alongA).dot(cross) / square * alongB;
    }
  }
  placed.gap = placed.normal.dot(apart) - contact.thickness;
  const bool planar = state.world.scene->planar;
  contactTangents(contact.normal, planar, placed.first, placed.second);
  if (contact.turnsWith == TurnsWith::Nothing) return placed;
  placed.first = (placed.first - placed.normal.dot(placed.first) * placed.normal).normalized();
  if (!planar) placed.second = placed.normal.cross(placed.first);
  return placed;
}

GapContactRows::GapContactRows(const std::vector<GapContact>& contacts, GapContactForm form)
    : m_contacts(contacts), m_form(form) {
  for (int index = 0; index < countOf(contacts); ++index)
    if (index == 0 || contacts[index - 1].key < contacts[index].key) m_firstOf.push_back(index);
  m_firstOf.push_back(countOf(contacts));
}

void GapContactRows::write(int block, const StateView& state, RowBuffer& to) const {
  const GapContact& any = m_contacts[m_firstOf[block]];
  MovingCarriers carriers;
  addCarriers(any.a, state.world, carriers);
  addCarriers(any.b, state.world, carriers);
  if (carriers.isEmpty()) return;
  to.addBlock(any.key, RowForm::Point, carriers.list());
  for (int index = m_firstOf[block]; index < m_firstOf[block + 1]; ++index) {
    const GapContact& contact = m_contacts[index];
    const PlacedGap placed = placedAt(contact, state);
    const int rowCount = contact.friction > 0 ? (state.world.scene->planar ? 2 : 3) : 1;
    const bool isOfVelocities = m_form == GapContactForm::Published;
    const Vec3 drift =
        isOfVelocities
            ? Vec3(contact.b.heldVelocity(state) - contact.a.heldVelocity(state))
            : Vec3((displacementOf(contact.b, state) - displacementOf(contact.a, state)) / state.h);
    Row rows[3];
    rows[0] = {placed.gap / state.h, 0, contact.pushOut, 1, 0, RowLaw::Unilateral, 0};
    for (int row = 1; row < rowCount; ++row)
      rows[row] = {(row == 1 ? placed.first : placed.second).dot(drift),
                   0,
                   contact.friction,
                   1,
                   static_cast<short>(row),
                   RowLaw::Disk,
                   0};
    PointTerm* const points = to.addGroup(placed.normal, placed.first, rows, rowCount);
    addPoints(contact.a, -1, placed.armA, carriers, points);
    addPoints(contact.b, 1, placed.armB, carriers, points);
    const Vec3 slip = velocityOfLastPoint(to, state);
    Row* const written = to.rows.data() + to.rows.size() - rowCount;
    written[0].constant -= placed.normal.dot(slip);
    if (isOfVelocities) continue;
    if (rowCount > 1) written[1].constant -= placed.first.dot(slip);
    if (rowCount > 2) written[2].constant -= placed.second.dot(slip);
  }
  const bool isRigid = any.a.particles.count == 0 && any.b.particles.count == 0;
  if (m_form == GapContactForm::PointsOfStart && isRigid && !state.u) holdForces(block, state, carriers, to);
}

/// The common point lies between both bodies as setArms() has it for the other methods.
void GapContactRows::holdForces(int block, const StateView& state, const MovingCarriers& carriers,
                                RowBuffer& to) const {
  to.holdForces();
  const World& world = state.world;
  PointTerm* point = to.points.data() + to.blocks.back().firstForce;
  for (int index = m_firstOf[block]; index < m_firstOf[block + 1]; ++index) {
    const ContactSide &a = m_contacts[index].a, &b = m_contacts[index].b;
    Vec3 arm;
    const Vec3 onA = a.positionAt(state, arm), onB = b.positionAt(state, arm);
    const double mobilityA = canMove(world, a.body) ? world.inverseMass[a.body] : 0,
                 mobilityB = canMove(world, b.body) ? world.inverseMass[b.body] : 0;
    const double share = mobilityA > 0 ? mobilityB / (mobilityA + mobilityB) : 1;
    const Vec3 common = onA + share * Vec3(onB - onA);
    for (const int carrier : carriers.list()) (point++)->arm = common - world.position[carrier];
  }
}

}  // namespace touchstone
