#include "app/branches/branch_pane_widget.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

#include "app/session/session.h"
#include "widgets/palette.h"
#include "widgets/text/text_line.h"
#include "widgets/views/scene_view.h"

namespace touchstone {

BranchPaneWidget::BranchPaneWidget(Session* session, const BranchPane& pane, int headerHeight,
                                   QWidget* parent)
    : QFrame(parent),
      m_session(session),
      m_pane(pane),
      m_header(new QWidget(this)),
      m_stripe(new QFrame),
      m_name(new TextLine),
      m_badge(new QLabel),
      m_close(new QToolButton),
      m_view(new SceneView(session->scene(), this)),
      m_notice(new QLabel(this)) {
  setObjectName(QStringLiteral("branchPane"));
  m_header->setFixedHeight(headerHeight);
  auto* row = new QHBoxLayout(m_header);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(4);
  m_stripe->setFixedWidth(6);
  QFont bold = font();
  bold.setBold(true);
  m_name->setFont(bold);
  m_badge->setAlignment(Qt::AlignCenter);
  m_close->setText(QStringLiteral("✕"));
  m_close->setAutoRaise(true);
  m_close->setFocusPolicy(Qt::TabFocus);
  row->addWidget(m_stripe);
  row->addWidget(m_name, 1);
  row->addWidget(m_badge);
  row->addWidget(m_close);
  m_view->setMinimumSize(0, 0);  // the grid decides the size
  m_notice->setAlignment(Qt::AlignCenter);
  m_notice->setWordWrap(true);
  m_notice->setAutoFillBackground(true);
  m_notice->hide();
  connect(m_close, &QToolButton::clicked, this,
          [this] { m_session->hideBranchPane(m_pane.branch, m_pane.pane); });
  refresh();
}

void BranchPaneWidget::refresh() {
  const QString label = m_session->labelOf(m_pane);
  m_name->setForms({label, m_session->branchName(m_pane.branch)});
  const QString what = tr("%1: a branch beside the one that is shown; it does not go on").arg(label);
  m_name->setToolTip(what);
  setAccessibleName(label);
  m_view->setAccessibleName(label);
  m_view->setToolTip(what);
  m_close->setToolTip(tr("Close the pane of %1").arg(label));
  m_close->setAccessibleName(m_close->toolTip());
  const QColor colour = methodColour(m_session->spansOf(m_pane).back().method);
  m_stripe->setStyleSheet(QStringLiteral("background: %1;").arg(colour.name()));
  setStyleSheet(
      QStringLiteral("#branchPane { border: 2px dashed %1; border-radius: 3px; }").arg(colour.name()));
}

void BranchPaneWidget::show(ViewFrame frame) {
  const RecordPtr record = frame.record;
  const bool isRebuilding = !record && m_session->isRebuildingOf(m_pane);
  const bool hasData = record && Session::hasData(*record);
  QString notice;
  if (!record && !isRebuilding) {
    const History& history = m_session->historyOf(m_pane);
    const double now = m_session->timeAt(m_session->cursor());
    if (history.empty())
      notice = tr("its frames are fetched");
    else if (now > history.frames().back()->time)
      notice = tr("%1 ends at %2 s")
                   .arg(m_session->branchName(m_pane.branch))
                   .arg(history.frames().back()->time, 0, 'f', 3);
    else
      notice = tr("%1 has no frame at this time").arg(m_session->branchName(m_pane.branch));
  }
  m_notice->setText(notice);
  m_notice->setVisible(!notice.isEmpty());
  if (record) m_view->show(std::move(frame));
  const QString status = isRebuilding ? tr("computing again")
                         : !record    ? tr("not recorded")
                         : !hasData   ? tr("no data")
                                      : tr(toString(record->status));
  const QColor colour = hasData ? statusColour(record->status) : statusColour(StepStatus::Stopped);
  if (m_badge->text() == status) return;
  m_badge->setText(status);
  m_badge->setAccessibleName(status);
  m_badge->setStyleSheet(QStringLiteral("background: %1; color: white; border-radius: 3px; padding: 1px 5px;")
                             .arg(colour.name()));
}

QString BranchPaneWidget::noticeText() const { return m_notice->isHidden() ? QString() : m_notice->text(); }

void BranchPaneWidget::place() {
  constexpr int kFrame = 2;
  const QRect inside = rect().adjusted(kFrame, kFrame, -kFrame, -kFrame);
  m_header->setGeometry(inside.left(), inside.top(), inside.width(), m_header->height());
  const QRect below = inside.adjusted(0, m_header->height(), 0, 0);
  m_view->setGeometry(below);
  m_notice->setGeometry(below);
  m_notice->raise();
}

QSize BranchPaneWidget::viewSize() const { return m_view->size(); }

void BranchPaneWidget::resizeEvent(QResizeEvent* event) {
  QFrame::resizeEvent(event);
  place();
}

}  // namespace touchstone
