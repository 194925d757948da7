#include "widgets/views/scene_props.h"

#include <vtkCamera.h>
#include <vtkPointData.h>
#include <vtkPolyDataMapper.h>
#include <vtkProperty.h>
#include <vtkRenderStepsPass.h>
#include <vtkTextProperty.h>

#include <QColor>
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/math/quantile.h"
#include "core/record/placed_surface.h"
#include "widgets/palette.h"
#include "widgets/views/scalar_scaling.h"
#include "widgets/views/scene_actors.h"
#include "widgets/views/shown_actors.h"

namespace touchstone {

namespace {

void place(vtkMatrix4x4* pose, const BodyState& state) {
  const Mat3 rotation = state.orientation.toRotationMatrix();
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column) pose->SetElement(row, column, rotation(row, column));
    pose->SetElement(row, 3, state.position[row]);
  }
  pose->Modified();
}

}  // namespace

/// Twice the mean length of edges: the spots of contacts on a body that deforms.
static double reachOn(const TriangleMesh& mesh) {
  double sum = 0;
  for (const TriangleMesh::Edge& edge : mesh.edges)
    sum += (mesh.vertices[edge.head] - mesh.vertices[edge.tail]).norm();
  return mesh.edges.empty() ? 0 : 2 * sum / static_cast<double>(mesh.edges.size());
}

