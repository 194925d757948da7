#include "app/panels/pane_grid.h"

#include <QLabel>
#include <algorithm>
#include <cmath>
#include <limits>

#include "app/branches/branch_pane_widget.h"
#include "app/panels/pane_widget.h"
#include "app/session/session.h"
#include "core/engine/engine.h"
#include "core/math/count.h"
#include "core/record/mouse_spring.h"
#include "widgets/views/camera_fit.h"
#include "widgets/views/depth_colours.h"
#include "widgets/views/scalar_scaling.h"
#include "widgets/views/scene_view.h"

namespace touchstone {

std::vector<QRect> paneCells(int panes, const QRect& area, int gap, int header) {
  std::vector<QRect> best;
  double highest = -1;
  for (int rows = 1; rows <= panes; ++rows) {
    std::vector<QRect> cells;
    double frame = std::numeric_limits<double>::infinity();
    for (int row = 0; row < rows; ++row) {
      const int inRow = panes / rows + (row < panes % rows ? 1 : 0);
      const int top = (area.height() + gap) * row / rows,
                bottom = (area.height() + gap) * (row + 1) / rows - gap;
      for (int column = 0; column < inRow; ++column) {
        const int begin = (area.width() + gap) * column / inRow;
        const int end = (area.width() + gap) * (column + 1) / inRow - gap;
        cells.emplace_back(area.left() + begin, area.top() + top, end - begin, bottom - top);
        frame = std::min(frame, frameHeight(end - begin, bottom - top - header));
      }
    }
    if (frame <= highest) continue;
    highest = frame;
    best = cells;
  }
  return best;
}

PaneGrid::PaneGrid(Session* session, QWidget* parent)
    : QWidget(parent),
      m_session(session),
      m_empty(new QLabel(this)),
      m_legend(new LegendStrip(this)),
      m_ranges(*session) {
  m_empty->setAlignment(Qt::AlignCenter);
  m_empty->setWordWrap(true);
  setOpening({});
  connect(session, &Session::sceneChanged, this, &PaneGrid::rebuild);
  connect(session, &Session::panesChanged, this, &PaneGrid::refreshSettings);
  connect(session, &Session::branchesChanged, this, &PaneGrid::followBranches);
  connect(session, &Session::historyChanged, this, [this] { m_ranges.forget(); });
  connect(session, &Session::referenceChanged, this, &PaneGrid::refreshRecords);
  connect(session, &Session::cursorMoved, this, &PaneGrid::onCursorMoved);
  connect(&m_stage, &QTimer::timeout, this, &PaneGrid::showNextPane);
  m_stage.setSingleShot(true);
  connect(session, &Session::selectionChanged, this, [this] {
    for (std::size_t pane = 0; pane < m_panes.size(); ++pane)
      m_panes[pane]->setSelected(static_cast<int>(pane) == m_session->selectedPane());
  });
}

void PaneGrid::addPaneWidget(int index) {
  auto* pane = new PaneWidget(m_session, index, this);
  SceneView* view = pane->view();
  view->setSettings(m_settings);
  pane->setDark(m_dark);
  view->setTextScale(m_textScale);
  if (!m_panes.empty()) view->setCameraState(m_panes.front()->view()->cameraState());
  connect(view, &SceneView::cameraChanged, this, [this, index] {
    m_session->selectPane(index);
    if (m_linked) changeCameras([](const CameraState& camera, const std::vector<int>&) { return camera; });
  });
  connect(pane, &PaneWidget::enlargeRequested, this, [this, index] { toggleEnlarged(index); });
  connect(pane, &PaneWidget::referenceRequested, this, [this, index] { m_session->editReference(index); });
  connect(view, &SceneView::pullStarted, this,
          [this, index](int body, const QPoint& position) { startPull(index, body, position); });
  connect(view, &SceneView::pullMoved, this,
          [this, index](const QPoint& position) { movePull(index, position); });
  connect(view, &SceneView::pullEnded, this, &PaneGrid::endPull);
  connect(pane, &PaneWidget::imageRequested, this, [this, index] { Q_EMIT imageRequested(index); });
  connect(view, &SceneView::contactPicked, this, [this, index](int contact) {
    m_session->selectPane(index);
    markContact(index, contact);
    Q_EMIT contactPicked(contact);
  });
  m_panes.push_back(pane);
}

void PaneGrid::markContact(int pane, int contact) {
  m_picked.reset();
  const RecordPtr record = m_session->shown(pane);
  if (record && contact >= 0 && contact < countOf(record->contacts) && m_features) {
    const Contact& picked = record->contacts[contact];
    m_picked = {picked, m_features->of(picked)};
  }
  refreshRecords();
}

void PaneGrid::setStepFraction(const std::optional<double>& fraction) {
  if (m_stepFraction == fraction) return;
  m_stepFraction = fraction;
  if (m_picked) refreshRecords();
}

void PaneGrid::setOpening(const QString& file) {
  if (!file.isEmpty())
    m_empty->setText(tr("<h3>Opening %1 …</h3>").arg(file.toHtmlEscaped()));
  else if (m_session->scene())
    m_empty->setText(tr("<h3>This scene suggests no method</h3><p>Choose one: Simulation, Add pane.</p>"));
  else
    m_empty->setText(
        tr("<h3>No scene is open</h3><p>Choose one in the gallery, press Ctrl+O, or drop a scene "
           "file here.</p>"));
}

void PaneGrid::rebuild() {
  setOpening({});
  for (PaneWidget* pane : m_panes) {
    pane->hide();
    pane->deleteLater();  // the call may come from a menu or combo box of the pane
  }
  m_panes.clear();
  m_ids.clear();
  clearBranchPanes();
  if (m_builtFor != m_session->scene()) {
    m_picked.reset();
    m_hasSets = false;
    m_enlarged = -1;
    m_cameras.clear();
    m_settings.scalarMaximum = 0;  // a locked scale belongs to the old scene
    m_features = m_session->scene() ? std::make_unique<ContactFeatures>(m_session->scene()) : nullptr;
    Q_EMIT viewSettingsChanged();
  }
  m_builtFor = m_session->scene();
  for (int pane = 0; pane < m_session->paneCount(); ++pane) {
    addPaneWidget(pane);
    m_ids.push_back(m_session->paneId(pane));
    m_panes.back()->setSelected(pane == m_session->selectedPane());
    const auto camera = m_cameras.find(m_ids.back());
    m_panes.back()->view()->setCameraState(camera == m_cameras.end() ? m_panes.front()->view()->cameraState()
                                                                     : camera->second);
  }
  arrange();
  refreshRecords();
}

void PaneGrid::clearBranchPanes() {
  for (BranchPaneWidget* pane : m_branchPanes) {
    pane->hide();
    pane->deleteLater();  // the call may come from its button
  }
  m_branchPanes.clear();
}

/// Keeps the panes of other branches that stay.
void PaneGrid::followBranches() {
  const std::vector<BranchPane> wanted =
      m_panes.empty() ? std::vector<BranchPane>() : m_session->branchPanes();
  const bool isSame = std::equal(
      wanted.begin(), wanted.end(), m_branchPanes.begin(), m_branchPanes.end(),
      [](const BranchPane& pane, const BranchPaneWidget* widget) { return pane == widget->pane(); });
  if (!isSame) {
    clearBranchPanes();
    if (!wanted.empty() && m_enlarged >= 0) m_enlarged = -1;
    for (const BranchPane& pane : wanted) {
      auto* widget = new BranchPaneWidget(m_session, pane, m_panes.front()->header()->height(), this);
      SceneView* view = widget->view();
      view->setSettings(m_settings);
      view->setDark(m_dark);
      view->setTextScale(m_textScale);
      view->setCameraState(m_panes.front()->view()->cameraState());
      connect(view, &SceneView::cameraChanged, this, [this](const CameraState& camera) {
        if (m_linked)
          for (int other = 0; other < countOf(m_panes); ++other) setCamera(other, camera);
        if (m_linked)
          for (BranchPaneWidget* other : m_branchPanes) other->view()->setCameraState(camera);
      });
      connect(view, &SceneView::pullStarted, this, [this, widget] {
        m_session->note(tr("%1 does not go on beside the others; show it to pull there")
                            .arg(m_session->branchName(widget->pane().branch)));
      });
      m_branchPanes.push_back(widget);
      widget->setVisible(true);
    }
    arrange();
  }
  for (BranchPaneWidget* pane : m_branchPanes) {
    pane->refresh();
    pane->view()->setRanges(niceCeiling(m_shownRanges));
    pane->show(frameOf(pane->pane()));
  }
}

void PaneGrid::refreshSettings() {
  std::vector<int> ids;
  for (int pane = 0; pane < m_session->paneCount(); ++pane) ids.push_back(m_session->paneId(pane));
  if (m_builtFor != m_session->scene()) {
    rebuild();
  } else if (ids != m_ids) {
    followPanes();
  } else {
    for (PaneWidget* pane : m_panes) pane->refreshSettings();
  }
}

// Keeps the settings of each pane when panes appear, disappear or change places.
void PaneGrid::followPanes() {
  for (std::size_t pane = 0; pane < m_panes.size(); ++pane)
    m_cameras[m_ids[pane]] = m_panes[pane]->view()->cameraState();
  const int enlarged = m_enlarged >= 0 ? m_ids[m_enlarged] : -1;
  m_enlarged = m_session->indexOf(enlarged);
  if (m_session->paneCount() != countOf(m_panes)) {
    rebuild();
    return;
  }
  for (int pane = 0; pane < m_session->paneCount(); ++pane) {
    m_ids[pane] = m_session->paneId(pane);
    const auto camera = m_cameras.find(m_session->paneId(pane));
    if (camera != m_cameras.end()) setCamera(pane, camera->second);
    m_panes[pane]->refreshSettings();
  }
  arrange();
}

void PaneGrid::arrange() {
  m_empty->setVisible(m_panes.empty());
  place();
  for (int pane = 0; pane < countOf(m_panes); ++pane)
    m_panes[pane]->setVisible(m_enlarged < 0 || m_enlarged == pane);
  for (BranchPaneWidget* pane : m_branchPanes) pane->setVisible(m_enlarged < 0);
}

// No text of a pane has a say in its size, and all views get one frame of the camera, so that a body has the
// same size in each of them.
void PaneGrid::place() {
  constexpr int kMargin = 4;
  QRect area = rect().adjusted(kMargin, kMargin, -kMargin, -kMargin);
  m_empty->setGeometry(area);
  const bool hasLegend = m_settings.scalarBar && !m_panes.empty();
  m_legend->setVisible(hasLegend);
  if (hasLegend) {
    const int height = m_legend->sizeHint().height();
    m_legend->setGeometry(area.left(), area.bottom() - height + kMargin, area.width(), height);
    area.setBottom(m_legend->y() - 1);
  }
  std::vector<PaneWidget*> shown;
  for (int pane = 0; pane < countOf(m_panes); ++pane)
    if (m_enlarged < 0 || m_enlarged == pane) shown.push_back(m_panes[pane]);
  const std::size_t others = m_enlarged < 0 ? m_branchPanes.size() : 0;
  const std::vector<QRect> cells = paneCells(static_cast<int>(shown.size() + others), area, kMargin,
                                             shown.empty() ? 0 : shown.front()->header()->height());
  double frame = std::numeric_limits<double>::infinity();
  for (std::size_t pane = 0; pane < shown.size(); ++pane) {
    shown[pane]->setGeometry(cells[pane]);
    const QSize view = shown[pane]->viewSize();
    frame = std::min(frame, frameHeight(view.width(), view.height()));
  }
  for (std::size_t other = 0; other < others; ++other) {
    m_branchPanes[other]->setGeometry(cells[shown.size() + other]);
    const QSize view = m_branchPanes[other]->viewSize();
    frame = std::min(frame, frameHeight(view.width(), view.height()));
  }
  for (PaneWidget* pane : shown) pane->view()->setFrameHeight(frame);
  for (BranchPaneWidget* pane : m_branchPanes) pane->view()->setFrameHeight(frame);
}

void PaneGrid::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  place();
}

