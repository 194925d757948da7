#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/files/json_view.h"
#include "core/geometry/aabb.h"
#include "core/scene/scene.h"
#include "core/shape/shape_file.h"

namespace touchstone {

/// A body that deforms as its file describes it, relative to its centre of mass.
struct LoadedDeformable {
  std::shared_ptr<const Shape> shape;            ///< one surface
  std::shared_ptr<const Deformable> deformable;  ///< without attachments, see readAttachments()
  double mass = 0;                               ///< kg
  double volume = 0;                             ///< enclosed [m³]; 0 of cloth
  Vec3 centre = Vec3::Zero();                    ///< of mass, in the frame of the shape's file [m]
  Mat3 inertia = Mat3::Zero();                   ///< kg·m², of the particles at rest about the centre
  std::vector<std::string> notes;                ///< for the user
};

/// Bodies of one scene that deform: equal ones are built once and shared.
class DeformableBodies {
 public:
  /// Reads `shape`, `deformable`, and `density` or `mass` of a body.
  /// @param isNew  out: no body before was equal
  /// @throws SceneError
  const LoadedDeformable& get(const JsonView& body, const Material& material, const MeshPlaces& meshes,
                              bool& isNew);

 private:
  std::map<std::string, LoadedDeformable> m_entries;  ///< by the text of their fields
  std::size_t m_particles = 0, m_tetrahedra = 0;      ///< of all bodies so far
};

/// Refuses a shape that only a body that deforms can have. @param shape  of a rigid body
void requireRigidShape(const JsonView& shape);

/// The two corners of a box, `[[x, y, z], [x, y, z]]`, in the frame of the shape's file. @throws SceneError
Aabb readBox(const JsonView& json);

/// Particles of a body in a box, which rounding widens. @throws SceneError if there are none
std::vector<int> particlesIn(const JsonView& box, const Deformable& body, const Vec3& centre);

}  // namespace touchstone
