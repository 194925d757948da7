#include "app/plots/plot_panel.h"

#include <QGridLayout>
#include <QPainter>
#include <QScrollArea>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "app/plots/session_curves.h"
#include "app/session/session.h"
#include "widgets/palette.h"
#include "widgets/plots/plot_view.h"
#include "widgets/text/flow_row.h"

namespace touchstone {

namespace {

// [ms] Delay of an update while the run is paused. A larger value makes plots lag behind the cursor; a
// smaller one paints more often while the user drags.
constexpr int kRefreshPaused = 30;
/// Legend entries of a pane: one span per name, in order of time.
std::vector<PaneSpan> namesOf(const Session& session, int pane) {
  std::vector<PaneSpan> names;
  for (const PaneSpan& span : session.spans(pane))
    if (std::none_of(names.begin(), names.end(),
                     [&span](const PaneSpan& other) { return other.label == span.label; }))
      names.push_back(span);
  return names;
}

std::vector<int> standardQuantities() {
  return {static_cast<int>(Quantity::NormalForce), static_cast<int>(Quantity::PenetrationMax),
          static_cast<int>(Quantity::Overlap),     static_cast<int>(Quantity::EnergyDrift),
          static_cast<int>(Quantity::TimeStep),    PlotTile::kConvergence};
}

}  // namespace

PlotPanel::PlotPanel(Session* session, QWidget* parent)
    : QWidget(parent),
      m_session(session),
      m_legend(new FlowRow),
      m_scroll(new QScrollArea),
      m_grid(new QGridLayout) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(4, 2, 4, 4);
  column->setSpacing(2);
  column->addWidget(m_legend);
  column->addWidget(m_scroll, 1);
  auto* area = new QWidget;
  area->setLayout(m_grid);
  m_scroll->setWidget(area);
  m_scroll->setWidgetResizable(true);
  m_scroll->setFrameShape(QFrame::NoFrame);
  m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  m_scroll->viewport()->installEventFilter(this);
  m_scroll->setFocusPolicy(Qt::NoFocus);  // arrows belong to the transport
  m_scroll->setAccessibleName(tr("Plots"));
  m_grid->setContentsMargins(0, 0, 0, 0);
  m_grid->setSpacing(4);
  m_suggested = standardQuantities();
  for (std::size_t tile = 0; tile < m_suggested.size(); ++tile) {
    m_tiles.push_back(new PlotTile(session, m_suggested[tile]));
    connect(m_tiles.back(), &PlotTile::enlargeRequested, this,
            [this, tile] { toggleEnlarged(static_cast<int>(tile)); });
    connect(m_tiles.back(), &PlotTile::leastWidthChanged, this, &PlotPanel::fitColumns);
    connect(m_tiles.back(), &PlotTile::readOut, this, &PlotPanel::readOut);
    connect(m_tiles.back(), &PlotTile::pointPicked, this, &PlotPanel::pointPicked);
    connect(m_tiles.back(), &PlotTile::figureRequested, this,
            [this, tile] { Q_EMIT figureRequested(static_cast<int>(tile)); });
  }
  m_pending.assign(m_tiles.size(), Change::Data);
  arrange();
  rebuildLegend();
  connect(session, &Session::sceneChanged, this, &PlotPanel::onSceneChanged);
  connect(session, &Session::jointSelected, this, [this] { schedule(Change::Data); });
  connect(session, &Session::panesChanged, this, &PlotPanel::rebuildLegend);
  m_refresh.setSingleShot(true);
  connect(&m_refresh, &QTimer::timeout, this, &PlotPanel::refreshNext);
  connect(session, &Session::framesAdded, this, [this] { schedule(Change::Data); });
  connect(session, &Session::historyChanged, this, [this] { schedule(Change::Data); });
  connect(session, &Session::panesChanged, this, [this] { schedule(Change::Data); });
  connect(session, &Session::viewsShown, this, [this] {
    schedule(Change::Cursor);
    if (m_session->isRunning()) refreshNext();
  });
  connect(session, &Session::runningChanged, this, [this] { schedule(Change::Cursor); });
}

