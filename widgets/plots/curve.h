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
  std::vector<double> marks;  ///< x, ascending: from there on the curve has other settings
  bool filled = false;        ///< the area between the curve and zero is shaded (linear axes)
  bool ownLegend = false;     ///< named in the plot even if a common legend names the others
};

/// A quantity over time [s] of one pane's recorded frames; NaN where it does not apply. There is one curve
/// per name of the frames, in order of first occurrence. A curve has a gap where frames have another name,
/// with a NaN value at the gap, so that no line crosses it. The caller sets colour and dash.
/// @param nameOf  returns the name of a frame; called in the order of frames
std::vector<Curve> quantityCurves(const std::deque<RecordPtr>& frames, Quantity quantity,
                                  const std::function<QString(long)>& nameOf);

/// An analytic solution at the times of `frames`: neutral grey, dotted, labelled with its formula.
Curve analyticCurve(const std::deque<RecordPtr>& frames, const AnalyticCurve& analytic);

/// Residual [m/s] after each iteration (x = 1, 2, …) of the step's solver, for a logarithmic axis: values
/// below `floor`, zero included, are drawn on the floor; NaN or infinity ends the curve.
Curve convergenceCurve(const StepRecord& record, double floor);

/// The y of the sample of `curve` nearest to x, or NaN for an empty curve.
double nearestValue(const Curve& curve, double x);

/// Four significant digits for display: "0.1234", "1.234·10⁻⁷", "–" for NaN.
QString shortNumber(double value);

}  // namespace touchstone
