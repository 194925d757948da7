#pragma once

#include <QVTKOpenGLNativeWidget.h>

#include <QImage>
#include <QSize>
#include <QString>
#include <memory>
#include <vector>

#include "widgets/plots/curve.h"

namespace touchstone {

/// Curves over one pair of axes. Left-drag zooms into a box, middle- or Ctrl+left-drag pans, the wheel zooms at the
/// pointer, double-click shows all; a click picks a time; a click on a legend entry hides its curve, a double-click on
/// it shows it alone. The axes follow the data until the user zooms.
class PlotView : public QVTKOpenGLNativeWidget {
  Q_OBJECT
 public:
  explicit PlotView(QWidget* parent = nullptr);
  ~PlotView() override;

  /// Titles with symbol and unit: "Deepest penetration", "time t [s]", "δ max [m]".
  void setTitles(const QString& title, const QString& xLabel, const QString& yLabel);
  /// Replaces the data. Visibility is kept by label.
  void setCurves(const std::vector<Curve>& curves);
  const std::vector<Curve>& curves() const;

  void setTimeCursor(double x);  ///< vertical line; NaN hides it
  void setLogY(bool logarithmic);
  bool logY() const;
  /// A horizontal line with a label at y, such as a solver's tolerance; NaN hides it.
  void setReferenceLine(double y, const QString& label);

  void resetZoom();
  bool following() const;  ///< the axes follow the data
  Range xRange() const;
  Range yRange() const;

  void setCurveVisible(int curve, bool visible);
  bool curveVisible(int curve) const;

  void setDark(bool dark);

  QImage renderToImage(const QSize& size);                        ///< in light colours
  bool exportImage(const QString& file, const QSize& size);       ///< PNG in light colours
  bool exportVector(const QString& file);                         ///< SVG or PDF by the file's ending
  bool exportCsv(const QString& file) const;                      ///< the visible curves, full digits

 Q_SIGNALS:
  void timePicked(double x);
  void readOut(const QString& text);  ///< nearest samples under the mouse; empty when it leaves
  void followingChanged(bool following);

 protected:
  bool event(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void leaveEvent(QEvent* event) override;

 private:
  class Private;
  std::unique_ptr<Private> d;
};

}  // namespace touchstone
