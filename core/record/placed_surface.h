#pragma once

#include <memory>
#include <vector>

#include "core/record/step_record.h"
#include "core/scene/scene.h"

namespace touchstone {

/// Pose and velocities of a body in a frame; where the record has none, those of the start.
BodyState stateIn(const Scene& scene, const StepRecord& record, int body);

/// Number of particles of all bodies that deform.
int particleCount(const Scene& scene);
/// Index into StepRecord::particles of the first particle of a body.
int firstParticle(const Scene& scene, int body);

/// World positions [m] of the particles of a body that deforms. A record without particles has them at rest
/// at the pose of the body.
std::vector<Vec3> placedParticles(const Scene& scene, const StepRecord& record, int body);

/// World position [m] of a vertex that follows particles: Σ w x_p.
/// @param particles  [particles of the body] as placedParticles()
Vec3 placed(const EmbeddedVertex& vertex, const std::vector<Vec3>& particles);

/// World positions [m] of the vertices of one surface of a body in a frame: of a rigid body at its pose, of
/// one that deforms where its particles carry them.
/// @param surface  index into the surfaces of the shape
std::vector<Vec3> placedSurface(const Scene& scene, const StepRecord& record, int body, int surface);

/// World positions [m] of the vertices of all surfaces of a body in a frame.
std::vector<Vec3> placedVertices(const Scene& scene, const StepRecord& record, int body);

/// A body that moves, in the frame of one of several panes.
struct MovingBody {
  std::size_t pane;
  int body;
  bool isThrown;  ///< far from most others
};
/// The bodies that move, in frames of several panes; null: the start of the scene. In a scene in which
/// nothing moves those that are static.
std::vector<MovingBody> movingBodies(const Scene& scene,
                                     const std::vector<std::shared_ptr<const StepRecord>>& frames);
/// Vertices [m, world] of these bodies without those that were thrown out.
std::vector<Vec3> movingPoints(const Scene& scene,
                               const std::vector<std::shared_ptr<const StepRecord>>& frames);
/// The points that are farthest along some directions, each once, in the order of their first direction.
std::vector<Vec3> outermost(const std::vector<Vec3>& points, const std::vector<Vec3>& directions);

}  // namespace touchstone
