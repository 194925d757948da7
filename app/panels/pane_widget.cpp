#include "app/panels/pane_widget.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QComboBox>
#include <QDrag>
#include <QDragEnterEvent>
#include <QLabel>
#include <QMenu>
#include <QMimeData>
#include <QMouseEvent>
#include <QSignalBlocker>
#include <QStandardItemModel>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "app/panels/backend_button.h"
#include "app/session/session.h"
#include "core/engine/engine.h"
#include "core/files/listed.h"
#include "core/run/pane_name.h"
#include "core/solver/dense/problem.h"
#include "core/solver/solver_traits.h"
#include "widgets/palette.h"
#include "widgets/text/qt_text.h"
#include "widgets/text/text_line.h"
#include "widgets/views/scene_view.h"

namespace touchstone {

namespace {

QString tooltipOfPlayed() {
  return PaneWidget::tr("A motion from a file; add it with Simulation → Add pane → Trajectory…");
}

// Methods that cannot run the scene stay in the list, greyed out, with the reason as tooltip.
void fillMethods(QComboBox* box, const Scene& scene) {
  auto* model = qobject_cast<QStandardItemModel*>(box->model());
  for (const MethodInfo& method : methodTable()) {
    box->addItem(qtText(method.shortName), qtText(method.key));
    const int row = box->count() - 1;
    const QString problem = qtText(refusalOf(method, scene));
    box->setItemData(row,
                     QStringLiteral("%1 (%2)").arg(qtText(method.name), qtText(method.source)) +
                         (problem.isEmpty() ? QString() : QStringLiteral("\n") + problem),
                     Qt::ToolTipRole);
    if (model && !problem.isEmpty()) model->item(row)->setEnabled(false);
    // It needs a file, which this list cannot ask for.
    const EngineInfo* engine = findEngine(method.key);
    if (model && engine && engine->isPlayed) {
      model->item(row)->setEnabled(false);
      model->item(row)->setToolTip(tooltipOfPlayed());
    }
  }
}

void fillSolvers(QComboBox* box, const MethodInfo& method) {
  box->clear();
  for (const std::string& key : method.solvers) {
    box->addItem(qtText(key), qtText(key));
    for (const SolverTraits& solver : solverTable())
      if (solver.key == key)
        box->setItemData(box->count() - 1,
                         QStringLiteral("%1\n%2").arg(qtText(solver.name), qtText(solver.help)),
                         Qt::ToolTipRole);
  }
}

/// Width of a list for the text that it shows; those of other entries request nothing.
int shownWidth(const QComboBox& box) {
  int longest = 0;
  for (int index = 0; index < box.count(); ++index)
    longest = std::max(longest, box.fontMetrics().horizontalAdvance(box.itemText(index)));
  return box.sizeHint().width() - longest + box.fontMetrics().horizontalAdvance(box.currentText());
}

/// Width of a text whose digits change with every frame: at least that of three digits for each number.
int steadyWidth(const QFontMetrics& metrics, const QString& text) {
  QString widest;
  int digits = 0;
  for (const QChar letter : text + QLatin1Char(' ')) {
    if (!letter.isDigit() && digits > 0) {
      widest += QString(std::max(3, digits), QLatin1Char('8'));
      digits = 0;
    }
    if (letter.isDigit())
      ++digits;
    else
      widest += letter;
  }
  return metrics.horizontalAdvance(widest.trimmed());
}

}  // namespace

PaneWidget::PaneWidget(Session* session, int index, QWidget* parent)
    : QFrame(parent),
      m_session(session),
      m_index(index),
      m_stripe(new QFrame),
      m_method(new QComboBox),
      m_solver(new QComboBox),
      m_badge(new QLabel),
      m_reference(new QLabel(tr("ref"))),
      m_numbers(new TextLine(Qt::AlignRight | Qt::AlignVCenter)),
      m_menu(new QToolButton),
      m_notice(new QLabel),
      m_view(new SceneView(session->scene())) {
  setObjectName(QStringLiteral("pane"));
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(2, 2, 2, 2);
  column->setSpacing(0);
  auto* header = m_header = new QWidget;
  header->installEventFilter(this);
  header->setToolTip(tr("Drag to another pane to change the order"));
  setAcceptDrops(true);
  buildHeader(header);
  buildMenu();
  column->addWidget(header);
  m_notice->setWordWrap(true);
  m_notice->setTextFormat(Qt::PlainText);
  m_notice->setMargin(4);
  m_notice->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Minimum);
  m_notice->hide();
  column->addWidget(m_notice);
  column->addWidget(m_view, 1);
  m_view->setMinimumSize(0, 0);  // the grid decides the size
  connect(m_method, QOverload<int>::of(&QComboBox::activated), this, &PaneWidget::chooseMethod);
  connect(m_solver, QOverload<int>::of(&QComboBox::activated), this, &PaneWidget::chooseSolver);
  connect(m_view, &SceneView::doubleClicked, this, &PaneWidget::enlargeRequested);
  const auto select = [this] { m_session->selectPane(m_index); };
  connect(m_view, &SceneView::bodyPicked, this, select);
  refreshSettings();
}

