#include "core/constraints/attachment_rows.h"

#include "core/constraints/moving_carriers.h"
#include "core/constraints/row_rates.h"

namespace touchstone {

void AttachmentRows::write(int index, const StateView& state, RowBuffer& to) const {
  const ElasticBodies::Attachment& attachment = state.world.elastic->attachments[index];
  if (!canMove(state.world, attachment.carrier)) return;
  const MovingCarriers carriers(state.world, {attachment.carrier, attachment.body});
  const BodyPose body = state.poseOf(attachment.body);
  const Vec3 arm = body.orientation * attachment.local;
  const Vec3 c = state.positionOf(attachment.carrier) - (body.position + arm);

  to.addBlock({kAttachmentBlock, index, 0}, RowForm::Point, carriers.list());
  const Row row{0, 0, 0, 1, 0, RowLaw::Free, 0};
  const Row rows[3] = {row, row, row};
  PointTerm* const points = to.addGroup(Vec3(1, 0, 0), Vec3(0, 1, 0), rows, 3);
  points[carriers.placeOf(attachment.carrier)] = {1, Vec3(0, 0, 0)};
  const int place = carriers.placeOf(attachment.body);
  if (place >= 0) points[place] = {-1, arm};
  const Vec3 velocity = velocityOfLastPoint(to, state);
  Row* const written = to.rows.data() + to.rows.size() - 3;
  for (int axis = 0; axis < 3; ++axis) written[axis].constant = c[axis] / state.h - velocity[axis];
  if (holdsForces && !state.u) to.holdForces();
}

void addGroundImpulse(const World& world, const RowBlock& block, const double* z, Vec3& impulse,
                      Vec3& angularImpulse) {
  const ElasticBodies::Attachment& attachment = world.elastic->attachments[block.key.first];
  if (canMove(world, attachment.body)) return;
  const Vec3 ofBody(z[0], z[1], z[2]),
      point = world.position[attachment.body] + world.orientation[attachment.body] * attachment.local;
  impulse += ofBody;
  angularImpulse += point.cross(ofBody);
}

}  // namespace touchstone
