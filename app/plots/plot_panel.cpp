#include "app/plots/plot_panel.h"

#include <QGridLayout>
#include <QHeaderView>
#include <QPainter>
#include <QScrollArea>
#include <QTableWidget>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "app/plots/session_curves.h"
#include "app/session/session.h"
#include "core/math/count.h"
#include "core/math/not_a_number.h"
#include "widgets/palette.h"
#include "widgets/plots/plot_lines.h"
#include "widgets/plots/plot_view.h"
#include "widgets/text/flow_row.h"

namespace touchstone {

namespace {

// [ms] Delay of an update while the run is paused. A larger value makes plots lag behind the cursor; a
// smaller one paints more often while the user drags.
constexpr int kRefreshPaused = 30;
// [ms] Delay of the next tile while the run computes slow frames. A larger value lets the plots lag behind
// them; a smaller one takes time from the views of fast runs.
constexpr int kRefreshRunning = 60;
constexpr int kStandardTiles = 6;

/// Shows a legend of several lines where there is room, and scrolls it elsewhere.
class LegendArea : public QScrollArea {
 public:
  QSize sizeHint() const override { return {0, std::min(widget() ? widget()->height() : 0, 3 * line())}; }
  QSize minimumSizeHint() const override { return {0, std::min(sizeHint().height(), line())}; }

 private:
  int line() const {
    const auto* entry = widget() ? widget()->findChild<QToolButton*>() : nullptr;
    return entry ? entry->height() : 0;
  }
};

/// Legend entries of a pane: one span per name, in order of time.
std::vector<PaneSpan> namesOf(const Session& session, int pane) {
  std::vector<PaneSpan> names;
  for (const PaneSpan& span : session.spans(pane))
    if (std::none_of(names.begin(), names.end(),
                     [&span](const PaneSpan& other) { return other.label == span.label; }))
      names.push_back(span);
  return names;
}

/// Content of the tiles unless the user chose, or the scene has analytic solutions.
std::vector<int> standardQuantities(std::size_t count) {
  std::vector<int> quantities = {
      static_cast<int>(Quantity::NormalForce),   static_cast<int>(Quantity::PenetrationMax),
      static_cast<int>(Quantity::Overlap),       static_cast<int>(Quantity::EnergyDrift),
      static_cast<int>(Quantity::TimeStep),      PlotTile::kConvergence,
      static_cast<int>(Quantity::EnergyKinetic), static_cast<int>(Quantity::Contacts)};
  quantities.resize(count);
  return quantities;
}

}  // namespace

PlotPanel::PlotPanel(Session* session, QWidget* parent)
    : QWidget(parent),
      m_session(session),
      m_legend(new FlowRow),
      m_legendArea(new LegendArea),
      m_scroll(new QScrollArea),
      m_grid(new QGridLayout),
      m_heldSpan{kNaN, kNaN},
      m_between(new QTableWidget) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(4, 2, 4, 4);
  column->setSpacing(2);
  column->addWidget(m_legendArea);
  column->addWidget(m_scroll, 1);
  m_legendArea->setWidget(m_legend);
  m_legendArea->setWidgetResizable(true);
  m_legendArea->setFrameShape(QFrame::NoFrame);
  m_legendArea->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  m_legendArea->setFocusPolicy(Qt::NoFocus);
  m_legendArea->setAccessibleName(tr("Legend"));
  m_legendArea->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Maximum);
  m_legend->installEventFilter(this);
  column->addWidget(m_between);
  m_between->setAccessibleName(tr("Between the markers"));
  m_between->verticalHeader()->hide();
  m_between->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 6);
  m_between->setEditTriggers(QAbstractItemView::NoEditTriggers);
  m_between->setSelectionMode(QAbstractItemView::NoSelection);
  m_between->setFocusPolicy(Qt::NoFocus);
  m_between->hide();
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
  m_suggested = standardQuantities(kStandardTiles);
  for (const int quantity : m_suggested) m_tiles.push_back(makeTile(quantity));
  m_pending.assign(m_tiles.size(), Change::Data);
  arrange();
  rebuildLegend();
  connect(session, &Session::sceneChanged, this, &PlotPanel::onSceneChanged);
  connect(session, &Session::jointSelected, this, [this] { schedule(Change::Data); });
  connect(session, &Session::panesChanged, this, &PlotPanel::rebuildLegend);
  connect(session, &Session::branchesChanged, this, [this] {
    rebuildLegend();
    schedule(Change::Data);
  });
  m_refresh.setSingleShot(true);
  connect(&m_refresh, &QTimer::timeout, this, &PlotPanel::refreshNext);
  connect(session, &Session::framesAdded, this, [this] { schedule(Change::Data); });
  connect(session, &Session::historyChanged, this, [this] { schedule(Change::Data); });
  connect(session, &Session::panesChanged, this, [this] { schedule(Change::Data); });
  connect(session, &Session::referenceChanged, this, [this] { schedule(Change::Data); });
  // The line at the cursor and its values move in all tiles at once; the rest of a tile is painted in turn.
  connect(session, &Session::viewsShown, this, [this] {
    if (!isVisible()) return;
    for (PlotTile* tile : m_tiles)
      if (tile->isVisible() && tile->isOverTime()) tile->refreshCursor();
    schedule(Change::Cursor);
    if (m_session->isRunning()) refreshNext();
  });
  connect(session, &Session::runningChanged, this, [this] { schedule(Change::Data); });
}