void PaneGrid::toggleEnlarged(int pane) {
  if (pane >= countOf(m_panes)) return;
  m_enlarged = pane == m_enlarged ? -1 : pane;
  if (m_enlarged >= 0) m_session->selectPane(m_enlarged);
  arrange();
}

// While frames arrive, each pane is drawn in its own turn of the event loop, so that keys and clicks are
// handled in between. Nothing appears on the screen before all panes show the same time, so that the window
// is composed only once.
void PaneGrid::onCursorMoved() {
  if (!m_session->isRunning()) {
    refreshRecords();
  } else if (m_stage.isActive()) {
    m_moved = true;
  } else {
    beginStages();
  }
}

void PaneGrid::beginStages() {
  refreshRanges();
  m_moved = false;
  m_staged.clear();
  for (int pane = 0; pane < countOf(m_panes); ++pane) m_staged.push_back(frameOf(pane));
  m_nextStaged = 0;
  if (m_staged.empty()) return;
  for (PaneWidget* pane : m_panes) pane->view()->hold();
  for (BranchPaneWidget* pane : m_branchPanes) pane->view()->hold();
  m_stage.start(0);
}

void PaneGrid::showNextPane() {
  if (m_nextStaged < m_staged.size() && m_nextStaged < m_panes.size()) {
    m_panes[m_nextStaged]->view()->show(m_staged[m_nextStaged]);
    if (++m_nextStaged < m_staged.size()) {
      m_stage.start(0);
      return;
    }
  }
  for (BranchPaneWidget* pane : m_branchPanes) pane->show(frameOf(pane->pane()));
  endStages();
  refreshLegend();
  Q_EMIT framesShown();
  m_session->tellViewsShown();
  if (m_moved) beginStages();
}

