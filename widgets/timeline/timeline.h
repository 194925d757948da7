#pragma once

#include <QColor>
#include <QString>
#include <QWidget>
#include <functional>
#include <vector>

#include "widgets/timeline/timeline_events.h"
#include "widgets/timeline/timeline_scale.h"

namespace touchstone {

/// A time at which the user did something, in contrast to an event.
struct TimelineMark {
  long frame = 0;
  QString symbol, text;  ///< text: shown in the tooltip
  QColor colour;         ///< invalid: colour of the window's text
};

/// The recorded frames as a bar with a cursor, marks of events and marks of user actions. A click or drag
/// requests a frame; the bar changes nothing itself. An event mark is a stripe in the colour of the method,
/// with a tooltip.
class Timeline : public QWidget {
  Q_OBJECT
 public:
  explicit Timeline(QWidget* parent = nullptr);

  void setRange(long first, long last);
  void setCursor(long frame, bool live);
  void setEvents(const std::vector<TimelineEvent>& events);
  void setMarks(const std::vector<TimelineMark>& marks);
  /// Time [s] of a recorded frame, for the tooltip.
  void setTimeOf(std::function<double(long)> timeOf) { m_timeOf = std::move(timeOf); }

  TimelineScale scale() const;
  const std::vector<TimelineEvent>& events() const { return m_events; }
  const std::vector<TimelineMark>& marks() const { return m_marks; }
  QSize sizeHint() const override { return {400, 40}; }
  QSize minimumSizeHint() const override { return {120, 40}; }

 Q_SIGNALS:
  void frameRequested(long frame);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  bool event(QEvent* event) override;

 private:
  QRectF groove() const;
  QString textAt(const QPoint& position) const;
  void paintMarks(QPainter& painter) const;

  long m_first = 0, m_last = 0, m_cursor = 0;
  bool m_live = true;
  std::vector<TimelineEvent> m_events;
  std::vector<TimelineMark> m_marks;
  std::function<double(long)> m_timeOf;
};

}  // namespace touchstone
