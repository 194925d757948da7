#include "app/plots/plot_tile.h"

#include <QAbstractItemView>
#include <QActionGroup>
#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QMenu>
#include <QSignalBlocker>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <limits>

#include "app/plots/session_curves.h"
#include "app/session/session.h"
#include "core/math/count.h"
#include "widgets/plots/plot_view.h"
#include "widgets/text/qt_text.h"

namespace touchstone {

namespace {

QString axisTitle(const QuantityInfo& info) {
  const QString name = info.symbol.empty() ? qtText(info.label) : qtText(info.symbol);
  return info.unit.empty() ? name : QStringLiteral("%1 [%2]").arg(name, qtText(info.unit));
}

/// A number of a joint that a tile can show.
struct JointPlot {
  int id;
  const char *key, *label, *title, *help;
  double (*valueOf)(const JointState&);
};
constexpr char kConvergenceKey[] = "convergence";

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

}  // namespace

PlotTile::PlotTile(Session* session, int quantity, QWidget* parent)
    : QWidget(parent),
      m_session(session),
      m_choice(new QComboBox),
      m_parts(new QToolButton),
      m_log(new QToolButton),
      m_fit(new QToolButton),
      m_enlarge(new QToolButton),
      m_more(new QToolButton),
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
  m_choice->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  m_choice->view()->setTextElideMode(Qt::ElideNone);
  m_choice->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  m_choice->setFocusPolicy(Qt::NoFocus);  // keys keep working for the transport
  m_choice->setAccessibleName(tr("Quantity"));
  m_log->setText(tr("log"));
  m_log->setCheckable(true);
  m_log->setToolTip(tr("Logarithmic axis; values that are not positive are left out"));
  m_enlarge->setText(QStringLiteral("⤢"));
  m_enlarge->setToolTip(tr("Show this plot alone, or all again"));
  m_enlarge->setAccessibleName(tr("Enlarge plot"));
  m_fit->setText(tr("fit"));
  m_fit->setToolTip(tr("Show all data and follow it (double-click)"));
  m_parts->setText(tr("levels"));
  m_parts->setToolTip(tr("What lies within the residual: its parts, merit, steps, inner iterations"));
  m_parts->setPopupMode(QToolButton::InstantPopup);
  m_parts->setMenu(levelsMenu());
  buildMore();
  for (QToolButton* button : {m_parts, m_log, m_fit, m_more, m_enlarge}) {
    button->setAutoRaise(true);
    button->setFocusPolicy(Qt::NoFocus);
    button->setFixedWidth(fontMetrics().horizontalAdvance(button->text()) + (button == m_parts ? 24 : 10));
  }
  row->addWidget(m_choice, 1);
  for (QToolButton* button : {m_parts, m_log, m_fit, m_more, m_enlarge}) row->addWidget(button);
  column->addLayout(row);
  column->addWidget(m_view, 1);
  m_view->setMinimumWidth(120);
  m_view->setFittingUnits(true);
  m_view->setTitleElsewhere(true);
  m_view->setCutsPeaks(m_options.cutsPeaks);
  m_view->setLeastPlotHeight(kLeastPlot);
  connect(m_choice, QOverload<int>::of(&QComboBox::currentIndexChanged), this,
          [this] { setQuantity(m_choice->currentData().toInt()); });
  connect(m_log, &QToolButton::toggled, m_view, &PlotView::setLogY);
  connect(m_enlarge, &QToolButton::clicked, this, &PlotTile::enlargeRequested);
  connect(m_fit, &QToolButton::clicked, m_view, &PlotView::resetZoom);
  m_view->setContextMenuPolicy(Qt::CustomContextMenu);
  connect(m_view, &QWidget::customContextMenuRequested, this, &PlotTile::showMenu);
  connect(m_view, &PlotView::readOut, this, &PlotTile::readOut);
  connect(m_view, &PlotView::timePicked, this, [this](double time) {
    if (this->quantity() == kConvergence || m_session->dt() <= 0) return;
    m_session->seek(frameAt(*m_session, time));
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

void PlotTile::buildMore() {
  auto* menu = new QMenu(m_more);
  QAction* log = menu->addAction(tr("Logarithmic axis"));
  log->setCheckable(true);
  connect(log, &QAction::toggled, m_log, &QToolButton::setChecked);
  connect(m_log, &QToolButton::toggled, log, &QAction::setChecked);
  menu->addAction(tr("Show all data and follow it"), m_fit, &QToolButton::click);
  QAction* levels = menu->addMenu(m_parts->menu());
  levels->setText(tr("Levels"));
  connect(menu, &QMenu::aboutToShow, levels,
          [this, levels] { levels->setVisible(this->quantity() == kConvergence); });
  connect(menu, &QMenu::aboutToShow, levels, [this, menu, levels] {
    while (menu->actions().back() != levels) delete menu->actions().back();
    addOptions(menu);
  });
  m_more->setText(QStringLiteral("⋯"));
  m_more->setToolTip(tr("Axis, fit, levels, form and number of plots"));
  m_more->setAccessibleName(tr("More of this plot"));
  m_more->setPopupMode(QToolButton::InstantPopup);
  m_more->setStyleSheet(QStringLiteral("QToolButton::menu-indicator { image: none; }"));
  m_more->setMenu(menu);
}

int PlotTile::leastWidth() const {
  constexpr int kArrow = 38;  // px beside the text of a list, and gaps
  return m_choice->fontMetrics().horizontalAdvance(m_choice->currentText()) + kArrow +
         m_more->minimumWidth() + m_enlarge->minimumWidth();
}

void PlotTile::addOptions(QMenu* menu) {
  menu->addSeparator();
  auto* forms = new QActionGroup(menu);
  const std::pair<QString, CurveForm> choices[] = {
      {tr("Values"), CurveForm::Values},
      {tr("Difference from the reference pane"), CurveForm::Difference},
      {tr("Ratio to the reference pane"), CurveForm::Ratio}};
  for (const auto& [text, form] : choices) {
    QAction* action = menu->addAction(text, this, [this, form = form] {
      PlotOptions options = m_options;
      options.form = form;
      Q_EMIT optionsChosen(options);
    });
    action->setCheckable(true);
    action->setActionGroup(forms);
    action->setChecked(m_options.form == form);
  }
  QAction* cuts = menu->addAction(tr("Cut rare peaks"), this, [this] {
    PlotOptions options = m_options;
    options.cutsPeaks = !options.cutsPeaks;
    Q_EMIT optionsChosen(options);
  });
  cuts->setToolTip(tr("The axis fits 99 % of the samples; triangles show where a curve goes on"));
  cuts->setCheckable(true);
  cuts->setChecked(m_options.cutsPeaks);
  menu->addSeparator();
  menu->addAction(tr("Add a plot"), this, &PlotTile::addRequested);
  menu->addAction(tr("Remove this plot"), this, &PlotTile::removeRequested);
}

void PlotTile::setOptions(const PlotOptions& options) {
  m_options = options;
  m_view->setCutsPeaks(options.cutsPeaks);
  showTitles();
  refreshData();
  refreshCursor();
}

// Buttons give way to the name of the quantity.
void PlotTile::fitHeader() {
  const bool isConvergence = quantity() == kConvergence;
  const int whole = leastWidth() - m_more->minimumWidth() + m_log->minimumWidth() + m_fit->minimumWidth() +
                    (isConvergence ? m_parts->minimumWidth() : 0) + 4;
  const bool fits = whole <= width();
  m_parts->setVisible(fits && isConvergence);
  m_log->setVisible(fits);
  m_fit->setVisible(fits);
  m_more->setVisible(!fits);
}

void PlotTile::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  fitHeader();
}

int PlotTile::quantity() const { return m_choice->currentData().toInt(); }

void PlotTile::setQuantity(int quantity) {
  const QSignalBlocker quiet(m_choice);
  m_choice->setCurrentIndex(m_choice->findData(quantity));
  m_log->setChecked(quantity == kConvergence);
  fitHeader();
  Q_EMIT leastWidthChanged();
  m_view->setWholeX(quantity == kConvergence);
  m_choice->setToolTip(quantity == kConvergence
                           ? tr("Natural residual after each iteration of the solver, at the time cursor")
                       : jointPlotOf(quantity) ? tr(jointPlotOf(quantity)->help)
                                               : qtText(quantityInfo(static_cast<Quantity>(quantity)).help));
  m_view->setHasReadings(isOverTime());
  showTitles();
  m_view->resetZoom();
  refreshData();
  refreshCursor();
}

QString PlotTile::key() const {
  if (quantity() == kConvergence) return QLatin1String(kConvergenceKey);
  if (const JointPlot* plot = jointPlotOf(quantity())) return QLatin1String(plot->key);
  return qtText(quantityInfo(static_cast<Quantity>(quantity())).key);
}

bool PlotTile::isKey(const QString& key) {
  const auto isOfJoint = [&key](const JointPlot& plot) { return key == QLatin1String(plot.key); };
  return key == QLatin1String(kConvergenceKey) || findQuantity(key.toStdString()) ||
         std::any_of(std::begin(kJointPlots), std::end(kJointPlots), isOfJoint);
}

void PlotTile::setKey(const QString& key) {
  if (key == QLatin1String(kConvergenceKey)) setQuantity(kConvergence);
  for (const JointPlot& plot : kJointPlots)
    if (key == QLatin1String(plot.key)) setQuantity(plot.id);
  if (const QuantityInfo* info = findQuantity(key.toStdString()))
    setQuantity(static_cast<int>(info->quantity));
}

QString PlotTile::title() const { return m_choice->currentText(); }

void PlotTile::showTitles() {
  if (quantity() == kConvergence) return m_view->setTitles(title(), tr("iteration"), tr("residual [m/s]"));
  const JointPlot* joint = jointPlotOf(quantity());
  const QuantityInfo* info = joint ? nullptr
                                   : &quantityInfo(static_cast<Quantity>(quantity()),
                                                   m_session->scene() && m_session->scene()->planar);
  const QString label = joint ? tr(joint->title) : axisTitle(*info);
  if (m_options.form == CurveForm::Values || m_session->paneCount() == 0)
    return m_view->setTitles(title(), tr("time t [s]"), label);
  const QString reference = m_session->paneLabel(m_session->referencePane());
  const bool isRatio = m_options.form == CurveForm::Ratio;
  const QString unit = unitOf(label),
                symbol = unit.isEmpty() ? label : label.left(label.lastIndexOf(QLatin1Char('['))).trimmed();
  m_view->setTitles(tr(isRatio ? "%1 / %2" : "%1 − %2").arg(title(), reference), tr("time t [s]"),
                    isRatio          ? tr("%1 / %2").arg(symbol, reference)
                    : unit.isEmpty() ? tr("%1 − %2").arg(symbol, reference)
                                     : tr("%1 − %2 [%3]").arg(symbol, reference, unit));
}

ValueOfRecord PlotTile::valueOf() const {
  if (const JointPlot* plot = jointPlotOf(quantity()))
    return [joint = m_session->selectedJoint(), plot](const StepRecord& record) {
      return joint >= 0 && joint < countOf(record.joints) ? plot->valueOf(record.joints[joint])
                                                          : std::numeric_limits<double>::quiet_NaN();
    };
  return [quantity = static_cast<Quantity>(quantity())](const StepRecord& record) {
    return record.quantities[quantity];
  };
}

std::vector<Curve> PlotTile::relatedCurvesOfPanes() {
  std::vector<Curve> curves =
      jointPlotOf(quantity()) ? curvesOfValue(*m_session, valueOf(), m_curvePanes)
                              : curvesOfQuantity(*m_session, static_cast<Quantity>(quantity()), m_curvePanes);
  return relatedToReference(*m_session, std::move(curves), m_options.form, m_curvePanes);
}

std::vector<Curve> PlotTile::paneCurves() const {
  const std::vector<Curve>& curves = m_view->curves();
  return {curves.begin(),
          curves.begin() + static_cast<std::ptrdiff_t>(isOverTime() ? m_curvePanes.size() : 0)};
}

void PlotTile::refreshData(double until) {
  if (jointPlotOf(quantity())) nameJoint();
  showTitles();
  refreshHorizon();
  if (quantity() == kConvergence) return refreshConvergence();
  std::vector<Curve> curves = relatedCurvesOfPanes();
  for (Curve& curve : curves)
    while (!curve.x.empty() && curve.x.back() > until) {
      curve.x.pop_back();
      curve.y.pop_back();
    }
  for (Curve& curve : overlaidCurves(*m_session, valueOf(), m_options.form))
    curves.push_back(std::move(curve));
  if (m_ensemble && !jointPlotOf(quantity()) && m_options.form == CurveForm::Values)
    for (Curve& curve : curvesOfEnsemble(*m_ensemble, static_cast<Quantity>(quantity())))
      curves.push_back(std::move(curve));
  m_view->setCurves(curves);
  m_view->setReferenceLine(std::numeric_limits<double>::quiet_NaN(), QString());
  m_view->setEmptyNote(emptyNote());
}

QString PlotTile::emptyNote() const {
  const auto scene = m_session->scene();
  const std::size_t joint = m_session->selectedJoint();
  if (jointPlotOf(quantity()))
    return scene && joint < scene->joints.size()
               ? tr("%1: no value yet").arg(QString::fromStdString(scene->joints[joint].name))
               : tr("this scene has no such joint");
  if (m_session->lastFrame() == 0) return tr("no step yet");
  if (m_options.form == CurveForm::Values) return tr("no method shown here has this quantity");
  return m_session->paneCount() < 2 ? tr("no other pane to compare with") : tr("nothing to compare");
}

void PlotTile::setEnsemble(const ShownEnsemblePtr& ensemble) {
  m_ensemble = ensemble;
  refreshData();
}

/// Beyond the horizon single runs say nothing of the method.
void PlotTile::refreshHorizon() {
  const bool isOverTime = quantity() != kConvergence;
  m_view->setGreyFrom(
      m_ensemble && isOverTime ? m_ensemble->horizon() : std::numeric_limits<double>::quiet_NaN(),
      tr("beyond the horizon"));
}

/// The box names the joint that the plot shows.
void PlotTile::nameJoint() {
  const auto scene = m_session->scene();
  const std::size_t joint = m_session->selectedJoint();
  if (!scene || joint >= scene->joints.size()) return;
  m_choice->setItemText(m_choice->currentIndex(),
                        tr("%1 (%2)").arg(tr(jointPlotOf(quantity())->label),
                                          QString::fromStdString(scene->joints[joint].name)));
  fitHeader();
  Q_EMIT leastWidthChanged();
}

void PlotTile::refreshConvergence() {
  m_view->setTimeCursor(std::numeric_limits<double>::quiet_NaN());
  m_view->setCurves(convergenceCurves(*m_session, m_levels));
  m_view->setReferenceLine(solverTolerance(*m_session), tr("tolerance"));
  m_view->setEmptyNote(m_session->cursor() == 0 ? tr("no step yet") : tr("no solver iterates in this step"));
}

void PlotTile::refreshCursor() {
  if (quantity() == kConvergence) return refreshConvergence();
  m_view->setTimeCursor(m_session->timeAt(m_session->cursor()));
  m_view->setReadings(readingsAtCursor(*m_session, valueOf(), m_options.form));
  m_view->setAccessibleDescription(m_view->readingsText());
}

void PlotTile::setDark(bool dark) { m_view->setDark(dark); }

bool PlotTile::exportTo(const QString& file, const FigureStyle& style) {
  return m_view->exportTo(file, style);
}

QImage PlotTile::figure(const FigureStyle& style) { return m_view->figure(style); }

QImage PlotTile::picture(const QSize& size, const QFont& font) { return m_view->picture(size, font); }

int PlotTile::paneUnder(const QPoint& position) const {
  const int curve = m_view->curveUnder(position);
  const bool isOfPane = quantity() != kConvergence && curve >= 0 && curve < countOf(m_curvePanes);
  return isOfPane ? m_curvePanes[curve] : -1;
}

void PlotTile::pick(const QPoint& position) {
  const int pane = paneUnder(position);
  if (pane < 0) return;
  Q_EMIT m_view->timePicked(m_view->xUnder(position));
  Q_EMIT pointPicked(pane);
}

void PlotTile::showMenu(const QPoint& position) {
  QMenu menu(this);
  if (const int pane = paneUnder(position); pane >= 0) {
    menu.addAction(tr("Strongest contact of %1 at this time").arg(m_session->paneLabel(pane)), this,
                   [this, position] { pick(position); });
    menu.addSeparator();
  }
  if (isOverTime() && m_view->plotArea().contains(position)) {
    const double time = m_view->xUnder(position);
    menu.addAction(tr("Marker A here"), this, [this, time] { Q_EMIT markerChosen(0, time); });
    menu.addAction(tr("Marker B here"), this, [this, time] { Q_EMIT markerChosen(1, time); });
    if (!m_view->markers().empty())
      menu.addAction(tr("Remove markers"), this, [this] { Q_EMIT markerChosen(-1, 0); });
    menu.addSeparator();
  }
  menu.addAction(tr("Figure…"), this, &PlotTile::figureRequested);
  menu.addAction(tr("Copy image"), this,
                 [this] { QGuiApplication::clipboard()->setImage(figure(FigureStyle())); });
  menu.addAction(tr("Copy data (CSV)"), this,
                 [this] { QGuiApplication::clipboard()->setText(m_view->csv()); });
  menu.addSeparator();
  menu.addAction(tr("Show all data and follow it"), m_view, &PlotView::resetZoom);
  if (quantity() == kConvergence && m_problemMenu) menu.addMenu(m_problemMenu);
  addOptions(&menu);
  menu.exec(m_view->mapToGlobal(position));
}

}  // namespace touchstone