void PaneGrid::endStages() {
  m_stage.stop();
  for (std::size_t pane = 0; pane < m_panes.size(); ++pane) {
    if (pane < m_staged.size()) m_panes[pane]->showHeader(m_staged[pane].record.get());
    m_panes[pane]->view()->release();
  }
  for (BranchPaneWidget* pane : m_branchPanes) pane->view()->release();
  m_staged.clear();
}

void PaneGrid::refreshRecords() {
  endStages();
  refreshRanges();
  const bool compared = m_settings.ghost || m_settings.bodyColour == BodyColour::Difference;
  for (int pane = 0; pane < countOf(m_panes); ++pane) {
    m_panes[pane]->setReference(compared && pane == m_session->referencePane() && m_panes.size() > 1);
    m_panes[pane]->show(frameOf(pane));
  }
  for (BranchPaneWidget* pane : m_branchPanes) pane->show(frameOf(pane->pane()));
  refreshLegend();
  Q_EMIT framesShown();
  m_session->tellViewsShown();
}

ViewFrame PaneGrid::frameOf(int pane) const {
  ViewFrame frame;
  frame.record = m_session->shown(pane);
  addReference(frame);
  frame.pull = m_pull;
  if (m_settings.trails) addPast(m_session->histories()[pane], m_session->cursor(), frame);
  if (m_picked) addPicked(pane, frame);
  return frame;
}