void PaneWidget::buildHeader(QWidget* header) {
  m_method->setToolTip(tr("Contact method of this pane; it goes on from the present state"));
  m_method->setAccessibleName(tr("Method"));
  m_solver->setToolTip(tr("Solver of the complementarity problem"));
  m_solver->setAccessibleName(tr("Solver"));
  for (QComboBox* box : {m_method, m_solver}) {
    box->setFocusPolicy(Qt::NoFocus);  // Space and arrows keep working for the transport
    box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    box->view()->setTextElideMode(Qt::ElideNone);
  }
  QFont bold = m_method->font();
  bold.setBold(true);
  m_method->setFont(bold);
  m_badge->setAlignment(Qt::AlignCenter);
  m_badge->installEventFilter(this);
  m_reference->setToolTip(
      tr("The other panes are compared with this one: ghost outlines, colour by distance"));
  m_reference->hide();
  m_menu->setText(QStringLiteral("⋮"));
  m_menu->setAutoRaise(true);
  m_menu->setFocusPolicy(Qt::NoFocus);
  m_menu->setPopupMode(QToolButton::InstantPopup);
  m_menu->setToolTip(tr("Enlarge, duplicate, remove, save as image"));
  m_menu->setAccessibleName(tr("Pane menu"));
  m_menu->setStyleSheet(QStringLiteral("QToolButton::menu-indicator { image: none; }"));
  for (QWidget* part :
       std::initializer_list<QWidget*>{m_stripe, m_method, m_solver, m_badge, m_reference, m_numbers, m_menu})
    part->setParent(header);
  fillMethods(m_method, *m_session->scene());
  fitHeaderHeight();
}

void PaneWidget::fitHeaderHeight() {
  const int highest = std::max({m_method->sizeHint().height(), m_solver->sizeHint().height(),
                                m_menu->sizeHint().height(), m_numbers->sizeHint().height()});
  m_header->setFixedHeight(highest + 2);
}

void PaneWidget::buildMenu() {
  auto* menu = new QMenu(m_menu);
  menu->addAction(tr("Enlarge or back (%1)").arg(m_index + 1), this, &PaneWidget::enlargeRequested);
  menu->addAction(tr("Compare the others with this pane"), this, &PaneWidget::referenceRequested);
  menu->addAction(tr("Fork all panes from this one"), this, [this] { m_session->fork(m_index); });
  menu->addAction(tr("Move forward"), this, [this] { m_session->movePane(m_index, m_index - 1); });
  menu->addAction(tr("Move back"), this, [this] { m_session->movePane(m_index, m_index + 1); });
  m_solverMenu = menu->addMenu(tr("Solver"));
  connect(m_solverMenu, &QMenu::aboutToShow, this, &PaneWidget::fillSolverMenu);
  QMenu* runOn = menu->addMenu(tr("Run on"));
  const auto backends =
      addBackendActions(runOn, [this](BackendKind backend) { m_session->editBackend(backend, m_index); });
  connect(runOn, &QMenu::aboutToShow, this, [this, backends] {
    const bool cuda = m_session->pane(m_index).settings.backend == BackendKind::Cuda;
    backends[cuda ? 1 : 0]->setChecked(true);
  });
  menu->addAction(tr("Duplicate"), this, [this] { m_session->duplicatePane(m_index); });
  menu->addAction(tr("Remove"), this, [this] { m_session->removePane(m_index); });
  menu->addSeparator();
  menu->addAction(tr("Save view as PNG…"), this, &PaneWidget::imageRequested);
  m_menu->setMenu(menu);
}