PlotTile* PlotPanel::makeTile(int quantity) {
  auto* tile = new PlotTile(m_session, quantity);
  connect(tile, &PlotTile::enlargeRequested, this, [this, tile] { toggleEnlarged(indexOf(tile)); });
  connect(tile, &PlotTile::leastWidthChanged, this, &PlotPanel::fitColumns);
  connect(tile, &PlotTile::readOut, this, &PlotPanel::readOut);
  connect(tile, &PlotTile::pointPicked, this, &PlotPanel::pointPicked);
  connect(tile, &PlotTile::figureRequested, this, [this, tile] { Q_EMIT figureRequested(indexOf(tile)); });
  connect(tile, &PlotTile::optionsChosen, this, &PlotPanel::setOptions);
  connect(tile, &PlotTile::addRequested, this, [this] { setTileCount(countOf(m_tiles) + 1); });
  connect(tile, &PlotTile::removeRequested, this, [this, tile] { removeTile(tile); });
  connect(tile, &PlotTile::markerChosen, this, [this](int marker, double time) {
    if (marker >= 0) return setMarker(marker, frameAt(*m_session, time));
    setMarker(0, -1);
    setMarker(1, -1);
  });
  PlotView* view = tile->view();
  const auto hold = [this, tile](Range span) {
    if (!tile->isOverTime()) return;
    m_heldSpan = span;
    for (PlotTile* other : m_tiles)
      other->view()->setStaged(false);  // an answer to the user waits for nothing
    shareSpan();
  };
  connect(view, &PlotView::spanChosen, this, [hold](double low, double high) { hold({low, high}); });
  connect(view, &PlotView::spanReleased, this, [hold] { hold({kNaN, kNaN}); });
  connect(view, &PlotView::hovered, this, [this, tile](double x) {
    for (PlotTile* other : m_tiles)
      if (other != tile && tile->isOverTime() && other->isOverTime()) other->view()->setHovered(x);
  });
  tile->setOptions(m_options);
  view->setDark(m_dark);
  tile->setProblemMenu(m_problemMenu);
  if (m_ensemble) tile->setEnsemble(m_ensemble);
  for (const QString& label : m_hidden) view->setLabelVisible(label, false);
  return tile;
}

int PlotPanel::indexOf(const PlotTile* tile) const {
  const auto found = std::find(m_tiles.begin(), m_tiles.end(), tile);
  return found == m_tiles.end() ? -1 : static_cast<int>(found - m_tiles.begin());
}

void PlotPanel::setTileCount(int count) {
  const std::size_t wanted = std::clamp(count, 1, kMostTiles);
  if (wanted == m_tiles.size()) return;
  if (m_enlarged >= static_cast<int>(wanted) || wanted > m_tiles.size()) m_enlarged = -1;
  while (m_tiles.size() > wanted) {
    m_tiles.back()->hide();
    m_tiles.back()->deleteLater();
    m_tiles.pop_back();
  }
  const std::vector<int> standard = standardQuantities(kMostTiles);
  while (m_tiles.size() < wanted) {
    int quantity = standard[m_tiles.size()];
    for (const int other : standard)  // one that no tile shows
      if (std::none_of(m_tiles.begin(), m_tiles.end(),
                       [other](const PlotTile* tile) { return tile->quantity() == other; })) {
        quantity = other;
        break;
      }
    m_tiles.push_back(makeTile(quantity));
    m_suggested.push_back(quantity);
  }
  m_suggested.resize(m_tiles.size());
  m_pending.assign(m_tiles.size(), Change::Data);
  endRound();
  shareSpan();
  arrange();
  schedule(Change::Data);
}

