#include "widgets/views/scene_props.h"

#include <vtkArrowSource.h>
#include <vtkCamera.h>
#include <vtkPointData.h>
#include <vtkPolyDataMapper.h>
#include <vtkProperty.h>
#include <vtkSphereSource.h>
#include <vtkTextProperty.h>

#include <QColor>
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/math/quantile.h"
#include "core/record/mouse_spring.h"
#include "core/record/placed_surface.h"
#include "widgets/palette.h"
#include "widgets/views/scalar_scaling.h"
#include "widgets/views/scene_actors.h"

namespace touchstone {

namespace {

vtkSmartPointer<vtkActor> actorOf(vtkPolyData* data) {
  vtkNew<vtkPolyDataMapper> mapper;
  mapper->SetInputData(data);
  mapper->ScalarVisibilityOff();
  vtkSmartPointer<vtkActor> actor = vtkSmartPointer<vtkActor>::New();
  actor->SetMapper(mapper);
  return actor;
}

void show(vtkActor* actor, vtkPolyData* data, bool visible = true) {
  vtkPolyDataMapper::SafeDownCast(actor->GetMapper())->SetInputData(data);
  actor->SetVisibility(visible && data->GetNumberOfPoints() > 0);
}

void paint(vtkActor* actor, const QColor& colour) {
  actor->GetProperty()->SetColor(colour.redF(), colour.greenF(), colour.blueF());
}

void place(vtkMatrix4x4* pose, const BodyState& state) {
  const Mat3 rotation = state.orientation.toRotationMatrix();
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column) pose->SetElement(row, column, rotation(row, column));
    pose->SetElement(row, 3, state.position[row]);
  }
  pose->Modified();
}

}  // namespace

SceneProps::SceneProps(std::shared_ptr<const Scene> scene) : m_scene(std::move(scene)) {
  m_window->SetMultiSamples(0);
  m_window->SetNumberOfLayers(2);
  m_overlay->SetLayer(1);
  m_overlay->InteractiveOff();
  m_overlay->SetActiveCamera(m_renderer->GetActiveCamera());
  m_window->AddRenderer(m_renderer);
  m_window->AddRenderer(m_overlay);
  for (const Body& body : m_scene->bodies) addBody(body);
  const auto addOverlay = [this](vtkSmartPointer<vtkActor>& actor, const QColor& colour, float width) {
    actor = actorOf(vtkNew<vtkPolyData>());
    paint(actor, colour);
    actor->GetProperty()->SetLineWidth(width);
    actor->PickableOff();
    m_overlay->AddActor(actor);
  };
  addOverlay(m_overlaps, QColor(0xE6, 0x1A, 0x6B), 1);
  m_overlaps->GetProperty()->SetOpacity(0.55);
  m_overlaps->GetProperty()->SetAmbient(0.6);
  addOverlay(m_trails, QColor(0x66, 0x88, 0xBB), 1.5);
  m_trails->GetProperty()->SetOpacity(0.8);
  addGlyphs();
  addOverlay(m_normals, QColor(0x33, 0x99, 0xE6), 1);
  addOverlay(m_joints, QColor(0x8A, 0x4F, 0xC8), 2);
  addOverlay(m_features, QColor(0xFF, 0xD9, 0x00), 4);
  m_features->GetProperty()->SetPointSize(11);
  m_features->GetProperty()->RenderPointsAsSpheresOn();
  m_features->GetProperty()->SetOpacity(0.4);  // a face may be in front of everything else
  m_features->GetProperty()->LightingOff();
  addOverlay(m_pickedMark, QColor(0xFF, 0xD9, 0x00), 4);
  addOverlay(m_spring, QColor(0xE6, 0x33, 0x33), 3);
  m_springText->GetTextProperty()->SetBold(1);
  m_overlay->AddViewProp(m_springText);
  addScalarBar();
  applyTheme();
}

int SceneProps::bodyOf(vtkProp* actor) const {
  for (std::size_t body = 0; body < m_bodies.size(); ++body)
    if (m_bodies[body].surface && (actor == m_bodies[body].surface || actor == m_bodies[body].cut))
      return static_cast<int>(body);
  return -1;
}