void PaneWidget::chooseMethod() {
  const PaneSettings& settings = m_session->pane(m_index).settings;
  const std::string key = m_method->currentData().toString().toStdString();
  if (key == settings.method) return;
  const PaneSettings after = withMethod(settings, key, *m_session->scene());
  const std::vector<std::string> lost = lostWith(settings, after, *m_session->scene());
  if (!lost.empty())
    m_session->note(tr("%1 does not keep %2; Ctrl+Z returns to what was")
                        .arg(m_method->currentText(), qtText(listed(lost))));
  m_session->editPane(m_index, after);
}

void PaneWidget::chooseSolver() {
  PaneSettings settings = m_session->pane(m_index).settings;
  settings.solver = m_solver->currentData().toString().toStdString();
  if (settings.solver != m_session->pane(m_index).settings.solver) m_session->editPane(m_index, settings);
}

void PaneWidget::fillSolverMenu() {
  m_solverMenu->clear();
  m_solverMenu->setToolTipsVisible(true);
  for (int solver = 0; solver < m_solver->count(); ++solver) {
    QAction* action = m_solverMenu->addAction(m_solver->itemText(solver), this, [this, solver] {
      m_solver->setCurrentIndex(solver);
      chooseSolver();
    });
    action->setToolTip(m_solver->itemData(solver, Qt::ToolTipRole).toString());
    action->setCheckable(true);
    action->setChecked(solver == m_solver->currentIndex());
  }
}

void PaneWidget::refreshSettings() {
  const PaneSettings& settings = m_session->pane(m_index).settings;
  const QSignalBlocker quietMethod(m_method), quietSolver(m_solver);
  m_method->setCurrentIndex(m_method->findData(qtText(settings.method)));
  if (const MethodInfo* method = findMethod(settings.method)) {
    fillSolvers(m_solver, *method);
    m_method->setToolTip(QStringLiteral("%1 (%2)").arg(qtText(method->name), qtText(method->source)));
  }
  m_solver->setCurrentIndex(m_solver->findData(qtText(settings.solver)));
  m_solverMenu->menuAction()->setVisible(m_solver->count() > 0);
  m_stripe->setStyleSheet(
      QStringLiteral("background: %1;").arg(methodColour(qtText(settings.method)).name()));
  layoutHeader();
  repaintFrame();
}

void PaneWidget::show(ViewFrame frame) {
  const RecordPtr record = frame.record;
  m_view->show(std::move(frame));
  showHeader(record.get());
}

void PaneWidget::showHeader(const StepRecord* record) {
  showStatus(record);
  showNumbers(record);
  layoutHeader();
}

void PaneWidget::refreshFont() {
  for (QWidget* widget :
       std::initializer_list<QWidget*>{m_method, m_solver, m_badge, m_reference, m_numbers, m_menu}) {
    QFont font = QApplication::font();
    font.setBold(widget == m_method);
    widget->setFont(font);
  }
  fitHeaderHeight();
  layoutHeader();
}

void PaneWidget::setDark(bool dark) {
  m_view->setDark(dark);
  m_reference->setStyleSheet(
      QStringLiteral("border: 1px solid %1; border-radius: 3px; color: %1; padding: 0px 4px;")
          .arg(themeColours(dark).warm.name()));
}

