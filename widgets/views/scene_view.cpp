#include "widgets/views/scene_view.h"

#include <vtkArrowSource.h>
#include <vtkCamera.h>
#include <vtkCellPicker.h>
#include <vtkGenericOpenGLRenderWindow.h>
#include <vtkGlyph3DMapper.h>
#include <vtkInteractorStyleTrackballCamera.h>
#include <vtkLineSource.h>
#include <vtkLookupTable.h>
#include <vtkMatrix4x4.h>
#include <vtkPointData.h>
#include <vtkPolyDataMapper.h>
#include <vtkProperty.h>
#include <vtkRenderWindowInteractor.h>
#include <vtkRenderer.h>
#include <vtkScalarBarActor.h>
#include <vtkSphereSource.h>
#include <vtkTextActor.h>
#include <vtkTextProperty.h>

#include <QMouseEvent>
#include <algorithm>
#include <cmath>

#include "widgets/palette.h"
#include "widgets/views/scalar_scaling.h"
#include "widgets/views/scene_actors.h"

namespace touchstone {

namespace {

/// Trackball without VTK's character keys: `e` and `q` would end the program, `w` and `s` change the drawing.
class QuietTrackball : public vtkInteractorStyleTrackballCamera {
 public:
  static QuietTrackball* New();
  vtkTypeMacro(QuietTrackball, vtkInteractorStyleTrackballCamera);
  void OnChar() override {}
  void OnKeyPress() override {}
  void OnKeyDown() override {}
};
vtkStandardNewMacro(QuietTrackball);

vtkSmartPointer<vtkActor> actorOf(vtkPolyData* data) {
  vtkNew<vtkPolyDataMapper> mapper;
  mapper->SetInputData(data);
  mapper->ScalarVisibilityOff();
  vtkSmartPointer<vtkActor> actor = vtkSmartPointer<vtkActor>::New();
  actor->SetMapper(mapper);
  return actor;
}

void paint(vtkActor* actor, const QColor& colour) { actor->GetProperty()->SetColor(colour.redF(), colour.greenF(), colour.blueF()); }

}  // namespace

class SceneView::Private {
 public:
  explicit Private(std::shared_ptr<const Scene> s) : scene(std::move(s)) {}

  std::shared_ptr<const Scene> scene;
  QString method;
  RecordPtr record;
  ViewSettings settings;
  double scalarRange = 0, forceRange = 0;
  bool dark = false;
  int picked = -1;
  QPoint pressed;
  bool pulling = false;

  vtkNew<vtkGenericOpenGLRenderWindow> window;
  vtkNew<vtkRenderer> renderer;    ///< bodies
  vtkNew<vtkRenderer> overlay;     ///< contacts, arrows, overlaps: drawn over the bodies with the same camera
  vtkNew<vtkScalarBarActor> bar;
  vtkNew<vtkLookupTable> table;
  vtkNew<vtkTextActor> legend;
  struct BodyActors {
    vtkSmartPointer<vtkActor> surface, edges;
    vtkSmartPointer<vtkMatrix4x4> pose;
  };
  std::vector<BodyActors> bodies;
  vtkSmartPointer<vtkActor> overlaps, contacts, normals, pickedMark, spring;
  vtkNew<vtkGlyph3DMapper> contactMapper, arrowMapper;
  vtkNew<vtkActor> arrows;
  vtkNew<vtkTextActor> springText;

  void build() {
    window->SetMultiSamples(0);
    window->SetNumberOfLayers(2);
    overlay->SetLayer(1);
    overlay->InteractiveOff();
    overlay->SetActiveCamera(renderer->GetActiveCamera());
    window->AddRenderer(renderer);
    window->AddRenderer(overlay);
    for (const Body& body : scene->bodies) addBody(body);
    overlaps = actorOf(vtkNew<vtkPolyData>());
    overlaps->GetProperty()->SetColor(0.90, 0.10, 0.42);
    overlaps->GetProperty()->SetOpacity(0.55);
    overlaps->GetProperty()->SetAmbient(0.6);
    overlay->AddActor(overlaps);
    addGlyphs();
    normals = actorOf(vtkNew<vtkPolyData>());
    normals->GetProperty()->SetColor(0.2, 0.6, 0.9);
    overlay->AddActor(normals);
    pickedMark = actorOf(vtkNew<vtkPolyData>());
    pickedMark->GetProperty()->SetColor(1, 0.85, 0);
    pickedMark->GetProperty()->SetLineWidth(4);
    overlay->AddActor(pickedMark);
    spring = actorOf(vtkNew<vtkPolyData>());
    spring->GetProperty()->SetColor(0.9, 0.2, 0.2);
    spring->GetProperty()->SetLineWidth(3);
    overlay->AddActor(spring);
    overlay->AddViewProp(springText);
    addScalarBar();
    applyTheme();
  }