/// For a scene with analytic solutions, shows their quantities in tiles that the user has not set.
void PlotPanel::suggestQuantities() {
  std::vector<int> wanted = standardQuantities();
  std::size_t next = wanted.size() - 2;  // from the last quantity backwards; convergence stays
  for (const AnalyticCurve& curve : m_session->scene()->analytic) {
    const QuantityInfo* info = findQuantity(curve.quantity);
    if (!info || next == 0) continue;
    const int quantity = static_cast<int>(info->quantity);
    if (std::count(wanted.begin(), wanted.end(), quantity) == 0) wanted[next--] = quantity;
  }
  for (std::size_t tile = 0; tile < m_tiles.size(); ++tile)
    if (m_tiles[tile]->quantity() == m_suggested[tile] && wanted[tile] != m_suggested[tile])
      m_tiles[tile]->setQuantity(wanted[tile]);
  m_suggested = wanted;
}

// Zoom and hidden curves belong to the old scene's data.
void PlotPanel::onSceneChanged() {
  setEnsemble(nullptr);
  suggestQuantities();
  m_hidden.clear();
  m_legendLabels.clear();
  for (PlotTile* tile : m_tiles) {
    tile->view()->resetZoom();
    tile->view()->showAllCurves();
  }
}

void PlotPanel::setEnsemble(const ShownEnsemblePtr& ensemble) {
  m_ensemble = ensemble;
  for (PlotTile* tile : m_tiles) tile->setEnsemble(ensemble);
}

/// One legend for all tiles: a click hides the curves of one name everywhere.
void PlotPanel::rebuildLegend() {
  QStringList labels;
  for (int pane = 0; pane < m_session->paneCount(); ++pane)
    for (const PaneSpan& span : namesOf(*m_session, pane)) labels << span.label;
  if (labels == m_legendLabels) return;
  m_legendLabels = labels;
  m_legend->clear();
  for (int pane = 0; pane < m_session->paneCount(); ++pane)
    for (const PaneSpan& span : namesOf(*m_session, pane)) addLegendEntry(span);
}

void PlotPanel::addLegendEntry(const PaneSpan& span) {
  Curve curve;
  styleCurve(curve, span);
  QPixmap sample(26, 12);
  sample.fill(Qt::transparent);
  QPainter painter(&sample);
  painter.setPen(QPen(legibleOn(curve.colour, palette().color(QPalette::Window)), 3,
                      static_cast<Qt::PenStyle>(curve.dash)));
  painter.drawLine(0, 6, 26, 6);
  painter.end();
  auto* entry = new QToolButton;
  entry->setIcon(QIcon(sample));
  entry->setIconSize(sample.size());
  entry->setText(curve.label);
  entry->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  entry->setAutoRaise(true);
  entry->setCheckable(true);
  entry->setChecked(!m_hidden.contains(curve.label));
  entry->setFocusPolicy(Qt::NoFocus);
  entry->setToolTip(tr("Show or hide the curves of %1").arg(curve.label));
  connect(entry, &QToolButton::toggled, this, [this, label = curve.label](bool shown) {
    if (shown) {
      m_hidden.remove(label);
    } else {
      m_hidden.insert(label);
    }
    for (PlotTile* tile : m_tiles) tile->view()->setLabelVisible(label, shown);
  });
  m_legend->add(entry);
}

void PlotPanel::schedule(Change change) {
  for (Change& pending : m_pending) pending = std::max(pending, change);
  // While frames arrive, tiles are updated when the views have been.
  if (!m_refresh.isActive() && !m_session->isRunning()) m_refresh.start(kRefreshPaused);
}

void PlotPanel::refreshTile(std::size_t tile) {
  if (m_pending[tile] == Change::Data) m_tiles[tile]->refreshData();
  m_tiles[tile]->refreshCursor();
  // In this turn of the event loop, not in the one that composes the window.
  m_tiles[tile]->view()->prepare();
  m_pending[tile] = Change::None;
}

