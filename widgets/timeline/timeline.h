#pragma once

#include <QWidget>
#include <functional>

#include "widgets/timeline/timeline_events.h"
#include "widgets/timeline/timeline_scale.h"

namespace touchstone {

/// The recorded frames as a bar with a cursor and event marks. A click or drag asks for a frame; it shows
/// nothing by itself. Marks: a coloured stripe in the pane's row, a text in the tooltip.
class Timeline : public QWidget {
  Q_OBJECT
 public:
  explicit Timeline(QWidget* parent = nullptr);

  void setRange(long first, long last);
  void setCursor(long frame, bool live);
  /// `colours`: of the panes, by index.
  void setEvents(const std::vector<TimelineEvent>& events, const std::vector<QColor>& colours);
  /// Time [s] of a recorded frame, for the tooltip.
  void setTimeOf(std::function<double(long)> timeOf) { m_timeOf = std::move(timeOf); }

  TimelineScale scale() const;
  long cursorFrame() const { return m_cursor; }
  const std::vector<TimelineEvent>& events() const { return m_events; }
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
  void paintEvents(QPainter& painter) const;

  long m_first = 0, m_last = 0, m_cursor = 0;
  bool m_live = true;
  std::vector<TimelineEvent> m_events;
  std::vector<QColor> m_colours;
  std::function<double(long)> m_timeOf;
};

}  // namespace touchstone
