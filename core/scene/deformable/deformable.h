#pragma once

#include <array>
#include <cmath>
#include <vector>

#include "core/elasticity/elastic_material.h"
#include "core/math/time_path.h"

namespace touchstone {

/// A vertex of a surface that follows up to four particles: x = Σ w x_p, Σ w = 1.
struct EmbeddedVertex {
  std::array<int, 4> particles{-1, -1, -1, -1};  ///< of the body; −1: unused
  std::array<double, 4> weights{};
};

/// A point of the surface of a body that deforms: x = Σ w x_v.
struct SurfacePoint {
  std::array<int, 3> vertices{-1, -1, -1};  ///< of the surface; −1: unused
  std::array<double, 3> weights{};          ///< Σ = 1
};

/// A spring along an edge of cloth or of a layer of tetrahedra, or an inextensible one.
struct ClothEdge {
  std::array<int, 2> particles{};
  double length = 0;     ///< L at rest [m]
  double stiffness = 0;  ///< k [N/m]; HUGE_VAL: inextensible
};

/// A hinge between two triangles of cloth, see hingeBend().
struct ClothHinge {
  std::array<int, 4> particles{};  ///< i, j, k, l
  double angle = 0;                ///< θ₀ at rest [rad]
  double stiffness = 0;            ///< D |e|² / (A₁ + A₂) [N·m]
};

/// Particles whose motion is given: each is where it was at the start, plus an offset. Without a path they
/// stay.
struct HeldParticles {
  std::vector<int> particles;
  TimePath<Vec3> path;  ///< offset [m]
};

/// A particle that is part of a rigid body.
struct ParticleAttachment {
  int particle = 0;
  int body = 0;                ///< of the scene
  Vec3 local = Vec3(0, 0, 0);  ///< in the frame of the body [m]
};

/// Parts that a deforming body has besides those of a rigid one: particles with masses, and elements between
/// them. The surface of its shape (one mesh) follows the particles.
struct Deformable {
  std::vector<Vec3> rest;    ///< [particles] X about the centre of mass, axes of the body at the start [m]
  std::vector<double> mass;  ///< [particles] > 0 [kg]
  double massDamping = 0;    ///< α: the old velocity is divided by 1 + h α [1/s]
  ElasticMaterial material;  ///< of the tetrahedra
  std::vector<std::array<int, 4>> tetrahedra;  ///< of particles, det D_m > 0
  /// ε* in time, in the place of that of the material; empty: it is constant
  TimePath<double> eigenstrain;
  /// [tetrahedra] share of the eigenstrain; empty: all of it
  std::vector<double> activation;
  std::vector<ClothEdge> edges;
  std::vector<ClothHinge> hinges;
  std::vector<EmbeddedVertex> surface;  ///< [vertices of surfaces[0] of the shape]
  std::vector<HeldParticles> held;
  std::vector<ParticleAttachment> attachments;
  bool self = false;  ///< its surface touches itself
  /// Longest stable step of explicit elasticity at rest, undamped [s]; see explicitStepLimit(). 0: no step is
  /// (edges that do not stretch).
  double stepLimit = 0;
};

/// Longest step [s] that explicit elasticity of a body takes: half of the bound at rest, with damping β,
///
///     h = ½ (2/ω)(√(1 + ζ²) − ζ),   ζ = β ω / 2,   2/ω: stepLimit
///
/// Large stretch stiffens: hence the half. 0 if no step is stable.
inline double explicitStepLimit(const Deformable& body) {
  if (!(body.stepLimit > 0)) return 0;
  const double omega = 2 / body.stepLimit, zeta = 0.5 * body.material.dampingTime * omega;
  return 0.5 * (2 / omega) * (std::sqrt(1 + zeta * zeta) - zeta);
}

}  // namespace touchstone
