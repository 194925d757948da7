#pragma once

#include <QFont>
#include <QRectF>
#include <QSizeF>
#include <limits>
#include <vector>

#include "widgets/plots/curve.h"

class QPainter;

namespace touchstone {

/// Everything that a plot displays.
struct PlotState {
  QString title, xLabel, yLabel;
  std::vector<Curve> curves;  ///< as given
  std::vector<char> visible;  ///< [curveCount]
  bool logY = false;
  bool dark = false;
  bool wholeX = false;                                          ///< x is a count: ticks are integers
  double cursor = std::numeric_limits<double>::quiet_NaN();     ///< x of the vertical line
  double reference = std::numeric_limits<double>::quiet_NaN();  ///< y of the horizontal line
  QString referenceLabel;
  double greyFrom = std::numeric_limits<double>::quiet_NaN();  ///< x from which the ground is grey
  QString greyLabel;
  QString emptyNote;           ///< why there is no value, for data in which no curve can have one
  Range x, y;                  ///< visible range in data units; y > 0 on a logarithmic axis
  bool following = true;       ///< the ranges fit the data; false after a zoom, which a chip shows
  bool fullLegend = true;      ///< false: only curves that no common legend names (Curve::ownLegend)
  double lineWidth = 1.8;      ///< [logical pixels; points in figures]
  double samplesPerPixel = 1;  ///< curves are thinned to the extremes of each column; > 1 for vector files
};

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
  QString note;                    ///< noteOf(); there are no ticks then
  QRectF title, xTitle, yTitle;    ///< yTitle before its rotation by −90°
  QRectF legend;                   ///< all rows
  std::vector<QRectF> legendRows;  ///< [curveCount]
  QString yTitleText;              ///< the label, or only its unit if the plot is low
  QFont font, titleFont;
  double sampleLength = 30;  ///< length of a line in the legend
};
PlotLayout layoutPlot(const PlotState& state, const QSizeF& size, const QFont& font);

/// Converts data to pixels, and back.
QPointF toPixels(const PlotState& state, const PlotLayout& layout, double x, double y);
double xAt(const PlotState& state, const PlotLayout& layout, double pixelX);
double yAt(const PlotState& state, const PlotLayout& layout, double pixelY);

/// Paints the whole plot: grid, curves, axes, lines at cursor and reference, titles, labels, legend. Works on
/// any device: the screen, an image, SVG or PDF, in which text stays text.
void paintPlot(QPainter& painter, const PlotState& state, const PlotLayout& layout);

}  // namespace touchstone