void SceneProps::addBody(const Body& body) {
  BodyActors actors;
  actors.pose = vtkSmartPointer<vtkMatrix4x4>::New();
  if (body.shape->kind == Shape::Kind::Plane) {
    // Cells of a nice size, about a tenth of the scene.
    const double spacing = niceCeiling(m_scene->size / 12);
    actors.edges = actorOf(gridLines(1.5 * std::max(m_scene->size, 12 * spacing), spacing));
    actors.edges->GetProperty()->LightingOff();
  } else {
    if (body.deformable) actors.deforming = std::make_unique<DeformingSurface>(body.shape->surfaces.front());
    actors.surface = actorOf(actors.deforming ? actors.deforming->surface() : surfaceOf(*body.shape).Get());
    if (actors.deforming) {
      actors.surface->GetProperty()->SetInterpolationToGouraud();
      actors.surface->GetMapper()->SetLookupTable(m_deformationTable);
      actors.surface->GetMapper()->UseLookupTableScalarRangeOn();
      // The colour between two vertices is that of the value between theirs.
      actors.surface->GetMapper()->InterpolateScalarsBeforeMappingOn();
    } else {
      actors.surface->GetProperty()->SetInterpolationToFlat();
    }
    actors.surface->GetProperty()->SetAmbient(kAmbient);
    actors.surface->GetProperty()->SetDiffuse(kDiffuse);
    actors.surface->SetUserMatrix(actors.pose);
    const vtkSmartPointer<vtkPolyData> edges = actors.deforming
                                                   ? vtkSmartPointer<vtkPolyData>(actors.deforming->edges())
                                                   : featureEdgesOf(*body.shape);
    actors.edges = actorOf(edges);
    actors.edges->GetProperty()->LightingOff();
    actors.edges->GetProperty()->SetOpacity(0.55);
    m_renderer->AddActor(actors.surface);
    if (body.deformable && !body.deformable->tetrahedra.empty()) {
      actors.cut = actorOf(vtkNew<vtkPolyData>());
      actors.cut->GetMapper()->SetLookupTable(m_deformationTable);
      actors.cut->GetMapper()->UseLookupTableScalarRangeOn();
      actors.cut->GetProperty()->SetInterpolationToFlat();
      actors.cut->GetProperty()->EdgeVisibilityOn();
      m_renderer->AddActor(actors.cut);
    }
    if (!body.visible) actors.surface->VisibilityOff();
    if (body.motion == Motion::Dynamic) {
      actors.ghostPose = vtkSmartPointer<vtkMatrix4x4>::New();
      if (actors.deforming)
        actors.ghostSurface = std::make_unique<DeformingSurface>(body.shape->surfaces.front());
      actors.ghost = actorOf(actors.ghostSurface ? actors.ghostSurface->edges() : edges.Get());
      actors.ghost->SetUserMatrix(actors.ghostPose);
      actors.ghost->GetProperty()->LightingOff();
      actors.ghost->GetProperty()->SetLineWidth(1.6F);
      actors.ghost->PickableOff();
      actors.ghost->VisibilityOff();
      m_overlay->AddActor(actors.ghost);
    }
  }
  actors.edges->SetUserMatrix(actors.pose);
  actors.edges->PickableOff();
  m_renderer->AddActor(actors.edges);
  m_bodies.push_back(std::move(actors));
}

void SceneProps::addGlyphs() {
  vtkNew<vtkSphereSource> sphere;
  sphere->SetThetaResolution(10);
  sphere->SetPhiResolution(8);
  sphere->SetRadius(0.011 * glyphSize());
  m_contactMapper->SetSourceConnection(sphere->GetOutputPort());
  m_contactMapper->SetInputData(m_contactData);
  m_contactMapper->ScalingOff();
  m_contacts = vtkSmartPointer<vtkActor>::New();
  m_contacts->SetMapper(m_contactMapper);
  m_contacts->GetProperty()->SetAmbient(0.6);
  m_overlay->AddActor(m_contacts);
  vtkNew<vtkArrowSource> arrow;
  arrow->SetTipLength(0.28);
  arrow->SetTipRadius(0.07);
  arrow->SetShaftRadius(0.025);
  arrow->SetTipResolution(8);
  m_arrowMapper->SetSourceConnection(arrow->GetOutputPort());
  m_arrowMapper->SetInputData(m_arrowData);
  m_arrowMapper->SetOrientationModeToDirection();
  m_arrowMapper->SetOrientationArray("force");
  m_arrowMapper->SetScaleArray("force");
  m_arrowMapper->SetScaleModeToScaleByMagnitude();
  m_arrowMapper->ScalarVisibilityOff();
  m_arrows->SetMapper(m_arrowMapper);
  m_arrows->GetProperty()->SetColor(0.85, 0.16, 0.10);
  m_arrows->GetProperty()->SetAmbient(0.5);
  m_overlay->AddActor(m_arrows);
}

