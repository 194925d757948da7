#pragma once

#include <vector>

#include "core/record/step_record.h"
#include "core/world/world.h"

namespace touchstone {

/// A feature of a body: one point is a vertex, two an edge, more a face.
struct BodyFeature {
  int body = -1;
  std::vector<Vec3> points;   ///< body frame, of a body that deforms at rest [m]
  std::vector<int> vertices;  ///< the same as vertices of its surface, of a body that deforms; else none
};

/// Turns the feature ids of recorded contacts of a scene into geometry, for any method.
class ContactFeatures {
 public:
  explicit ContactFeatures(std::shared_ptr<const Scene> scene);
  /// True if the contact's bodies, pieces and features exist in the scene. Contacts from a file must be
  /// checked first.
  bool has(const Contact& contact) const;
  /// The features of A and B; a plane has none.
  std::vector<BodyFeature> of(const Contact& contact) const;

 private:
  bool has(const Contact& contact, int body, int piece, int id, bool vertex) const;
  BodyFeature ofSurface(FeaturePairKind kind, int id, bool vertex) const;
  BodyFeature ofPiece(FeaturePairKind kind, int piece, int id, bool vertex) const;
  std::shared_ptr<const Scene> m_scene;
  std::shared_ptr<const SurfaceTopology> m_surface;
  std::shared_ptr<const PieceTable> m_pieces;
};

/// True if two contacts, of different steps or panes, have the same features.
bool sameFeatures(const Contact& a, const Contact& b);

/// The points of a feature at the pose of its body, which is rigid [m, world].
std::vector<Vec3> placed(const BodyFeature& feature, const BodyState& body);
/// The points of a feature in a frame, of any body [m, world].
std::vector<Vec3> placed(const BodyFeature& feature, const Scene& scene, const StepRecord& record);

}  // namespace touchstone
