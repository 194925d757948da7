#include "app/panels/pane_widget.h"

#include <QApplication>
#include <QComboBox>
#include <QDrag>
#include <QDragEnterEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QMimeData>
#include <QMouseEvent>
#include <QSignalBlocker>
#include <QStandardItemModel>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>
#include <cmath>

#include "app/panels/backend_button.h"
#include "app/session/session.h"
#include "core/engine/engine.h"
#include "core/files/listed.h"
#include "core/run/pane_name.h"
#include "core/solver/dense/problem.h"
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
    for (const SolverInfo& solver : solverTable())
      if (solver.key == key)
        box->setItemData(box->count() - 1,
                         QStringLiteral("%1\n%2").arg(qtText(solver.name), qtText(solver.help)),
                         Qt::ToolTipRole);
  }
  box->setVisible(box->count() > 0);
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
  m_view->setMinimumSize(120, 80);
  connect(m_method, QOverload<int>::of(&QComboBox::activated), this, &PaneWidget::chooseMethod);
  connect(m_solver, QOverload<int>::of(&QComboBox::activated), this, &PaneWidget::chooseSolver);
  connect(m_view, &SceneView::doubleClicked, this, &PaneWidget::enlargeRequested);
  const auto select = [this] { m_session->selectPane(m_index); };
  connect(m_view, &SceneView::bodyPicked, this, select);
  refreshSettings();
}

void PaneWidget::buildHeader(QWidget* header) {
  auto* row = new QHBoxLayout(header);
  row->setContentsMargins(0, 2, 2, 2);
  row->setSpacing(6);
  m_stripe->setFixedWidth(6);
  m_method->setToolTip(tr("Contact method of this pane; it goes on from the present state"));
  m_method->setAccessibleName(tr("Method"));
  m_solver->setToolTip(tr("Solver of the complementarity problem"));
  m_solver->setAccessibleName(tr("Solver"));
  for (QComboBox* box : {m_method, m_solver}) {
    box->setFocusPolicy(Qt::NoFocus);  // Space and arrows keep working for the transport
    box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  }
  QFont bold = m_method->font();
  bold.setBold(true);
  m_method->setFont(bold);
  m_badge->setAlignment(Qt::AlignCenter);
  m_badge->setMargin(2);
  m_reference->setToolTip(
      tr("The other panes are compared with this one: ghost outlines, colour by distance"));
  m_reference->hide();
  m_numbers->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
  m_menu->setText(QStringLiteral("⋮"));
  m_menu->setAutoRaise(true);
  m_menu->setFocusPolicy(Qt::NoFocus);
  m_menu->setPopupMode(QToolButton::InstantPopup);
  m_menu->setToolTip(tr("Enlarge, duplicate, remove, save as image"));
  m_menu->setAccessibleName(tr("Pane menu"));
  m_menu->setStyleSheet(QStringLiteral("QToolButton::menu-indicator { image: none; }"));
  row->addWidget(m_stripe);
  row->addWidget(m_method);
  row->addWidget(m_solver);
  row->addWidget(m_badge);
  row->addWidget(m_reference);
  row->addWidget(m_numbers, 1);
  row->addWidget(m_menu);
  fillMethods(m_method, *m_session->scene());
}

