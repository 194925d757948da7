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

constexpr double kPerCent = 100;

}  // namespace

void SceneProps::updateDeforming(int body) {
  const Body& description = m_scene->bodies[body];
  BodyActors& actors = m_bodies[body];
  static const StepRecord kStart;
  const StepRecord& shown = frame.record ? *frame.record : kStart;
  actors.deforming->place(placedSurface(*m_scene, shown, body, 0));
  bool isColoured = settings.deformation != DeformationColour::Plain;
  if (isColoured) {
    const Deformation deformation =
        deformationOf(*description.deformable, placedParticles(*m_scene, shown, body));
    if (stateOf(body, &shown).active) m_inverted += deformation.inverted;
    const SurfaceDeformation surface = onSurface(*description.deformable, deformation);
    std::vector<double> values =
        settings.deformation == DeformationColour::Volume ? surface.volumeChange : surface.strain;
    isColoured = std::any_of(values.begin(), values.end(), [](double value) { return !std::isnan(value); });
    for (double& value : values) value *= kPerCent;
    actors.deforming->setValues(values);
  }
  actors.surface->GetMapper()->SetScalarVisibility(isColoured);
  // Colours that are read from a scale are darkened less by the light.
  actors.surface->GetProperty()->SetAmbient(isColoured ? 0.55 : kAmbient);
  actors.surface->GetProperty()->SetDiffuse(isColoured ? 0.5 : kDiffuse);
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
  const bool byVolume = settings.deformation == DeformationColour::Volume;
  const double shared = byVolume ? ranges.volumeChange : ranges.strain;
  if (shared > 0 || !frame.record) return deformationMaximum(shared, 0);
  const LargestDeformation largest = largestDeformation(*m_scene, *frame.record);
  return deformationMaximum(0, byVolume ? largest.volumeChange : largest.strain);
}

bool SceneProps::hasDeformationBar() const {
  return settings.deformation != DeformationColour::Plain && particleCount(*m_scene) > 0;
}

/// Bar and colours of bodies that deform. The range of a change of volume is symmetric, so that its middle
/// colour is no change; strain has the upper half of the same map.
void SceneProps::updateDeformationBar() {
  m_deformationBar->SetVisibility(hasDeformationBar() && settings.scalarBar);
  if (!hasDeformationBar()) return;
  const bool byVolume = settings.deformation == DeformationColour::Volume;
  constexpr int kColours = 257;  // odd: one of them is the middle
  m_deformationTable->SetNumberOfTableValues(kColours);
  for (int k = 0; k < kColours; ++k) {
    const double t = k / (kColours - 1.0);
    const auto colour = coolToWarm(byVolume ? 2 * t - 1 : t);  // viridis means depth
    m_deformationTable->SetTableValue(k, colour[0], colour[1], colour[2]);
  }
  const double range = kPerCent * deformationRange();
  m_deformationTable->SetTableRange(byVolume ? -range : 0, range);
  m_deformationBar->SetTitle(byVolume ? "volume\nJ − 1 [%]" : "strain\n[%]");
  layOut(m_deformationBar, m_bar->GetVisibility() ? 0.56 : 0.08);
}

}  // namespace touchstone
