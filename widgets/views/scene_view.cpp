#include "widgets/views/scene_view.h"

#include <vtkCamera.h>
#include <vtkCellPicker.h>
#include <vtkInteractorStyleTrackballCamera.h>
#include <vtkRenderWindowInteractor.h>
#include <vtkUnsignedCharArray.h>

#include <QMouseEvent>
#include <QResizeEvent>
#include <algorithm>
#include <cmath>

#include "widgets/delayed_click.h"
#include "widgets/views/scene_props.h"

namespace touchstone {

namespace {

/// Trackball without VTK's character keys: `e` and `q` would end the program, `w` and `s` would change the
/// drawing.
class QuietTrackball : public vtkInteractorStyleTrackballCamera {
 public:
  static QuietTrackball* New();
  vtkTypeMacro(QuietTrackball, vtkInteractorStyleTrackballCamera);
  void OnChar() override {}
  void OnKeyPress() override {}
  void OnKeyDown() override {}
};
vtkStandardNewMacro(QuietTrackball);

}  // namespace

class SceneView::Private {
 public:
  explicit Private(std::shared_ptr<const Scene> scene) : props(std::move(scene)) {}
  SceneProps props;
  QPoint pressed;
  DelayedClick click;
  bool pulling = false;
  double angle = CameraState().angle;  ///< see CameraState::angle [degrees]

  double frame = 0;  ///< see setFrameHeight()

