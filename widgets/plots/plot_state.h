#pragma once

#include <QFont>
#include <QRectF>
#include <QSizeF>
#include <limits>
#include <vector>

#include "widgets/plots/curve.h"

class QPainter;

namespace touchstone {

/// Everything that a plot shows.
struct PlotState {
  QString title, xLabel, yLabel;
  std::vector<Curve> curves;  ///< as given
  std::vector<char> visible;  ///< [curveCount]
  bool logY = false;
  bool dark = false;
  bool wholeX = false;                                       ///< x counts something: ticks are whole numbers
  double cursor = std::numeric_limits<double>::quiet_NaN();  ///< x of the vertical line
  double reference = std::numeric_limits<double>::quiet_NaN();  ///< y of the horizontal line
  QString referenceLabel;
  QString emptyNote;           ///< why there is no value, where none of any curve can be
  Range x, y;                  ///< shown, in data units; y > 0 on a logarithmic axis
  bool following = true;       ///< the ranges are those of the data; false after a zoom, and a chip says so
  bool fullLegend = true;      ///< false: only curves that no legend around the plot names (Curve::ownLegend)
  double lineWidth = 1.8;      ///< of curves, logical pixels (points in figures)
  double samplesPerPixel = 1;  ///< curves are thinned to the extremes of each column; > 1 for vector files
};

/// Position along the y axis: y itself, or log10 y (NaN if it has none).
double axisY(const PlotState& state, double y);
/// The inverse of axisY.
double dataY(const PlotState& state, double axis);

/// What stands in the middle of a plot without a value to show; empty if there is one.
QString noteOf(const PlotState& state);

/// Range of all visible data, as shown before the user zooms.
void fitRanges(PlotState& state);

/// Where everything of a plot lies in a rectangle of the given size, in logical pixels, y downwards.
struct PlotLayout {
  QRectF plot;                         ///< inside the axes
  std::vector<double> xTicks, yTicks;  ///< data units
  std::vector<QString> xLabels, yLabels;
  QString note;                    ///< noteOf(); no ticks invent values then
  QRectF title, xTitle, yTitle;    ///< yTitle before its rotation by −90°
  QRectF legend;                   ///< all rows
  std::vector<QRectF> legendRows;  ///< [curveCount]
  QString yTitleText;              ///< the label, or its unit where the plot is low
  QFont font, titleFont;
  double sampleLength = 30;  ///< of a line in the legend
};
PlotLayout layoutPlot(const PlotState& state, const QSizeF& size, const QFont& font);

/// Data to pixels and back.
QPointF toPixels(const PlotState& state, const PlotLayout& layout, double x, double y);
double xAt(const PlotState& state, const PlotLayout& layout, double pixelX);
double yAt(const PlotState& state, const PlotLayout& layout, double pixelY);

/// The whole plot: grid, curves, axes, lines at cursor and reference, titles, labels, legend. On any device:
/// the screen, an image, SVG or PDF, where text stays text.
void paintPlot(QPainter& painter, const PlotState& state, const PlotLayout& layout);

}  // namespace touchstone