void SceneProps::addScalarBar() {
  m_table->SetNumberOfTableValues(128);
  for (int k = 0; k < 128; ++k) {
    const auto colour = viridis(k / 127.0);
    m_table->SetTableValue(k, colour[0], colour[1], colour[2]);
  }
  m_bar->SetLookupTable(m_table);
  m_deformationBar->SetLookupTable(m_deformationTable);
  for (vtkScalarBarActor* bar : {m_bar.Get(), m_deformationBar.Get()}) {
    bar->SetNumberOfLabels(3);
    bar->SetLabelFormat("%.3g");
    bar->UnconstrainedFontSizeOn();
    bar->SetVerticalTitleSeparation(6);
    for (vtkTextProperty* text : {bar->GetLabelTextProperty(), bar->GetTitleTextProperty()}) {
      text->SetBold(0);
      text->SetItalic(0);
      text->SetShadow(0);
    }
    m_overlay->AddViewProp(bar);
  }
  m_legend->SetPosition(10, 8);
  m_overlay->AddViewProp(m_legend);
}

void SceneProps::applyTheme() {
  const ThemeColours& theme = themeColours(dark);
  m_renderer->GradientBackgroundOn();
  m_renderer->SetBackground(theme.background.redF(), theme.background.greenF(), theme.background.blueF());
  m_renderer->SetBackground2(theme.backgroundTop.redF(), theme.backgroundTop.greenF(),
                             theme.backgroundTop.blueF());
  // [px] Larger text covers narrow panes; smaller text is hard to read.
  constexpr int kTextSize = 13;
  for (vtkTextProperty* text :
       {m_bar->GetLabelTextProperty(), m_bar->GetTitleTextProperty(),
        m_deformationBar->GetLabelTextProperty(), m_deformationBar->GetTitleTextProperty(),
        m_legend->GetTextProperty(), m_springText->GetTextProperty()}) {
    text->SetColor(theme.text.redF(), theme.text.greenF(), theme.text.blueF());
    text->SetFontSize(static_cast<int>(std::lround(kTextSize * textScale)));
    // Keeps the text legible in front of a body of the same brightness.
    text->SetBackgroundColor(theme.background.redF(), theme.background.greenF(), theme.background.blueF());
    text->SetBackgroundOpacity(0.6);
  }
  for (BodyActors& actors : m_bodies) {
    paint(actors.edges, actors.surface ? theme.edge : theme.ground);
    if (actors.cut)
      actors.cut->GetProperty()->SetEdgeColor(theme.edge.redF(), theme.edge.greenF(), theme.edge.blueF());
    if (actors.ghost) paint(actors.ghost, theme.warm);
  }
}

/// Length on which the size of glyphs and arrows is based: a few radii of a typical body, so that the arrows
/// of a tall stack of small bodies do not get the stack's size.
double SceneProps::glyphSize() const {
  std::vector<double> radii;
  for (const Body& body : m_scene->bodies)
    if (body.motion == Motion::Dynamic) radii.push_back(body.shape->radius);
  return radii.empty() ? m_scene->size : std::min(m_scene->size, 6 * median(std::move(radii)));
}

double SceneProps::forceScale() const {
  if (ranges.force > 0) return ranges.force;
  const double largest = frame.record ? largestForce(*frame.record) : 0;
  return largest > 0 ? largest : weightOf(*m_scene);
}

