#pragma once

#include <QFont>
#include <QImage>
#include <QPointF>
#include <QSizeF>
#include <optional>

#include "core/study/figure.h"
#include "widgets/plots/figure.h"

class QPainter;

namespace touchstone {

/// A style in which all panels of a figure, its legend and its caption have room at a width [mm].
FigureStyle styleOf(const Figure& figure, double widthMm = 170);

/// Paints a figure in a rectangle at the origin, in the unit of the font's pixel size: title, one legend for
/// all panels, panels in rows, and the caption below.   @param dark  over a dark ground
void paintFigure(QPainter& painter, const Figure& figure, const QSizeF& size, const QFont& font,
                 bool dark = false);

QImage studyFigureImage(const Figure& figure, const FigureStyle& style);
/// @return false if the file cannot be written
bool writeStudySvg(const Figure& figure, const FigureStyle& style, const QString& file);
bool writeStudyPdf(const Figure& figure, const FigureStyle& style, const QString& file);

/// The run of the point or cell of a painted figure at a place, if one is near.
std::optional<long> runAt(const Figure& figure, const QSizeF& size, const QFont& font, const QPointF& place);

}  // namespace touchstone
