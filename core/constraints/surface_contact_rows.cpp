#include "core/constraints/surface_contact_rows.h"

#include "core/constraints/moving_carriers.h"
#include "core/constraints/row_rates.h"

namespace touchstone {

namespace {

void addCarriers(const SurfaceSide& side, const World& world, MovingCarriers& carriers) {
  if (side.particles.count == 0) carriers.add(world, side.body);
  for (int k = 0; k < side.particles.count; ++k) carriers.add(world, side.particles.carriers[k]);
}

/// @param sign  of the side in C: −1 of A, 1 of B
void addPoints(const SurfaceSide& side, double sign, const Vec3& arm, const MovingCarriers& carriers,
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

}  // namespace

Vec3 SurfaceSide::positionAt(const StateView& state, Vec3& arm) const {
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

Vec3 SurfaceSide::heldVelocity(const StateView& state) const {
  Vec3 sum(0, 0, 0);
  for (int k = 0; k < particles.count; ++k)
    if (!isDynamic(state.world, particles.carriers[k]))
      sum += particles.weights[k] * state.heldVelocityOf(particles.carriers[k]);
  return sum;
}

void SurfaceContactRows::write(int index, const StateView& state, RowBuffer& to) const {
  const SurfaceContactPoint& contact = contacts[index];
  MovingCarriers carriers;
  addCarriers(contact.a, state.world, carriers);
  addCarriers(contact.b, state.world, carriers);
  if (carriers.isEmpty()) return;
  Vec3 armA, armB;
  const Vec3 pointA = contact.a.positionAt(state, armA), pointB = contact.b.positionAt(state, armB);
  const double gap = contact.normal.dot(pointB - pointA) - contact.thickness;
  const bool planar = state.world.scene->planar;
  const int rowCount = contact.friction > 0 ? (planar ? 2 : 3) : 1;
  Vec3 tangents[2];
  contactTangents(contact.normal, planar, tangents[0], tangents[1]);

  const Vec3 drift = contact.b.heldVelocity(state) - contact.a.heldVelocity(state);
  Row rows[3];
  rows[0] = {gap / state.h, 0, 0, 1, 0, RowLaw::Unilateral, 0};
  for (int row = 1; row < rowCount; ++row)
    rows[row] = {
        tangents[row - 1].dot(drift), 0, contact.friction, 1, static_cast<short>(row), RowLaw::Disk, 0};
  to.addBlock(contact.key, RowForm::Point, carriers.list());
  PointTerm* const points = to.addGroup(contact.normal, tangents[0], rows, rowCount);
  addPoints(contact.a, -1, armA, carriers, points);
  addPoints(contact.b, 1, armB, carriers, points);
  to.rows[to.rows.size() - rowCount].constant -= contact.normal.dot(velocityOfLastPoint(to, state));
}

}  // namespace touchstone
