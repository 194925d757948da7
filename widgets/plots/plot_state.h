#pragma once

#include <QFont>
#include <QRectF>
#include <QSizeF>
#include <limits>
#include <vector>

#include "core/sweep/figure.h"
#include "widgets/plots/curve.h"

class QPainter;

namespace touchstone {

/// A value or a range across the whole plot, grey; see FigureBand.
struct PlotBand {
  double low = 0, high = 0;
  bool ofX = false;
  QString label;
};

/// Everything that a plot displays.
struct PlotState {
  QString title, xLabel, yLabel;
  std::vector<Curve> curves;  ///< as given
  std::vector<char> visible;  ///< [curveCount]
  bool logX = false, logY = false;
  bool dark = false;
  bool wholeX = false;                                          ///< x is a count: ticks are integers
  double cursor = std::numeric_limits<double>::quiet_NaN();     ///< x of the vertical line
  double reference = std::numeric_limits<double>::quiet_NaN();  ///< y of the horizontal line
  QString referenceLabel;
  double greyFrom = std::numeric_limits<double>::quiet_NaN();  ///< x from which the ground is grey
  QString greyLabel;
  std::vector<PlotBand> bands;
  std::vector<QString> xNames;  ///< of x = 0, 1, …, in the place of numbers
  bool equalScales = false;     ///< a unit is as long on both axes
  FigureMap map;                ///< below the curves; without values: none
  QString emptyNote;            ///< why there is no value, for data in which no curve can have one
  Range x, y;                   ///< visible range in data units; y > 0 on a logarithmic axis
  bool following = true;        ///< the ranges fit the data; false after a zoom, which a chip shows
  bool fullLegend = true;       ///< false: only curves that no common legend names (Curve::ownLegend)
  double lineWidth = 1.8;       ///< [logical pixels; points in figures]
  double samplesPerPixel = 1;   ///< curves are thinned to the extremes of each column; > 1 for vector files
};

/// Position along the x axis, as axisY().
double axisX(const PlotState& state, double x);
/// Position along the y axis: y itself, or log10 y (NaN if y ≤ 0).
double axisY(const PlotState& state, double y);
/// The inverse of axisY.
double dataY(const PlotState& state, double axis);

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
  QString yTitleText;              ///< the label, or only its unit if the plot is low
  QFont font, titleFont;
  double sampleLength = 30;  ///< length of a line in the legend
};
PlotLayout layoutPlot(const PlotState& state, const QSizeF& size, const QFont& font);

/// The range of the colours of a map.
Range mapRange(const FigureMap& map);
/// Edges of the cells of a map along one axis: in the middle between neighbours.
std::vector<double> cellEdges(const std::vector<double>& centres, bool logarithmic);

/// Converts data to pixels, and back.
QPointF toPixels(const PlotState& state, const PlotLayout& layout, double x, double y);
double xAt(const PlotState& state, const PlotLayout& layout, double pixelX);
double yAt(const PlotState& state, const PlotLayout& layout, double pixelY);

/// Paints a marker (see Curve::marker) with the pen and brush that are set.   @param size  half its width
void paintMarker(QPainter& painter, int marker, const QPointF& at, double size);

/// Paints the whole plot: grid, curves, axes, lines at cursor and reference, titles, labels, legend. Works on
/// any device: the screen, an image, SVG or PDF, in which text stays text.
void paintPlot(QPainter& painter, const PlotState& state, const PlotLayout& layout);

}  // namespace touchstone
