#pragma once

#include <QTableWidget>
#include <functional>

class QMenu;

namespace touchstone {

class Session;
class Timeline;

/// Actions on one branch; those that cannot be done are disabled, with the reason as their tooltip.
/// @param rename  called by the entry that renames; may be empty, then there is none
void fillBranchMenu(QMenu* menu, Session* session, int branch, const std::function<void()>& rename);

/// The branches of time as rows below the timeline, once there are two: name, times, whether the branch
/// is shown as a pane or over the plots, and its extent on the scale of the timeline.
///
/// A click selects a row, one on the extent goes to that time of that branch. Enter shows the branch, F2
/// renames it, Delete removes it, the menu key opens the other actions.
class BranchRows : public QTableWidget {
  Q_OBJECT
 public:
  enum Column { Name, Times, Pane, Plots, Extent, More, ColumnCount };

  BranchRows(Session* session, const Timeline* timeline, QWidget* parent = nullptr);
  /// Number of the branch in a row; -1: there is no such row.
  int branchAt(int row) const;
  /// Edits the name of a branch in its row.
  void rename(int branch);
  /// Place of a time on the extents [px of the viewport].
  double xOf(double time) const;
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void showEvent(QShowEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;

 private:
  void rebuild();
  void refresh();
  void fillRow(int row);
  void setCheck(int row, Column column, const QString& text, bool checked, const QString& why);
  void fitColumns();
  void scrollToShown();
  void onChanged(QTableWidgetItem* item);
  void onClicked(int row, int column, const QPoint& position);
  void showMenu(int row, const QPoint& position);
  int lineHeight() const;

  Session* m_session;
  const Timeline* m_timeline;
  bool m_filling = false;
  int m_shown = -1;  ///< branch that was shown when the rows were filled last
};

}  // namespace touchstone