void PaneWidget::buildMenu() {
  auto* menu = new QMenu(m_menu);
  menu->addAction(tr("Enlarge or back (%1)").arg(m_index + 1), this, &PaneWidget::enlargeRequested);
  menu->addAction(tr("Compare the others with this pane"), this, &PaneWidget::referenceRequested);
  menu->addAction(tr("Fork all panes from this one"), this, [this] { m_session->fork(m_index); });
  menu->addAction(tr("Move forward"), this, [this] { m_session->movePane(m_index, m_index - 1); });
  menu->addAction(tr("Move back"), this, [this] { m_session->movePane(m_index, m_index + 1); });
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

void PaneWidget::refreshSettings() {
  const PaneSettings& settings = m_session->pane(m_index).settings;
  const QSignalBlocker quietMethod(m_method), quietSolver(m_solver);
  m_method->setCurrentIndex(m_method->findData(qtText(settings.method)));
  if (const MethodInfo* method = findMethod(settings.method)) {
    fillSolvers(m_solver, *method);
    m_method->setToolTip(QStringLiteral("%1 (%2)").arg(qtText(method->name), qtText(method->source)));
  }
  m_solver->setCurrentIndex(m_solver->findData(qtText(settings.solver)));
  m_stripe->setStyleSheet(
      QStringLiteral("background: %1;").arg(methodColour(qtText(settings.method)).name()));
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
}

void PaneWidget::refreshFont() {
  for (QWidget* widget :
       std::initializer_list<QWidget*>{m_method, m_solver, m_badge, m_reference, m_numbers, m_menu}) {
    QFont font = QApplication::font();
    font.setBold(widget == m_method);
    widget->setFont(font);
  }
}

void PaneWidget::setDark(bool dark) {
  m_view->setDark(dark);
  m_reference->setStyleSheet(
      QStringLiteral("border: 1px solid %1; border-radius: 3px; color: %1; padding: 0px 4px;")
          .arg(themeColours(dark).warm.name()));
}

void PaneWidget::setReference(bool reference) { m_reference->setVisible(reference); }

void PaneWidget::showStatus(const StepRecord* record) {
  const bool rebuilding = !record && m_session->isRebuilding(m_index);
  const bool hasData = !record || record->status != StepStatus::Ok || record->statusText.empty();
  const QString name = !hasData     ? tr("no data")
                       : record     ? tr(toString(record->status))
                       : rebuilding ? tr("computing again")
                                    : tr("not recorded");
  const QColor colour = record && hasData ? statusColour(record->status) : palette().color(QPalette::Mid);
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
  showNotice(record && isFrozen(record->status) ? qtText(record->statusText) : QString(), colour);
  const bool warned = record && record->status == StepStatus::Ok && !record->warnings.empty();
  m_badge->setToolTip(tip.trimmed().isEmpty() ? tr("The step succeeded without warnings.")
                                              : plainToolTip(tip.trimmed()));
  // The boxes show what runs now; a frame from before a change was computed by another method.
  const bool isOfOther = record && computedBy != m_session->paneLabel(m_index);
  const QString shown = (isOfOther ? computedBy + QStringLiteral(": ") : QString()) +
                        (warned ? name + QStringLiteral(" (!)") : name) + ranAs;
  if (m_badge->text() == shown) return;
  m_badge->setText(shown);
  m_badge->setStyleSheet(QStringLiteral("background: %1; color: white; border-radius: 3px; padding: 1px 5px;")
                             .arg(colour.name()));
  m_header->layout()->activate();  // else a longer text is cut off until the next turn of the event loop
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
    m_numbers->setText(QString());
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
  // The longest text that fits. The tooltip has everything.
  const QStringList texts = {device + QStringLiteral("%1 ms  ·  %2%3").arg(time, contacts, substeps),
                             device + QStringLiteral("%1 ms  ·  %2").arg(time, contacts),
                             device + QStringLiteral("%1 ms").arg(time), QStringLiteral("%1 ms").arg(time),
                             QString()};
  int fitting = 0;
  while (m_numbers->fontMetrics().horizontalAdvance(texts[fitting]) > m_numbers->width() &&
         fitting + 1 < texts.size())
    ++fitting;
  m_numbers->setText(texts[fitting]);
  m_numbers->setToolTip(
      texts.first() +
      tr("\nWhere the frame was computed, if not on the CPU; wall-clock time without measurement; "
         "contacts of the last substep; steps per frame"));
}

void PaneWidget::resizeEvent(QResizeEvent* event) {
  QFrame::resizeEvent(event);
  layout()->activate();
  showNumbers(m_session->shown(m_index).get());
}

namespace {

const char* const kPaneMime = "application/x-touchstone-pane";

}  // namespace

// A drag on the header moves the pane to another place.
bool PaneWidget::eventFilter(QObject* watched, QEvent* event) {
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

QString PaneWidget::badgeText() const { return m_badge->text(); }

QString PaneWidget::noticeText() const { return m_notice->text(); }

}  // namespace touchstone
