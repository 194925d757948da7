#pragma once

#include <QColor>
#include <QString>
#include <deque>
#include <functional>
#include <vector>

#include "core/record/step_record.h"
#include "core/scene/scene.h"
#include "widgets/plots/axis_ticks.h"

namespace touchstone {

/// One curve of a plot. x ascending; a NaN in y is a gap.
struct Curve {
  QString label;
  QColor colour = QColor(0x80, 0x80, 0x80);
  int dash = Qt::SolidLine;  ///< Qt::PenStyle
  std::vector<double> x, y;
  std::vector<double> marks;  ///< x, ascending: from there on the curve was made under other settings
  bool filled = false;        ///< the area between the curve and zero is shaded (linear axes)
  bool ownLegend = false;     ///< named in the plot itself even where a legend for all plots names the others
};

/// A quantity over time [s] of one pane's recorded frames; NaN where it does not apply. One curve for each
/// name that the frames have, in the order in which the names come: with a gap where frames have another, and
/// a value of NaN next to the gap, so that it is not read across. Colour and dash are the caller's.
/// @param nameOf  of a frame; asked in the order of frames
std::vector<Curve> quantityCurves(const std::deque<RecordPtr>& frames, Quantity quantity,
                                  const std::function<QString(long)>& nameOf);

/// An analytic answer at the times of `frames`: neutral grey, dotted, labelled with its formula.
Curve analyticCurve(const std::deque<RecordPtr>& frames, const AnalyticCurve& analytic);

/// Residual [m/s] after each iteration (x = 1, 2, …) of the step's solver, for a logarithmic axis: values
/// below `floor`, zero included, are drawn on the floor; NaN or infinity ends the curve.
Curve convergenceCurve(const StepRecord& record, double floor);

/// The y of the sample of `curve` nearest to x, or NaN for an empty curve.
double nearestValue(const Curve& curve, double x);

/// Four significant digits for a read-out: "0.1234", "1.234·10⁻⁷", "–" for NaN.
QString shortNumber(double value);

}  // namespace touchstone
