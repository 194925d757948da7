#include <vtkPolyDataMapper.h>
#include <vtkProperty.h>

#include <algorithm>
#include <cmath>

#include "core/record/deformation.h"
#include "core/record/placed_surface.h"
#include "widgets/palette.h"
#include "widgets/views/scene_props.h"

// Bodies that deform, and the scale of their colours.
namespace touchstone {

namespace {

/// How the values of a colour are told.
struct ColourScale {
  double perUnit;         ///< from SI
  std::string title;      ///< of its bar, with the unit
  bool isSigned = false;  ///< from −range to range, else from 0
};
/// @param range  upper end [SI]
ColourScale scaleOf(DeformationColour colour, double range) {
  constexpr double kPerCent = 100;
  switch (colour) {
    case DeformationColour::Volume:
      return {kPerCent, "volume\nJ − 1 [%]", true};
    case DeformationColour::Pressure: {
      const PressureUnit unit = pressureUnit(range);
      return {unit.perPascal, "pressure\n[" + unit.symbol.toStdString() + "]", false};
    }
    default:
      return {kPerCent, "strain\n[%]", false};
  }
}

}  // namespace

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
  const Deformable& own = *m_scene->bodies[body].deformable;
  Colours colours;
  if (settings.deformation == DeformationColour::Pressure) {
    colours.ofVertices = m_pressures.empty() ? std::vector<double>(own.surface.size(), 0) : m_pressures[body];
  } else if (settings.deformation != DeformationColour::Plain) {
    const Deformation deformation = deformationOf(own, placedParticles(*m_scene, shown, body));
    if (stateOf(body, &shown).active) m_inverted += deformation.inverted;
    const SurfaceDeformation surface = onSurface(own, deformation);
    const bool byVolume = settings.deformation == DeformationColour::Volume;
    colours.ofVertices = byVolume ? surface.volumeChange : surface.strain;
    colours.ofTetrahedra = byVolume ? deformation.volumeChange : deformation.strain;
  }
  for (std::vector<double>* values : {&colours.ofVertices, &colours.ofTetrahedra})
    for (double& value : *values) value *= m_deformationUnit;
  return colours;
}

void SceneProps::updateDeforming(int body) {
  BodyActors& actors = m_bodies[body];
  static const StepRecord kStart;
  const StepRecord& shown = frame.record ? *frame.record : kStart;
  actors.deforming->place(placedSurface(*m_scene, shown, body, 0));
  const Colours colours = coloursOf(body, shown);
  const bool isColoured = std::any_of(colours.ofVertices.begin(), colours.ofVertices.end(),
                                      [](double value) { return !std::isnan(value); });
  if (isColoured) actors.deforming->setValues(colours.ofVertices);
  light(actors.surface, isColoured);
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

bool SceneProps::hasDeformationBar() const {
  return settings.deformation != DeformationColour::Plain && particleCount(*m_scene) > 0;
}

/// Bar and colours of bodies that deform. The range of a change of volume is symmetric, so that its middle
/// colour is no change; the others have the upper half of the same map.
void SceneProps::updateDeformationBar() {
  m_deformationBar->SetVisibility(hasDeformationBar() && settings.scalarBar);
  if (!hasDeformationBar()) return;
  const double range = deformationRange();
  const ColourScale scale = scaleOf(settings.deformation, range);
  m_deformationUnit = scale.perUnit;
  constexpr int kColours = 257;  // odd: one of them is the middle
  m_deformationTable->SetNumberOfTableValues(kColours);
  for (int k = 0; k < kColours; ++k) {
    const double t = k / (kColours - 1.0);
    const auto colour = coolToWarm(scale.isSigned ? 2 * t - 1 : t);  // viridis means depth
    m_deformationTable->SetTableValue(k, colour[0], colour[1], colour[2]);
  }
  m_deformationTable->SetTableRange(scale.isSigned ? -scale.perUnit * range : 0, scale.perUnit * range);
  m_deformationBar->SetTitle(scale.title.c_str());
  layOut(m_deformationBar, m_bar->GetVisibility() ? 0.56 : 0.08);
}

}  // namespace touchstone
