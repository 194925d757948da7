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
  int dash = Qt::SolidLine;  ///< Qt::PenStyle, or branchDash()
  std::vector<double> x, y;
  std::vector<double> marks;      ///< x, ascending: from there on the curve has other settings
  bool filled = false;            ///< the area between the curve and zero is shaded (linear axes)
  bool ownLegend = false;         ///< named in the plot even if a common legend names the others
  int marker = -1;                ///< at each sample: 0 circle, 1 square, 2 triangle, 3 diamond; −1: none
  bool hasLine = true;            ///< between samples
  bool sparse = false;            ///< markers only at some places along the line, to tell curves apart
  double width = 1;               ///< of the line, as a share of that of the plot
  std::vector<double> crosses;    ///< x of crosses at the upper end of the plot
  std::vector<double> low, high;  ///< like y, or empty: the area between them is shaded
};

/// A number of each record over time [s] of one pane's recorded frames; NaN where it does not apply. There is
/// one curve per name of the frames, in order of first occurrence. A curve has a gap where frames have
/// another name, with a NaN value at the gap, so that no line crosses it. The caller sets colour and dash.
/// @param nameOf  returns the name of a frame; called in the order of frames
std::vector<Curve> valueCurves(const std::deque<RecordPtr>& frames,
                               const std::function<double(const StepRecord&)>& valueOf,
                               const std::function<QString(long)>& nameOf);

/// An analytic solution at the times of `frames`: neutral grey, dotted, labelled with its formula.
Curve analyticCurve(const std::deque<RecordPtr>& frames, const AnalyticCurve& analytic);

/// Residual [m/s] after each iteration (x = 1, 2, …) of the step's solver, for a logarithmic axis: values
/// below `floor`, zero included, are drawn on the floor; NaN or infinity ends the curve.
Curve convergenceCurve(const StepRecord& record, double floor);

/// Curves that a convergence plot shows beside the residual, for methods that report them.
struct ConvergenceLevels {
  bool parts = false;  ///< the residual's: normals and joints over h, friction, momentum [m/s]
  bool merit = false;  ///< the solver's own
  bool steps = false;  ///< ‖t Δu‖∞ [m/s]
  bool inner = false;  ///< relative residual of the linear solver within each iteration
  bool limit = true;   ///< what rounding leaves of the residual
};
/// Curves of these levels, without colours, each with a label of its own. The inner residuals of iteration k
/// lie between k and k + 1, with a gap between two iterations.
std::vector<Curve> levelCurves(const StepRecord& record, const ConvergenceLevels& levels, double floor);

/// Form of the curves of a plot: as they are, or in relation to a reference.
enum class CurveForm { Values, Difference, Ratio };
/// A value in relation to that of a reference; NaN without one of them, and for a ratio to 0.
double related(double value, double reference, CurveForm form);
/// The curves in relation to the values of a reference at the same x; a gap where the reference has none.
/// @param reference  curves of which one at most has a value at an x
std::vector<Curve> relatedCurves(std::vector<Curve> curves, const std::vector<Curve>& reference,
                                 CurveForm form);

/// Numbers of a curve over a span of x; NaN where the curve has no value.
struct SpanNumbers {
  double atA, atB;              ///< nearest samples in the span
  double mean, least, largest;  ///< over its samples
};
/// @param a, b  ends of the span, in any order
SpanNumbers numbersBetween(const Curve& curve, double a, double b);

/// The y of the sample of `curve` nearest to x, or NaN for an empty curve.
double nearestValue(const Curve& curve, double x);

/// Significant digits for display: "0.1234", "1.234·10⁻⁷", "–" for NaN.
QString shortNumber(double value, int digits = 4);

}  // namespace touchstone
