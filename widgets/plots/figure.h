#pragma once

#include <QFont>
#include <QImage>
#include <QSizeF>
#include <QString>
#include <functional>

class QPainter;

namespace touchstone {

struct PlotState;

/// Settings of a plot for print: journals require a width, a type size and a line width.
struct FigureStyle {
  double widthMm = 120, heightMm = 80;
  double fontPt = 9;
  double linePt = 1.3;
  int dpi = 300;  ///< for PNG images
};

/// Size of the figure in points (1/72 inch), the unit of its layout.
QSizeF sizeInPoints(const FigureStyle& style);

QImage figureImage(const PlotState& state, const FigureStyle& style);
/// The face of all figures, which has the Greek letters and superscripts of titles.
QFont figureFont(double points);

/// Text stays text, so that it can be searched and edited. @return false if the file cannot be written
bool writeSvg(const PlotState& state, const FigureStyle& style, const QString& file);
bool writePdf(const PlotState& state, const FigureStyle& style, const QString& file);

/// The same of any painting in points.
using FigurePainting = std::function<void(QPainter& painter)>;
QImage paintedImage(const FigurePainting& paint, const FigureStyle& style);
bool writePaintedSvg(const FigurePainting& paint, const FigureStyle& style, const QString& title,
                     const QString& file);
bool writePaintedPdf(const FigurePainting& paint, const FigureStyle& style, const QString& title,
                     const QString& file);

}  // namespace touchstone