  void addBody(const Body& body) {
    BodyActors actors;
    actors.pose = vtkSmartPointer<vtkMatrix4x4>::New();
    if (body.shape->kind == Shape::Kind::Plane) {
      // Cells of a nice size, about a tenth of the scene.
      const double spacing = niceCeiling(scene->size / 12);
      actors.edges = actorOf(gridLines(1.5 * std::max(scene->size, 12 * spacing), spacing));
      actors.edges->GetProperty()->LightingOff();
    } else {
      actors.surface = actorOf(surfaceOf(*body.shape));
      actors.surface->GetProperty()->SetInterpolationToFlat();
      actors.surface->GetProperty()->SetAmbient(0.25);
      actors.surface->GetProperty()->SetDiffuse(0.8);
      actors.surface->SetUserMatrix(actors.pose);
      actors.edges = actorOf(featureEdgesOf(*body.shape));
      actors.edges->GetProperty()->LightingOff();
      actors.edges->GetProperty()->SetOpacity(0.55);
      renderer->AddActor(actors.surface);
      if (!body.visible) actors.surface->VisibilityOff();
    }
    actors.edges->SetUserMatrix(actors.pose);
    actors.edges->PickableOff();
    renderer->AddActor(actors.edges);
    bodies.push_back(actors);
  }

  void addGlyphs() {
    vtkNew<vtkSphereSource> sphere;
    sphere->SetThetaResolution(10);
    sphere->SetPhiResolution(8);
    sphere->SetRadius(0.011 * glyphSize());
    contactMapper->SetSourceConnection(sphere->GetOutputPort());
    contactMapper->SetInputData(vtkNew<vtkPolyData>());
    contactMapper->ScalingOff();
    contacts = vtkSmartPointer<vtkActor>::New();
    contacts->SetMapper(contactMapper);
    contacts->GetProperty()->SetAmbient(0.6);
    overlay->AddActor(contacts);
    vtkNew<vtkArrowSource> arrow;
    arrow->SetTipLength(0.28);
    arrow->SetTipRadius(0.07);
    arrow->SetShaftRadius(0.025);
    arrow->SetTipResolution(8);
    arrowMapper->SetSourceConnection(arrow->GetOutputPort());
    arrowMapper->SetInputData(vtkNew<vtkPolyData>());
    arrowMapper->SetOrientationModeToDirection();
    arrowMapper->SetOrientationArray("force");
    arrowMapper->SetScaleArray("force");
    arrowMapper->SetScaleModeToScaleByMagnitude();
    arrowMapper->ScalarVisibilityOff();
    arrows->SetMapper(arrowMapper);
    arrows->GetProperty()->SetColor(0.85, 0.16, 0.10);
    arrows->GetProperty()->SetAmbient(0.5);
    overlay->AddActor(arrows);
  }

  void addScalarBar() {
    table->SetNumberOfTableValues(128);
    for (int k = 0; k < 128; ++k) {
      const auto colour = viridis(k / 127.0);
      table->SetTableValue(k, colour[0], colour[1], colour[2]);
    }
    bar->SetLookupTable(table);
    bar->SetNumberOfLabels(3);
    bar->SetPosition(0.90, 0.08);
    bar->SetWidth(0.085);
    bar->SetHeight(0.42);
    bar->UnconstrainedFontSizeOn();
    bar->GetLabelTextProperty()->SetFontSize(12);
    bar->GetTitleTextProperty()->SetFontSize(12);
    bar->SetVerticalTitleSeparation(6);
    for (vtkTextProperty* text : {bar->GetLabelTextProperty(), bar->GetTitleTextProperty()}) {
      text->SetBold(0);
      text->SetItalic(0);
      text->SetShadow(0);
    }
    overlay->AddViewProp(bar);
    legend->GetTextProperty()->SetFontSize(13);
    legend->SetPosition(10, 8);
    overlay->AddViewProp(legend);
  }

