#include "app/panels/plot_panel.h"

#include <QClipboard>
#include <QComboBox>
#include <QGridLayout>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QMenu>
#include <QPainter>
#include <QSignalBlocker>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "app/session/session.h"
#include "widgets/palette.h"
#include "widgets/plots/plot_view.h"
#include "widgets/text/qt_text.h"

namespace touchstone {

namespace {

// [ms] Delay of an update while the run is paused. A larger value makes plots lag behind the cursor; a
// smaller one paints more often while the user drags.
constexpr int kRefreshPaused = 30;
// m/s: zero is drawn here on the logarithmic axis. A larger value hides small residuals; a smaller one
// squeezes the visible range.
constexpr double kResidualFloor = 1e-16;

QString axisTitle(const QuantityInfo& info) {
  const QString name = info.symbol.empty() ? qtText(info.label) : qtText(info.symbol);
  return info.unit.empty() ? name : QStringLiteral("%1 [%2]").arg(name, qtText(info.unit));
}

/// Takes the label from the span: a curve keeps the name and colour of the method that computed it.
void style(Curve& curve, const PaneSpan& span) {
  curve.label = span.label;
  curve.colour = methodColour(span.method);
  curve.dash = methodDash(span.method);
  if (span.variant == 0) return;
  // A second pane of the same method has the same hue and another lightness and dash.
  curve.colour = span.variant % 2 ? curve.colour.darker(150) : curve.colour.lighter(135);
  curve.dash = 1 + (curve.dash + span.variant) % 5;
}

/// Legend entries of a pane: one span per name, in order of time.
std::vector<PaneSpan> namesOf(const Session& session, int pane) {
  std::vector<PaneSpan> names;
  for (const PaneSpan& span : session.spans(pane))
    if (std::none_of(names.begin(), names.end(),
                     [&span](const PaneSpan& other) { return other.label == span.label; }))
      names.push_back(span);
  return names;
}

std::vector<Curve> curvesOfPane(const Session& session, int pane,
                                const std::function<double(const StepRecord&)>& valueOf) {
  const std::vector<PaneSpan>& spans = session.spans(pane);
  const auto nameOf = [&spans, at = std::size_t(0)](long frame) mutable {
    while (at + 1 < spans.size() && spans[at + 1].first <= frame) ++at;
    return spans[at].label;
  };
  std::vector<Curve> curves = valueCurves(session.histories()[pane].frames(), valueOf, nameOf);
  for (Curve& curve : curves)
    for (const PaneSpan& span : spans) {
      if (span.label != curve.label) continue;
      style(curve, span);
      if (!span.change.isEmpty() && span.first <= session.lastFrame())
        curve.marks.push_back(session.timeAt(span.first));
    }
  for (Curve& curve : curves) {
    for (long fork : session.forks())
      if (session.spanAt(pane, fork + 1).label == curve.label) curve.marks.push_back(session.timeAt(fork));
    std::sort(curve.marks.begin(), curve.marks.end());
  }
  return curves;
}

/// @param panes  out: pane of each curve; analytic curves follow after them
std::vector<Curve> curvesOf(const Session& session, Quantity quantity, std::vector<int>& panes) {
  std::vector<Curve> curves;
  panes.clear();
  for (int pane = 0; pane < session.paneCount(); ++pane)
    for (Curve& curve : curvesOfPane(
             session, pane, [quantity](const StepRecord& record) { return record.quantities[quantity]; })) {
      curves.push_back(std::move(curve));
      panes.push_back(pane);
    }
  if (!session.scene() || curves.empty()) return curves;
  for (const AnalyticCurve& analytic : session.scene()->analytic)
    if (analytic.quantity == quantityInfo(quantity).key)
      curves.push_back(analyticCurve(session.histories()[0].frames(), analytic));
  return curves;
}

std::vector<Curve> convergenceCurves(const Session& session, const ConvergenceLevels& levels) {
  std::vector<Curve> curves;
  for (int pane = 0; pane < session.paneCount(); ++pane) {
    const RecordPtr record = session.shown(pane);
    if (!record || record->iterations.empty()) continue;
    curves.push_back(convergenceCurve(*record, kResidualFloor));
    style(curves.back(), session.spanAt(pane, record->frame));
    const QString method = curves.back().label;
    for (Curve& level : levelCurves(*record, levels, kResidualFloor)) {
      const int dash = level.dash;
      const QString label = level.label;
      style(level, session.spanAt(pane, record->frame));
      level.dash = dash;
      level.label = method + QStringLiteral(": ") + label;
      level.colour = level.colour.lighter(135);
      curves.push_back(std::move(level));
    }
  }
  for (const Resolved& again : session.resolvedAtCursor()) {
    const PaneSpan& span = session.spanAt(session.indexOf(again.pane), again.frame);
    StepRecord record;
    record.iterations = again.result.iterations;
    curves.push_back(convergenceCurve(record, kResidualFloor));
    style(curves.back(), span);
    curves.back().label = PlotTile::tr("%1 again with %2").arg(span.method.toUpper(), qtText(again.solver));
    curves.back().colour = curves.back().colour.darker(100 + 40 * static_cast<int>(curves.size()));
    curves.back().dash = Qt::DotLine;
    curves.back().ownLegend = true;
  }
  return curves;
}

/// What a tile shows of a joint.
struct JointPlot {
  int id;
  const char *key, *label, *title, *help;
  double (*valueOf)(const JointState&);
};
const JointPlot kJointPlots[] = {
    {PlotTile::kJointCoordinate, "joint_coordinate", "Joint: coordinate", "θ [rad], s [m]",
     "Twist with its turns, or slide, of the joint chosen in the table of joints",
     [](const JointState& joint) { return joint.coordinate; }},
    {PlotTile::kJointForce, "joint_force", "Joint: force", "|λ| [N]",
     "Size of the force of all rows of the chosen joint, mean over the frame",
     [](const JointState& joint) { return joint.force.norm(); }},
    {PlotTile::kJointTorque, "joint_torque", "Joint: torque", "|λ| [N·m]",
     "Size of the torque of all rows of the chosen joint, mean over the frame",
     [](const JointState& joint) { return joint.torque.norm(); }},
    {PlotTile::kJointDrive, "joint_drive", "Joint: force of the drive", "λ [N, N·m]",
     "Of the chosen joint, along its coordinate, mean over the frame",
     [](const JointState& joint) { return joint.drive; }},
    {PlotTile::kJointError, "joint_apart", "Joint: error", "|c| [m, rad]",
     "The larger of its errors, in metres and in radians, of the chosen joint",
     [](const JointState& joint) { return std::max(joint.error, joint.angle); }}};

const JointPlot* jointPlotOf(int id) {
  for (const JointPlot& plot : kJointPlots)
    if (plot.id == id) return &plot;
  return nullptr;
}

/// @param panes  out: pane of each curve
std::vector<Curve> jointCurves(const Session& session, const JointPlot& plot, std::vector<int>& panes) {
  std::vector<Curve> curves;
  panes.clear();
  const std::size_t joint = static_cast<std::size_t>(session.selectedJoint());
  for (int pane = 0; pane < session.paneCount(); ++pane)
    for (Curve& curve : curvesOfPane(session, pane, [&](const StepRecord& record) {
           return joint < record.joints.size() ? plot.valueOf(record.joints[joint])
                                               : std::numeric_limits<double>::quiet_NaN();
         })) {
      curves.push_back(std::move(curve));
      panes.push_back(pane);
    }
  return curves;
}

double solverTolerance(const Session& session) {
  for (int pane = 0; pane < session.paneCount(); ++pane) {
    const RecordPtr record = session.shown(pane);
    if (record && !record->iterations.empty() && record->solverTolerance > 0) return record->solverTolerance;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

std::vector<int> standardQuantities() {
  return {static_cast<int>(Quantity::NormalForce), static_cast<int>(Quantity::PenetrationMax),
          static_cast<int>(Quantity::Overlap),     static_cast<int>(Quantity::EnergyDrift),
          static_cast<int>(Quantity::TimeStep),    PlotTile::kConvergence};
}

}  // namespace

PlotTile::PlotTile(Session* session, int quantity, QWidget* parent)
    : QWidget(parent),
      m_session(session),
      m_choice(new QComboBox),
      m_parts(new QToolButton),
      m_log(new QToolButton),
      m_view(new PlotView) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  auto* row = new QHBoxLayout;
  row->setSpacing(2);
  for (const QuantityInfo& info : quantityTable()) {
    m_choice->addItem(qtText(info.label), static_cast<int>(info.quantity));
    m_choice->setItemData(m_choice->count() - 1, qtText(info.help), Qt::ToolTipRole);
  }
  m_choice->addItem(tr("Convergence (this step)"), kConvergence);
  for (const JointPlot& plot : kJointPlots) {
    m_choice->addItem(tr(plot.label), plot.id);
    m_choice->setItemData(m_choice->count() - 1, tr(plot.help), Qt::ToolTipRole);
  }
  m_choice->setMaxVisibleItems(40);
  m_choice->setMinimumContentsLength(8);
  m_choice->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  m_choice->setFocusPolicy(Qt::NoFocus);  // keys keep working for the transport
  m_choice->setAccessibleName(tr("Quantity"));
  m_log->setText(tr("log"));
  m_log->setCheckable(true);
  m_log->setToolTip(tr("Logarithmic axis; values that are not positive are left out"));
  auto* enlarge = new QToolButton;
  enlarge->setText(QStringLiteral("⤢"));
  enlarge->setToolTip(tr("Show this plot alone, or all again"));
  enlarge->setAccessibleName(tr("Enlarge plot"));
  auto* reset = new QToolButton;
  reset->setText(tr("fit"));
  reset->setToolTip(tr("Show all data and follow it (double-click)"));
  m_parts->setText(tr("levels"));
  m_parts->setToolTip(tr("What lies within the residual: its parts, merit, steps, inner iterations"));
  m_parts->setPopupMode(QToolButton::InstantPopup);
  m_parts->setMenu(levelsMenu());
  for (QToolButton* button : {m_parts, m_log, reset, enlarge}) {
    button->setAutoRaise(true);
    button->setFocusPolicy(Qt::NoFocus);
    button->setFixedWidth(fontMetrics().horizontalAdvance(button->text()) + (button->menu() ? 24 : 10));
  }
  row->addWidget(m_choice, 1);
  row->addWidget(m_parts);
  row->addWidget(m_log);
  row->addWidget(reset);
  row->addWidget(enlarge);
  column->addLayout(row);
  column->addWidget(m_view, 1);
  m_view->setMinimumSize(120, 56);
  connect(m_choice, QOverload<int>::of(&QComboBox::currentIndexChanged), this,
          [this] { setQuantity(m_choice->currentData().toInt()); });
  connect(m_log, &QToolButton::toggled, m_view, &PlotView::setLogY);
  connect(enlarge, &QToolButton::clicked, this, &PlotTile::enlargeRequested);
  connect(reset, &QToolButton::clicked, m_view, &PlotView::resetZoom);
  m_view->setContextMenuPolicy(Qt::CustomContextMenu);
  connect(m_view, &QWidget::customContextMenuRequested, this, &PlotTile::showMenu);
  connect(m_view, &PlotView::readOut, this, &PlotTile::readOut);
  connect(m_view, &PlotView::pointPicked, this, [this](int curve) {
    if (this->quantity() != kConvergence && curve < static_cast<int>(m_curvePanes.size()))
      Q_EMIT pointPicked(m_curvePanes[static_cast<std::size_t>(curve)]);
  });
  connect(m_view, &PlotView::timePicked, this, [this](double time) {
    if (this->quantity() == kConvergence || m_session->dt() <= 0) return;
    const double first = m_session->timeAt(m_session->firstFrame());
    const double last = m_session->timeAt(m_session->lastFrame());
    const double share = last > first ? (time - first) / (last - first) : 0;
    const double frames = static_cast<double>(m_session->lastFrame() - m_session->firstFrame());
    m_session->seek(m_session->firstFrame() + std::lround(share * frames));
  });
  setQuantity(quantity);
}

QMenu* PlotTile::levelsMenu() {
  auto* menu = new QMenu(this);
  const auto add = [this, menu](const QString& text, const QString& tip, bool ConvergenceLevels::*level) {
    QAction* action = menu->addAction(text);
    action->setCheckable(true);
    action->setChecked(m_levels.*level);
    action->setToolTip(tip);
    connect(action, &QAction::toggled, this, [this, level](bool on) {
      m_levels.*level = on;
      refreshData();
    });
  };
  menu->setToolTipsVisible(true);
  add(tr("Parts of the residual"), tr("Normals and joints over h, friction, momentum [m/s]"),
      &ConvergenceLevels::parts);
  add(tr("Step size"), tr("‖t Δu‖∞ of each iteration [m/s]: small steps at a large residual are a stall"),
      &ConvergenceLevels::steps);
  add(tr("Merit"), tr("The solver's own; comparable only within one solver and its settings"),
      &ConvergenceLevels::merit);
  add(tr("Inner iterations"), tr("Relative residual of the linear solver within each iteration"),
      &ConvergenceLevels::inner);
  add(tr("Rounding"), tr("What rounding leaves of the residual [m/s]"), &ConvergenceLevels::limit);
  return menu;
}

int PlotTile::quantity() const { return m_choice->currentData().toInt(); }

void PlotTile::setQuantity(int quantity) {
  const QSignalBlocker quiet(m_choice);
  m_choice->setCurrentIndex(m_choice->findData(quantity));
  m_log->setChecked(quantity == kConvergence);
  m_parts->setVisible(quantity == kConvergence);
  m_view->setWholeX(quantity == kConvergence);
  m_choice->setToolTip(quantity == kConvergence
                           ? tr("Natural residual after each iteration of the solver, at the time cursor")
                       : jointPlotOf(quantity) ? tr(jointPlotOf(quantity)->help)
                                               : qtText(quantityInfo(static_cast<Quantity>(quantity)).help));
  showTitles(false);
  m_view->resetZoom();
  refreshData();
  refreshCursor();
}

QString PlotTile::key() const {
  if (quantity() == kConvergence) return QStringLiteral("convergence");
  if (const JointPlot* plot = jointPlotOf(quantity())) return QLatin1String(plot->key);
  return qtText(quantityInfo(static_cast<Quantity>(quantity())).key);
}

QString PlotTile::title() const { return m_choice->currentText(); }

// On the screen the combo box is the title; files contain the title.
void PlotTile::showTitles(bool withTitle) {
  const QString title = withTitle ? m_choice->currentText() : QString();
  if (quantity() == kConvergence) {
    m_view->setTitles(title, tr("iteration"), tr("residual [m/s]"));
  } else if (const JointPlot* plot = jointPlotOf(quantity())) {
    m_view->setTitles(title, tr("time t [s]"), tr(plot->title));
  } else {
    m_view->setTitles(title, tr("time t [s]"),
                      axisTitle(quantityInfo(static_cast<Quantity>(quantity()),
                                             m_session->scene() && m_session->scene()->planar)));
  }
}

void PlotTile::refreshData() {
  if (const bool planar = m_session->scene() && m_session->scene()->planar; planar != m_planar) {
    m_planar = planar;
    showTitles(false);
  }
  if (quantity() == kConvergence) return refreshConvergence();
  if (jointPlotOf(quantity())) return refreshJoint();
  m_view->setCurves(curvesOf(*m_session, static_cast<Quantity>(quantity()), m_curvePanes));
  m_view->setReferenceLine(std::numeric_limits<double>::quiet_NaN(), QString());
  m_view->setEmptyNote(m_session->lastFrame() == 0 ? tr("no step yet")
                                                   : tr("no method shown here has this quantity"));
}

void PlotTile::refreshJoint() {
  const auto scene = m_session->scene();
  const std::size_t joint = static_cast<std::size_t>(m_session->selectedJoint());
  const bool isThere = scene && joint < scene->joints.size();
  m_view->setCurves(jointCurves(*m_session, *jointPlotOf(quantity()), m_curvePanes));
  m_view->setReferenceLine(std::numeric_limits<double>::quiet_NaN(), QString());
  m_view->setEmptyNote(!isThere
                           ? tr("this scene has no such joint")
                           : tr("%1: no value yet").arg(QString::fromStdString(scene->joints[joint].name)));
  if (isThere)
    m_choice->setItemText(m_choice->currentIndex(),
                          tr("%1 (%2)").arg(tr(jointPlotOf(quantity())->label),
                                            QString::fromStdString(scene->joints[joint].name)));
}

void PlotTile::refreshConvergence() {
  m_view->setTimeCursor(std::numeric_limits<double>::quiet_NaN());
  m_view->setCurves(convergenceCurves(*m_session, m_levels));
  m_view->setReferenceLine(solverTolerance(*m_session), tr("tolerance"));
  m_view->setEmptyNote(m_session->cursor() == 0 ? tr("no step yet") : tr("no solver iterates in this step"));
}

void PlotTile::refreshCursor() {
  if (quantity() == kConvergence)
    refreshConvergence();
  else
    m_view->setTimeCursor(m_session->timeAt(m_session->cursor()));
}

void PlotTile::setDark(bool dark) { m_view->setDark(dark); }

bool PlotTile::exportTo(const QString& file, const FigureStyle& style) {
  showTitles(true);
  const bool done = m_view->exportTo(file, style);
  showTitles(false);
  return done;
}

QImage PlotTile::figure(const FigureStyle& style) {
  showTitles(true);
  const QImage image = m_view->figure(style);
  showTitles(false);
  return image;
}

QImage PlotTile::picture(const QSize& size, const QFont& font) {
  showTitles(true);
  const QImage image = m_view->picture(size, font);
  showTitles(false);
  return image;
}

void PlotTile::showMenu(const QPoint& position) {
  QMenu menu(this);
  menu.addAction(tr("Figure…"), this, &PlotTile::figureRequested);
  menu.addAction(tr("Copy image"), this,
                 [this] { QGuiApplication::clipboard()->setImage(figure(FigureStyle())); });
  menu.addAction(tr("Copy data (CSV)"), this,
                 [this] { QGuiApplication::clipboard()->setText(m_view->csv()); });
  menu.addSeparator();
  menu.addAction(tr("Show all data and follow it"), m_view, &PlotView::resetZoom);
  if (quantity() == kConvergence && m_problemMenu) menu.addMenu(m_problemMenu);
  menu.exec(m_view->mapToGlobal(position));
}

PlotPanel::PlotPanel(Session* session, QWidget* parent)
    : QWidget(parent), m_session(session), m_legend(new QHBoxLayout), m_grid(new QGridLayout) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(4, 2, 4, 4);
  column->setSpacing(2);
  column->addLayout(m_legend);
  column->addLayout(m_grid, 1);
  m_grid->setSpacing(4);
  m_suggested = standardQuantities();
  for (std::size_t tile = 0; tile < m_suggested.size(); ++tile) {
    m_tiles.push_back(new PlotTile(session, m_suggested[tile]));
    connect(m_tiles.back(), &PlotTile::enlargeRequested, this,
            [this, tile] { toggleEnlarged(static_cast<int>(tile)); });
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
  suggestQuantities();
  m_hidden.clear();
  m_legendLabels.clear();
  for (PlotTile* tile : m_tiles) {
    tile->view()->resetZoom();
    tile->view()->showAllCurves();
  }
}

/// One legend for all tiles: a click hides the curves of one name everywhere.
void PlotPanel::rebuildLegend() {
  QStringList labels;
  for (int pane = 0; pane < m_session->paneCount(); ++pane)
    for (const PaneSpan& span : namesOf(*m_session, pane)) labels << span.label;
  if (labels == m_legendLabels) return;
  m_legendLabels = labels;
  while (QLayoutItem* item = m_legend->takeAt(0)) {
    delete item->widget();
    delete item;
  }
  for (int pane = 0; pane < m_session->paneCount(); ++pane)
    for (const PaneSpan& span : namesOf(*m_session, pane)) addLegendEntry(span);
  m_legend->addStretch(1);
}

void PlotPanel::addLegendEntry(const PaneSpan& span) {
  Curve curve;
  touchstone::style(curve, span);
  QPixmap sample(26, 12);
  sample.fill(Qt::transparent);
  QPainter painter(&sample);
  painter.setPen(QPen(curve.colour, 3, static_cast<Qt::PenStyle>(curve.dash)));
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
  m_legend->addWidget(entry);
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
  for (int tile = 0; tile < std::min(keys.size(), static_cast<int>(m_tiles.size())); ++tile) {
    if (keys[tile] == QLatin1String("convergence")) m_tiles[tile]->setQuantity(PlotTile::kConvergence);
    for (const JointPlot& plot : kJointPlots)
      if (keys[tile] == QLatin1String(plot.key)) m_tiles[tile]->setQuantity(plot.id);
    if (const QuantityInfo* info = findQuantity(keys[tile].toStdString()))
      m_tiles[tile]->setQuantity(static_cast<int>(info->quantity));
  }
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

void PlotPanel::arrange() {
  constexpr int kColumns = 2;
  while (m_grid->count() > 0) delete m_grid->takeAt(0);
  for (int row = 0; row < 3; ++row) m_grid->setRowStretch(row, 0);
  for (int tile = 0; tile < static_cast<int>(m_tiles.size()); ++tile) {
    const bool shown = m_enlarged < 0 || m_enlarged == tile;
    if (shown) {
      const int row = m_enlarged < 0 ? tile / kColumns : 0;
      m_grid->addWidget(m_tiles[tile], row, m_enlarged < 0 ? tile % kColumns : 0);
      m_grid->setRowStretch(row, 1);
    } else {
      m_tiles[tile]->setParent(this);
    }
    m_tiles[tile]->setVisible(shown);
  }
  m_grid->setColumnStretch(0, 1);
  m_grid->setColumnStretch(1, m_enlarged < 0 ? 1 : 0);
}

}  // namespace touchstone