// Called from the menu of the tile, which goes when that has closed.
void PlotPanel::removeTile(PlotTile* tile) {
  const int index = indexOf(tile);
  if (index < 0 || m_tiles.size() < 2) return;
  std::rotate(m_tiles.begin() + index, m_tiles.begin() + index + 1, m_tiles.end());
  std::rotate(m_suggested.begin() + index, m_suggested.begin() + index + 1, m_suggested.end());
  m_enlarged = -1;
  setTileCount(countOf(m_tiles) - 1);
}

void PlotPanel::setOptions(const PlotOptions& options) {
  m_options = options;
  for (PlotTile* tile : m_tiles) tile->setOptions(options);
  fillBetween();
}

/// All times of the record. While it grows the end lies at a tick beyond it, so that the axes seldom change.
Range PlotPanel::followedSpan() const {
  if (!m_session->scene()) return {kNaN, kNaN};
  Range span{m_session->timeAt(m_session->firstFrame()), m_session->timeAt(m_session->lastFrame())};
  if (m_ensemble)
    for (const EnsembleMember& member : m_ensemble->ensemble.members)
      if (!member.times.empty()) span.high = std::max(span.high, member.times.back());
  for (int branch : m_session->overlaidBranches())
    for (const History& history : m_session->restingBranch(branch)->histories)
      if (!history.empty()) span.high = std::max(span.high, history.frames().back()->time);
  if (!(span.high > span.low)) return {kNaN, kNaN};
  if (!m_session->isComputing()) return span;
  constexpr double kAhead = 0.02;  // of the span: frames that come while the tiles are painted
  constexpr int kTicks = 8;        // more make the axes change often, fewer leave more of the plots empty
  const std::vector<double> ticks = tickPositions(span, false, kTicks);
  const double step = ticks.size() > 1 ? ticks[1] - ticks[0] : span.high - span.low;
  span.high = step * std::ceil((span.high + kAhead * (span.high - span.low)) / step);
  return span;
}

/// Gives all tiles over time the same times.
void PlotPanel::shareSpan() {
  const bool isHeld = std::isfinite(m_heldSpan.low);
  const Range span = isHeld ? m_heldSpan : followedSpan();
  for (PlotTile* tile : m_tiles)
    if (tile->isOverTime())
      tile->view()->setSpan(span, isHeld);
    else
      tile->view()->setSpan({kNaN, kNaN}, false);
}

void PlotPanel::setMarker(int marker, long frame) {
  m_markers[marker] = frame;
  showMarkers();
  Q_EMIT markersChanged();
}

bool PlotPanel::isRecorded(long frame) const {
  return m_session->scene() && frame >= 0 && frame >= m_session->firstFrame() &&
         frame <= m_session->lastFrame();
}

void PlotPanel::showMarkers() {
  std::vector<PlotMarker> shown;
  for (int marker = 0; marker < 2; ++marker)
    if (isRecorded(m_markers[marker]))
      shown.push_back(
          {QString(QLatin1Char(static_cast<char>('A' + marker))), m_session->timeAt(m_markers[marker])});
  for (PlotTile* tile : m_tiles)
    tile->view()->setMarkers(tile->isOverTime() ? shown : std::vector<PlotMarker>());
  fillBetween();
}

/// One row a pane.
void PlotPanel::fillBetween() {
  const int large = m_tiles.size() == 1 ? 0 : m_enlarged;
  const PlotTile* tile = large >= 0 ? m_tiles[large] : nullptr;
  const bool isShown = tile && tile->isOverTime() && isRecorded(m_markers[0]) && isRecorded(m_markers[1]);
  m_between->setVisible(isShown);
  if (!isShown) return;
  const double a = m_session->timeAt(m_markers[0]), b = m_session->timeAt(m_markers[1]);
  const ShownUnit unit = tile->view()->shownUnitOfY();
  const auto text = [&unit](double value) { return shortNumber(value / unit.size); };
  const QString pane = unit.text.isEmpty() ? tr("pane") : tr("pane, values in %1").arg(unit.text);
  m_between->setColumnCount(6);
  m_between->setHorizontalHeaderLabels({pane, tr("A: %1 s").arg(shortNumber(a)),
                                        tr("B: %1 s").arg(shortNumber(b)), tr("B − A"), tr("mean"),
                                        tr("min … max")});
  m_between->setRowCount(0);
  for (const Curve& curve : tile->paneCurves()) {
    const SpanNumbers numbers = numbersBetween(curve, a, b);
    if (std::isnan(numbers.mean)) continue;
    const int row = m_between->rowCount();
    m_between->insertRow(row);
    const QStringList cells{
        curve.label,        text(numbers.atA),
        text(numbers.atB),  text(numbers.atB - numbers.atA),
        text(numbers.mean), tr("%1 … %2").arg(text(numbers.least), text(numbers.largest))};
    for (int cell = 0; cell < cells.size(); ++cell) {
      m_between->setItem(row, cell, new QTableWidgetItem(cells[cell]));
      if (cell > 0) m_between->item(row, cell)->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
    }
  }
  m_between->resizeColumnsToContents();
  const int rows = std::max(1, m_between->rowCount()) * m_between->verticalHeader()->defaultSectionSize();
  m_between->setMaximumHeight(m_between->horizontalHeader()->sizeHint().height() + rows + 4);
  m_between->setMinimumHeight(std::min(m_between->maximumHeight(), 3 * fontMetrics().height()));
}

