#pragma once

#include <vector>

#include "core/record/step_record.h"
#include "core/scene/scene.h"

namespace touchstone {

/// Deformation of the elements of a body in a frame.
struct Deformation {
  std::vector<double> volume;        ///< [tetrahedra] at rest [m³]
  std::vector<double> volumeChange;  ///< [tetrahedra] J − 1 with J = det F; at −1 and below it is inverted
  /// [tetrahedra] largest |s − 1| of the three stretches s of F; the smallest is negative where J is.
  std::vector<double> strain;
  std::vector<double> edgeStrain;  ///< [edges of cloth] | |x_j − x_i| / L − 1 |
  int inverted = 0;                ///< number of tetrahedra with J ≤ 0
};
/// @param particles  [particles] of the body, world [m], as placedParticles()
Deformation deformationOf(const Deformable& deformable, const std::vector<Vec3>& particles);

/// The same at the vertices of the surface: at each particle the mean of its elements by their volume (of
/// edges their length) at rest, between particles with the weights of the vertex. Not a number where no
/// element is: cloth has no volume.
struct SurfaceDeformation {
  std::vector<double> volumeChange, strain;  ///< [vertices of the surface]
};
SurfaceDeformation onSurface(const Deformable& deformable, const Deformation& deformation);

/// Largest |J − 1| and strain at the surfaces of the bodies that deform and are released; 0 without any.
struct LargestDeformation {
  double volumeChange = 0, strain = 0;
};
LargestDeformation largestDeformation(const Scene& scene, const StepRecord& record);

}  // namespace touchstone