SceneProps::SceneProps(std::shared_ptr<const Scene> scene) : m_scene(std::move(scene)) {
  m_window->SetMultiSamples(0);
  m_window->SetNumberOfLayers(2);
  m_overlay->SetLayer(1);
  m_overlay->InteractiveOff();
  m_overlay->SetActiveCamera(m_renderer->GetActiveCamera());
  // What is translucent is blended as it is drawn. The order-independent pass of a plain renderer copies and
  // composes the whole picture twice.
  for (vtkRenderer* renderer : {m_renderer.Get(), m_overlay.Get()}) {
    vtkNew<vtkRenderStepsPass> steps;
    renderer->SetPass(steps);
    m_window->AddRenderer(renderer);
  }
  for (const Body& body : m_scene->bodies) addBody(body);
  const auto addOverlay = [this](vtkSmartPointer<vtkActor>& actor, const QColor& colour, float width) {
    actor = actorOf(vtkNew<vtkPolyData>());
    paint(actor, colour);
    actor->GetProperty()->SetLineWidth(width);
    actor->PickableOff();
    m_overlay->AddActor(actor);
  };
  addOverlaps();
  addOverlay(m_trails, QColor(0x66, 0x88, 0xBB), 1.5);
  m_trails->GetProperty()->SetOpacity(0.8);
  addGlyphs();
  addOverlay(m_normals, QColor(0x33, 0x99, 0xE6), 1);
  addOverlay(m_joints, QColor(0x8A, 0x4F, 0xC8), 2);
  addOverlay(m_features, kPickedColour, 2);
  m_features->GetProperty()->SetPointSize(6);
  m_features->GetProperty()->RenderPointsAsSpheresOn();
  m_features->GetProperty()->LightingOff();
  addOverlay(m_pickedMark, kPickedColour, 2);
  addRing();
  addOverlay(m_spring, QColor(0xE6, 0x33, 0x33), 3);
  m_springText->GetTextProperty()->SetBold(1);
  m_overlay->AddViewProp(m_springText);
  m_note->SetPosition(10, 8);
  m_overlay->AddViewProp(m_note);
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
    if (actors.deforming)
      actors.surface = actorOf(actors.deforming->surface());
    else
      addDrawnSurface(body, actors);
    if (actors.deforming) {
      actors.reach = reachOn(body.shape->surfaces.front());
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

/// Bodies that move have vertices close enough to each other to show where they overlap.
void SceneProps::addDrawnSurface(const Body& body, BodyActors& actors) const {
  // Relative to the radius of the body. A larger value paints the half of a body at one contact; a smaller
  // one takes more triangles, and makes places too small to see.
  constexpr double kReach = 0.45;
  // Likewise, of edges. A larger value makes places ragged; a smaller one takes more triangles.
  constexpr double kEdge = 0.22;
  // Of all bodies. A larger value makes large scenes slow; a smaller one makes the places of their bodies
  // coarse.
  constexpr double kMostTriangles = 4000;
  if (body.motion == Motion::Static) {
    actors.surface = actorOf(surfaceOf(*body.shape));
    return;
  }
  double area = 0;
  for (const TriangleMesh& mesh : body.shape->surfaces)
    for (const auto& triangle : mesh.triangles)
      area += 0.5 * (mesh.vertices[triangle[1]] - mesh.vertices[triangle[0]])
                        .cross(mesh.vertices[triangle[2]] - mesh.vertices[triangle[0]])
                        .norm();
  const double share = kMostTriangles / static_cast<double>(m_scene->bodies.size());
  actors.reach = kReach * body.shape->radius;
  const double longest = std::max(kEdge * body.shape->radius, std::sqrt(4 * area / share));
  const vtkSmartPointer<vtkPolyData> surface = refinedSurfaceOf(*body.shape, longest);
  for (vtkIdType point = 0; point < surface->GetNumberOfPoints(); ++point)
    actors.vertices.push_back(Eigen::Map<const Eigen::Vector3d>(surface->GetPoint(point)));
  actors.colours = vtkSmartPointer<vtkUnsignedCharArray>::New();
  actors.colours->SetName("colour");
  actors.colours->SetNumberOfComponents(3);
  actors.colours->SetNumberOfTuples(surface->GetNumberOfPoints());
  surface->GetPointData()->SetScalars(actors.colours);
  actors.refined = surface;
  actors.simple = surfaceOf(*body.shape);
  actors.surface = actorOf(surface);
}

void SceneProps::applyTheme() {
  const ThemeColours& theme = themeColours(dark);
  m_renderer->GradientBackgroundOn();
  m_renderer->SetBackground(theme.background.redF(), theme.background.greenF(), theme.background.blueF());
  m_renderer->SetBackground2(theme.backgroundTop.redF(), theme.backgroundTop.greenF(),
                             theme.backgroundTop.blueF());
  // [px] Larger text covers narrow panes; smaller text is hard to read.
  constexpr int kTextSize = 13;
  for (vtkTextProperty* text : {m_note->GetTextProperty(), m_springText->GetTextProperty()}) {
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

void SceneProps::updateDepths() {
  m_depthScale.threshold = depthThreshold(*m_scene);
  m_depthScale.maximum = scalarMaximum(
      settings, ranges.depth, frame.record ? deepestOverlap(*frame.record) : 0, m_depthScale.threshold);
  m_places.clear();
  if (settings.bodyColour == BodyColour::Penetration && frame.record)
    m_places = depthPlaces(*m_scene, *frame.record, m_depthScale.threshold);
}

/// Colours a body by the depth at each place. @return false if it has its own colour everywhere
bool SceneProps::paintDepths(int body, const BodyState& state) {
  BodyActors& actors = m_bodies[body];
  if (m_places.empty() || m_scene->bodies[body].motion == Motion::Static) return false;
  const BodyPlaces& places = m_places[body];
  if (places.places.empty() && places.planes.empty()) return false;
  if (settings.wireframe && !actors.deforming) return false;
  static const StepRecord kStart;
  std::vector<Vec3> points;
  if (actors.deforming) {
    points = placedSurface(*m_scene, frame.record ? *frame.record : kStart, body, 0);
  } else {
    const Mat3 rotation = state.orientation.toRotationMatrix();
    for (const Vec3& vertex : actors.vertices) points.push_back(state.position + rotation * vertex);
  }
  const std::vector<double> values = depthsAt(points, actors.reach, places, *m_scene, m_depthScale);
  if (actors.deforming) {
    std::vector<QColor> colours;
    for (double value : values) colours.push_back(depthColour(value));
    actors.deforming->setColours(colours);
    return true;
  }
  for (std::size_t vertex = 0; vertex < values.size(); ++vertex) {
    const auto components = componentsOf(depthColour(values[vertex]));
    actors.colours->SetTypedTuple(static_cast<vtkIdType>(vertex), components.data());
  }
  actors.colours->Modified();
  return true;
}

void SceneProps::update() {
  updateDepths();
  const bool byDifference = settings.bodyColour == BodyColour::Difference;
  const double range =
      byDifference ? (ranges.distance > 0 ? ranges.distance
                                          : niceCeiling(frame.record && frame.reference
                                                            ? largestDistance(*frame.record, *frame.reference)
                                                            : 0))
                   : m_depthScale.maximum;
  updateSection();
  updatePressures();
  updateDeformationTable();
  updateBodies(range > 0 ? range : kLeastDistance);
  updateNote();
  updateOverlay();
  updateTrails();
  updateJoints();
  m_renderer->ResetCameraClippingRange();
}

void SceneProps::updateBodies(double range) {
  m_inverted = 0;
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
    QColor colour = bodyGrey(description.motion);
    double value = -1;
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
    const bool isPainted = paintDepths(static_cast<int>(body), state);
    // In one colour both look alike, and the simple one is drawn sooner.
    if (actors.refined) setData(actors.surface, isPainted ? actors.refined : actors.simple);
    actors.surface->GetMapper()->SetScalarVisibility(isPainted);
    if (actors.deforming) updateDeforming(static_cast<int>(body), isPainted);
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

/// Texts of a view tell only what is its own; the legend of all views tells the rest.
void SceneProps::updateNote() {
  m_note->SetVisibility(m_inverted > 0);
  m_note->SetInput(QStringLiteral("inverted elements: %1").arg(m_inverted).toUtf8().constData());
}

}  // namespace touchstone
