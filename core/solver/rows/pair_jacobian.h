#pragma once

#include "core/math/host_device.h"
#include "core/math/vec.h"

namespace touchstone {

using Vec6 = Eigen::Matrix<double, 6, 1, Eigen::DontAlign>;

/// Gradient of a rate with respect to the velocities of two bodies, for example of a gap or of a slip:
///     rate = a · (v_A, ω_A) + b · (v_B, ω_B),   A: −[d; r_A × d], B: [d; r_B × d]
struct PairJacobian {
  int bodyA = -1, bodyB = -1;
  Vec6 a = Vec6::Zero(), b = Vec6::Zero();
};

/// Its rate with the velocities of all bodies. @param linear, angular  [bodyCount] m/s, rad/s
TS_HD inline double rateAlong(const PairJacobian& g, const Vec3* linear, const Vec3* angular) {
  return Vec3(g.a.head<3>()).dot(linear[g.bodyA]) + Vec3(g.a.tail<3>()).dot(angular[g.bodyA]) +
         Vec3(g.b.head<3>()).dot(linear[g.bodyB]) + Vec3(g.b.tail<3>()).dot(angular[g.bodyB]);
}

TS_HD inline PairJacobian pairJacobian(int bodyA, int bodyB, const Vec3& direction, const Vec3& armA,
                                       const Vec3& armB) {
  PairJacobian jacobian;
  jacobian.bodyA = bodyA;
  jacobian.bodyB = bodyB;
  const Vec3 angularA = -armA.cross(direction), angularB = armB.cross(direction);
  for (int axis = 0; axis < 3; ++axis) {
    jacobian.a[axis] = -direction[axis];
    jacobian.a[3 + axis] = angularA[axis];
    jacobian.b[axis] = direction[axis];
    jacobian.b[3 + axis] = angularB[axis];
  }
  return jacobian;
}

/// Gradient of the difference of two rates of the same two bodies.
inline PairJacobian difference(const PairJacobian& first, const PairJacobian& second) {
  PairJacobian result = first;
  result.a -= second.a;
  result.b -= second.b;
  return result;
}

}  // namespace touchstone
