#pragma once

#include <QFrame>

#include "app/session/pane_state.h"
#include "widgets/views/view_frame.h"

class QLabel;
class QToolButton;

namespace touchstone {

class SceneView;
class Session;
class TextLine;

/// A pane of another branch beside those of the shown one, at the time of its cursor. It computes nothing and
/// has no settings: to work with it, show its branch.
class BranchPaneWidget : public QFrame {
  Q_OBJECT
 public:
  BranchPaneWidget(Session* session, const BranchPane& pane, int headerHeight, QWidget* parent = nullptr);

  const BranchPane& pane() const { return m_pane; }
  SceneView* view() const { return m_view; }
  QToolButton* closeButton() const { return m_close; }
  QSize viewSize() const;
  /// Reason why no bodies are shown, or empty.
  QString noticeText() const;
  void show(ViewFrame frame);
  /// Updates name and colours.
  void refresh();

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void place();

  Session* m_session;
  BranchPane m_pane;
  QWidget* m_header;
  QFrame* m_stripe;
  TextLine* m_name;
  QLabel* m_badge;
  QToolButton* m_close;
  SceneView* m_view;
  QLabel* m_notice;  ///< covers the view where the branch has no frame
};

}  // namespace touchstone