/// For a scene with analytic solutions, shows their quantities in tiles that the user has not set.
void PlotPanel::suggestQuantities() {
  std::vector<int> wanted = standardQuantities(m_tiles.size());
  // From the last quantity before convergence, which stays, backwards.
  std::size_t next = std::min<std::size_t>(kStandardTiles - 1, wanted.size()) - 1;
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
  m_heldSpan = {kNaN, kNaN};
  for (const int marker : {0, 1}) setMarker(marker, -1);
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
  shareSpan();
  rebuildLegend();
}

/// One legend for all tiles: a click hides the curves of one name everywhere.
void PlotPanel::rebuildLegend() {
  std::vector<Curve> curves;
  QStringList labels;
  for (int pane = 0; pane < m_session->paneCount(); ++pane)
    for (const PaneSpan& span : namesOf(*m_session, pane)) styleCurve(curves.emplace_back(), span);
  if (m_ensemble)
    for (std::size_t pane = 0; pane < m_ensemble->ensemble.members.size(); ++pane)
      styleBand(curves.emplace_back(), *m_ensemble, pane);
  const std::vector<int> overlaid = m_session->overlaidBranches();
  for (const Curve& curve : curves) labels << curve.label;
  for (int branch : overlaid) labels << overlaidLabels(*m_session, branch);
  if (labels == m_legendLabels) return;
  m_legendLabels = labels;
  m_legend->clear();
  for (const Curve& curve : curves) addLegendEntry(curve, {curve.label});
  for (int branch : overlaid)
    addLegendEntry(overlaidName(*m_session, branch), overlaidLabels(*m_session, branch));
}

void PlotPanel::addLegendEntry(const Curve& curve, const QStringList& labels) {
  PlotState ground;
  ground.dark = m_dark;
  // The dashes of branches are long.
  const QSize size(curve.dash > Qt::CustomDashLine ? 52 : 26, 12);
  QPixmap sample(size * devicePixelRatioF());
  sample.setDevicePixelRatio(devicePixelRatioF());
  sample.fill(Qt::transparent);
  QPainter painter(&sample);
  painter.setRenderHint(QPainter::Antialiasing);
  paintSample(painter, ground, curve, QPointF(0, 6), size.width());
  painter.end();
  auto* entry = new QToolButton;
  entry->setIcon(QIcon(sample));
  entry->setIconSize(size);
  entry->setText(curve.label);
  entry->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  entry->setAutoRaise(true);
  entry->setCheckable(true);
  entry->setChecked(labels.isEmpty() || !m_hidden.contains(labels.front()));
  entry->setFocusPolicy(Qt::NoFocus);
  entry->setToolTip(tr("Show or hide the curves of %1").arg(curve.label));
  connect(entry, &QToolButton::toggled, this, [this, labels](bool shown) {
    for (const QString& label : labels) {
      if (shown) {
        m_hidden.remove(label);
      } else {
        m_hidden.insert(label);
      }
      for (PlotTile* tile : m_tiles) tile->view()->setLabelVisible(label, shown);
    }
  });
  m_legend->add(entry);
}

void PlotPanel::schedule(Change change) {
  for (Change& pending : m_pending) pending = std::max(pending, change);
  // While frames arrive, tiles are updated when the views have been.
  if (!m_refresh.isActive() && !m_session->isRunning()) m_refresh.start(kRefreshPaused);
}