BodyState SceneProps::stateOf(std::size_t body, const StepRecord* shown) const {
  static const StepRecord kStart;
  return stateIn(*m_scene, shown ? *shown : kStart, static_cast<int>(body));
}

void SceneProps::update() {
  const bool byDifference = settings.bodyColour == BodyColour::Difference;
  const double range =
      byDifference ? (ranges.distance > 0 ? ranges.distance
                                          : niceCeiling(frame.record && frame.reference
                                                            ? largestDistance(*frame.record, *frame.reference)
                                                            : 0))
                   : scalarMaximum(settings, ranges.depth, frame.record ? deepestOverlap(*frame.record) : 0,
                                   m_scene->size);
  updateSection();
  updatePressures();
  updateBar(range > 0 ? range : 1e-3);
  updateDeformationBar();
  updateBodies(range > 0 ? range : 1e-3);
  updateOverlay();
  updateTrails();
  updateJoints();
  m_renderer->ResetCameraClippingRange();
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

void SceneProps::updateBodies(double range) {
  m_inverted = 0;
  const std::vector<double> depths =
      frame.record ? bodyDepths(*frame.record) : std::vector<double>(m_bodies.size(), 0);
  for (std::size_t body = 0; body < m_bodies.size(); ++body) {
    const Body& description = m_scene->bodies[body];
    const BodyState state = stateOf(body, frame.record.get());
    BodyActors& actors = m_bodies[body];
    if (!actors.deforming) place(actors.pose, state);
    if (!actors.surface) {
      actors.edges->SetVisibility(settings.grid);
      continue;
    }
    actors.surface->SetVisibility(state.active && description.visible);
    actors.edges->SetVisibility(state.active);
    const bool isStatic = description.motion == Motion::Static;
    QColor colour = isStatic ? QColor(0xC9, 0xCE, 0xD4) : QColor(0xB4, 0xBC, 0xC6);
    double value = -1;
    if (settings.bodyColour == BodyColour::Penetration && body < depths.size() &&
        depths[body] >= kVisibleDepth)
      value = depths[body];
    if (settings.bodyColour == BodyColour::Difference && frame.record && frame.reference)
      value = (state.position - stateOf(body, frame.reference.get()).position).norm();
    if (value >= 0 && !isStatic) {
      const auto c = viridis(std::min(1.0, value / range));
      colour = QColor::fromRgbF(c[0], c[1], c[2]);
    }
    paint(actors.surface, colour);
    if (actors.cut) {
      paint(actors.cut, colour);
      actors.cut->SetVisibility(m_isCut && state.active && description.visible);
    }
    if (actors.deforming) updateDeforming(static_cast<int>(body));
    for (vtkActor* actor : {actors.surface.Get(), actors.cut.Get()}) {
      if (!actor) continue;
      if (settings.wireframe) {
        actor->GetProperty()->SetRepresentationToWireframe();
      } else {
        actor->GetProperty()->SetRepresentationToSurface();
      }
    }
    if (actors.ghost) updateGhost(body);
  }
}

// A ghost that coincides with its body would only make its edges thicker.
void SceneProps::updateGhost(std::size_t body) {
  BodyActors& actors = m_bodies[body];
  if (actors.ghostSurface) {
    updateDeformingGhost(static_cast<int>(body));
    return;
  }
  const bool wanted = settings.ghost && frame.reference && frame.record != frame.reference;
  const BodyState ghost = wanted ? stateOf(body, frame.reference.get()) : BodyState();
  const bool apart =
      wanted && ghost.active &&
      (ghost.position - stateOf(body, frame.record.get()).position).norm() > kGhostApart * m_scene->size;
  actors.ghost->SetVisibility(apart);
  if (apart) place(actors.ghostPose, ghost);
}

void SceneProps::updateOverlay() {
  const StepRecord empty;
  const StepRecord& shown = frame.record ? *frame.record : empty;
  show(m_overlaps, overlapSurface(shown), settings.overlaps);
  m_contactData->ShallowCopy(contactPoints(shown));
  m_contacts->SetVisibility(settings.contacts && !shown.contacts.empty());
  const vtkSmartPointer<vtkPolyData> vectors =
      forceVectors(*m_scene, shown, settings, glyphSize(), forceScale());
  m_arrowData->ShallowCopy(vectors);
  m_arrows->SetVisibility(vectors->GetNumberOfPoints() > 0);
  show(m_normals, normalLines(shown, 0.08 * glyphSize()), settings.normals);
  updateLegend(vectors->GetNumberOfPoints() > 0);
  updatePicked(shown);
  updateSpring(shown);
}

void SceneProps::updateBar(double range) {
  const bool byDifference = settings.bodyColour == BodyColour::Difference;
  const LengthUnit unit = lengthUnit(range);
  m_table->SetTableRange(0, range * unit.perMetre);
  m_bar->SetTitle(((byDifference ? "distance\n[" : "depth\n[") + unit.symbol + "]").toUtf8().constData());
  layOut(m_bar, 0.08);
  const bool showsBody = !hasDeformationBar() ||
                         std::any_of(m_scene->bodies.begin(), m_scene->bodies.end(), [](const Body& body) {
                           return body.motion == Motion::Dynamic && !body.deformable;
                         });
  m_bar->SetVisibility(settings.scalarBar && settings.bodyColour != BodyColour::Plain && showsBody &&
                       (!byDifference || frame.reference));
}

/// At the right edge. @param fromBelow  share of the height of the view
void SceneProps::layOut(vtkScalarBarActor* bar, double fromBelow) const {
  // Numbers and title need the same number of pixels in narrow panes too.
  const double barWidth = 80 * textScale;
  const int* size = m_window->GetSize();
  const double width = std::min(0.4, barWidth / std::max(size[0], 1));
  bar->SetPosition(1 - width, fromBelow);
  bar->SetWidth(width);
  // Two of them need room for their titles.
  bar->SetHeight(std::min(hasDeformationBar() ? 0.34 : 0.42, 3.2 * barWidth / std::max(size[1], 1)));
}

void SceneProps::updateLegend(bool arrows) {
  QStringList lines;
  if (settings.ghost && frame.reference && frame.record != frame.reference)
    lines << QStringLiteral("orange outlines: ") + frame.referenceName;
  if (settings.bodyColour == BodyColour::Difference && frame.reference && frame.record != frame.reference)
    lines << QStringLiteral("colour: distance from ") + frame.referenceName;
  if (m_inverted > 0) lines << QStringLiteral("inverted elements: %1").arg(m_inverted);
  if (arrows)
    lines << QStringLiteral("longest arrow ") + engineering(forceScale(), QStringLiteral("N")) +
                 (settings.logArrows && settings.metresPerNewton <= 0 ? QStringLiteral(" (log)") : QString());
  m_legend->SetInput(lines.join(QLatin1Char('\n')).toUtf8().constData());
}

void SceneProps::updatePicked(const StepRecord& shown) {
  show(m_features, featureShapes(frame.highlight));
  const bool there = frame.picked >= 0 && frame.picked < static_cast<int>(shown.contacts.size());
  if (!there) {
    m_pickedMark->VisibilityOff();
    return;
  }
  const Contact& contact = shown.contacts[static_cast<std::size_t>(frame.picked)];
  const double length = 0.15 * glyphSize();
  show(m_pickedMark,
       segment(contact.pointA - 0.3 * length * contact.normal, contact.pointA + length * contact.normal));
}

// Draws the spring of the last step, or the one that the mouse holds before any step.
void SceneProps::updateSpring(const StepRecord& shown) {
  Vec3 from = Vec3::Zero(), to = Vec3::Zero();
  QString text;
  if (frame.pull) {
    from = heldPoint(*frame.pull, *m_scene, shown);
    to = frame.pull->target;
  } else if (shown.pull) {
    from = shown.pull->point;
    to = shown.pull->target;
  }
  if (shown.pull) text = engineering(shown.pull->force, QStringLiteral("N"));
  const bool there = (to - from).norm() > 0;
  m_springText->SetVisibility(there && !text.isEmpty());
  show(m_spring, segment(from, to), there);
  if (!there) return;
  m_renderer->SetWorldPoint(to.x(), to.y(), to.z(), 1);
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
