#pragma once

#include <QFrame>

#include "app/pane_state.h"

class QComboBox;
class QLabel;
class QToolButton;

namespace touchstone {

class SceneView;
class Session;

/// One pane: a header that says what runs and how it fares, and the view below.
class PaneWidget : public QFrame {
  Q_OBJECT
 Q_SIGNALS:
  void enlargeRequested();
  void imageRequested();

 public:
  PaneWidget(Session* session, int index, QWidget* parent = nullptr);

  SceneView* view() const { return m_view; }
  QComboBox* methodBox() const { return m_method; }
  QComboBox* solverBox() const { return m_solver; }
  QString badgeText() const;
  /// Settings or values changed.
  void refreshSettings();
  /// The cursor moved or the record there changed.
  void refreshRecord();
  void setSelected(bool selected);

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void buildHeader(QWidget* header);
  void buildMenu();
  void chooseMethod();
  void chooseSolver();
  void showStatus(const StepRecord* record);
  void showNumbers(const StepRecord* record);
  void repaintFrame();

  Session* m_session;
  int m_index;
  bool m_selected = false;
  QFrame* m_stripe;
  QComboBox *m_method, *m_solver;
  QLabel *m_badge, *m_numbers;
  QToolButton* m_menu;
  SceneView* m_view;
};

}  // namespace touchstone