// One tile per turn of the event loop: a plot takes milliseconds, and six in a row would be noticeable.
void PlotPanel::refreshNext() {
  if (!isVisible()) return;  // showEvent() updates later
  for (std::size_t offset = 0; offset < m_tiles.size(); ++offset) {
    const std::size_t tile = (m_next + offset) % m_tiles.size();
    if (m_pending[tile] == Change::None || !m_tiles[tile]->isVisible()) continue;
    refreshTile(tile);
    m_next = tile + 1;
    if (!m_session->isRunning()) m_refresh.start(0);
    return;
  }
}

void PlotPanel::refreshNow() {
  m_refresh.stop();
  if (!isVisible()) return;
  for (std::size_t tile = 0; tile < m_tiles.size(); ++tile)
    if (m_pending[tile] != Change::None && m_tiles[tile]->isVisible()) refreshTile(tile);
}

void PlotPanel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  schedule(Change::Data);
}

void PlotPanel::setDark(bool dark) {
  for (PlotTile* tile : m_tiles) tile->setDark(dark);
}

QStringList PlotPanel::keys() const {
  QStringList keys;
  for (const PlotTile* tile : m_tiles) keys << tile->key();
  return keys;
}

void PlotPanel::setKeys(const QStringList& keys) {
  for (int tile = 0; tile < std::min(keys.size(), static_cast<int>(m_tiles.size())); ++tile)
    m_tiles[tile]->setKey(keys[tile]);
  schedule(Change::Data);
}

void PlotPanel::setProblemMenu(QMenu* menu) {
  for (PlotTile* tile : m_tiles) tile->setProblemMenu(menu);
}

void PlotPanel::toggleEnlarged(int tile) {
  m_enlarged = tile == m_enlarged ? -1 : tile;
  arrange();
  schedule(Change::Data);
}

void PlotPanel::showLarge(Quantity quantity) {
  const int wanted = static_cast<int>(quantity);
  if (quantity == Quantity::Count) {
    if (m_enlarged >= 0) toggleEnlarged(-1);
    return;
  }
  const auto with = std::find_if(m_tiles.begin(), m_tiles.end(),
                                 [wanted](const PlotTile* tile) { return tile->quantity() == wanted; });
  const int tile = with == m_tiles.end() ? 0 : static_cast<int>(with - m_tiles.begin());
  m_tiles[static_cast<std::size_t>(tile)]->setQuantity(wanted);
  if (m_enlarged != tile) toggleEnlarged(tile);
}

/// Two columns where the names of all quantities have room.
int PlotPanel::fittingColumns() const {
  int widest = 0;
  for (const PlotTile* tile : m_tiles) widest = std::max(widest, tile->leastWidth());
  return m_enlarged < 0 && m_scroll->viewport()->width() >= 2 * widest + m_grid->spacing() ? 2 : 1;
}

void PlotPanel::fitColumns() {
  if (m_columns > 0 && fittingColumns() != m_columns) arrange();
}

bool PlotPanel::eventFilter(QObject* watched, QEvent* event) {
  if (watched == m_scroll->viewport() && event->type() == QEvent::Resize)
    QTimer::singleShot(0, this, &PlotPanel::fitColumns);  // after the layout that is going on
  return QWidget::eventFilter(watched, event);
}

void PlotPanel::arrange() {
  m_columns = fittingColumns();
  while (m_grid->count() > 0) delete m_grid->takeAt(0);
  for (int row = 0; row < m_grid->rowCount(); ++row) m_grid->setRowStretch(row, 0);
  for (int tile = 0; tile < static_cast<int>(m_tiles.size()); ++tile) {
    const bool shown = m_enlarged < 0 || m_enlarged == tile;
    if (shown) {
      const int row = m_enlarged < 0 ? tile / m_columns : 0;
      m_grid->addWidget(m_tiles[tile], row, m_enlarged < 0 ? tile % m_columns : 0);
      m_grid->setRowStretch(row, 1);
    } else {
      m_tiles[tile]->setParent(m_scroll->widget());
    }
    m_tiles[tile]->setVisible(shown);
  }
  m_grid->setColumnStretch(0, 1);
  m_grid->setColumnStretch(1, m_columns - 1);
  m_scroll->setMinimumHeight(m_tiles.front()->minimumSizeHint().height());
}

}  // namespace touchstone