void PaneWidget::setReference(bool reference) {
  if (m_reference->isVisibleTo(m_header) == reference) return;
  m_reference->setVisible(reference);
  layoutHeader();
}

/// Shows the status of the frame, or that of the run so far where the frame is ok.
void PaneWidget::showStatus(const StepRecord* record) {
  const bool rebuilding = !record && m_session->isRebuilding(m_index);
  const bool hasData = !record || Session::hasData(*record);
  const RunStatus run = runStatusOf(m_session->histories()[m_index].course());
  const bool isFrameOk = record && hasData && record->status == StepStatus::Ok;
  const bool tellsRun = isFrameOk && !run.isOk;
  const QString name = !hasData     ? tr("no data")
                       : tellsRun   ? qtText(run.text)
                       : record     ? tr(toString(record->status))
                       : rebuilding ? tr("computing again")
                                    : tr("not recorded");
  const QColor colour = !record || !hasData         ? palette().color(QPalette::Mid)
                        : tellsRun && run.isSerious ? statusColour(StepStatus::Energy)
                                                    : statusColour(record->status);
  m_firstFailure = run.firstFrame;
  QString tip = record       ? qtText(record->statusText)
                : rebuilding ? tr("Old frames are kept at a spacing; this one is computed again.")
                             : tr("This pane did not exist at that time.");
  QString computedBy, ranAs;
  if (record) {
    computedBy = m_session->spanAt(m_index, record->frame).label;
    // The solver that `auto` chose, what joints made of it, and friction that is not the cone.
    if (!record->deliveredBy.empty() && record->deliveredBy != record->solver)
      ranAs = QStringLiteral(" · ") + qtText(record->deliveredBy);
  }
  if (record)
    for (const std::string& warning : record->warnings) tip += QLatin1Char('\n') + qtText(warning);
  if (record && !record->deliveredBy.empty())
    tip += tr("\nanswer delivered by %1").arg(qtText(record->deliveredBy));
  if (!run.isOk) tip = runTip(run) + QLatin1Char('\n') + tip;
  showNotice(record && isFrozen(record->status) ? qtText(record->statusText) : QString(), colour);
  const bool warned = record && record->status == StepStatus::Ok && !record->warnings.empty();
  m_badge->setToolTip(tip.trimmed().isEmpty() ? tr("The step succeeded without warnings.")
                                              : plainToolTip(tip.trimmed()));
  // The boxes show what runs now; a frame from before a change was computed by another method.
  const bool isOfOther = record && computedBy != m_session->paneLabel(m_index);
  const QString whose = isOfOther ? computedBy + QStringLiteral(": ") : QString();
  const QString status = warned ? name + QStringLiteral(" (!)") : name;
  const QString brief = tellsRun ? tr("%1 not ok").arg(run.frames) : status;
  const QStringList forms = {whose + status + ranAs, tellsRun ? whose + brief : whose + status, brief};
  if (m_badgeForms == forms && m_badgeColour == colour) return;
  m_badgeForms = forms;
  m_badgeColour = colour;
  m_badge->setAccessibleName(forms.first());
  m_badge->setStyleSheet(QStringLiteral("background: %1; color: white; border-radius: 3px; padding: 1px 5px;")
                             .arg(colour.name()));
}

/// Since when a run is not ok, why, and what would help.
QString PaneWidget::runTip(const RunStatus& run) const {
  QString tip = tr("The run: %1; the first of them at %2 s. A click goes there.")
                    .arg(qtText(run.text))
                    .arg(run.since, 0, 'f', 3);
  if (!run.reason.empty()) tip += QLatin1Char('\n') + qtText(run.reason);
  constexpr std::size_t kMostWarnings = 3;  // more would not fit a tooltip
  for (std::size_t index = 0; index < std::min(kMostWarnings, run.warnings.size()); ++index)
    tip += QLatin1Char('\n') + qtText(run.warnings[index].text);
  return tip;
}

