#pragma once

#include <QFont>
#include <QRectF>
#include <QSizeF>
#include <limits>
#include <vector>

#include "core/study/figure.h"
#include "widgets/plots/curve.h"

class QPainter;

namespace touchstone {

/// A value or a range across the whole plot, grey; see FigureBand.
struct PlotBand {
  double low = 0, high = 0;
  bool ofX = false;
  QString label;
};

/// A value at the cursor, for the line over the plot.
struct PlotReading {
  QString label, shortLabel;  ///< the short one where the line has no room for the other
  QColor colour;
  int dash = Qt::SolidLine;
  int marker = -1;
  double value = std::numeric_limits<double>::quiet_NaN();  ///< in the unit of the data
};

/// A named vertical line.
struct PlotMarker {
  QString name;
  double x = 0;
};

/// Kind and visible range of both axes, in data units; y > 0 on a logarithmic axis.
struct PlotAxes {
  bool logX = false, logY = false;
  Range x, y;
};

/// Everything that a plot displays.
struct PlotState : PlotAxes {
  QString title, xLabel, yLabel;
  std::vector<Curve> curves;  ///< as given
  std::vector<char> visible;  ///< [curveCount]
  bool dark = false;
  bool wholeX = false;                                          ///< x is a count: ticks are integers
  double cursor = std::numeric_limits<double>::quiet_NaN();     ///< x of the vertical line
  double reference = std::numeric_limits<double>::quiet_NaN();  ///< y of the horizontal line
  QString referenceLabel;
  double greyFrom = std::numeric_limits<double>::quiet_NaN();  ///< x from which the ground is grey
  QString greyLabel;
  std::vector<PlotBand> bands;
  std::vector<QString> xNames;    ///< of x = 0, 1, …, in the place of numbers
  bool equalScales = false;       ///< a unit is as long on both axes
  FigureMap map;                  ///< below the curves; without values: none
  QString emptyNote;              ///< why there is no value, for data in which no curve can have one
  bool following = true;          ///< the ranges fit the data; false after a zoom
  bool isHeld = false;            ///< a chip says that the user chose a range
  bool fitsUnits = false;         ///< axes have the units of shownUnit()
  bool titleIsElsewhere = false;  ///< a widget beside the plot shows the title
  /// A line over the plot with unit and values at the cursor.
  bool hasReadings = false;
  std::vector<PlotReading> readings;
  std::vector<PlotMarker> markers;
  /// The range of x that the axes fit, with the y of the samples in it; NaN: all data.
  Range span{std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()};
  bool cutsPeaks = false;      ///< a linear y axis fits 99 % of the samples of each curve
  bool isCut = false;          ///< samples lie outside because of that; triangles show where
  bool fullLegend = true;      ///< false: only curves that no common legend names (Curve::ownLegend)
  double lineWidth = 1.8;      ///< [logical pixels; points in figures]
  double samplesPerPixel = 1;  ///< curves are thinned to the extremes of each column; > 1 for vector files
};

/// Position along the x axis, as axisY().
double axisX(const PlotAxes& axes, double x);
/// Position along the y axis: y itself, or log10 y (NaN if y ≤ 0).
double axisY(const PlotAxes& axes, double y);
/// The inverse of axisY.
double dataY(const PlotAxes& axes, double axis);

/// The text in the middle of a plot without visible values; empty if there are values.
QString noteOf(const PlotState& state);

/// Sets the ranges to all visible data, as before any zoom.
void fitRanges(PlotState& state);

/// Positions of all parts of a plot in a rectangle of the given size, in logical pixels, y downwards.
struct PlotLayout {
  QRectF plot;                         ///< inside the axes
  std::vector<double> xTicks, yTicks;  ///< data units
  std::vector<QString> xLabels, yLabels;
  QString note;                  ///< noteOf(); there are no ticks then
  QRectF title, xTitle, yTitle;  ///< yTitle before its rotation by −90°
  QRectF colourBar;              ///< of a map; else empty
  std::vector<double> barTicks;
  std::vector<QString> barLabels;
  bool turnedNames = false;        ///< names of x stand aslant
  QRectF legend;                   ///< all rows
  std::vector<QRectF> legendRows;  ///< [curveCount]
  QString xTitleText;
  QString yTitleText;  ///< the label, or only its unit if the plot is low
  ShownUnit xUnit, yUnit;
  QRectF readings;  ///< the line over the plot; empty: none
  QFont font, titleFont;
  double sampleLength = 30;  ///< length of a line in the legend
};
PlotLayout layoutPlot(const PlotState& state, const QSizeF& size, const QFont& font);

/// The range of the colours of a map.
Range mapRange(const FigureMap& map);
/// Edges of the cells of a map along one axis: in the middle between neighbours.
std::vector<double> cellEdges(const std::vector<double>& centres, bool logarithmic);

/// Converts data to pixels, and back.
QPointF toPixels(const PlotAxes& axes, const PlotLayout& layout, double x, double y);
double xAt(const PlotAxes& axes, const PlotLayout& layout, double pixelX);
double yAt(const PlotAxes& axes, const PlotLayout& layout, double pixelY);

/// "Deepest penetration, mm | DPF 4.1  CPF –"
QString readingsText(const PlotState& state, const PlotLayout& layout);
/// Paints the vertical line at the cursor, the dots of the readings on it, and the line over the plot.
/// @param axes  of the layout
void paintCursor(QPainter& painter, const PlotState& state, const PlotAxes& axes, const PlotLayout& layout);

/// Paints a marker (see Curve::marker) with the pen and brush that are set.   @param size  half its width
void paintMarker(QPainter& painter, int marker, const QPointF& centre, double size);

/// Paints the whole plot: grid, curves, axes, lines at cursor and reference, titles, labels, legend. Works on
/// any device: the screen, an image, SVG or PDF, in which text stays text.
void paintPlot(QPainter& painter, const PlotState& state, const PlotLayout& layout);

}  // namespace touchstone
