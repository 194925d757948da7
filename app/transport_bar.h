#pragma once

#include <QWidget>

class QComboBox;
class QToolButton;

namespace touchstone {

class Session;
class TextLine;
class Timeline;

/// |< < run > >|, speed, loop, live, and the timeline. Talks to the session only.
class TransportBar : public QWidget {
  Q_OBJECT
 public:
  explicit TransportBar(Session* session, QWidget* parent = nullptr);
  Timeline* timeline() const { return m_timeline; }
  QToolButton* runButton() const { return m_run; }
  /// One step up or down the list of speeds.
  void changeSpeed(int by);
  /// A speed of the list; others are left alone.
  void setSpeed(double speed);

 private:
  QToolButton* addButton(const QString& text, const QString& tip);
  void buildSpeeds();
  void refresh();
  void refreshRange();

  Session* m_session;
  Timeline* m_timeline;
  QToolButton *m_run, *m_live, *m_loop;
  QComboBox* m_speed;
  TextLine* m_time;
};

}  // namespace touchstone
