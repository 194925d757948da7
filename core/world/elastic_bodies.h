#pragma once

#include <memory>
#include <vector>

#include "core/math/count.h"
#include "core/scene/scene.h"
#include "core/world/elastic_view.h"

namespace touchstone {

/// Elements and particles of all bodies of a scene that deform, as ElasticView has them. Particles are
/// carriers of the world behind its bodies: particle p is the carrier bodyCount + p. Built once per scene,
/// shared, immutable.
struct ElasticBodies {
  std::vector<TetrahedronElement> tetrahedra;
  std::vector<EdgeElement> edges;
  std::vector<HingeElement> hinges;
  std::vector<ElasticMaterial> materials;  ///< with the eigenstrains that are constant
  /// [materials] ε* in time, in the place of that of the material; empty: it is constant.
  std::vector<TimePath<double>> eigenstrains;
  std::vector<int> firstSlot{0}, slots;
  std::vector<int> firstParticle;     ///< [bodyCount + 1] the particles of a body follow each other
  std::vector<int> firstTetrahedron;  ///< likewise
  std::vector<double> particleMass;   ///< [particleCount] kg
  std::vector<double> massDamping;    ///< [particleCount]
  std::vector<int> hold;              ///< [particleCount]
  std::vector<HeldParticles> holds;   ///< those of all bodies
  /// Particles that are part of a rigid body.
  struct Attachment {
    int carrier;  ///< of the world
    int body;
    Vec3 local;  ///< in the frame of the body [m]
  };
  std::vector<Attachment> attachments;
  std::vector<VertexCarriers> vertices;  ///< [vertexCount of SurfaceTopology]; empty: no body deforms

  /// Particles are held, or lose velocity by mass damping: forces that no balance of momentum knows.
  bool hasUnknownForces = false;
  /// Particles are held, or eigenstrains change: energy comes in from outside.
  bool isDriven = false;

  int particleCount() const { return countOf(particleMass); }
  bool isEmpty() const { return particleMass.empty(); }
};
std::shared_ptr<const ElasticBodies> buildElasticBodies(const Scene& scene);

/// Offset of held particles at a time from their positions at the start [m].
Vec3 holdOffset(const HeldParticles& held, double time);

/// The materials with their eigenstrains at a time [s].
/// @param materials  out; [materials]. One of that length keeps its place in memory.
void findMaterials(const ElasticBodies& bodies, double time, std::vector<ElasticMaterial>& materials);

/// Sums over the elements of a scene.
struct ElasticSums {
  double energy = 0;       ///< J
  int inverted = 0;        ///< tetrahedra with det F ≤ 0
  double strain = 0;       ///< largest |s − 1| of the stretches of tetrahedra, and |ℓ / L − 1| of edges
  double volumeError = 0;  ///< largest |Σ V det F / Σ V − 1| of a body
};
/// @param position  [carrierCount]   @param time  of the eigenstrains [s]
ElasticSums elasticSumsOf(const ElasticBodies& bodies, const Vec3* position, double time);

/// [bodyCount] tetrahedra of each body with det F ≤ 0; empty if nothing deforms. @param position
/// [carrierCount]
std::vector<int> invertedTetrahedra(const ElasticBodies& bodies, const Vec3* position);

/// Longest step [s] that explicit elasticity of all bodies of the scene takes, see explicitStepLimit(const
/// Deformable&); HUGE_VAL if nothing deforms.
double explicitStepLimit(const Scene& scene);
/// Steps per frame that it takes: ⌈dt / limit⌉; INT_MAX if no step is stable. @param dt  of a frame [s]
int explicitSubsteps(const Scene& scene, double dt);

}  // namespace touchstone