  /// Sets the opening angle of the camera for a view of this size, in which the frame has this height.
  void openFor(const QSize& size, double frameOfSize) {
    constexpr double kDegree = EIGEN_PI / 180;
    const double fitting = frameHeight(size.width(), size.height());
    const double height = frameOfSize > 0 ? frameOfSize : fitting;
    const double share = height > 0 ? size.height() / height : 1;
    const double half = std::atan(std::tan(0.5 * angle * kDegree) * share);
    props.renderer()->GetActiveCamera()->SetViewAngle(2 * half / kDegree);
  }
};

SceneView::SceneView(std::shared_ptr<const Scene> scene, QWidget* parent)
    : QVTKOpenGLNativeWidget(parent), d(std::make_unique<Private>(std::move(scene))) {
  setRenderWindow(d->props.window());
  vtkNew<QuietTrackball> style;
  interactor()->SetInteractorStyle(style);
  setMinimumSize(160, 120);
  setFocusPolicy(Qt::ClickFocus);
  CameraState camera;
  camera.eye = d->props.scene().view.eye;
  camera.target = d->props.scene().view.target;
  setCameraState(camera);
  d->props.update();
}

SceneView::~SceneView() = default;

void SceneView::redraw() {
  d->props.pixelRatio = devicePixelRatioF();
  d->props.update();
  renderWindow()->Render();
}

void SceneView::show(ViewFrame frame) {
  d->props.frame = std::move(frame);
  redraw();
}

void SceneView::hold() { d->props.window()->hold(); }

void SceneView::release() { d->props.window()->release(); }

RecordPtr SceneView::record() const { return d->props.frame.record; }

const ViewFrame& SceneView::frame() const { return d->props.frame; }

void SceneView::setSettings(const ViewSettings& settings) {
  d->props.settings = settings;
  redraw();
}

const ViewSettings& SceneView::settings() const { return d->props.settings; }

void SceneView::setRanges(const SharedRanges& ranges) { d->props.ranges = ranges; }

void SceneView::setDark(bool dark) {
  d->props.dark = dark;
  d->props.applyTheme();
  renderWindow()->Render();
}

bool SceneView::isDark() const { return d->props.dark; }

void SceneView::setTextScale(double scale) {
  d->props.textScale = scale;
  d->props.applyTheme();
  redraw();
}

void SceneView::setFrameHeight(double height) {
  if (height == d->frame) return;
  d->frame = height;
  d->openFor(size(), d->frame);
  update();
  renderWindow()->Render();
}

CameraState SceneView::cameraState() const {
  vtkCamera* camera = d->props.renderer()->GetActiveCamera();
  CameraState state;
  state.eye = Eigen::Map<const Eigen::Vector3d>(camera->GetPosition());
  state.target = Eigen::Map<const Eigen::Vector3d>(camera->GetFocalPoint());
  state.up = Eigen::Map<const Eigen::Vector3d>(camera->GetViewUp());
  state.angle = d->angle;
  return state;
}

void SceneView::setCameraState(const CameraState& state) {
  const CameraState now = cameraState();
  if (state.eye == now.eye && state.target == now.target && state.up == now.up && state.angle == now.angle)
    return;
  vtkCamera* camera = d->props.renderer()->GetActiveCamera();
  camera->SetPosition(state.eye.data());
  camera->SetFocalPoint(state.target.data());
  camera->SetViewUp(state.up.data());
  d->angle = state.angle;
  d->openFor(size(), d->frame);
  d->props.renderer()->ResetCameraClippingRange();
  update();
  renderWindow()->Render();
}

// Resizes the window's own framebuffer, so that the picture is rendered at that size and not scaled.
QImage SceneView::renderToImage(const QSize& size, double textScale, double frameHeight) {
  if (!isValid() || !size.isValid()) return grabFramebuffer().scaled(size);  // before the first show
  release();
  makeCurrent();
  HeldWindow* window = d->props.window();
  const int before[2] = {window->GetSize()[0], window->GetSize()[1]};
  window->SetSize(size.width(), size.height());
  d->openFor(size, frameHeight);
  const double textBefore = d->props.textScale;
  d->props.textScale = textScale;
  d->props.pixelRatio = 1;
  d->props.applyTheme();
  d->props.update();
  window->Render();
  vtkNew<vtkUnsignedCharArray> pixels;
  window->GetRGBACharPixelData(0, 0, size.width() - 1, size.height() - 1, 0, pixels);
  QImage image(size, QImage::Format_RGB32);
  const unsigned char* source = pixels->GetPointer(0);
  for (int line = size.height() - 1; line >= 0; --line) {  // VTK counts lines from below
    auto* to = reinterpret_cast<QRgb*>(image.scanLine(line));
    for (int column = 0; column < size.width(); ++column, source += 4)
      to[column] = qRgb(source[0], source[1], source[2]);
  }
  window->SetSize(before[0], before[1]);
  d->openFor(this->size(), d->frame);
  d->props.textScale = textBefore;
  d->props.pixelRatio = devicePixelRatioF();
  d->props.applyTheme();
  d->props.update();
  window->Render();
  doneCurrent();
  return image;
}

SceneView::Ray SceneView::rayAt(const QPoint& position) const {
  const double ratio = devicePixelRatioF();
  d->props.renderer()->SetDisplayPoint(position.x() * ratio, (height() - position.y()) * ratio, 0.5);
  d->props.renderer()->DisplayToWorld();
  double world[4];
  d->props.renderer()->GetWorldPoint(world);
  Ray ray;
  ray.origin = cameraState().eye;
  ray.direction = (Vec3(world[0], world[1], world[2]) / world[3] - ray.origin).normalized();
  return ray;
}

QPointF SceneView::placeOf(const Vec3& point) const {
  const double ratio = devicePixelRatioF();
  d->props.renderer()->SetWorldPoint(point.x(), point.y(), point.z(), 1);
  d->props.renderer()->WorldToDisplay();
  double display[3];
  d->props.renderer()->GetDisplayPoint(display);
  return {display[0] / ratio, height() - display[1] / ratio};
}

int SceneView::bodyAt(const QPoint& position, Vec3* point) const {
  vtkNew<vtkCellPicker> picker;
  picker->SetTolerance(1e-4);
  const double ratio = devicePixelRatioF();
  if (!picker->Pick(position.x() * ratio, (height() - position.y()) * ratio, 0, d->props.renderer()))
    return -1;
  if (point) *point = Eigen::Map<const Eigen::Vector3d>(picker->GetPickPosition());
  return d->props.bodyOf(picker->GetActor());
}

int SceneView::contactAt(const QPoint& position) const {
  if (!d->props.frame.record) return -1;
  // [px] A larger value picks contacts far from the pointer; a smaller one makes contacts hard to pick.
  constexpr double kReach = 9;
  int best = -1;
  double nearest = kReach;
  for (std::size_t index = 0; index < d->props.frame.record->contacts.size(); ++index) {
    const QPointF place = placeOf(d->props.frame.record->contacts[index].pointB);
    const double distance = std::hypot(place.x() - position.x(), place.y() - position.y());
    if (distance < nearest) {
      nearest = distance;
      best = static_cast<int>(index);
    }
  }
  return best;
}

// VTK receives events here, before the handlers below. Keys belong to the window, and a drag that pulls a
// body must not turn the camera.
bool SceneView::event(QEvent* event) {
  const auto isPull = [this, event] {
    const auto* mouse = static_cast<QMouseEvent*>(event);
    return d->pulling || (event->type() == QEvent::MouseButtonPress && mouse->button() == Qt::LeftButton &&
                          (mouse->modifiers() & Qt::ControlModifier));
  };
  switch (event->type()) {
    case QEvent::KeyPress:
    case QEvent::KeyRelease:
      return QOpenGLWidget::event(event);
    case QEvent::MouseButtonPress:
    case QEvent::MouseMove:
    case QEvent::MouseButtonRelease:
      if (isPull()) return QOpenGLWidget::event(event);
      break;
    default:
      break;
  }
  return QVTKOpenGLNativeWidget::event(event);
}

void SceneView::resizeEvent(QResizeEvent* event) {
  d->openFor(event->size(), d->frame);
  QVTKOpenGLNativeWidget::resizeEvent(event);
}

void SceneView::mousePressEvent(QMouseEvent* event) {
  d->pressed = event->pos();
  if (event->button() == Qt::LeftButton && (event->modifiers() & Qt::ControlModifier)) {
    d->pulling = true;
    const int body = bodyAt(event->pos());
    if (body >= 0) Q_EMIT pullStarted(body, event->pos());
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
  // [px] A press and release closer than this is a click. A larger value turns short drags into clicks; a
  // smaller one turns unsteady clicks into drags.
  constexpr int kClickSlop = 4;
  if (event->button() != Qt::LeftButton || (event->pos() - d->pressed).manhattanLength() > kClickSlop) return;
  // The item under the pointer is determined now: until no second click can follow, the layout may change,
  // and a new frame has other contacts.
  const auto position = event->pos();
  const RecordPtr record = d->props.frame.record;
  const int contact = contactAt(position), body = contact >= 0 ? -1 : bodyAt(position);
  d->click.click([this, position, record, contact, body] {
    const bool isSame = record == d->props.frame.record;
    Q_EMIT contactPicked(isSame ? contact : contactAt(position));
    Q_EMIT bodyPicked(body);
  });
}

void SceneView::wheelEvent(QWheelEvent* event) {
  event->accept();  // VTK has moved the camera by now
  Q_EMIT cameraChanged(cameraState());
}

void SceneView::mouseDoubleClickEvent(QMouseEvent*) {
  d->click.doubleClick();
  Q_EMIT doubleClicked();
}

}  // namespace touchstone
