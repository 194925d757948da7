#include "app/branches/branch_rows.h"

#include <QContextMenuEvent>
#include <QHeaderView>
#include <QKeyEvent>
#include <QMenu>
#include <QPainter>
#include <QScrollBar>
#include <QStyledItemDelegate>
#include <algorithm>
#include <cmath>

#include "app/plots/session_curves.h"
#include "app/session/session.h"
#include "core/math/count.h"
#include "widgets/palette.h"
#include "widgets/plots/plot_lines.h"
#include "widgets/timeline/timeline.h"

namespace touchstone {

namespace {

// Rows that are seen at once, fewer in a window that is lower than kLow [px]. More take space from the panes;
// fewer hide a fork and what it left.
constexpr int kMostShown = 4, kMostShownInLow = 2, kLow = 800;
constexpr int kBranchRole = Qt::UserRole;

/// Draws the extent of a branch with the dash that its curves have in the plots.
class ExtentDelegate : public QStyledItemDelegate {
 public:
  ExtentDelegate(Session* session, const BranchRows* rows, QObject* parent)
      : QStyledItemDelegate(parent), m_session(session), m_rows(rows) {}

  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    QStyledItemDelegate::paint(painter, option, index);
    const int branch = m_rows->branchAt(index.row());
    for (const BranchInfo& info : m_session->branches())
      if (info.id == branch) paintExtent(*painter, option, info);
  }

 private:
  void paintExtent(QPainter& painter, const QStyleOptionViewItem& option, const BranchInfo& info) const {
    const bool isShown = info.id == m_session->branch();
    const double lastTime = isShown ? m_session->timeAt(m_session->lastFrame()) : info.lastTime;
    const double end = m_session->timeAt(m_session->lastFrame());
    const double y = option.rect.center().y() + 0.5;
    const double firstX = m_rows->xOf(std::min(info.fromTime, end)), lastX = m_rows->xOf(lastTime);
    PlotState ground;
    ground.dark = isDark(option.palette);
    const bool isSelected = option.state & QStyle::State_Selected;
    const QColor colour = option.palette.color(isSelected ? QPalette::HighlightedText
                                               : isShown  ? QPalette::Highlight
                                                          : QPalette::WindowText);
    painter.save();
    painter.setClipRect(option.rect);
    painter.setRenderHint(QPainter::Antialiasing);
    constexpr double kWidth = 2.5;  // px
    QPen pen = penOf(colour, isShown ? static_cast<int>(Qt::SolidLine) : branchDash(info.id), ground, kWidth);
    pen.setColor(colour);
    painter.setPen(pen);
    painter.drawLine(QPointF(firstX, y), QPointF(std::max(lastX, firstX + 1), y));
    painter.setPen(QPen(colour, 2));
    painter.drawLine(QPointF(firstX, y - 5), QPointF(firstX, y + 5));
    if (lastTime > end + 0.5 * m_session->dt())  // it goes on beyond the timeline
      painter.drawText(QRectF(lastX + 3, option.rect.top(), 16, option.rect.height()), Qt::AlignVCenter,
                       QStringLiteral("▸"));
    painter.restore();
  }

  Session* m_session;
  const BranchRows* m_rows;
};

QString timesOf(const Session& session, const BranchInfo& info) {
  const bool isShown = info.id == session.branch();
  const double last = isShown ? session.timeAt(session.lastFrame()) : info.lastTime;
  return Session::tr("%1 – %2 s").arg(info.fromTime, 0, 'f', 3).arg(last, 0, 'f', 3);
}

QAction* addChecked(QMenu* menu, const QString& text, bool checked, const QString& why) {
  QAction* action = menu->addAction(text);
  action->setCheckable(true);
  action->setChecked(checked);
  action->setEnabled(checked || why.isEmpty());
  action->setToolTip(checked || why.isEmpty() ? text : text + QStringLiteral(": ") + why);
  return action;
}

}  // namespace

