#include "core/contact/complementarity/push_out_sums.h"

namespace touchstone::detail {

void addPushOut(const PushedBodies& pushed, const Vec3& gravity, double dt, StepRecord& record) {
  const std::size_t count = pushed.bodies.size();
  record.pushOut.resize(count, Vec3::Zero());
  for (std::size_t body = 0; body < count; ++body) {
    const Vec3 shift = dt * pushed.pushLinear[body], turn = dt * pushed.pushAngular[body];
    if (!(pushed.inverseMass[body] > 0) || (shift.squaredNorm() == 0 && turn.squaredNorm() == 0)) continue;
    const double mass = 1 / pushed.inverseMass[body];
    record.pushOut[body] += shift;
    record.pushOutWork -= mass * gravity.dot(shift);
    record.pushOutAngularMomentum += mass * shift.cross(pushed.linear[body]);
    if (turn.squaredNorm() == 0) continue;
    const FreeRotation end =
        freeRotation(pushed.bodies[body], pushed.orientation[body], pushed.angular[body], dt);
    Quaternion turned = product(rotationBy(turn), end.orientation);
    turned.normalize();
    const auto momentumOf = [&](const Quaternion& q) {
      return Vec3(q * Vec3(pushed.bodies[body].inertia * Vec3(q.conjugate() * end.angularVelocity)));
    };
    const Vec3 change = momentumOf(turned) - momentumOf(end.orientation);
    record.pushOutWork += 0.5 * end.angularVelocity.dot(change);
    record.pushOutAngularMomentum += change;
  }
}

}  // namespace touchstone::detail