  void applyTheme() {
    const ThemeColours& theme = themeColours(dark);
    renderer->GradientBackgroundOn();
    renderer->SetBackground(theme.background.redF(), theme.background.greenF(), theme.background.blueF());
    renderer->SetBackground2(theme.backgroundTop.redF(), theme.backgroundTop.greenF(), theme.backgroundTop.blueF());
    for (vtkTextProperty* text : {bar->GetLabelTextProperty(), bar->GetTitleTextProperty(), legend->GetTextProperty(),
                                  springText->GetTextProperty()})
      text->SetColor(theme.text.redF(), theme.text.greenF(), theme.text.blueF());
    for (std::size_t body = 0; body < bodies.size(); ++body)
      paint(bodies[body].edges, bodies[body].surface ? theme.edge : theme.ground);
  }

  /// Length that glyphs and arrows are sized by: a few radii of a typical body, so that a tall stack of small bodies does
  /// not get arrows of the stack's size.
  double glyphSize() const {
    std::vector<double> radii;
    for (const Body& body : scene->bodies)
      if (body.motion == Motion::Dynamic) radii.push_back(body.shape->radius);
    if (radii.empty()) return scene->size;
    std::nth_element(radii.begin(), radii.begin() + static_cast<std::ptrdiff_t>(radii.size() / 2), radii.end());
    return std::min(scene->size, 6 * radii[radii.size() / 2]);
  }

  double forceScale() const {
    if (forceRange > 0) return forceRange;
    const double largest = record ? largestForce(*record) : 0;
    return largest > 0 ? largest : weightOf(*scene);
  }

  void place(std::size_t body, const Vec3& position, const Quaternion& orientation) {
    const Mat3 rotation = orientation.toRotationMatrix();
    vtkMatrix4x4* pose = bodies[body].pose;
    for (int row = 0; row < 3; ++row) {
      for (int column = 0; column < 3; ++column) pose->SetElement(row, column, rotation(row, column));
      pose->SetElement(row, 3, position[row]);
    }
    pose->Modified();
  }

  void update() {
    const double range = record ? scalarMaximum(settings, scalarRange, deepestOverlap(*record), scene->size) : 1e-3;
    const std::vector<double> depths = record ? bodyDepths(*record) : std::vector<double>(bodies.size(), 0);
    for (std::size_t body = 0; body < bodies.size(); ++body) {
      const Body& description = scene->bodies[body];
      const bool there = record && body < record->bodies.size() ? record->bodies[body].active : description.releaseTime <= 0;
      if (record && body < record->bodies.size())
        place(body, record->bodies[body].position, record->bodies[body].orientation);
      else
        place(body, description.position, description.orientation);
      BodyActors& actors = bodies[body];
      if (!actors.surface) {
        actors.edges->SetVisibility(settings.grid);
        continue;
      }
      actors.surface->SetVisibility(there && description.visible);
      actors.edges->SetVisibility(there);
      const bool isStatic = description.motion == Motion::Static;
      QColor colour = isStatic ? QColor(0xC9, 0xCE, 0xD4) : QColor(0xB4, 0xBC, 0xC6);
      if (settings.colourByPenetration && !isStatic && body < depths.size() && depths[body] >= kVisibleDepth) {
        const auto c = viridis(depths[body] / range);
        colour = QColor::fromRgbF(c[0], c[1], c[2]);
      }
      paint(actors.surface, colour);
      if (settings.wireframe) {
        actors.surface->GetProperty()->SetRepresentationToWireframe();
      } else {
        actors.surface->GetProperty()->SetRepresentationToSurface();
      }
    }
    updateOverlay(range);
  }

  void updateOverlay(double range) {
    const StepRecord empty;
    const StepRecord& shown = record ? *record : empty;
    vtkPolyDataMapper::SafeDownCast(overlaps->GetMapper())->SetInputData(overlapSurface(shown));
    overlaps->SetVisibility(settings.overlaps);
    contactMapper->SetInputData(contactPoints(shown));
    contacts->SetVisibility(settings.contacts && !shown.contacts.empty());
    vtkSmartPointer<vtkPolyData> vectors = forceVectors(shown, settings, glyphSize(), forceScale());
    arrowMapper->SetInputData(vectors);
    arrows->SetVisibility(settings.forces && vectors->GetNumberOfPoints() > 0);
    vtkPolyDataMapper::SafeDownCast(normals->GetMapper())->SetInputData(normalLines(shown, 0.08 * glyphSize()));
    normals->SetVisibility(settings.normals);
    const LengthUnit unit = lengthUnit(range);
    table->SetTableRange(0, range * unit.perMetre);
    bar->SetTitle(("depth\n[" + unit.symbol + "]").toUtf8().constData());
    bar->SetLabelFormat("%.3g");
    bar->SetVisibility(settings.scalarBar && settings.colourByPenetration);
    const bool legendShown = settings.forces && vectors->GetNumberOfPoints() > 0;
    legend->SetInput(legendShown ? ("longest arrow " + engineering(forceScale(), "N") +
                                    (settings.logArrows && settings.metresPerNewton <= 0 ? " (log)" : ""))
                                       .toUtf8()
                                       .constData()
                                 : "");
    updatePicked(shown);
    renderer->ResetCameraClippingRange();
  }

