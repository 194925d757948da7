#include "widgets/timeline/timeline.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <cmath>
#include <map>

#include "widgets/palette.h"

namespace touchstone {

namespace {

constexpr double kMargin = 10;       // px, left and right
constexpr double kGrooveHeight = 8;  // px
// [px] Marks at one place are drawn next to each other. Wider ones cover neighbours; narrower ones are hard
// to hit.
constexpr double kMarkWidth = 9;
// [px] Marks within this distance of the pointer are named. A larger value names marks far away; a smaller
// one makes them hard to hit.
constexpr double kReach = 4;
// Most marks in a tooltip. A larger value makes tooltips that do not fit on the screen; a smaller one hides
// marks.
constexpr int kMostNamed = 8;

QString symbolOf(TimelineEventKind kind) {
  switch (kind) {
    case TimelineEventKind::FirstContact:
      return QStringLiteral("●");
    case TimelineEventKind::Trap:
      return QStringLiteral("◆");
    case TimelineEventKind::Energy:
      return QStringLiteral("⚡");
    case TimelineEventKind::NotConverged:
      return QStringLiteral("▲");
    case TimelineEventKind::NoSolution:
      return QStringLiteral("■");
    case TimelineEventKind::Diverged:
      return QStringLiteral("✖");
    default:
      return QStringLiteral("⊘");
  }
}

}  // namespace

Timeline::Timeline(QWidget* parent) : QWidget(parent) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  setMouseTracking(true);
  setAccessibleName(tr("Timeline"));
  setAccessibleDescription(tr("Recorded frames; click or drag to show one"));
}

void Timeline::setRange(long first, long last) {
  if (first == m_first && last == m_last) return;
  m_first = first;
  m_last = std::max(first, last);
  update();
}

void Timeline::setCursor(long frame, bool live) {
  if (frame == m_cursor && live == m_live) return;
  m_cursor = frame;
  m_live = live;
  update();
}

void Timeline::setEvents(const std::vector<TimelineEvent>& events) {
  m_events = events;
  update();
}

void Timeline::setMarks(const std::vector<TimelineMark>& marks) {
  m_marks = marks;
  update();
}

QRectF Timeline::groove() const {
  return {kMargin, 0.5 * (height() - kGrooveHeight) + 6, width() - 2 * kMargin, kGrooveHeight};
}

TimelineScale Timeline::scale() const {
  const QRectF bar = groove();
  return {m_first, m_last, bar.left(), bar.right()};
}

void Timeline::paintMarks(QPainter& painter) const {
  const QRectF bar = groove();
  const TimelineScale map = scale();
  QFont font = painter.font();
  font.setPixelSize(11);
  painter.setFont(font);
  std::map<long, int> marksAt;
  const auto paint = [&](double x, const QString& symbol, const QColor& colour) {
    const double shift = kMarkWidth * marksAt[std::lround(x / kMarkWidth)]++;
    painter.setPen(QPen(colour.isValid() ? colour : palette().color(QPalette::WindowText), 1.5));
    painter.drawLine(QPointF(x, bar.top() - 3), QPointF(x, bar.bottom() + 1));
    painter.drawText(QRectF(x - 10 + shift, bar.top() - 17, 20, 14), Qt::AlignCenter, symbol);
  };
  const auto isShown = [this](long frame) { return frame >= m_first && frame <= m_last; };
  std::map<QString, double> lastMark;  // one mark of each kind per place
  for (const TimelineMark& mark : m_marks) {
    const QString kind = mark.symbol + mark.colour.name();
    const auto last = lastMark.find(kind);
    const double x = map.xOf(mark.frame);
    if (!isShown(mark.frame) || (last != lastMark.end() && x - last->second < kReach)) continue;
    lastMark[kind] = x;
    paint(x, mark.symbol, mark.colour);
  }
  std::map<std::pair<int, TimelineEventKind>, double> lastX;  // one mark per pane, kind and place
  for (const TimelineEvent& event : m_events) {
    const double x = map.xOf(event.frame);
    const auto last = lastX.find({event.pane, event.kind});
    if (!isShown(event.frame) || (last != lastX.end() && x - last->second < kReach)) continue;
    lastX[{event.pane, event.kind}] = x;
    paint(x, symbolOf(event.kind), methodColour(QString::fromStdString(event.method)));
  }
}

void Timeline::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const QRectF bar = groove();
  painter.setPen(Qt::NoPen);
  painter.setBrush(palette().color(QPalette::Mid));
  painter.drawRoundedRect(bar, 4, 4);
  if (m_last <= m_first && isEnabled()) {
    painter.setPen(palette().color(QPalette::PlaceholderText));
    painter.drawText(QRectF(bar.left(), 0, bar.width(), bar.top() - 2), Qt::AlignCenter,
                     tr("No recorded frames yet: press Space to run"));
  }
  const double x = scale().xOf(m_cursor);
  painter.setPen(Qt::NoPen);
  QRectF done = bar;
  done.setRight(x);
  painter.setBrush(palette().color(QPalette::Highlight));
  painter.drawRoundedRect(done, 4, 4);
  paintMarks(painter);
  painter.setPen(QPen(palette().color(QPalette::Window), 1.5));
  painter.setBrush(m_live ? QColor(0x2e, 0x9e, 0x5b) : palette().color(QPalette::Highlight));
  painter.drawEllipse(QPointF(x, bar.center().y()), 7, 7);
}

void Timeline::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) Q_EMIT frameRequested(scale().frameAt(event->pos().x()));
}

void Timeline::mouseMoveEvent(QMouseEvent* event) {
  if (event->buttons() & Qt::LeftButton) Q_EMIT frameRequested(scale().frameAt(event->pos().x()));
}

QString Timeline::textAt(const QPoint& position) const {
  const TimelineScale map = scale();
  const long frame = map.frameAt(position.x());
  QString text = m_timeOf ? tr("frame %1, t = %2 s").arg(frame).arg(m_timeOf(frame), 0, 'f', 3)
                          : tr("frame %1").arg(frame);
  int named = 0;
  for (const TimelineMark& mark : m_marks) {
    if (std::abs(map.xOf(mark.frame) - position.x()) > kReach || ++named > kMostNamed) continue;
    text += QStringLiteral("\n%1 %2").arg(mark.symbol, mark.text);
  }
  for (const TimelineEvent& event : m_events) {
    if (std::abs(map.xOf(event.frame) - position.x()) > kReach || ++named > kMostNamed) continue;
    text +=
        QStringLiteral("\n%1 %2: %3 at %4 s")
            .arg(symbolOf(event.kind), QString::fromStdString(event.method).toUpper(), toString(event.kind))
            .arg(event.time, 0, 'f', 3);
  }
  return text;
}

bool Timeline::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    QToolTip::showText(help->globalPos(), textAt(help->pos()), this);
    return true;
  }
  return QWidget::event(event);
}

}  // namespace touchstone
