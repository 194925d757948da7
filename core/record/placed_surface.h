#pragma once

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

}  // namespace touchstone