// Shows the reason when a pane is frozen while the others move.
void PaneWidget::showNotice(const QString& notice, const QColor& colour) {
  m_notice->setVisible(!notice.isEmpty());
  const QString sentence = notice.left(1).toUpper() + notice.mid(1);
  if (m_notice->text() == sentence) return;
  m_notice->setText(sentence);
  m_notice->setStyleSheet(
      QStringLiteral("border: 1px solid %1; border-left: 4px solid %1;").arg(colour.name()));
}

void PaneWidget::showNumbers(const StepRecord* record) {
  if (!record) {
    m_numberForms.clear();
    m_numbers->setToolTip(QString());
    return;
  }
  const double ms = record->quantities[Quantity::TimeStep];
  const QString time = std::isnan(ms) ? QStringLiteral("–") : QString::number(ms, 'f', ms < 10 ? 2 : 1);
  QString substeps = record->substeps > 1 ? tr("  ·  %1 substeps").arg(record->substeps) : QString();
  if (m_session->isEqualCost())
    substeps += m_session->costPane() == m_index ? tr("  ·  sets the cost") : tr("  ·  equal cost");
  const std::size_t count = record->contacts.size();
  const QString contacts = count == 1 ? tr("1 contact") : tr("%1 contacts").arg(count);
  const QString device = record->backend == "cuda" ? tr("CUDA  ·  ") : QString();
  m_numberForms = QStringList{device + QStringLiteral("%1 ms  ·  %2%3").arg(time, contacts, substeps),
                              device + QStringLiteral("%1 ms  ·  %2").arg(time, contacts),
                              device + QStringLiteral("%1 ms").arg(time), QStringLiteral("%1 ms").arg(time)};
  m_numbers->setToolTip(
      m_numberForms.first() +
      tr("\nWhere the frame was computed, if not on the CPU; wall-clock time without measurement; "
         "contacts of the last substep; steps per frame"));
}

// Places the parts of the header in the width that the grid gives. Where it is too small, substeps go first,
// then the solver in the badge, contacts, the list of solvers (the menu has it, too), the time, and the
// method in the badge.
void PaneWidget::layoutHeader() {
  constexpr int kGap = 4, kStripe = 6;
  struct Plan {
    int badge, numbers;  ///< forms; numbers −1: none
    bool solvers;
  };
  static const Plan kPlans[] = {{0, 0, true}, {0, 1, true},  {1, 1, true},   {1, 2, true},
                                {1, 3, true}, {1, 3, false}, {1, -1, false}, {2, -1, false}};
  const int height = m_header->height();
  const QString noText;
  const bool hasSolvers = m_solver->count() > 0, hasReference = m_reference->isVisibleTo(m_header);
  const int method = shownWidth(*m_method), solver = shownWidth(*m_solver);
  const int menu = m_menu->sizeHint().width(), reference = m_reference->sizeHint().width();
  const int rest =
      m_header->width() - kStripe - method - menu - 3 * kGap - (hasReference ? reference + kGap : 0);
  const auto badgeWidth = [this](int form) {
    constexpr int kPadding = 12;  // of its style sheet
    return m_badge->fontMetrics().horizontalAdvance(m_badgeForms.value(form)) + kPadding;
  };
  const auto numbersWidth = [this](int form) {
    return form < 0 ? 0 : steadyWidth(m_numbers->fontMetrics(), m_numberForms.value(form));
  };
  Plan plan = kPlans[0];
  for (const Plan& candidate : kPlans) {
    plan = candidate;
    if (candidate.solvers && !hasSolvers) plan.solvers = false;
    const int needed = badgeWidth(plan.badge) + kGap + numbersWidth(plan.numbers) + kGap +
                       (plan.solvers ? solver + kGap : 0);
    if (needed <= rest) break;
  }
  int x = 0;
  const auto place = [&](QWidget* part, int width) {
    const int high = std::min(height, part->sizeHint().height());
    part->setGeometry(x, (height - high) / 2, std::max(0, width), high);
    x += width + kGap;
  };
  m_stripe->setGeometry(0, 2, kStripe, height - 4);
  x = kStripe + kGap;
  place(m_method, method);
  m_solver->setVisible(plan.solvers);
  if (plan.solvers) place(m_solver, solver);
  const int badge = std::min(badgeWidth(plan.badge), m_header->width() - menu - x - kGap);
  m_badge->setText(
      badge < badgeWidth(plan.badge)
          ? m_badge->fontMetrics().elidedText(m_badgeForms.value(plan.badge), Qt::ElideRight, badge - 12)
          : m_badgeForms.value(plan.badge));
  place(m_badge, badge);
  if (hasReference) place(m_reference, reference);
  const int right = m_header->width() - menu;
  m_numbers->setText(m_numberForms.value(plan.numbers, noText));
  m_numbers->setGeometry(x, 0, std::max(0, right - kGap - x), height);
  m_menu->setGeometry(right, (height - m_menu->sizeHint().height()) / 2, menu, m_menu->sizeHint().height());
}

