#pragma once

#include <vtkPolyData.h>
#include <vtkSmartPointer.h>

#include <vector>

#include "core/scene/scene.h"
#include "widgets/views/view_settings.h"

namespace touchstone {

/// A plane that cuts the bodies in a view; they are drawn on the side of its normal.
struct SectionPlane {
  Vec3 origin = Vec3::Zero();    ///< [m, world]
  Vec3 normal = Vec3(0, 0, -1);  ///< unit
};
/// The plane across the axis of `section` (not Off) through the middle of the box around all bounded bodies
/// at the start, moved by `offset` times half of the box along the axis. The side from which the scene is
/// seen at the start is cut away.
SectionPlane sectionPlane(const Scene& scene, Section section, double offset);

/// The triangles and quadrangles in which a plane cuts the tetrahedra of a body, one for each that has
/// corners on both sides; a corner in the plane counts as in front.
/// @param particles  [particles] of the body, world [m], as placedParticles()
/// @param values     [tetrahedra] for colours, which become those of the cells; or none
vtkSmartPointer<vtkPolyData> cutTetrahedra(const Deformable& deformable, const std::vector<Vec3>& particles,
                                           const SectionPlane& plane, const std::vector<double>& values);

}  // namespace touchstone
