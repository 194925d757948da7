#include "core/contact/nsn/geometric_stiffness.h"

namespace touchstone::nsn {

static Mat3 crossMatrix(const Vec3& v) {
  Mat3 m;
  m << 0, -v.z(), v.y(), v.z(), 0, -v.x(), -v.y(), v.x(), 0;
  return m;
}

Mat3 geometricStiffness(const JointSlots& slots, const RowBlock& block, const int* carriers, int k,
                        const RowTerm* terms, const double* z, const StateView& state) {
  const int index = block.key.first, carrier = carriers[k];
  const Joint& joint = state.world.scene->joints[index];
  if (carrier != joint.bodyA && carrier != joint.bodyB) return Mat3::Zero();  // of a joint that is followed
  int placeOfA = -1, placeOfB = -1;
  for (int place = 0; place < block.carrierCount; ++place) {
    if (carriers[place] == joint.bodyA) placeOfA = place;
    if (carriers[place] == joint.bodyB) placeOfB = place;
  }
  Vec3 impulse(0, 0, 0);  // on B
  for (int row = 0; row < block.rowCount; ++row) {
    if (slots[index][row] >= JointRows::kMost) continue;
    const RowTerm* const ofRow = terms + row * block.carrierCount;
    impulse += z[row] * (placeOfB >= 0 ? ofRow[placeOfB].linear : Vec3(-ofRow[placeOfA].linear));
  }
  const Mat3 force = crossMatrix(impulse / state.h);
  const auto armOf = [&](int body, const Vec3& anchor) {
    return crossMatrix(state.poseOf(body).orientation * anchor);
  };
  return carrier == joint.bodyB ? Mat3(-force * armOf(joint.bodyB, joint.frames.anchorB))
                                : Mat3(force * armOf(joint.bodyA, joint.frames.anchorA));
}

}  // namespace touchstone::nsn