QSize PaneWidget::viewSize() const {
  layout()->activate();
  const int below = height() - 1 - m_view->geometry().bottom();
  return {m_view->width(), height() - below - m_header->geometry().bottom() - 1};
}

void PaneWidget::resizeEvent(QResizeEvent* event) {
  QFrame::resizeEvent(event);
  layout()->activate();
  layoutHeader();
}

namespace {

const char* const kPaneMime = "application/x-touchstone-pane";

}  // namespace

// A drag on the header moves the pane to another place.
bool PaneWidget::eventFilter(QObject* watched, QEvent* event) {
  if (watched == m_badge && event->type() == QEvent::MouseButtonRelease && m_firstFailure >= 0) {
    m_session->seek(m_firstFailure);
    return true;
  }
  // Boxes get another size when the style reaches them, and when their lists change.
  if (watched == m_header && event->type() == QEvent::LayoutRequest) layoutHeader();
  const bool isPress = event->type() == QEvent::MouseButtonPress;
  if (watched != m_header || (!isPress && event->type() != QEvent::MouseMove))
    return QFrame::eventFilter(watched, event);
  const auto* mouse = static_cast<QMouseEvent*>(event);
  if (isPress) m_pressed = mouse->pos();
  if (!isPress && (mouse->buttons() & Qt::LeftButton) &&
      (mouse->pos() - m_pressed).manhattanLength() >= QApplication::startDragDistance()) {
    auto* data = new QMimeData;
    data->setData(QLatin1String(kPaneMime), QByteArray::number(m_index));
    auto* drag = new QDrag(this);
    drag->setMimeData(data);
    drag->setPixmap(m_header->grab());
    drag->exec(Qt::MoveAction);
    return true;
  }
  return QFrame::eventFilter(watched, event);
}

void PaneWidget::dragEnterEvent(QDragEnterEvent* event) {
  if (event->mimeData()->hasFormat(QLatin1String(kPaneMime))) event->acceptProposedAction();
}

void PaneWidget::dropEvent(QDropEvent* event) {
  const int pane = event->mimeData()->data(QLatin1String(kPaneMime)).toInt();
  event->acceptProposedAction();
  // After the drag has ended, because the panes are rebuilt.
  QTimer::singleShot(0, m_session,
                     [session = m_session, pane, to = m_index] { session->movePane(pane, to); });
}

void PaneWidget::setSelected(bool selected) {
  if (selected == m_selected) return;
  m_selected = selected;
  repaintFrame();
}

void PaneWidget::repaintFrame() {
  const QColor colour = methodColour(qtText(m_session->pane(m_index).settings.method));
  setStyleSheet(QStringLiteral("#pane { border: 2px solid %1; border-radius: 3px; }")
                    .arg(m_selected ? colour.name() : QStringLiteral("transparent")));
}

QString PaneWidget::noticeText() const { return m_notice->text(); }

}  // namespace touchstone
