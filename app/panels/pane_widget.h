#pragma once

#include <QFrame>
#include <QStringList>

#include "app/session/pane_state.h"
#include "core/statistics/summary.h"
#include "widgets/views/view_frame.h"

class QComboBox;
class QLabel;
class QMenu;
class QToolButton;

namespace touchstone {

class SceneView;
class Session;
class TextLine;

/// One pane: a header with its method and status, and the view below. Texts of the header never request
/// width: they are shortened by plan, and the tooltips have them whole.
class PaneWidget : public QFrame {
  Q_OBJECT
 Q_SIGNALS:
  void enlargeRequested();
  void referenceRequested();
  void imageRequested();

 public:
  PaneWidget(Session* session, int index, QWidget* parent = nullptr);

  SceneView* view() const { return m_view; }
  QComboBox* methodBox() const { return m_method; }
  QComboBox* solverBox() const { return m_solver; }
  QString badgeText() const { return m_badgeForms.value(0); }  ///< whole
  QWidget* header() const { return m_header; }
  /// Size that the view has while nothing above it tells why the pane is frozen.
  QSize viewSize() const;
  QString noticeText() const;  ///< why the pane is frozen, or empty
  /// Updates the header after a change of settings or values.
  void refreshSettings();
  /// Shows a frame, after the cursor or the shown data has changed.
  void show(ViewFrame frame);
  /// Updates only the header.
  void showHeader(const StepRecord* record);
  /// Marks the pane as the reference for comparisons.
  void setReference(bool reference);
  /// Applies the application's font size, which style sheets do not pass on to the header.
  void refreshFont();
  void setSelected(bool selected);
  /// Sets whether the window has dark colours.
  void setDark(bool dark);

 protected:
  void resizeEvent(QResizeEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  void buildHeader(QWidget* header);
  void buildMenu();
  void chooseMethod();
  void chooseSolver();
  void showStatus(const StepRecord* record);
  QString runTip(const RunStatus& run) const;
  void showNotice(const QString& notice, const QColor& colour);
  void showNumbers(const StepRecord* record);
  void fillSolverMenu();
  void fitHeaderHeight();
  void layoutHeader();
  void repaintFrame();

  Session* m_session;
  int m_index;
  bool m_selected = false;
  QWidget* m_header = nullptr;
  QPoint m_pressed;  ///< position of a press on the header
  QFrame* m_stripe;
  QComboBox *m_method, *m_solver;
  QMenu* m_solverMenu = nullptr;  ///< the same list as m_solver, which may have no room
  QStringList m_badgeForms;       ///< the longest first
  QStringList m_numberForms;      ///< likewise; the last is the time alone
  QLabel *m_badge, *m_reference;
  TextLine* m_numbers;
  QToolButton* m_menu;
  QLabel* m_notice;  ///< why the pane is frozen
  SceneView* m_view;
  QColor m_badgeColour;
  long m_firstFailure = -1;  ///< frame of the run that is not ok; −1: none
};

}  // namespace touchstone
