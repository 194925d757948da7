#include <vtkActor2D.h>
#include <vtkArrowSource.h>
#include <vtkCoordinate.h>
#include <vtkPolyDataMapper2D.h>
#include <vtkProperty2D.h>
#include <vtkShaderProperty.h>
#include <vtkSphereSource.h>

#include <algorithm>
#include <iterator>

#include "core/math/count.h"
#include "core/record/mouse_spring.h"
#include "widgets/views/scene_actors.h"
#include "widgets/views/scene_props.h"
#include "widgets/views/shown_actors.h"

// What is drawn around and over the bodies: overlaps, contacts, arrows, the picked contact, springs, joints.
namespace touchstone {

namespace {

/// Opacity of glyphs behind a body. A larger value tells both less apart; a smaller
/// one loses what lies inside bodies.
constexpr double kBehind = 0.35;

}  // namespace

const QColor SceneProps::kPickedColour(0xFF, 0xD9, 0x00);

/// The volumes are hidden by the bodies around them; through bodies only their outlines are seen.
void SceneProps::addOverlaps() {
  m_overlaps = actorOf(vtkNew<vtkPolyData>());
  m_overlaps->GetProperty()->SetAmbient(0.6);
  // Parts of it coincide with the surfaces of bodies, which stay in front.
  m_overlaps->GetShaderProperty()->AddFragmentShaderReplacement(
      "//VTK::Depth::Impl", true,
      "//VTK::Depth::Impl\n  gl_FragDepth = gl_FragCoord.z + 2.0 * fwidth(gl_FragCoord.z) + 2e-5;\n", false);
  m_renderer->AddActor(m_overlaps);
  m_overlapOutlines = actorOf(vtkNew<vtkPolyData>());
  m_overlapOutlines->GetProperty()->SetLineWidth(1.5F);
  m_overlapOutlines->GetProperty()->LightingOff();
  m_overlay->AddActor(m_overlapOutlines);
  for (vtkActor* actor : {m_overlaps.Get(), m_overlapOutlines.Get()}) {
    actor->GetMapper()->ScalarVisibilityOn();
    actor->PickableOff();
  }
}

/// Glyphs are drawn twice: whole where no body hides them, and faintly through bodies.
void SceneProps::addGlyphs() {
  vtkNew<vtkSphereSource> sphere;
  sphere->SetThetaResolution(10);
  sphere->SetPhiResolution(8);
  sphere->SetRadius(0.011 * glyphSize());
  vtkNew<vtkArrowSource> arrow;
  arrow->SetTipLength(0.28);
  arrow->SetTipRadius(0.07);
  arrow->SetShaftRadius(0.025);
  arrow->SetTipResolution(8);
  for (int layer = 0; layer < 2; ++layer) {
    vtkNew<vtkGlyph3DMapper> contacts, arrows;
    contacts->SetSourceConnection(sphere->GetOutputPort());
    contacts->SetInputData(m_contactData);
    contacts->ScalingOff();
    m_contacts[layer]->SetMapper(contacts);
    m_contacts[layer]->GetProperty()->SetAmbient(0.6);
    arrows->SetSourceConnection(arrow->GetOutputPort());
    arrows->SetInputData(m_arrowData);
    arrows->SetOrientationModeToDirection();
    arrows->SetOrientationArray("force");
    arrows->SetScaleArray("force");
    arrows->SetScaleModeToScaleByMagnitude();
    arrows->ScalarVisibilityOff();
    m_arrows[layer]->SetMapper(arrows);
    paint(m_arrows[layer], kArrowColour);
    m_arrows[layer]->GetProperty()->SetAmbient(0.5);
    for (vtkActor* actor : {m_contacts[layer].Get(), m_arrows[layer].Get()}) {
      actor->PickableOff();
      if (layer == 0) {
        m_renderer->AddActor(actor);
      } else {
        actor->GetProperty()->SetOpacity(kBehind);
        actor->GetProperty()->BackfaceCullingOn();
        m_overlay->AddActor(actor);
      }
    }
  }
}

/// The ring of a picked contact is as large in every picture, and covers nothing but its own line.
void SceneProps::addRing() {
  for (std::size_t part = 0; part < m_ring.size(); ++part) {
    vtkNew<vtkPolyDataMapper2D> mapper;
    mapper->SetInputData(m_ringData[part]);
    m_ring[part]->SetMapper(mapper);
    m_ring[part]->GetPositionCoordinate()->SetCoordinateSystemToWorld();
    const QColor colour = part == 0 ? QColor(0x20, 0x24, 0x28) : kPickedColour;
    m_ring[part]->GetProperty()->SetColor(colour.redF(), colour.greenF(), colour.blueF());
    m_ring[part]->PickableOff();
    m_overlay->AddActor2D(m_ring[part]);
  }
}

void SceneProps::updateOverlay() {
  const StepRecord empty;
  const StepRecord& shown = frame.record ? *frame.record : empty;
  show(m_overlaps, overlapSurface(shown, m_depthScale), settings.overlaps);
  show(m_overlapOutlines, overlapOutline(shown, m_depthScale), settings.overlaps);
  m_contactData->ShallowCopy(contactPoints(shown));
  const bool hasContacts = settings.contacts && !shown.contacts.empty();
  const vtkSmartPointer<vtkPolyData> vectors =
      forceVectors(*m_scene, shown, settings, glyphSize(), forceScale());
  m_arrowData->ShallowCopy(vectors);
  const bool hasArrows = vectors->GetNumberOfPoints() > 0;
  for (int layer = 0; layer < 2; ++layer) {
    m_contacts[layer]->SetVisibility(hasContacts);
    m_arrows[layer]->SetVisibility(hasArrows);
  }
  show(m_normals, normalLines(shown, 0.08 * glyphSize()), settings.normals);
  updatePicked(shown);
  updateSpring(shown);
}

void SceneProps::updateJoints() {
  if (m_scene->joints.empty() || !settings.joints) {
    m_joints->VisibilityOff();
    return;
  }
  std::vector<BodyState> poses;
  for (std::size_t body = 0; body < m_scene->bodies.size(); ++body)
    poses.push_back(stateOf(body, frame.record.get()));
  show(m_joints, jointLines(*m_scene, poses, 0.3 * glyphSize()));
}

/// A picked contact is a ring at its point. A pane without it has the ring at the smaller of its features. Of
/// the features, vertices and edges are drawn; a face may be larger than the picture.
void SceneProps::updatePicked(const StepRecord& shown) {
  std::vector<std::vector<Vec3>> thin;
  const std::vector<Vec3>* smallest = nullptr;
  for (const std::vector<Vec3>& feature : frame.highlight) {
    if (feature.size() < 3) thin.push_back(feature);
    if (!feature.empty() && (!smallest || feature.size() < smallest->size())) smallest = &feature;
  }
  show(m_features, featureShapes(thin));
  const bool isThere = frame.picked >= 0 && frame.picked < countOf(shown.contacts);
  m_pickedMark->VisibilityOff();
  for (const auto& part : m_ring) part->SetVisibility(isThere || smallest);
  if (!isThere && !smallest) return;
  Vec3 place = Vec3::Zero();
  if (isThere) {
    const Contact& contact = shown.contacts[frame.picked];
    const double length = 0.15 * glyphSize();
    show(m_pickedMark, segment(contact.pointB, contact.pointB + length * contact.normal));
    place = contact.pointB;
  } else {
    for (const Vec3& point : *smallest) place += point / static_cast<double>(smallest->size());
  }
  // [logical px] Radii of a dark ring and of the bright one on it, which has 14 px.
  constexpr double kInner[] = {4.5, 5.5}, kOuter[] = {8, 7};
  for (std::size_t part = 0; part < m_ring.size(); ++part) {
    const double scale = textScale * pixelRatio;
    m_ringData[part]->ShallowCopy(ringOf(scale * kInner[part], scale * kOuter[part]));
    m_ring[part]->GetPositionCoordinate()->SetValue(place.x(), place.y(), place.z());
  }
}

// Draws the spring of the last step, or the one that the mouse holds before any step.
void SceneProps::updateSpring(const StepRecord& shown) {
  Vec3 start = Vec3::Zero(), end = Vec3::Zero();
  QString text;
  if (frame.pull) {
    start = heldPoint(*frame.pull, *m_scene, shown);
    end = frame.pull->target;
  } else if (shown.pull) {
    start = shown.pull->point;
    end = shown.pull->target;
  }
  if (shown.pull) text = engineering(shown.pull->force, QStringLiteral("N"));
  const bool isVisible = (end - start).norm() > 0;
  m_springText->SetVisibility(isVisible && !text.isEmpty());
  show(m_spring, segment(start, end), isVisible);
  if (!isVisible) return;
  m_renderer->SetWorldPoint(end.x(), end.y(), end.z(), 1);
  m_renderer->WorldToDisplay();
  const double* display = m_renderer->GetDisplayPoint();
  m_springText->SetPosition(display[0] + 8, display[1] + 6);
  m_springText->SetInput(text.toUtf8().constData());
}

void SceneProps::updateTrails() {
  show(m_trails,
       settings.trails ? trailLines(frame.past, frame.record.get(), *m_scene)
                       : vtkSmartPointer<vtkPolyData>::New(),
       settings.trails);
}

}  // namespace touchstone