ViewFrame PaneGrid::frameOf(const BranchPane& pane) const {
  ViewFrame frame;
  frame.record = m_session->shownOf(pane);
  addReference(frame);
  if (m_settings.trails && frame.record) addPast(m_session->historyOf(pane), frame.record->frame, frame);
  return frame;
}

void PaneGrid::addReference(ViewFrame& frame) const {
  frame.reference = m_session->shown(m_session->referencePane());
  if (frame.reference)
    frame.referenceName = m_session->spanAt(m_session->referencePane(), frame.reference->frame).label;
}

void PaneGrid::addPast(const History& history, long last, ViewFrame& frame) const {
  // [s] Length of trails. Larger values clutter the view and cost time, as does a larger kMostPoints; smaller
  // ones show too little of a path.
  constexpr double kTrail = 1.5;
  // More points cost time; fewer make the path angular.
  constexpr long kMostPoints = 150;
  const long frames =
      std::min<long>(last - history.firstFrame(), std::lround(kTrail / std::max(m_session->dt(), 1e-9)));
  const long stride = std::max<long>(1, frames / kMostPoints);
  for (long back = frames; back > 0; back -= stride)
    if (const RecordPtr record = history.at(last - back)) frame.past.push_back(record);
}

// The same features in every pane, where that pane has them; inside a step between two frames.
void PaneGrid::addPicked(int pane, ViewFrame& frame) const {
  if (!frame.record) return;
  for (std::size_t contact = 0; contact < frame.record->contacts.size(); ++contact)
    if (sameFeatures(frame.record->contacts[contact], m_picked->contact))
      frame.picked = static_cast<int>(contact);
  const RecordPtr before = m_session->histories()[pane].at(frame.record->frame - 1);
  for (const BodyFeature& feature : m_picked->features) {
    BodyState state = frame.record->bodies.at(feature.body);
    if (!feature.vertices.empty()) {  // of a body that deforms
      std::vector<Vec3> points = placed(feature, *m_session->scene(), *frame.record);
      if (m_stepFraction && before) {
        const std::vector<Vec3> start = placed(feature, *m_session->scene(), *before);
        for (std::size_t point = 0; point < points.size(); ++point)
          points[point] = start[point] + *m_stepFraction * (points[point] - start[point]);
      }
      if (state.active) frame.highlight.push_back(points);
      continue;
    }
    if (m_stepFraction && before) {
      const BodyState& start = before->bodies.at(feature.body);
      state.position = start.position + *m_stepFraction * (state.position - start.position);
      state.orientation = start.orientation.slerp(*m_stepFraction, state.orientation);
    }
    if (state.active) frame.highlight.push_back(placed(feature, state));
  }
}

