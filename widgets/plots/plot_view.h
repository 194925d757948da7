#pragma once

#include <QImage>
#include <QPixmap>
#include <QSet>
#include <QString>
#include <QWidget>
#include <vector>

#include "widgets/delayed_click.h"
#include "widgets/plots/figure.h"
#include "widgets/plots/plot_state.h"

namespace touchstone {

/// Curves over one pair of axes. Left-drag zooms into a box, middle- or Ctrl+left-drag pans, the wheel zooms
/// at the pointer, double-click shows all; a click picks a time; a click on a legend entry hides its curve, a
/// double-click on it shows it alone. The action of a click is delayed until no double-click can follow. The
/// axes follow the data until the user zooms.
class PlotView : public QWidget {
  Q_OBJECT
 public:
  explicit PlotView(QWidget* parent = nullptr);

  /// Titles with symbol and unit: "Deepest penetration", "time t [s]", "δ max [m]".
  void setTitles(const QString& title, const QString& xLabel, const QString& yLabel);
  /// Replaces the data. Visibility is kept by label, also for curves that are absent for a while.
  void setCurves(const std::vector<Curve>& curves);
  const std::vector<Curve>& curves() const { return m_state.curves; }

  /// Labels the axes in units that fit the data: mm, ms.
  void setFittingUnits(bool fitting);
  /// The title stands in a widget beside the plot; files and pictures have it.
  void setTitleElsewhere(bool elsewhere);
  /// Adds a line over the plot with title, unit and the values at the time cursor.
  void setHasReadings(bool hasReadings);
  void setReadings(const std::vector<PlotReading>& readings);
  /// "Deepest penetration, mm | DPF 4.1  CPF –"
  QString readingsText() const { return touchstone::readingsText(m_state, m_layout); }
  ShownUnit shownUnitOfY() const { return m_layout.yUnit; }
  void setMarkers(const std::vector<PlotMarker>& markers);
  const std::vector<PlotMarker>& markers() const { return m_state.markers; }
  /// Lets the y axis fit 99 % of the samples of each curve, with triangles where a curve goes on.
  void setCutsPeaks(bool cuts);
  bool isCut() const { return m_state.isCut; }
  /// Gives the range of x, which plots beside each other share; NaN: the data have their own.
  /// @param isHeld  the user chose it
  void setSpan(Range span, bool isHeld);
  /// Shows the values under the pointer of another plot; NaN: none.
  void setHovered(double x);
  /// While on, changes are prepared but not shown, so that several plots can show theirs at once.
  void setStaged(bool staged);

  void setWholeX(bool whole);    ///< x is a count: ticks are integers
  void setTimeCursor(double x);  ///< vertical line; NaN hides it
  void setLogY(bool logarithmic);
  bool logY() const { return m_state.logY; }
  /// A horizontal line with a label at y, such as a solver's tolerance; NaN hides it.
  void setReferenceLine(double y, const QString& label);

  /// Greys the ground from x on, and says why; NaN: nowhere.
  void setGreyFrom(double x, const QString& label);

  /// Text in the middle of the plot while no curve has a value.
  void setEmptyNote(const QString& note);

  /// Keeps the area between the axes at least this high [logical pixels].
  void setLeastPlotHeight(int height);
  /// The area between the axes [logical pixels].
  QRectF plotArea() const { return m_layout.plot; }

  /// Paints changes now, so that showing them later is only a copy.
  void prepare();

  void resetZoom();
  bool following() const { return m_state.following; }  ///< the axes follow the data
  Range xRange() const { return m_state.x; }
  Range yRange() const { return m_state.y; }

  void setCurveVisible(int curve, bool visible);
  void setLabelVisible(const QString& label, bool visible);
  bool curveVisible(int curve) const { return m_state.visible.at(curve) != 0; }
  /// Shows one curve alone, or all if it is alone already.
  void isolateCurve(int curve);
  void showAllCurves();

  void setDark(bool dark);

  /// Writes the visible plot in light colours without the time cursor. The file's ending selects PNG, SVG,
  /// PDF or CSV.
  bool exportTo(const QString& file, const FigureStyle& style) const;
  QImage figure(const FigureStyle& style) const;
  /// The visible plot, including the time cursor, at another size [pixels], in light colours.
  QImage picture(const QSize& size, const QFont& font) const;
  /// The visible curves with full digits: curve, x, y. The ends of a band are curves of their own.
  QString csv() const;

  /// The curve at a place of the widget, −1: none.
  int curveUnder(const QPoint& position) const;
  double xUnder(const QPoint& position) const;

 Q_SIGNALS:
  void timePicked(double x);
  void readOut(const QString& text);  ///< nearest samples under the mouse; empty when it leaves
  void followingChanged(bool following);
  void spanChosen(double low, double high);  ///< the user zoomed or moved the x axis
  void spanReleased();                       ///< the user asked for all data
  void hovered(double x);                    ///< under the mouse; NaN when it leaves

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void leaveEvent(QEvent* event) override;

 private:
  enum class Drag { None, Box, Pan };
  void changed();
  void showNext();
  void showHidden();
  void hold(const Range& x, const Range& y);
  void showReadOut(double pixelX);
  int legendAt(const QPointF& position) const;
  int curveAt(const QPointF& position) const;
  void click(const QPointF& position);
  PlotState forFigure(const FigureStyle& style) const;

  PlotState m_state;
  PlotLayout m_layout;
  PlotAxes m_shownAxes;      ///< of the picture
  PlotLayout m_shownLayout;  ///< of the picture
  bool m_staged = false, m_isSpanHeld = false;
  int m_leastPlot = 0;
  QPixmap m_picture;       ///< everything except cursor, hovered samples and rubber band
  QPixmap m_next;          ///< the picture after it; null if it must be painted
  QSet<QString> m_hidden;  ///< labels
  DelayedClick m_click;
  Drag m_drag = Drag::None;
  bool m_dragged = false;
  QPointF m_pressed, m_mouse;
  PlotState m_pressedState;  ///< ranges at the press
  double m_hovered;          ///< x under the mouse, or NaN
};

}  // namespace touchstone
