#pragma once

#include <vector>

#include "core/constraints/moving_carriers.h"
#include "core/solver/rows/row_buffer.h"
#include "core/solver/rows/state_view.h"
#include "core/world/particle_weights.h"

namespace touchstone {

/// A side of a contact: a point of a rigid body, or Σ w x of particles.
struct ContactSide {
  ParticleWeights particles;   ///< empty: the point of the body
  int body = -1;               ///< −1: a point of the world
  Vec3 point = Vec3(0, 0, 0);  ///< in the frame of the body [m]

  /// Position of the point at a state [m]. @param arm  from the centre of mass of its body, out [m]
  Vec3 positionAt(const StateView& state, Vec3& arm) const;
  /// Σ w v of its held particles [m/s].
  Vec3 heldVelocity(const StateView& state) const;
};

/// Features with which the normal of a contact turns: a face on one of its bodies, or an edge of each.
enum class TurnsWith { Nothing, FaceOfA, FaceOfB, Edges };

/// A contact C = n · (b − a) − d ≥ 0 with n from A to B. What turns with a face, or with edges, is exact for
/// a plane and a point, and for two lines.
struct GapContact {
  BlockKey key;  ///< contacts with the same key, of the same two sides, follow each other in one block
  ContactSide a, b;
  Vec3 normal;  ///< at the start of the step
  TurnsWith turnsWith = TurnsWith::Nothing;
  Vec3 edgeA = Vec3(0, 0, 0),
       edgeB = Vec3(0, 0, 0);  ///< TurnsWith::Edges: unit vectors in the bodies' frames
  double thickness = 0;        ///< d [m]
  double friction = 0;         ///< μ
  double pushOut = 0;          ///< Row::bound of its normal: speed at which its overlap is undone [m/s]
};

/// A contact at a state, in the world. With the arms both bodies have the exact gradient of the gap.
struct PlacedGap {
  Vec3 normal, first, second;  ///< with the tangents; in the plane `second` is 0
  Vec3 armA, armB;             ///< m
  double gap = 0;              ///< C [m]
};
PlacedGap placedAt(const GapContact& contact, const StateView& state);

/// Forms of the slips of such contacts, and of the places of their impulses.
enum class GapContactForm {
  /// A slip is that of the velocities at the end of the step, and impulses act at the arms of that end
  /// (Macklin
  /// 2019). What sticks to a body that turns drifts along the tangent, by O(h).
  Published,
  /// A slip is the displacement of both points against each other over h, so that what sticks keeps its
  /// points;
  /// impulses between rigid bodies act at one common point of the start, so that a step keeps Σ x × m v + I
  /// ω.
  PointsOfStart
};

/// The rows of such contacts: C as Unilateral; slips along both tangents as Disk of μ, in the plane one,
/// without friction none. The tangents are contactTangents() of the normal at the start, moved with it. A
/// slip of velocities has that of held particles in its constant. One block of form Point, with up to 24
/// carriers, for the contacts of a key.
class GapContactRows {
 public:
  static constexpr const char* kKey = "gap-contact";

  explicit GapContactRows(const std::vector<GapContact>& contacts,
                          GapContactForm form = GapContactForm::Published);
  /// Blocks.
  int count() const { return countOf(m_firstOf) - 1; }
  /// The contacts of a block: [first, first of the next).
  int firstOf(int block) const { return m_firstOf[block]; }
  void write(int block, const StateView& state, RowBuffer& to) const;

 private:
  void holdForces(int block, const StateView& state, const MovingCarriers& carriers, RowBuffer& to) const;

  const std::vector<GapContact>& m_contacts;
  GapContactForm m_form;
  std::vector<int> m_firstOf;  ///< [blocks + 1]
};

}  // namespace touchstone
