#pragma once

#include <vector>

#include "core/solver/rows/row_buffer.h"
#include "core/solver/rows/state_view.h"
#include "core/world/particle_weights.h"

namespace touchstone {

/// A side of a contact between surfaces of which one deforms: a point of a rigid body, or Σ w x of particles.
struct SurfaceSide {
  ParticleWeights particles;   ///< empty: the point of the body
  int body = -1;               ///< −1: a point of the world
  Vec3 point = Vec3(0, 0, 0);  ///< in the frame of the body [m]

  /// Position of the point at a state [m]. @param arm  from the centre of mass of its body, out [m]
  Vec3 positionAt(const StateView& state, Vec3& arm) const;
  /// Σ w v of its held particles [m/s].
  Vec3 heldVelocity(const StateView& state) const;
};

/// A contact between them: C = n · (b − a) − d ≥ 0, with n held in the step.
struct SurfaceContactPoint {
  BlockKey key;  ///< kSurfaceBlock plus the kind of its features, and these
  SurfaceSide a, b;
  Vec3 normal;           ///< from A to B
  double thickness = 0;  ///< d [m]
  double friction = 0;   ///< μ
};

/// The rows of such contacts: C as Unilateral; slips along contactTangents() as Disk of μ, in the plane one,
/// without friction none. The constant of a slip is that of held particles. One block of form Point, with up
/// to 24 carriers, for each contact with a carrier that moves.
struct SurfaceContactRows {
  static constexpr const char* kKey = "surface-contact";

  const std::vector<SurfaceContactPoint>& contacts;

  int count() const { return countOf(contacts); }
  void write(int contact, const StateView& state, RowBuffer& to) const;
};

}  // namespace touchstone
