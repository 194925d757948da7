#pragma once

#include <QWidget>
#include <memory>
#include <vector>

#include "widgets/views/camera_state.h"
#include "widgets/views/view_settings.h"

class QGridLayout;
class QLabel;

namespace touchstone {

class PaneWidget;
class Session;

/// Rows and columns for a number of panes: as square as it goes, wider than high.
int gridColumns(int panes);

/// The panes side by side, with what they share: view settings, ranges, and the camera while it is linked.
class PaneGrid : public QWidget {
  Q_OBJECT
 public:
  explicit PaneGrid(Session* session, QWidget* parent = nullptr);

  const std::vector<PaneWidget*>& panes() const { return m_panes; }
  ViewSettings viewSettings() const { return m_settings; }
  void setViewSettings(const ViewSettings& settings);
  bool camerasLinked() const { return m_linked; }
  void setCamerasLinked(bool linked);
  void setDark(bool dark);
  /// Shows one pane alone, or all again if it is alone already. −1: all.
  void toggleEnlarged(int pane);
  int enlarged() const { return m_enlarged; }
  void frameAll();
  void lookAlong(ViewAxis axis);
  void markContact(int pane, int contact);

 Q_SIGNALS:
  void imageRequested(int pane);
  void contactPicked(int contact);  ///< of the selected pane; −1: none

 private:
  void rebuild();
  void refreshSettings();
  void refreshRecords();
  void refreshRanges();
  void resetRanges();
  void arrange();
  void follow(int source, const CameraState& camera);
  void addPaneWidget(int index);

  Session* m_session;
  QGridLayout* m_grid;
  QLabel* m_empty;
  std::vector<PaneWidget*> m_panes;
  std::shared_ptr<const void> m_builtFor;  ///< scene of the present panes
  ViewSettings m_settings;
  bool m_linked = true, m_dark = false;
  int m_enlarged = -1;
  double m_deepest = 0, m_largestForce = 0;  ///< m, N: of all frames shown since the history was rewritten
};

}  // namespace touchstone
