#pragma once

#include <QRect>
#include <QTimer>
#include <QWidget>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "app/session/view_ranges.h"
#include "core/record/contact_features.h"
#include "widgets/views/camera_state.h"
#include "widgets/views/legend_strip.h"
#include "widgets/views/view_frame.h"
#include "widgets/views/view_settings.h"

class QLabel;

namespace touchstone {

class BranchPaneWidget;
class History;
class PaneWidget;
class Session;
struct BranchPane;

/// Places of panes in an area, in rows that each fill it. Widths in a row differ by at most one pixel, and
/// the numbers of panes of two rows by at most one. The number of rows makes the frames of cameras as large
/// as possible.
/// @param header  height of a pane above its view
std::vector<QRect> paneCells(int panes, const QRect& area, int gap, int header);

/// The panes in a grid, and what they share: view settings, ranges, and the camera while it is linked.
class PaneGrid : public QWidget {
  Q_OBJECT
 public:
  explicit PaneGrid(Session* session, QWidget* parent = nullptr);

  const std::vector<PaneWidget*>& panes() const { return m_panes; }
  /// Panes of other branches, after the others.
  const std::vector<BranchPaneWidget*>& branchPanes() const { return m_branchPanes; }
  ViewSettings viewSettings() const { return m_settings; }
  void setViewSettings(const ViewSettings& settings);
  /// Present upper end of the depth scale [m].
  double depthRange() const;
  bool camerasLinked() const { return m_linked; }
  void setCamerasLinked(bool linked);
  void setDark(bool dark);
  /// Sets the scale of texts in the views; 1 is normal.
  void setTextScale(double scale);
  /// Shows one pane alone, or all panes if it is alone already. −1: all.
  void toggleEnlarged(int pane);
  int enlarged() const { return m_enlarged; }
  /// Sets what is shown while there are no panes. @param file  the file that is being opened; empty: none
  void setOpening(const QString& file);
  // Commands for the cameras of all panes: one camera while they are linked, else each its own.
  void frameAll();  ///< keeps the direction, shows the bodies that move
  void lookAlong(ViewAxis axis);
  void showSceneView();     ///< returns to the camera of the scene
  void straightenCamera();  ///< makes the horizon level
  /// Highlights the features of a contact of a pane in all panes until another one is picked; −1: none.
  void markContact(int pane, int contact);
  /// Moves the picked features through the step of the selected pane: 0 is its start, 1 its end; none: the
  /// shown poses.
  void setStepFraction(const std::optional<double>& fraction);
  /// Updates all panes now, for pictures.
  void refreshNow() { refreshRecords(); }
  /// Meaning of colours, glyphs and arrows at the cursor, for all views.
  LegendContent legend() const;
  const LegendStrip* legendStrip() const { return m_legend; }
  CameraState camera(int pane) const;
  void setCamera(int pane, const CameraState& camera);

 Q_SIGNALS:
  void viewSettingsChanged();
  void framesShown();  ///< all panes show the same time
  void imageRequested(int pane);
  void contactPicked(int contact);  ///< contact of the selected pane; −1: none

 public:
  QSize minimumSizeHint() const override { return {240, 160}; }

 protected:
  void resizeEvent(QResizeEvent* event) override;

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
  void refreshLegend();
  ViewFrame frameOf(int pane) const;
  ViewFrame frameOf(const BranchPane& pane) const;
  void addReference(ViewFrame& frame) const;
  void addPast(const History& history, long last, ViewFrame& frame) const;
  void followBranches();
  void clearBranchPanes();
  void addPicked(int pane, ViewFrame& frame) const;
  double longestStep() const;  ///< of all panes [s]
  void startPull(int pane, int body, const QPoint& position);
  void movePull(int pane, const QPoint& position);
  void endPull();
  void arrange();
  void place();
  void changeCameras(const std::function<CameraState(const CameraState&, const std::vector<int>&)>& change);
  void addPaneWidget(int index);

  Session* m_session;
  QLabel* m_empty;
  LegendStrip* m_legend;   ///< below all views
  bool m_hasSets = false;  ///< contacts of the scene have been in sets of a complementarity model
  std::vector<PaneWidget*> m_panes;
  std::vector<BranchPaneWidget*> m_branchPanes;
  std::shared_ptr<const void> m_builtFor;  ///< scene for which the panes were built
  ViewSettings m_settings;
  bool m_linked = true, m_dark = false;
  double m_textScale = 1;
  int m_enlarged = -1;
  ViewRanges m_ranges;
  SharedRanges m_shownRanges;
  std::vector<int> m_ids;                ///< [paneCount] id of the pane of each widget
  std::map<int, CameraState> m_cameras;  ///< by pane id, including removed panes
  QTimer m_stage;
  std::vector<ViewFrame> m_staged;  ///< frames of one time, drawn pane by pane
  std::size_t m_nextStaged = 0;
  bool m_moved = false;  ///< the cursor has moved since they were staged
  std::unique_ptr<ContactFeatures> m_features;
  struct Picked {
    Contact contact;
    std::vector<BodyFeature> features;
  };
  std::optional<Picked> m_picked;
  std::optional<double> m_stepFraction;
  std::optional<Spring> m_pull;      ///< set while the mouse holds a body
  Vec3 m_pullNormal = Vec3::Zero();  ///< normal of the plane in which the mouse moves the target, world
};

}  // namespace touchstone
