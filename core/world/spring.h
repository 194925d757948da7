#pragma once

#include "core/math/vec.h"
#include "core/scene/deformable/deformable.h"

namespace touchstone {

/// A spring and damper between a material point of a body and a point in space, used for pulling with the
/// mouse:
///     F = k (target − p) − c v_p    on the body at p [N]
/// with p and v_p at the start of the step. Of a body that deforms p = Σ w x_c follows particles, each of
/// which takes w F; held ones leave their share to what holds them.
struct Spring {
  int body = -1;
  Vec3 local = Vec3::Zero();   ///< the point p in the frame of the body, which is rigid [m]
  Vec3 target = Vec3::Zero();  ///< world [m]
  double stiffness = 0;        ///< k [N/m]
  double damping = 0;          ///< c [N·s/m]
  SurfacePoint surface = {};   ///< p of a body that deforms
};

/// Action of the spring in one step, where isPulling(). The balances of momentum and energy include it.
struct SpringAction {
  Vec3 impulse = Vec3::Zero();  ///< on the body [N·s]
  Vec3 point = Vec3::Zero();    ///< application point at the start of the step, world [m]
  double work = 0;  ///< change of kinetic energy by this impulse, of particles see PullParticles [J]
};

}  // namespace touchstone