void PaneGrid::refreshRanges() {
  m_shownRanges = m_ranges.atCursor(m_session->referencePane(), m_settings.deformation, m_features.get());
  for (PaneWidget* pane : m_panes) pane->view()->setRanges(niceCeiling(m_shownRanges));
  for (BranchPaneWidget* pane : m_branchPanes) pane->view()->setRanges(niceCeiling(m_shownRanges));
}

void PaneGrid::startPull(int pane, int body, const QPoint& position) {
  const Scene& scene = *m_session->scene();
  const RecordPtr record = m_session->shown(pane);
  const Body& description = scene.bodies[body];
  if (!record) return;
  if (!m_session->isLive()) {
    m_session->note(tr("A pull acts at the newest frame: press End, or fork here (B)"));
    return;
  }
  if (const EngineInfo* engine = findEngine(m_session->pane(pane).settings.method);
      engine && engine->isPlayed) {
    m_session->note(tr("The motion of this pane is given, and cannot be perturbed; pull in another pane"));
    return;
  }
  if (description.motion == Motion::Static) {
    m_session->note(
        tr("'%1' is static; pull a body that moves").arg(QString::fromStdString(description.name)));
    return;
  }
  SceneView* view = m_panes[pane]->view();
  Vec3 point;
  if (view->bodyAt(position, &point) != body) return;
  const Spring spring = mouseSpring(scene, *record, body, point, longestStep());
  if (!(spring.stiffness > 0)) {
    m_session->note(
        tr("'%1' is held there; pull a part of it that moves").arg(QString::fromStdString(description.name)));
    return;
  }
  const CameraState camera = view->cameraState();
  m_pullNormal = scene.planar ? Vec3(0, 0, 1) : Vec3((camera.target - camera.eye).normalized());
  m_pull = spring;
  m_session->selectPane(pane);
  m_session->pull(spring);
  refreshRecords();
}

double PaneGrid::longestStep() const {
  int fewest = kMostSubsteps;
  for (int pane = 0; pane < m_session->paneCount(); ++pane)
    fewest = std::min(fewest, m_session->pane(pane).settings.substeps);
  return m_session->dt() / fewest;
}

void PaneGrid::movePull(int pane, const QPoint& position) {
  if (!m_pull) return;
  const SceneView::Ray ray = m_panes[pane]->view()->rayAt(position);
  const double slope = ray.direction.dot(m_pullNormal);
  if (std::abs(slope) < 1e-6) return;
  m_pull->target = ray.origin + (m_pull->target - ray.origin).dot(m_pullNormal) / slope * ray.direction;
  m_session->pull(m_pull);
  if (!m_session->isRunning()) refreshRecords();
}

