#include "app/pane_grid.h"

#include <QGridLayout>
#include <QLabel>
#include <algorithm>

#include "app/pane_widget.h"
#include "app/session.h"
#include "widgets/views/scalar_scaling.h"
#include "widgets/views/scene_view.h"

namespace touchstone {

int gridColumns(int panes) { return panes <= 1 ? 1 : panes <= 4 ? 2 : 3; }

PaneGrid::PaneGrid(Session* session, QWidget* parent)
    : QWidget(parent), m_session(session), m_grid(new QGridLayout(this)), m_empty(new QLabel) {
  m_grid->setContentsMargins(4, 4, 4, 4);
  m_grid->setSpacing(4);
  m_empty->setAlignment(Qt::AlignCenter);
  m_empty->setWordWrap(true);
  m_empty->setText(
      tr("<h3>No scene is open</h3><p>Choose one in the gallery, press Ctrl+O, or drop a scene file "
         "here.</p>"));
  m_grid->addWidget(m_empty, 0, 0);
  connect(session, &Session::sceneChanged, this, &PaneGrid::rebuild);
  connect(session, &Session::panesChanged, this, &PaneGrid::refreshSettings);
  connect(session, &Session::historyChanged, this, &PaneGrid::resetRanges);
  connect(session, &Session::cursorMoved, this, &PaneGrid::refreshRecords);
  connect(session, &Session::selectionChanged, this, [this] {
    for (std::size_t pane = 0; pane < m_panes.size(); ++pane)
      m_panes[pane]->setSelected(static_cast<int>(pane) == m_session->selectedPane());
  });
}

void PaneGrid::addPaneWidget(int index) {
  auto* pane = new PaneWidget(m_session, index);
  SceneView* view = pane->view();
  view->setSettings(m_settings);
  view->setDark(m_dark);
  if (!m_panes.empty()) view->setCameraState(m_panes.front()->view()->cameraState());
  connect(view, &SceneView::cameraChanged, this,
          [this, index](const CameraState& camera) { follow(index, camera); });
  connect(pane, &PaneWidget::enlargeRequested, this, [this, index] { toggleEnlarged(index); });
  connect(pane, &PaneWidget::imageRequested, this, [this, index] { Q_EMIT imageRequested(index); });
  connect(view, &SceneView::contactPicked, this, [this, index](int contact) {
    m_session->selectPane(index);
    markContact(index, contact);
    Q_EMIT contactPicked(contact);
  });
  m_panes.push_back(pane);
}

void PaneGrid::markContact(int marked, int contact) {
  for (int pane = 0; pane < static_cast<int>(m_panes.size()); ++pane)
    m_panes[pane]->view()->setPickedContact(pane == marked ? contact : -1);
}

void PaneGrid::rebuild() {
  for (PaneWidget* pane : m_panes) {
    pane->hide();
    pane->deleteLater();  // a menu or combo box of the pane may be what asked for this
  }
  m_panes.clear();
  m_enlarged = -1;
  m_builtFor = m_session->scene();
  for (int pane = 0; pane < m_session->paneCount(); ++pane) addPaneWidget(pane);
  if (!m_panes.empty()) {
    m_panes.front()->setSelected(m_session->selectedPane() == 0);
    if (m_panes.size() > 1)
      for (PaneWidget* pane : m_panes) pane->view()->setCameraState(m_panes.front()->view()->cameraState());
  }
  arrange();
}

void PaneGrid::refreshSettings() {
  if (m_builtFor != m_session->scene()) {
    rebuild();
    return;
  }
  const int count = m_session->paneCount();
  if (count != static_cast<int>(m_panes.size())) {
    const bool hadPanes = !m_panes.empty();
    const CameraState camera = hadPanes ? m_panes.front()->view()->cameraState() : CameraState();
    rebuild();
    if (hadPanes)
      for (PaneWidget* pane : m_panes) pane->view()->setCameraState(camera);
    return;
  }
  for (PaneWidget* pane : m_panes) pane->refreshSettings();
}

void PaneGrid::arrange() {
  while (m_grid->count() > 0) delete m_grid->takeAt(0);
  for (int line = 0; line < 3; ++line) {
    m_grid->setRowStretch(line, 0);
    m_grid->setColumnStretch(line, 0);
  }
  m_empty->setVisible(m_panes.empty());
  if (m_panes.empty()) {
    if (m_session->scene())
      m_empty->setText(tr("<h3>No method can run this scene</h3><p>The message above says why.</p>"));
    m_grid->addWidget(m_empty, 0, 0);
    return;
  }
  const int columns = gridColumns(static_cast<int>(m_panes.size()));
  for (int pane = 0; pane < static_cast<int>(m_panes.size()); ++pane) {
    const bool shown = m_enlarged < 0 || m_enlarged == pane;
    const int row = m_enlarged < 0 ? pane / columns : 0, column = m_enlarged < 0 ? pane % columns : 0;
    if (shown) {
      m_grid->addWidget(m_panes[pane], row, column);
      m_grid->setRowStretch(row, 1);
      m_grid->setColumnStretch(column, 1);
    } else {
      m_panes[pane]->setParent(this);
    }
    m_panes[pane]->setVisible(shown);
  }
}

void PaneGrid::toggleEnlarged(int pane) {
  if (pane >= static_cast<int>(m_panes.size())) return;
  m_enlarged = pane == m_enlarged ? -1 : pane;
  if (m_enlarged >= 0) m_session->selectPane(m_enlarged);
  arrange();
}

void PaneGrid::refreshRecords() {
  refreshRanges();
  for (PaneWidget* pane : m_panes) {
    pane->view()->setPickedContact(-1);  // numbers of contacts mean something in one record only
    pane->refreshRecord();
  }
}

void PaneGrid::resetRanges() { m_deepest = m_largestForce = 0; }

// One scale for all panes. It grows at once and shrinks slowly: one deep impact must not leave all later
// frames dark.
void PaneGrid::refreshRanges() {
  const double deepestBefore = niceCeiling(m_deepest), forceBefore = niceCeiling(m_largestForce);
  constexpr double kShrink = 0.97;  // per refresh
  m_deepest *= kShrink;
  m_largestForce *= kShrink;
  for (int pane = 0; pane < static_cast<int>(m_panes.size()); ++pane) {
    const RecordPtr record = m_session->shown(pane);
    if (!record) continue;
    m_deepest = std::max(m_deepest, deepestOverlap(*record));
    m_largestForce = std::max(m_largestForce, largestForce(*record));
  }
  const double deepest = niceCeiling(m_deepest), force = niceCeiling(m_largestForce);
  if (deepest == deepestBefore && force == forceBefore) return;
  for (PaneWidget* pane : m_panes) {
    pane->view()->setScalarRange(deepest);
    pane->view()->setForceRange(force);
  }
}

void PaneGrid::follow(int source, const CameraState& camera) {
  m_session->selectPane(source);
  if (!m_linked) return;
  for (int pane = 0; pane < static_cast<int>(m_panes.size()); ++pane)
    if (pane != source) m_panes[pane]->view()->setCameraState(camera);
}

void PaneGrid::setViewSettings(const ViewSettings& settings) {
  m_settings = settings;
  for (PaneWidget* pane : m_panes) pane->view()->setSettings(settings);
}

void PaneGrid::setCamerasLinked(bool linked) {
  m_linked = linked;
  const int source = m_session->selectedPane();
  if (linked && source < static_cast<int>(m_panes.size()))
    follow(source, m_panes[source]->view()->cameraState());
}

void PaneGrid::setDark(bool dark) {
  m_dark = dark;
  for (PaneWidget* pane : m_panes) pane->view()->setDark(dark);
}

void PaneGrid::frameAll() {
  for (PaneWidget* pane : m_panes) pane->view()->frameAll();
  if (m_linked && !m_panes.empty())
    follow(m_session->selectedPane(), m_panes[m_session->selectedPane()]->view()->cameraState());
}

void PaneGrid::lookAlong(ViewAxis axis) {
  for (PaneWidget* pane : m_panes) pane->view()->lookAlong(axis);
  if (m_linked && !m_panes.empty())
    follow(m_session->selectedPane(), m_panes[m_session->selectedPane()]->view()->cameraState());
}

}  // namespace touchstone
