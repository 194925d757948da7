#include <vtkPolyDataMapper.h>
#include <vtkProperty.h>

#include <algorithm>
#include <cmath>

#include "core/record/deformation.h"
#include "core/record/placed_surface.h"
#include "widgets/views/scalar_scaling.h"
#include "widgets/views/scene_props.h"

// Bodies that deform, and the scale of their colours.
namespace touchstone {

/// Colours that are read from a scale are darkened less by the light.
void SceneProps::light(vtkActor* actor, bool isColoured) {
  actor->GetMapper()->SetScalarVisibility(isColoured);
  actor->GetProperty()->SetAmbient(isColoured ? 0.55 : kAmbient);
  actor->GetProperty()->SetDiffuse(isColoured ? 0.5 : kDiffuse);
}

void SceneProps::updatePressures() {
  m_pressures.clear();
  if (settings.deformation != DeformationColour::Pressure || !frame.record || particleCount(*m_scene) == 0)
    return;
  if (!m_contactFeatures) m_contactFeatures = std::make_unique<ContactFeatures>(m_scene);
  m_pressures = contactPressures(*m_contactFeatures, *m_scene, *frame.record);
}

/// A pressure has no values inside a body.
SceneProps::Colours SceneProps::coloursOf(int body, const StepRecord& shown) {
  const Deformable& deformable = *m_scene->bodies[body].deformable;
  Colours colours;
  if (settings.deformation == DeformationColour::Pressure) {
    colours.ofVertices =
        m_pressures.empty() ? std::vector<double>(deformable.surface.size(), 0) : m_pressures[body];
  } else if (settings.deformation != DeformationColour::Plain) {
    const Deformation deformation = deformationOf(deformable, placedParticles(*m_scene, shown, body));
    if (stateOf(body, &shown).active) m_inverted += deformation.inverted;
    const SurfaceDeformation surface = onSurface(deformable, deformation);
    const bool byVolume = settings.deformation == DeformationColour::Volume;
    colours.ofVertices = byVolume ? surface.volumeChange : surface.strain;
    colours.ofTetrahedra = byVolume ? deformation.volumeChange : deformation.strain;
  }
  return colours;
}

/// @param isPainted  its surface has the colours of depths
void SceneProps::updateDeforming(int body, bool isPainted) {
  BodyActors& actors = m_bodies[body];
  static const StepRecord kStart;
  const StepRecord& shown = frame.record ? *frame.record : kStart;
  actors.deforming->place(placedSurface(*m_scene, shown, body, 0));
  const Colours colours = coloursOf(body, shown);
  const bool isColoured = std::any_of(colours.ofVertices.begin(), colours.ofVertices.end(),
                                      [](double value) { return !std::isnan(value); });
  if (isColoured) actors.deforming->setValues(colours.ofVertices);
  light(actors.surface, isColoured);
  if (isPainted && !isColoured) actors.surface->GetMapper()->ScalarVisibilityOn();
  if (!actors.cut || !m_isCut) return;
  vtkPolyDataMapper::SafeDownCast(actors.cut->GetMapper())
      ->SetInputData(cutTetrahedra(*m_scene->bodies[body].deformable, placedParticles(*m_scene, shown, body),
                                   m_sectionPlane, colours.ofTetrahedra));
  light(actors.cut, !colours.ofTetrahedra.empty());
}

/// Bodies without an interior are hollow where they are cut; tetrahedra show the polygons of the cut.
void SceneProps::updateSection() {
  if (settings.section == m_cutAcross && settings.sectionOffset == m_cutOffset) return;
  m_cutAcross = settings.section;
  m_cutOffset = settings.sectionOffset;
  const bool isCut = m_cutAcross != Section::Off;
  if (isCut) {
    m_sectionPlane = sectionPlane(*m_scene, settings.section, settings.sectionOffset);
    m_section->SetOrigin(m_sectionPlane.origin.data());
    m_section->SetNormal(m_sectionPlane.normal.data());
  }
  if (isCut == m_isCut) return;
  m_isCut = isCut;
  for (BodyActors& actors : m_bodies) {
    if (!actors.surface) continue;  // a plane has no inside
    for (vtkActor* actor : {actors.surface.Get(), actors.edges.Get(), actors.ghost.Get()}) {
      if (!actor) continue;
      if (isCut) {
        actor->GetMapper()->AddClippingPlane(m_section);
      } else {
        actor->GetMapper()->RemoveAllClippingPlanes();
      }
    }
  }
}

void SceneProps::updateDeformingGhost(int body) {
  BodyActors& actors = m_bodies[body];
  bool apart = false;
  if (settings.ghost && frame.record && frame.reference && frame.record != frame.reference) {
    const std::vector<Vec3> ghost = placedSurface(*m_scene, *frame.reference, body, 0),
                            shown = placedSurface(*m_scene, *frame.record, body, 0);
    for (std::size_t vertex = 0; vertex < ghost.size(); ++vertex)
      apart = apart || (ghost[vertex] - shown[vertex]).norm() > kGhostApart * m_scene->size;
    actors.ghostSurface->place(ghost);
  }
  actors.ghost->SetVisibility(apart && stateOf(body, frame.reference.get()).active);
}

double SceneProps::deformationRange() const {
  const DeformationColour colour = settings.deformation;
  const double shared = colour == DeformationColour::Volume     ? ranges.volumeChange
                        : colour == DeformationColour::Pressure ? ranges.pressure
                                                                : ranges.strain;
  if (shared > 0 || !frame.record) return deformationMaximum(shared, 0);
  if (colour == DeformationColour::Pressure) return deformationMaximum(0, largestOf(m_pressures));
  const LargestDeformation largest = largestDeformation(*m_scene, *frame.record);
  return deformationMaximum(0, colour == DeformationColour::Volume ? largest.volumeChange : largest.strain);
}

/// Colours of bodies that deform.
void SceneProps::updateDeformationTable() {
  if (settings.deformation == DeformationColour::Plain || particleCount(*m_scene) == 0) return;
  const double range = deformationRange();
  const bool isSigned = deformationScale(settings.deformation, range).isSigned;
  constexpr int kColours = 257;  // odd: one of them is the middle
  m_deformationTable->SetNumberOfTableValues(kColours);
  for (int k = 0; k < kColours; ++k) {
    const auto colour = deformationColour(isSigned, k / (kColours - 1.0));
    m_deformationTable->SetTableValue(k, colour[0], colour[1], colour[2]);
  }
  m_deformationTable->SetTableRange(isSigned ? -range : 0, range);
}

}  // namespace touchstone