void PaneGrid::endPull() {
  if (!m_pull) return;
  m_pull.reset();
  m_session->pull(std::nullopt);
  refreshRecords();
}

CameraState PaneGrid::camera(int pane) const { return m_panes[pane]->view()->cameraState(); }
void PaneGrid::setCamera(int pane, const CameraState& camera) {
  m_panes[pane]->view()->setCameraState(camera);
}

void PaneGrid::setViewSettings(const ViewSettings& settings) {
  const bool isMoved = settings.scalarBar != m_settings.scalarBar;
  m_settings = settings;
  if (isMoved) place();
  for (PaneWidget* pane : m_panes) pane->view()->setSettings(settings);
  for (BranchPaneWidget* pane : m_branchPanes) pane->view()->setSettings(settings);
  refreshRecords();  // the reference and earlier frames are fetched only if they are shown
  Q_EMIT viewSettingsChanged();
}

void PaneGrid::setCamerasLinked(bool linked) {
  m_linked = linked;
  if (linked) changeCameras([](const CameraState& camera, const std::vector<int>&) { return camera; });
}

void PaneGrid::setDark(bool dark) {
  m_dark = dark;
  for (PaneWidget* pane : m_panes) pane->setDark(dark);
  for (BranchPaneWidget* pane : m_branchPanes) pane->view()->setDark(dark);
}

double PaneGrid::depthRange() const {
  return scalarMaximum(ViewSettings(), niceCeiling(m_shownRanges.depth), m_shownRanges.depth,
                       m_session->scene() ? depthThreshold(*m_session->scene()) : DepthScale().threshold);
}

void PaneGrid::setTextScale(double scale) {
  m_textScale = scale;
  for (PaneWidget* pane : m_panes) {
    pane->view()->setTextScale(scale);
    pane->refreshFont();
  }
  for (BranchPaneWidget* pane : m_branchPanes) pane->view()->setTextScale(scale);
}

/// The one place where a command changes cameras: linked ones as one, others each on its own. `change` gets a
/// camera and the panes that it is for.
void PaneGrid::changeCameras(
    const std::function<CameraState(const CameraState&, const std::vector<int>&)>& change) {
  if (m_panes.empty()) return;
  std::vector<int> panes;
  for (int pane = 0; pane < countOf(m_panes); ++pane) panes.push_back(pane);
  if (!m_linked) {
    for (int pane : panes) setCamera(pane, change(camera(pane), {pane}));
    for (BranchPaneWidget* other : m_branchPanes)
      other->view()->setCameraState(change(other->view()->cameraState(), {m_session->selectedPane()}));
    return;
  }
  const CameraState camera = change(this->camera(m_session->selectedPane()), panes);
  for (int pane : panes) setCamera(pane, camera);
  for (BranchPaneWidget* other : m_branchPanes) other->view()->setCameraState(camera);
}

void PaneGrid::frameAll() {
  changeCameras([this](const CameraState& camera, const std::vector<int>& panes) {
    std::vector<RecordPtr> records;
    for (int pane : panes) records.push_back(m_session->shown(pane));
    return framing(camera, movingPoints(*m_session->scene(), records));
  });
}

void PaneGrid::lookAlong(ViewAxis axis) {
  changeCameras(
      [axis](const CameraState& camera, const std::vector<int>&) { return lookingAlong(camera, axis); });
}

void PaneGrid::showSceneView() {
  changeCameras([this](const CameraState&, const std::vector<int>&) {
    CameraState camera;
    camera.eye = m_session->scene()->view.eye;
    camera.target = m_session->scene()->view.target;
    return camera;
  });
}

void PaneGrid::straightenCamera() {
  changeCameras([](const CameraState& camera, const std::vector<int>&) { return straightened(camera); });
}

LegendContent PaneGrid::legend() const { return legendOf(*m_session, m_settings, m_shownRanges, m_hasSets); }

void PaneGrid::refreshLegend() {
  m_hasSets = m_hasSets || hasContactSets(*m_session);
  if (m_settings.scalarBar) m_legend->setContent(legend());
}

}  // namespace touchstone
