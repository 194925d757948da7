#pragma once

#include "widgets/plots/plot_state.h"

class QPainter;
class QPen;

namespace touchstone {

/// Colour of a curve on the ground of the plot.
QColor inkOf(const QColor& colour, const PlotState& state);
/// Pen of a curve. @param width  [pixels]
/// Dash of the curves of a branch of time: longer than the dashes of methods, another one for each of a few.
int branchDash(int branch);
QPen penOf(const QColor& colour, int dash, const PlotState& state, double width);
/// Half the width of a marker.
double markerSize(const PlotState& state);
/// A short piece of a curve from a point to the right, as a legend shows it.
void paintSample(QPainter& painter, const PlotState& state, const Curve& curve, const QPointF& start,
                 double length);

/// Paints what the curves of a plot have between its axes. A curve with more samples than pixels becomes a
/// pale band between its least and largest values, with their mean as a line. Broken lines lie over solid
/// ones, so that both are seen where they coincide.
void paintLines(QPainter& painter, const PlotState& state, const PlotLayout& layout);

}  // namespace touchstone