void fillBranchMenu(QMenu* menu, Session* session, int branch, const std::function<void()>& rename) {
  menu->setToolTipsVisible(true);
  QAction* show = addChecked(menu, BranchRows::tr("&Show"), branch == session->branch(), QString());
  QObject::connect(show, &QAction::triggered, session, [session, branch] { session->showBranch(branch); });
  const QString whyNoPane = session->whyNoPane(branch);
  const RestingBranch* resting = session->restingBranch(branch);
  const std::vector<BranchPane> shown = session->branchPanes();
  if (!resting) {
    addChecked(menu, BranchRows::tr("&Pane beside"), false, whyNoPane);
  } else {
    QMenu* panes = menu->addMenu(BranchRows::tr("&Pane beside"));
    panes->setToolTipsVisible(true);
    for (const PaneState& pane : resting->panes) {
      const BranchPane wanted{branch, pane.id};
      const bool isThere = std::count(shown.begin(), shown.end(), wanted) > 0;
      QAction* action = addChecked(panes, session->spansOf(wanted).back().label, isThere, whyNoPane);
      QObject::connect(action, &QAction::triggered, session, [session, wanted](bool on) {
        if (on)
          session->showBranchPane(wanted.branch, wanted.pane);
        else
          session->hideBranchPane(wanted.branch, wanted.pane);
      });
    }
  }
  QAction* overlay = addChecked(menu, BranchRows::tr("&Curves in the plots"), session->isOverlaid(branch),
                                session->whyNoOverlay(branch));
  QObject::connect(overlay, &QAction::triggered, session,
                   [session, branch](bool on) { session->setOverlaid(branch, on); });
  menu->addSeparator();
  if (rename) menu->addAction(BranchRows::tr("&Rename… (F2)"), menu, rename);
  QAction* remove = menu->addAction(BranchRows::tr("&Delete (Ctrl+Z brings it back)"));
  const QString whyNoRemoval = session->whyNoRemoval();
  remove->setEnabled(whyNoRemoval.isEmpty());
  if (!whyNoRemoval.isEmpty()) remove->setToolTip(BranchRows::tr("Delete: %1").arg(whyNoRemoval));
  QObject::connect(remove, &QAction::triggered, session,
                   [session, branch] { session->removeBranch(branch); });
}

BranchRows::BranchRows(Session* session, const Timeline* timeline, QWidget* parent)
    : QTableWidget(0, ColumnCount, parent), m_session(session), m_timeline(timeline) {
  setObjectName(QStringLiteral("branchRows"));
  setAccessibleName(tr("Branches"));
  setAccessibleDescription(tr(
      "Rows of the timeline: Enter shows a branch, F2 renames it, Delete removes it, the menu key has more"));
  horizontalHeader()->hide();
  verticalHeader()->hide();
  horizontalHeader()->setMinimumSectionSize(1);
  setShowGrid(false);
  setFrameShape(QFrame::NoFrame);
  setSelectionBehavior(QAbstractItemView::SelectRows);
  setSelectionMode(QAbstractItemView::SingleSelection);
  setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setVerticalScrollMode(QAbstractItemView::ScrollPerItem);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  setItemDelegateForColumn(Extent, new ExtentDelegate(session, this, this));
  viewport()->installEventFilter(this);
  hide();  // before the window is laid out for the first time
  const_cast<Timeline*>(timeline)->installEventFilter(this);
  connect(this, &QTableWidget::itemChanged, this, &BranchRows::onChanged);
  connect(this, &QTableWidget::activated, this,
          [this](const QModelIndex& index) { m_session->showBranch(branchAt(index.row())); });
  connect(session, &Session::branchesChanged, this, &BranchRows::rebuild);
  const auto follow = [this] {
    if (isVisible()) refresh();
  };
  connect(session, &Session::viewsShown, this, follow);
  connect(session, &Session::historyChanged, this, follow);
  rebuild();
}

int BranchRows::branchAt(int row) const {
  const QTableWidgetItem* first = row < 0 || row >= rowCount() ? nullptr : item(row, Name);
  return first ? first->data(kBranchRole).toInt() : -1;
}

void BranchRows::rebuild() {
  const std::vector<BranchInfo>& branches = m_session->branches();
  const bool isNeeded = branches.size() > 1;
  const int current = branchAt(currentRow());
  m_filling = true;
  setRowCount(countOf(branches));
  for (int row = 0; row < rowCount(); ++row) {
    for (int column = 0; column < ColumnCount; ++column)
      if (!item(row, column)) setItem(row, column, new QTableWidgetItem);
    verticalHeader()->resizeSection(row, lineHeight());
    item(row, Name)->setData(kBranchRole, branches[row].id);
    fillRow(row);
  }
  for (int row = 0; row < rowCount(); ++row)
    if (branchAt(row) == current && current >= 0) setCurrentCell(row, std::max(0, currentColumn()));
  m_filling = false;
  if (isNeeded == isHidden()) setVisible(isNeeded);
  updateGeometry();
  fitColumns();
  if (m_shown != m_session->branch()) scrollToShown();
  m_shown = m_session->branch();
  viewport()->update();
}

