#pragma once

#include <QImage>
#include <QSizeF>
#include <QString>

namespace touchstone {

struct PlotState;

/// How a plot is set for print: journals ask for a width, a type size and a line width.
struct FigureStyle {
  double widthMm = 120, heightMm = 80;
  double fontPt = 9;
  double linePt = 1.3;
  int dpi = 300;  ///< of PNG images
};

/// Size of the figure in points (1/72 inch), the unit that it is laid out in.
QSizeF sizeInPoints(const FigureStyle& style);

QImage figureImage(const PlotState& state, const FigureStyle& style);
/// Text stays text: it can be searched and edited. @return false if the file cannot be written
bool writeSvg(const PlotState& state, const FigureStyle& style, const QString& file);
bool writePdf(const PlotState& state, const FigureStyle& style, const QString& file);

}  // namespace touchstone