  void updatePicked(const StepRecord& shown) {
    const bool there = picked >= 0 && picked < static_cast<int>(shown.contacts.size());
    pickedMark->SetVisibility(there);
    if (!there) return;
    const Contact& contact = shown.contacts[static_cast<std::size_t>(picked)];
    const double length = 0.15 * glyphSize();
    vtkNew<vtkLineSource> line;
    line->SetPoint1(Vec3(contact.pointA - 0.3 * length * contact.normal).eval().data());
    line->SetPoint2(Vec3(contact.pointA + length * contact.normal).eval().data());
    line->Update();
    vtkPolyDataMapper::SafeDownCast(pickedMark->GetMapper())->SetInputData(line->GetOutput());
  }
};

SceneView::SceneView(std::shared_ptr<const Scene> scene, const QString& methodKey, QWidget* parent)
    : QVTKOpenGLNativeWidget(parent), d(std::make_unique<Private>(std::move(scene))) {
  d->method = methodKey;
  setRenderWindow(d->window.Get());
  vtkNew<QuietTrackball> style;
  interactor()->SetInteractorStyle(style);
  d->build();
  setMinimumSize(160, 120);
  setFocusPolicy(Qt::ClickFocus);
  CameraState camera;
  camera.eye = d->scene->view.eye;
  camera.target = d->scene->view.target;
  setCameraState(camera);
  d->update();
}

SceneView::~SceneView() = default;

void SceneView::showRecord(RecordPtr record) {
  d->record = std::move(record);
  d->update();
  renderWindow()->Render();
}

RecordPtr SceneView::record() const { return d->record; }
void SceneView::setMethod(const QString& methodKey) { d->method = methodKey; }

void SceneView::setSettings(const ViewSettings& settings) {
  d->settings = settings;
  d->update();
  renderWindow()->Render();
}

const ViewSettings& SceneView::settings() const { return d->settings; }
void SceneView::setScalarRange(double metres) { d->scalarRange = metres; }
void SceneView::setForceRange(double newton) { d->forceRange = newton; }

void SceneView::setDark(bool dark) {
  d->dark = dark;
  d->applyTheme();
  renderWindow()->Render();
}

void SceneView::setPickedContact(int contact) {
  d->picked = contact;
  d->update();
  renderWindow()->Render();
}

void SceneView::frameAll() {
  d->renderer->ResetCamera();
  renderWindow()->Render();
  Q_EMIT cameraChanged(cameraState());
}

void SceneView::lookAlong(ViewAxis axis) {
  static const Vec3 kDirections[] = {Vec3(1, 0, 0), Vec3(-1, 0, 0), Vec3(0, 1, 0), Vec3(0, -1, 0), Vec3(0, 0, 1), Vec3(0, 0, -1)};
  CameraState state = cameraState();
  const Vec3& direction = kDirections[static_cast<int>(axis)];
  state.eye = state.target + (state.eye - state.target).norm() * direction;
  state.up = std::abs(direction.y()) > 0.5 ? Vec3(0, 0, -1) : Vec3(0, 1, 0);
  setCameraState(state);
  Q_EMIT cameraChanged(state);
}

CameraState SceneView::cameraState() const {
  vtkCamera* camera = d->renderer->GetActiveCamera();
  CameraState state;
  state.eye = Eigen::Map<const Eigen::Vector3d>(camera->GetPosition());
  state.target = Eigen::Map<const Eigen::Vector3d>(camera->GetFocalPoint());
  state.up = Eigen::Map<const Eigen::Vector3d>(camera->GetViewUp());
  state.angle = camera->GetViewAngle();
  return state;
}

void SceneView::setCameraState(const CameraState& state) {
  vtkCamera* camera = d->renderer->GetActiveCamera();
  camera->SetPosition(state.eye.data());
  camera->SetFocalPoint(state.target.data());
  camera->SetViewUp(state.up.data());
  camera->SetViewAngle(state.angle);
  d->renderer->ResetCameraClippingRange();
  update();
  renderWindow()->Render();
}

QImage SceneView::renderToImage(const QSize& size) {
  // A second window of its own size would need every actor twice: render this one's frame and scale what differs.
  renderWindow()->Render();
  return grabFramebuffer().scaled(size, Qt::KeepAspectRatioByExpanding, Qt::SmoothTransformation);
}

SceneView::Ray SceneView::rayAt(const QPoint& position) const {
  const double ratio = devicePixelRatioF();
  d->renderer->SetDisplayPoint(position.x() * ratio, (height() - position.y()) * ratio, 0.5);
  d->renderer->DisplayToWorld();
  double world[4];
  d->renderer->GetWorldPoint(world);
  Ray ray;
  ray.origin = cameraState().eye;
  ray.direction = (Vec3(world[0], world[1], world[2]) / world[3] - ray.origin).normalized();
  return ray;
}

int SceneView::bodyAt(const QPoint& position, Vec3* point) const {
  vtkNew<vtkCellPicker> picker;
  picker->SetTolerance(1e-4);
  const double ratio = devicePixelRatioF();
  if (!picker->Pick(position.x() * ratio, (height() - position.y()) * ratio, 0, d->renderer)) return -1;
  if (point) *point = Eigen::Map<const Eigen::Vector3d>(picker->GetPickPosition());
  for (std::size_t body = 0; body < d->bodies.size(); ++body)
    if (d->bodies[body].surface && picker->GetActor() == d->bodies[body].surface) return static_cast<int>(body);
  return -1;
}

int SceneView::contactAt(const QPoint& position) const {
  if (!d->record) return -1;
  constexpr double kReach = 9;  // px
  int best = -1;
  double nearest = kReach;
  const double ratio = devicePixelRatioF();
  for (std::size_t index = 0; index < d->record->contacts.size(); ++index) {
    const Vec3& p = d->record->contacts[index].pointB;
    d->renderer->SetWorldPoint(p.x(), p.y(), p.z(), 1);
    d->renderer->WorldToDisplay();
    double display[3];
    d->renderer->GetDisplayPoint(display);
    const double distance = std::hypot(display[0] / ratio - position.x(), height() - display[1] / ratio - position.y());
    if (distance < nearest) {
      nearest = distance;
      best = static_cast<int>(index);
    }
  }
  return best;
}

void SceneView::setSpring(const Vec3& from, const Vec3& to, const QString& text) {
  const bool there = (from - to).norm() > 0;
  d->spring->SetVisibility(there);
  d->springText->SetVisibility(there);
  if (there) {
    vtkNew<vtkLineSource> line;
    line->SetPoint1(from.x(), from.y(), from.z());
    line->SetPoint2(to.x(), to.y(), to.z());
    line->Update();
    vtkPolyDataMapper::SafeDownCast(d->spring->GetMapper())->SetInputData(line->GetOutput());
    d->springText->SetInput(text.toUtf8().constData());
  }
  renderWindow()->Render();
}

bool SceneView::event(QEvent* event) {
  // Keys belong to the window, not to VTK.
  if (event->type() == QEvent::KeyPress || event->type() == QEvent::KeyRelease) return QOpenGLWidget::event(event);
  return QVTKOpenGLNativeWidget::event(event);
}

void SceneView::mousePressEvent(QMouseEvent* event) {
  d->pressed = event->pos();
  if (event->button() == Qt::LeftButton && (event->modifiers() & Qt::ControlModifier)) {
    const int body = bodyAt(event->pos());
    d->pulling = body >= 0;
    if (d->pulling) Q_EMIT pullStarted(body, event->pos());
    return;
  }
  QVTKOpenGLNativeWidget::mousePressEvent(event);
}

void SceneView::mouseMoveEvent(QMouseEvent* event) {
  if (d->pulling) {
    Q_EMIT pullMoved(event->pos());
    return;
  }
  QVTKOpenGLNativeWidget::mouseMoveEvent(event);
  if (event->buttons() != Qt::NoButton) Q_EMIT cameraChanged(cameraState());
}

void SceneView::mouseReleaseEvent(QMouseEvent* event) {
  if (d->pulling) {
    d->pulling = false;
    Q_EMIT pullEnded();
    return;
  }
  QVTKOpenGLNativeWidget::mouseReleaseEvent(event);
  constexpr int kClickSlop = 4;  // px
  if (event->button() != Qt::LeftButton || (event->pos() - d->pressed).manhattanLength() > kClickSlop) return;
  const int contact = contactAt(event->pos());
  Q_EMIT contactPicked(contact);
  Q_EMIT bodyPicked(contact >= 0 ? -1 : bodyAt(event->pos()));
}

void SceneView::mouseDoubleClickEvent(QMouseEvent*) { Q_EMIT doubleClicked(); }

}  // namespace touchstone