void BranchRows::fillRow(int row) {
  const int branch = branchAt(row);
  const bool isShown = branch == m_session->branch();
  for (const BranchInfo& info : m_session->branches()) {
    if (info.id != branch) continue;
    const QString name = m_session->branchName(branch), label = m_session->branchLabel(info);
    const QString whole = isShown ? tr("%1; it is shown").arg(label) : label;
    for (int column = 0; column < ColumnCount; ++column) {
      QTableWidgetItem* cell = item(row, column);
      QFont face = font();
      face.setBold(isShown);
      cell->setFont(face);
      cell->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable);
      cell->setToolTip(whole);
    }
    item(row, Name)->setText(name);
    item(row, Name)->setFlags(item(row, Name)->flags() | Qt::ItemIsEditable);
    item(row, Name)->setData(Qt::AccessibleTextRole, whole);
    item(row, Times)->setText(timesOf(*m_session, info));
    item(row, Extent)->setToolTip(tr("%1\nA click goes to that time of it").arg(whole));
    item(row, Extent)->setData(Qt::AccessibleTextRole, tr("Extent of %1").arg(name));
    item(row, More)->setText(QStringLiteral("⋮"));
    item(row, More)->setTextAlignment(Qt::AlignCenter);
    item(row, More)->setToolTip(tr("More of %1").arg(name));
    item(row, More)->setData(Qt::AccessibleTextRole, tr("More of %1").arg(name));
    setCheck(row, Pane, tr("Pane"), m_session->hasBranchPane(branch), m_session->whyNoPane(branch));
    setCheck(row, Plots, tr("Plots"), m_session->isOverlaid(branch), m_session->whyNoOverlay(branch));
  }
}

void BranchRows::setCheck(int row, Column column, const QString& text, bool checked, const QString& why) {
  QTableWidgetItem* cell = item(row, column);
  const QString name = m_session->branchName(branchAt(row));
  const QString what = column == Pane ? tr("%1 as a pane beside the others").arg(name)
                                      : tr("Curves of %1 in the plots").arg(name);
  const bool isPossible = checked || why.isEmpty();
  cell->setFont(font());  // a bold one would not fit
  cell->setText(text);
  cell->setCheckState(checked ? Qt::Checked : Qt::Unchecked);
  cell->setFlags(isPossible ? Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable
                            : Qt::ItemIsSelectable);
  cell->setToolTip(isPossible ? what : tr("%1: %2").arg(what, why));
  cell->setData(Qt::AccessibleTextRole, what);
  cell->setData(Qt::AccessibleDescriptionRole, isPossible ? QString() : why);
}

void BranchRows::scrollToShown() {
  updateGeometries();  // the scroll bar does not know of new rows yet
  for (int row = 0; row < rowCount(); ++row)
    if (branchAt(row) == m_session->branch()) scrollToItem(item(row, Name));
}

/// Times and extents move with the run.
void BranchRows::refresh() {
  for (int row = 0; row < rowCount(); ++row)
    for (const BranchInfo& info : m_session->branches())
      if (info.id == branchAt(row) && info.id == m_session->branch()) {
        m_filling = true;
        item(row, Times)->setText(timesOf(*m_session, info));
        m_filling = false;
      }
  viewport()->update();
}

int BranchRows::lineHeight() const { return fontMetrics().height() + 4; }

QSize BranchRows::sizeHint() const {
  const int maxShown = window()->height() < kLow ? kMostShownInLow : kMostShown;
  return {400, std::clamp(rowCount(), 1, maxShown) * lineHeight()};
}

QSize BranchRows::minimumSizeHint() const { return {200, sizeHint().height()}; }

double BranchRows::xOf(double time) const {
  const TimelineScale scale = m_timeline->scale();
  const double x = scale.xOf(frameAt(*m_session, time));
  const int shift = viewport()->mapFromGlobal(m_timeline->mapToGlobal(QPoint(0, 0))).x();
  return x + shift;
}

