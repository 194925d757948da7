#pragma once

#include <QTimer>
#include <QWidget>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "app/session/view_ranges.h"
#include "core/record/contact_features.h"
#include "widgets/views/camera_state.h"
#include "widgets/views/view_frame.h"
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
  /// Upper end of the depth scale now [m].
  double depthRange() const;
  bool camerasLinked() const { return m_linked; }
  void setCamerasLinked(bool linked);
  void setDark(bool dark);
  /// Of texts in the views; 1 is normal.
  void setTextScale(double scale);
  /// Shows one pane alone, or all again if it is alone already. −1: all.
  void toggleEnlarged(int pane);
  int enlarged() const { return m_enlarged; }
  /// What stands in place of panes while there are none. @param file  that is being opened; empty: none
  void setOpening(const QString& file);
  void frameAll();
  void lookAlong(ViewAxis axis);
  /// Lights up the features of a contact of a pane in all panes until another is picked; −1: none.
  void markContact(int pane, int contact);
  /// Moves the picked features through the step of the selected pane: 0 its start, 1 its end; none: as they
  /// are shown.
  void setStepFraction(const std::optional<double>& fraction);
  /// Brings all panes up to date now, for pictures.
  void refreshNow() { refreshRecords(); }
  CameraState camera(int pane) const;
  void setCamera(int pane, const CameraState& camera);

 Q_SIGNALS:
  void viewSettingsChanged();
  void framesShown();  ///< all panes show one time again
  void imageRequested(int pane);
  void contactPicked(int contact);  ///< of the selected pane; −1: none

 private:
  void rebuild();
  void refreshSettings();
  void followPanes();
  void refreshRecords();
  void onCursorMoved();
  void beginStages();
  void showNextPane();
  void endStages();
  void refreshRanges();
  ViewFrame frameOf(int pane) const;
  void addPast(int pane, ViewFrame& frame) const;
  void addPicked(int pane, ViewFrame& frame) const;
  void startPull(int pane, int body, const QPoint& position);
  void movePull(int pane, const QPoint& position);
  void endPull();
  void arrange();
  void copyCamera(int source);
  void addPaneWidget(int index);

  Session* m_session;
  QGridLayout* m_grid;
  QLabel* m_empty;
  std::vector<PaneWidget*> m_panes;
  std::shared_ptr<const void> m_builtFor;  ///< scene of the present panes
  ViewSettings m_settings;
  bool m_linked = true, m_dark = false;
  double m_textScale = 1;
  int m_enlarged = -1;
  ViewRanges m_ranges;
  SharedRanges m_shownRanges;
  std::vector<int> m_ids;                ///< [paneCount] whose panes the widgets are
  std::map<int, CameraState> m_cameras;  ///< by pane id, of panes that are not there as well
  QTimer m_stage;
  std::vector<ViewFrame> m_staged;  ///< of one time; drawn a pane at a time
  std::size_t m_nextStaged = 0;
  bool m_moved = false;  ///< the cursor has moved since they were taken
  std::unique_ptr<ContactFeatures> m_features;
  struct Picked {
    Contact contact;
    std::vector<BodyFeature> features;
  };
  std::optional<Picked> m_picked;
  std::optional<double> m_stepFraction;
  std::optional<Spring> m_pull;      ///< while the mouse holds it
  Vec3 m_pullNormal = Vec3::Zero();  ///< of the plane in which the mouse moves the target, world
};

}  // namespace touchstone