void PlotPanel::refreshTile(std::size_t tile) {
  if (m_pending[tile] == Change::Data) m_tiles[tile]->refreshData(m_until);
  m_tiles[tile]->refreshCursor();
  // In this turn of the event loop, not in the one that composes the window.
  m_tiles[tile]->view()->prepare();
  // Frames that came since the round began are for the next one, also if the run has paused.
  const bool isBehind = m_session->scene() && m_session->timeAt(m_session->lastFrame()) > m_until;
  m_pending[tile] = isBehind ? Change::Data : Change::None;
}

/// From now on tiles prepare what they show, up to one time and over the same times.
void PlotPanel::beginRound() {
  m_until = m_session->scene() ? m_session->timeAt(m_session->lastFrame()) : 0;
  for (std::size_t tile = 0; tile < m_tiles.size(); ++tile) {
    if (m_pending[tile] == Change::None || !m_tiles[tile]->isVisible()) continue;
    m_round.push_back(m_tiles[tile]);
    m_tiles[tile]->view()->setStaged(true);
  }
  shareSpan();
}

void PlotPanel::endRound() {
  m_round.clear();
  for (PlotTile* tile : m_tiles) tile->view()->setStaged(false);
  showMarkers();
}

// One tile per turn of the event loop: a plot takes milliseconds, and six in a row would be noticeable. They
// show what they prepared together, so that none ends at another time.
void PlotPanel::refreshNext() {
  if (!isVisible()) return;  // showEvent() updates later
  if (m_round.empty()) beginRound();
  if (m_round.empty()) return;
  const int tile = indexOf(m_round.front());
  m_round.erase(m_round.begin());
  if (tile >= 0) refreshTile(tile);
  if (m_round.empty()) endRound();
  const bool isLeft =
      !m_round.empty() ||
      (!m_session->isRunning() && std::any_of(m_tiles.begin(), m_tiles.end(), [this](const PlotTile* shown) {
        return shown->isVisible() && m_pending[indexOf(shown)] != Change::None;
      }));
  if (isLeft) m_refresh.start(m_session->isRunning() ? kRefreshRunning : 0);
}

void PlotPanel::refreshNow() {
  m_refresh.stop();
  if (!isVisible()) return;
  endRound();
  m_until = m_session->scene() ? m_session->timeAt(m_session->lastFrame()) : 0;
  shareSpan();
  for (std::size_t tile = 0; tile < m_tiles.size(); ++tile)
    if (m_tiles[tile]->isVisible()) refreshTile(tile);
  showMarkers();
}

void PlotPanel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  schedule(Change::Data);
}

void PlotPanel::setDark(bool dark) {
  m_dark = dark;
  for (PlotTile* tile : m_tiles) tile->setDark(dark);
  m_legendLabels.clear();
  rebuildLegend();
}

QStringList PlotPanel::keys() const {
  QStringList keys;
  for (const PlotTile* tile : m_tiles) keys << tile->key();
  return keys;
}

void PlotPanel::setKeys(const QStringList& keys) {
  const int count = std::min(countOf(keys), kMostTiles);
  if (count > 0) setTileCount(count);
  for (int tile = 0; tile < count; ++tile) m_tiles[tile]->setKey(keys[tile]);
  schedule(Change::Data);
}

void PlotPanel::setProblemMenu(QMenu* menu) {
  m_problemMenu = menu;
  for (PlotTile* tile : m_tiles) tile->setProblemMenu(menu);
}

void PlotPanel::toggleEnlarged(int tile) {
  m_enlarged = tile == m_enlarged ? -1 : tile;
  arrange();
  fillBetween();
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
  // The large plot changes, not one that is hidden behind it.
  const int tile = with == m_tiles.end() ? std::max(0, m_enlarged) : static_cast<int>(with - m_tiles.begin());
  m_tiles[tile]->setQuantity(wanted);
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
  if (watched == m_legend && event->type() == QEvent::Resize) m_legendArea->updateGeometry();
  if (watched == m_scroll->viewport() && event->type() == QEvent::Resize)
    QTimer::singleShot(0, this, &PlotPanel::fitColumns);  // after the layout that is going on
  return QWidget::eventFilter(watched, event);
}

void PlotPanel::arrange() {
  m_columns = fittingColumns();
  while (m_grid->count() > 0) delete m_grid->takeAt(0);
  for (int row = 0; row < m_grid->rowCount(); ++row) m_grid->setRowStretch(row, 0);
  for (int tile = 0; tile < countOf(m_tiles); ++tile) {
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