/// The extents lie below the timeline, the names before it.
void BranchRows::fitColumns() {
  const QFontMetrics metrics = fontMetrics();
  constexpr int kPadding = 10, kBox = 30;  // px beside texts, and beside those of boxes
  const int timelineX = viewport()->mapFromGlobal(m_timeline->mapToGlobal(QPoint(0, 0))).x();
  const int times = metrics.horizontalAdvance(QStringLiteral("000.000 – 000.000 s")) + kPadding;
  const int pane = metrics.horizontalAdvance(tr("Pane")) + kBox,
            plots = metrics.horizontalAdvance(tr("Plots")) + kBox;
  const int more = metrics.horizontalAdvance(QStringLiteral("⋮")) + 2 * kPadding;
  const int name = std::max(metrics.averageCharWidth() * 14, timelineX - times - pane - plots);
  setColumnWidth(Name, name);
  setColumnWidth(Times, times);
  setColumnWidth(Pane, pane);
  setColumnWidth(Plots, plots);
  setColumnWidth(More, more);
  setColumnWidth(Extent, std::max(1, viewport()->width() - name - times - pane - plots - more));
}

void BranchRows::onChanged(QTableWidgetItem* cell) {
  if (m_filling) return;
  const int branch = branchAt(cell->row());
  const bool on = cell->checkState() == Qt::Checked;
  if (cell->column() == Name) m_session->renameBranch(branch, cell->text());
  if (cell->column() == Pane && on) m_session->showBranchPane(branch);
  if (cell->column() == Pane && !on) m_session->hideBranchPane(branch);
  if (cell->column() == Plots) m_session->setOverlaid(branch, on);
  rebuild();
}

void BranchRows::onClicked(int row, int column, const QPoint& position) {
  const int branch = branchAt(row);
  if (branch < 0) return;
  if (column == More) return showMenu(row, position);
  if (column != Extent) return;
  const double startX = xOf(m_session->timeAt(m_session->firstFrame()));
  const long frame = m_timeline->scale().frameAt(position.x() - startX + m_timeline->scale().left);
  if (branch == m_session->branch()) return m_session->seek(frame);
  for (const BranchInfo& info : m_session->branches())
    if (info.id == branch) m_session->showBranch(branch, std::min(frame, info.last));
}

bool BranchRows::eventFilter(QObject* watched, QEvent* event) {
  if (watched == window() && event->type() == QEvent::Resize) updateGeometry();
  if (watched == m_timeline && (event->type() == QEvent::Move || event->type() == QEvent::Resize)) {
    fitColumns();
    viewport()->update();
  }
  if (watched == viewport() && event->type() == QEvent::MouseButtonRelease) {
    const auto* mouse = static_cast<QMouseEvent*>(event);
    const QModelIndex index = indexAt(mouse->pos());
    if (mouse->button() == Qt::LeftButton && index.isValid() &&
        (index.column() == Extent || index.column() == More))
      onClicked(index.row(), index.column(), mouse->pos());
  }
  return QTableWidget::eventFilter(watched, event);
}

void BranchRows::showEvent(QShowEvent* event) {
  QTableWidget::showEvent(event);
  window()->installEventFilter(this);
}

void BranchRows::resizeEvent(QResizeEvent* event) {
  QTableWidget::resizeEvent(event);
  fitColumns();
  if (event->size().height() != event->oldSize().height()) scrollToShown();
}

void BranchRows::keyPressEvent(QKeyEvent* event) {
  const int branch = branchAt(currentRow());
  if (event->key() == Qt::Key_Delete && branch >= 0 && state() != EditingState) {
    m_session->removeBranch(branch);
    return;
  }
  if (event->key() == Qt::Key_F2 && branch >= 0) {
    rename(branch);
    return;
  }
  if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && branch >= 0 &&
      state() != EditingState) {
    m_session->showBranch(branch);
    return;
  }
  QTableWidget::keyPressEvent(event);
}

void BranchRows::contextMenuEvent(QContextMenuEvent* event) {
  const bool isByKey = event->reason() == QContextMenuEvent::Keyboard;
  const int row = isByKey ? currentRow() : indexAt(viewport()->mapFromGlobal(event->globalPos())).row();
  if (row < 0) return;
  setCurrentCell(row, Name);
  showMenu(row, isByKey ? visualItemRect(item(row, Name)).bottomLeft()
                        : viewport()->mapFromGlobal(event->globalPos()));
}

void BranchRows::showMenu(int row, const QPoint& position) {
  const int branch = branchAt(row);
  if (branch < 0) return;
  auto* menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  fillBranchMenu(menu, m_session, branch, [this, branch] { rename(branch); });
  menu->popup(viewport()->mapToGlobal(position));
}

void BranchRows::rename(int branch) {
  for (int row = 0; row < rowCount(); ++row)
    if (branchAt(row) == branch) {
      setFocus(Qt::ShortcutFocusReason);
      setCurrentCell(row, Name);
      editItem(item(row, Name));
    }
}

}  // namespace touchstone
