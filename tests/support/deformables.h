#pragma once

#include <memory>

#include "core/record/placed_surface.h"

/// Bodies that deform, made in code.
namespace touchstone::test {

/// A bar of cubes along x, centred on the origin, each cut into five tetrahedra with alternating orientation;
/// its surface is that of the tetrahedra, one particle per vertex. Mass of 1000 kg/m³, lumped.
/// @param cells  number of cubes along each axis   @param edge  of a cube [m]
Body elasticBar(const char* name, const std::array<int, 3>& cells, double edge, const Vec3& position);

/// A record with all bodies as at the start, and the particles at places that `move` gives.
/// @param move  move(X) = x [m, world], from the place at the start
template <class Move>
std::shared_ptr<StepRecord> recordOf(const Scene& scene, const Move& move) {
  auto record = std::make_shared<StepRecord>();
  record->dt = scene.dt;
  record->method = "cpf";
  for (std::size_t body = 0; body < scene.bodies.size(); ++body) {
    record->bodies.push_back(stateIn(scene, StepRecord(), static_cast<int>(body)));
    if (!scene.bodies[body].deformable) continue;
    for (const Vec3& start : placedParticles(scene, StepRecord(), static_cast<int>(body)))
      record->particles.push_back(move(start));
  }
  record->particleVelocities.assign(record->particles.size(), Vec3(0, 0, 0));
  return record;
}

}  // namespace touchstone::test
