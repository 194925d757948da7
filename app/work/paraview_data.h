#pragma once

#include <vtkSmartPointer.h>

#include "core/record/step_record.h"
#include "core/scene/scene.h"

class vtkPolyData;
class vtkUnstructuredGrid;

namespace touchstone {

class ContactFeatures;

// What ParaView shows of a frame, in the world frame [m].

/// Surfaces of the bodies that are released, with the cell arrays body, depth_m and velocity_m_per_s. Where
/// the scene has bodies that deform also the point arrays volume_change (J − 1), strain and
/// contact_pressure_Pa, which are not numbers at rigid bodies.
/// @param features  of the scene
vtkSmartPointer<vtkPolyData> paraviewBodies(const StepRecord& record, const Scene& scene,
                                            const ContactFeatures& features);

/// Contacts as points with gap_m, normal, force_N (on the second body) and trap.
vtkSmartPointer<vtkPolyData> paraviewContacts(const StepRecord& record);

/// True if a body of the scene has tetrahedra.
bool hasTetrahedra(const Scene& scene);
/// Tetrahedra of the bodies that are released, with the cell arrays body, volume_change (J − 1) and strain
/// (see Deformation).
vtkSmartPointer<vtkUnstructuredGrid> paraviewTetrahedra(const StepRecord& record, const Scene& scene);

}  // namespace touchstone
