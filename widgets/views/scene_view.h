#pragma once

#include <QVTKOpenGLNativeWidget.h>

#include <QImage>
#include <QPoint>
#include <QPointF>
#include <QSize>
#include <memory>

#include "core/scene/scene.h"
#include "widgets/views/camera_state.h"
#include "widgets/views/scalar_scaling.h"
#include "widgets/views/view_frame.h"
#include "widgets/views/view_settings.h"

namespace touchstone {

/// 3D view of one pane. Draws the record that it got last, and only data of scene and record.
class SceneView : public QVTKOpenGLNativeWidget {
  Q_OBJECT
 public:
  explicit SceneView(std::shared_ptr<const Scene> scene, QWidget* parent = nullptr);
  ~SceneView() override;

  void show(ViewFrame frame);
  /// Drawing after hold() appears at release(), so that several views change at once.
  void hold();
  void release();
  RecordPtr record() const;
  const ViewFrame& frame() const;  ///< the frame that was set last

  void setSettings(const ViewSettings& settings);
  const ViewSettings& settings() const;
  /// Upper ends of the scales while the settings leave them automatic; 0 = range of this record.
  void setRanges(const SharedRanges& ranges);
  void setDark(bool dark);
  bool isDark() const;
  void setTextScale(double scale);
  CameraState cameraState() const;
  /// Emits nothing: cameraChanged() is for changes by the user.
  void setCameraState(const CameraState& state);
  /// Sets the height of the camera's frame [logical pixels]. Views with one height show a body in one size.
  /// 0: the largest frame that fits.
  void setFrameHeight(double height);

  /// Renders the view at another size [pixels].
  /// @param frameHeight  of the camera's frame in the picture [pixels]; 0: the largest that fits
  QImage renderToImage(const QSize& size, double textScale = 1, double frameHeight = 0);
  /// Place of a point [m, world] in the view [logical pixels].
  QPointF placeOf(const Vec3& point) const;

  /// Ray [m, world] under a widget position, for picking and pulling bodies.
  struct Ray {
    Vec3 origin, direction;  ///< direction unit
  };
  Ray rayAt(const QPoint& position) const;
  /// The body under a widget position or −1; `point` receives the hit point of the ray [m, world].
  int bodyAt(const QPoint& position, Vec3* point = nullptr) const;
  /// The contact of the record within a few pixels of a widget position, or −1.
  int contactAt(const QPoint& position) const;

 Q_SIGNALS:
  void cameraChanged(const touchstone::CameraState& state);  ///< changed by the user only
  void doubleClicked();                                      ///< double-click that picked nothing
  void contactPicked(int contact);  ///< index into record()->contacts; −1: a click on nothing
  void bodyPicked(int body);        ///< body id; −1: a click on nothing
  void pullStarted(int body, const QPoint& position);  ///< Ctrl + left press on a body
  void pullMoved(const QPoint& position);
  void pullEnded();

 protected:
  bool event(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;

 private:
  void redraw();
  class Private;
  std::unique_ptr<Private> d;
};

}  // namespace touchstone
