#pragma once

#include <QWidget>

class QComboBox;
class QMenu;
class QToolButton;

namespace touchstone {

class Session;
class TextLine;
class Timeline;

/// |< < run > >|, speed, loop, fork, the timeline, branch, live. Communicates only with the session.
class TransportBar : public QWidget {
  Q_OBJECT
 public:
  explicit TransportBar(Session* session, QWidget* parent = nullptr);
  Timeline* timeline() const { return m_timeline; }
  QToolButton* runButton() const { return m_run; }
  QToolButton* forkButton() const { return m_fork; }
  QToolButton* loopButton() const { return m_loop; }
  QToolButton* branchButton() const { return m_branch; }
  /// Adds entries that show a branch each.
  void fillBranches(QMenu* menu) const;
  /// Description of a fork from the selected pane at the cursor.
  QString forkText() const;
  /// Moves one step up or down in the list of speeds.
  void changeSpeed(int by);
  /// Shows markers A and B at these frames; −1: none.
  void setPlotMarkers(long a, long b);
  /// Sets a speed of the list; other speeds are ignored.
  void setSpeed(double speed);

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  QToolButton* addButton(const QString& text, const QString& tip);
  void suggestSpeed();
  void buildSpeeds();
  void refresh();
  void refreshFork();
  void refreshRange();
  void refreshMarks();
  void refreshBranches();

  Session* m_session;
  Timeline* m_timeline;
  QToolButton *m_run, *m_live, *m_loop, *m_fork, *m_branch;
  QComboBox* m_speed;
  TextLine* m_time;
  long m_plotMarkers[2] = {-1, -1};
};

}  // namespace touchstone
